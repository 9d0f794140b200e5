/** Which workspaces have something in a queue, found by steps through its key, whatever the queue's length. */
import type { Database } from './database.ts';
import { DatabaseUnavailable } from './errors.ts';
import { asId, raw, sql } from './sql.ts';

/** Below all ids. */
export const FIRST_WORKSPACE_ID = '00000000-0000-0000-0000-000000000000';
/** On Citus: rows of the queue that are looked at in one statement. */
const ROWS_AT_ONCE = 256;

export interface Queue {
  readonly table: string;
  /** What of it waits; all where it is left out. */
  readonly condition?: string;
}

/** In the order of their ids, from the one after `afterWorkspaceId` on; fewer than the limit only where no more are there. */
export async function waitingWorkspaces(db: Database, queue: Queue, afterWorkspaceId: string, limit: number): Promise<string[]> {
  if (!db.isDistributed) return step(db, queue, afterWorkspaceId, limit);
  try {
    return await stepOverShards(db, queue, afterWorkspaceId, limit);
  } catch (error) {
    // One worker that is down would hold up the queues of all.
    if (error instanceof DatabaseUnavailable) return askShards(db, queue, afterWorkspaceId, limit);
    throw error;
  }
}

async function step(db: Database, { table, condition = '1 = 1' }: Queue, afterWorkspaceId: string, limit: number): Promise<string[]> {
  const next = (after: ReturnType<typeof sql>) => sql`
    select q.workspace_id from ${raw(table)} q where ${raw(condition)} and q.workspace_id > ${after} order by q.workspace_id limit 1`;
  const found = await db.query(sql<{ id: string }>`
    with recursive w (id) as (
      select * from (${next(asId(afterWorkspaceId))}) first
      union all
      select (${next(raw('w.id'))}) from w where w.id is not null)
    select id from w where id is not null limit ${limit}`);
  return found.map(({ id }) => id);
}

/** Citus knows no recursive query over all shards: a few rows at a time, and from the last workspace among them on. */
async function stepOverShards(
  db: Database,
  { table, condition = '1 = 1' }: Queue,
  afterWorkspaceId: string,
  limit: number,
): Promise<string[]> {
  const found = new Set<string>();
  let after = afterWorkspaceId;
  while (found.size < limit) {
    const some = await db.query(sql<{ id: string }>`
      select q.workspace_id as id from ${raw(table)} q where ${raw(condition)} and q.workspace_id > ${after}
      order by q.workspace_id limit ${ROWS_AT_ONCE}`);
    for (const { id } of some) found.add(id);
    if (some.length < ROWS_AT_ONCE) break;
    after = some.at(-1)?.id as string;
  }
  return [...found].slice(0, limit);
}

/** Those of the workers that answer. */
async function askShards(db: Database, { table, condition = '1 = 1' }: Queue, afterWorkspaceId: string, limit: number): Promise<string[]> {
  const command = `
    select coalesce(string_agg(w.id, ','), '') from (
      select distinct q.workspace_id::text as id from %s q where ${condition} and q.workspace_id > '${afterWorkspaceId}' order by 1 limit ${limit}) w`;
  const answers = await db.query(sql<{ ids: string }>`
    select result as ids from run_command_on_shards(${table}, ${command}) where success and result <> ''`);
  const ids = answers.flatMap(({ ids: some }) => some.split(','));
  return ids.toSorted().slice(0, limit);
}
