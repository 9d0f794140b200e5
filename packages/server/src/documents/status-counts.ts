import { DocumentStatus } from '@commonplace/contract/documents';
import type { Queryable } from '../db/database.ts';
import { list, sql } from '../db/sql.ts';
import type { DocumentCount } from '../roll-ups/sampling.ts';

/** Each status of each workspace, in the index alone. */
export async function countByStatus(db: Queryable, workspaceIds: readonly string[]): Promise<DocumentCount[]> {
  const counted = await db.query(sql<DocumentCount>`
    select workspace_id as "workspaceId", status, count(*) as total from documents
    where workspace_id in ${list(workspaceIds)} group by workspace_id, status`);
  const totals = new Map(counted.map(({ workspaceId, status, total }) => [`${workspaceId} ${status}`, total]));
  return workspaceIds.flatMap((workspaceId) =>
    DocumentStatus.options.map((status) => ({ workspaceId, status, total: totals.get(`${workspaceId} ${status}`) ?? 0 })),
  );
}
