/** The queue of jobs: one table, and the statements that put a job in and take it up. */
import { timestamp } from '../clock.ts';
import type { Queryable } from '../db/database.ts';
import { newId } from '../db/ids.ts';
import { shape } from '../db/shape.ts';
import { json, nothing, raw, type Sql, sql } from '../db/sql.ts';
import { type ClaimedKind, idIn, leaseUntil, nothingAhead, pickedIds, skipLocked } from './picking.ts';

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

export const jobColumns = shape<Job>({
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
const MOST_ERROR_CHARACTERS = 2_000;
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

/**
 * Drops the job that waits with this key, and with it the attempts that it has used up. One that runs goes on. Of a workspace where one is
 * named: what was brought in may have an id that is in use elsewhere.
 */
export function dropWaiting(kind: string, key: string, workspaceId?: string): Sql {
  const own = workspaceId === undefined ? nothing : sql`and workspace_id = ${workspaceId}`;
  return sql`delete from jobs where kind = ${kind} and key = ${key} and state in ('scheduled', 'ready') ${own}`;
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
      returning ${jobColumns}`,
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

/** Failed jobs are kept for people to see, though not for ever. */
export async function dropFailedJobs(db: Queryable, beforeMs: number): Promise<number> {
  return db.run(sql`
    delete from jobs where ${idIn(sql`
      select id from jobs where state = 'failed' and failed_at < ${timestamp(beforeMs)} order by failed_at limit ${MOST_DROPPED}`)}`);
}

/** The message alone: a stack or a cause could show what a handler had in its hands. PostgreSQL stores no NUL. */
export function messageOf(error: unknown): string {
  const message =
    error instanceof Error ? error.message || error.name : typeof error === 'string' ? error : 'Something was thrown that is not an error';
  return message.replaceAll('\0', '').slice(0, MOST_ERROR_CHARACTERS).toWellFormed();
}
