import { Member, MemberChanges, Members } from '@commonplace/contract/members';
import { Page } from '@commonplace/contract/wire';
import { users, usersOrThemselves } from '../auth/access.ts';
import type { Context } from '../context.ts';
import type { Api } from '../http/api.ts';
import { changeMemberRole, listMembers, removeMember } from './store.ts';

/** The members of a workspace: …/workspaces/{workspaceId}/members */
export function memberRoutes(api: Api, _context: Context): void {
  api.tag('Members', 'Who belongs to a workspace, and in which role.');
  api.route({
    method: 'GET',
    path: '/workspaces/:workspaceId/members',
    name: 'listMembers',
    tag: 'Members',
    summary: 'List the members',
    description: 'In the order in which they joined.',
    access: users('CAN_LIST_WORKSPACE_MEMBERS'),
    query: Page,
    answers: { status: 200, body: Members },
    handle: async ({ db, params, query }) => {
      const { rows, meta } = await listMembers(db, params.workspaceId, query);
      return { members: rows, _meta: meta };
    },
  });
  api.route({
    method: 'PUT',
    path: '/workspaces/:workspaceId/members/:userId',
    resources: { userId: 'Member' },
    name: 'updateMember',
    tag: 'Members',
    summary: 'Change the role of a member',
    description: 'Only owners touch owners. The last owner stays one.',
    access: users('CAN_UPDATE_MEMBER_ROLE'),
    body: MemberChanges,
    stores: 'nothing',
    answers: { status: 200, body: Member },
    fails: [409],
    handle: ({ db, by, params, body, nowMs }) => changeMemberRole(db, by, params.workspaceId, params.userId, body.role, nowMs),
  });
  api.route({
    method: 'DELETE',
    path: '/workspaces/:workspaceId/members/:userId',
    resources: { userId: 'Member' },
    name: 'removeMember',
    tag: 'Members',
    summary: 'Remove a member',
    description: 'Anyone may remove themselves. Only owners remove owners; the last owner can’t be removed.',
    access: usersOrThemselves('CAN_REMOVE_MEMBER'),
    answers: { status: 204 },
    fails: [409],
    handle: ({ db, by, params, nowMs }) => removeMember(db, by, params.workspaceId, params.userId, nowMs),
  });
}
