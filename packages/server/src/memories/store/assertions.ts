/** What the messages of people say: rows and the messages they rest on. */
import type { Queryable } from '../../db/database.ts';
import { shape } from '../../db/shape.ts';
import { list, type Sql, sql } from '../../db/sql.ts';
import type { SessionPlace } from '../../sessions/store.ts';
import type { KnownOfPerson } from '../extraction/assertions.ts';
import type { Assertion } from '../topics.ts';
import { inSession, insertSources, type SessionKey } from './rows.ts';

/** A statement takes no more than some thousands of parameters. */
const WRITTEN_AT_ONCE = 200;
/** Of the newest that a person said: what holds of it is known to whoever reads the next message. */
const MOST_LOOKED_THROUGH = 1_000;
/** For what has to reach everything that is known; more would hold others up in one transaction. */
export const EVERYTHING = 5_000;

export const assertionColumns = shape<Assertion>({
  id: 'text',
  sessionId: 'text',
  personId: 'text',
  topicId: 'text',
  messageId: 'text',
  ordinal: 'integer',
  saidAt: 'time',
  fingerprintDigest: 'text',
  kind: 'text',
  content: 'text',
  slot: 'text',
  extractor: 'text',
  successorId: 'text',
  successorTopicId: 'text',
  sources: 'json',
  expiresAt: 'time',
  forgotten: 'boolean',
  overridden: 'boolean',
});
const stored = assertionColumns.with<{ workspaceId: string; isFirst: boolean }>({ workspaceId: 'text', isFirst: 'boolean' });

export async function loadAssertions(db: Queryable, workspaceId: string, ids: readonly string[]): Promise<Assertion[]> {
  return inParts(ids, (some) =>
    db.query(sql<Assertion>`select ${assertionColumns} from assertions where workspace_id = ${workspaceId} and id in ${list(some)}`),
  );
}

/** By the same person, in an earlier message; of what has very many values, among the newest of them. */
export async function wasSaidBefore(
  db: Queryable,
  workspaceId: string,
  { personId, topicId, messageId, fingerprintDigest }: Assertion,
): Promise<boolean> {
  const [found] = await db.query(sql`
    select 1 as one from (
      select fingerprint_digest from assertions
      where workspace_id = ${workspaceId} and person_id = ${personId} and topic_id = ${topicId} and is_first and message_id < ${messageId}
      order by message_id desc limit ${MOST_LOOKED_THROUGH}) earlier
    where fingerprint_digest = ${fingerprintDigest} limit 1`);
  return found !== undefined;
}

/** All of a session, or those in its messages up to one of them. */
export async function loadSessionAssertions(db: Queryable, place: SessionKey, lastMessageId?: string): Promise<Assertion[]> {
  const upTo = lastMessageId === undefined ? sql`` : sql`and message_id <= ${lastMessageId}`;
  return db.query(sql<Assertion>`select ${assertionColumns} from assertions where ${inSession(place)} ${upTo}`);
}

/** All of a session, or those in its messages up to one of them; no further than to a limit. */
export async function countAssertions(db: Queryable, place: SessionKey, lastMessageId: string | undefined, limit: number): Promise<number> {
  const upTo = lastMessageId === undefined ? sql`` : sql`and message_id <= ${lastMessageId}`;
  const { count } = await db.one(sql<{ count: number }>`
    select count(*) as count from (select 1 as one from assertions where ${inSession(place)} ${upTo} limit ${limit}) counted`);
  return Number(count);
}

/** Of some sessions, those that say something of a person, here or elsewhere. */
export async function findSaying(db: Queryable, workspaceId: string, sessionIds: readonly string[]): Promise<string[]> {
  const found = await db.query(sql<{ id: string }>`
    select session_id as id from assertions where workspace_id = ${workspaceId} and session_id in ${list(sessionIds)}
    union select session_id as id from memory_sources
    where workspace_id = ${workspaceId} and session_id in ${list(sessionIds)} and memory_session_id is not null`);
  return found.map(({ id }) => id);
}

/** How many there are in each message of a session. */
export async function countBySaidIn(db: Queryable, place: SessionKey): Promise<Map<string, number>> {
  const found = await db.query(sql<{ messageId: string; count: number }>`
    select message_id as "messageId", count(*) as count from assertions where ${inSession(place)} group by message_id`);
  return new Map(found.map(({ messageId, count }) => [messageId, Number(count)]));
}

/** Whether a session says anything about anybody else. */
export async function isSaidForOthers(db: Queryable, place: SessionKey, personId: string): Promise<boolean> {
  const [found] = await db.query(sql`
    select 1 as one from assertions where ${inSession(place)} and person_id <> ${personId} limit 1`);
  return found !== undefined;
}

/** Some of a session, of whomever they are. */
export async function loadSomeOfSession(db: Queryable, place: SessionKey, limit: number): Promise<Assertion[]> {
  return db.query(sql<Assertion>`
    select ${assertionColumns} from assertions where ${inSession(place)} order by message_id, ordinal, id limit ${limit}`);
}

export async function loadSaidIn(db: Queryable, place: SessionKey, messageIds: readonly string[]): Promise<Assertion[]> {
  return inParts(messageIds, (some) =>
    db.query(sql<Assertion>`select ${assertionColumns} from assertions where ${inSession(place)} and message_id in ${list(some)}`),
  );
}

/** What messages of a session say, and what is said elsewhere and can't be understood without them; of any of its messages where none is named. */
export async function loadRestingOn(
  db: Queryable,
  place: SessionKey,
  messageIds: readonly string[] | undefined,
  limit = Number.MAX_SAFE_INTEGER,
): Promise<Assertion[]> {
  const these = messageIds === undefined ? sql`` : sql`and message_id in ${list(messageIds)}`;
  // Of a whole session its own are known by it, and what else it has sources of may be very much.
  const resting = messageIds === undefined ? sql`and s.memory_session_id is not null` : sql`and s.message_id in ${list(messageIds)}`;
  return db.query(sql<Assertion>`
    select ${assertionColumns} from assertions where workspace_id = ${place.workspaceId} and id in (
      select id from (select id from assertions where ${inSession(place)} ${these} limit ${limit}) own
      union all select memory_id from (
        select s.memory_id from memory_sources s cross join assertions a
        where s.workspace_id = ${place.workspaceId} and s.session_id = ${place.sessionId} ${resting}
          and a.workspace_id = s.workspace_id and a.id = s.memory_id limit ${limit}) elsewhere)
    limit ${limit}`);
}

/** Of other topics, what the runs that these begin ended in favour of. */
export async function findSuccessors(db: Queryable, workspaceId: string, ids: readonly string[]): Promise<string[]> {
  const found = await inParts(ids, (some) =>
    db.query(sql<{ endedBy: string }>`
      select ended_by as "endedBy" from assertions
      where workspace_id = ${workspaceId} and id in ${list(some)} and ended_by is not null and ended_topic_id is not null`),
  );
  return found.map(({ endedBy }) => endedBy);
}

export function insertAssertions(workspaceId: string, assertions: readonly Assertion[]): Sql[] {
  const statements: Sql[] = [];
  for (let start = 0; start < assertions.length; start += WRITTEN_AT_ONCE)
    statements.push(stored.insertInto('assertions', assertions.slice(start, start + WRITTEN_AT_ONCE), { workspaceId, isFirst: false }));
  const sources = assertions.flatMap(({ id, sessionId, messageId, sources: all }) =>
    all.map((source) => ({
      memoryId: id,
      memorySessionId: sessionId,
      causeId: messageId,
      messageIds: [source.messageId],
      sessionId: source.sessionId,
    })),
  );
  for (const [sessionId, ofSession] of Map.groupBy(sources, (source) => source.sessionId))
    statements.push(...insertSources({ workspaceId, sessionId }, ofSession));
  return statements;
}

export function deleteAssertions(workspaceId: string, assertions: readonly Assertion[]): Sql[] {
  const statements: Sql[] = [];
  for (let start = 0; start < assertions.length; start += WRITTEN_AT_ONCE) {
    const some = assertions.slice(start, start + WRITTEN_AT_ONCE);
    const ids = list(some.map(({ id }) => id));
    statements.push(sql`delete from assertions where workspace_id = ${workspaceId} and id in ${ids}`);
    const sessionIds = new Set(some.flatMap(({ sources }) => sources.map(({ sessionId }) => sessionId)));
    statements.push(
      sql`delete from memory_sources where workspace_id = ${workspaceId} and session_id in ${list([...sessionIds])} and memory_id in ${ids}`,
    );
  }
  return statements;
}

/** Of a run, up to the one that begins the next: what was deleted by hand is not kept here either. */
export function overrideAssertions(workspaceId: string, from: Assertion, until: Assertion | undefined, isDeleted: boolean): Sql {
  const emptied = isDeleted ? sql`, content = '', slot = null` : sql``;
  const { personId, topicId, messageId, ordinal, id } = from;
  const ends = until ? sql`and (message_id, ordinal, id) < (${until.messageId}, ${until.ordinal}, ${until.id})` : sql``;
  return sql`
    update assertions set overridden = ${true}${emptied}
    where workspace_id = ${workspaceId} and person_id = ${personId} and topic_id = ${topicId} and content is not null
      and (message_id, ordinal, id) >= (${messageId}, ${ordinal}, ${id}) ${ends}`;
}

const known = shape<Omit<KnownOfPerson, 'saidIn'> & { source: 'extracted' }>({
  id: 'text',
  kind: 'text',
  content: 'text',
  slot: 'text',
  fingerprintDigest: 'text',
  sources: 'json',
  source: 'text',
});

/** What held of a person when a message was written, newest first; of all sessions, or of all but one. So many, of as many as are looked through. */
export async function loadKnown(
  db: Queryable,
  { workspaceId, sessionId }: SessionPlace,
  personId: string,
  message: { readonly id: string; readonly createdAt: string },
  { limit, isElsewhere }: { limit: number; isElsewhere: boolean },
): Promise<KnownOfPerson[]> {
  const { id, createdAt: at } = message;
  return db.query(sql<KnownOfPerson>`
    select ${known} from (
      select m.id, m.kind, m.content, newest.slot, newest.fingerprint_digest, newest.sources, m.source
      from (
        select session_id, id, slot, fingerprint_digest, sources from assertions
        where workspace_id = ${workspaceId} and person_id = ${personId} and is_first and message_id < ${id}
          ${isElsewhere ? sql`and session_id <> ${sessionId}` : sql``}
        order by message_id desc limit ${Math.max(limit, MOST_LOOKED_THROUGH)}) newest
      join memories m on m.workspace_id = ${workspaceId} and m.session_id = newest.session_id and m.id = newest.id
      where m.source = 'extracted' and (m.superseded_at is null or m.superseded_at > ${at}) and (m.expires_at is null or m.expires_at > ${at})) found
    order by id desc limit ${limit}`);
}

async function inParts<Row>(ids: readonly string[], read: (some: readonly string[]) => Promise<Row[]>): Promise<Row[]> {
  const found: Row[] = [];
  for (const some of parts(ids)) found.push(...(await read(some)));
  return found;
}

/** Ids as a statement takes them. */
export function parts(ids: readonly string[]): string[][] {
  const distinct = [...new Set(ids)];
  return Array.from({ length: Math.ceil(distinct.length / WRITTEN_AT_ONCE) }, (_, index) =>
    distinct.slice(index * WRITTEN_AT_ONCE, (index + 1) * WRITTEN_AT_ONCE),
  );
}
