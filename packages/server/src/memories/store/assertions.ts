/** What the messages of people say: rows and the messages they rest on. */
import type { Queryable } from '../../db/database.ts';
import { shape } from '../../db/shape.ts';
import { list, type Sql, sql } from '../../db/sql.ts';
import type { SessionPlace } from '../../sessions/store.ts';
import type { KnownOfPerson } from '../extraction/assertions.ts';
import type { Assertion } from '../extraction/topics.ts';
import { inSession, insertSources, type SessionKey } from './rows.ts';

/** A statement takes no more than some thousands of parameters. */
const WRITTEN_AT_ONCE = 200;
/** Of the newest that a person said: what holds of it is known to whoever reads the next message. */
const MOST_LOOKED_THROUGH = 1_000;

const columns = shape<Assertion>({
  id: 'text',
  sessionId: 'text',
  personId: 'text',
  topicId: 'text',
  messageId: 'text',
  ordinal: 'integer',
  saidAt: 'time',
  fingerprint: 'text',
  kind: 'text',
  content: 'text',
  slot: 'text',
  extractor: 'text',
  successorId: 'text',
  sources: 'json',
  expiresAt: 'time',
  settled: 'boolean',
});
const stored = columns.with<{ workspaceId: string }>({ workspaceId: 'text' });

export async function loadTopics(db: Queryable, workspaceId: string, personId: string, topicIds: readonly string[]): Promise<Assertion[]> {
  return inParts(topicIds, (some) =>
    db.query(sql<Assertion>`
      select ${columns} from assertions where workspace_id = ${workspaceId} and person_id = ${personId} and topic_id in ${list(some)}`),
  );
}

export async function loadAssertions(db: Queryable, workspaceId: string, ids: readonly string[]): Promise<Assertion[]> {
  return inParts(ids, (some) =>
    db.query(sql<Assertion>`select ${columns} from assertions where workspace_id = ${workspaceId} and id in ${list(some)}`),
  );
}

/** Other topics of which something ended in favour of what these say. Crossed, so that SQLite begins with the topics. */
export async function loadEndedFor(
  db: Queryable,
  workspaceId: string,
  personId: string,
  topicIds: readonly string[],
): Promise<Assertion[]> {
  const found = await db.query(sql<{ topicId: string }>`
    select distinct e.topic_id as "topicId" from assertions a cross join assertions e
    where e.workspace_id = a.workspace_id and e.successor_id = a.id and a.workspace_id = ${workspaceId} and a.person_id = ${personId} and a.topic_id in ${list(topicIds)}`);
  const others = found.map(({ topicId }) => topicId).filter((topicId) => !topicIds.includes(topicId));
  return loadTopics(db, workspaceId, personId, others);
}

/** The newest of a topic. */
export async function findLatest(db: Queryable, workspaceId: string, personId: string, topicId: string): Promise<Assertion | undefined> {
  return db.maybeOne(sql<Assertion>`
    select ${columns} from assertions where workspace_id = ${workspaceId} and person_id = ${personId} and topic_id = ${topicId}
    order by message_id desc, ordinal desc limit 1`);
}

/** By the same person, in an earlier message. */
export async function wasSaidBefore(
  db: Queryable,
  workspaceId: string,
  { personId, topicId, messageId, fingerprint }: Assertion,
): Promise<boolean> {
  const [found] = await db.query(sql`
    select 1 as one from assertions where workspace_id = ${workspaceId} and person_id = ${personId} and topic_id = ${topicId}
      and message_id < ${messageId} and fingerprint = ${fingerprint} limit 1`);
  return found !== undefined;
}

export async function loadSessionAssertions(db: Queryable, place: SessionPlace): Promise<Assertion[]> {
  return db.query(sql<Assertion>`select ${columns} from assertions where ${inSession(place)}`);
}

export async function loadSaidIn(db: Queryable, place: SessionKey, messageIds: readonly string[]): Promise<Assertion[]> {
  return db.query(sql<Assertion>`select ${columns} from assertions where ${inSession(place)} and message_id in ${list(messageIds)}`);
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
  const resting = messageIds === undefined ? sql`and memory_session_id is not null` : these;
  return db.query(sql<Assertion>`
    select ${columns} from assertions where workspace_id = ${place.workspaceId} and id in (
      select id from assertions where ${inSession(place)} ${these}
      union all select memory_id from memory_sources where ${inSession(place)} ${resting})
    limit ${limit}`);
}

export function insertAssertions(workspaceId: string, assertions: readonly Assertion[]): Sql[] {
  const statements: Sql[] = [];
  for (let start = 0; start < assertions.length; start += WRITTEN_AT_ONCE)
    statements.push(stored.insertInto('assertions', assertions.slice(start, start + WRITTEN_AT_ONCE), { workspaceId }));
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

/** Their memories are in other hands. What was deleted is not kept here either. */
export function settleAssertions(workspaceId: string, ids: readonly string[], isDeleted: boolean): Sql[] {
  const content = isDeleted ? sql`, content = ''` : sql``;
  return parts(ids).map(
    (some) => sql`update assertions set settled = ${true}${content} where workspace_id = ${workspaceId} and id in ${list(some)}`,
  );
}

const known = shape<KnownOfPerson & { source: 'extracted' }>({
  id: 'text',
  kind: 'text',
  content: 'text',
  slot: 'text',
  fingerprint: 'text',
  sources: 'json',
  source: 'text',
});

/** What held of a person when a message was written, newest first; of all sessions, or of all but one. */
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
      select m.id, m.kind, m.content, newest.slot, newest.fingerprint, newest.sources, m.source
      from (
        select session_id, id, slot, fingerprint, sources from assertions
        where workspace_id = ${workspaceId} and person_id = ${personId} and message_id < ${id}
          ${isElsewhere ? sql`and session_id <> ${sessionId}` : sql``}
        order by message_id desc limit ${MOST_LOOKED_THROUGH}) newest
      join memories m on m.workspace_id = ${workspaceId} and m.session_id = newest.session_id and m.id = newest.id
      where m.source = 'extracted' and (m.superseded_at is null or m.superseded_at > ${at}) and (m.expires_at is null or m.expires_at > ${at})) found
    order by id desc limit ${limit}`);
}

async function inParts<Row>(ids: readonly string[], read: (some: readonly string[]) => Promise<Row[]>): Promise<Row[]> {
  const found: Row[] = [];
  for (const some of parts(ids)) found.push(...(await read(some)));
  return found;
}

function parts(ids: readonly string[]): string[][] {
  const distinct = [...new Set(ids)];
  return Array.from({ length: Math.ceil(distinct.length / WRITTEN_AT_ONCE) }, (_, index) =>
    distinct.slice(index * WRITTEN_AT_ONCE, (index + 1) * WRITTEN_AT_ONCE),
  );
}
