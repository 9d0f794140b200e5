/** What nobody needs any more of what is kept for search. */
import type { Logger } from 'pino';
import { type Clock, timestamp } from '../../clock.ts';
import type { Database } from '../../db/database.ts';
import { forEachWorkspace } from '../../db/each-workspace.ts';
import { nothing, type Sql, sql } from '../../db/sql.ts';
import { every, type JobHandler } from '../../jobs/job-handler.ts';
import { dropOldChanges } from './changed-items.ts';
import { deleteSegment, type SnapshotPlace } from './segment-store.ts';
import { dropSnapshot, dropSnapshotsOf, isOfAnotherFormat } from './store.ts';

const HOUR_MS = 3_600_000;
const UNUSED_MS = 30 * 24 * HOUR_MS;
/** Of another format, which this program can't read: nodes of two versions run beside each other while they are replaced. */
const OTHER_FORMAT_UNUSED_MS = 24 * HOUR_MS;
/** Longer than a save takes. */
const ABANDONED_MS = HOUR_MS;
const CHANGES_KEPT_MS = 2 * 24 * HOUR_MS;

export function dropUnneededSnapshots(db: Database, clock: Clock, log: Logger): JobHandler {
  return every(HOUR_MS, async (_job, signal) => {
    const nowMs = clock.nowMs();
    const ofEach = (table: string, work: (workspaceId: string) => Promise<void>) => forEachWorkspace(db, { table }, work, log, signal);
    await ofEach('search_snapshots', (workspaceId) => dropWhere(db, workspaceId, isUnneeded(workspaceId, nowMs), signal));
    await ofEach('search_segments', (workspaceId) => dropAbandoned(db, workspaceId, nowMs - ABANDONED_MS, signal));
    await ofEach('changed_items', (workspaceId) => dropOldChanges(db, workspaceId, nowMs - CHANGES_KEPT_MS, signal));
  });
}

/** Those of models that are not in use any more. */
export async function dropSnapshotsOfOthers(db: Database, model: string, log: Logger, signal: AbortSignal): Promise<void> {
  const drop = (workspaceId: string) => dropWhere(db, workspaceId, sql`s.model <> ${model}`, signal);
  await forEachWorkspace(db, { table: 'search_snapshots' }, drop, log, signal);
}

/** Nobody used it, or what it is about is gone: a node of an earlier version, which knows of no snapshots, deleted it. */
function isUnneeded(workspaceId: string, nowMs: number): Sql {
  return sql`(s.used_at < ${timestamp(nowMs - UNUSED_MS)}
    or s.used_at < ${timestamp(nowMs - OTHER_FORMAT_UNUSED_MS)} and ${isOfAnotherFormat}
    or s.session_id is not null
      and not exists (select 1 from sessions o where o.workspace_id = ${workspaceId} and o.id = s.session_id)
    or s.agent_id is not null
      and not exists (select 1 from agents o where o.workspace_id = ${workspaceId} and o.id = s.agent_id))`;
}

async function dropWhere(db: Database, workspaceId: string, condition: Sql, signal: AbortSignal): Promise<void> {
  const found = await db.query(sql<SnapshotPlace>`
    select s.workspace_id as "workspaceId", s.scope from search_snapshots s where s.workspace_id = ${workspaceId} and ${condition}`);
  for (const place of found) {
    signal.throwIfAborted();
    await dropSnapshot(db, place);
  }
}

/** All of a workspace that is gone, and what processes left that stopped before they named their segments, or before they had dropped those that they replaced. */
async function dropAbandoned(db: Database, workspaceId: string, beforeMs: number, signal: AbortSignal): Promise<void> {
  const isThere = (await db.maybeOne(sql`select id from workspaces where id = ${workspaceId}`)) !== undefined;
  if (!isThere) await dropSnapshotsOf(db, workspaceId);
  const isAbandoned = isThere ? sql`and is_used = ${false} and created_at < ${timestamp(beforeMs)}` : nothing;
  const found = await db.query(sql<{ id: string }>`select id from search_segments where workspace_id = ${workspaceId} ${isAbandoned}`);
  for (const { id } of found) {
    signal.throwIfAborted();
    await deleteSegment(db, workspaceId, id);
  }
}
