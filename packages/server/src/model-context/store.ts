/** What a context is made from, read by key and no more of it than can go in. */
import type { Memory } from '@commonplace/contract/memories';
import type { Message } from '@commonplace/contract/messages';
import { timestamp } from '../clock.ts';
import type { Queryable } from '../db/database.ts';
import { shape } from '../db/shape.ts';
import { join, list, raw, type Sql, sql } from '../db/sql.ts';
import type { AgentPlace } from '../sessions/store.ts';

/** A message without what it says. */
export interface SizedMessage {
  readonly id: string;
  readonly sessionId: string;
  readonly role: Message['role'];
  readonly bytes: number;
}

type ReadMessage = Pick<Message, 'id' | 'sessionId' | 'role' | 'content' | 'createdAt'>;
const messageColumns = shape<ReadMessage>({ id: 'text', sessionId: 'text', role: 'text', content: 'text', createdAt: 'time' });

type ReadMemory = Pick<Memory, 'id' | 'sessionId' | 'kind' | 'content' | 'createdAt'>;
const memoryColumns = shape<ReadMemory>({ id: 'text', sessionId: 'text', kind: 'text', content: 'text', createdAt: 'time' });

const sized = raw(`id, session_id as "sessionId", role, octet_length(content) as bytes`);

/** The sessions of an agent that have all of the labels, last active first. */
export async function findLabelledSessions(
  db: Queryable,
  { workspaceId, agentId }: AgentPlace,
  labels: Readonly<Record<string, string>>,
  limit: number,
): Promise<string[]> {
  const labelled = Object.entries(labels).map(
    ([key, value]) => sql`id in (
      select session_id from session_labels
      where workspace_id = ${workspaceId} and agent_id = ${agentId} and key = ${key} and value = ${value})`,
  );
  const found = await db.query(sql<{ id: string }>`
    select id from sessions where workspace_id = ${workspaceId} and agent_id = ${agentId} and ${join(labelled, ' and ')}
    order by last_activity_at desc, id desc limit ${limit}`);
  return found.map(({ id }) => id);
}

/** Of some sessions those whose latest message is newest, that one first. */
export async function orderByNewestMessage(
  db: Queryable,
  workspaceId: string,
  sessionIds: readonly string[],
  limit: number,
): Promise<string[]> {
  if (sessionIds.length <= 1) return [...sessionIds];
  const found = await db.query(sql<{ id: string; newest: string | null }>`
    select s.id, (select m.id from messages m where m.workspace_id = s.workspace_id and m.session_id = s.id order by m.id desc limit 1) as newest
    from sessions s where s.workspace_id = ${workspaceId} and s.id in ${list(sessionIds)}`);
  const newest = new Map(found.map((row) => [row.id, `${row.newest ?? ''} ${row.id}`]));
  const newestOf = (id: string) => newest.get(id) ?? '';
  return sessionIds.toSorted((a, b) => (newestOf(a) < newestOf(b) ? 1 : -1)).slice(0, limit);
}

/** The latest messages of some sessions together, newest first: ids sort by time. */
export async function listLatestMessages(
  db: Queryable,
  workspaceId: string,
  sessionIds: readonly string[],
  limit: number,
): Promise<SizedMessage[]> {
  if (sessionIds.length === 0) return [];
  const tails = sessionIds.map(
    (id, index) => sql`select * from (
      select ${sized} from messages where workspace_id = ${workspaceId} and session_id = ${id} order by id desc limit ${limit}) ${raw(`tail${index}`)}`,
  );
  const found = await db.query(sql<SizedMessage>`${join(tails, ' union all ')}`);
  return found.sort((a, b) => (a.id < b.id ? 1 : -1)).slice(0, limit);
}

/** The messages before and after some; those themselves too. */
export async function findNeighbours(
  db: Queryable,
  workspaceId: string,
  places: readonly MessagePlace[],
): Promise<{ id: string; sessionId: string; before: string | null; after: string | null }[]> {
  if (places.length === 0) return [];
  const beside = (sign: '<' | '>', order: 'desc' | 'asc') =>
    raw(`(
    select m.id from messages m where m.workspace_id = h.workspace_id and m.session_id = h.session_id and m.id ${sign} h.id order by m.id ${order} limit 1)`);
  return db.query(sql<{ id: string; sessionId: string; before: string | null; after: string | null }>`
    select h.id, h.session_id as "sessionId", ${beside('<', 'desc')} as before, ${beside('>', 'asc')} as after
    from messages h where h.workspace_id = ${workspaceId} and ${areMessages(places, 'h.')}`);
}

export interface MessagePlace {
  readonly id: string;
  readonly sessionId: string;
}

export async function sizeMessages(db: Queryable, workspaceId: string, places: readonly MessagePlace[]): Promise<SizedMessage[]> {
  if (places.length === 0) return [];
  return db.query(sql<SizedMessage>`select ${sized} from messages where workspace_id = ${workspaceId} and ${areMessages(places)}`);
}

/** A statement takes no more than some thousands of parameters. */
const READ_AT_ONCE = 500;

export async function readMessages(db: Queryable, workspaceId: string, places: readonly MessagePlace[]): Promise<ReadMessage[]> {
  const reads: Promise<ReadMessage[]>[] = [];
  for (let start = 0; start < places.length; start += READ_AT_ONCE) {
    const some = places.slice(start, start + READ_AT_ONCE);
    reads.push(
      db.query(sql<ReadMessage>`select ${messageColumns} from messages where workspace_id = ${workspaceId} and ${areMessages(some)}`),
    );
  }
  return (await Promise.all(reads)).flat();
}

/** What the user said last; no more of it than a search takes. */
export async function findLatestUserText(
  db: Queryable,
  workspaceId: string,
  latest: readonly SizedMessage[],
  mostCharacters: number,
): Promise<string | undefined> {
  const message = latest.find(({ role }) => role === 'user');
  if (!message) return undefined;
  const found = await db.maybeOne(sql<{ text: string }>`
    select ${raw(`substr(content, 1, ${mostCharacters}) as text`)} from messages
    where workspace_id = ${workspaceId} and session_id = ${message.sessionId} and id = ${message.id}`);
  return found?.text;
}

/** The newest summary of each session that has one. */
export async function listSummaries(
  db: Queryable,
  workspaceId: string,
  sessionIds: readonly string[],
  mostBytes: number,
  nowMs: number,
): Promise<ReadMemory[]> {
  if (sessionIds.length === 0) return [];
  const found = await db.query(sql<ReadMemory>`
    select ${memoryColumns} from memories where ${holdsNow(workspaceId, sessionIds, nowMs)} and kind = 'summary' and octet_length(content) <= ${mostBytes}
    order by id desc limit ${sessionIds.length * SUMMARIES_READ}`);
  const newest = new Map(found.toReversed().map((memory) => [memory.sessionId, memory]));
  return sessionIds.flatMap((id) => newest.get(id) ?? []);
}
/** A session has one, unless somebody writes more. */
const SUMMARIES_READ = 4;

/** For when there is nothing to search for. */
export async function listNewestMemories(
  db: Queryable,
  workspaceId: string,
  sessionIds: readonly string[],
  mostBytes: number,
  limit: number,
  nowMs: number,
): Promise<ReadMemory[]> {
  if (sessionIds.length === 0) return [];
  return db.query(sql<ReadMemory>`
    select ${memoryColumns} from memories where ${holdsNow(workspaceId, sessionIds, nowMs)} and kind <> 'summary' and octet_length(content) <= ${mostBytes}
    order by id desc limit ${limit}`);
}

export interface MemoryOrigin {
  readonly createdAt: string;
  /** The messages that say it, by cause. */
  readonly causes: string[][];
}

/** When memories were made, and from what. */
export async function findMemoryOrigins(
  db: Queryable,
  workspaceId: string,
  places: readonly MessagePlace[],
): Promise<Map<string, MemoryOrigin>> {
  if (places.length === 0) return new Map();
  const [memories, sources] = await Promise.all([
    db.query(sql<Pick<ReadMemory, 'id' | 'createdAt'>>`
      select ${shape<Pick<ReadMemory, 'id' | 'createdAt'>>({ id: 'text', createdAt: 'time' })} from memories
      where workspace_id = ${workspaceId} and ${areMessages(places)}`),
    db.query(sql<{ memoryId: string; causeId: string; messageId: string }>`
      select memory_id as "memoryId", cause_id as "causeId", message_id as "messageId" from memory_sources
      where workspace_id = ${workspaceId} and ${areMessages(places, '', 'memory_id')} order by memory_id, cause_id, message_id`),
  ]);
  const sourcesOf = Map.groupBy(sources, ({ memoryId }) => memoryId);
  return new Map(
    memories.map(({ id, createdAt }) => {
      const byCause = Map.groupBy(sourcesOf.get(id) ?? [], ({ causeId }) => causeId);
      return [id, { createdAt, causes: [...byCause.values()].map((rows) => rows.map(({ messageId }) => messageId)) }];
    }),
  );
}

function holdsNow(workspaceId: string, sessionIds: readonly string[], nowMs: number): Sql {
  const now = timestamp(nowMs);
  return sql`workspace_id = ${workspaceId} and session_id in ${list(sessionIds)}
    and (superseded_at is null or superseded_at > ${now}) and (expires_at is null or expires_at > ${now})`;
}

function areMessages(places: readonly MessagePlace[], alias = '', idColumn = 'id'): Sql {
  const bySession = [...Map.groupBy(places, ({ sessionId }) => sessionId)].map(
    ([sessionId, some]) =>
      sql`(${raw(`${alias}session_id`)} = ${sessionId} and ${raw(`${alias}${idColumn}`)} in ${list(some.map(({ id }) => id))})`,
  );
  return sql`(${join(bySession, ' or ')})`;
}
