import type { Database } from '../db/database.ts';
import { deleteInSteps } from '../db/deletion.ts';
import { sql } from '../db/sql.ts';
import type { JobHandler } from '../jobs/worker.ts';

const tables = { messages: 'id', memories: 'id', memory_events: 'memory_id, id' } as const;
const SESSIONS_AT_ONCE = 100;

/** Removes what a deleted session left behind. */
export function purgeSession(db: Database): JobHandler {
  return {
    maxAttempts: 20,
    leaseMs: 60_000,
    run: async ({ workspaceId, payload }, signal) => {
      if (workspaceId !== null) await purge(db, workspaceId, (payload as { sessionId: string }).sessionId, signal);
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
        if (sessions.length === 0) return;
        for (const { id } of sessions) {
          await purge(db, workspaceId, id, signal);
          await db.run(sql`delete from sessions where workspace_id = ${workspaceId} and id = ${id}`);
        }
      }
    },
  };
}

async function purge(db: Database, workspaceId: string, sessionId: string, signal: AbortSignal): Promise<void> {
  for (const [table, key] of Object.entries(tables)) {
    await deleteInSteps(db, { table, key, condition: sql`workspace_id = ${workspaceId} and session_id = ${sessionId}` }, signal);
  }
}
