/** How a job that was taken up ends: done, put back into the queue, or given up. Only its holder settles it. */
import { timestamp } from '../clock.ts';
import type { Queryable } from '../db/database.ts';
import { UniqueViolation } from '../db/errors.ts';
import { nothing, type Sql, sql } from '../db/sql.ts';
import { type Backoff, defaultBackoff, retryDelayMs } from './backoff.ts';
import { type Job, messageOf } from './queue.ts';

const WORKER_DOWN_MS = 30_000;

/** False where the lease was lost: someone else has the job now, or had it. */
export async function complete(db: Queryable, held: Job): Promise<boolean> {
  return (await db.run(sql`delete from jobs where ${stillHeld(held)}`)) > 0;
}

export interface FailureRules {
  readonly maxAttempts: number;
  readonly backoff?: Backoff | undefined;
}

export type Failed = 'retried' | 'failed' | 'lost';

/** Back into the queue after a while, or, when its attempts are used up, kept with its error until a person looks. */
export async function fail(db: Queryable, held: Job, error: unknown, rules: FailureRules, nowMs: number): Promise<Failed> {
  const attempts = held.attempts + 1;
  const failure = { attempts, lastError: messageOf(error), nowMs };
  if (attempts >= rules.maxAttempts) return (await keepFailed(db, held, failure)) ? 'failed' : 'lost';
  const runAtMs = nowMs + retryDelayMs(attempts, rules.backoff ?? defaultBackoff);
  return (await putBack(db, held, { ...failure, runAtMs })) ? 'retried' : 'lost';
}

/** Gives a job back that was not finished, through no fault of its own. */
export async function release(db: Queryable, held: Job, nowMs: number): Promise<boolean> {
  return putBack(db, held, { attempts: held.attempts, nowMs });
}

/** Gives a job back whose part of the database is down, for some time: however long that lasts, it is not given up for it. */
export async function postpone(db: Queryable, held: Job, error: unknown, nowMs: number): Promise<boolean> {
  const runAtMs = nowMs + retryDelayMs(1, { firstMs: WORKER_DOWN_MS, mostMs: WORKER_DOWN_MS });
  return putBack(db, held, { attempts: held.attempts, lastError: messageOf(error), runAtMs, nowMs });
}

/** Gives a job back of which a part is done and kept: it waits for its lane's next turn, and its attempts count anew. */
export async function yieldTurn(db: Queryable, held: Job, nowMs: number): Promise<boolean> {
  return putBack(db, held, { attempts: 0, nowMs });
}

/** The next run of a periodic job. A run that was asked for meanwhile comes first, and is followed by its own next one. */
export async function reschedule(db: Queryable, held: Job, runAtMs: number, nowMs: number, error?: unknown): Promise<boolean> {
  const lastError = error === undefined ? null : messageOf(error);
  return putBack(db, held, { attempts: 0, runAtMs, lastError, keepsTwinsTime: true, nowMs });
}

export const stillHeld = (held: Job) => sql`id = ${held.id} and state = 'running' and lease_owner = ${held.leaseOwner}`;

interface Settlement {
  readonly attempts: number;
  /** The earlier one stays where it is left out. */
  readonly lastError?: string | null | undefined;
  /** Only if the lease is still over: its holder may have come back. */
  readonly onlyLapsed?: boolean | undefined;
  readonly nowMs: number;
}

interface Return extends Settlement {
  /** Ready at once where it is left out. */
  readonly runAtMs?: number | undefined;
  readonly keepsTwinsTime?: boolean | undefined;
}

const TRIES_TO_PUT_BACK = 5;

/**
 * From running to waiting. Where another job with the key waits already, the two become one: the one that waits stays, and takes
 * over the attempts, the error and the time of the retry. Between looking and writing PostgreSQL may let such a twin in; then once more.
 */
export async function putBack(db: Queryable, held: Job, settlement: Return): Promise<boolean> {
  const statements =
    held.key === null
      ? [waitAgain(held, settlement)]
      : [handOver(held, settlement), yieldToTwin(held, settlement), waitAgain(held, settlement)];
  for (let tries = 1; ; tries++) {
    try {
      const answers = await db.batch(statements);
      return answers.slice(-2).some((rows) => rows.length > 0);
    } catch (error) {
      if (!(error instanceof UniqueViolation) || tries === TRIES_TO_PUT_BACK) throw error;
    }
  }
}

const mayBeSettled = (held: Job, { onlyLapsed, nowMs }: Settlement) =>
  onlyLapsed ? sql`${stillHeld(held)} and lease_until <= ${timestamp(nowMs)}` : stillHeld(held);

const isTwin = (held: Job) => sql`kind = ${held.kind} and key = ${held.key} and state in ('scheduled', 'ready')`;

function handOver(held: Job, settlement: Return): Sql {
  const { attempts, lastError, runAtMs, keepsTwinsTime, nowMs } = settlement;
  const runAt = runAtMs === undefined || keepsTwinsTime ? undefined : timestamp(runAtMs);
  return sql`
    update jobs set updated_at = ${timestamp(nowMs)}, attempts = case when attempts < ${attempts} then ${attempts} else attempts end
      ${lastError === undefined ? nothing : sql`, last_error = ${lastError}`}
      ${runAt === undefined ? nothing : sql`, state = 'scheduled', run_at = case when run_at < ${runAt} then ${runAt} else run_at end`}
    where ${isTwin(held)} and exists (select 1 from jobs where ${mayBeSettled(held, settlement)})
    returning id`;
}

function yieldToTwin(held: Job, settlement: Return): Sql {
  return sql`delete from jobs where ${mayBeSettled(held, settlement)} and exists (select 1 from jobs where ${isTwin(held)}) returning id`;
}

function waitAgain(held: Job, settlement: Return): Sql {
  const { attempts, lastError, runAtMs, nowMs } = settlement;
  return sql`
    update jobs set state = ${runAtMs === undefined ? 'ready' : 'scheduled'}, attempts = ${attempts},
      lease_until = null, lease_owner = null, updated_at = ${timestamp(nowMs)}
      ${lastError === undefined ? nothing : sql`, last_error = ${lastError}`}
      ${runAtMs === undefined ? nothing : sql`, run_at = ${timestamp(runAtMs)}`}
    where ${mayBeSettled(held, settlement)}
    returning id`;
}

export async function keepFailed(db: Queryable, held: Job, settlement: Settlement): Promise<boolean> {
  const { attempts, lastError = null, nowMs } = settlement;
  const now = timestamp(nowMs);
  const touched = await db.run(sql`
    update jobs set state = 'failed', attempts = ${attempts}, last_error = ${lastError}, failed_at = ${now},
      lease_until = null, lease_owner = null, updated_at = ${now}
    where ${mayBeSettled(held, settlement)}`);
  return touched > 0;
}
