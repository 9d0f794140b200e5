/** What is done to documents, to several at once. */

import type { Document } from '@commonplace/client';
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

/** Without labels in the form, it keeps its own. Only one with an external id can be replaced. */
export function replaceFile(workspaceId: string, { title, externalId }: Document, file: File): Promise<Document> {
  return client.workspace(workspaceId).documents.upload(file, { title, ...(externalId !== undefined && { externalId }) });
}

export function reindexDocuments(workspaceId: string, ids: readonly string[]): Promise<void> {
  return changeEach(ids, (id) => client.workspace(workspaceId).documents.reindex(id));
}
