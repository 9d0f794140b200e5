/** Keeps one writer thread alive, and starts another when it dies. */
import type { Log } from '../../logging.ts';
import { FailedInThread, ThreadEnded, ThreadKeepsEnding } from '../../threads/errors.ts';
import { RestartingThread } from '../../threads/restarting-thread.ts';
import type { Thread } from '../../threads/thread.ts';
import type { Chain } from '../continuous-backup/chain.ts';
import type { CutPlace } from '../continuous-backup/cutting.ts';
import { DatabaseUnavailable } from '../errors.ts';
import { toError, toFailure } from './failures.ts';
import type { WriterData, WriterQuestions } from './protocol.ts';
import { threadOptions } from './thread.ts';

export interface WriterOptions {
  readonly file: string;
  readonly log: Log | undefined;
  readonly statementTimeoutMs: number;
  /** Where a continuous backup takes what is written. */
  readonly backup: CutPlace | undefined;
}

export class WriterKeeper {
  readonly #options: WriterOptions;
  readonly #thread: RestartingThread<WriterQuestions>;

  constructor(options: WriterOptions) {
    this.#options = options;
    this.#thread = new RestartingThread(
      threadOptions('writer', { file: options.file, backup: options.backup } satisfies WriterData, options.log),
    );
  }

  get restartsTotal(): number {
    return this.#thread.restartsTotal;
  }

  async live(): Promise<Thread<WriterQuestions>> {
    try {
      return await this.#thread.open();
    } catch (error) {
      if (error instanceof FailedInThread) throw toError(toFailure(error), this.#options.file);
      if (!(error instanceof ThreadKeepsEnding)) throw error;
      const message = 'The writer thread keeps ending; see the log, and restart the service.';
      throw new DatabaseUnavailable(message, { cause: error, retryAfterSeconds: 60 });
    }
  }

  /** Throws where the thread does not answer in time. */
  async ping(): Promise<void> {
    const { file, statementTimeoutMs } = this.#options;
    const thread = await this.live();
    let timer: NodeJS.Timeout | undefined;
    const limit = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new DatabaseUnavailable('The writer thread does not answer.')), statementTimeoutMs);
    });
    try {
      const failure = await Promise.race([thread.ask('ping'), limit]);
      if (failure) throw toError(failure, file);
    } catch (error) {
      throw unknownOutcome(error);
    } finally {
      clearTimeout(timer);
    }
  }

  async close(chain: Chain | undefined): Promise<void> {
    if (this.#thread.isRunning) {
      const failure = await this.#thread.ask('close', chain);
      if (failure) this.#options.log?.warn({ reason: failure.message }, 'The database was not closed cleanly; the next start recovers it');
    }
    await this.#thread.close();
  }
}

/** A write whose thread has ended may have been kept or not. */
export function unknownOutcome(error: unknown): unknown {
  if (!(error instanceof ThreadEnded)) return error;
  return new DatabaseUnavailable('The writer thread ended unexpectedly; whether the write was kept is not known.', { cause: error });
}
