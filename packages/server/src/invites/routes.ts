import { CreatedInvite, Invite, Invites, NewInvite } from '@commonplace/contract/invites';
import { Page } from '@commonplace/contract/wire';
import { users } from '../auth/access.ts';
import type { Context } from '../context.ts';
import type { Api } from '../http/api.ts';
import { acceptInvite, createInvite, deleteInvite, listInvites, listPendingInvites, rejectInvite, requireInvite } from './store.ts';

/** Invites of a workspace, and the caller's own: …/workspaces/{workspaceId}/invites, /invites */
export function inviteRoutes(api: Api, _context: Context): void {
  api.tag('Invites', 'Asking people into a workspace, and their answers.');
  api.route({
    method: 'POST',
    path: '/workspaces/:workspaceId/invites',
    name: 'createInvite',
    tag: 'Invites',
    summary: 'Invite somebody',
    description: 'Valid for 7 days. The token is shown once.',
    access: users('CAN_INVITE_MEMBER'),
    body: NewInvite,
    stores: 'nothing',
    answers: { status: 201, body: CreatedInvite },
    made: (invite) => ({ resource: 'invite', id: invite.id }),
    handle: ({ db, by, params, body, nowMs }) => createInvite(db, by, params.workspaceId, body, nowMs),
  });
  api.route({
    method: 'GET',
    path: '/workspaces/:workspaceId/invites',
    name: 'listInvites',
    tag: 'Invites',
    summary: 'List the invites',
    description: 'Newest first.',
    access: users('CAN_LIST_WORKSPACE_INVITES'),
    query: Page,
    answers: { status: 200, body: Invites },
    handle: async ({ db, params, query, nowMs }) => {
      const { rows, meta } = await listInvites(db, params.workspaceId, query, nowMs);
      return { invites: rows, _meta: meta };
    },
  });
  api.route({
    method: 'GET',
    path: '/workspaces/:workspaceId/invites/:inviteId',
    name: 'getInvite',
    tag: 'Invites',
    summary: 'Read an invite',
    access: users('CAN_GET_WORKSPACE_INVITE'),
    answers: { status: 200, body: Invite },
    handle: ({ db, params, nowMs }) => requireInvite(db, params.workspaceId, params.inviteId, nowMs),
  });
  api.route({
    method: 'DELETE',
    path: '/workspaces/:workspaceId/invites/:inviteId',
    name: 'deleteInvite',
    tag: 'Invites',
    summary: 'Withdraw an invite',
    access: users('CAN_REMOVE_INVITE'),
    answers: { status: 204 },
    handle: ({ db, by, params, nowMs }) => deleteInvite(db, by, params.workspaceId, params.inviteId, nowMs),
  });
  api.route({
    method: 'GET',
    path: '/invites',
    name: 'listOwnInvites',
    tag: 'Invites',
    summary: 'List the caller’s own pending invites',
    description: 'Newest first.',
    access: users(),
    query: Page,
    answers: { status: 200, body: Invites },
    handle: async ({ db, caller, query, nowMs }) => {
      const { rows, meta } = await listPendingInvites(db, caller.email, query, nowMs);
      return { invites: rows, _meta: meta };
    },
  });
  api.route({
    method: 'POST',
    path: '/invites/:token/accept',
    resources: { token: 'Invite' },
    name: 'acceptInvite',
    tag: 'Invites',
    summary: 'Accept an invite',
    description: 'With the token that the invite was made with; it must be for the caller’s own e-mail address.',
    access: users(),
    stores: 'nothing',
    answers: { status: 200, body: Invite },
    handle: ({ db, by, caller, params, nowMs }) => acceptInvite(db, by, caller.email, params.token, nowMs),
  });
  api.route({
    method: 'POST',
    path: '/invites/:token/reject',
    resources: { token: 'Invite' },
    name: 'rejectInvite',
    tag: 'Invites',
    summary: 'Reject an invite',
    access: users(),
    stores: 'nothing',
    answers: { status: 200, body: Invite },
    handle: ({ db, by, caller, params, nowMs }) => rejectInvite(db, by, caller.email, params.token, nowMs),
  });
}
