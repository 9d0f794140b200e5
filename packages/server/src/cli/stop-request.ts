/** When to stop: signals, and failures that nothing caught. A second signal, or a stop that takes too long, ends at once. */
import type { Logger } from 'pino';
import { exitCodes } from './command.ts';

const LIMIT_MS = 30_000;
/** One Ctrl-C reaches the process twice, from the terminal and from npm; so does a stop by systemd. */
const SAME_MS = 100;

export class StopRequest {
  readonly #log: Logger;
  readonly #limitMs: number;
  readonly #made = Promise.withResolvers<void>();
  #madeAtMs: number | undefined;
  #exitCode: number = exitCodes.done;

  constructor(log: Logger, limitMs = LIMIT_MS) {
    this.#log = log;
    this.#limitMs = limitMs;
    for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => this.#signalled(signal));
    // Rejections that nobody handles come here too.
    process.on('uncaughtException', (error) => this.#failed(error));
  }

  /** Resolves when it is time to stop. */
  get made(): Promise<void> {
    return this.#made.promise;
  }

  /** What to end with once everything is closed. */
  get exitCode(): number {
    return this.#exitCode;
  }

  #signalled(signal: 'SIGTERM' | 'SIGINT'): void {
    if (this.#madeAtMs === undefined) {
      this.#log.info({ signal }, 'stopping: what is under way is finished first; another signal ends at once');
      this.#make();
    } else if (performance.now() - this.#madeAtMs > SAME_MS) {
      this.#log.warn({ signal }, 'ended at once by another signal');
      process.exit(signal === 'SIGINT' ? exitCodes.interrupted : exitCodes.failed);
    }
  }

  #failed(error: unknown): void {
    this.#log.fatal({ err: error }, 'stopping: a failure that nothing caught');
    this.#exitCode = exitCodes.failed;
    this.#make();
  }

  #make(): void {
    if (this.#madeAtMs !== undefined) return;
    this.#madeAtMs = performance.now();
    this.#made.resolve();
    // Keeps the process alive meanwhile, so that it can't end as if all were done.
    setTimeout(() => {
      this.#log.fatal(`ended with work unfinished: the stop took longer than ${this.#limitMs / 1000} s`);
      process.exit(exitCodes.failed);
    }, this.#limitMs);
  }
}
