/** What goes over the wire. Made by scripts/client-types.ts from the contract; not to be edited by hand. */

export interface AccessKey {
  id: string;
  workspaceId: string;
  name: string;
  permissions: Permission[];
  /** The agents that the key is limited to; absent where it reaches all of its workspace. */
  agentIds?: string[];
  /** The first and last characters of the key, to tell keys apart. */
  hint: string;
  createdBy: string;
  expiresAt: string | null;
  /** Kept to the minute. */
  lastUsedAt: string | null;
  createdAt: string;
  updatedAt: string;
}

export interface Agent {
  id: string;
  workspaceId: string;
  name: string;
  kind: 'unmanaged';
  /** Made from the name, unique in the workspace; never changes. */
  handle: string;
  description: string;
  status: 'active' | 'archived';
  configs: AgentConfigs;
  promptId: string | null;
  /** Narrows what knowledge this agent sees. */
  kbLabels: Record<string, string>;
  createdAt: string;
  updatedAt: string;
}

export interface AgentChanges {
  name?: string;
  configs?: AgentConfigChanges | null;
  promptId?: string | null;
  kbLabels?: Record<string, string> | null;
  description?: string | null;
  status?: 'active' | 'archived';
}

export interface AgentConfigChanges {
  /** Whether messages feed the extraction of memories. Of a new agent false when absent. */
  memoryPipeline?: boolean;
  /** The key of a label that names a person: sessions with the same value share what is remembered. Null or an empty one takes it away. */
  memorySubject?: string | null;
  /** After how many days without a message a session is forgotten for good. Null takes it away. */
  retentionDays?: number | null;
}

export interface AgentConfigs {
  /** Whether messages feed the extraction of memories. */
  memoryPipeline: boolean;
  /** The key of a label that names a person: sessions with the same value share what is remembered. */
  memorySubject?: string;
  /** After how many days without a message a session is forgotten for good. */
  retentionDays?: number;
}

export interface AgentContextRequest {
  /** What the context has to bear on; the latest message of the user when absent. */
  query?: string | null;
  /** What `tokens` of the answer never passes. Default: `4000`. */
  tokenBudget?: number;
  /** What may be in it; all that the caller may read when absent. */
  include?: ('prompt' | 'summary' | 'memories' | 'knowledge' | 'messages')[] | null;
  variables?: Record<string, string | number | boolean> | null;
  version?: string | null;
  /** How tokens are counted: as models do, or roughly by the number of characters. Default: `"o200k_base"`. */
  tokenizer?: 'o200k_base' | 'cl100k_base' | 'estimate';
  /** Says in `omitted` what nearly came in, and why it did not. */
  explain?: boolean | null;
  /** Of the sessions: every pair must match. */
  labels: Record<string, string>;
  /** Also what is in sessions that are archived; false when absent. */
  includeArchived?: boolean | null;
}

export interface AgentMemorySearch {
  /** What to look for, in words. */
  query: string;
  /** How many hits to return, 1 to 100; 0 means the default. Default: `10`. */
  limit?: number;
  /** Leaves out hits below this score. */
  minScore?: number | null;
  /** Says why each hit ranks where it does. */
  explain?: boolean | null;
  kinds?: ('summary' | 'fact' | 'preference' | 'short_lived' | 'long_lived')[] | null;
  /** What was held true at this moment. */
  asOf?: string | null;
  /** Of `meta`: every key must hold the value, or one of a list of values; where `meta` holds a list there, one of its elements must. Types count: `"1"` is not `1`. */
  where?: Record<string, (string | number | boolean | null)[] | string | number | boolean | null> | null;
  /** Of the sessions: every pair must match. */
  labels?: Record<string, string> | null;
  /** Also what is in sessions that are archived; false when absent. */
  includeArchived?: boolean | null;
}

export interface AgentMessageSearch {
  /** What to look for, in words. */
  query: string;
  /** How many hits to return, 1 to 100; 0 means the default. Default: `10`. */
  limit?: number;
  /** Leaves out hits below this score. */
  minScore?: number | null;
  /** Says why each hit ranks where it does. */
  explain?: boolean | null;
  roles?: ('system' | 'user' | 'assistant')[] | null;
  since?: string | null;
  until?: string | null;
  /** Of `meta`: every key must hold the value, or one of a list of values; where `meta` holds a list there, one of its elements must. Types count: `"1"` is not `1`. */
  where?: Record<string, (string | number | boolean | null)[] | string | number | boolean | null> | null;
  /** Of the sessions: every pair must match. */
  labels?: Record<string, string> | null;
  /** Also what is in sessions that are archived; false when absent. */
  includeArchived?: boolean | null;
}

export interface ApiKey {
  id: string;
  userId: string;
  name: string;
  /** The first and last characters of the key, to tell keys apart. */
  hint: string;
  expiresAt: string | null;
  /** Kept to the minute. */
  lastUsedAt: string | null;
  createdAt: string;
  updatedAt: string;
}

export interface Audit {
  id: string;
  /** All zeros where the entry belongs to an account and to no workspace. */
  workspaceId: string;
  /** Such as `access_key.create`. */
  action: string;
  actorType: 'user' | 'access-key' | 'system';
  actorId: string;
  actorName: string;
  resourceType: string;
  resourceId: string;
  /** What changed. Never a secret. */
  detail: unknown;
  address: string;
  requestId: string;
  createdAt: string;
}

export interface AuthStatus {
  needsSetup: boolean;
  registration: 'open' | 'invite';
}

export interface ChatMessage {
  role: string;
  content: string;
}

export interface ContextMessage {
  role: 'system' | 'user' | 'assistant';
  content: string;
}

export interface ContextPiece {
  type: 'prompt' | 'summary' | 'memory' | 'knowledge' | 'message';
  /** Of the prompt version, memory, chunk or message. */
  id: string;
  text: string;
  /** Of the text alone. */
  tokens: number;
  /** 0 to 1: how likely it is an answer to the query, whatever its type; absent where it did not come by that. */
  score?: number;
  sessionId?: string;
  role?: 'system' | 'user' | 'assistant';
  createdAt?: string;
  kind?: 'summary' | 'fact' | 'preference' | 'short_lived' | 'long_lived';
  documentId?: string;
  title?: string;
}

export interface ContextRequest {
  /** What the context has to bear on; the latest message of the user when absent. */
  query?: string | null;
  /** What `tokens` of the answer never passes. Default: `4000`. */
  tokenBudget?: number;
  /** What may be in it; all that the caller may read when absent. */
  include?: ('prompt' | 'summary' | 'memories' | 'knowledge' | 'messages')[] | null;
  variables?: Record<string, string | number | boolean> | null;
  version?: string | null;
  /** How tokens are counted: as models do, or roughly by the number of characters. Default: `"o200k_base"`. */
  tokenizer?: 'o200k_base' | 'cl100k_base' | 'estimate';
  /** Says in `omitted` what nearly came in, and why it did not. */
  explain?: boolean | null;
}

export interface CreatedAccessKey {
  id: string;
  workspaceId: string;
  name: string;
  permissions: Permission[];
  /** The agents that the key is limited to; absent where it reaches all of its workspace. */
  agentIds?: string[];
  /** The first and last characters of the key, to tell keys apart. */
  hint: string;
  createdBy: string;
  expiresAt: string | null;
  /** Kept to the minute. */
  lastUsedAt: string | null;
  createdAt: string;
  updatedAt: string;
  /** Shown once; only a hash is kept. */
  key: string;
}

export interface CreatedApiKey {
  id: string;
  userId: string;
  name: string;
  /** The first and last characters of the key, to tell keys apart. */
  hint: string;
  expiresAt: string | null;
  /** Kept to the minute. */
  lastUsedAt: string | null;
  createdAt: string;
  updatedAt: string;
  /** Shown once; only a hash is kept. */
  key: string;
}

export interface CreatedInvite {
  id: string;
  workspaceId: string;
  workspaceName: string;
  email: string;
  role: 'owner' | 'admin' | 'readonly';
  status: 'pending' | 'accepted' | 'rejected' | 'expired';
  invitedBy: string;
  expiresAt: string;
  createdAt: string;
  updatedAt: string;
  /** Shown once. Whoever is invited accepts with it. */
  token: string;
}

export interface CreatedWebhook {
  id: string;
  workspaceId: string;
  url: string;
  /** The types of events that are sent; empty for all. */
  types: string[];
  description: string;
  status: 'active' | 'disabled';
  /** Why the service switched it off; null where it did not. */
  disabledReason: string | null;
  /** When something was last taken; kept to the minute. */
  lastSuccessAt: string | null;
  /** When a delivery first failed, since the last one that was taken. */
  failingSince: string | null;
  createdAt: string;
  updatedAt: string;
  /** What deliveries are signed with. Shown once. */
  secret: string;
}

export interface Delivery {
  id: string;
  webhookId: string;
  /** The `webhook-id` of every try. */
  eventId: string;
  type: string;
  status: 'pending' | 'delivered' | 'failed';
  /** Oldest first; the last 20 where there were more. */
  attempts: {
    attemptedAt: string;
    durationMs: number;
    /** The status of the answer; null where there was none. */
    status: number | null;
    /** The beginning of the answer, 1 kB at most. */
    answer: string;
    /** Why it counts as failed; null where it was taken. */
    error: string | null;
  }[];
  /** Of a pending one, when it is tried; null while it waits for one before it. */
  nextAttemptAt: string | null;
  createdAt: string;
  updatedAt: string;
}

export interface Document {
  id: string;
  workspaceId: string;
  /** The id that the caller gave it; absent where none was given. */
  externalId?: string;
  title: string;
  filename: string;
  contentType: 'text/markdown' | 'text/plain';
  /** SHA-256 of the bytes, in lower-case hex. */
  checksum: string;
  size: {
    value: number;
    unit: 'bytes';
  };
  /** In code points. */
  charCount: number;
  /** Of the file that was uploaded last; what it replaces is found until it is indexed. */
  status: 'processing' | 'indexed' | 'failed';
  /** Why it failed, or why the last try did; of an indexed one, what of it is found by its words alone. */
  error?: string;
  labels: string[];
  chunkingStrategy: 'markdown' | 'text';
  chunkSize: number;
  chunkOverlap: number;
  /** Known once the document is cut. */
  chunksTotal: number;
  chunksIndexed: number;
  createdAt: string;
  updatedAt: string;
}

export interface DocumentChunk {
  /** As `chunkId` of a hit. */
  id: string;
  /** Its place in the document, from 0. */
  index: number;
  /** Where it begins in the text, in code points; a byte order mark does not count. */
  start: number;
  /** Where it ends, exclusive. It may lie behind the start of the next chunk: they overlap by a sentence or so. */
  end: number;
  /** The headings above it, outermost first, joined by ` › `. */
  heading: string;
  /** The text from `start` to `end`, with U+FFFD in place of NUL. */
  text: string;
  /** Whether it has a vector, and so is found by its meaning. If not, it is not indexed yet, or found by its words alone. */
  indexed: boolean;
}

export interface DocumentHit {
  documentId: string;
  chunkId: string;
  /** 0 to 1: how likely it is an answer, as far as that can be told. From 0.5 on it is more likely than not. */
  score: number;
  text: string;
  labels: Record<string, string>;
  title: string;
  /** The headings above the chunk, outermost first. */
  heading: string;
  explain?: Explanation;
}

export interface DocumentResult {
  documentId: string;
  chunkId: string;
  /** 0 to 1: how likely it is an answer, as far as that can be told. From 0.5 on it is more likely than not. */
  score: number;
  text: string;
  labels: Record<string, string>;
  title: string;
  /** The headings above the chunk, outermost first. */
  heading: string;
  explain?: Explanation;
  type: 'document';
}

export interface DocumentSearch {
  /** What to look for, in words. */
  query: string;
  /** How many hits to return, 1 to 100; 0 means the default. Default: `10`. */
  limit?: number;
  /** Leaves out hits below this score. */
  minScore?: number | null;
  /** Says why each hit ranks where it does. */
  explain?: boolean | null;
  /** Of the documents: every pair must match. */
  labels?: Record<string, string> | null;
  /** Refused: documents have no `meta`. */
  where?: null;
}

export interface Event {
  /** Go on from here with `after` or `Last-Event-ID`. */
  id: string;
  /** `<what>.<happened>`, such as `message.created`. */
  type: string;
  workspaceId: string;
  createdAt: string;
  agentId?: string;
  sessionId?: string;
  /** The resource under its own name as it is when the event is read; its `id` alone where it is larger than 64 kB or gone. Of some changes more, such as `supersededBy`. */
  data: Record<string, unknown>;
}

/** The parts of a score; they add up to it. */
export interface Explanation {
  /** What its own words add. */
  lexical: number;
  /** What its own meaning adds. */
  vector: number;
  /** What the meaning of its single words adds. */
  tokens: number;
  /** What the messages before and after add. */
  neighbours: number;
  /** What else speaks for it, or against it, by name: `speaker`, `asking`, `time`, …; only what says something. */
  signals: Record<string, number>;
}

export interface ExportCounts {
  prompts: number;
  promptVersions: number;
  documents: number;
  agents: number;
  sessions: number;
  messages: number;
  memories: number;
}

export interface ExtractionStatus {
  /** Whether the agent’s `memoryPipeline` is on. */
  enabled: boolean;
  regenerating: boolean;
  /** Messages that still have to be looked at. */
  pending: number;
  /** Messages that were looked at; one that was edited counts again. */
  done: number;
  /** Messages that were given up; `regenerate` tries them again. */
  failed: number;
  /** Why the last try to extract or to rebuild failed, while none has succeeded since. */
  lastError: string | null;
  retryAt: string | null;
  /** The newest 20. */
  failures: {
    messageId: string;
    error: string;
    failedAt: string;
  }[];
}

export interface Forgetting {
  /** Every session that has all of these is forgotten. */
  labels: Record<string, string>;
}

export interface Health {
  status: 'ok';
}

export type Hit = DocumentResult | MemoryResult | MessageResult;

export interface IdList {
  ids: string[];
}

export interface ImportResult {
  /** What was made. */
  counts: ExportCounts;
  /** How much of it was there already. */
  skipped: number;
  /** What was not brought in, by line; the first 20. */
  errors: {
    /** From 1. */
    line: number;
    message: string;
  }[];
}

export interface Invite {
  id: string;
  workspaceId: string;
  workspaceName: string;
  email: string;
  role: 'owner' | 'admin' | 'readonly';
  status: 'pending' | 'accepted' | 'rejected' | 'expired';
  invitedBy: string;
  expiresAt: string;
  createdAt: string;
  updatedAt: string;
}

export interface Job {
  /** The same for the same work, however often it is done. */
  id: string;
  kind: 'index-document' | 'extract-memories' | 'regenerate-memories' | 'embed-texts';
  /** `failed`: given up, in whole or in part, until somebody retries it. What is tried again by itself is `waiting`. */
  status: 'waiting' | 'running' | 'failed';
  /** What it is done for. The messages and memories of a session are one job of each kind, and not one each. */
  subject: {
    type: 'document' | 'session';
    id: string;
    agentId?: string;
    sessionId?: string;
    /** Absent where it has none. */
    title?: string;
  };
  /** Those that failed, since it was last asked for or last came a step further. */
  attempts: number;
  /** Why the last attempt failed. */
  error?: string;
  /** Of one that waits: not before then. */
  runAt?: string;
  /** Of one that runs. */
  startedAt?: string;
  /** Since when there is this work. */
  createdAt: string;
  updatedAt: string;
}

export interface JobCounts {
  waiting: number;
  running: number;
  failed: number;
  /** Counting ended at 1000 of a kind and status: there are more than the numbers say. */
  capped: boolean;
}

export interface JobPage {
  jobs: Job[];
  /** Of all statuses, and of the kind that was asked for. */
  counts: JobCounts;
  _meta: {
    limit: number;
    offset: number;
    total: number;
    /** Names the next page; absent on the last one. */
    cursor?: string;
  };
}

export interface Login {
  email: string;
  password: string;
  rememberMe?: boolean | null;
}

export interface Me {
  principalType: 'ACCESS_KEY' | 'API_KEY' | 'USER';
  /** For API_KEY and USER. */
  owner?: User;
  /** For API_KEY. */
  apiKey?: ApiKey;
  /** For ACCESS_KEY. */
  accessKey?: AccessKey;
}

export interface Member {
  id: string;
  workspaceId: string;
  userId: string;
  name: string;
  email: string;
  role: 'owner' | 'admin' | 'readonly';
  createdAt: string;
  updatedAt: string;
}

export interface MemberChanges {
  role: 'owner' | 'admin' | 'readonly';
}

export interface Memory {
  id: string;
  sessionId: string;
  kind: 'summary' | 'fact' | 'preference' | 'short_lived' | 'long_lived';
  content: string;
  /** Any JSON value. */
  meta: unknown;
  /** Of an extracted memory: when it was said. */
  createdAt: string;
  updatedAt: string;
  /** When it leaves lists and search, if ever. */
  expiresAt?: string;
  /** Since when it no longer holds. It is in no list and no search then, unless they ask `asOf` before. */
  supersededAt?: string;
  /** What took its place. */
  supersededBy?: string;
}

export interface MemoryChanges {
  kind?: 'summary' | 'fact' | 'preference' | 'short_lived' | 'long_lived';
  content?: string;
  meta?: string | Record<string, unknown> | null;
  expiresAt?: string | null;
}

export interface MemoryEvent {
  event: 'created' | 'repeated' | 'edited' | 'superseded' | 'withdrawn' | 'expired';
  at: string;
  /** The memory itself, or one that it took the place of. */
  memoryId: string;
  /** The message that caused it. */
  messageId: string | null;
  /** What the memory said from then on. */
  content: string | null;
  /** What took its place. */
  supersededBy: string | null;
  /** Why it was withdrawn: `forgotten` where the user asked for that. */
  reason: 'forgotten' | null;
}

export interface MemoryHistory {
  /** Oldest first. */
  history: MemoryEvent[];
}

export interface MemoryHit {
  id: string;
  kind: 'summary' | 'fact' | 'preference' | 'short_lived' | 'long_lived';
  /** 0 to 1: how likely it is an answer, as far as that can be told. From 0.5 on it is more likely than not. */
  score: number;
  text: string;
  sessionId: string;
  explain?: Explanation;
}

export interface MemoryResult {
  id: string;
  kind: 'summary' | 'fact' | 'preference' | 'short_lived' | 'long_lived';
  /** 0 to 1: how likely it is an answer, as far as that can be told. From 0.5 on it is more likely than not. */
  score: number;
  text: string;
  sessionId: string;
  explain?: Explanation;
  type: 'memory';
  agentId: string;
}

export interface MemorySearch {
  /** What to look for, in words. */
  query: string;
  /** How many hits to return, 1 to 100; 0 means the default. Default: `10`. */
  limit?: number;
  /** Leaves out hits below this score. */
  minScore?: number | null;
  /** Says why each hit ranks where it does. */
  explain?: boolean | null;
  kinds?: ('summary' | 'fact' | 'preference' | 'short_lived' | 'long_lived')[] | null;
  /** What was held true at this moment. */
  asOf?: string | null;
  /** Of `meta`: every key must hold the value, or one of a list of values; where `meta` holds a list there, one of its elements must. Types count: `"1"` is not `1`. */
  where?: Record<string, (string | number | boolean | null)[] | string | number | boolean | null> | null;
}

export interface Message {
  id: string;
  sessionId: string;
  role: 'system' | 'user' | 'assistant';
  content: string;
  /** Any JSON value. */
  meta: unknown;
  createdAt: string;
  updatedAt: string;
}

export interface MessageChanges {
  content: string;
  role?: 'system' | 'user' | 'assistant';
  meta?: string | Record<string, unknown> | null;
}

export interface MessageHit {
  id: string;
  role: 'system' | 'user' | 'assistant';
  /** 0 to 1: how likely it is an answer, as far as that can be told. From 0.5 on it is more likely than not. */
  score: number;
  text: string;
  sessionId: string;
  explain?: Explanation;
}

export interface MessageResult {
  id: string;
  role: 'system' | 'user' | 'assistant';
  /** 0 to 1: how likely it is an answer, as far as that can be told. From 0.5 on it is more likely than not. */
  score: number;
  text: string;
  sessionId: string;
  explain?: Explanation;
  type: 'message';
  agentId: string;
}

export interface MessageSearch {
  /** What to look for, in words. */
  query: string;
  /** How many hits to return, 1 to 100; 0 means the default. Default: `10`. */
  limit?: number;
  /** Leaves out hits below this score. */
  minScore?: number | null;
  /** Says why each hit ranks where it does. */
  explain?: boolean | null;
  roles?: ('system' | 'user' | 'assistant')[] | null;
  since?: string | null;
  until?: string | null;
  /** Of `meta`: every key must hold the value, or one of a list of values; where `meta` holds a list there, one of its elements must. Types count: `"1"` is not `1`. */
  where?: Record<string, (string | number | boolean | null)[] | string | number | boolean | null> | null;
}

export interface ModelContext {
  /** Of `messages` as they stand; never above the budget. */
  tokens: number;
  tokenBudget: number;
  tokenizer: 'o200k_base' | 'cl100k_base' | 'estimate';
  /** What it is made of, in the order in which it stands in `messages`. */
  pieces: ContextPiece[];
  /** Ready for a chat API: one system message, then the conversation in the order of time. */
  messages: ContextMessage[];
  /** Empty unless `explain` asks for it; best first, at most 50. */
  omitted: OmittedPiece[];
}

export interface NewAccessKey {
  name: string;
  permissions: Permission[];
  expiresAt?: string | null;
  /** Limits the key to these agents: all others, and their sessions, are not there for it. */
  agentIds?: string[] | null;
}

export interface NewAgent {
  name: string;
  configs?: AgentConfigChanges | null;
  promptId?: string | null;
  kbLabels?: Record<string, string> | null;
  description?: string | null;
}

export interface NewApiKey {
  name: string;
  expiresAt?: string | null;
}

export interface NewInvite {
  email: string;
  role: 'owner' | 'admin' | 'readonly';
}

export interface NewMemories {
  memories: NewMemory[];
}

export interface NewMemory {
  kind: 'summary' | 'fact' | 'preference' | 'short_lived' | 'long_lived';
  content: string;
  meta?: string | Record<string, unknown> | null;
  expiresAt?: string | null;
}

export interface NewMessage {
  role: 'system' | 'user' | 'assistant';
  content: string;
  meta?: string | Record<string, unknown> | null;
  /** For bringing a history along; not in the future. */
  createdAt?: string | null;
}

export interface NewMessages {
  messages: NewMessage[];
}

export interface NewPrompt {
  type: 'text' | 'chat';
  content: string;
  commitMessage?: string | null;
  production?: boolean | null;
  config?: string | Record<string, unknown> | null;
  meta?: string | Record<string, unknown> | null;
  name: string;
  description?: string | null;
}

export interface NewPromptVersion {
  type: 'text' | 'chat';
  content: string;
  commitMessage?: string | null;
  production?: boolean | null;
  config?: string | Record<string, unknown> | null;
  meta?: string | Record<string, unknown> | null;
}

export interface NewSession {
  /** The external id, as the query’s `id`; made by the service when neither is given. */
  id?: string | null;
  /** Joined with those of the query. */
  labels?: Record<string, string> | null;
  title?: string | null;
  meta?: string | Record<string, unknown> | null;
}

export interface NewWebhook {
  url: string;
  /** The types of events to send; all when absent, null or empty. */
  types?:
    | (
        | 'workspace.updated'
        | 'workspace.imported'
        | 'member.added'
        | 'member.updated'
        | 'member.removed'
        | 'invite.created'
        | 'invite.accepted'
        | 'invite.rejected'
        | 'invite.deleted'
        | 'key.created'
        | 'key.revoked'
        | 'agent.created'
        | 'agent.updated'
        | 'agent.deleted'
        | 'session.created'
        | 'session.updated'
        | 'session.deleted'
        | 'message.created'
        | 'message.updated'
        | 'message.deleted'
        | 'memory.created'
        | 'memory.updated'
        | 'memory.superseded'
        | 'memory.deleted'
        | 'prompt.created'
        | 'prompt.updated'
        | 'prompt.promoted'
        | 'prompt.deleted'
        | 'prompt_version.created'
        | 'prompt_version.updated'
        | 'prompt_version.deleted'
        | 'document.created'
        | 'document.replaced'
        | 'document.indexed'
        | 'document.failed'
        | 'document.deleted'
        | 'webhook.created'
        | 'webhook.updated'
        | 'webhook.disabled'
        | 'webhook.deleted'
        | 'webhook.test'
        | 'subject.forgotten'
      )[]
    | null;
  description?: string | null;
  status?: 'active' | 'disabled';
}

export interface NewWorkspace {
  name: string;
}

export interface OmittedPiece {
  type: 'prompt' | 'summary' | 'memory' | 'knowledge' | 'message';
  /** Of the prompt version, memory, chunk or message. */
  id: string;
  /** Its beginning, at most 200 characters. */
  text: string;
  /** Where they were counted. */
  tokens?: number;
  /** 0 to 1: how likely it is an answer to the query, whatever its type; absent where it did not come by that. */
  score?: number;
  sessionId?: string;
  role?: 'system' | 'user' | 'assistant';
  createdAt?: string;
  kind?: 'summary' | 'fact' | 'preference' | 'short_lived' | 'long_lived';
  documentId?: string;
  title?: string;
  reason: 'over_budget' | 'too_large' | 'said_in_message' | 'said_in_summary' | 'same_text' | 'low_score';
}

export interface PasswordChange {
  currentPassword: string;
  newPassword: string;
}

export type Permission =
  | 'CAN_LIST_PROMPTS'
  | 'CAN_GET_PROMPT'
  | 'CAN_CREATE_PROMPT'
  | 'CAN_UPDATE_PROMPT'
  | 'CAN_DELETE_PROMPT'
  | 'CAN_LIST_WORKSPACE_DOCUMENTS'
  | 'CAN_QUERY_WORKSPACE_DOCUMENTS'
  | 'CAN_CREATE_WORKSPACE_DOCUMENT'
  | 'CAN_DELETE_WORKSPACE_DOCUMENT'
  | 'CAN_LIST_AGENTS'
  | 'CAN_GET_AGENT'
  | 'CAN_CREATE_AGENT'
  | 'CAN_UPDATE_AGENT'
  | 'CAN_DELETE_AGENT'
  | 'CAN_LIST_AGENT_SESSIONS'
  | 'CAN_GET_AGENT_SESSION'
  | 'CAN_CREATE_AGENT_SESSION'
  | 'CAN_UPDATE_AGENT_SESSION'
  | 'CAN_DELETE_AGENT_SESSION'
  | 'CAN_LIST_SESSION_MESSAGES'
  | 'CAN_GET_SESSION_MESSAGE'
  | 'CAN_QUERY_SESSION_MESSAGES'
  | 'CAN_CREATE_SESSION_MESSAGE'
  | 'CAN_UPDATE_SESSION_MESSAGE'
  | 'CAN_DELETE_SESSION_MESSAGE'
  | 'CAN_LIST_SESSION_MEMORIES'
  | 'CAN_GET_SESSION_MEMORY'
  | 'CAN_QUERY_SESSION_MEMORIES'
  | 'CAN_CREATE_SESSION_MEMORY'
  | 'CAN_UPDATE_SESSION_MEMORY'
  | 'CAN_DELETE_SESSION_MEMORY';

export interface Prompt {
  promptId: string;
  name: string;
  /** Made from the name; unique in the workspace. */
  handle: string;
  description: string;
  versionCount: number;
  /** The number of the version in production; null where none is. */
  productionVersion: number | null;
  createdAt: string;
  updatedAt: string;
}

export interface PromptChanges {
  name?: string;
  description?: string | null;
}

export interface PromptDiff {
  from: {
    id: string;
    version: number;
    commitHash: string;
  };
  to: {
    id: string;
    version: number;
    commitHash: string;
  };
  /** The change of the content as a unified diff; empty when it is the same. */
  unified: string;
  /** The same, line by line. */
  changes: {
    kind: 'same' | 'added' | 'removed';
    text: string;
  }[];
  /** What differs beside the content. */
  fields: {
    field: string;
    /** Any JSON value. */
    from: unknown;
    /** Any JSON value. */
    to: unknown;
  }[];
}

export interface PromptValues {
  variables?: Record<string, string | number | boolean>;
}

export interface PromptVersion {
  id: string;
  promptId: string;
  name: string;
  handle: string;
  description: string;
  version: number;
  type: 'text' | 'chat';
  content: string;
  /** The names of the `{{placeholders}}`, in the order of their first use. */
  variables: string[];
  /** Of type, content, config and parent; 12 hex digits. */
  commitHash: string;
  status: 'active' | 'archived';
  production: boolean;
  /** Any JSON value. */
  config: unknown;
  /** `latest` stands with exactly one version of a prompt. */
  labels: string[];
  commitMessage: string | null;
  /** JSON text. */
  meta: string | null;
  createdAt: string;
  updatedAt: string;
}

export interface PromptVersionChanges {
  type?: 'text' | 'chat';
  content?: string;
  commitMessage?: string | null;
  production?: boolean | null;
  config?: string | Record<string, unknown> | null;
  meta?: string | Record<string, unknown> | null;
  status?: 'active' | 'archived';
  labels?: string[] | null;
}

export interface Receipt {
  id: string;
  workspaceId: string;
  /** Where it was asked of one agent. */
  agentId?: string;
  /** As they were sent; empty where sessions were forgotten by their age. */
  labels: Record<string, string>;
  /** How many of each kind are gone. All are 0 where nothing was left. */
  counts: Record<string, number>;
  at: string;
  /** The id of the user who asked, or `service` where it was the retention of an agent. */
  by: string;
  /** SHA-256 over the sorted names of what was forgotten, in hexadecimal digits. */
  digest: string;
}

export interface Regeneration {
  /** Messages that are looked at again. */
  queued: number;
}

export interface Registration {
  email: string;
  name: string;
  password: string;
  inviteToken?: string | null;
}

export interface RenderedPrompt {
  promptId: string;
  promptVersionId: string;
  version: number;
  type: 'text' | 'chat';
  /** Of a text prompt. */
  text?: string;
  /** Of a chat prompt. */
  messages?: ChatMessage[];
  /** Any JSON value. */
  config: unknown;
}

export interface Series {
  metric: 'messages' | 'memories' | 'searches' | 'searchLatency' | 'documents' | 'jobsWaiting' | 'calls';
  unit: 'count' | 'milliseconds';
  /** `sum`: what came in each step. `gauge`: what there was in it. */
  kind: 'sum' | 'gauge';
  since: string;
  until: string;
  step: 'hour' | 'day';
  /** The total of each step, oldest first, all of them; of `searchLatency` the median. */
  points: SeriesPoint[];
  /** Its parts, with the same steps. Empty where it has none. */
  groups: SeriesGroup[];
}

export interface SeriesGroup {
  /** A kind, a status, `p50` or `p95`; of calls the id of an access key, `users` or `other`. */
  id: string;
  /** Of an access key its name, and null where it was deleted. */
  name: string | null;
  points: SeriesPoint[];
}

export interface SeriesPoint {
  /** The beginning of the step, in UTC. */
  at: string;
  /** Null where nothing was measured. */
  value: number | null;
}

export interface Session {
  /** The internal id, used in the paths of messages and memories. */
  id: string;
  /** The client’s own id: the `id` of the creation, or made by the service. */
  externalId: string;
  workspaceId: string;
  agentId: string;
  title: string;
  status: 'active' | 'archived';
  labels: Record<string, string>;
  /** Any JSON value. */
  meta: unknown;
  /** Of the last message; of the creation where there is none. */
  lastActivityAt: string;
  createdAt: string;
  updatedAt: string;
}

export interface SessionChanges {
  title?: string | null;
  labels?: Record<string, string> | null;
  meta?: string | Record<string, unknown> | null;
  status?: 'active' | 'archived';
}

export interface SessionFork {
  /** The last message to bring along; all of them when absent. */
  messageId?: string | null;
  /** The external id of the copy; made by the service when absent. */
  id?: string | null;
  title?: string | null;
}

export interface Setup {
  email: string;
  name: string;
  password: string;
}

export interface SignedIn {
  user: User;
}

export interface Usage {
  /** Of `calls`, in UTC. */
  month: string;
  /** Requests to this workspace in the month, counted with a delay of seconds. */
  calls: UsageOfLimit;
  /** What the language model read and wrote for this workspace in the day (UTC). Absent where none is configured. */
  llmTokens?: {
    day: string;
    used: number;
    limit: number | null;
  };
  stored: {
    agents: UsageOfLimit;
    sessions: UsageOfLimit;
    messages: UsageOfLimit;
    memories: UsageOfLimit;
    prompts: UsageOfLimit;
    documents: UsageOfLimit;
    chunks: UsageOfLimit;
    /** Of what callers wrote: messages, memories, prompts, files, sessions and agents. What is made from it does not count. */
    bytes: UsageOfLimit;
  };
  /** Requests to the workspace, of all callers: what is spent of the limit at the moment. It is given back evenly, all of it within a minute. */
  requestsPerMinute: UsageOfLimit;
  /** What the caller may ask in a second: a user with all of their keys, or all access keys of the workspace together. */
  rate: {
    /** Null where the rate is not limited. */
    perSecond: number | null;
    /** Of units, a read by key takes 1, a write 2, a page 5, a search or an upload 100. */
    unit: 'requests' | 'units';
  };
  /** What is worked on at a time. */
  atOnce: {
    /** Of the caller. More wait for their turn. */
    requests: number;
    /** Of the workspace. More wait for their turn. */
    searches: number;
  };
  /** The most that one content, meta, file or body may have. */
  largest: {
    contentBytes: number;
    metaBytes: number;
    fileBytes: number;
    bodyBytes: number;
  };
}

export interface UsageOfLimit {
  used: number;
  /** Null where there is none. */
  limit: number | null;
}

export interface User {
  id: string;
  email: string;
  name: string;
  /** `admin` is whoever set the service up. */
  role: 'admin' | 'user';
}

export interface UserChanges {
  name?: string;
  email?: string;
}

export interface Webhook {
  id: string;
  workspaceId: string;
  url: string;
  /** The types of events that are sent; empty for all. */
  types: string[];
  description: string;
  status: 'active' | 'disabled';
  /** Why the service switched it off; null where it did not. */
  disabledReason: string | null;
  /** When something was last taken; kept to the minute. */
  lastSuccessAt: string | null;
  /** When a delivery first failed, since the last one that was taken. */
  failingSince: string | null;
  createdAt: string;
  updatedAt: string;
}

export interface WebhookChanges {
  url?: string;
  /** The types of events to send; all when absent, null or empty. */
  types?:
    | (
        | 'workspace.updated'
        | 'workspace.imported'
        | 'member.added'
        | 'member.updated'
        | 'member.removed'
        | 'invite.created'
        | 'invite.accepted'
        | 'invite.rejected'
        | 'invite.deleted'
        | 'key.created'
        | 'key.revoked'
        | 'agent.created'
        | 'agent.updated'
        | 'agent.deleted'
        | 'session.created'
        | 'session.updated'
        | 'session.deleted'
        | 'message.created'
        | 'message.updated'
        | 'message.deleted'
        | 'memory.created'
        | 'memory.updated'
        | 'memory.superseded'
        | 'memory.deleted'
        | 'prompt.created'
        | 'prompt.updated'
        | 'prompt.promoted'
        | 'prompt.deleted'
        | 'prompt_version.created'
        | 'prompt_version.updated'
        | 'prompt_version.deleted'
        | 'document.created'
        | 'document.replaced'
        | 'document.indexed'
        | 'document.failed'
        | 'document.deleted'
        | 'webhook.created'
        | 'webhook.updated'
        | 'webhook.disabled'
        | 'webhook.deleted'
        | 'webhook.test'
        | 'subject.forgotten'
      )[]
    | null;
  description?: string | null;
  status?: 'active' | 'disabled';
}

export interface Workspace {
  id: string;
  name: string;
  /** Made from the name; never changes. */
  handle: string;
  membersCount: number;
  /** The caller’s own role. */
  role: 'owner' | 'admin' | 'readonly';
  createdAt: string;
  updatedAt: string;
}

export interface WorkspaceChanges {
  name?: string;
}

export interface WorkspaceSearch {
  /** What to look for, in words. */
  query: string;
  /** How many hits to return, 1 to 100; 0 means the default. Default: `10`. */
  limit?: number;
  /** Leaves out hits below this score. */
  minScore?: number | null;
  /** Says why each hit ranks where it does. */
  explain?: boolean | null;
  /** Of the `meta` of messages and memories, as in a search of those alone. Documents have none: they are left out then. */
  where?: Record<string, (string | number | boolean | null)[] | string | number | boolean | null> | null;
  /** Also what is in sessions that are archived; false when absent. */
  includeArchived?: boolean | null;
}

export interface WorkspaceStats {
  agents: number;
  sessions: number;
  messages: number;
  memories: number;
  prompts: number;
  documents: number;
  chunks: number;
  /** Requests to this workspace since the first of the month (UTC), counted with a delay of seconds. */
  callsThisMonth: number;
}

export interface ExportWorkspaceQuery {
  /** Whether vectors come along, so that a service with the same model need not make them again. Default `false`. */
  vectors?: 'true' | 'false';
}

export interface GetPromptByNameQuery {
  /** `latest` (also when absent), `production`, or a number such as `3` or `v3`. */
  version?: string;
}

export interface GetSessionByLabelsQuery {
  /** The external id. */
  id?: string;
  /** Every other key of the query is a label: `?customer=42&channel=mail`. */
  labels?: Record<string, string>;
}

export interface GetWorkspaceSeriesQuery {
  metric: 'messages' | 'memories' | 'searches' | 'searchLatency' | 'documents' | 'jobsWaiting' | 'calls';
  /** 7 days before `until` unless told. */
  since?: string;
  /** Now unless told. */
  until?: string;
  /** Unless told, `hour` for up to 3 days, else `day`. */
  step?: 'hour' | 'day';
}

export interface ListAgentMemoriesQuery {
  /** How many to return, 1 to 100; 0 means the default. */
  limit?: number;
  /** How many to pass over. */
  offset?: number;
  /** `_meta.cursor` of the page before: goes on from there at the cost of a first page, whatever others write. */
  cursor?: string;
  kind?: 'summary' | 'fact' | 'preference' | 'short_lived' | 'long_lived';
  /** What was held true at this moment. */
  asOf?: string;
  /** Of `meta`: every key must hold the value, or one of a list of values; where `meta` holds a list there, one of its elements must. Types count: `"1"` is not `1`. In a query it is written as JSON. */
  where?: Record<string, (string | number | boolean | null)[] | string | number | boolean | null>;
  /** The external id of a session. */
  id?: string;
  /** Also what is in sessions that are archived; false when absent. */
  includeArchived?: 'true' | 'false';
  /** Every other key of the query is a label: `?customer=42&channel=mail`. */
  labels?: Record<string, string>;
}

export interface ListAgentsQuery {
  /** How many to return, 1 to 100; 0 means the default. */
  limit?: number;
  /** How many to pass over. */
  offset?: number;
  /** `_meta.cursor` of the page before: goes on from there at the cost of a first page, whatever others write. */
  cursor?: string;
  /** The one agent with this handle. */
  handle?: string;
}

export interface ListAuditsQuery {
  /** How many to return, 1 to 100; 0 means the default. */
  limit?: number;
  /** How many to pass over. */
  offset?: number;
  /** `_meta.cursor` of the page before: goes on from there at the cost of a first page, whatever others write. */
  cursor?: string;
  action?: string;
  actorId?: string;
  since?: string;
  until?: string;
}

export interface ListDocumentsQuery {
  /** How many to return, 1 to 100; 0 means the default. */
  limit?: number;
  /** How many to pass over. */
  offset?: number;
  /** `_meta.cursor` of the page before: goes on from there at the cost of a first page, whatever others write. */
  cursor?: string;
  status?: 'processing' | 'indexed' | 'failed';
  /** Your own id of the document, unique in the workspace; 1 to 255 characters. */
  externalId?: string;
  /** Only those with this label: `key=value`, or a bare word. */
  label?: string;
}

export interface ListEventsQuery {
  /** How many to return, 1 to 100; 0 means the default. */
  limit?: number;
  /** How many to pass over. */
  offset?: number;
  /** `_meta.cursor` of the page before: goes on from there, whatever `after` says. */
  cursor?: string;
  /** Types, separated by commas; all when absent. */
  types?: string;
  /** Those of one session. */
  sessionId?: string;
  /** The `id` of the last event that is known: those after it. */
  after?: string;
}

export interface ListJobsQuery {
  /** How many to return, 1 to 100; 0 means the default. */
  limit?: number;
  /** How many to pass over. */
  offset?: number;
  /** `_meta.cursor` of the page before: goes on from there at the cost of a first page, whatever others write. */
  cursor?: string;
  status?: 'waiting' | 'running' | 'failed';
  kind?: 'index-document' | 'extract-memories' | 'regenerate-memories' | 'embed-texts';
}

export interface ListMemoriesQuery {
  /** How many to return, 1 to 100; 0 means the default. */
  limit?: number;
  /** How many to pass over. */
  offset?: number;
  /** `_meta.cursor` of the page before: goes on from there at the cost of a first page, whatever others write. */
  cursor?: string;
  kind?: 'summary' | 'fact' | 'preference' | 'short_lived' | 'long_lived';
  /** What was held true at this moment. */
  asOf?: string;
  /** Of `meta`: every key must hold the value, or one of a list of values; where `meta` holds a list there, one of its elements must. Types count: `"1"` is not `1`. In a query it is written as JSON. */
  where?: Record<string, (string | number | boolean | null)[] | string | number | boolean | null>;
}

export interface ListMessagesQuery {
  /** How many to return, 1 to 100; 0 means the default. */
  limit?: number;
  /** How many to pass over. */
  offset?: number;
  /** `_meta.cursor` of the page before: goes on from there at the cost of a first page, whatever others write. */
  cursor?: string;
  /** Of `meta`: every key must hold the value, or one of a list of values; where `meta` holds a list there, one of its elements must. Types count: `"1"` is not `1`. In a query it is written as JSON. */
  where?: Record<string, (string | number | boolean | null)[] | string | number | boolean | null>;
}

export interface ListOwnAuditsQuery {
  /** How many to return, 1 to 100; 0 means the default. */
  limit?: number;
  /** How many to pass over. */
  offset?: number;
  /** `_meta.cursor` of the page before: goes on from there at the cost of a first page, whatever others write. */
  cursor?: string;
  action?: string;
  since?: string;
  until?: string;
}

export interface ListSessionsQuery {
  /** The external id. */
  id?: string;
  /** How many to return, 1 to 100; 0 means the default. */
  limit?: number;
  /** How many to pass over. */
  offset?: number;
  /** Every other key of the query is a label: `?customer=42&channel=mail`. */
  labels?: Record<string, string>;
}
