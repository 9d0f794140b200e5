/** The runner of jobs: takes up those that are due, keeps their leases while they run, and settles them. */
import type { Logger } from 'pino';
import type { Clock } from '../clock.ts';
import type { Database } from '../db/database.ts';
import { newId } from '../db/ids.ts';
import { countJobs } from './counting.ts';
import { type JobHandler, JobInterrupted } from './job-handler.ts';
import { about, isLost, JobRuns, type Running } from './job-runs.ts';
import { KindTurns } from './kind-turns.ts';
import { extendLeases, takeBackLapsed } from './leases.ts';
import { claim, enqueuePeriodic, type Job } from './queue.ts';
import { release } from './settling.ts';

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

const CONCURRENCY = 8;
const POLL_MS = 1_000;
const GRACE_MS = 10_000;
const ABORT_GRACE_MS = 1_000;
/** Between two claims of which the first found nothing: a burst of `wake` costs one claim. */
const MIN_IDLE_MS = 20;
const GAUGES_KEPT_MS = 5_000;

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
  readonly #runs: JobRuns;
  readonly #turns: KindTurns;
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
    this.#runs = new JobRuns(options);
    this.#turns = new KindTurns(this.#handlers);
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
    const held = [...this.#running].filter((running) => !running.abandoned && !isLost(running));
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
    const kinds = this.#stopping ? [] : this.#turns.withRoom(this.#concurrency - this.#running.size, this.#countRunning());
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
    this.#turns.pass(jobs);
    for (const job of jobs) this.#run(job, claimedMs);
    return jobs.length;
  }

  #countRunning(): Map<string, number> {
    const counts = new Map<string, number>();
    for (const { job } of this.#running) counts.set(job.kind, (counts.get(job.kind) ?? 0) + 1);
    return counts;
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
    running.ended = this.#runs.runToItsEnd(running).finally(() => {
      this.#running.delete(running);
      this.#endedCount++;
      this.wake();
    });
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
    const deaf = [...this.#running].filter((running) => !isLost(running));
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
