/** Leases of jobs that run: renewed by whoever runs them, and taken back from whoever is gone. All nodes go by the database's clock. */
import { timestamp } from '../clock.ts';
import type { Queryable } from '../db/database.ts';
import { list, sql } from '../db/sql.ts';
import { type Job, jobColumns } from './queue.ts';
import { type Failed, keepFailed, putBack, stillHeld } from './settling.ts';

const MOST_LAPSED = 100;

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
    select ${jobColumns} from jobs where state = 'running' and lease_until <= ${timestamp(nowMs)} and kind in ${list(kinds)}
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
