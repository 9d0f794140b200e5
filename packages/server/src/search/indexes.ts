/** The search indexes as the main thread sees them: questions to their thread, which starts with the first one. */
import type { Log } from '../logging.ts';
import type { ArgumentsOf } from '../threads/protocol.ts';
import { RestartingThread } from '../threads/restarting-thread.ts';
import { moduleBeside } from '../threads/thread-file.ts';
import type { Answers, IndexQuestions, IndexThreadData, Request } from './protocol.ts';

const MEMORY_BYTES = 512 * 1024 * 1024;
/** Beside the indexes: what is being loaded, and the hits of searches under way. */
const HEAP_MB = 512;
/** As for the event loop: requests wait for it. */
const WARN_AFTER_MS = 200;
/** All scopes are lost with the thread, and loaded anew: it is given up only when it would not come back. */
const LIMIT_MS = 60_000;
/** Metrics are not held up by a thread that is. */
const GAUGES_WAIT_MS = 500;

const NO_GAUGES = { scopes: 0, items: 0, bytes: 0 };

export class SearchIndexes {
  readonly #thread: RestartingThread<IndexQuestions>;
  #lastGauges: Record<string, number> = NO_GAUGES;

  constructor(log: Log, memoryBytes = MEMORY_BYTES) {
    this.#thread = new RestartingThread({
      name: 'search-indexes',
      file: moduleBeside(import.meta.url, 'index-thread'),
      data: { memoryBytes } satisfies IndexThreadData,
      log,
      warnAfterMs: WARN_AFTER_MS,
      limitMs: LIMIT_MS,
      heapMb: HEAP_MB + memoryBytes / 1024 / 1024,
      unref: true,
    });
  }

  /** Counts the threads: what was loaded into an earlier one is gone. */
  get generation(): number {
    return this.#thread.generation;
  }

  ask<Op extends Request['op']>(request: Extract<Request, { op: Op }>): Promise<Answers[Op]> {
    const args = [request] as ArgumentsOf<IndexQuestions, Op>;
    return this.#thread.ask(request.op as Op, ...args) as Promise<Answers[Op]>;
  }

  /** The last known ones, where the thread does not answer at once. */
  async gauges(): Promise<Record<string, number>> {
    if (!this.#thread.isRunning) return NO_GAUGES;
    const asked = this.ask<'gauges'>({ op: 'gauges' }).then((gauges) => {
      this.#lastGauges = gauges;
    });
    await Promise.race([asked, new Promise((resolve) => setTimeout(resolve, GAUGES_WAIT_MS).unref())]);
    return this.#lastGauges;
  }

  async close(): Promise<void> {
    await this.#thread.close();
  }
}
