import { AccountAuditQuery, Audit, AuditQuery, Audits } from '@commonplace/contract/audits';
import { users } from '../auth/access.ts';
import type { Context } from '../context.ts';
import type { Api } from '../http/api.ts';
import { ACCOUNT_SCOPE, listAudits, requireAudit } from './store.ts';

/** Who did what, when and from where: …/workspaces/{workspaceId}/audits, and of the caller's own account /me/audits */
export function auditRoutes(api: Api, _context: Context): void {
  api.tag('Audits', 'Who did what to which resource, when and from where.');
  api.route({
    method: 'GET',
    path: '/workspaces/:workspaceId/audits',
    name: 'listAudits',
    tag: 'Audits',
    summary: 'List the audit log',
    description: 'Newest first. Every administrative change and every deletion, written in the same transaction as the change.',
    access: users('CAN_LIST_WORKSPACE_AUDITS'),
    query: AuditQuery,
    answers: { status: 200, body: Audits },
    handle: async ({ db, params, query }) => {
      const { rows, meta } = await listAudits(db, params.workspaceId, query);
      return { audits: rows, _meta: meta };
    },
  });
  api.route({
    method: 'GET',
    path: '/workspaces/:workspaceId/audits/:auditId',
    name: 'getAudit',
    tag: 'Audits',
    summary: 'Read one entry of the audit log',
    access: users('CAN_GET_WORKSPACE_AUDIT'),
    answers: { status: 200, body: Audit },
    handle: ({ db, params }) => requireAudit(db, params.workspaceId, params.auditId),
  });
  api.route({
    method: 'GET',
    path: '/me/audits',
    name: 'listOwnAudits',
    tag: 'Audits',
    summary: 'List what happened to the caller’s own account',
    description:
      'Newest first: signing in and out, wrong passwords (`user.login_failed`, those of ten minutes together), changes of the account and its API keys, workspaces that the caller deleted.',
    access: users(),
    query: AccountAuditQuery,
    answers: { status: 200, body: Audits },
    handle: async ({ db, caller, query }) => {
      const { rows, meta } = await listAudits(db, ACCOUNT_SCOPE, { ...query, actorId: caller.userId });
      return { audits: rows, _meta: meta };
    },
  });
}
