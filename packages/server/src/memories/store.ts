import type { Memory, MemoryChanges, MemoryQuery, NewMemory } from '@commonplace/contract/memories';
import { timestamp } from '../clock.ts';
import type { Queryable, Transactable, Transaction } from '../db/database.ts';
import { newId, newIdAt } from '../db/ids.ts';
import { type Listed, listPage } from '../db/paging.ts';
import { shape } from '../db/shape.ts';
import { json, list, rows, type Sql, sql } from '../db/sql.ts';
import { invalid, notFound } from '../errors.ts';
import { enqueue, type NewJob } from '../jobs/queue.ts';
import { undistributedToExtract } from '../search/new-messages.ts';
import { deleteVectors, enqueueEmbedding } from '../search/vectors.ts';
import { requireMessageCount, type SessionPlace, sessionExists, updateSessionCounts } from '../sessions/store.ts';
import {
  deleteMemoryTraces,
  enqueueSummary,
  inSession,
  insertMemories,
  insertSources,
  isMemory,
  type MemoryRow,
  markForRegeneration,
  memoryColumns,
  memoryVectors,
  type StoredMemory,
  storedColumns,
} from './statements.ts';

/** A statement takes no more than some thousands of parameters. */
const COPIED_AT_ONCE = 500;

/** One or many, in the order given, all or nothing. */
export async function createMemories(db: Queryable, place: SessionPlace, written: readonly NewMemory[], nowMs: number): Promise<Memory[]> {
  const now = timestamp(nowMs);
  const memories = written.map(({ kind, content, meta, expiresAt }) => ({
    id: newId(),
    sessionId: place.sessionId,
    kind,
    content,
    meta: meta ?? {},
    createdAt: now,
    updatedAt: now,
    expiresAt: futureTime(expiresAt, nowMs),
    supersededAt: null,
    supersededBy: null,
    source: 'written' as const,
    slot: null,
    fingerprint: null,
  }));
  await db.batch([
    updateSessionCounts(place, { memories: memories.length }),
    insertMemories(place.workspaceId, memories),
    enqueueEmbedding(
      memoryVectors(place),
      memories.map(({ id }) => id),
      nowMs,
    ),
  ]);
  return memories.map(({ source, slot, fingerprint, ...memory }) => memoryOf(memory));
}

/** Newest first; what holds now, or held at a moment. */
export async function listMemories(db: Queryable, place: SessionPlace, query: MemoryQuery, nowMs: number): Promise<Listed<Memory>> {
  await requireMessageCount(db, place);
  const at = query.asOf ?? timestamp(nowMs);
  const memories = sql`from memories where workspace_id = ${place.workspaceId} and session_id = ${place.sessionId}
    and (superseded_at is null or superseded_at > ${at}) and (expires_at is null or expires_at > ${at})
    ${query.asOf ? sql`and created_at <= ${at}` : sql``} ${query.kind ? sql`and kind = ${query.kind}` : sql``}`;
  const listed = await listPage(db, query, {
    rows: sql<MemoryRow>`select ${memoryColumns} ${memories}`,
    counted: memories,
    key: 'id',
    keyKind: 'id',
    order: 'desc',
    keyOf: ({ id }) => id,
  });
  return { ...listed, rows: listed.rows.map(memoryOf) };
}

export async function requireMemory(db: Queryable, place: SessionPlace, memoryId: string): Promise<Memory> {
  const memory = await db.maybeOne(sql<MemoryRow>`
    select ${memoryColumns} from memories where ${isMemory(place, memoryId)} and ${sessionExists(place)}`);
  if (!memory) throw notFound('Memory');
  return memoryOf(memory);
}

/**
 * From now on it is written, whatever it was: nothing but its writers take it away. Its fingerprint still says what it was made from.
 * Only another text needs another vector, and is an edit that its history tells of.
 */
export async function updateMemory(
  db: Transactable,
  place: SessionPlace,
  memoryId: string,
  changes: MemoryChanges,
  nowMs: number,
): Promise<Memory> {
  const now = timestamp(nowMs);
  const set = storedColumns.assignments({
    ...changes,
    meta: changes.meta === null ? {} : changes.meta,
    expiresAt: changes.expiresAt === undefined ? undefined : futureTime(changes.expiresAt, nowMs),
    source: 'written',
    slot: null,
    updatedAt: now,
  });
  return db.transaction(async (tx) => {
    // Whatever changes: an index reads it anew, and an extraction under way that read it before begins again.
    await tx.run(updateSessionCounts(place, { memoryEdits: 1 }));
    const before = await tx.one(
      sql<Pick<Memory, 'content'>>`select content from memories where ${isMemory(place, memoryId)}`.orElse(() => notFound('Memory')),
    );
    const memory = await tx.one(
      sql<MemoryRow>`update memories set ${set}, version = version + 1 where ${isMemory(place, memoryId)} returning ${memoryColumns}`,
    );
    if (memory.content !== before.content)
      await tx.batch([
        sql`insert into memory_events (workspace_id, session_id, memory_id, id, event, content, created_at)
            values (${place.workspaceId}, ${place.sessionId}, ${memoryId}, ${newId()}, 'edited', ${memory.content}, ${now})`,
        ...deleteVectors(memoryVectors(place), [memoryId], false),
        enqueueEmbedding(memoryVectors(place), [memoryId], nowMs),
      ]);
    return memoryOf(memory);
  });
}

export async function deleteMemory(db: Transactable, place: SessionPlace, memoryId: string): Promise<void> {
  await deleteMemories(db, place, [memoryId]);
}

/** All or nothing: an id that is not there keeps all of them. What they took the place of does not come back. */
export async function deleteMemories(db: Transactable, place: SessionPlace, memoryIds: readonly string[]): Promise<void> {
  await db.transaction(async (tx) => {
    await tx.run(updateSessionCounts(place, { memories: -memoryIds.length, memoryEdits: 1 }));
    const deleted = await tx.query(sql<Ending>`
      delete from memories where ${inSession(place)} and id in ${list(memoryIds)} returning ${ending}`);
    if (deleted.length !== memoryIds.length) throw notFound('Memory');
    await tx.batch([
      ...deleteMemoryTraces(place, memoryIds),
      ...deleted.map(
        ({ id, supersededBy }) =>
          sql`update memories set superseded_by = ${supersededBy} where ${inSession(place)} and superseded_by = ${id}`,
      ),
    ]);
    await forgetInMeta(tx, place, await successorsOf(tx, place, deleted), new Set(memoryIds), new Set());
  });
}

/** Copies what a session held at a time into another; what it holds now when no time is given. */
export async function copyMemories(
  tx: Transaction,
  from: SessionPlace,
  toSessionId: string,
  heldAt: string | undefined,
  copiedMessageIds: ReadonlyMap<string, string>,
  nowMs: number,
): Promise<number> {
  const at = heldAt ?? timestamp(nowMs);
  const memories = await tx.query(sql<StoredMemory>`
    select ${storedColumns} from memories where workspace_id = ${from.workspaceId} and session_id = ${from.sessionId}
    and (superseded_at is null or superseded_at > ${at}) and (expires_at is null or expires_at > ${at})
    ${heldAt === undefined ? sql`` : sql`and created_at <= ${heldAt}`} order by id`);
  await copyWaiting(tx, from, toSessionId, copiedMessageIds, nowMs);
  if (memories.length === 0) return 0;
  const ids = new Map(memories.map(({ id, createdAt }) => [id, newIdAt(Date.parse(createdAt))]));
  const copies = memories.map((memory) => ({
    ...memory,
    id: ids.get(memory.id) as string,
    sessionId: toSessionId,
    meta: memory.source === 'extracted' ? copiedMeta(memory.meta, copiedMessageIds) : memory.meta,
    supersededAt: null,
    supersededBy: null,
  }));
  const to = { ...from, sessionId: toSessionId };
  for (let start = 0; start < copies.length; start += COPIED_AT_ONCE) {
    const some = copies.slice(start, start + COPIED_AT_ONCE);
    await tx.run(insertMemories(from.workspaceId, some));
    const copiedIds = some.map(({ id }) => id);
    await tx.run(enqueueEmbedding(memoryVectors(to), copiedIds, nowMs));
  }
  const sources = await tx.query(sql<{ messageId: string; memoryId: string; causeId: string }>`
    select message_id as "messageId", memory_id as "memoryId", cause_id as "causeId" from memory_sources
    where workspace_id = ${from.workspaceId} and session_id = ${from.sessionId}`);
  const copiedSources = sources.flatMap(({ messageId, memoryId, causeId }) => {
    const [message, memory, cause] = [
      copiedMessageIds.get(messageId),
      ids.get(memoryId),
      copiedMessageIds.get(causeId) ?? ids.get(causeId),
    ];
    return message && memory && cause ? [{ memoryId: memory, causeId: cause, messageIds: [message] }] : [];
  });
  for (const statement of insertSources(to, copiedSources)) await tx.run(statement);
  return copies.length;
}

/** What was not looked at yet is looked at in the copy too. */
async function copyWaiting(
  tx: Transaction,
  from: SessionPlace,
  toSessionId: string,
  copiedMessageIds: ReadonlyMap<string, string>,
  nowMs: number,
): Promise<void> {
  const waiting = await tx.query(sql<{ id: string }>`
    select message_id as id from extraction_queue where ${inSession(from)} and failed_at is null
    union select message_id as id ${undistributedToExtract(from)}`);
  const ids = waiting.flatMap(({ id }) => copiedMessageIds.get(id) ?? []);
  for (let start = 0; start < ids.length; start += COPIED_AT_ONCE)
    await tx.run(enqueueExtraction({ ...from, sessionId: toSessionId }, ids.slice(start, start + COPIED_AT_ONCE), nowMs));
  if (ids.length > 0) await tx.run(enqueue({ ...extractionJob(from.workspaceId), delayMs: 1_000 }, nowMs));
}

/** Of what was extracted: by the messages of the copy. What came before is not copied, and so not told of. */
function copiedMeta(meta: unknown, copied: ReadonlyMap<string, string>): unknown {
  const { history, messageIds, ...rest } = meta as { history?: unknown; messageIds: readonly string[] };
  return { ...rest, messageIds: messageIds.map((id) => copied.get(id) ?? id) };
}

/** The statement that goes with writing or editing messages of the user, where the agent extracts. */
export function enqueueExtraction({ workspaceId, sessionId }: SessionPlace, messageIds: readonly string[], nowMs: number): Sql {
  const now = timestamp(nowMs);
  return sql`
    insert into extraction_queue (workspace_id, session_id, message_id, created_at)
    values ${rows(messageIds.map((messageId) => [workspaceId, sessionId, messageId, now]))}
    on conflict (workspace_id, session_id, message_id) do update set created_at = excluded.created_at, failed_at = null, error = null`;
}

/** One for each workspace: its sessions share it, and nobody waits for another workspace's import. */
export function extractionJob(workspaceId: string): NewJob & { key: string } {
  return { kind: 'extract-memories', key: workspaceId, workspaceId, payload: {} };
}

/**
 * What rests on messages that are edited or deleted goes with them, and what it had taken the place of holds again. In the
 * transaction of the edit or deletion, after its lock on the session.
 */
export async function forgetMessages(tx: Transaction, place: SessionPlace, messageIds: readonly string[], nowMs: number): Promise<void> {
  const within = inSession(place);
  const these = sql`${within} and message_id in ${list(messageIds)}`;
  await tx.run(sql`delete from extraction_queue where ${these}`);
  const undone = await tx.run(sql`delete from memory_events where ${these} and event = 'withdrawn'`);
  const affected = await tx.query(sql<{ memoryId: string; causeId: string }>`
    select distinct memory_id as "memoryId", cause_id as "causeId" from memory_sources where ${these}`);
  let others = 0;
  for (const { memoryId, causeId } of affected)
    others += (await tx.run(sql`delete from memory_sources where ${within} and memory_id = ${memoryId} and cause_id = ${causeId}`)) - 1;
  const memoryIds = [...new Set(affected.map(({ memoryId }) => memoryId))];
  const groundless = memoryIds.length === 0 ? [] : await withoutGround(tx, place, memoryIds);
  const isSummaryGone = groundless.some(({ kind }) => kind === 'summary');
  // What was taken back may hold again, and what was corrected may read otherwise: only all messages together tell.
  if (undone > 0 || (others > 0 && !isSummaryGone)) await tx.batch(markForRegeneration(place, nowMs));
  if (memoryIds.length === 0) return;
  const successors = await successorsOf(tx, place, groundless);
  for (const { id } of groundless) {
    // Whoever had taken its place, if anybody, now takes that of those before it.
    const [own] = await tx.query(sql<Ending>`delete from memories where ${within} and id = ${id} returning ${ending}`);
    await tx.run(sql`
      update memories set superseded_at = ${own?.supersededAt ?? null}, superseded_by = ${own?.supersededBy ?? null},
        version = version + 1, updated_at = ${timestamp(nowMs)}
      where ${within} and superseded_by = ${id}`);
  }
  const gone = groundless.map(({ id }) => id);
  if (gone.length > 0) await tx.batch(deleteMemoryTraces(place, gone));
  const left = [...memoryIds, ...successors].filter((id) => !gone.includes(id));
  await forgetInMeta(tx, place, left, new Set(gone), new Set(messageIds));
  await tx.run(updateSessionCounts(place, { memories: -gone.length, memoryEdits: 1 }));
  if (isSummaryGone) await tx.run(enqueueSummary(place, nowMs));
}

/** How it ended, if it did. */
type Ending = Pick<MemoryRow, 'id' | 'kind' | 'supersededAt' | 'supersededBy'>;
const ending = shape<Ending>({ id: 'text', kind: 'text', supersededAt: 'time', supersededBy: 'text' });

/** Those of the extracted that nothing says any more. */
async function withoutGround(tx: Transaction, place: SessionPlace, memoryIds: readonly string[]): Promise<Ending[]> {
  return tx.query(sql<Ending>`
    select ${ending} from memories m where ${inSession(place)} and source = 'extracted' and id in ${list(memoryIds)}
      and not exists (select 1 from memory_sources s where s.workspace_id = m.workspace_id and s.session_id = m.session_id and s.memory_id = m.id)`);
}

/** What took the place of these, and of that, and so on: their `meta` may tell of them. */
async function successorsOf(tx: Transaction, place: SessionPlace, memories: readonly Ending[]): Promise<string[]> {
  const found = new Set<string>();
  for (let next = memories; next.length > 0; ) {
    const ids = next.flatMap(({ supersededBy }) => (supersededBy === null || found.has(supersededBy) ? [] : [supersededBy]));
    if (ids.length === 0) break;
    for (const id of ids) found.add(id);
    next = await tx.query(sql<Ending>`select ${ending} from memories where ${inSession(place)} and id in ${list(ids)}`);
  }
  return [...found];
}

/** The memories that remain may name the messages, or tell in their history what those that are gone said. */
async function forgetInMeta(
  tx: Transaction,
  place: SessionPlace,
  left: readonly string[],
  memoryIds: ReadonlySet<string>,
  messageIds: ReadonlySet<string>,
): Promise<void> {
  if (left.length === 0) return;
  const telling = await tx.query(sql<{ id: string; meta: string }>`
    select id, meta from memories where ${inSession(place)} and id in ${list(left)} and source = 'extracted'`);
  for (const { id, meta } of telling) {
    const before = JSON.parse(meta) as { messageIds?: string[]; history?: { id: string }[] };
    const after = {
      ...before,
      ...(before.messageIds && { messageIds: before.messageIds.filter((messageId) => !messageIds.has(messageId)) }),
      ...(before.history && { history: before.history.filter((former) => !memoryIds.has(former.id)) }),
    };
    if (after.history?.length === 0) delete after.history;
    if (after.messageIds?.length === 0) after.messageIds = await messagesBehind(tx, place, id);
    if (json(after) !== meta) await tx.run(sql`update memories set meta = ${json(after)} where ${isMemory(place, id)}`);
  }
}

/** Of the first cause that is left. */
async function messagesBehind(tx: Transaction, place: SessionPlace, memoryId: string): Promise<string[]> {
  const sources = await tx.query(sql<{ messageId: string; causeId: string }>`
    select message_id as "messageId", cause_id as "causeId" from memory_sources
    where ${inSession(place)} and memory_id = ${memoryId} order by cause_id, message_id limit 100`);
  return sources.filter(({ causeId }) => causeId === sources[0]?.causeId).map(({ messageId }) => messageId);
}

function memoryOf({ expiresAt, supersededAt, supersededBy, ...memory }: MemoryRow): Memory {
  return {
    ...memory,
    ...(expiresAt !== null && { expiresAt }),
    ...(supersededAt !== null && { supersededAt }),
    ...(supersededBy !== null && { supersededBy }),
  };
}

function futureTime(time: string | null | undefined, nowMs: number): string | null {
  if (time == null) return null;
  if (Date.parse(time) <= nowMs) throw invalid('expiresAt', 'Expires at must be in the future');
  return timestamp(Date.parse(time));
}
