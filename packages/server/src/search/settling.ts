/** What came of queued items: their vectors, or why there are none, stored in groups with taking them off the queue. */
import { timestamp } from '../clock.ts';
import type { Database, Queryable } from '../db/database.ts';
import { type Param, perEngine, rows, type Sql, sql } from '../db/sql.ts';
import { insertRefusedTexts, insertVectors, orReplaceRefusal, orReplaceVector, type QueuedItem, type StoredVector } from './vectors.ts';

/** Of one workspace. */
export interface SettledItems {
  readonly workspaceId: string;
  readonly model: string;
  readonly vectors: readonly (StoredVector & { readonly item: QueuedItem })[];
  /** Set aside alone: found by their words until they are edited or the model changes. */
  readonly refused: readonly { readonly item: QueuedItem; readonly reason: string }[];
  /** Their texts are no more. */
  readonly gone: readonly QueuedItem[];
}

/**
 * All in one step, but for those that were edited or deleted since they were queued: what was made is of a text that is no more, and they stay as
 * they are. Gives the ids of the others.
 */
export async function settleQueued(db: Database, settled: SettledItems, nowMs: number): Promise<Set<string>> {
  const items = [...settled.vectors, ...settled.refused].map(({ item }) => item).concat(settled.gone);
  if (items.length === 0) return new Set();
  return db.engine === 'sqlite' ? settleInBatch(db, settled, items, nowMs) : settleInTransaction(db, settled, items, nowMs);
}

const placeOf = ({ kind, scopeId, itemId, queuedAt }: QueuedItem) => [kind, scopeId, itemId, queuedAt];

/** The embedded engine: nobody else writes meanwhile, and its writer waits for nobody. */
async function settleInBatch(db: Queryable, settled: SettledItems, items: readonly QueuedItem[], nowMs: number): Promise<Set<string>> {
  const { workspaceId, model, vectors, refused } = settled;
  const stillQueued = (made: readonly (readonly Param[])[]) => sql`
    from (values ${rows(made)}) made cross join embedding_queue q
    where q.workspace_id = ${workspaceId} and q.kind = made.column1 and q.scope_id = made.column2 and q.item_id = made.column3
      and q.created_at = made.column4`;
  const insertions: Sql[] = [];
  if (vectors.length > 0)
    insertions.push(sql`
      insert into vectors (workspace_id, kind, scope_id, item_id, model, vector, token_codes)
      select q.workspace_id, q.kind, q.scope_id, q.item_id, ${model}, made.column5, made.column6
      ${stillQueued(vectors.map(({ item, vector, tokenCodes }) => [...placeOf(item), vector, tokenCodes ?? null]))} ${orReplaceVector}`);
  if (refused.length > 0)
    insertions.push(sql`
      insert into refused_texts (workspace_id, kind, scope_id, item_id, model, reason, created_at)
      select q.workspace_id, q.kind, q.scope_id, q.item_id, ${model}, made.column5, ${timestamp(nowMs)}
      ${stillQueued(refused.map(({ item, reason }) => [...placeOf(item), reason]))} ${orReplaceRefusal}`);
  const taken = sql<{ itemId: string }>`
    delete from embedding_queue where workspace_id = ${workspaceId}
      and (kind, scope_id, item_id, created_at) in (values ${rows(items.map(placeOf))}) returning item_id as "itemId"`;
  const found = await db.batch([...insertions, taken]);
  return idsOf(found.at(-1) as { itemId: string }[]);
}

/** PostgreSQL: who takes an item off the queue stores what came of it, and an edit comes before or after both. */
function settleInTransaction(db: Database, settled: SettledItems, items: readonly QueuedItem[], nowMs: number): Promise<Set<string>> {
  const { workspaceId, model, vectors, refused } = settled;
  return db.transaction(async (tx) => {
    const kept = idsOf(await tx.query(takeOff(workspaceId, items)));
    const place = ({ kind, scopeId, itemId }: QueuedItem) => [workspaceId, kind, scopeId, itemId, model];
    const isKept = ({ item }: { item: QueuedItem }) => kept.has(item.itemId);
    const made = vectors.filter(isKept).map(({ item, vector, tokenCodes }) => [...place(item), vector, tokenCodes ?? null]);
    const setAside = refused.filter(isKept).map(({ item, reason }) => [...place(item), reason, timestamp(nowMs)]);
    if (made.length > 0) await tx.run(insertVectors(made));
    if (setAside.length > 0) await tx.run(insertRefusedTexts(setAside));
    return kept;
  });
}

/**
 * One look-up a row, by way of its place in the table: the queue grows and empties within minutes, and a plan by what the server last knew of it
 * would read all of it each time. A row that changes meanwhile has another place.
 */
function takeOff(workspaceId: string, items: readonly QueuedItem[]): Sql<{ itemId: string }> {
  return sql<{ itemId: string }>`
    delete from embedding_queue where workspace_id = ${workspaceId} and ctid = any (array(
      select q.ctid from (values ${typedPlaces}, ${rows(items.map(placeOf))}) made cross join lateral (
        select ctid from embedding_queue
        where workspace_id = ${workspaceId} and kind = made.column1 and scope_id = made.column2 and item_id = made.column3
          and created_at = made.column4
        limit 1) q))
    returning item_id as "itemId"`;
}

/** A list of values has no types of its own on PostgreSQL: a row of nulls, which nothing equals, brings them. */
const typedPlaces = perEngine({ sqlite: '', postgres: '(null::text, null::uuid, null::uuid, null::timestamptz)' });

function idsOf(found: readonly { itemId: string }[]): Set<string> {
  return new Set(found.map(({ itemId }) => itemId));
}
