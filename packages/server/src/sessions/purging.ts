import type { Clock } from '../clock.ts';
import type { Database, Transaction } from '../db/database.ts';
import { deleteInSteps } from '../db/deletion.ts';
import { forUpdate, raw, sql } from '../db/sql.ts';
import type { JobHandler } from '../jobs/job-handler.ts';
import { forgetSession, lockPeopleOf } from '../memories/store/forgetting.ts';
import { goneForGood, noteChangedThreads } from '../search/segments/changed-items.ts';
import { dropSnapshotsOf } from '../search/segments/store.ts';
import type { SessionPlace } from './store.ts';

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
  // The answers of receivers may repeat what they were sent. What is pending holds none of it, and says that the session is gone.
  ['webhook_deliveries', "status <> 'pending' and session_id", 'webhook_id, id'],
  // Before the vectors: what is taken off it gets none any more.
  ['embedding_queue', "kind in ('message', 'memory') and scope_id", 'kind, scope_id, item_id'],
  ['vectors', "kind in ('message', 'memory') and scope_id", 'kind, scope_id, item_id, model'],
  ['refused_texts', "kind in ('message', 'memory') and scope_id", 'kind, scope_id, item_id, model'],
] as const;
const SESSIONS_AT_ONCE = 100;

/** Removes what a deleted session left behind. */
export function purgeSession(db: Database, clock: Clock): JobHandler {
  return {
    maxAttempts: 20,
    leaseMs: 60_000,
    run: async ({ workspaceId, payload }, signal) => {
      if (workspaceId === null) return;
      const { sessionId } = payload as { sessionId: string };
      const forgetSome = () => db.transaction((tx) => forgetSession(tx, { workspaceId, sessionId }, clock.nowMs()));
      while (await forgetSome()) signal.throwIfAborted();
      await purge(db, workspaceId, sessionId, signal);
    },
  };
}

/** Removes the sessions of a deleted agent, and what they left behind. */
export function purgeAgent(db: Database): JobHandler {
  return {
    maxAttempts: 20,
    leaseMs: 60_000,
    run: async ({ workspaceId, payload }, signal) => {
      if (workspaceId === null) return;
      const { agentId } = payload as { agentId: string };
      for (;;) {
        const sessions = await db.query(sql<{ id: string }>`
          select id from sessions where workspace_id = ${workspaceId} and agent_id = ${agentId} limit ${SESSIONS_AT_ONCE}`);
        if (sessions.length === 0) {
          await dropSnapshotsOf(db, workspaceId, 'agent_id', agentId);
          return;
        }
        for (const { id } of sessions) {
          // Whoever writes to it now comes first; from then on nobody does, for its agent is gone.
          await db.transaction((tx) => lockForPurge(tx, { workspaceId, agentId, sessionId: id }));
          await purge(db, workspaceId, id, signal);
          await db.run(sql`delete from sessions where workspace_id = ${workspaceId} and id = ${id}`);
        }
      }
    },
  };
}

async function lockForPurge(tx: Transaction, place: SessionPlace): Promise<void> {
  await lockPeopleOf(tx, place, undefined);
  await tx.query(sql`select id from sessions where workspace_id = ${place.workspaceId} and id = ${place.sessionId}${forUpdate}`);
}

async function purge(db: Database, workspaceId: string, sessionId: string, signal: AbortSignal): Promise<void> {
  await db.batch((['message', 'memory'] as const).map((kind) => noteChangedThreads(workspaceId, kind, goneForGood(sessionId))));
  await dropSnapshotsOf(db, workspaceId, 'session_id', sessionId);
  for (const [table, column, key] of tables) {
    await deleteInSteps(db, { table, key, condition: sql`workspace_id = ${workspaceId} and ${raw(column)} = ${sessionId}` }, signal);
  }
}
