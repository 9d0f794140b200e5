import { Forgetting, Receipt, ReceiptQuery, Receipts } from '@commonplace/contract/receipts';
import { requireAgent } from '../agents/store.ts';
import { users } from '../auth/access.ts';
import type { Context } from '../context.ts';
import type { Api } from '../http/api.ts';
import { listReceipts, requireReceipt } from './store.ts';

const workspacePath = '/workspaces/:workspaceId' as const;

const description =
  'Every session that has all of these labels goes, with its messages, its memories and whatever else was made of them: when the answer is there, nothing is left. Done again it answers with counts of 0, which proves it. Should it break off, the same call again finishes it.';

/** Forgetting a subject, and the receipts of it: …/forget and …/workspaces/{workspaceId}/receipts */
export function forgettingRoutes(api: Api, { forgetter }: Context): void {
  api.tag('Forgetting', 'Taking everything of a subject away for good, with a receipt.');
  api.route({
    method: 'POST',
    path: `${workspacePath}/agents/:agentId/forget`,
    name: 'forgetOfAgent',
    tag: 'Forgetting',
    summary: 'Forget a subject of an agent',
    description,
    access: users('CAN_DELETE_AGENT_SESSION'),
    body: Forgetting,
    stores: 'nothing',
    isRepeatable: true,
    answers: { status: 200, body: Receipt },
    handle: async ({ db, by, params: { workspaceId, agentId }, body: { labels } }) => {
      await requireAgent(db, workspaceId, agentId);
      return forgetter.forgetSubject({ workspaceId, agentId, labels }, by);
    },
  });
  api.route({
    method: 'POST',
    path: `${workspacePath}/forget`,
    name: 'forget',
    tag: 'Forgetting',
    summary: 'Forget a subject of all agents',
    description,
    access: users('CAN_DELETE_AGENT_SESSION'),
    body: Forgetting,
    stores: 'nothing',
    isRepeatable: true,
    answers: { status: 200, body: Receipt },
    handle: ({ by, params: { workspaceId }, body: { labels } }) => forgetter.forgetSubject({ workspaceId, agentId: undefined, labels }, by),
  });
  api.route({
    method: 'GET',
    path: `${workspacePath}/receipts`,
    name: 'listReceipts',
    tag: 'Forgetting',
    summary: 'List the receipts of what was forgotten',
    description: 'Newest first.',
    access: users('CAN_LIST_WORKSPACE_AUDITS'),
    query: ReceiptQuery,
    answers: { status: 200, body: Receipts },
    handle: async ({ db, params, query }) => {
      const { rows, meta } = await listReceipts(db, params.workspaceId, query);
      return { receipts: rows, _meta: meta };
    },
  });
  api.route({
    method: 'GET',
    path: `${workspacePath}/receipts/:receiptId`,
    name: 'getReceipt',
    tag: 'Forgetting',
    summary: 'Read a receipt',
    access: users('CAN_GET_WORKSPACE_AUDIT'),
    answers: { status: 200, body: Receipt },
    handle: ({ db, params }) => requireReceipt(db, params.workspaceId, params.receiptId),
  });
}
