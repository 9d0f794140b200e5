/** Texts that the model refused, once more: it may have been mended, or its limits raised. */
import type { Transactable } from '../db/database.ts';
import { list, sql } from '../db/sql.ts';
import { enqueueEmbedding } from './vectors.ts';

export interface RefusedScope {
  readonly workspaceId: string;
  /** The session. */
  readonly scopeId: string;
  readonly model: string;
  /** Those that were refused later stay as they are. */
  readonly refusedBy: string;
}

const QUEUED_KINDS = ['message', 'memory'] as const;

/** Into the queue again, as many as the limit of each kind. How many at most of a kind. */
export async function requeueRefused(db: Transactable, scope: RefusedScope, limit: number, nowMs: number): Promise<number> {
  const { workspaceId, scopeId, model, refusedBy } = scope;
  return db.transaction(async (tx) => {
    let most = 0;
    for (const kind of QUEUED_KINDS) {
      const ofScope = sql`workspace_id = ${workspaceId} and kind = ${kind} and scope_id = ${scopeId} and model = ${model}`;
      const some = await tx.query(sql<{ itemId: string }>`
        select item_id as "itemId" from refused_texts where ${ofScope} and created_at <= ${refusedBy} order by item_id limit ${limit}`);
      if (some.length === 0) continue;
      // Whoever deletes a row queues it: of two at once, one.
      const taken = await tx.query(sql<{ itemId: string }>`
        delete from refused_texts where ${ofScope} and item_id in ${list(some.map(({ itemId }) => itemId))} returning item_id as "itemId"`);
      const itemIds = taken.map(({ itemId }) => itemId);
      if (itemIds.length > 0) await tx.run(enqueueEmbedding({ workspaceId, kind, scopeId }, itemIds, nowMs));
      most = Math.max(most, itemIds.length);
    }
    return most;
  });
}
