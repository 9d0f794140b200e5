/** Vectors at rest, and the queue of what still needs one. */
import { timestamp } from '../clock.ts';
import type { Queryable } from '../db/database.ts';
import { list, type Param, perEngine, raw, rows, type Sql, sql } from '../db/sql.ts';
import type { NewMessageQueue } from './new-messages.ts';
import { noteChangedItems } from './segments/changed-items.ts';

/** Something that needs a vector. `queuedAt` tells a later edit from the text that was embedded. */
export interface QueuedItem {
  readonly workspaceId: string;
  readonly kind: string;
  readonly scopeId: string;
  readonly itemId: string;
  readonly queuedAt: string;
}

/** The items of one session or document. */
export interface VectorScope {
  readonly workspaceId: string;
  readonly kind: string;
  readonly scopeId: string;
}

/** The statement that goes with writing or editing items. Whoever embeds the text before the edit has claimed nothing any more. */
export function enqueueEmbedding(scope: VectorScope, itemIds: readonly string[], nowMs: number): Sql {
  const now = timestamp(nowMs);
  const values = itemIds.map((itemId) => [scope.workspaceId, scope.kind, scope.scopeId, itemId, now]);
  return sql`
    insert into embedding_queue (workspace_id, kind, scope_id, item_id, created_at) values ${rows(values)}
    on conflict (workspace_id, kind, scope_id, item_id) do update set created_at = excluded.created_at, claimed_until = null`;
}

/** The statements that go with editing or deleting items: no vector outlives the text it was made from, and no refusal. */
export function deleteVectors({ workspaceId, kind, scopeId }: VectorScope, itemIds: readonly string[], isGone: boolean): Sql[] {
  const tables = ['vectors', 'refused_texts', ...(isGone ? ['embedding_queue'] : [])];
  const deletions = tables.map(
    (table) => sql`
      delete from ${raw(table)}
      where workspace_id = ${workspaceId} and kind = ${kind} and scope_id = ${scopeId} and item_id in ${list(itemIds)}`,
  );
  return [...deletions, noteChangedItems({ workspaceId, kind, scopeId }, itemIds)];
}

/** New messages, as items of a kind. */
export function queueForEmbedding(kind: string): NewMessageQueue {
  return (these) => sql`
    insert into embedding_queue (workspace_id, kind, scope_id, item_id, created_at)
    select workspace_id, ${kind}, session_id, message_id, created_at from new_messages where ${these}
    on conflict (workspace_id, kind, scope_id, item_id) do nothing`;
}

const READ_AT_ONCE = 500;
/** Statements of one search at a time. */
const READ_TOGETHER = 2;

/** Of a model, by the session or document and the item: those that there are. */
export async function readVectors(
  db: Queryable,
  { workspaceId, kind, model }: { readonly workspaceId: string; readonly kind: string; readonly model: string },
  places: readonly { readonly scopeId: string; readonly itemId: string }[],
): Promise<{ scopeId: string; itemId: string; vector: Uint8Array }[]> {
  const read = (some: typeof places) => {
    const wanted = rows(some.map(({ scopeId, itemId }) => [scopeId, itemId]));
    return db.query(sql<{ scopeId: string; itemId: string; vector: Uint8Array }>`
      with wanted (scope_id, item_id) as (values ${wanted})
      select v.scope_id as "scopeId", v.item_id as "itemId", v.vector from wanted
      cross join vectors v
      where v.workspace_id = ${workspaceId} and v.kind = ${kind} and v.model = ${model}
        and v.scope_id = ${wantedScope} and v.item_id = wanted.item_id`);
  };
  const found: Awaited<ReturnType<typeof read>> = [];
  for (let from = 0; from < places.length; from += READ_AT_ONCE * READ_TOGETHER) {
    const batches = Array.from({ length: READ_TOGETHER }, (_, n) => places.slice(from + n * READ_AT_ONCE, from + (n + 1) * READ_AT_ONCE));
    for (const some of await Promise.all(batches.filter(({ length }) => length > 0).map(read))) found.push(...some);
  }
  return found;
}

/** A list of values has the type of its texts on PostgreSQL. */
const wantedScope = perEngine({ sqlite: 'wanted.scope_id', postgres: 'cast(wanted.scope_id as uuid)' });

/** What came of some items of a workspace. */
export interface SettledItems {
  readonly vectors: readonly { readonly item: QueuedItem; readonly vector: Uint8Array }[];
  /** Set aside alone: found by their words until they are edited or the model changes. */
  readonly refused: readonly { readonly item: QueuedItem; readonly reason: string }[];
  /** Their texts are no more. */
  readonly gone: readonly QueuedItem[];
}

/**
 * Takes items of a workspace off the queue with what came of them, in one step. Those that were edited or deleted since they were queued are left
 * as they are: what was made is of a text that is no more. Gives the ids of the others.
 */
export async function settleQueued(
  db: Queryable,
  workspaceId: string,
  settled: SettledItems,
  model: string,
  nowMs: number,
): Promise<Set<string>> {
  const { vectors, refused, gone } = settled;
  const items = [...vectors, ...refused].map(({ item }) => item).concat(gone);
  if (items.length === 0) return new Set();
  const waiting = (made: Sql) => sql`
    from (values ${made}) made cross join embedding_queue q
    where q.workspace_id = ${workspaceId} and q.kind = made.column1 and q.scope_id = made.column2 and q.item_id = made.column3
      and q.created_at = made.column4`;
  const key = ({ kind, scopeId, itemId, queuedAt }: QueuedItem) => [kind, scopeId, itemId, queuedAt];
  const place = sql`select q.workspace_id, q.kind, q.scope_id, cast(q.item_id as text), ${asText(model)}`;
  const statements: Sql[] = [];
  // Whoever edits one of them comes before or after all of this.
  if (db.engine === 'postgres')
    statements.push(sql`select q.item_id ${waiting(typed(items.map(key)))} order by q.kind, q.scope_id, q.item_id for update of q`);
  if (vectors.length > 0) {
    const made = vectors.map(({ item, vector }) => [...key(item), vector]);
    statements.push(sql`
      insert into vectors (workspace_id, kind, scope_id, item_id, model, vector) ${place}, made.column5 ${waiting(typed(made, 'bytea'))}
      ${orReplaceVector}`);
  }
  if (refused.length > 0) {
    const made = refused.map(({ item, reason }) => [...key(item), reason]);
    statements.push(sql`
      insert into refused_texts (workspace_id, kind, scope_id, item_id, model, reason, created_at)
      ${place}, made.column5, ${asTime(timestamp(nowMs))} ${waiting(typed(made, 'text'))} ${orReplaceRefusal}`);
  }
  const [deleted] = (
    await db.batch([
      ...statements,
      sql<{ itemId: string }>`
        delete from embedding_queue where workspace_id = ${workspaceId}
          and (kind, scope_id, item_id, created_at) in (values ${typed(items.map(key))}) returning item_id as "itemId"`,
    ])
  ).slice(-1) as [{ itemId: string }[]];
  return new Set(deleted.map(({ itemId }) => itemId));
}

/** A list of values has no types of its own on PostgreSQL: a row of nulls, which nothing equals, brings them. */
function typed(values: readonly (readonly Param[])[], fifth?: 'bytea' | 'text'): Sql {
  const nulls = `null::text, null::uuid, null::uuid, null::timestamptz${fifth ? `, null::${fifth}` : ''}`;
  return sql`${perEngine({ sqlite: '', postgres: `(${nulls}), ` })}${rows(values)}`;
}

const asText = (text: string) => sql`${text}${perEngine({ sqlite: '', postgres: '::text' })}`;
const asTime = (time: string) => sql`${time}${perEngine({ sqlite: '', postgres: '::timestamptz' })}`;

const orReplaceVector = raw('on conflict (workspace_id, kind, scope_id, item_id, model) do update set vector = excluded.vector');
const orReplaceRefusal = raw(
  'on conflict (workspace_id, kind, scope_id, item_id, model) do update set reason = excluded.reason, created_at = excluded.created_at',
);

export function upsertVectors(scope: VectorScope, made: readonly { itemId: string; vector: Uint8Array }[], model: string): Sql {
  const values = made.map(({ itemId, vector }) => [scope.workspaceId, scope.kind, scope.scopeId, itemId, model, vector]);
  return sql`
    insert into vectors (workspace_id, kind, scope_id, item_id, model, vector) values ${rows(values)} ${orReplaceVector}`;
}

export interface Refusal {
  readonly itemId: string;
  readonly reason: string;
}

export function insertRefusals(scope: VectorScope, refused: readonly Refusal[], model: string, nowMs: number): Sql {
  const now = timestamp(nowMs);
  const values = refused.map(({ itemId, reason }) => [scope.workspaceId, scope.kind, scope.scopeId, itemId, model, reason, now]);
  return sql`
    insert into refused_texts (workspace_id, kind, scope_id, item_id, model, reason, created_at) values ${rows(values)}
    ${orReplaceRefusal}`;
}

const MOST_COUNTED = 100_000;

/** Up to a hundred thousand: more is "too many" all the same. */
export async function countRefused(db: Queryable): Promise<number> {
  const [row] = await db.query(sql<{ total: number }>`
    select count(*) as total from (select 1 as one from refused_texts limit ${MOST_COUNTED}) as counted`);
  return row?.total ?? 0;
}

export async function countQueued(db: Queryable): Promise<number> {
  const [row] = await db.query(sql<{ total: number }>`select count(*) as total from embedding_queue`);
  return row?.total ?? 0;
}
