import { Page } from '@commonplace/contract/wire';
import { NewWorkspace, Workspace, WorkspaceChanges, WorkspaceStats, Workspaces } from '@commonplace/contract/workspaces';
import { narrowed, users, usersAndAnyKey } from '../auth/access.ts';
import type { Context } from '../context.ts';
import type { Api } from '../http/api.ts';
import { createWorkspace, deleteWorkspace, listWorkspaces, requireWorkspace, updateWorkspace, workspaceStats } from './store.ts';

/** Workspaces, the containers of everything else: /workspaces */
export function workspaceRoutes(api: Api, { usage }: Context): void {
  api.tag('Workspaces', 'Where a team keeps everything: members, keys, agents, prompts and knowledge.');
  api.route({
    method: 'POST',
    path: '/workspaces',
    name: 'createWorkspace',
    tag: 'Workspaces',
    summary: 'Make a workspace',
    description: 'The caller becomes its owner.',
    access: users(),
    body: NewWorkspace,
    stores: 'nothing',
    answers: { status: 201, body: Workspace },
    handle: ({ db, by, body, nowMs }) => createWorkspace(db, by, body, nowMs),
  });
  api.route({
    method: 'GET',
    path: '/workspaces',
    name: 'listWorkspaces',
    tag: 'Workspaces',
    summary: 'List the caller’s workspaces',
    description: 'Newest first.',
    access: users(),
    query: Page,
    answers: { status: 200, body: Workspaces },
    handle: async ({ db, caller, query }) => {
      const { rows, meta } = await listWorkspaces(db, caller.userId, query);
      return { workspaces: rows, _meta: meta };
    },
  });
  api.route({
    method: 'GET',
    path: '/workspaces/:workspaceId',
    name: 'getWorkspace',
    tag: 'Workspaces',
    summary: 'Read a workspace',
    access: users('CAN_GET_WORKSPACE'),
    answers: { status: 200, body: Workspace },
    handle: ({ db, caller, params }) => requireWorkspace(db, caller.userId, params.workspaceId),
  });
  api.route({
    method: 'PUT',
    path: '/workspaces/:workspaceId',
    name: 'updateWorkspace',
    tag: 'Workspaces',
    summary: 'Rename a workspace',
    access: users('CAN_UPDATE_WORKSPACE'),
    body: WorkspaceChanges,
    stores: 'nothing',
    answers: { status: 200, body: Workspace },
    handle: ({ db, by, params, body, nowMs }) => updateWorkspace(db, by, params.workspaceId, body, nowMs),
  });
  api.route({
    method: 'DELETE',
    path: '/workspaces/:workspaceId',
    name: 'deleteWorkspace',
    tag: 'Workspaces',
    summary: 'Delete a workspace and everything in it',
    description: 'Gone for every caller at once, and no key of it works any more.',
    access: users('CAN_DELETE_WORKSPACE'),
    answers: { status: 204 },
    handle: ({ db, by, params, nowMs }) => deleteWorkspace(db, by, params.workspaceId, nowMs),
  });
  api.route({
    method: 'GET',
    path: '/workspaces/:workspaceId/stats',
    name: 'getWorkspaceStats',
    tag: 'Workspaces',
    summary: 'Count what is in a workspace',
    description: 'Any access key of the workspace may ask; one that is limited to agents counts what is theirs.',
    access: narrowed(usersAndAnyKey('CAN_GET_WORKSPACE')),
    answers: { status: 200, body: WorkspaceStats },
    handle: async ({ db, params, agentIds }) => {
      const stats = await workspaceStats(db, params.workspaceId, agentIds, usage.month());
      return { ...stats, callsThisMonth: stats.callsThisMonth + usage.pending(params.workspaceId) };
    },
  });
}
