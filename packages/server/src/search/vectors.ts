/** Vectors at rest, and the queue of what still needs one. */
import { timestamp } from '../clock.ts';
import type { Queryable } from '../db/database.ts';
import { list, type Param, perEngine, raw, rows, type Sql, sql } from '../db/sql.ts';
import type { NewMessageQueue } from '../outbox/distribution.ts';
import type { EmbeddedText } from './embedding/embedder.ts';
import { quantize } from './embedding/quantize.ts';
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

/** The statement that goes with writing items. Whoever embeds the text before the edit has claimed nothing any more. */
export function enqueueEmbedding(scope: VectorScope, itemIds: readonly string[], nowMs: number): Sql {
  const now = timestamp(nowMs);
  const values = itemIds.map((itemId) => [scope.workspaceId, scope.kind, scope.scopeId, itemId, now]);
  return sql`
    insert into embedding_queue (workspace_id, kind, scope_id, item_id, created_at) values ${rows(values)}
    on conflict (workspace_id, kind, scope_id, item_id) do update set created_at = excluded.created_at, claimed_until = null`;
}

/**
 * The statements that go with editing or deleting items: no vector outlives the text it was made from, and no refusal. The queue comes first: whoever
 * stores a vector takes the item off it, and is done before its vectors are looked for, or finds it changed.
 */
export function deleteVectors({ workspaceId, kind, scopeId }: VectorScope, itemIds: readonly string[], isGone: boolean): Sql[] {
  const tables = [...(isGone ? ['embedding_queue'] : []), 'vectors', 'refused_texts'];
  const deletions = tables.map(
    (table) => sql`
      delete from ${raw(table)}
      where workspace_id = ${workspaceId} and kind = ${kind} and scope_id = ${scopeId} and item_id in ${list(itemIds)}`,
  );
  return [...deletions, noteChangedItems({ workspaceId, kind, scopeId }, itemIds)];
}

/** The statements that go with editing items. */
export function embedAnew(scope: VectorScope, itemIds: readonly string[], nowMs: number): Sql[] {
  return [enqueueEmbedding(scope, itemIds, nowMs), ...deleteVectors(scope, itemIds, false)];
}

/** New messages, as items of a kind. */
export function queueForEmbedding(kind: string): NewMessageQueue {
  return (messages) => sql`
    insert into embedding_queue (workspace_id, kind, scope_id, item_id, created_at)
    select workspace_id, ${kind}, session_id, message_id, created_at from ${messages} where 1 = 1
    on conflict (workspace_id, kind, scope_id, item_id) do nothing`;
}

const READ_AT_ONCE = 500;
/** Statements of one search at a time. */
const READ_TOGETHER = 2;

/** What is stored of an item. */
export type VectorColumn = 'vector' | 'token_codes';

/** Of a model, by the session or document and the item: those that there are. */
export async function readVectors(
  db: Queryable,
  { workspaceId, kind, model }: { readonly workspaceId: string; readonly kind: string; readonly model: string },
  places: readonly { readonly scopeId: string; readonly itemId: string }[],
  column: VectorColumn,
): Promise<{ scopeId: string; itemId: string; bytes: Uint8Array }[]> {
  const read = async (some: typeof places) => {
    // By their number: names would take longer to hand over than what is read.
    const wanted = rows(some.map(({ scopeId, itemId }, number) => [number, scopeId, itemId]));
    const found = await db.query(sql<{ number: number | string; bytes: Uint8Array }>`
      with wanted (number, scope_id, item_id) as (values ${wanted})
      select wanted.number, ${raw(`v.${column}`)} as bytes from wanted
      cross join vectors v
      where v.workspace_id = ${workspaceId} and v.kind = ${kind} and v.model = ${model}
        and v.scope_id = ${wantedScope} and v.item_id = wanted.item_id and ${raw(`v.${column}`)} is not null`);
    return found.map(({ number, bytes }) => ({ ...(some[Number(number)] as (typeof places)[number]), bytes }));
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

/** Behind an insertion. */
export const orReplaceVector = raw(`on conflict (workspace_id, kind, scope_id, item_id, model)
  do update set vector = excluded.vector, token_codes = excluded.token_codes`);
export const orReplaceRefusal = raw(
  'on conflict (workspace_id, kind, scope_id, item_id, model) do update set reason = excluded.reason, created_at = excluded.created_at',
);

/** A text as it is stored. */
export interface StoredVector {
  readonly vector: Uint8Array;
  readonly tokenCodes?: Uint8Array | undefined;
}

export function storedVector({ vector, tokenCodes }: EmbeddedText): StoredVector {
  return { vector: quantize(vector), tokenCodes };
}

export function upsertVectors(scope: VectorScope, made: readonly (StoredVector & { readonly itemId: string })[], model: string): Sql {
  const { workspaceId, kind, scopeId } = scope;
  const values = made.map(({ itemId, vector, tokenCodes }) => [workspaceId, kind, scopeId, itemId, model, vector, tokenCodes ?? null]);
  return insertVectors(values);
}

/** By the columns of the table, in their order. */
export function insertVectors(values: readonly (readonly Param[])[]): Sql {
  return sql`
    insert into vectors (workspace_id, kind, scope_id, item_id, model, vector, token_codes) values ${rows(values)} ${orReplaceVector}`;
}

export interface Refusal {
  readonly itemId: string;
  readonly reason: string;
}

export function insertRefusals(scope: VectorScope, refused: readonly Refusal[], model: string, nowMs: number): Sql {
  const now = timestamp(nowMs);
  return insertRefusedTexts(
    refused.map(({ itemId, reason }) => [scope.workspaceId, scope.kind, scope.scopeId, itemId, model, reason, now]),
  );
}

export function insertRefusedTexts(values: readonly (readonly Param[])[]): Sql {
  return sql`
    insert into refused_texts (workspace_id, kind, scope_id, item_id, model, reason, created_at) values ${rows(values)} ${orReplaceRefusal}`;
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
