import type { Page } from '@commonplace/contract/wire';
import type { NewWorkspace, Workspace, WorkspaceChanges, WorkspaceStats } from '@commonplace/contract/workspaces';
import { ACCOUNT_SCOPE, recordAudit } from '../audits/store.ts';
import type { Actor } from '../auth/callers.ts';
import { revokeCallers } from '../auth/revocations.ts';
import { timestamp } from '../clock.ts';
import type { Queryable } from '../db/database.ts';
import { newId } from '../db/ids.ts';
import { type Listed, listPage } from '../db/paging.ts';
import { shape } from '../db/shape.ts';
import { forShare, list, raw, type Sql, sql } from '../db/sql.ts';
import { notFound } from '../errors.ts';
import { uniqueHandleOf } from '../handles.ts';
import { enqueue } from '../jobs/queue.ts';
import { membershipOf } from '../members/store.ts';
import { recordEvent } from '../outbox/outbox.ts';
import { recordChange } from '../roll-ups/pending-counts.ts';

const columns = shape<Omit<Workspace, 'role' | 'membersCount'>>({
  id: 'text',
  name: 'text',
  handle: 'text',
  createdAt: 'time',
  updatedAt: 'time',
});

/** The caller's role stands with the workspace, so every read goes through the caller's membership. */
const select = sql`
  select ${columns.of('w')}, m.role, (select count(*) from memberships c where c.workspace_id = w.id) as "membersCount"
  from memberships m join workspaces w on w.id = m.workspace_id`;

export async function createWorkspace(db: Queryable, by: Actor, changes: NewWorkspace, nowMs: number): Promise<Workspace> {
  const now = timestamp(nowMs);
  const workspace: Workspace = {
    id: newId(),
    name: changes.name,
    handle: uniqueHandleOf(changes.name),
    membersCount: 1,
    role: 'owner',
    createdAt: now,
    updatedAt: now,
  };
  await db.batch([
    columns.insertInto('workspaces', [workspace]),
    membershipOf(workspace.id, by.id, workspace.role, nowMs),
    recordChange(workspace.id, ['documents', 'jobsWaiting'], nowMs),
    recordAudit(
      by,
      { workspaceId: workspace.id, action: 'workspace.create', resourceId: workspace.id, detail: { name: workspace.name } },
      nowMs,
    ),
  ]);
  return workspace;
}

export async function listWorkspaces(db: Queryable, userId: string, page: Page): Promise<Listed<Workspace>> {
  return listPage(db, page, {
    rows: sql<Workspace>`${select} where m.user_id = ${userId}`,
    counted: sql`from memberships where user_id = ${userId}`,
    key: 'm.workspace_id',
    keyKind: 'id',
    order: 'desc',
    keyOf: ({ id }) => id,
    longColumns: [],
  });
}

export async function requireWorkspace(db: Queryable, userId: string, workspaceId: string): Promise<Workspace> {
  const workspace = await db.maybeOne(sql<Workspace>`${select} where m.user_id = ${userId} and m.workspace_id = ${workspaceId}`);
  if (!workspace) throw notFound('Workspace');
  return workspace;
}

/** What every member sees of it. */
export async function findWorkspaceName(db: Queryable, workspaceId: string): Promise<Omit<Workspace, 'role' | 'membersCount'> | undefined> {
  return db.maybeOne(sql<Omit<Workspace, 'role' | 'membersCount'>>`select ${columns} from workspaces where id = ${workspaceId}`);
}

/** For a unit that adds to a workspace: not found where it is gone, and held against deletion until the unit ends. */
export function lockWorkspace(workspaceId: string): Sql {
  return sql`select id from workspaces where id = ${workspaceId}${forShare}`.orElse(() => notFound('Workspace'));
}

export async function updateWorkspace(
  db: Queryable,
  by: Actor,
  workspaceId: string,
  changes: WorkspaceChanges,
  nowMs: number,
): Promise<Workspace> {
  const [, , [workspace]] = await db.batch([
    sql`update workspaces set ${columns.assignments({ ...changes, updatedAt: timestamp(nowMs) })} where id = ${workspaceId}`.orElse(() =>
      notFound('Workspace'),
    ),
    recordAudit(by, { workspaceId, action: 'workspace.update', resourceId: workspaceId, detail: changes }, nowMs),
    sql<Workspace>`${select} where m.user_id = ${by.id} and m.workspace_id = ${workspaceId}`.orElse(() => notFound('Workspace')),
    recordEvent({ workspaceId, type: 'workspace.updated', subjectId: workspaceId }, nowMs),
  ]);
  return workspace;
}

/**
 * Gone for every caller with this statement: members, invites and keys go with the workspace, and nothing in it can be
 * reached without them. Its rows follow in the background, in bounded steps.
 */
export async function deleteWorkspace(db: Queryable, by: Actor, workspaceId: string, nowMs: number): Promise<void> {
  await db.batch([
    sql`delete from workspaces where id = ${workspaceId}`.orElse(() => notFound('Workspace')),
    revokeCallers({ workspaceId }),
    recordAudit(by, { workspaceId: ACCOUNT_SCOPE, action: 'workspace.delete', resourceId: workspaceId }, nowMs),
    enqueue({ kind: 'purge-workspace', key: workspaceId, workspaceId, payload: {} }, nowMs),
  ]);
}

export async function workspaceStats(
  db: Queryable,
  workspaceId: string,
  agentIds: readonly string[] | undefined,
  month: string,
): Promise<WorkspaceStats> {
  const ofAgents = (column: 'id' | 'agent_id') => (agentIds ? sql`and ${raw(column)} in ${list(agentIds)}` : sql``);
  const ofSessions = agentIds
    ? sql`and session_id in (select id from sessions where workspace_id = ${workspaceId} ${ofAgents('agent_id')})`
    : sql``;
  const [stats] = await db.query(sql<WorkspaceStats>`
    select
      (select count(*) from agents where workspace_id = ${workspaceId} ${ofAgents('id')}) as agents,
      (select count(*) from sessions where workspace_id = ${workspaceId} ${ofAgents('agent_id')}) as sessions,
      (select count(*) from messages where workspace_id = ${workspaceId} ${ofSessions}) as messages,
      (select count(*) from memories where workspace_id = ${workspaceId} and superseded_at is null ${ofSessions}) as memories,
      (select count(*) from prompts where workspace_id = ${workspaceId}) as prompts,
      (select count(*) from documents where workspace_id = ${workspaceId}) as documents,
      (select count(*) from chunks where workspace_id = ${workspaceId}) as chunks,
      coalesce((select calls from usage_counters where workspace_id = ${workspaceId} and month = ${month}), 0) as "callsThisMonth"`);
  return stats as WorkspaceStats;
}
