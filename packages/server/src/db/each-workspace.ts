/** Work on the rows of a table that goes through all workspaces. */
import type { Log } from '../logging.ts';
import type { Database } from './database.ts';
import { DatabaseUnavailable } from './errors.ts';
import { raw, type Sql, sql } from './sql.ts';
import { FIRST_WORKSPACE_ID, type Queue, waitingWorkspaces } from './waiting-workspaces.ts';

const WORKSPACES_AT_ONCE = 50;

/** One after the other. What fails for one, whose part of the database may be down, does not hold up the others: its turn comes again. */
export async function forEachWorkspace(
  db: Database,
  rows: Queue,
  work: (workspaceId: string) => Promise<void>,
  log: Log,
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
        log.warn({ err: error, workspaceId, table: rows.table }, 'work in the background that is due in a workspace failed');
      }
    }
    if (workspaceIds.length < WORKSPACES_AT_ONCE) return;
    after = workspaceIds.at(-1) as string;
  }
}

/**
 * Of all workspaces at once: `work` gets no id. Where a worker of Citus does not answer, one after the other for those that have such rows: it
 * holds up its own alone.
 */
export async function acrossWorkspaces(
  db: Database,
  rows: readonly Queue[],
  work: (workspaceId?: string) => Promise<void>,
  log: Log,
  signal: AbortSignal,
): Promise<void> {
  try {
    return await work();
  } catch (error) {
    if (!db.isDistributed || !(error instanceof DatabaseUnavailable)) throw error;
  }
  for (const some of rows) await forEachWorkspace(db, some, work, log, signal);
}

/** The condition for such work: on one workspace, or on all. */
export function inWorkspace(workspaceId: string | undefined, column = 'workspace_id'): Sql {
  return workspaceId === undefined ? sql`1 = 1` : sql`${raw(column)} = ${workspaceId}`;
}
