/** How many jobs wait, run and failed, for the metrics. */
import { timestamp } from '../clock.ts';
import type { Queryable } from '../db/database.ts';
import { raw, type Sql, sql } from '../db/sql.ts';
import { oldestReady } from './picking.ts';

const MOST_COUNTED = 100_000;

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
