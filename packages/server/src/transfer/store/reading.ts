/** What is in a workspace, as it is taken out. */
import type {
  AgentLine,
  AssertionLine,
  DocumentLine,
  ExportCounts,
  ExportHeader,
  MemoryEventLine,
  MemoryLine,
  MessageLine,
  PromptLine,
  PromptVersionLine,
  SessionLine,
} from '@commonplace/contract/transfer';
import { agentExists } from '../../agents/store.ts';
import type { Queryable } from '../../db/database.ts';
import { type Shape, shape } from '../../db/shape.ts';
import { type Sql, sql } from '../../db/sql.ts';
import { assertionColumns } from '../../memories/store/assertions.ts';
import { type Rows, readPages } from './sized-pages.ts';

/** What belongs to a session. */
export interface SessionKey {
  readonly workspaceId: string;
  readonly sessionId: string;
}

const promptColumns = shape<PromptLine>({
  id: 'text',
  name: 'text',
  description: 'text',
  lastVersion: 'integer',
  latestVersion: 'integer',
  productionVersion: 'integer',
  createdAt: 'time',
  updatedAt: 'time',
});
export const promptVersionColumns = shape<PromptVersionLine & { meta: string | null }>({
  id: 'text',
  promptId: 'text',
  version: 'integer',
  type: 'text',
  content: 'text',
  commitHash: 'text',
  parentHash: 'text',
  status: 'text',
  config: 'json',
  labels: 'json',
  commitMessage: 'text',
  meta: 'text',
  createdAt: 'time',
  updatedAt: 'time',
});
type DocumentRow = Omit<DocumentLine, 'content'>;
const documentColumns = shape<DocumentRow>({
  id: 'text',
  externalId: 'text',
  title: 'text',
  filename: 'text',
  labels: 'json',
  createdAt: 'time',
  updatedAt: 'time',
});
export const agentColumns = shape<AgentLine>({
  id: 'text',
  name: 'text',
  handle: 'text',
  description: 'text',
  status: 'text',
  configs: 'json',
  promptId: 'text',
  kbLabels: 'json',
  createdAt: 'time',
  updatedAt: 'time',
});
type SessionRow = Omit<SessionLine, 'extraction'>;
const sessionColumns = shape<SessionRow>({
  id: 'text',
  agentId: 'text',
  externalId: 'text',
  named: 'boolean',
  title: 'text',
  status: 'text',
  labels: 'json',
  meta: 'json',
  lastActivityAt: 'time',
  createdAt: 'time',
  updatedAt: 'time',
});
export const messageColumns = shape<MessageLine>({
  id: 'text',
  sessionId: 'text',
  role: 'text',
  content: 'text',
  meta: 'json',
  createdAt: 'time',
  updatedAt: 'time',
});
export const memoryColumns = shape<MemoryLine>({
  id: 'text',
  sessionId: 'text',
  kind: 'text',
  content: 'text',
  meta: 'json',
  source: 'text',
  slot: 'text',
  fingerprint: 'text',
  expiresAt: 'time',
  supersededAt: 'time',
  supersededBy: 'text',
  createdAt: 'time',
  updatedAt: 'time',
});
export const memoryEventColumns = shape<MemoryEventLine>({
  id: 'text',
  sessionId: 'text',
  memoryId: 'text',
  event: 'text',
  messageId: 'text',
  content: 'text',
  forgotten: 'boolean',
  createdAt: 'time',
});

interface Identified {
  readonly id: string;
}

function byId<Row extends Identified>(columns: Shape<Row>, table: Sql, long: readonly string[]): Rows<Row> {
  return { columns, from: sql`from ${table}`, key: 'id', keyOf: ({ id }) => id, long };
}

export function readPrompts(db: Queryable, workspaceId: string) {
  return readPages(db, byId(promptColumns, sql`prompts where workspace_id = ${workspaceId}`, ['description']));
}

export function readPromptVersions(db: Queryable, workspaceId: string, promptId: string) {
  return readPages(db, {
    columns: promptVersionColumns,
    from: sql`from prompt_versions where workspace_id = ${workspaceId} and prompt_id = ${promptId}`,
    key: 'version',
    keyOf: ({ version }) => version,
    long: ['content', 'config', 'meta'],
  });
}

export function readDocuments(db: Queryable, workspaceId: string) {
  return readPages(db, byId(documentColumns, sql`documents where workspace_id = ${workspaceId}`, ['labels']));
}

/** Undefined where it is gone. */
export async function readContent(db: Queryable, workspaceId: string, documentId: string): Promise<Uint8Array | undefined> {
  const found = await db.maybeOne(sql<{ content: Uint8Array }>`
    select content from document_contents where workspace_id = ${workspaceId} and document_id = ${documentId}`);
  return found?.content;
}

export function readAgents(db: Queryable, workspaceId: string) {
  return readPages(db, byId(agentColumns, sql`agents where workspace_id = ${workspaceId}`, ['description', 'kb_labels']));
}

/** By the external id, which never changes and has an index. */
export function readSessions(db: Queryable, workspaceId: string, agentId: string) {
  return readPages(db, {
    columns: sessionColumns,
    from: sql`from sessions where workspace_id = ${workspaceId} and agent_id = ${agentId} and ${agentExists(workspaceId, agentId)}`,
    key: 'external_id',
    keyOf: ({ externalId }) => externalId,
    long: ['meta', 'labels'],
  });
}

export async function findExtraction(db: Queryable, { workspaceId, sessionId }: SessionKey): Promise<SessionLine['extraction']> {
  const found = await db.maybeOne(sql<NonNullable<SessionLine['extraction']>>`
    select done, summarized, person_id as "personId" from extraction_states
    where workspace_id = ${workspaceId} and session_id = ${sessionId}`);
  return found ?? null;
}

export async function isThere(
  db: Queryable,
  table: 'sessions' | 'prompts' | 'documents',
  workspaceId: string,
  id: string,
): Promise<boolean> {
  const tables = { sessions: sql`sessions`, prompts: sql`prompts`, documents: sql`documents` };
  return (await db.maybeOne(sql`select id from ${tables[table]} where workspace_id = ${workspaceId} and id = ${id}`)) !== undefined;
}

function ofSession({ workspaceId, sessionId }: SessionKey): Sql {
  return sql`workspace_id = ${workspaceId} and session_id = ${sessionId}`;
}

export function readMessages(db: Queryable, place: SessionKey) {
  return readPages(db, byId(messageColumns, sql`messages where ${ofSession(place)}`, ['content', 'meta']));
}

export function readMemories(db: Queryable, place: SessionKey) {
  return readPages(db, byId(memoryColumns, sql`memories where ${ofSession(place)}`, ['content', 'meta']));
}

const EVENTS_AT_ONCE = 16;
const ROWS_AT_ONCE = 500;

export async function* readMemoryEvents(db: Queryable, place: SessionKey): AsyncGenerator<MemoryEventLine[], void> {
  for (let after: Sql = sql``; ; ) {
    const page: MemoryEventLine[] = await db.query(sql<MemoryEventLine>`
      select ${memoryEventColumns} from memory_events where ${ofSession(place)} ${after} order by memory_id, id limit ${EVENTS_AT_ONCE}`);
    const last = page.at(-1);
    if (last === undefined) return;
    yield page;
    after = sql`and (memory_id, id) > (${last.memoryId}, ${last.id})`;
  }
}

export interface MemorySource {
  readonly messageId: string;
  readonly memoryId: string;
  readonly causeId: string;
}

/** Of the session's own memories; those of memories elsewhere come with what was said there. */
export async function* readSources(db: Queryable, place: SessionKey): AsyncGenerator<MemorySource[], void> {
  for (let after: Sql = sql``; ; ) {
    const page: MemorySource[] = await db.query(sql<MemorySource>`
      select message_id as "messageId", memory_id as "memoryId", cause_id as "causeId" from memory_sources
      where ${ofSession(place)} and memory_session_id is null ${after} order by message_id, memory_id, cause_id limit ${ROWS_AT_ONCE}`);
    const last = page.at(-1);
    if (last === undefined) return;
    yield page;
    after = sql`and (message_id, memory_id, cause_id) > (${last.messageId}, ${last.memoryId}, ${last.causeId})`;
  }
}

export async function* readAssertions(db: Queryable, place: SessionKey): AsyncGenerator<AssertionLine[], void> {
  for (let after: Sql = sql``; ; ) {
    const page = (await db.query(sql`
      select ${assertionColumns} from assertions where ${ofSession(place)} ${after} order by message_id, id limit ${ROWS_AT_ONCE}`)) as AssertionLine[];
    const last = page.at(-1);
    if (last === undefined) return;
    yield page;
    after = sql`and (message_id, id) > (${last.messageId}, ${last.id})`;
  }
}

export async function findWorkspace(db: Queryable, workspaceId: string): Promise<ExportHeader['workspace'] | undefined> {
  return db.maybeOne(sql<ExportHeader['workspace']>`select id, name, handle from workspaces where id = ${workspaceId}`);
}

/** At a moment: what is written while it is taken out may come along. */
export async function countAll(db: Queryable, workspaceId: string): Promise<ExportCounts> {
  const own = sql`where workspace_id = ${workspaceId}`;
  const [counts] = await db.query(sql<ExportCounts>`
    select (select count(*) from prompts ${own}) as prompts, (select count(*) from prompt_versions ${own}) as "promptVersions",
      (select count(*) from documents ${own}) as documents, (select count(*) from agents ${own}) as agents,
      count(*) as sessions, coalesce(sum(message_count), 0) as messages, coalesce(sum(memory_count), 0) as memories
    from sessions ${own}`);
  const numbers = Object.entries(counts as ExportCounts).map(([kind, count]) => [kind, Number(count)]);
  return Object.fromEntries(numbers) as ExportCounts;
}
