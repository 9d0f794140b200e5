/** Texts that the model refused, once more: it may have been mended, or its limits raised. */
import type { Transaction } from '../db/database.ts';
import { list, nothing, raw, sql } from '../db/sql.ts';
import { noteChangedItems } from './segments/changed-items.ts';
import { enqueueEmbedding, type VectorScope } from './vectors.ts';

export interface RefusedScope extends VectorScope {
  readonly model: string;
}

/** Into the queue again, the first after an item. Which ones. */
export async function requeueRefused(
  tx: Transaction,
  scope: RefusedScope,
  after: string | undefined,
  limit: number,
  nowMs: number,
): Promise<string[]> {
  const { workspaceId, kind, scopeId, model } = scope;
  const counter = raw(kind === 'message' ? 'message_edits' : 'memory_edits');
  const ofScope = sql`workspace_id = ${workspaceId} and kind = ${kind} and scope_id = ${scopeId} and model = ${model}`;
  const some = await tx.query(sql<{ itemId: string }>`
      select item_id as "itemId" from refused_texts where ${ofScope} ${after === undefined ? nothing : sql`and item_id > ${after}`}
      order by item_id limit ${limit}`);
  if (some.length === 0) return [];
  // First, as in every write below a session. Whoever holds the items has them wait for a vector again.
  await tx.run(sql`update sessions set ${counter} = ${counter} + 1 where workspace_id = ${workspaceId} and id = ${scopeId}`);
  // Whoever deletes a row queues it: of two at once, one.
  const taken = await tx.query(sql<{ itemId: string }>`
      delete from refused_texts where ${ofScope} and item_id in ${list(some.map(({ itemId }) => itemId))} returning item_id as "itemId"`);
  const itemIds = taken.map(({ itemId }) => itemId);
  if (itemIds.length > 0) await tx.batch([noteChangedItems(scope, itemIds), enqueueEmbedding(scope, itemIds, nowMs)]);
  return itemIds;
}
