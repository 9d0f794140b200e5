/** Memories as the API writes and reads them. */
import type { AgentMemoryQuery, Memory, MemoryChanges, MemoryQuery, NewMemory } from '@commonplace/contract/memories';
import { requireAgent } from '../../agents/store.ts';
import { timestamp } from '../../clock.ts';
import type { Queryable, Transactable } from '../../db/database.ts';
import { newId } from '../../db/ids.ts';
import { metaMatches } from '../../db/meta-filter.ts';
import { type Listed, listPage } from '../../db/paging.ts';
import { columnOfIds, json, list, rows, type Sql, sql } from '../../db/sql.ts';
import { invalid, notFound } from '../../errors.ts';
import { recordAllEvents, recordEvent } from '../../outbox/outbox.ts';
import { measureReplaced } from '../../quotas/store.ts';
import { noteChangedItems } from '../../search/segments/changed-items.ts';
import { embedAnew, enqueueEmbedding } from '../../search/vectors.ts';
import { requireMessageCount, updateSessionCounts } from '../../sessions/store/counts.ts';
import { selectedSessions } from '../../sessions/store/selected.ts';
import { type AgentPlace, type SessionPlace, sessionExists, sessionOfRowExists } from '../../sessions/store.ts';
import { type Ending, ending, forgetInMeta, recordForgotten, successorsOf } from './forgetting.ts';
import { lockPeopleOfMemories, markOverridden } from './person-memories.ts';
import { createdMemories } from './recording.ts';
import {
  countMemories,
  deleteMemoryTraces,
  inSession,
  insertMemories,
  isMemory,
  type MemoryRow,
  memoryColumns,
  memoryVectors,
  storedColumns,
} from './rows.ts';

const wantedSession = columnOfIds('wanted.column1');
const wantedId = columnOfIds('wanted.column2');

/** Of sessions that are being deleted or archived: named one by one where a total is counted. */
const MOST_LEFT_OUT = 1_000;
const ID_LENGTH = 36;

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
    insertMemories(place, memories),
    countMemories(place, memories, nowMs),
    enqueueEmbedding(
      memoryVectors(place),
      memories.map(({ id }) => id),
      nowMs,
    ),
    ...recordAllEvents(createdMemories(place, memories), nowMs),
  ]);
  return memories.map(({ source, slot, fingerprint, ...memory }) => memoryOf(memory));
}

/** Newest first; what holds now, or held at a moment. */
export async function listMemories(db: Queryable, place: SessionPlace, query: MemoryQuery, nowMs: number): Promise<Listed<Memory>> {
  await requireMessageCount(db, place);
  return listHolding(db, sql`memories where ${inSession(place)}`, query, nowMs);
}

/** Of all sessions of an agent, or of those that have an id or labels. */
export async function listAgentMemories(db: Queryable, place: AgentPlace, query: AgentMemoryQuery, nowMs: number): Promise<Listed<Memory>> {
  const { workspaceId, agentId } = place;
  const { externalId, labels, includeArchived, ...page } = query;
  await requireAgent(db, workspaceId, agentId);
  // Of a few sessions, those are looked through; of all, the newest memories of the agent one after the other.
  if (externalId === undefined && Object.keys(labels).length === 0) {
    const ofAgent = sql`memories where workspace_id = ${workspaceId} and agent_id = ${agentId}`;
    const isThere = sql`and exists (
      select 1 from sessions s where s.workspace_id = memories.workspace_id and s.id = memories.session_id
        ${includeArchived ? sql`` : sql`and s.status = 'active'`})`;
    // All of them are counted in the index alone, but for those whose sessions are being deleted or archived.
    const leftOut = await findLeftOut(db, place, includeArchived, MOST_LEFT_OUT + 1);
    const isCounted = leftOut.length > MOST_LEFT_OUT ? isThere : leftOut.length === 0 ? sql`` : sql`and session_id not in ${list(leftOut)}`;
    return listHolding(db, sql`${ofAgent} ${isThere}`, page, nowMs, sql`${ofAgent} ${isCounted}`);
  }
  const ofSessions = sql`(
    select m.* from (${selectedSessions(place, { externalId, labels })}) selected cross join memories m
    where m.workspace_id = ${workspaceId} and m.session_id = selected.session_id ${includeArchived ? sql`` : isNotArchived}) memories where 1 = 1`;
  return listHolding(db, ofSessions, page, nowMs);
}

const isNotArchived = sql`and not exists (
  select 1 from sessions s where s.workspace_id = m.workspace_id and s.id = m.session_id and s.status = 'archived')`;

/** Sessions whose rows follow them in the background, and those that are archived. */
async function findLeftOut(
  db: Queryable,
  { workspaceId, agentId }: AgentPlace,
  includeArchived: boolean,
  limit: number,
): Promise<string[]> {
  const deleted = await db.query(sql<{ id: string }>`
    select distinct key as id from jobs where workspace_id = ${workspaceId} and kind = 'purge-session' limit ${limit}`);
  const archived = includeArchived
    ? []
    : await db.query(sql<{ id: string }>`
        select session_id as id from archived_sessions where workspace_id = ${workspaceId} and agent_id = ${agentId} limit ${limit}`);
  // Of a job its id is behind the workspace, which an imported session need not be alone with it in; earlier nodes leave that out.
  return [...deleted, ...archived].map(({ id }) => id.slice(-ID_LENGTH));
}

/** `these`: `memories where …`; `counted` are as many, and found at less cost. */
async function listHolding(db: Queryable, these: Sql, query: MemoryQuery, nowMs: number, counted = these): Promise<Listed<Memory>> {
  const at = query.asOf ?? timestamp(nowMs);
  const holding = sql`and (superseded_at is null or superseded_at > ${at}) and (expires_at is null or expires_at > ${at})
    ${query.asOf ? sql`and created_at <= ${at}` : sql``} ${query.kind ? sql`and kind = ${query.kind}` : sql``} ${metaMatches(query.where)}`;
  const memories = sql`from ${these} ${holding}`;
  const listed = await listPage(db, query, {
    rows: sql<MemoryRow>`select ${memoryColumns} ${memories}`,
    counted: memories,
    total: async () => Number((await db.one(sql<{ total: number }>`select count(*) as total from ${counted} ${holding}`)).total),
    key: 'id',
    keyKind: 'id',
    order: 'desc',
    keyOf: ({ id }) => id,
    longColumns: ['content', 'meta'],
    isFiltered: Object.keys(query.where ?? {}).length > 0,
  });
  return { ...listed, rows: listed.rows.map(memoryOf) };
}

export async function requireMemory(db: Queryable, place: SessionPlace, memoryId: string): Promise<Memory> {
  const memory = await db.maybeOne(sql<MemoryRow>`
    select ${memoryColumns} from memories where ${isMemory(place, memoryId)} and ${sessionExists(place)}`);
  if (!memory) throw notFound('Memory');
  return memoryOf(memory);
}

/** By their ids, wherever they are in the workspace; those that hold more than `mostBytes` are left out. */
export async function findMemoriesById(
  db: Queryable,
  workspaceId: string,
  wanted: readonly { readonly sessionId: string; readonly id: string }[],
  mostBytes: number,
): Promise<Memory[]> {
  const found = await db.query(sql<MemoryRow>`
    select ${memoryColumns.of('m')} from (values ${rows(wanted.map(({ sessionId, id }) => [sessionId, id]))}) wanted cross join memories m
    where m.workspace_id = ${workspaceId} and m.session_id = ${wantedSession} and m.id = ${wantedId}
      and octet_length(m.content) + octet_length(m.meta) <= ${mostBytes} and ${sessionOfRowExists('m')}`);
  return found.map(memoryOf);
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
    await lockPeopleOfMemories(tx, place, [memoryId]);
    // Whatever changes: an index reads it anew, and an extraction under way that read it before begins again.
    await tx.run(updateSessionCounts(place, { memoryEdits: 1 }));
    const before = await tx.one(
      sql<Pick<MemoryRow, 'content' | 'meta'>>`
        select ${memoryColumns} from memories where ${isMemory(place, memoryId)}`.orElse(() => notFound('Memory')),
    );
    const memory = await tx.one(
      sql<MemoryRow>`update memories set ${set}, version = version + 1 where ${isMemory(place, memoryId)} returning ${memoryColumns}`,
    );
    if (memory.content !== before.content)
      await tx.batch([
        sql`insert into memory_events (workspace_id, session_id, memory_id, id, event, content, created_at)
            values (${place.workspaceId}, ${place.sessionId}, ${memoryId}, ${newId()}, 'edited', ${memory.content}, ${now})`,
        ...embedAnew(memoryVectors(place), [memoryId], nowMs),
      ]);
    // What it is found by no more leaves the indexes that are kept.
    else if (json(memory.meta) !== json(before.meta)) await tx.run(noteChangedItems(memoryVectors(place), [memoryId]));
    await tx.run(recordEvent({ ...place, type: 'memory.updated', subjectId: memoryId }, nowMs));
    await markOverridden(tx, place.workspaceId, [memoryId], false, nowMs);
    return memoryOf(memory);
  });
}

/** What a change of it takes the place of. The history keeps each text once more; an extracted one did not count until now. */
export async function measureMemory(db: Queryable, place: SessionPlace, memoryId: string, changes: MemoryChanges): Promise<number> {
  const written = sql`from memories where ${isMemory(place, memoryId)} and source = 'written' and ${sessionExists(place)}`;
  return (await measureReplaced(db, changes, ['kind', 'content', 'meta'], written)) - Buffer.byteLength(changes.content ?? '');
}

export async function deleteMemory(db: Transactable, place: SessionPlace, memoryId: string, nowMs: number): Promise<void> {
  await deleteMemories(db, place, [memoryId], nowMs);
}

/** All or nothing: an id that is not there keeps all of them. What they took the place of does not come back. */
export async function deleteMemories(db: Transactable, place: SessionPlace, memoryIds: readonly string[], nowMs: number): Promise<void> {
  await db.transaction(async (tx) => {
    await lockPeopleOfMemories(tx, place, memoryIds);
    await tx.run(updateSessionCounts(place, { memories: -memoryIds.length, memoryEdits: 1 }));
    const deleted = await tx.query(sql<Ending>`
      delete from memories where ${inSession(place)} and id in ${list(memoryIds)} returning ${ending}`);
    if (deleted.length !== memoryIds.length) throw notFound('Memory');
    await tx.batch(deleteMemoryTraces(place, memoryIds));
    const repointed = await tx.batch(
      deleted.map(
        ({ id, supersededBy }) => sql<Ending>`
          update memories set superseded_by = ${supersededBy} where ${inSession(place)} and superseded_by = ${id} returning ${ending}`,
      ),
    );
    const telling = await forgetInMeta(tx, place, await successorsOf(tx, place, deleted), new Set(memoryIds), new Set());
    await recordForgotten(tx, place, memoryIds, new Map(repointed.flat().map((memory) => [memory.id, memory])), telling, nowMs);
    await markOverridden(tx, place.workspaceId, memoryIds, true, nowMs);
  });
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
