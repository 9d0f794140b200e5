/** What is done to several documents at once. */

import { client } from '../../api/client.ts';
import { forEachFewAtOnce } from '../../api/few-at-once.ts';
import { isStatus } from '../../api/refusals.ts';

function changeEach(ids: readonly string[], change: (id: string) => Promise<unknown>): Promise<void> {
  return forEachFewAtOnce(ids, async (id) => {
    try {
      await change(id);
    } catch (error) {
      // Gone already is what was asked for, or can't be helped.
      if (!isStatus(error, 404)) throw error;
    }
  });
}

export function deleteDocuments(workspaceId: string, ids: readonly string[]): Promise<void> {
  return changeEach(ids, (id) => client.workspace(workspaceId).documents.delete(id));
}

export function reindexDocuments(workspaceId: string, ids: readonly string[]): Promise<void> {
  return changeEach(ids, (id) => client.workspace(workspaceId).documents.reindex(id));
}
