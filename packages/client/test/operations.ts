/** Each operation of the API by its name, as the client calls it. An id is its own name in braces, so that the path reads as the API has it. */
import type { Commonplace } from '../src/commonplace.ts';

export type Calls = Readonly<Record<string, (client: Commonplace) => PromiseLike<unknown>>>;

const [agentId, sessionId, messageId, memoryId] = ['{agentId}', '{sessionId}', '{messageId}', '{memoryId}'];
const [promptId, promptVersionId, otherVersionId, promptName] = ['{promptId}', '{promptVersionId}', '{otherVersionId}', '{promptName}'];
const [workspaceId, documentId, keyId, inviteId] = ['{workspaceId}', '{documentId}', '{keyId}', '{inviteId}'];
const [userId, auditId, receiptId] = ['{userId}', '{auditId}', '{receiptId}'];
const [apiKeyId, jobId, token] = ['{apiKeyId}', '{jobId}', '{token}'];
const account = { email: 'ada@example.com', name: 'Ada', password: 'a long and unusual phrase' };
const query = 'seat';

export const operations = {
  createAgent: (c) => c.agents.create({ name: 'Support' }),
  listAgents: (c) => c.agents.list(),
  getAgent: (c) => c.agents.get(agentId),
  updateAgent: (c) => c.agents.update(agentId, {}),
  deleteAgent: (c) => c.agents.delete(agentId),
  buildAgentContext: (c) => c.agents.context(agentId, { labels: { user: '42' } }),

  forgetOfAgent: (c) => c.agents.forget(agentId, { labels: { user: '42' } }),
  forget: (c) => c.forget({ labels: { user: '42' } }),
  listReceipts: (c) => c.receipts.list(),
  getReceipt: (c) => c.receipts.get(receiptId),

  createSession: (c) => c.sessions.create(agentId, { id: 'chat-17' }),
  listSessions: (c) => c.sessions.list(agentId),
  getSession: (c) => c.sessions.get(agentId, sessionId),
  updateSession: (c) => c.sessions.update(agentId, sessionId, {}),
  deleteSession: (c) => c.sessions.delete(agentId, sessionId),
  getSessionByLabels: (c) => c.sessions.getByLabels(agentId, { id: 'chat-17' }),
  updateSessionByLabels: (c) => c.sessions.updateByLabels(agentId, { id: 'chat-17' }, {}),
  deleteSessionByLabels: (c) => c.sessions.deleteByLabels(agentId, { id: 'chat-17' }),
  forkSession: (c) => c.sessions.fork(agentId, sessionId),
  buildSessionContext: (c) => c.sessions.context(agentId, sessionId),

  createMessage: (c) => c.messages.create(agentId, sessionId, { role: 'user', content: 'Hello' }),
  createMessages: (c) => c.messages.createBatch(agentId, sessionId, { messages: [] }),
  listMessages: (c) => c.messages.list(agentId, sessionId),
  getMessage: (c) => c.messages.get(agentId, sessionId, messageId),
  updateMessage: (c) => c.messages.update(agentId, sessionId, messageId, { content: 'Hello' }),
  deleteMessage: (c) => c.messages.delete(agentId, sessionId, messageId),
  deleteMessages: (c) => c.messages.deleteBatch(agentId, sessionId, { ids: [] }),
  searchMessages: (c) => c.messages.search(agentId, sessionId, { query }),
  searchAgentMessages: (c) => c.messages.searchAgent(agentId, { query }),

  createMemory: (c) => c.memories.create(agentId, sessionId, { kind: 'fact', content: 'Likes tea' }),
  createMemories: (c) => c.memories.createBatch(agentId, sessionId, { memories: [] }),
  listMemories: (c) => c.memories.list(agentId, sessionId),
  listAgentMemories: (c) => c.memories.listAgent(agentId),
  getMemory: (c) => c.memories.get(agentId, sessionId, memoryId),
  updateMemory: (c) => c.memories.update(agentId, sessionId, memoryId, {}),
  deleteMemory: (c) => c.memories.delete(agentId, sessionId, memoryId),
  deleteMemories: (c) => c.memories.deleteBatch(agentId, sessionId, { ids: [] }),
  searchMemories: (c) => c.memories.search(agentId, sessionId, { query }),
  searchAgentMemories: (c) => c.memories.searchAgent(agentId, { query }),
  getMemoryHistory: (c) => c.memories.history(agentId, sessionId, memoryId),
  regenerateMemories: (c) => c.memories.regenerate(agentId, sessionId),
  getExtractionStatus: (c) => c.memories.status(agentId, sessionId),

  createPrompt: (c) => c.prompts.create({ name: 'Greeting', type: 'text', content: 'Hello' }),
  listPrompts: (c) => c.prompts.list(),
  getPrompt: (c) => c.prompts.getById(promptId),
  updatePrompt: (c) => c.prompts.update(promptId, {}),
  deletePrompt: (c) => c.prompts.delete(promptId),
  getPromptByName: (c) => c.prompts.getByName(promptName),
  renderPrompt: (c) => c.prompts.render(promptName),
  createPromptVersion: (c) => c.prompts.versions.create(promptId, { type: 'text', content: 'Hello' }),
  listPromptVersions: (c) => c.prompts.versions.list(promptId),
  getPromptVersion: (c) => c.prompts.versions.get(promptId, promptVersionId),
  updatePromptVersion: (c) => c.prompts.versions.update(promptId, promptVersionId, {}),
  deletePromptVersion: (c) => c.prompts.versions.delete(promptId, promptVersionId),
  diffPromptVersions: (c) => c.prompts.versions.diff(promptId, promptVersionId, otherVersionId),

  uploadDocument: (c) => c.documents.upload(new Uint8Array(), { filename: 'a.md' }),
  listDocuments: (c) => c.documents.list(),
  getDocument: (c) => c.documents.get(documentId),
  listDocumentChunks: (c) => c.documents.chunks(documentId),
  getDocumentContent: (c) => c.documents.content(documentId),
  deleteDocument: (c) => c.documents.delete(documentId),
  deleteDocumentByExternalId: (c) => c.documents.deleteByExternalId('handbook'),
  reindexDocument: (c) => c.documents.reindex(documentId),
  searchDocuments: (c) => c.documents.search({ query }),
  searchAgentDocuments: (c) => c.documents.searchAgent(agentId, { query }),

  createWorkspace: (c) => c.workspaces.create({ name: 'Support' }),
  listWorkspaces: (c) => c.workspaces.list(),
  getWorkspace: (c) => c.workspaces.get(workspaceId),
  updateWorkspace: (c) => c.workspaces.update(workspaceId, {}),
  deleteWorkspace: (c) => c.workspaces.delete(workspaceId),
  getWorkspaceStats: (c) => c.workspaces.stats(workspaceId),
  getWorkspaceSeries: (c) => c.workspaces.series(workspaceId, { metric: 'messages' }),
  getWorkspaceUsage: (c) => c.workspaces.usage(workspaceId),
  searchWorkspace: (c) => c.workspaces.search(workspaceId, { query }),

  createAccessKey: (c) => c.accessKeys.create({ name: 'Key', permissions: ['CAN_GET_AGENT'] }),
  listAccessKeys: (c) => c.accessKeys.list(),
  getAccessKey: (c) => c.accessKeys.get(keyId),
  deleteAccessKey: (c) => c.accessKeys.delete(keyId),
  listMembers: (c) => c.members.list(),
  updateMember: (c) => c.members.update(userId, { role: 'admin' }),
  removeMember: (c) => c.members.delete(userId),
  createInvite: (c) => c.invites.create({ email: account.email, role: 'admin' }),
  listInvites: (c) => c.invites.list(),
  getInvite: (c) => c.invites.get(inviteId),
  deleteInvite: (c) => c.invites.delete(inviteId),
  listAudits: (c) => c.audits.list(),
  getAudit: (c) => c.audits.get(auditId),

  listEvents: (c) => c.events.list(),

  listJobs: (c) => c.jobs.list(),
  retryJob: (c) => c.jobs.retry(jobId),

  createApiKey: (c) => c.apiKeys.create({ name: 'Laptop' }),
  listApiKeys: (c) => c.apiKeys.list(),
  getApiKey: (c) => c.apiKeys.get(apiKeyId),
  deleteApiKey: (c) => c.apiKeys.delete(apiKeyId),
  getMe: (c) => c.me.get(),
  updateMe: (c) => c.me.update({}),
  deleteMe: (c) => c.me.delete(),
  listOwnInvites: (c) => c.me.invites.list(),
  acceptInvite: (c) => c.me.invites.accept(token),
  rejectInvite: (c) => c.me.invites.reject(token),
  listOwnAudits: (c) => c.me.audits.list(),

  getAuthStatus: (c) => c.auth.status(),
  setUp: (c) => c.auth.setUp(account),
  register: (c) => c.auth.register(account),
  logIn: (c) => c.auth.logIn(account),
  logOut: (c) => c.auth.logOut(),
  changePassword: (c) => c.auth.changePassword({ currentPassword: account.password, newPassword: account.password }),
  getHealth: (c) => c.health.check(),
  getReadiness: (c) => c.health.ready(),
  getPublicHealth: (c) => c.health.checkPublic(),
  getPublicReadiness: (c) => c.health.readyPublic(),
} satisfies Calls;
