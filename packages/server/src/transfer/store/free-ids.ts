/** Under which id something is brought in: one that it has here already, or the first that is free. */
import type { Queryable } from '../../db/database.ts';
import { list, raw, type Sql, sql } from '../../db/sql.ts';
import { conflict } from '../../errors.ts';
import { WHOLE_THREAD } from '../../search/segments/changed-items.ts';

export type IdentifiedTable = 'agents' | 'prompts' | 'documents' | 'sessions';

/** The first of them that is there. */
export async function findThere(
  db: Queryable,
  table: IdentifiedTable,
  workspaceId: string,
  candidates: readonly string[],
): Promise<string | undefined> {
  const found = await db.query(sql<{ id: string }>`
    select id from ${raw(table)} where workspace_id = ${workspaceId} and id in ${list(candidates)}`);
  const ids = new Set(found.map(({ id }) => id));
  return candidates.find((id) => ids.has(id));
}

/** What was deleted here is on its way out still, or is told by its id from what search indexes hold: such an id is not given again. */
export async function findFree(db: Queryable, table: IdentifiedTable, workspaceId: string, candidates: readonly string[]): Promise<string> {
  const taken = new Set<string>();
  for (const statement of takenIds[table](workspaceId, candidates))
    for (const { id } of await db.query(statement)) taken.add(id.slice(-36));
  const free = candidates.find((id) => !taken.has(id));
  if (free === undefined) throw conflict('It was deleted here too often to be brought in again');
  return free;
}

type TakenIds = (workspaceId: string, candidates: readonly string[]) => Sql<{ id: string }>[];

const beingPurged =
  (kind: string): TakenIds =>
  (workspaceId, candidates) => [
    sql<{ id: string }>`select key as id from jobs where workspace_id = ${workspaceId} and kind = ${kind}
      and key in ${list([...candidates, ...candidates.map((id) => `${workspaceId} ${id}`)])}`,
  ];

const goneFromSearch =
  (...kinds: readonly string[]): TakenIds =>
  (workspaceId, candidates) => [
    sql<{ id: string }>`select distinct scope_id as id from changed_items
      where workspace_id = ${workspaceId} and kind in ${list(kinds)} and scope_id in ${list(candidates)} and item_id = ${WHOLE_THREAD}`,
  ];

const takenIds: Record<IdentifiedTable, TakenIds> = {
  agents: beingPurged('purge-agent'),
  prompts: () => [],
  documents: goneFromSearch('chunk'),
  sessions: (...given) => [...beingPurged('purge-session')(...given), ...goneFromSearch('message', 'memory')(...given)],
};
