/** The queue of jobs: one table, and every statement that puts a job in, takes it up, or settles it. */
import { timestamp } from '../clock.ts';
import type { Queryable } from '../db/database.ts';
import { UniqueViolation } from '../db/errors.ts';
import { newId } from '../db/ids.ts';
import { shape } from '../db/shape.ts';
import { json, list, nothing, raw, type Sql, sql } from '../db/sql.ts';
import { type Backoff, defaultBackoff, retryDelayMs } from './backoff.ts';
import { type ClaimedKind, idIn, leaseUntil, nothingAhead, oldestReady, pickedIds, skipLocked } from './picking.ts';

export interface NewJob {
  readonly kind: string;
  /** Whose work it is; workspaces take turns. Null for the service's own. */
  readonly workspaceId: string | null;
  readonly payload: unknown;
  /**
   * At most one job of a kind and key waits; while it does, another is the same job and is dropped. One that is enqueued
   * while the first runs waits behind it. So the payload of either must do for both.
   */
  readonly key?: string | undefined;
  readonly delayMs?: number | undefined;
  /** Runs this long after the last time it was enqueued. Needs a key. */
  readonly debounceMs?: number | undefined;
  /** … and this long after the first time at most; ten times `debounceMs` where it is left out. */
  readonly debounceAtMostMs?: number | undefined;
}

export interface Job<Payload = unknown> {
  readonly id: string;
  readonly kind: string;
  readonly key: string | null;
  readonly workspaceId: string | null;
  readonly payload: Payload;
  /** Failed attempts before this one. */
  readonly attempts: number;
  readonly runAt: string;
  readonly createdAt: string;
  readonly leaseOwner: string;
}

const job = shape<Job>({
  id: 'text',
  kind: 'text',
  key: 'text',
  workspaceId: 'text',
  payload: 'json',
  attempts: 'integer',
  runAt: 'time',
  createdAt: 'time',
  leaseOwner: 'text',
});

const MOST_PROMOTED = 1_000;
const MOST_LAPSED = 100;
const MOST_ERROR_CHARACTERS = 2_000;
const MOST_COUNTED = 100_000;
const MOST_DROPPED = 1_000;

/** As the partial index says it, or neither engine finds the conflict. */
const oneWaiting = raw(`(kind, key) where state in ('scheduled', 'ready') and key is not null`);

/** A statement for the batch or the transaction of the change that causes the job. */
export function enqueue(newJob: NewJob, nowMs: number): Sql {
  const { kind, workspaceId, payload, key = null, debounceMs } = newJob;
  if (debounceMs !== undefined && key === null) throw new TypeError('A job can be debounced by its key only');
  const delayMs = debounceMs ?? newJob.delayMs ?? 0;
  const runBy = debounceMs === undefined ? null : timestamp(nowMs + (newJob.debounceAtMostMs ?? 10 * debounceMs));
  const state =
    delayMs > 0 || key === null
      ? sql`${delayMs > 0 ? 'scheduled' : 'ready'}`
      : sql`case when exists (select 1 from jobs where state = 'running' and kind = ${kind} and key = ${key}) then 'scheduled' else 'ready' end`;
  const now = timestamp(nowMs);
  return sql`
    insert into jobs (id, kind, key, workspace_id, payload, state, run_at, run_by, attempts, created_at, updated_at)
    select ${newId()}, ${kind}, ${key}, ${workspaceId}, ${json(payload)}, ${state}, ${timestamp(nowMs + delayMs)}, ${runBy}, 0, ${now}, ${now}
    where true ${key === null ? nothing : sql`on conflict ${oneWaiting} ${debounceMs === undefined ? raw('do nothing') : putOff}`}`;
}

/** Drops the job that waits with this key, and with it the attempts that it has used up. One that runs goes on. */
export function dropWaiting(kind: string, key: string): Sql {
  return sql`delete from jobs where kind = ${kind} and key = ${key} and state in ('scheduled', 'ready')`;
}

/** Only what still waits for its first time: a job that is due is not held up, and one that failed keeps the time of its retry. */
const putOff = raw(`
  do update set run_at = case when excluded.run_at < jobs.run_by then excluded.run_at else jobs.run_by end, updated_at = excluded.updated_at
  where jobs.state = 'scheduled' and jobs.attempts = 0 and jobs.run_at < excluded.run_at and jobs.run_at < jobs.run_by`);

/** Sees to it that a periodic job is there: due now when it is new, within a period from now in any case. */
export function enqueuePeriodic(kind: string, everyMs: number, nowMs: number): Sql {
  const now = timestamp(nowMs);
  return sql`
    insert into jobs (id, kind, key, workspace_id, payload, state, run_at, attempts, created_at, updated_at)
    select ${newId()}, ${kind}, ${PERIODIC_KEY}, ${null}, '{}', 'scheduled', ${now}, 0, ${now}, ${now}
    where not exists (select 1 from jobs where state = 'running' and kind = ${kind} and key = ${PERIODIC_KEY})
    on conflict ${oneWaiting}
    do update set run_at = ${timestamp(nowMs + everyMs)}, updated_at = excluded.updated_at where jobs.run_at > ${timestamp(nowMs + everyMs)}`;
}

/** The key of a kind that runs periodically; enqueue it with this key to have it run sooner. */
export const PERIODIC_KEY = 'periodic';

export interface Claim {
  /** In the order of their turns: where the limit is short, the first go first. */
  readonly kinds: readonly ClaimedKind[];
  /** A new id for each claim. */
  readonly owner: string;
  readonly limit: number;
  readonly nowMs: number;
}

/** Takes due jobs, fairly between workspaces. May give fewer than the limit while more are due; none only when none is. */
export async function claim(db: Queryable, { kinds, owner, limit, nowMs }: Claim): Promise<Job[]> {
  if (limit < 1 || kinds.length === 0) return [];
  const [, jobs] = await db.batch([
    promote(nowMs),
    sql<Job>`
      update jobs set state = 'running', lease_owner = ${owner}, lease_until = ${leaseUntil(kinds, nowMs)}, updated_at = ${timestamp(nowMs)}
      where ${idIn(pickedIds(kinds, limit))}
      returning ${job}`,
  ]);
  return jobs.sort((a, b) => (a.runAt < b.runAt || (a.runAt === b.runAt && a.id < b.id) ? -1 : 1));
}

/** What was scheduled and is due joins its lane. Bounded, and still far faster than jobs are run. */
function promote(nowMs: number): Sql {
  const now = timestamp(nowMs);
  return sql`
    update jobs set state = 'ready', updated_at = ${now} where ${idIn(sql`
      select waiting.id from jobs waiting where waiting.state = 'scheduled' and waiting.run_at <= ${now} and ${nothingAhead}
      order by waiting.run_at, waiting.id limit ${MOST_PROMOTED}${skipLocked}`)}`;
}

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

/** Gives a job back of which a part is done and kept: it waits for its lane's next turn, and its attempts count anew. */
export async function yieldTurn(db: Queryable, held: Job, nowMs: number): Promise<boolean> {
  return putBack(db, held, { attempts: 0, nowMs });
}

/** The next run of a periodic job. A run that was asked for meanwhile comes first, and is followed by its own next one. */
export async function reschedule(db: Queryable, held: Job, runAtMs: number, nowMs: number, error?: unknown): Promise<boolean> {
  const lastError = error === undefined ? null : messageOf(error);
  return putBack(db, held, { attempts: 0, runAtMs, lastError, keepsTwinsTime: true, nowMs });
}

export interface LeaseExtension {
  readonly job: Job;
  readonly leaseMs: number;
}

/** Which of them are still held, in their order; the others were lost. */
export async function extendLeases(db: Queryable, extensions: readonly LeaseExtension[], nowMs: number): Promise<boolean[]> {
  const answers = await db.batch(
    extensions.map(
      ({ job: held, leaseMs }) => sql`update jobs set lease_until = ${timestamp(nowMs + leaseMs)} where ${stillHeld(held)} returning id`,
    ),
  );
  return answers.map((rows) => rows.length > 0);
}

export interface LapsedJob {
  readonly job: Job;
  readonly outcome: Failed;
}

const LEASE_RAN_OUT = new Error('The process that ran the job stopped, or did not answer for as long as its lease');

/** Takes back the jobs whose holder is gone. Each counts as a failed attempt, so that a job that kills its process is not tried forever. */
export async function takeBackLapsed(
  db: Queryable,
  { maxAttempts, nowMs }: { readonly maxAttempts: Readonly<Record<string, number>>; readonly nowMs: number },
): Promise<LapsedJob[]> {
  const kinds = Object.keys(maxAttempts);
  if (kinds.length === 0) return [];
  const lapsed = await db.query(sql<Job>`
    select ${job} from jobs where state = 'running' and lease_until <= ${timestamp(nowMs)} and kind in ${list(kinds)}
    order by lease_until limit ${MOST_LAPSED}`);
  const taken: LapsedJob[] = [];
  for (const held of lapsed) {
    const attempts = held.attempts + 1;
    const failure = { attempts, lastError: LEASE_RAN_OUT.message, onlyLapsed: true, nowMs };
    const isLast = attempts >= (maxAttempts[held.kind] as number);
    const done = isLast ? await keepFailed(db, held, failure) : await putBack(db, held, failure);
    taken.push({ job: held, outcome: done ? (isLast ? 'failed' : 'retried') : 'lost' });
  }
  return taken;
}

/** Failed jobs are kept for people to see, though not for ever. */
export async function dropFailedJobs(db: Queryable, beforeMs: number): Promise<number> {
  return db.run(sql`
    delete from jobs where ${idIn(sql`
      select id from jobs where state = 'failed' and failed_at < ${timestamp(beforeMs)} order by failed_at limit ${MOST_DROPPED}`)}`);
}

export interface JobCounts {
  /** Waits, due or not. Counted up to 100,000 of each state, as are the others: more is "too many" all the same. */
  readonly waiting: number;
  readonly due: number;
  readonly running: number;
  readonly failed: number;
  /** Of the kinds that were asked for, in the first thousand lanes of each. */
  readonly oldestDueAgeMs: number;
}

interface CountedRow extends Record<'ready' | 'scheduled' | 'late' | 'running' | 'failed', number> {
  readonly oldestReady: string | null;
  readonly oldestLate: string | null;
}

export async function countJobs(db: Queryable, kinds: readonly string[], nowMs: number): Promise<JobCounts> {
  const isLate = sql`state = 'scheduled' and run_at <= ${timestamp(nowMs)}`;
  const count = (condition: Sql) =>
    sql`(select count(*) from (select 1 as one from jobs where ${condition} limit ${MOST_COUNTED}) as counted)`;
  const [row] = await db.query(sql<CountedRow>`
    select ${count(raw(`state = 'ready'`))} as ready, ${count(raw(`state = 'scheduled'`))} as scheduled, ${count(isLate)} as late,
      ${count(raw(`state = 'running'`))} as running, ${count(raw(`state = 'failed'`))} as failed,
      ${oldestReady(kinds)} as "oldestReady", (select run_at from jobs where ${isLate} order by run_at limit 1) as "oldestLate"`);
  if (!row) throw new Error('A select without a table has one row');
  const ages = [row.oldestReady, row.oldestLate].filter((runAt) => runAt !== null).map((runAt) => nowMs - Date.parse(runAt));
  return {
    waiting: row.ready + row.scheduled,
    due: row.ready + row.late,
    running: row.running,
    failed: row.failed,
    oldestDueAgeMs: Math.max(0, ...ages),
  };
}

const stillHeld = (held: Job) => sql`id = ${held.id} and state = 'running' and lease_owner = ${held.leaseOwner}`;

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
async function putBack(db: Queryable, held: Job, settlement: Return): Promise<boolean> {
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

async function keepFailed(db: Queryable, held: Job, settlement: Settlement): Promise<boolean> {
  const { attempts, lastError = null, nowMs } = settlement;
  const now = timestamp(nowMs);
  const touched = await db.run(sql`
    update jobs set state = 'failed', attempts = ${attempts}, last_error = ${lastError}, failed_at = ${now},
      lease_until = null, lease_owner = null, updated_at = ${now}
    where ${mayBeSettled(held, settlement)}`);
  return touched > 0;
}

/** The message alone: a stack or a cause could show what a handler had in its hands. PostgreSQL stores no NUL. */
export function messageOf(error: unknown): string {
  const message =
    error instanceof Error ? error.message || error.name : typeof error === 'string' ? error : 'Something was thrown that is not an error';
  return message.replaceAll('\0', '').slice(0, MOST_ERROR_CHARACTERS).toWellFormed();
}
