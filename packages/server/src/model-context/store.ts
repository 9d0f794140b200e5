/** What a context is made from, read by key and no more of it than can go in. */
import type { Memory } from '@commonplace/contract/memories';
import type { Message } from '@commonplace/contract/messages';
import { timestamp } from '../clock.ts';
import type { Queryable } from '../db/database.ts';
import { shape } from '../db/shape.ts';
import { asId, join, list, raw, type Sql, sql } from '../db/sql.ts';
import { loadAssertions } from '../memories/store/assertions.ts';

type ReadMessage = Pick<Message, 'id' | 'sessionId' | 'role' | 'content' | 'createdAt'>;
const messageColumns = shape<ReadMessage>({ id: 'text', sessionId: 'text', role: 'text', content: 'text', createdAt: 'time' });

type ReadMemory = Pick<Memory, 'id' | 'sessionId' | 'kind' | 'content' | 'createdAt'>;
const memoryColumns = shape<ReadMemory>({ id: 'text', sessionId: 'text', kind: 'text', content: 'text', createdAt: 'time' });

/** Where a message or a memory is. */
export interface ItemPlace {
  readonly id: string;
  readonly sessionId: string;
}

/** What a row says, unless it is long: then its size alone. */
interface Sized {
  readonly bytes: number;
  readonly content: string | null;
}

/** Longer texts are read once it is known that there is room for them. */
const SHORT_BYTES = 2_000;
const sizedContent = raw(
  `octet_length(i.content) as bytes, case when octet_length(i.content) <= ${SHORT_BYTES} then i.content end as content`,
);

export interface TailLimits {
  readonly messages: number;
  readonly bytes: number;
  /** What each message counts beside its text. */
  readonly bytesAroundMessage: number;
}

/** The latest messages of some sessions together, newest first (ids sort by time), as many as the limits hold; always one. */
export async function listLatestMessages(
  db: Queryable,
  workspaceId: string,
  sessionIds: readonly string[],
  limits: TailLimits,
): Promise<ReadMessage[]> {
  if (sessionIds.length === 0) return [];
  const bytes = raw(`octet_length(content) + ${limits.bytesAroundMessage} as bytes`);
  const newest = newestOf(workspaceId, sessionIds, sql`${raw('session_id, id')}, ${bytes}`, limits.messages);
  // The sizes first, which both engines know without the texts. A left join keeps them in front.
  return db.query(sql<ReadMessage>`
    select ${messageColumns.of('m')} from (
      select session_id, id, bytes, sum(bytes) over (order by id desc) as bytes_so_far from (${newest}) newest) tail
    left join messages m on m.workspace_id = ${workspaceId} and m.session_id = tail.session_id and m.id = tail.id
    where tail.bytes_so_far <= ${limits.bytes} or tail.bytes_so_far = tail.bytes order by m.id desc`);
}

/** What the user said last, within so many messages of each session; no more of it than a search takes. */
export async function findLatestUserText(
  db: Queryable,
  workspaceId: string,
  sessionIds: readonly string[],
  { messages, characters }: { readonly messages: number; readonly characters: number },
): Promise<string | undefined> {
  if (sessionIds.length === 0) return undefined;
  const newest = newestOf(workspaceId, sessionIds, raw('session_id, id, role'), messages);
  const [found] = await db.query(sql<{ text: string }>`
    select ${raw(`substr(m.content, 1, ${characters}) as text`)} from (
      select session_id, id from (${newest}) newest where role = 'user' order by id desc limit 1) latest
    left join messages m on m.workspace_id = ${workspaceId} and m.session_id = latest.session_id and m.id = latest.id`);
  return found?.text;
}

/** Of each session the end is read, and no more. */
function newestOf(workspaceId: string, sessionIds: readonly string[], columns: Sql, limit: number): Sql {
  const ends = sessionIds.map(
    (id, index) => sql`select * from (
      select ${columns} from messages where workspace_id = ${workspaceId} and session_id = ${id} order by id desc limit ${limit}) ${raw(`end${index}`)}`,
  );
  return sql`select * from (${join(ends, ' union all ')}) ends order by id desc limit ${limit}`;
}

export interface MessageAround extends Omit<ReadMessage, 'content'>, Sized {
  /** Of one that was asked for: those beside it. */
  readonly before: string | null;
  readonly after: string | null;
}

/** Some messages, and those before and after each. */
export async function listMessagesAround(db: Queryable, workspaceId: string, places: readonly ItemPlace[]): Promise<MessageAround[]> {
  if (places.length === 0) return [];
  const beside = (sign: '<' | '>', order: 'desc' | 'asc') =>
    sql`(
    select m.id from messages m where m.workspace_id = ${workspaceId} and m.session_id = h.session_id
      and m.id ${raw(sign)} h.id order by m.id ${raw(order)} limit 1)`;
  const found = await db.query(sql<MessageAround>`
    with hits as (
      select h.session_id, h.id, ${beside('<', 'desc')} as before, ${beside('>', 'asc')} as after
      from messages h where h.workspace_id = ${workspaceId} and ${areAt(places, 'h.')}),
    chosen as (
      select session_id, id from hits union select session_id, before from hits union select session_id, after from hits)
    select i.id, i.session_id as "sessionId", i.role, i.created_at as "createdAt", ${sizedContent}, hits.before, hits.after
    from chosen left join messages i on i.workspace_id = ${workspaceId} and i.session_id = chosen.session_id and i.id = chosen.id
    left join hits on hits.session_id = chosen.session_id and hits.id = chosen.id`);
  // The first of a session has nothing before it.
  return found.filter(({ id }) => id !== null);
}

export interface SizedMemory extends Omit<ReadMemory, 'content'>, Sized {}

export async function listMemories(db: Queryable, workspaceId: string, places: readonly ItemPlace[]): Promise<SizedMemory[]> {
  if (places.length === 0) return [];
  return db.query(sql<SizedMemory>`
    select i.id, i.session_id as "sessionId", i.kind, i.created_at as "createdAt", ${sizedContent}
    from memories i where i.workspace_id = ${workspaceId} and ${areAt(places, 'i.')}`);
}

/** The whole of texts that are long. */
export async function readTexts(
  db: Queryable,
  workspaceId: string,
  table: 'messages' | 'memories',
  places: readonly ItemPlace[],
): Promise<{ id: string; content: string }[]> {
  if (places.length === 0) return [];
  return db.query(sql<{ id: string; content: string }>`
    select id, content from ${raw(table)} where workspace_id = ${workspaceId} and ${areAt(places)}`);
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

interface MemorySource {
  readonly memoryId: string;
  readonly causeId: string;
  readonly messageId: string;
}

/** Of a memory they are few; a summary may have many. */
const SOURCES_READ = 5_000;

/** The messages that say each memory, by cause: all of one cause together say it. */
export async function findMemoryCauses(
  db: Queryable,
  workspaceId: string,
  memories: readonly ItemPlace[],
): Promise<Map<string, string[][]>> {
  if (memories.length === 0) return new Map();
  const bySession = [...Map.groupBy(memories, ({ sessionId }) => sessionId)].map(
    ([sessionId, some]) => sql`(session_id = ${sessionId} and memory_id in ${list(some.map(({ id }) => id))})`,
  );
  const found = await db.query(sql<MemorySource>`
    select memory_id as "memoryId", cause_id as "causeId", message_id as "messageId" from memory_sources
    where workspace_id = ${workspaceId} and (${join(bySession, ' or ')}) order by memory_id, cause_id, message_id limit ${SOURCES_READ}`);
  // A cause that was not read to its end would seem smaller than it is.
  return found.length < SOURCES_READ ? byCause(found) : new Map();
}

/** Of what was said about the same: the latest of it counts. */
const REPETITIONS_READ = 100;
const MEMORIES_AT_ONCE = 50;

/** The same for what a person said again, in whichever session: it has no memory of its own. */
export async function findRepeatedCauses(
  db: Queryable,
  workspaceId: string,
  memories: readonly ItemPlace[],
): Promise<Map<string, string[][]>> {
  const first = await loadAssertions(
    db,
    workspaceId,
    memories.map(({ id }) => id),
  );
  const sources: MemorySource[] = [];
  for (let start = 0; start < first.length; start += MEMORIES_AT_ONCE) {
    const parts = first.slice(start, start + MEMORIES_AT_ONCE).map(
      ({ id, personId, topicId, fingerprintDigest }) => sql`
        select ${asId(id)} as "memoryId", again.message_id as "causeId", s.message_id as "messageId" from (
          select session_id, id, message_id, fingerprint_digest from assertions
          where workspace_id = ${workspaceId} and person_id = ${personId} and topic_id = ${topicId} and content is not null
          order by message_id desc limit ${REPETITIONS_READ}) again cross join memory_sources s
        where s.workspace_id = ${workspaceId} and s.session_id = again.session_id and s.memory_id = again.id
          and again.fingerprint_digest = ${fingerprintDigest} and again.id <> ${id}`,
    );
    sources.push(...(await db.query(sql<MemorySource>`${join(parts, ' union all ')} order by "causeId" desc, "messageId"`)));
  }
  return byCause(sources);
}

function byCause(sources: readonly MemorySource[]): Map<string, string[][]> {
  const causesOf = (own: readonly MemorySource[]) => [...Map.groupBy(own, ({ causeId }) => causeId).values()];
  const byMemory = Map.groupBy(sources, ({ memoryId }) => memoryId);
  return new Map([...byMemory].map(([id, own]) => [id, causesOf(own).map((rows) => rows.map(({ messageId }) => messageId))]));
}

function holdsNow(workspaceId: string, sessionIds: readonly string[], nowMs: number): Sql {
  const now = timestamp(nowMs);
  return sql`workspace_id = ${workspaceId} and session_id in ${list(sessionIds)}
    and (superseded_at is null or superseded_at > ${now}) and (expires_at is null or expires_at > ${now})`;
}

function areAt(places: readonly ItemPlace[], alias = ''): Sql {
  const bySession = [...Map.groupBy(places, ({ sessionId }) => sessionId)].map(
    ([sessionId, some]) => sql`(${raw(`${alias}session_id`)} = ${sessionId} and ${raw(`${alias}id`)} in ${list(some.map(({ id }) => id))})`,
  );
  return sql`(${join(bySession, ' or ')})`;
}
