/** What happened in each workspace, hour by hour: the table that nodes add to, and what each of its metrics is made of. */
import type { Database } from '../db/database.ts';
import { deleteInSteps } from '../db/deletion.ts';
import { acrossWorkspaces, inWorkspace } from '../db/each-workspace.ts';
import { perEngine, raw, rows, type Sql, sql } from '../db/sql.ts';
import type { Log } from '../logging.ts';

export const HOUR_MS = 60 * 60 * 1000;
const KEPT_HOURS = 400 * 24;
const WRITTEN_AT_ONCE = 500;

/** What is added up: messages, memories by kind, calls by who calls, searches by bucket of the histogram of their times. */
export const summedMetrics = ['messages', 'memories', 'calls', 'searchLatency'] as const;
/** How much there is at a time: documents by status, jobs that wait. */
export const gaugeMetrics = ['documents', 'jobsWaiting'] as const;
export type StoredMetric = (typeof summedMetrics)[number] | (typeof gaugeMetrics)[number];

export interface HourlyValue {
  readonly workspaceId: string;
  readonly metric: StoredMetric;
  /** Since 1970, in UTC. */
  readonly hour: number;
  /** A kind, a status, a key, a bucket; empty where there is but one. */
  readonly part: string;
  readonly value: number;
}

export function hourOf(ms: number): number {
  return Math.floor(ms / HOUR_MS);
}

/** The hour of a row's `created_at`. */
export const hourOfCreation = perEngine({
  sqlite: 'unixepoch(created_at) / 3600',
  postgres: 'cast(floor(extract(epoch from created_at) / 3600) as integer)',
});

const onConflict = {
  add: 'value = hourly_values.value + excluded.value',
  replace: 'value = excluded.value',
  'keep-highest': 'value = case when excluded.value > hourly_values.value then excluded.value else hourly_values.value end',
} as const;

/** How a value goes together with the one that its hour has already. */
export type Combining = keyof typeof onConflict;

export const addToHour = raw(`on conflict (workspace_id, metric, hour, part) do update set ${onConflict.add}`);

// Values of a list have no type of their own in PostgreSQL. Its lock keeps a workspace until the values are in, so that deleting it finds them.
const workspaceOfValue = perEngine({ sqlite: 'w.id = v.column1', postgres: 'w.id = v.column1::uuid' });
const valueColumns = perEngine({
  sqlite: 'w.id, v.column2, v.column3, v.column4, v.column5',
  postgres: 'w.id, v.column2, v.column3::integer, v.column4, v.column5::bigint',
});
const holdWorkspaces = perEngine({ sqlite: '', postgres: ' for share of w' });

/** Each value once at most. Those of workspaces that are gone are left out. */
export function writeValues(values: readonly HourlyValue[], combining: Combining): Sql[] {
  // In one order everywhere, so that two nodes never wait for each other.
  const inOrder = [...values].sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
  const statements: Sql[] = [];
  for (let start = 0; start < inOrder.length; start += WRITTEN_AT_ONCE) {
    const some = inOrder.slice(start, start + WRITTEN_AT_ONCE);
    const params = some.map(({ workspaceId, metric, hour, part, value }) => [workspaceId, metric, hour, part, value]);
    statements.push(sql`
      insert into hourly_values (workspace_id, metric, hour, part, value)
      select ${valueColumns} from (values ${rows(params)}) v join workspaces w on ${workspaceOfValue}
      where 1 = 1 order by 1, 2, 3, 4${holdWorkspaces}
      on conflict (workspace_id, metric, hour, part) do update set ${raw(onConflict[combining])}`);
  }
  return statements;
}

function keyOf({ workspaceId, metric, hour, part }: HourlyValue): string {
  return `${workspaceId} ${metric} ${hour} ${part}`;
}

/** Of what there is at a time the last value stays, however old: it holds until there is another. */
export async function dropOldValues(db: Database, nowMs: number, log: Log, signal: AbortSignal): Promise<void> {
  const beforeHour = hourOf(nowMs) - KEPT_HOURS;
  const old = { table: 'hourly_values', condition: `q.hour < ${beforeHour}` };
  await acrossWorkspaces(db, [old], (workspaceId) => dropValuesBefore(db, beforeHour, workspaceId, signal), log, signal);
}

async function dropValuesBefore(db: Database, beforeHour: number, workspaceId: string | undefined, signal: AbortSignal): Promise<void> {
  const isOld = (metric: StoredMetric) => sql`${inWorkspace(workspaceId)} and metric = ${metric} and hour < ${beforeHour}`;
  const hasLater = sql`exists (
    select 1 from hourly_values later
    where later.workspace_id = hourly_values.workspace_id and later.metric = hourly_values.metric and later.hour > hourly_values.hour)`;
  const table = { table: 'hourly_values', key: 'workspace_id, metric, hour, part' };
  for (const metric of summedMetrics) await deleteInSteps(db, { ...table, condition: isOld(metric) }, signal);
  for (const metric of gaugeMetrics) await deleteInSteps(db, { ...table, condition: sql`${isOld(metric)} and ${hasLater}` }, signal);
}
