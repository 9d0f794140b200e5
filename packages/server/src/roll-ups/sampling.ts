/** How much there is at a time, looked at by one node every now and then, and only where it can have changed. */
import type { DocumentStatus } from '@commonplace/contract/documents';
import type { Clock } from '../clock.ts';
import type { Database, Queryable } from '../db/database.ts';
import { acrossWorkspaces, inWorkspace } from '../db/each-workspace.ts';
import { list, raw, type Sql, sql } from '../db/sql.ts';
import type { Queue } from '../db/waiting-workspaces.ts';
import { every, type JobHandler } from '../jobs/job-handler.ts';
import type { Log } from '../logging.ts';
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

export function sampleWorkspaces(db: Database, clock: Clock, countDocuments: CountDocuments, log: Log): JobHandler {
  return every(SAMPLED_EVERY_MS, async (_job, signal) => {
    await addUpPendingCounts(db, log, signal);
    const hour = hourOf(clock.nowMs());
    const documents = (workspaceId?: string) => sampleDocuments(db, countDocuments, hour, workspaceId, signal);
    await acrossWorkspaces(db, [changed('documents')], documents, log, signal);
    await acrossWorkspaces(db, whereJobsMayWait(hour), (workspaceId) => sampleJobs(db, hour, workspaceId), log, signal);
  });
}

function changed(metric: (typeof gaugeMetrics)[number]): Queue {
  return { table: 'pending_counts', condition: `q.metric = '${metric}'` };
}

function whereJobsMayWait(hour: number): Queue[] {
  const waitedBefore = `q.metric = 'jobsWaiting' and q.value > 0 and q.hour >= ${hour - 1}`;
  return [changed('jobsWaiting'), { table: 'jobs', condition: IS_WAITING }, { table: 'hourly_values', condition: waitedBefore }];
}

async function sampleDocuments(
  db: Database,
  countDocuments: CountDocuments,
  hour: number,
  workspaceId: string | undefined,
  signal: AbortSignal,
): Promise<void> {
  const changes = await findChanges(db, 'documents', workspaceId);
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
    await db.batch([
      ...dropChanges(
        some.flatMap(([, of]) => of),
        workspaceId,
      ),
      ...writeValues(values, 'replace'),
    ]);
  }
  if (changes.length === CHANGES_AT_ONCE) await sampleDocuments(db, countDocuments, hour, workspaceId, signal);
}

/** Workspaces that a node whose clock is ahead has sampled in the next hour already: that sample is the last, and has to be the true one. */
async function findSampledLater(db: Database, workspaceIds: readonly string[], hour: number): Promise<ReadonlySet<string>> {
  const found = await db.query(sql<{ workspaceId: string }>`
    select distinct workspace_id as "workspaceId" from hourly_values
    where workspace_id in ${list(workspaceIds)} and metric = 'documents' and hour = ${hour + 1}`);
  return new Set(found.map(({ workspaceId }) => workspaceId));
}

/** Of each hour the most that waited at a time: of what comes and goes within minutes the last would say nothing. */
async function sampleJobs(db: Database, hour: number, workspaceId: string | undefined): Promise<void> {
  const waiting = new Map((await countWaiting(db, workspaceId)).map((counted) => [counted.workspaceId, counted.total]));
  const changes = await findChanges(db, 'jobsWaiting', workspaceId);
  for (const other of [...changes, ...(await findWaitingBefore(db, hour, workspaceId))])
    if (!waiting.has(other.workspaceId)) waiting.set(other.workspaceId, 0);
  const held = new Map((await findSampled(db, hour, workspaceId)).map((sampled) => [sampled.workspaceId, sampled.value]));
  const values = [...waiting]
    .filter(([id, total]) => total > (held.get(id) ?? -1))
    .map(([id, value]): HourlyValue => ({ workspaceId: id, metric: 'jobsWaiting', hour, part: '', value }));
  const statements = [...dropChanges(changes, workspaceId), ...writeValues(values, 'keep-highest')];
  if (statements.length > 0) await db.batch(statements);
}

const IS_WAITING = `state in ('ready', 'scheduled') and workspace_id is not null`;

/** One pass over what waits, and none over what does not. */
async function countWaiting(db: Database, workspaceId: string | undefined): Promise<{ workspaceId: string; total: number }[]> {
  return db.query(sql<{ workspaceId: string; total: number }>`
    select workspace_id as "workspaceId", count(*) as total from jobs
    where ${inWorkspace(workspaceId)} and ${raw(IS_WAITING)} group by workspace_id`);
}

interface Change {
  readonly position: number;
  readonly workspaceId: string;
}

async function findChanges(db: Database, metric: (typeof gaugeMetrics)[number], workspaceId: string | undefined): Promise<Change[]> {
  return db.query(sql<Change>`
    select position, workspace_id as "workspaceId" from pending_counts
    where ${inWorkspace(workspaceId)} and metric = ${metric} order by position limit ${CHANGES_AT_ONCE}`);
}

function dropChanges(changes: readonly Change[], workspaceId: string | undefined): Sql[] {
  const statements: Sql[] = [];
  for (let start = 0; start < changes.length; start += POSITIONS_AT_ONCE) {
    const positions = changes.slice(start, start + POSITIONS_AT_ONCE).map(({ position }) => position);
    statements.push(sql`delete from pending_counts where ${inWorkspace(workspaceId)} and position in ${list(positions)}`);
  }
  return statements;
}

/** Where jobs waited in the last hours that were sampled: what they have now is said even if it is none. A clock may have been far ahead. */
async function findWaitingBefore(db: Database, hour: number, workspaceId: string | undefined): Promise<{ workspaceId: string }[]> {
  const isSample = sql`${inWorkspace(workspaceId)} and metric = 'jobsWaiting'`;
  return db.query(sql<{ workspaceId: string }>`
    select distinct workspace_id as "workspaceId" from hourly_values where ${isSample} and value > 0
      and hour >= (select max(hour) from hourly_values where ${isSample} and hour <= ${hour}) - 1`);
}

async function findSampled(db: Database, hour: number, workspaceId: string | undefined): Promise<{ workspaceId: string; value: number }[]> {
  return db.query(sql<{ workspaceId: string; value: number }>`
    select workspace_id as "workspaceId", value from hourly_values
    where ${inWorkspace(workspaceId)} and metric = 'jobsWaiting' and hour = ${hour}`);
}
