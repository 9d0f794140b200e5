/** What runs now, on whatever node: a few jobs at a time. */
import type { Queryable } from '../db/database.ts';
import { shape } from '../db/shape.ts';
import { list, raw, type Sql, sql } from '../db/sql.ts';

export interface QueuedJob {
  readonly kind: string;
  readonly key: string;
  readonly attempts: number;
  readonly lastError: string | null;
  readonly runAt: string;
  readonly createdAt: string;
  /** Of one that runs, when it was taken up. */
  readonly updatedAt: string;
}

const queuedJob = shape<QueuedJob>({
  kind: 'text',
  key: 'text',
  attempts: 'integer',
  lastError: 'text',
  runAt: 'time',
  createdAt: 'time',
  updatedAt: 'time',
});

export interface RunningWork {
  /** By the document or session that they are for. */
  readonly indexing: ReadonlyMap<string, QueuedJob>;
  readonly regeneration: ReadonlyMap<string, QueuedJob>;
  /** The sessions whose turn it is. */
  readonly extraction: readonly string[];
}

export async function findRunning(db: Queryable, workspaceId: string): Promise<RunningWork> {
  // By the lane and not the workspace: the index of what runs is short, and no other will do.
  const jobs = await db.query(sql<QueuedJob>`
    select ${queuedJob} from jobs
    where state = 'running' and key is not null and kind in ('index-document', 'extract-memories', 'regenerate-memories') and lane = ${workspaceId}`);
  const byKey = (kind: string) => new Map(jobs.filter((job) => job.kind === kind).map((job) => [job.key, job]));
  const turn = byKey('extract-memories').get(workspaceId);
  const sessions = turn
    ? await db.query(sql<{ id: string }>`
        select session_id as id from extraction_states
        where workspace_id = ${workspaceId} and started_at is not null and started_at >= ${turn.updatedAt}`)
    : [];
  return { indexing: byKey('index-document'), regeneration: byKey('regenerate-memories'), extraction: sessions.map(({ id }) => id) };
}

/** The jobs that wait, by their keys. */
export async function findWaitingJobs(db: Queryable, kind: string, keys: readonly string[]): Promise<Map<string, QueuedJob>> {
  const jobs = await db.query(sql<QueuedJob>`
    select ${queuedJob} from jobs where kind = ${kind} and key in ${list(keys)} and state in ('scheduled', 'ready') and key is not null`);
  return new Map(jobs.map((job) => [job.key, job]));
}

export function isIn(column: string, ids: readonly string[]): Sql {
  return ids.length > 0 ? sql`${raw(column)} in ${list(ids)}` : raw('1 = 0');
}

export function isNotIn(column: string, ids: readonly string[]): Sql {
  return ids.length > 0 ? sql`${raw(column)} not in ${list(ids)}` : raw('1 = 1');
}
