/** Work that goes through all workspaces with rows of a table. */
import type { Logger } from 'pino';
import type { Database } from '../../db/database.ts';
import { FIRST_WORKSPACE_ID, type Queue, waitingWorkspaces } from '../../db/waiting-workspaces.ts';

const WORKSPACES_AT_ONCE = 50;

/** One after the other. What fails for one, whose part of the database may be down, does not hold up the others: its turn comes again. */
export async function forEachWorkspace(
  db: Database,
  rows: Queue,
  work: (workspaceId: string) => Promise<void>,
  log: Logger,
  signal: AbortSignal,
): Promise<void> {
  let after = FIRST_WORKSPACE_ID;
  for (;;) {
    const workspaceIds: string[] = await waitingWorkspaces(db, rows, after, WORKSPACES_AT_ONCE);
    for (const workspaceId of workspaceIds) {
      signal.throwIfAborted();
      try {
        await work(workspaceId);
      } catch (error) {
        signal.throwIfAborted();
        log.warn({ err: error, workspaceId, table: rows.table }, 'stored search indexes of a workspace could not be cleaned up');
      }
    }
    if (workspaceIds.length < WORKSPACES_AT_ONCE) return;
    after = workspaceIds.at(-1) as string;
  }
}
