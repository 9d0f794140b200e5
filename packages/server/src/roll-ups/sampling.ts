/** How much there is at a time, looked at by one node every now and then, and only where it can have changed. */
import type { DocumentStatus } from '@commonplace/contract/documents';
import type { Clock } from '../clock.ts';
import type { Database, Queryable } from '../db/database.ts';
import { list, type Sql, sql } from '../db/sql.ts';
import { every, type JobHandler } from '../jobs/job-handler.ts';
import { type gaugeMetrics, type HourlyValue, hourOf, writeValues } from './hourly-values.ts';
import { addUpPendingCounts } from './pending-counts.ts';

const SAMPLED_EVERY_MS = 30_000;
/** Of more than these, the documents of a workspace are counted several times. */
const CHANGES_AT_ONCE = 100_000;
const WORKSPACES_AT_ONCE = 100;
/** A statement takes no more than some thousands of parameters. */
const POSITIONS_AT_ONCE = 1_000;

export interface DocumentCount {
  readonly workspaceId: string;
  readonly status: DocumentStatus;
  readonly total: number;
}

/** Of every workspace that is named: each status, zero where there is none. */
export type CountDocuments = (db: Queryable, workspaceIds: readonly string[]) => Promise<DocumentCount[]>;

export function sampleWorkspaces(db: Database, clock: Clock, countDocuments: CountDocuments): JobHandler {
  return every(SAMPLED_EVERY_MS, async (_job, signal) => {
    await addUpPendingCounts(db, signal);
    await sampleDocuments(db, countDocuments, hourOf(clock.nowMs()), signal);
    await sampleJobs(db, hourOf(clock.nowMs()));
  });
}

async function sampleDocuments(db: Database, countDocuments: CountDocuments, hour: number, signal: AbortSignal): Promise<void> {
  const changes = await findChanges(db, 'documents');
  const byWorkspace = [...Map.groupBy(changes, ({ workspaceId }) => workspaceId)];
  for (let start = 0; start < byWorkspace.length; start += WORKSPACES_AT_ONCE) {
    signal.throwIfAborted();
    const some = byWorkspace.slice(start, start + WORKSPACES_AT_ONCE);
    const counts = await countDocuments(
      db,
      some.map(([workspaceId]) => workspaceId),
    );
    const isSampledLater = await findSampledLater(
      db,
      some.map(([workspaceId]) => workspaceId),
      hour,
    );
    const values = counts.map(({ workspaceId, status, total }) => ({
      workspaceId,
      metric: 'documents' as const,
      hour: isSampledLater.has(workspaceId) ? hour + 1 : hour,
      part: status,
      value: total,
    }));
    // What changed since the count was recorded after it, and stays.
    await db.batch([...dropChanges(some.flatMap(([, of]) => of)), ...writeValues(values, 'replace')]);
  }
  if (changes.length === CHANGES_AT_ONCE) await sampleDocuments(db, countDocuments, hour, signal);
}

/** Workspaces that a node whose clock is ahead has sampled in the next hour already: that sample is the last, and has to be the true one. */
async function findSampledLater(db: Database, workspaceIds: readonly string[], hour: number): Promise<ReadonlySet<string>> {
  const found = await db.query(sql<{ workspaceId: string }>`
    select distinct workspace_id as "workspaceId" from hourly_values
    where workspace_id in ${list(workspaceIds)} and metric = 'documents' and hour = ${hour + 1}`);
  return new Set(found.map(({ workspaceId }) => workspaceId));
}

/** Of each hour the most that waited at a time: of what comes and goes within minutes the last would say nothing. */
async function sampleJobs(db: Database, hour: number): Promise<void> {
  const waiting = new Map((await countWaiting(db)).map(({ workspaceId, total }) => [workspaceId, total]));
  const changes = await findChanges(db, 'jobsWaiting');
  for (const { workspaceId } of [...changes, ...(await findWaitingBefore(db, hour))])
    if (!waiting.has(workspaceId)) waiting.set(workspaceId, 0);
  const held = new Map((await findSampled(db, hour)).map(({ workspaceId, value }) => [workspaceId, value]));
  const values = [...waiting]
    .filter(([workspaceId, total]) => total > (held.get(workspaceId) ?? -1))
    .map(([workspaceId, value]): HourlyValue => ({ workspaceId, metric: 'jobsWaiting', hour, part: '', value }));
  const statements = [...dropChanges(changes), ...writeValues(values, 'keep-highest')];
  if (statements.length > 0) await db.batch(statements);
}

/** One pass over what waits, and none over what does not. */
async function countWaiting(db: Database): Promise<{ workspaceId: string; total: number }[]> {
  return db.query(sql<{ workspaceId: string; total: number }>`
    select workspace_id as "workspaceId", count(*) as total from jobs
    where state in ('ready', 'scheduled') and workspace_id is not null group by workspace_id`);
}

interface Change {
  readonly position: number;
  readonly workspaceId: string;
}

async function findChanges(db: Database, metric: (typeof gaugeMetrics)[number]): Promise<Change[]> {
  return db.query(sql<Change>`
    select position, workspace_id as "workspaceId" from pending_counts where metric = ${metric} order by position limit ${CHANGES_AT_ONCE}`);
}

function dropChanges(changes: readonly Change[]): Sql[] {
  const statements: Sql[] = [];
  for (let start = 0; start < changes.length; start += POSITIONS_AT_ONCE) {
    const positions = changes.slice(start, start + POSITIONS_AT_ONCE).map(({ position }) => position);
    statements.push(sql`delete from pending_counts where position in ${list(positions)}`);
  }
  return statements;
}

/** Where jobs waited in the last hours that were sampled: what they have now is said even if it is none. A clock may have been far ahead. */
async function findWaitingBefore(db: Database, hour: number): Promise<{ workspaceId: string }[]> {
  return db.query(sql<{ workspaceId: string }>`
    select distinct workspace_id as "workspaceId" from hourly_values where metric = 'jobsWaiting' and value > 0
      and hour >= (select max(hour) from hourly_values where metric = 'jobsWaiting' and hour <= ${hour}) - 1`);
}

async function findSampled(db: Database, hour: number): Promise<{ workspaceId: string; value: number }[]> {
  return db.query(sql<{ workspaceId: string; value: number }>`
    select workspace_id as "workspaceId", value from hourly_values where metric = 'jobsWaiting' and hour = ${hour}`);
}
