/** What is done to several documents at once. */

import { client } from '../../api/client.ts';
import { isStatus } from '../../api/refusals.ts';

const MOST_AT_ONCE = 4;

/** Goes on after a refusal, and throws the first one at the end. */
async function forEachOf(ids: readonly string[], change: (id: string) => Promise<unknown>): Promise<void> {
  const left = [...ids];
  let refusal: { readonly error: unknown } | undefined;
  const work = async () => {
    for (let id = left.shift(); id !== undefined; id = left.shift()) {
      try {
        await change(id);
      } catch (error) {
        // Gone already is what was asked for, or can't be helped.
        if (!isStatus(error, 404)) refusal ??= { error };
      }
    }
  };
  await Promise.all(Array.from({ length: MOST_AT_ONCE }, work));
  if (refusal) throw refusal.error;
}

export function deleteDocuments(workspaceId: string, ids: readonly string[]): Promise<void> {
  return forEachOf(ids, (id) => client.workspace(workspaceId).documents.delete(id));
}

export function reindexDocuments(workspaceId: string, ids: readonly string[]): Promise<void> {
  return forEachOf(ids, (id) => client.workspace(workspaceId).documents.reindex(id));
}
