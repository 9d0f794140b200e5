/** Documents whose indexing stopped half-way. */
import type { Queryable } from '../db/database.ts';
import { inWorkspace } from '../db/each-workspace.ts';
import { sql } from '../db/sql.ts';
import type { Queue } from '../db/waiting-workspaces.ts';
import { findAbandoned, MOST_LOOKED_AT } from '../jobs/abandoned-work.ts';
import type { DocumentAt } from './store.ts';

export const DOCUMENTS_IN_PROCESSING: Queue = { table: 'documents', condition: `q.status = 'processing'` };

/** Documents in processing that no job will come back to, each with the reason why its last job was given up, if it was. */
export async function findStalledDocuments(
  db: Queryable,
  olderThan: string,
  workspaceId: string | undefined,
): Promise<(DocumentAt & { reason: string | null })[]> {
  const begun = await db.query(sql<DocumentAt & { key: string; begunAt: string }>`
    select workspace_id as "workspaceId", id as "documentId", id as key, revision, updated_at as "begunAt" from documents
    where ${inWorkspace(workspaceId)} and status = 'processing' and updated_at < ${olderThan} order by updated_at limit ${MOST_LOOKED_AT}`);
  return findAbandoned(db, 'index-document', begun);
}
