/** The extractor that is always there: rules over a language library, in a thread that starts with the first message. */
import type { Log } from '../../../logging.ts';
import { moduleBeside } from '../../../threads/thread-file.ts';
import { ThreadPool } from '../../../threads/thread-pool.ts';
import type { Extraction, Extractor, KnownMemory, SourceMessage } from '../extractor.ts';

export const BUILTIN_NAME = 'builtin-1';

/** For one call; a message that takes longer is given up with its thread. */
const LIMIT_MS = 30_000;
const WARN_AFTER_MS = 5_000;
/** Then the thread gives its memory back. */
const IDLE_MS = 5 * 60_000;
/** More than the jobs ever ask at once. */
const MAX_WAITING = 1_000;

export class BuiltinExtractor implements Extractor {
  readonly name = BUILTIN_NAME;
  readonly #threads: ThreadPool<typeof import('./thread.ts')>;

  constructor(log: Log) {
    this.#threads = new ThreadPool({
      name: 'builtin-extractor',
      module: moduleBeside(import.meta.url, 'thread'),
      log,
      limitMs: LIMIT_MS,
      warnAfterMs: WARN_AFTER_MS,
      idleMs: IDLE_MS,
      maxWaiting: MAX_WAITING,
    });
  }

  async extract(messages: readonly SourceMessage[], known: readonly KnownMemory[], signal: AbortSignal): Promise<Extraction> {
    signal.throwIfAborted();
    if (messages.length === 0) return { memories: [], withdrawn: [], secrets: 0 };
    return this.#threads.run('extractAll', messages, known);
  }

  async close(): Promise<void> {
    await this.#threads.close();
  }
}
