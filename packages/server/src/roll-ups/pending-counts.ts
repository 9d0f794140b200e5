/** Counts that are written with what they count, and added up later: exact, and no transaction waits for the count of another. */
import { timestamp } from '../clock.ts';
import type { Database } from '../db/database.ts';
import { forEachWorkspace } from '../db/each-workspace.ts';
import { list, raw, rows, type Sql, sql } from '../db/sql.ts';
import type { Log } from '../logging.ts';
import type { NewMessageQueue } from '../outbox/distribution.ts';
import {
  addToHour,
  type gaugeMetrics,
  type HourlyValue,
  hourOf,
  hourOfCreation,
  type StoredMetric,
  summedMetrics,
  writeValues,
} from './hourly-values.ts';

const ADDED_UP_AT_ONCE = 1_000;

/** The statement that goes with writing what is counted. */
export function recordCounts(
  workspaceId: string,
  metric: (typeof summedMetrics)[number],
  counts: ReadonlyMap<string, number>,
  nowMs: number,
): Sql {
  return insertPending([...counts].map(([part, count]) => [workspaceId, metric, part, count, timestamp(nowMs)]));
}

/** The statement that goes with a change of how much there is: it is counted again. */
export function recordChange(workspaceId: string, metrics: readonly (typeof gaugeMetrics)[number][], nowMs: number): Sql {
  return insertPending(metrics.map((metric) => [workspaceId, metric, '', 0, timestamp(nowMs)]));
}

function insertPending(values: (string | number)[][]): Sql {
  return sql`insert into pending_counts (workspace_id, metric, part, value, created_at) values ${rows(values)}`;
}

/** New messages are counted as they are distributed, each once: it is then that they leave the table where they wait. */
export const countNewMessages: NewMessageQueue = (messages) => sql`
  insert into hourly_values (workspace_id, metric, hour, part, value)
  select workspace_id, 'messages', ${hourOfCreation}, '', count(*) from ${messages} where 1 = 1
  group by 1, 3 order by 1, 3 ${addToHour}`;

const IS_SUMMED = `metric in (${summedMetrics.map((metric) => `'${metric}'`).join(', ')})`;

/** Adds up what waits at the moment. */
export async function addUpPendingCounts(db: Database, log: Log, signal: AbortSignal): Promise<void> {
  if (!db.isDistributed) return addUpAmong(db, raw(IS_SUMMED), signal);
  // A transaction for each, which stays on the machine that has the workspace.
  const addUp = (workspaceId: string) => addUpAmong(db, sql`workspace_id = ${workspaceId} and ${raw(IS_SUMMED)}`, signal);
  await forEachWorkspace(db, { table: 'pending_counts', condition: IS_SUMMED }, addUp, log, signal);
}

async function addUpAmong(db: Database, among: Sql, signal: AbortSignal): Promise<void> {
  let taken: number;
  do {
    signal.throwIfAborted();
    // Most often there is nothing, and nobody has to be kept from writing to learn that.
    const waiting = await db.query(sql<{ position: number }>`
      select position from pending_counts where ${among} order by position limit ${ADDED_UP_AT_ONCE}`);
    if (waiting.length === 0) return;
    taken = await db.transaction(async (tx) => {
      // Whoever deletes a row adds it: of two nodes that see it, one does.
      const deleted = await tx.query(sql<Pending>`
        delete from pending_counts where ${among} and position in ${list(waiting.map(({ position }) => position))}
        returning workspace_id as "workspaceId", metric, part, value, created_at as "createdAt"`);
      if (deleted.length > 0) await tx.batch(writeValues(sumByHour(deleted), 'add'));
      return waiting.length;
    });
  } while (taken === ADDED_UP_AT_ONCE);
}

interface Pending {
  readonly workspaceId: string;
  readonly metric: StoredMetric;
  readonly part: string;
  readonly value: number;
  readonly createdAt: string;
}

function sumByHour(pending: readonly Pending[]): HourlyValue[] {
  const sums = new Map<string, HourlyValue>();
  for (const { workspaceId, metric, part, value, createdAt } of pending) {
    const hour = hourOf(Date.parse(createdAt));
    const key = `${workspaceId} ${metric} ${hour} ${part}`;
    sums.set(key, { workspaceId, metric, hour, part, value: value + (sums.get(key)?.value ?? 0) });
  }
  return [...sums.values()];
}
