/** One run of a job, from its handler to what becomes of it. */
import type { Logger } from 'pino';
import type { Clock } from '../clock.ts';
import type { Database } from '../db/database.ts';
import { WorkerUnavailable } from '../db/errors.ts';
import { runInLane } from '../lanes/current-lane.ts';
import { JobCancelled, type JobHandler, JobInterrupted, JobUnfinished } from './job-handler.ts';
import type { Job } from './queue.ts';
import { complete, fail, postpone, release, reschedule, yieldTurn } from './settling.ts';

export interface Running {
  readonly job: Job;
  readonly handler: JobHandler;
  readonly abort: AbortController;
  /** By the monotonic clock. */
  leaseUntilMs: number;
  /** Released by `stop` while the handler still went on: what it comes to no longer matters. */
  abandoned: boolean;
  ended: Promise<void>;
}

const TRIES_TO_SETTLE = 5;
const SETTLE_AGAIN_MS = 100;

export class JobRuns {
  readonly #db: Database;
  readonly #clock: Clock;
  readonly #log: Logger;

  constructor({ db, clock, log }: { readonly db: Database; readonly clock: Clock; readonly log: Logger }) {
    this.#db = db;
    this.#clock = clock;
    this.#log = log;
  }

  async runToItsEnd(running: Running): Promise<void> {
    const { job, handler, abort } = running;
    let settle: () => Promise<void>;
    try {
      await runInLane(`job:${job.workspaceId ?? ''}`, () => handler.run(job, abort.signal), `job ${job.kind}`);
      settle = () => this.#finish(running);
    } catch (error) {
      if (error instanceof JobCancelled) {
        this.#log.info({ ...about(job), reason: error.message }, 'a job was cancelled');
        settle = () => this.#finish(running);
      } else if (error instanceof JobUnfinished) {
        settle = () => this.#yieldTurn(running);
      } else {
        settle = () => this.#settleFailure(running, error);
      }
    }
    await this.#settle(running, settle);
  }

  /** What can't be settled stays leased, and is done again when the lease has run out. */
  async #settle(running: Running, settle: () => Promise<void>): Promise<void> {
    for (let tries = 1; ; tries++) {
      if (running.abandoned || isLost(running)) return;
      try {
        await settle();
        return;
      } catch (error) {
        if (tries === TRIES_TO_SETTLE) {
          this.#log.error({ err: error, ...about(running.job) }, 'the outcome of a job could not be stored; it will be done again');
          return;
        }
        await new Promise((resolve) => setTimeout(resolve, SETTLE_AGAIN_MS * 2 ** (tries - 1)));
      }
    }
  }

  async #finish({ job, handler }: Running): Promise<void> {
    const nowMs = this.#clock.nowMs();
    const held =
      handler.everyMs === undefined ? await complete(this.#db, job) : await reschedule(this.#db, job, nowMs + handler.everyMs, nowMs);
    if (!held) this.#log.warn(about(job), 'a job was done, though its lease had been lost; it may be done twice');
  }

  async #yieldTurn({ job }: Running): Promise<void> {
    if (await yieldTurn(this.#db, job, this.#clock.nowMs())) return;
    this.#log.warn(about(job), 'a part of a job was done, though its lease had been lost; it may be done twice');
  }

  async #settleFailure({ job, handler, abort }: Running, error: unknown): Promise<void> {
    const nowMs = this.#clock.nowMs();
    if (abort.signal.aborted) {
      await release(this.#db, job, nowMs);
      return;
    }
    const { everyMs, maxAttempts } = handler;
    if (everyMs !== undefined && job.attempts + 1 >= maxAttempts) {
      await reschedule(this.#db, job, nowMs + everyMs, nowMs, error);
      this.#log.error({ err: error, ...about(job) }, 'a periodic job failed at its last attempt; it waits for its next time');
      return;
    }
    if (everyMs === undefined && error instanceof WorkerUnavailable) {
      await postpone(this.#db, job, error, nowMs);
      this.#log.warn({ err: error, ...about(job) }, 'a job waits for a worker of Citus that is down');
      return;
    }
    const outcome = await fail(this.#db, job, error, handler, nowMs);
    if (outcome === 'failed') this.#log.error({ err: error, ...about(job) }, 'a job failed at its last attempt, and is given up');
    else this.#log.warn({ err: error, ...about(job), outcome }, 'a job failed');
  }
}

/** Someone else has the job, or may have it. */
export function isLost({ abort }: Running): boolean {
  return abort.signal.reason instanceof JobInterrupted && abort.signal.reason.why === 'lease lost';
}

/** Not the key nor the payload: they may hold what a workspace stored. */
export function about({ id, kind, workspaceId, attempts }: Job) {
  return { job: id, kind, workspaceId, attempt: attempts + 1 };
}
