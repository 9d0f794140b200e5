/** Sessions that are gone, and whose rows are about to go. */
import type { Queryable, Transaction } from '../../db/database.ts';
import { shape } from '../../db/shape.ts';
import { forUpdate, list, type Sql, sql } from '../../db/sql.ts';
import { enqueue } from '../../jobs/queue.ts';

/** Before they are deleted, in the same batch or transaction. */
export function noteDeletedSessions(workspaceId: string, sessionIds: readonly string[]): Sql {
  return sql`
    insert into deleted_sessions (workspace_id, session_id, agent_id, labels, items)
    select workspace_id, id, agent_id, labels, message_count + memory_count from sessions
    where workspace_id = ${workspaceId} and id in ${list(sessionIds)}
    on conflict (workspace_id, session_id) do nothing`;
}

export interface DeletedSession {
  readonly sessionId: string;
  readonly agentId: string;
  readonly labels: Readonly<Record<string, string>>;
  /** Messages and memories that it had. */
  readonly items: number;
}
const columns = shape<DeletedSession>({ sessionId: 'text', agentId: 'text', labels: 'json', items: 'integer' });

/** In the order of their ids, from the one after `afterId` on. */
export async function listDeletedSessions(db: Queryable, workspaceId: string, afterId: string, limit: number): Promise<DeletedSession[]> {
  return db.query(sql<DeletedSession>`
    select ${columns} from deleted_sessions where workspace_id = ${workspaceId} and session_id > ${afterId}
    order by session_id limit ${limit}`);
}

/** In case whoever deletes them does not come to their rows. */
const PURGED_AFTER_MS = 10 * 60_000;

/**
 * Of some sessions, those that the condition holds of under their locks: from then on nothing is written to them. Their rows are left to the
 * caller. The ids of those that went.
 */
export async function deleteSessionsAtOnce(
  tx: Transaction,
  workspaceId: string,
  sessionIds: readonly string[],
  condition: Sql,
  nowMs: number,
): Promise<string[]> {
  const these = sql`workspace_id = ${workspaceId} and id in ${list(sessionIds)}`;
  await tx.query(sql`select id from sessions where ${these} order by id${forUpdate}`);
  // Whoever changed them until now has done so.
  const meant = await tx.query(sql<{ id: string }>`select id from sessions where ${these} and ${condition}`);
  const ids = meant.map(({ id }) => id);
  if (ids.length === 0) return [];
  await tx.batch([
    noteDeletedSessions(workspaceId, ids),
    sql`delete from sessions where workspace_id = ${workspaceId} and id in ${list(ids)}`,
    ...ids.map((sessionId) =>
      enqueue(
        {
          kind: 'purge-session',
          key: `${workspaceId} ${sessionId}`,
          workspaceId,
          payload: { sessionId, isForgotten: true },
          delayMs: PURGED_AFTER_MS,
        },
        nowMs,
      ),
    ),
  ]);
  return ids;
}
