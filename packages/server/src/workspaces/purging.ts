import type { Database } from '../db/database.ts';
import { raw, sql } from '../db/sql.ts';
import type { JobHandler } from '../jobs/worker.ts';

const ROWS_IN_ONE_STEP = 1000;

/** Every tenant table with the rest of its primary key. Those that go by a cascade are not here. */
const tables = {
  messages: 'session_id, id',
  memories: 'session_id, id',
  memory_events: 'session_id, memory_id, id',
  chunks: 'document_id, position',
  document_contents: 'document_id',
  documents: 'id',
  sessions: 'id',
  agents: 'id',
  prompts: 'id',
  audits: 'id',
  usage_counters: 'month',
} as const;

/** Removes what a deleted workspace left behind, a bounded step at a time, so that other writers get their turn. */
export function purgeWorkspace(db: Database): JobHandler {
  return {
    maxAttempts: 20,
    leaseMs: 60_000,
    run: async ({ workspaceId }, signal) => {
      if (workspaceId === null) return;
      for (const [table, key] of Object.entries(tables)) {
        let removed: number;
        do {
          signal.throwIfAborted();
          removed = await db.run(sql`
            delete from ${raw(table)} where workspace_id = ${workspaceId} and (${raw(key)}) in (
              select ${raw(key)} from ${raw(table)} where workspace_id = ${workspaceId} limit ${ROWS_IN_ONE_STEP})`);
        } while (removed === ROWS_IN_ONE_STEP);
      }
    },
  };
}
