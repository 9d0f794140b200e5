import {
  type Job,
  type JobCounts,
  type JobKind,
  type JobQuery,
  type JobStatus,
  type Jobs,
  MOST_JOBS_COUNTED,
  MOST_JOBS_PASSED_OVER,
} from '@commonplace/contract/jobs';
import type { Actor } from '../auth/callers.ts';
import { timestamp } from '../clock.ts';
import type { Queryable, Transactable } from '../db/database.ts';
import { join, raw, sql } from '../db/sql.ts';
import { conflict, invalid, notFound } from '../errors.ts';
import { embeddingWork } from './embedding-work.ts';
import { extractionWork } from './extraction-work.ts';
import { indexingWork } from './indexing-work.ts';
import { regenerationWork } from './regeneration-work.ts';
import { comesLater, compare, cursorOf, type JobPosition, jobIdOf, placeOf, positionFrom, statuses } from './rules.ts';
import { findRunning } from './running.ts';
import type { Work, WorkPlace, WorkSource } from './work-source.ts';

const sources: readonly WorkSource[] = [indexingWork, extractionWork, regenerationWork, embeddingWork];

/** What failed, runs and waits, in this order. Each kind is read by an index and no further than the page. */
export async function listJobs(db: Queryable, place: WorkPlace, query: JobQuery): Promise<Jobs> {
  const { limit, offset, kind, status } = query;
  if (offset > MOST_JOBS_PASSED_OVER) throw invalid('offset', `Offset must not exceed ${MOST_JOBS_PASSED_OVER}; a cursor goes further`);
  const after = query.cursor ? positionFrom(query.cursor) : undefined;
  const work = { ...place, running: await findRunning(db, place.workspaceId) };
  const asked = sources.filter((source) => kind === undefined || source.kind === kind);
  const shown = status === undefined ? statuses : [status];
  const [counts, found] = await Promise.all([
    countJobs(db, work, asked),
    // One more than asked for tells whether there is a next page.
    findPositions(db, work, asked, shown, after, offset + limit + 1),
  ]);
  const page = found.slice(offset, offset + limit);
  const last = page.at(-1);
  const cursor = found.length > offset + limit && last ? cursorOf(last) : undefined;
  const total = shown.reduce((sum, one) => sum + counts[one], 0);
  return { jobs: await describe(db, work, page), counts, _meta: { limit, offset, total, ...(cursor !== undefined && { cursor }) } };
}

/** What failed waits again. Of two at once, the second finds nothing that failed. */
export async function retryJob(db: Transactable, by: Actor, place: WorkPlace, jobId: string, nowMs: number): Promise<Job> {
  const named = placeOf(jobId);
  const source = sources.find(({ kind }) => kind === named?.kind);
  if (!named || !source) throw notFound('Job');
  const work = { ...place, running: await findRunning(db, place.workspaceId) };
  const job = await findJob(db, work, source, named.subjectId);
  if (!job) throw notFound('Job');
  if (job.status !== 'failed') throw conflict('The job has not failed');
  await source.retry(db, by, place, job.subject, nowMs);
  const { error: _, ...rest } = job;
  const now = timestamp(nowMs);
  return { ...rest, status: 'waiting', attempts: 0, runAt: now, createdAt: now, updatedAt: now };
}

async function findJob(db: Queryable, work: Work, source: WorkSource, subjectId: string): Promise<Job | undefined> {
  for (const status of statuses) {
    const ids = source.ids(work, status, { after: subjectId, isIncluded: true, limit: 1 });
    const [first] = ids ? await db.query(ids) : [];
    if (first?.id !== subjectId) continue;
    const [job] = await describe(db, work, [{ status, kind: source.kind, subjectId }]);
    if (job) return job;
  }
  return undefined;
}

/** The first of the list after a position. */
async function findPositions(
  db: Queryable,
  work: Work,
  asked: readonly WorkSource[],
  shown: readonly JobStatus[],
  after: JobPosition | undefined,
  limit: number,
): Promise<JobPosition[]> {
  const positions: JobPosition[] = [];
  for (const status of shown) {
    if (after && statuses.indexOf(status) < statuses.indexOf(after.status)) continue;
    if (positions.length >= limit) break;
    const from = after?.status === status ? after : undefined;
    const found = await Promise.all(
      asked.map(async (source) => {
        const isIncluded = from !== undefined && comesLater(source.kind, from);
        const ids = source.ids(work, status, { after: from?.subjectId, isIncluded, limit: limit - positions.length });
        const rows = ids ? await db.query(ids) : [];
        return rows.map(({ id }): JobPosition => ({ status, kind: source.kind, subjectId: id }));
      }),
    );
    positions.push(...found.flat().sort((one, other) => compare(status, one, other)));
  }
  return positions.slice(0, limit);
}

/** In the order of the positions, without those that are gone since. */
async function describe(db: Queryable, work: Work, positions: readonly JobPosition[]): Promise<Job[]> {
  const groups = [...Map.groupBy(positions, ({ status, kind }) => `${status} ${kind}`).values()];
  const described = await Promise.all(
    groups.map(async (group) => {
      const { status, kind } = group[0] as JobPosition;
      const source = sources.find((one) => one.kind === kind) as WorkSource;
      const found = await source.describe(
        db,
        work,
        status,
        group.map(({ subjectId }) => subjectId),
      );
      return found.map((job): Job => ({ id: jobIdOf({ kind, subjectId: job.subject.id }), kind, status, ...job }));
    }),
  );
  const jobs = new Map(described.flat().map((job) => [job.id, job]));
  return positions.flatMap((position) => jobs.get(jobIdOf(position)) ?? []);
}

async function countJobs(db: Queryable, work: Work, asked: readonly WorkSource[]): Promise<JobCounts> {
  const span = { after: undefined, isIncluded: false, limit: MOST_JOBS_COUNTED + 1 };
  const counted = asked.flatMap(({ kind, ids }) =>
    statuses.flatMap((status) => {
      const found = ids(work, status, span);
      return found ? [{ kind, status, count: sql`(select count(*) from (${found}) counted) as ${raw(`"${nameOf(kind, status)}"`)}` }] : [];
    }),
  );
  const row = await db.one(
    sql<Record<string, number>>`select ${join(
      counted.map(({ count }) => count),
      ', ',
    )}`,
  );
  const counts = { waiting: 0, running: 0, failed: 0, capped: false };
  for (const { kind, status } of counted) {
    const count = row[nameOf(kind, status)] ?? 0;
    counts[status] += Math.min(count, MOST_JOBS_COUNTED);
    counts.capped ||= count > MOST_JOBS_COUNTED;
  }
  return counts;
}

function nameOf(kind: JobKind, status: JobStatus): string {
  return `${kind} ${status}`;
}
