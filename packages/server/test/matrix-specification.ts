/** Who may call what, as the specification says it: written by hand, so that a wrong declaration can’t prove itself. */
import type { Permission } from '@commonplace/contract/permissions';

/** `U` = a user, `B` = a user or an access key, `P` = public, as in the specification. */
export type Auth = 'U' | 'B' | 'P';

interface Rule {
  readonly auth: Auth;
  readonly permissions: readonly Permission[];
  /** Of an answer that is made of parts: what reading each of them needs. */
  readonly parts?: Readonly<Record<string, readonly Permission[]>>;
}

const W = '/workspaces/:workspaceId';
const A = `${W}/agents/:agentId`;
const S = `${A}/sessions/:sessionId`;

const rule = (auth: Auth, ...permissions: Permission[]): Rule => ({ auth, permissions });

/** “Needs for each kind the permission of reading it”: that of the calls that it takes the place of. */
const context: Rule = {
  auth: 'B',
  permissions: [],
  parts: {
    prompt: ['CAN_GET_PROMPT'],
    summary: ['CAN_LIST_SESSION_MEMORIES'],
    memories: ['CAN_QUERY_SESSION_MEMORIES'],
    knowledge: ['CAN_QUERY_WORKSPACE_DOCUMENTS'],
    messages: ['CAN_LIST_SESSION_MESSAGES', 'CAN_QUERY_SESSION_MESSAGES'],
  },
};

/** “That of reading what the event is about; others are left out.” */
const events: Rule = {
  auth: 'B',
  permissions: [],
  parts: {
    workspace: ['CAN_GET_WORKSPACE'],
    member: ['CAN_LIST_WORKSPACE_MEMBERS'],
    invite: ['CAN_GET_WORKSPACE_INVITE'],
    key: ['CAN_GET_WORKSPACE_ACCESS_KEY'],
    agent: ['CAN_GET_AGENT'],
    session: ['CAN_GET_AGENT_SESSION'],
    message: ['CAN_GET_SESSION_MESSAGE'],
    memory: ['CAN_GET_SESSION_MEMORY'],
    prompt: ['CAN_GET_PROMPT'],
    prompt_version: ['CAN_GET_PROMPT'],
    document: ['CAN_LIST_WORKSPACE_DOCUMENTS'],
    webhook: ['CAN_LIST_WORKSPACE_WEBHOOKS'],
    subject: ['CAN_LIST_WORKSPACE_AUDITS'],
  },
};

export const specification: Readonly<Record<string, Rule>> = {
  'GET /_health': rule('P'),
  'GET /public/_health': rule('P'),
  'GET /_ready': rule('P'),
  'GET /public/_ready': rule('P'),
  'GET /auth/status': rule('P'),
  'POST /auth/setup': rule('P'),
  'POST /auth/register': rule('P'),
  'POST /auth/login': rule('P'),
  'POST /auth/logout': rule('U'),
  'PUT /auth/password': rule('U'),
  'GET /me': rule('B'),
  'PUT /me': rule('U'),
  'GET /me/audits': rule('U'),
  'POST /apiKeys': rule('U'),
  'GET /apiKeys': rule('U'),
  'GET /apiKeys/:apiKeyId': rule('U'),
  'DELETE /apiKeys/:apiKeyId': rule('U'),
  'POST /workspaces': rule('U'),
  'GET /workspaces': rule('U'),
  [`GET ${W}`]: rule('U', 'CAN_GET_WORKSPACE'),
  [`PUT ${W}`]: rule('U', 'CAN_UPDATE_WORKSPACE'),
  [`DELETE ${W}`]: rule('U', 'CAN_DELETE_WORKSPACE'),
  [`GET ${W}/stats`]: rule('B', 'CAN_GET_WORKSPACE'),
  [`GET ${W}/stats/series`]: {
    ...rule('U', 'CAN_GET_WORKSPACE'),
    // Whose calls each key made is for those who may list the keys.
    parts: { series: ['CAN_GET_WORKSPACE'], keys: ['CAN_LIST_WORKSPACE_ACCESS_KEYS'] },
  },
  [`GET ${W}/usage`]: rule('B', 'CAN_GET_WORKSPACE'),
  [`GET ${W}/events`]: events,
  [`POST ${W}/keys`]: rule('U', 'CAN_CREATE_WORKSPACE_ACCESS_KEY'),
  [`GET ${W}/keys`]: rule('U', 'CAN_LIST_WORKSPACE_ACCESS_KEYS'),
  [`GET ${W}/keys/:keyId`]: rule('U', 'CAN_GET_WORKSPACE_ACCESS_KEY'),
  [`DELETE ${W}/keys/:keyId`]: rule('U', 'CAN_DELETE_WORKSPACE_ACCESS_KEY'),
  [`GET ${W}/members`]: rule('U', 'CAN_LIST_WORKSPACE_MEMBERS'),
  [`PUT ${W}/members/:userId`]: rule('U', 'CAN_UPDATE_MEMBER_ROLE'),
  [`DELETE ${W}/members/:userId`]: rule('U', 'CAN_REMOVE_MEMBER'),
  [`POST ${W}/invites`]: rule('U', 'CAN_INVITE_MEMBER'),
  [`GET ${W}/invites`]: rule('U', 'CAN_LIST_WORKSPACE_INVITES'),
  [`GET ${W}/invites/:inviteId`]: rule('U', 'CAN_GET_WORKSPACE_INVITE'),
  [`DELETE ${W}/invites/:inviteId`]: rule('U', 'CAN_REMOVE_INVITE'),
  'GET /invites': rule('U'),
  'POST /invites/:token/accept': rule('U'),
  'POST /invites/:token/reject': rule('U'),
  [`GET ${W}/audits`]: rule('U', 'CAN_LIST_WORKSPACE_AUDITS'),
  [`GET ${W}/audits/:auditId`]: rule('U', 'CAN_GET_WORKSPACE_AUDIT'),
  [`GET ${W}/receipts`]: rule('U', 'CAN_LIST_WORKSPACE_AUDITS'),
  [`GET ${W}/receipts/:receiptId`]: rule('U', 'CAN_GET_WORKSPACE_AUDIT'),
  [`POST ${W}/forget`]: rule('U', 'CAN_DELETE_AGENT_SESSION'),
  [`POST ${A}/forget`]: rule('U', 'CAN_DELETE_AGENT_SESSION'),

  [`POST ${W}/webhooks`]: rule('U', 'CAN_MANAGE_WORKSPACE_WEBHOOKS'),
  [`GET ${W}/webhooks`]: rule('U', 'CAN_LIST_WORKSPACE_WEBHOOKS'),
  [`GET ${W}/webhooks/:webhookId`]: rule('U', 'CAN_LIST_WORKSPACE_WEBHOOKS'),
  [`PUT ${W}/webhooks/:webhookId`]: rule('U', 'CAN_MANAGE_WORKSPACE_WEBHOOKS'),
  [`DELETE ${W}/webhooks/:webhookId`]: rule('U', 'CAN_MANAGE_WORKSPACE_WEBHOOKS'),
  [`POST ${W}/webhooks/:webhookId/test`]: rule('U', 'CAN_MANAGE_WORKSPACE_WEBHOOKS'),
  [`POST ${W}/webhooks/:webhookId/rotate`]: rule('U', 'CAN_MANAGE_WORKSPACE_WEBHOOKS'),
  [`GET ${W}/webhooks/:webhookId/deliveries`]: rule('U', 'CAN_LIST_WORKSPACE_WEBHOOKS'),
  [`POST ${W}/webhooks/:webhookId/deliveries/:deliveryId/redeliver`]: rule('U', 'CAN_MANAGE_WORKSPACE_WEBHOOKS'),
  [`GET ${W}/jobs`]: rule('U', 'CAN_GET_WORKSPACE'),
  [`POST ${W}/jobs/:jobId/retry`]: rule(
    'U',
    'CAN_CREATE_WORKSPACE_DOCUMENT',
    'CAN_CREATE_SESSION_MEMORY',
    'CAN_DELETE_SESSION_MEMORY',
    'CAN_UPDATE_SESSION_MESSAGE',
  ),

  [`GET ${W}/agents`]: rule('B', 'CAN_LIST_AGENTS'),
  [`POST ${W}/agents`]: rule('B', 'CAN_CREATE_AGENT'),
  [`GET ${A}`]: rule('B', 'CAN_GET_AGENT'),
  [`PUT ${A}`]: rule('B', 'CAN_UPDATE_AGENT'),
  [`DELETE ${A}`]: rule('B', 'CAN_DELETE_AGENT'),

  [`POST ${A}/sessions`]: rule('B', 'CAN_CREATE_AGENT_SESSION'),
  [`GET ${A}/sessions`]: rule('B', 'CAN_LIST_AGENT_SESSIONS'),
  [`GET ${A}/sessions/by-labels`]: rule('B', 'CAN_GET_AGENT_SESSION'),
  [`PUT ${A}/sessions/by-labels`]: rule('B', 'CAN_UPDATE_AGENT_SESSION'),
  [`DELETE ${A}/sessions/by-labels`]: rule('B', 'CAN_DELETE_AGENT_SESSION'),
  [`GET ${S}`]: rule('B', 'CAN_GET_AGENT_SESSION'),
  [`PUT ${S}`]: rule('B', 'CAN_UPDATE_AGENT_SESSION'),
  [`DELETE ${S}`]: rule('B', 'CAN_DELETE_AGENT_SESSION'),
  [`POST ${S}/context`]: context,
  [`POST ${A}/context`]: context,

  [`GET ${S}/messages`]: rule('B', 'CAN_LIST_SESSION_MESSAGES'),
  [`POST ${S}/messages`]: rule('B', 'CAN_CREATE_SESSION_MESSAGE'),
  [`POST ${S}/messages/batch`]: rule('B', 'CAN_CREATE_SESSION_MESSAGE'),
  [`POST ${S}/messages/search`]: rule('B', 'CAN_QUERY_SESSION_MESSAGES'),
  [`DELETE ${S}/messages/batch`]: rule('B', 'CAN_DELETE_SESSION_MESSAGE'),
  [`GET ${S}/messages/:messageId`]: rule('B', 'CAN_GET_SESSION_MESSAGE'),
  [`PUT ${S}/messages/:messageId`]: rule('B', 'CAN_UPDATE_SESSION_MESSAGE'),
  [`DELETE ${S}/messages/:messageId`]: rule('B', 'CAN_DELETE_SESSION_MESSAGE'),

  [`GET ${S}/memories`]: rule('B', 'CAN_LIST_SESSION_MEMORIES'),
  [`POST ${S}/memories`]: rule('B', 'CAN_CREATE_SESSION_MEMORY'),
  [`POST ${S}/memories/batch`]: rule('B', 'CAN_CREATE_SESSION_MEMORY'),
  [`POST ${S}/memories/search`]: rule('B', 'CAN_QUERY_SESSION_MEMORIES'),
  [`POST ${S}/memories/regenerate`]: rule('B', 'CAN_CREATE_SESSION_MEMORY', 'CAN_DELETE_SESSION_MEMORY'),
  [`DELETE ${S}/memories/batch`]: rule('B', 'CAN_DELETE_SESSION_MEMORY'),
  [`GET ${S}/memories/:memoryId`]: rule('B', 'CAN_GET_SESSION_MEMORY'),
  [`PUT ${S}/memories/:memoryId`]: rule('B', 'CAN_UPDATE_SESSION_MEMORY'),
  [`DELETE ${S}/memories/:memoryId`]: rule('B', 'CAN_DELETE_SESSION_MEMORY'),

  [`GET ${W}/prompts`]: rule('B', 'CAN_LIST_PROMPTS'),
  [`POST ${W}/prompts`]: rule('B', 'CAN_CREATE_PROMPT'),
  [`GET ${W}/prompts/:promptId`]: rule('B', 'CAN_GET_PROMPT'),
  [`PUT ${W}/prompts/:promptId`]: rule('B', 'CAN_UPDATE_PROMPT'),
  [`DELETE ${W}/prompts/:promptId`]: rule('B', 'CAN_DELETE_PROMPT'),
  [`PUT ${W}/prompts/:promptId/versions/:promptVersionId`]: rule('B', 'CAN_UPDATE_PROMPT'),
  [`DELETE ${W}/prompts/:promptId/versions/:promptVersionId`]: rule('B', 'CAN_DELETE_PROMPT'),

  [`GET ${W}/documents`]: rule('B', 'CAN_LIST_WORKSPACE_DOCUMENTS'),
  [`POST ${W}/documents`]: rule('B', 'CAN_CREATE_WORKSPACE_DOCUMENT'),
  [`DELETE ${W}/documents`]: rule('B', 'CAN_DELETE_WORKSPACE_DOCUMENT'),
  [`POST ${W}/documents/search`]: rule('B', 'CAN_QUERY_WORKSPACE_DOCUMENTS'),
  [`GET ${W}/documents/:documentId`]: rule('B', 'CAN_LIST_WORKSPACE_DOCUMENTS'),
  [`DELETE ${W}/documents/:documentId`]: rule('B', 'CAN_DELETE_WORKSPACE_DOCUMENT'),
  [`GET ${W}/documents/:documentId/chunks`]: rule('B', 'CAN_LIST_WORKSPACE_DOCUMENTS'),
  [`GET ${W}/documents/:documentId/content`]: rule('B', 'CAN_LIST_WORKSPACE_DOCUMENTS'),
};

/** A key that is limited to agents: whatever is below an agent, lists and counts of its agents alone, and what no agent owns. */
export function isForLimitedKeys(title: string): boolean {
  const narrowed = [`GET ${W}/agents`, `GET ${W}/stats`, `GET ${W}/usage`, `GET ${W}/events`, `POST ${W}/search`];
  return title.includes(`${A}`) || narrowed.includes(title) || new RegExp(` ${W}/(prompts|promptsByName|documents)\\b`).test(title);
}

/** “readonly: what reads (every GET and every search), but no keys, invites or audits”, and receipts are for admins and owners. */
export function isForReaders(title: string): boolean {
  const reads = title.startsWith('GET ') || title.endsWith('/search');
  return reads && !/\/(keys|invites|audits|receipts|webhooks)\b/.test(title);
}
