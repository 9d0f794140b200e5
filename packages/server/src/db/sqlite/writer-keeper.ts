/** Keeps one writer thread alive, and starts another when it dies. */
import type { Log } from '../../logging.ts';
import { DatabaseUnavailable } from '../errors.ts';
import { toError } from './failures.ts';

import type { WriterData, WriterReply, WriterRequest } from './protocol.ts';
import { Thread } from './thread.ts';

const MAX_RESTARTS = 5;
const RESTARTS_WITHIN_MS = 60_000;

export interface WriterOptions {
  readonly file: string;
  readonly log: Log | undefined;
  readonly statementTimeoutMs: number;
}

export class WriterKeeper {
  restartsTotal = 0;
  readonly #options: WriterOptions;
  #thread: Thread<WriterRequest, WriterReply> | undefined;
  #starting: Promise<Thread<WriterRequest, WriterReply>> | undefined;
  #restarts: number[] = [];

  constructor(options: WriterOptions) {
    this.#options = options;
  }

  async live(): Promise<Thread<WriterRequest, WriterReply>> {
    if (this.#thread && !this.#thread.dead) return this.#thread;
    if (this.#thread) this.#countRestart();
    this.#thread = undefined;
    this.#starting ??= this.#start().finally(() => {
      this.#starting = undefined;
    });
    return this.#starting;
  }

  async close(): Promise<void> {
    const thread = this.#thread;
    if (!thread || thread.dead) return;
    const { broken } = await thread.call({ kind: 'close' });
    await thread.stop();
    if (broken) this.#options.log?.warn({ reason: broken.message }, 'The database was not closed cleanly; the next start recovers it');
  }

  async #start(): Promise<Thread<WriterRequest, WriterReply>> {
    const thread = new Thread<WriterRequest, WriterReply>('writer', { file: this.#options.file } satisfies WriterData);
    const { failure } = await thread.opened;
    if (failure) {
      await thread.stop();
      throw toError(failure, this.#options.file);
    }
    this.#thread = thread;
    return thread;
  }

  #countRestart(): void {
    const now = Date.now();
    this.#restarts = this.#restarts.filter((time) => now - time < RESTARTS_WITHIN_MS);
    if (this.#restarts.length >= MAX_RESTARTS) {
      throw new DatabaseUnavailable('The writer thread keeps ending; see the log, and restart the service.', { retryAfterSeconds: 60 });
    }
    this.#restarts.push(now);
    this.restartsTotal++;
    this.#options.log?.error({ restarts: this.restartsTotal }, 'The writer thread ended unexpectedly; starting another');
  }
}
