/** What belongs to a session in other tables, and stays behind where the session's own row is gone, or never came. */
import type { Queryable } from '../../db/database.ts';
import { deleteInSteps } from '../../db/deletion.ts';
import { raw, sql } from '../../db/sql.ts';

/** Each table, the column that names the session, and the rest of its primary key. */
const tables = [
  ['messages', 'session_id', 'id'],
  ['memories', 'session_id', 'id'],
  ['message_writes', 'session_id', 'position'],
  ['new_messages', 'session_id', 'position'],
  ['memory_sources', 'session_id', 'message_id, memory_id, cause_id'],
  ['assertions', 'session_id', 'id'],
  ['memory_events', 'session_id', 'memory_id, id'],
  ['extraction_queue', 'session_id', 'message_id'],
  ['extraction_states', 'session_id', 'session_id'],
  // Before the vectors: what is taken off it gets none any more.
  ['embedding_queue', "kind in ('message', 'memory') and scope_id", 'kind, scope_id, item_id'],
  ['vectors', "kind in ('message', 'memory') and scope_id", 'kind, scope_id, item_id, model'],
  ['refused_texts', "kind in ('message', 'memory') and scope_id", 'kind, scope_id, item_id, model'],
] as const;

export async function deleteRemains(db: Queryable, workspaceId: string, sessionId: string, signal: AbortSignal): Promise<void> {
  for (const [table, column, key] of tables) {
    await deleteInSteps(db, { table, key, condition: sql`workspace_id = ${workspaceId} and ${raw(column)} = ${sessionId}` }, signal);
  }
}
