/** Items that were edited or deleted: what they said may not stay in a segment. */
import { timestamp } from '../../clock.ts';
import type { Queryable } from '../../db/database.ts';
import { deleteInSteps } from '../../db/deletion.ts';
import { asId, list, perEngine, raw, rows, type Sql, sql } from '../../db/sql.ts';
import type { Queue } from '../../db/waiting-workspaces.ts';
import type { ItemKind } from './store.ts';

/** In the place of an id: all items of a session or document. */
export const WHOLE_THREAD = '';

const FOR_GOOD = '9007199254740991';

const databaseNow = perEngine({ sqlite: `strftime('%Y-%m-%dT%H:%M:%fZ', 'now')`, postgres: 'now()' });

const counted: Readonly<Record<string, Sql>> = { message: raw('s.message_edits'), memory: raw('s.memory_edits') };

/** The statement that goes with editing or deleting items of a session, behind the one that counts the edit. */
export function noteChangedItems(place: { workspaceId: string; kind: string; scopeId: string }, itemIds: readonly string[]): Sql {
  return sql`
    insert into changed_items (workspace_id, kind, scope_id, edits, item_id, changed_at)
    select s.workspace_id, ${place.kind}, s.id, ${counted[place.kind] as Sql}, changed.column1, ${databaseNow}
    from (values ${rows(itemIds.map((id) => [id]))}) changed cross join sessions s
    where s.workspace_id = ${place.workspaceId} and s.id = ${place.scopeId}
    on conflict (workspace_id, kind, scope_id, edits, item_id) do nothing`;
}

/** All that some documents or sessions had: `threads` selects their `id`, and as `edits` the last number that they counted. */
export function noteChangedThreads(workspaceId: string, kind: ItemKind, threads: Sql): Sql {
  return sql`
    insert into changed_items (workspace_id, kind, scope_id, edits, item_id, changed_at)
    select ${asId(workspaceId)}, ${kind}, gone.id, gone.edits, ${WHOLE_THREAD}, ${databaseNow} from (${threads}) gone where gone.id is not null
    on conflict (workspace_id, kind, scope_id, edits, item_id) do update
    set is_cleared = false, changed_at = excluded.changed_at, saves = changed_items.saves + 1`;
}

/** Those that a comparison found, and that are not written down already. */
export function insertFoundChanges(
  { workspaceId, kind, scopeId }: { workspaceId: string; kind: ItemKind; scopeId: string },
  edits: number,
  itemIds: readonly string[],
  nowMs: number,
): Sql {
  return sql`
    insert into changed_items (workspace_id, kind, scope_id, edits, item_id, changed_at, is_found)
    values ${rows(itemIds.map((itemId) => [workspaceId, kind, scopeId, edits, itemId, timestamp(nowMs), true]))}
    on conflict (workspace_id, kind, scope_id, edits, item_id) do nothing`;
}

/** A session or document that does not come back: above all that it may have counted. */
export function goneForGood(id: string): Sql {
  return sql`select ${asId(id)} as id, ${raw(FOR_GOOD)} as edits`;
}

const goneSince = (workspaceId: string, kind: ItemKind, sinceMs: number) => sql`
  from changed_items where workspace_id = ${workspaceId} and kind = ${kind} and changed_at >= ${timestamp(sinceMs)} and edits = ${raw(FOR_GOOD)}`;

/** Sessions or documents that do not come back and that went lately. */
export async function threadsGoneSince(db: Queryable, workspaceId: string, kind: ItemKind, sinceMs: number): Promise<Set<string>> {
  const found = await db.query(sql<{ id: string }>`select scope_id as id ${goneSince(workspaceId, kind, sinceMs)}`);
  return new Set(found.map(({ id }) => id));
}

export function countGoneSince(workspaceId: string, kind: ItemKind, sinceMs: number): Sql {
  return sql`select count(*) as total ${goneSince(workspaceId, kind, sinceMs)}`;
}

/** Whether it was noted by `goneForGood`. */
export function isForGood({ edits }: ChangedItem): boolean {
  return edits >= Number(FOR_GOOD);
}

export interface ChangedItem {
  readonly kind: ItemKind;
  readonly scopeId: string;
  readonly edits: number;
  readonly itemId: string;
  readonly saves: number;
}

/** Something was saved whose state may be from before them. Whoever is clearing them has not seen it. */
export function reopenChanges(workspaceId: string, kind: ItemKind, sinceMs: number): Sql {
  return sql`update changed_items set is_cleared = ${false}, saves = saves + 1
    where workspace_id = ${workspaceId} and kind = ${kind} and changed_at >= ${timestamp(sinceMs)}`;
}

/** Those that are in a segment still, as far as anybody knows. */
export const WAITING_CHANGES: Queue = { table: 'changed_items', condition: 'not q.is_cleared' };

export async function itemsToClear(db: Queryable, workspaceId: string, limit: number): Promise<ChangedItem[]> {
  return db.query(sql<ChangedItem>`
    select kind, scope_id as "scopeId", edits, item_id as "itemId", saves from changed_items
    where workspace_id = ${workspaceId} and not is_cleared limit ${limit}`);
}

/** But for those that a save may have brought back since they were read. */
export async function noteCleared(db: Queryable, workspaceId: string, items: readonly ChangedItem[]): Promise<void> {
  for (const [, some] of Map.groupBy(items, ({ kind, scopeId, edits, saves }) => `${kind} ${scopeId} ${edits} ${saves}`)) {
    const { kind, scopeId, edits, saves } = some[0] as ChangedItem;
    await db.run(sql`
      update changed_items set is_cleared = ${true}
      where workspace_id = ${workspaceId} and kind = ${kind} and scope_id = ${scopeId} and edits = ${edits}
        and saves = ${saves} and item_id in ${list(some.map(({ itemId }) => itemId))}`);
  }
}

const MOST_CHANGES = 500;

/** What changed in a session between two numbers of its edits, where all of the numbers are there and it is not too much. */
export async function changesBetween(
  db: Queryable,
  place: { workspaceId: string; kind: ItemKind; scopeId: string },
  afterMark: string,
  upToMark: string,
): Promise<string[] | undefined> {
  const [after, upTo] = [Number.parseInt(afterMark, 10), Number.parseInt(upToMark, 10)];
  if (!(upTo > after) || upTo - after > MOST_CHANGES) return undefined;
  const found = await db.query(sql<{ edits: number; itemId: string }>`
    select edits, item_id as "itemId" from changed_items
    where workspace_id = ${place.workspaceId} and kind = ${place.kind} and scope_id = ${place.scopeId}
      and edits > ${after} and edits <= ${upTo} and not is_found limit ${MOST_CHANGES + 1}`);
  const ids = new Set(found.map(({ itemId }) => itemId));
  const numbers = new Set(found.map(({ edits }) => edits));
  return found.length > MOST_CHANGES || numbers.size < upTo - after || ids.has(WHOLE_THREAD) ? undefined : [...ids];
}

/** Those that nobody needs who is not days behind. */
export async function dropOldChanges(db: Queryable, workspaceId: string, beforeMs: number, signal: AbortSignal): Promise<void> {
  const condition = sql`workspace_id = ${workspaceId} and is_cleared = ${true} and changed_at < ${timestamp(beforeMs)}`;
  await deleteInSteps(db, { table: 'changed_items', key: 'kind, scope_id, edits, item_id', condition }, signal);
}
