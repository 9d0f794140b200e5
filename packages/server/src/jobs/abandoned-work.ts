/** Work that was begun and that no job will come back to: its job was given up, or lost. */
import type { Queryable } from '../db/database.ts';
import { list, sql } from '../db/sql.ts';

/** As many as are looked at in one go; the others have their turn the next time. */
export const MOST_LOOKED_AT = 10_000;
const KEYS_AT_ONCE = 1_000;

interface Begun {
  readonly workspaceId: string;
  /** The key of its job. */
  readonly key: string;
  readonly begunAt: string;
}

interface JobOfWork {
  readonly key: string;
  readonly failedAt: string | null;
  readonly lastError: string | null;
}

/** Those without a job, each with the reason why its last one was given up, if it was. Jobs are on another machine than tenants, on Citus. */
export async function findAbandoned<Work extends Begun>(
  db: Queryable,
  kind: string,
  begun: readonly Work[],
): Promise<(Work & { reason: string | null })[]> {
  const abandoned: (Work & { reason: string | null })[] = [];
  for (let start = 0; start < begun.length; start += KEYS_AT_ONCE) {
    const some = begun.slice(start, start + KEYS_AT_ONCE);
    const jobs = await db.query(sql<JobOfWork>`
      select key, failed_at as "failedAt", last_error as "lastError" from jobs
      where workspace_id in ${list([...new Set(some.map(({ workspaceId }) => workspaceId))])} and kind = ${kind}
        and key in ${list(some.map(({ key }) => key))} order by failed_at`);
    const jobsOf = Map.groupBy(jobs, ({ key }) => key);
    for (const work of some) {
      const own = jobsOf.get(work.key) ?? [];
      if (own.some(({ failedAt }) => failedAt === null)) continue;
      const last = own.findLast(({ failedAt }) => failedAt !== null && failedAt >= work.begunAt);
      abandoned.push({ ...work, reason: last?.lastError ?? null });
    }
  }
  return abandoned;
}
