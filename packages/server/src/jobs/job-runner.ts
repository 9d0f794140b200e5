/** The runner of jobs: takes up those that are due, keeps their leases while they run, and settles them. */
import type { Logger } from 'pino';
import type { Clock } from '../clock.ts';
import type { Database } from '../db/database.ts';
import { newId } from '../db/ids.ts';
import { runInLane } from '../lanes/current-lane.ts';
import type { Backoff } from './backoff.ts';
import { type ClaimedKind, SERVICE_JOBS_LANE } from './picking.ts';
import {
  claim,
  complete,
  countJobs,
  enqueuePeriodic,
  extendLeases,
  fail,
  type Job,
  release,
  reschedule,
  takeBackLapsed,
  yieldTurn,
} from './queue.ts';

export interface JobHandler {
  /**
   * Does the work. It may be done twice, after a crash or a lost lease, so twice must be as good as once. When the signal
   * is aborted, the job is someone else's or the process stops: leave by throwing, and it is done again later.
   */
  run(job: Job, signal: AbortSignal): Promise<void>;
  readonly maxAttempts: number;
  /** How long after a crash the job is taken up again. It is renewed while the handler runs, however long that takes. */
  readonly leaseMs: number;
  /** Jobs of this kind at a time in this process. */
  readonly concurrency?: number | undefined;
  readonly backoff?: Backoff | undefined;
  /** Runs by itself, this long after its last run, on one node at a time. */
  readonly everyMs?: number | undefined;
  /** Lets go of what it holds, once nothing of it runs any more. */
  readonly close?: (() => Promise<void>) | undefined;
}

/** `every(HOUR_MS, async () => …)`: a handler for what only has to happen now and then. */
export function every(everyMs: number, run: JobHandler['run']): JobHandler {
  return { everyMs, run, maxAttempts: 5, leaseMs: 60_000, concurrency: 1 };
}

/** Thrown by a handler whose work is no longer wanted: the job is done, and is not tried again. */
export class JobCancelled extends Error {
  constructor(message = 'The job is no longer wanted') {
    super(message);
    this.name = 'JobCancelled';
  }
}

/** Thrown by a handler that did a part of the work and kept it: other workspaces have their turn before it goes on. */
export class JobUnfinished extends Error {
  constructor(message = 'The job goes on at its next turn') {
    super(message);
    this.name = 'JobUnfinished';
  }
}

/** Why a job's signal is aborted. */
export class JobInterrupted extends Error {
  readonly why: 'stopping' | 'lease lost';
  constructor(why: 'stopping' | 'lease lost') {
    super(why === 'stopping' ? 'The process is stopping' : 'The lease of the job was lost');
    this.name = 'JobInterrupted';
    this.why = why;
  }
}

export interface JobRunnerOptions {
  readonly db: Database;
  readonly clock: Clock;
  readonly log: Logger;
  readonly handlers: Readonly<Record<string, JobHandler>>;
  /** Jobs at a time in this process. */
  readonly concurrency?: number | undefined;
  /** How long at most until a job that another node enqueued is seen. */
  readonly pollMs?: number | undefined;
  /** How long `stop` lets jobs finish by themselves … */
  readonly graceMs?: number | undefined;
  /** … and how long it waits for those that it interrupts. */
  readonly abortGraceMs?: number | undefined;
}

interface Running {
  readonly job: Job;
  readonly handler: JobHandler;
  readonly abort: AbortController;
  /** By the monotonic clock. */
  leaseUntilMs: number;
  /** Released by `stop` while the handler still went on: what it comes to no longer matters. */
  abandoned: boolean;
  ended: Promise<void>;
}

const CONCURRENCY = 8;
const POLL_MS = 1_000;
const GRACE_MS = 10_000;
const ABORT_GRACE_MS = 1_000;
/** Between two claims of which the first found nothing: a burst of `wake` costs one claim. */
const MIN_IDLE_MS = 20;
const GAUGES_KEPT_MS = 5_000;
const TRIES_TO_SETTLE = 5;
const SETTLE_AGAIN_MS = 100;

export class JobRunner {
  readonly #db: Database;
  readonly #clock: Clock;
  readonly #log: Logger;
  readonly #handlers: ReadonlyMap<string, JobHandler>;
  readonly #concurrency: number;
  readonly #pollMs: number;
  readonly #graceMs: number;
  readonly #abortGraceMs: number;
  readonly #running = new Set<Running>();
  /** The kinds in the order of their turns; those that were just served go to the end. */
  #kindsInTurn: string[];
  readonly #lastLanes = new Map<string, string>();
  #lookedForLapsedMs = Number.NEGATIVE_INFINITY;
  #endedCount = 0;
  /** By the process's own clock: when a claim last found nothing. */
  #foundNothingAt = Number.NEGATIVE_INFINITY;
  #taking: Promise<unknown> = Promise.resolve();
  #loop: Promise<void> | undefined;
  #beating: NodeJS.Timeout | undefined;
  #stopping = false;
  #stopped: Promise<void> | undefined;
  #woken = false;
  #wakeUp: (() => void) | undefined;
  #gauges: { readonly atMs: number; readonly values: Promise<Record<string, number>> } | undefined;

  constructor(options: JobRunnerOptions) {
    this.#db = options.db;
    this.#clock = options.clock;
    this.#log = options.log;
    this.#handlers = new Map(Object.entries(options.handlers));
    this.#kindsInTurn = [...this.#handlers.keys()];
    this.#concurrency = options.concurrency ?? CONCURRENCY;
    this.#pollMs = options.pollMs ?? POLL_MS;
    this.#graceMs = options.graceMs ?? GRACE_MS;
    this.#abortGraceMs = options.abortGraceMs ?? ABORT_GRACE_MS;
  }

  start(): void {
    if (this.#loop || this.#stopping) return;
    const shortestLeaseMs = Math.min(...[...this.#handlers.values()].map(({ leaseMs }) => leaseMs));
    if (Number.isFinite(shortestLeaseMs)) this.#beating = setInterval(() => void this.heartbeat(), shortestLeaseMs / 3).unref();
    this.#loop = this.#work();
  }

  /** Something was enqueued in this process. Call it after the commit. */
  wake(): void {
    this.#woken = true;
    this.#wakeUp?.();
  }

  /** Runs everything that is due until nothing is left, without waiting for time to pass; how many jobs it ran. */
  async drain(): Promise<number> {
    let count = 0;
    for (;;) {
      const endedBefore = this.#endedCount;
      const taken = await this.#takeUp(true);
      count += taken;
      if (taken > 0) continue;
      if (this.#running.size > 0) await Promise.race([...this.#running].map(({ ended }) => ended));
      // What ended while the claim was under way may have enqueued more.
      else if (this.#endedCount === endedBefore) return count;
    }
  }

  /** Takes nothing more, lets what runs finish, interrupts what does not, and gives that back to the queue. */
  stop(): Promise<void> {
    this.#stopping = true;
    this.#stopped ??= this.#stop();
    return this.#stopped;
  }

  /** Sees to it that the periodic jobs are in the queue. Done by `start`. */
  async schedulePeriodic(): Promise<void> {
    const nowMs = this.#clock.nowMs();
    const statements = [...this.#handlers].flatMap(([kind, { everyMs }]) =>
      everyMs === undefined ? [] : [enqueuePeriodic(kind, everyMs, nowMs)],
    );
    await this.#db.batch(statements);
  }

  /** Renews the leases of what runs, and interrupts what lost its own. Done by a timer once started. */
  async heartbeat(): Promise<void> {
    const held = [...this.#running].filter((running) => !running.abandoned && !lost(running));
    if (held.length === 0) return;
    const nowMs = this.#clock.nowMs();
    const startMs = this.#clock.monotonicMs();
    try {
      const kept = await extendLeases(
        this.#db,
        held.map(({ job, handler }) => ({ job, leaseMs: handler.leaseMs })),
        nowMs,
      );
      for (const [index, running] of held.entries()) {
        if (kept[index]) running.leaseUntilMs = startMs + running.handler.leaseMs;
        else this.#loseLease(running);
      }
    } catch (error) {
      this.#log.warn({ err: error, jobs: held.length }, 'the leases of running jobs could not be renewed');
      for (const running of held) if (running.leaseUntilMs <= this.#clock.monotonicMs()) this.#loseLease(running);
    }
  }

  /** For `/metrics`, by name: the whole queue, and not this process alone. A few seconds old at times. */
  gauges(): Promise<Record<string, number>> {
    const atMs = this.#clock.monotonicMs();
    if (!this.#gauges || atMs - this.#gauges.atMs >= GAUGES_KEPT_MS) {
      const values = countJobs(this.#db, [...this.#handlers.keys()], this.#clock.nowMs()).then(({ oldestDueAgeMs, ...counts }) => ({
        ...counts,
        oldest_due_age_seconds: oldestDueAgeMs / 1000,
      }));
      const gauges = { atMs, values };
      values.catch(() => {
        if (this.#gauges === gauges) this.#gauges = undefined;
      });
      this.#gauges = gauges;
    }
    return this.#gauges.values;
  }

  async #work(): Promise<void> {
    let scheduled = false;
    let idleMs = MIN_IDLE_MS;
    while (!this.#stopping) {
      this.#woken = false;
      try {
        if (!scheduled) await this.schedulePeriodic();
        scheduled = true;
        const taken = await this.#takeUp(false);
        if (taken > 0) {
          idleMs = MIN_IDLE_MS;
          continue;
        }
      } catch (error) {
        this.#log.warn({ err: error }, 'the queue of jobs could not be read');
        idleMs = this.#pollMs;
      }
      await this.#idle(idleMs);
      idleMs = this.#woken ? MIN_IDLE_MS : Math.min(idleMs * 2, this.#pollMs);
      const tooSoonMs = this.#foundNothingAt + MIN_IDLE_MS - performance.now();
      if (tooSoonMs > 0) await this.#idle(tooSoonMs, true);
    }
  }

  /** Until the time is over, or something wakes it; what is to be slept through in any case ends for a stop only. */
  async #idle(ms: number, throughWakes = false): Promise<void> {
    if (this.#stopping || (this.#woken && !throughWakes)) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, ms);
      this.#wakeUp = () => {
        if (throughWakes && !this.#stopping) return;
        clearTimeout(timer);
        resolve();
      };
    });
    this.#wakeUp = undefined;
  }

  /** Claims what there is room for and starts it; how many. One at a time, as two would see the same room. */
  #takeUp(lookForLapsed: boolean): Promise<number> {
    const taken = this.#taking.then(() => this.#claimAndStart(lookForLapsed));
    this.#taking = taken.catch(() => undefined);
    return taken;
  }

  async #claimAndStart(lookForLapsed: boolean): Promise<number> {
    const kinds = this.#stopping ? [] : this.#kindsWithRoom();
    if (kinds.length === 0) return 0;
    if (lookForLapsed || this.#clock.monotonicMs() - this.#lookedForLapsedMs >= this.#pollMs) await this.#takeBackLapsed();
    const nowMs = this.#clock.nowMs();
    const claimedMs = this.#clock.monotonicMs();
    const jobs = await claim(this.#db, { kinds, owner: newId(), limit: this.#concurrency - this.#running.size, nowMs });
    if (jobs.length === 0) this.#foundNothingAt = performance.now();
    if (this.#stopping) {
      await Promise.all(jobs.map((job) => release(this.#db, job, nowMs)));
      return 0;
    }
    this.#passTurns(jobs);
    for (const job of jobs) this.#run(job, claimedMs);
    return jobs.length;
  }

  #kindsWithRoom(): ClaimedKind[] {
    const room = this.#concurrency - this.#running.size;
    if (room <= 0) return [];
    const counts = new Map<string, number>();
    for (const { job } of this.#running) counts.set(job.kind, (counts.get(job.kind) ?? 0) + 1);
    return this.#kindsInTurn.flatMap((kind) => {
      const { leaseMs, concurrency = Number.POSITIVE_INFINITY } = this.#handlers.get(kind) as JobHandler;
      const limit = Math.min(room, concurrency - (counts.get(kind) ?? 0));
      return limit > 0 ? [{ kind, leaseMs, limit, afterLane: this.#lastLanes.get(kind) }] : [];
    });
  }

  #passTurns(jobs: readonly Job[]): void {
    const served = new Set(jobs.map(({ kind }) => kind));
    if (served.size === 0) return;
    this.#kindsInTurn = [...this.#kindsInTurn.filter((kind) => !served.has(kind)), ...this.#kindsInTurn.filter((kind) => served.has(kind))];
    for (const kind of served) {
      const lanes = jobs.filter((job) => job.kind === kind).map(({ workspaceId }) => workspaceId ?? SERVICE_JOBS_LANE);
      // The claim went from the last lane onwards and then round to the beginning.
      const last = this.#lastLanes.get(kind) ?? '';
      const wrapped = lanes.filter((lane) => lane <= last);
      this.#lastLanes.set(kind, (wrapped.length > 0 ? wrapped : lanes).sort().at(-1) as string);
    }
  }

  async #takeBackLapsed(): Promise<void> {
    const nowMs = this.#clock.nowMs();
    // A periodic job is never given up.
    const maxAttempts = Object.fromEntries(
      [...this.#handlers].map(([kind, handler]) => [kind, handler.everyMs === undefined ? handler.maxAttempts : Number.MAX_SAFE_INTEGER]),
    );
    for (const { job, outcome } of await takeBackLapsed(this.#db, { maxAttempts, nowMs })) {
      if (outcome === 'retried') this.#log.warn(about(job), 'the lease of a job ran out, and it is taken up again');
      if (outcome === 'failed') this.#log.error(about(job), 'the lease of a job ran out at its last attempt, and it is given up');
    }
    this.#lookedForLapsedMs = this.#clock.monotonicMs();
  }

  #run(job: Job, claimedMs: number): void {
    const handler = this.#handlers.get(job.kind) as JobHandler;
    const running: Running = {
      job,
      handler,
      abort: new AbortController(),
      leaseUntilMs: claimedMs + handler.leaseMs,
      abandoned: false,
      ended: Promise.resolve(),
    };
    this.#running.add(running);
    running.ended = this.#runToItsEnd(running).finally(() => {
      this.#running.delete(running);
      this.#endedCount++;
      this.wake();
    });
  }

  async #runToItsEnd(running: Running): Promise<void> {
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
      if (running.abandoned || lost(running)) return;
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
    const outcome = await fail(this.#db, job, error, handler, nowMs);
    if (outcome === 'failed') this.#log.error({ err: error, ...about(job) }, 'a job failed at its last attempt, and is given up');
    else this.#log.warn({ err: error, ...about(job), outcome }, 'a job failed');
  }

  #loseLease(running: Running): void {
    // Settled between the heartbeat and its answer, or told already.
    if (!this.#running.has(running) || running.abort.signal.aborted) return;
    this.#log.warn(about(running.job), 'the lease of a running job was lost');
    running.abort.abort(new JobInterrupted('lease lost'));
  }

  async #stop(): Promise<void> {
    this.#wakeUp?.();
    await this.#loop;
    await this.#taking;
    await this.#allEnded(this.#graceMs);
    for (const { abort } of this.#running) abort.abort(new JobInterrupted('stopping'));
    await this.#allEnded(this.#abortGraceMs);
    clearInterval(this.#beating);
    const nowMs = this.#clock.nowMs();
    const deaf = [...this.#running].filter((running) => !lost(running));
    for (const running of deaf) running.abandoned = true;
    const released = await Promise.allSettled(deaf.map(({ job }) => release(this.#db, job, nowMs)));
    for (const [index, { job }] of deaf.entries()) {
      const outcome = released[index] as PromiseSettledResult<boolean>;
      const cause = outcome.status === 'rejected' ? { err: outcome.reason } : {};
      this.#log.warn({ ...about(job), ...cause }, 'a job did not end when the process stopped, and is given back');
    }
    await Promise.all([...this.#handlers.values()].map((handler) => handler.close?.()));
  }

  /** Waits for what runs; not longer than the time given. */
  async #allEnded(withinMs: number): Promise<void> {
    if (this.#running.size === 0) return;
    let timer: NodeJS.Timeout | undefined;
    const over = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, withinMs);
    });
    await Promise.race([Promise.all([...this.#running].map(({ ended }) => ended)), over]);
    clearTimeout(timer);
  }
}

function lost({ abort }: Running): boolean {
  return abort.signal.reason instanceof JobInterrupted && abort.signal.reason.why === 'lease lost';
}

/** Not the key nor the payload: they may hold what a workspace stored. */
function about({ id, kind, workspaceId, attempts }: Job) {
  return { job: id, kind, workspaceId, attempt: attempts + 1 };
}
