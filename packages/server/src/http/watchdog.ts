/** Watches how late the event loop is, and says which routes kept it. */
import { createHistogram } from 'node:perf_hooks';
import type { Log } from '../logging.ts';
import type { RouteAtWork } from './in-flight.ts';

const TICK_MS = 50;
export const BLOCKED_FROM_MS = 200;
const NS_PER_MS = 1e6;

export interface WatchdogOptions {
  readonly log: Log;
  /** What held the event loop since a time of `performance.now()`. */
  readonly routesAtWork: (sinceMs: number) => readonly RouteAtWork[];
}

export class Watchdog {
  /** How often the event loop stood still for as long, by this thread's own doing. */
  blockedTotal = 0;
  readonly #options: WatchdogOptions;
  readonly #delays = createHistogram();
  #lastDelayMs = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: WatchdogOptions) {
    this.#options = options;
  }

  start(): void {
    if (this.#timer) return;
    let lastTickMs = performance.now();
    let lastUsage = process.threadCpuUsage();
    this.#timer = setInterval(() => {
      const nowMs = performance.now();
      const usage = process.threadCpuUsage();
      const cpuMs = (usage.user - lastUsage.user + usage.system - lastUsage.system) / 1000;
      this.observe({ delayMs: Math.max(0, nowMs - lastTickMs - TICK_MS), cpuMs, sinceMs: lastTickMs });
      lastTickMs = nowMs;
      lastUsage = usage;
    }, TICK_MS).unref();
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  /** On a busy machine the thread may just have had no processor: its own processor time tells the two apart. */
  observe({ delayMs, cpuMs, sinceMs }: { delayMs: number; cpuMs: number; sinceMs: number }): void {
    this.#lastDelayMs = delayMs;
    this.#delays.record(Math.max(1, Math.round(delayMs * NS_PER_MS)));
    if (delayMs < BLOCKED_FROM_MS || cpuMs < BLOCKED_FROM_MS) return;
    this.blockedTotal++;
    const routes = this.#options.routesAtWork(sinceMs);
    this.#options.log.warn({ delayMs: Math.round(delayMs), cpuMs: Math.round(cpuMs), routes }, 'the event loop was blocked');
  }

  /** In seconds, since the last time that they were asked for. */
  takeDelays(): Record<'current' | 'p99' | 'max', number> {
    const seconds = (ns: number) => ns / NS_PER_MS / 1000;
    const delays = {
      current: this.#lastDelayMs / 1000,
      p99: this.#delays.count === 0 ? 0 : seconds(this.#delays.percentile(99)),
      max: this.#delays.count === 0 ? 0 : seconds(this.#delays.max),
    };
    this.#delays.reset();
    return delays;
  }
}
