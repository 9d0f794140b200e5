/** Jobs that a write only notes in passing: a moment later they are enqueued, each once, however often it was noted. */
import type { Logger } from 'pino';
import type { Clock } from '../clock.ts';
import type { Queryable } from '../db/database.ts';
import { runInServiceLane } from '../lanes/current-lane.ts';
import { enqueue, type NewJob } from './queue.ts';

const DELAY_MS = 500;
const ENQUEUED_AT_ONCE = 100;

/** What is noted is lost with the process: whoever uses this has the work written down elsewhere, and sweeps it up now and then. */
export class DeferredJobs {
  readonly #db: Queryable;
  readonly #clock: Clock;
  readonly #log: Logger;
  readonly #deferred = new Map<string, NewJob>();
  #timer: NodeJS.Timeout | undefined;

  constructor(db: Queryable, clock: Clock, log: Logger) {
    this.#db = db;
    this.#clock = clock;
    this.#log = log;
  }

  defer(job: NewJob & { readonly key: string }): void {
    this.#deferred.set(`${job.kind} ${job.key}`, job);
    // It flushes for all, whoever was first.
    this.#timer ??= runInServiceLane(() => setTimeout(() => void this.#flushLater(), DELAY_MS).unref());
  }

  /** Everything that is noted, now. */
  async flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const jobs = [...this.#deferred.values()];
    this.#deferred.clear();
    for (let start = 0; start < jobs.length; start += ENQUEUED_AT_ONCE) {
      const nowMs = this.#clock.nowMs();
      await this.#db.batch(jobs.slice(start, start + ENQUEUED_AT_ONCE).map((job) => enqueue(job, nowMs)));
    }
  }

  async #flushLater(): Promise<void> {
    try {
      await this.flush();
    } catch (error) {
      this.#log.warn({ err: error }, 'some jobs could not be enqueued; they are swept up later');
    }
  }
}
