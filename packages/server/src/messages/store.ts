import type { Message, MessageChanges, MessageQuery, NewMessage } from '@commonplace/contract/messages';
import { timestamp } from '../clock.ts';
import type { Queryable, Transactable, Transaction } from '../db/database.ts';
import { newIdAt, timeOfId } from '../db/ids.ts';
import { metaMatches } from '../db/meta-filter.ts';
import { type Listed, listPage } from '../db/paging.ts';
import { shape } from '../db/shape.ts';
import { asId, columnOfIds, json, list, rows, type Sql, sql } from '../db/sql.ts';
import { invalid, notFound } from '../errors.ts';
import { enqueueExtraction } from '../memories/store/extraction-queue.ts';
import { forgetMessages, lockPeopleOf } from '../memories/store/forgetting.ts';
import { recordAllEvents, recordEvent, recordNewMessages } from '../outbox/outbox.ts';
import { measureReplaced } from '../quotas/store.ts';
import { noteChangedItems } from '../search/segments/changed-items.ts';
import { deleteVectors, embedAnew, enqueueEmbedding, type VectorScope } from '../search/vectors.ts';
import { requireMessageCount, updateSessionCounts } from '../sessions/store/counts.ts';
import { countMessages, countMessagesInOrder, OutOfOrder, type WrittenMessages } from '../sessions/store/message-order.ts';
import { type SessionPlace, sessionExists, sessionOfRowExists } from '../sessions/store.ts';

const COPIED_AT_ONCE = 500;

const originalId = columnOfIds('copied.column1');
const copiedId = columnOfIds('copied.column2');
const wantedSession = columnOfIds('wanted.column1');
const wantedId = columnOfIds('wanted.column2');

const columns = shape<Message>({
  id: 'text',
  sessionId: 'text',
  role: 'text',
  content: 'text',
  meta: 'json',
  createdAt: 'time',
  updatedAt: 'time',
});
const stored = columns.with<{ workspaceId: string; version: number }>({ workspaceId: 'text', version: 'integer' });

/** One or many, in the order given, all or nothing. Those of the user wait to be looked at for memories where `extracts` says so. */
export async function createMessages(
  db: Transactable,
  place: SessionPlace,
  written: readonly NewMessage[],
  extracts: boolean,
  nowMs: number,
): Promise<Message[]> {
  const draft = { place, written, extracts };
  if (db.isInTransaction) return db.transaction((tx) => createInTransaction(tx, draft, nowMs));
  const prepared = prepareMessages(draft, nowMs);
  try {
    await db.batch([countMessagesInOrder(place, prepared.counted), ...prepared.insertions]);
    return prepared.messages;
  } catch (error) {
    if (!(error instanceof OutOfOrder)) throw error;
    return db.transaction((tx) => createInTransaction(tx, draft, nowMs));
  }
}

interface Draft {
  readonly place: SessionPlace;
  readonly written: readonly NewMessage[];
  readonly extracts: boolean;
}

/** Counted first, which holds the session's row. Where the time is not after the newest message, they are written a moment after it. */
async function createInTransaction(tx: Transaction, draft: Draft, nowMs: number): Promise<Message[]> {
  const { place } = draft;
  const prepared = prepareMessages(draft, nowMs);
  const { newestId } = await tx.one(countMessages(place, prepared.counted));
  if (prepared.counted.firstId === undefined || newestId === prepared.counted.lastId) {
    await tx.batch(prepared.insertions);
    return prepared.messages;
  }
  const later = prepareMessages(draft, timeOfId(newestId) + 1);
  await tx.batch([countMessages(place, { ...later.counted, count: 0, bytes: 0 }), ...later.insertions]);
  return later.messages;
}

function prepareMessages({ place, written, extracts }: Draft, nowMs: number) {
  const now = timestamp(nowMs);
  const messages = written.map((message) => newMessage(place.sessionId, message, nowMs, now));
  const entries = messages.map(({ id, role }) => ({ messageId: id, extracts: extracts && role === 'user' }));
  const counted: WrittenMessages = {
    count: messages.length,
    bytes: bytesOf(messages),
    activityAtMs: nowMs,
    firstId: messages[written.findIndex(({ createdAt }) => !createdAt)]?.id,
    lastId: greatestId(messages),
  };
  return { messages, counted, insertions: [insertion(place.workspaceId, messages), recordNewMessages(place, entries, nowMs)] };
}

/** Oldest first. */
export async function listMessages(db: Queryable, place: SessionPlace, { where, ...page }: MessageQuery): Promise<Listed<Message>> {
  const isNarrowed = Object.keys(where ?? {}).length > 0;
  // No match does not tell whether the session is there.
  if (isNarrowed) await requireMessageCount(db, place);
  const messages = sql`from messages where workspace_id = ${place.workspaceId} and session_id = ${place.sessionId} ${metaMatches(where)}`;
  return listPage(db, page, {
    rows: sql<Message>`select ${columns} ${messages}`,
    counted: messages,
    key: 'id',
    keyKind: 'id',
    order: 'asc',
    keyOf: ({ id }) => id,
    longColumns: ['content', 'meta'],
    ...(isNarrowed ? { isFiltered: true } : { isIndexed: true, total: () => requireMessageCount(db, place) }),
  });
}

export async function requireMessage(db: Queryable, place: SessionPlace, messageId: string): Promise<Message> {
  const message = await db.maybeOne(sql<Message>`
    select ${columns} from messages where ${isMessage(place, messageId)} and ${sessionExists(place)}`);
  if (!message) throw notFound('Message');
  return message;
}

/** By their ids, wherever they are in the workspace; those that hold more than `mostBytes` are left out. */
export async function findMessagesById(
  db: Queryable,
  workspaceId: string,
  wanted: readonly { readonly sessionId: string; readonly id: string }[],
  mostBytes: number,
): Promise<Message[]> {
  return db.query(sql<Message>`
    select ${columns.of('m')} from (values ${rows(wanted.map(({ sessionId, id }) => [sessionId, id]))}) wanted cross join messages m
    where m.workspace_id = ${workspaceId} and m.session_id = ${wantedSession} and m.id = ${wantedId}
      and octet_length(m.content) + octet_length(m.meta) <= ${mostBytes} and ${sessionOfRowExists('m')}`);
}

/** What was extracted from it goes with the old text. */
export async function updateMessage(
  db: Transactable,
  place: SessionPlace,
  messageId: string,
  changes: MessageChanges,
  extracts: boolean,
  nowMs: number,
): Promise<Message> {
  const set = columns.assignments({
    ...changes,
    meta: changes.meta === null ? {} : changes.meta,
    updatedAt: timestamp(nowMs),
  });
  return db.transaction(async (tx) => {
    await lockPeopleOf(tx, place, [messageId]);
    await tx.run(updateSessionCounts(place, { messageEdits: 1 }));
    const before = await tx.one(
      sql<Pick<Message, 'content' | 'role' | 'meta'>>`
        select ${columns} from messages where ${isMessage(place, messageId)}`.orElse(() => notFound('Message')),
    );
    const message = await tx.one(
      sql<Message>`update messages set ${set}, version = version + 1 where ${isMessage(place, messageId)} returning ${columns}`,
    );
    await tx.run(recordEvent({ ...place, type: 'message.updated', subjectId: messageId }, nowMs));
    const messageBytes = bytesOf([message]) - bytesOf([before]);
    if (messageBytes !== 0) await tx.run(updateSessionCounts(place, { messageBytes }));
    // What it is found by no more leaves the indexes that are kept.
    if (message.content === before.content && json(message.meta) !== json(before.meta))
      await tx.run(noteChangedItems(vectorScope(place), [messageId]));
    if (message.content === before.content && message.role === before.role) return message;
    if (message.content !== before.content) await tx.batch(embedAnew(vectorScope(place), [messageId], nowMs));
    await forgetMessages(tx, place, [messageId], nowMs);
    if (extracts && message.role === 'user') await tx.run(enqueueExtraction(place, [messageId], nowMs));
    return message;
  });
}

export async function deleteMessage(db: Transactable, place: SessionPlace, messageId: string, nowMs: number): Promise<void> {
  await deleteMessages(db, place, [messageId], nowMs);
}

/** All or nothing: an id that is not there keeps all of them. What was extracted from them goes with them. */
export async function deleteMessages(db: Transactable, place: SessionPlace, messageIds: readonly string[], nowMs: number): Promise<void> {
  await db.transaction(async (tx) => {
    await lockPeopleOf(tx, place, messageIds);
    await tx.run(updateSessionCounts(place, { messages: -messageIds.length, messageEdits: 1 }));
    const deleted = await tx.query(sql<{ bytes: number }>`
      delete from messages where workspace_id = ${place.workspaceId} and session_id = ${place.sessionId} and id in ${list(messageIds)}
      returning octet_length(content) + octet_length(meta) as bytes`);
    if (deleted.length !== messageIds.length) throw notFound('Message');
    const messageBytes = -deleted.reduce((sum, { bytes }) => sum + bytes, 0);
    await tx.batch([
      ...deleteVectors(vectorScope(place), messageIds, true),
      updateSessionCounts(place, { messageBytes }),
      ...recordAllEvents(
        messageIds.map((subjectId) => ({ ...place, type: 'message.deleted', subjectId })),
        nowMs,
      ),
    ]);
    await forgetMessages(tx, place, messageIds, nowMs);
  });
}

export async function requireMessageTime(db: Queryable, place: SessionPlace, messageId: string): Promise<string> {
  const message = await db.maybeOne(sql<Pick<Message, 'createdAt'>>`
    select created_at as "createdAt" from messages where ${isMessage(place, messageId)}`);
  if (!message) throw notFound('Message');
  return message.createdAt;
}

/** What a change of it takes the place of. */
export function measureMessage(db: Queryable, place: SessionPlace, messageId: string, changes: MessageChanges): Promise<number> {
  const from = sql`from messages where ${isMessage(place, messageId)} and ${sessionExists(place)}`;
  return measureReplaced(db, changes, ['role', 'content', 'meta'], from);
}

/** How much a session's messages hold, up to and with one of them. Counts no further than one past `most`. */
export async function measureMessages(
  tx: Queryable,
  place: SessionPlace,
  lastId: string | undefined,
  most: number,
): Promise<{ count: number; bytes: number }> {
  return tx.one(sql<{ count: number; bytes: number }>`
      select count(*) as count, coalesce(sum(bytes), 0) as bytes from (
        select octet_length(content) + octet_length(meta) as bytes from messages
        where ${isUpTo(place, lastId)} order by id limit ${most + 1}) sized`);
}

/** Copies a session's messages into another, up to and with one of them. What they say never leaves the database. */
export async function copyMessages(
  tx: Transaction,
  from: SessionPlace,
  toSessionId: string,
  lastId: string | undefined,
  nowMs: number,
): Promise<Map<string, string>> {
  const copiedIds = new Map<string, string>();
  let lastCopied: string | undefined;
  for (;;) {
    const after: Sql = lastCopied ? sql`and id > ${lastCopied}` : sql``;
    const page: Pick<Message, 'id' | 'createdAt'>[] = await tx.query(sql<Pick<Message, 'id' | 'createdAt'>>`
      select id, created_at as "createdAt" from messages where ${isUpTo(from, lastId)} ${after} order by id limit ${COPIED_AT_ONCE}`);
    if (page.length === 0) return copiedIds;
    const ids = page.map(({ id, createdAt }): [string, string] => [id, newIdAt(Date.parse(createdAt))]);
    for (const [id, newId] of ids) copiedIds.set(id, newId);
    await tx.run(sql`
      insert into messages (workspace_id, session_id, id, role, content, meta, version, created_at, updated_at)
      select m.workspace_id, ${asId(toSessionId)}, ${copiedId}, m.role, m.content, m.meta, 1, m.created_at, m.updated_at
      from (values ${rows(ids)}) copied cross join messages m
      where m.workspace_id = ${from.workspaceId} and m.session_id = ${from.sessionId} and m.id = ${originalId}`);
    const copies = ids.map(([, newId]) => newId);
    await tx.run(enqueueEmbedding(vectorScope({ ...from, sessionId: toSessionId }), copies, nowMs));
    lastCopied = page.at(-1)?.id;
  }
}

/** As they are stored. */
function bytesOf(messages: readonly Pick<Message, 'content' | 'meta'>[]): number {
  return messages.reduce((sum, { content, meta }) => sum + Buffer.byteLength(content) + Buffer.byteLength(json(meta)), 0);
}

function greatestId(messages: readonly Message[]): string {
  const ids = messages.map(({ id }) => id);
  return (ids.length === 1 ? ids : ids.sort()).at(-1) as string;
}

/** `now` is `nowMs` as text: made once for a hundred messages. */
function newMessage(sessionId: string, message: NewMessage, nowMs: number, now: string): Message {
  const createdAt = message.createdAt ?? now;
  const createdAtMs = message.createdAt ? Date.parse(createdAt) : nowMs;
  if (createdAt > now) throw invalid('createdAt', 'Created at must not be in the future');
  // Ids sort by this time, and count it from there.
  if (createdAtMs < 0) throw invalid('createdAt', 'Created at must not be before 1970');
  return {
    id: newIdAt(createdAtMs),
    sessionId,
    role: message.role,
    content: message.content,
    meta: message.meta ?? {},
    createdAt,
    updatedAt: now,
  };
}

function insertion(workspaceId: string, messages: readonly Message[]): Sql {
  return stored.insertInto('messages', messages, { workspaceId, version: 1 });
}

function vectorScope({ workspaceId, sessionId }: SessionPlace): VectorScope {
  return { workspaceId, kind: 'message', scopeId: sessionId };
}

function isUpTo({ workspaceId, sessionId }: SessionPlace, lastId: string | undefined): Sql {
  return sql`workspace_id = ${workspaceId} and session_id = ${sessionId} ${lastId ? sql`and id <= ${lastId}` : sql``}`;
}

function isMessage({ workspaceId, sessionId }: SessionPlace, messageId: string): Sql {
  return sql`workspace_id = ${workspaceId} and session_id = ${sessionId} and id = ${messageId}`;
}
