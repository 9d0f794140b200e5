import type { Database } from '../db/database.ts';
import { deleteInSteps } from '../db/deletion.ts';
import { sql } from '../db/sql.ts';
import type { JobHandler } from '../jobs/job-handler.ts';
import { dropSnapshotsOf } from '../search/segments/store.ts';

/**
 * Every tenant table with the rest of its primary key; those that go by a cascade are not here. Parents come first: what is
 * written below a parent holds it, so nothing is added to a table after its turn.
 */
const tables = {
  agents: 'id',
  prompts: 'id',
  documents: 'id',
  former_texts: 'id',
  sessions: 'id',
  staged_sessions: 'session_id',
  messages: 'session_id, id',
  memories: 'session_id, id',
  outbox: 'position',
  message_writes: 'position',
  new_messages: 'position',
  memory_sources: 'session_id, message_id, memory_id, cause_id',
  assertions: 'id',
  memory_events: 'session_id, memory_id, id',
  extraction_queue: 'session_id, message_id',
  extraction_states: 'session_id',
  llm_usage: 'day',
  // Before the vectors: what is taken off it gets none any more.
  embedding_queue: 'kind, scope_id, item_id',
  vectors: 'kind, scope_id, item_id, model',
  refused_texts: 'kind, scope_id, item_id, model',
  knowledge_revisions: 'workspace_id',
  chunks: 'document_id, position',
  document_contents: 'document_id',
  events: 'seq',
  event_heads: 'workspace_id',
  audits: 'id',
  deleted_sessions: 'session_id',
  answers_of_sessions: 'session_id, scope, key',
  receipts: 'id',
  usage_counters: 'month',
  request_totals: 'node_id',
  pending_counts: 'position',
  hourly_values: 'metric, hour, part',
  changed_items: 'kind, scope_id, edits, item_id',
  webhook_deliveries: 'webhook_id, id',
  search_snapshots: 'scope',
  search_segments: 'id',
  search_pages: 'segment_id, kind, number',
} as const;

/** Removes what a deleted workspace left behind. */
export function purgeWorkspace(db: Database): JobHandler {
  return {
    maxAttempts: 20,
    leaseMs: 60_000,
    run: async ({ workspaceId }, signal) => {
      if (workspaceId === null) return;
      // Their pages are large: a few at a time.
      await dropSnapshotsOf(db, workspaceId);
      for (const [table, key] of Object.entries(tables)) {
        await deleteInSteps(db, { table, key, condition: sql`workspace_id = ${workspaceId}` }, signal);
      }
    },
  };
}
