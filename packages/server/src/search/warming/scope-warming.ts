/** Scopes that are being filled are brought into memory meanwhile, a part at a time, so that no first search waits for all of it. */
import type { Logger } from 'pino';
import { runInLane } from '../../lanes/current-lane.ts';
import type { ScopeSource } from '../scope-source.ts';

/** What comes within so long is loaded together. */
const GATHERED_MS = 500;
/** After each load a rest this many times as long as it took. */
const REST = 9;
/** A larger one takes seconds of a thread, for searches that may never come. */
const MOST_ITEMS = 20_000;
/** Scopes that wait; more are loaded by their first search. */
const MOST_WAITING = 100;

export interface WarmedSearcher {
  /** Whether memory is free for what nobody has asked for. */
  readonly hasRoom: boolean;
  /** Threads that searches need are started. */
  expectSearches(): void;
  warm(source: ScopeSource): Promise<void>;
}

export class ScopeWarming {
  readonly #searcher: WarmedSearcher;
  readonly #log: Logger;
  readonly #gatheredMs: number;
  /** By the key of the scope. */
  readonly #waiting = new Map<string, NodeJS.Timeout>();
  /** One at a time. */
  #last: Promise<void> = Promise.resolve();
  /** What the last one took. */
  #tookMs = 0;
  #isStarted = false;

  constructor(searcher: WarmedSearcher, log: Logger, gatheredMs: number = GATHERED_MS) {
    this.#searcher = searcher;
    this.#log = log;
    this.#gatheredMs = gatheredMs;
  }

  start(): void {
    this.#isStarted = true;
  }

  async stop(): Promise<void> {
    this.#isStarted = false;
    for (const timer of this.#waiting.values()) clearTimeout(timer);
    this.#waiting.clear();
    await this.#last;
  }

  /** To be called with each thing that comes to the scope; returns at once. */
  note(source: ScopeSource): void {
    if (!this.#isStarted) return;
    this.#searcher.expectSearches();
    const { key } = source;
    if (this.#waiting.has(key) || this.#waiting.size >= MOST_WAITING) return;
    const warm = () => {
      this.#waiting.delete(key);
      this.#last = this.#last.then(() => this.#warm(source));
    };
    this.#waiting.set(key, setTimeout(warm, Math.max(this.#gatheredMs, REST * this.#tookMs)).unref());
  }

  /** A failure costs the first search its time, and nothing else. */
  async #warm(source: ScopeSource): Promise<void> {
    const begunMs = performance.now();
    try {
      await runInLane(source.workspaceId, async () => {
        if (!this.#isStarted || !this.#searcher.hasRoom) return;
        const items = (await source.threads()).reduce((sum, { count }) => sum + count, 0);
        if (items <= MOST_ITEMS) await this.#searcher.warm(source);
      });
    } catch (error) {
      if (this.#isStarted) this.#log.warn({ err: error, scope: source.key }, 'a search index could not be loaded ahead');
    }
    this.#tookMs = performance.now() - begunMs;
  }
}
