import type { Memory, MemoryChanges, MemoryQuery, NewMemory } from '@commonplace/contract/memories';
import { timestamp } from '../clock.ts';
import type { Queryable, Transactable, Transaction } from '../db/database.ts';
import { newId, newIdAt } from '../db/ids.ts';
import { type Listed, listPage } from '../db/paging.ts';
import { shape } from '../db/shape.ts';
import { assignments, json, list, rows, type Sql, sql } from '../db/sql.ts';
import { notFound } from '../errors.ts';
import { embeddingQueued, type VectorScope, vectorsDropped } from '../search/vectors.ts';
import { requireMessageCount, type SessionPlace, sessionCounted, sessionExists } from '../sessions/store.ts';

/** A statement takes no more than some thousands of parameters. */
const COPIED_AT_ONCE = 500;

const columns = shape<Memory>({
  id: 'text',
  sessionId: 'text',
  kind: 'text',
  content: 'text',
  meta: 'json',
  createdAt: 'time',
  updatedAt: 'time',
});

type StoredMemory = Memory & { source: 'written' | 'extracted' };
const storedColumns = shape<StoredMemory>({
  id: 'text',
  sessionId: 'text',
  kind: 'text',
  content: 'text',
  meta: 'json',
  createdAt: 'time',
  updatedAt: 'time',
  source: 'text',
});

/** One or many, in the order given, all or nothing. */
export async function createMemories(db: Queryable, place: SessionPlace, written: readonly NewMemory[], nowMs: number): Promise<Memory[]> {
  const now = timestamp(nowMs);
  const memories = written.map(({ kind, content, meta }) => ({
    id: newId(),
    sessionId: place.sessionId,
    kind,
    content,
    meta: meta ?? {},
    createdAt: now,
    updatedAt: now,
    source: 'written' as const,
  }));
  await db.batch([
    sessionCounted(place, { memories: memories.length }),
    insertion(place.workspaceId, memories),
    embeddingQueued(
      vectorScope(place),
      memories.map(({ id }) => id),
      nowMs,
    ),
  ]);
  return memories;
}

/** Newest first. */
export async function listMemories(db: Queryable, place: SessionPlace, query: MemoryQuery): Promise<Listed<Memory>> {
  await requireMessageCount(db, place);
  const memories = sql`from memories where workspace_id = ${place.workspaceId} and session_id = ${place.sessionId}
    ${query.kind ? sql`and kind = ${query.kind}` : sql``}`;
  return listPage(db, query, {
    rows: sql<Memory>`select ${columns} ${memories}`,
    counted: memories,
    key: 'id',
    keyKind: 'id',
    order: 'desc',
    keyOf: ({ id }) => id,
  });
}

export async function requireMemory(db: Queryable, place: SessionPlace, memoryId: string): Promise<Memory> {
  const memory = await db.maybeOne(sql<Memory>`
    select ${columns} from memories where ${isMemory(place, memoryId)} and ${sessionExists(place)}`);
  if (!memory) throw notFound('Memory');
  return memory;
}

export async function updateMemory(
  db: Queryable,
  place: SessionPlace,
  memoryId: string,
  changes: MemoryChanges,
  nowMs: number,
): Promise<Memory> {
  const set = assignments({
    kind: changes.kind,
    content: changes.content,
    meta: changes.meta === undefined ? undefined : json(changes.meta ?? {}),
    updated_at: timestamp(nowMs),
  });
  const results = await db.batch([
    sessionCounted(place, { memoryEdits: 1 }),
    sql<Memory>`update memories set ${set}, version = version + 1 where ${isMemory(place, memoryId)} returning ${columns}`.orElse(() =>
      notFound('Memory'),
    ),
    ...vectorsDropped(vectorScope(place), [memoryId], false),
    embeddingQueued(vectorScope(place), [memoryId], nowMs),
  ]);
  return results[1]?.[0] as unknown as Memory;
}

export async function deleteMemory(db: Queryable, place: SessionPlace, memoryId: string): Promise<void> {
  await db.batch([
    sessionCounted(place, { memories: -1, memoryEdits: 1 }),
    sql`delete from memories where ${isMemory(place, memoryId)}`.orElse(() => notFound('Memory')),
    ...vectorsDropped(vectorScope(place), [memoryId], true),
  ]);
}

/** All or nothing: an id that is not there keeps all of them. */
export async function deleteMemories(db: Transactable, place: SessionPlace, memoryIds: readonly string[]): Promise<void> {
  await db.transaction(async (tx) => {
    await tx.run(sessionCounted(place, { memories: -memoryIds.length, memoryEdits: 1 }));
    const deleted = await tx.query(sql`
      delete from memories where workspace_id = ${place.workspaceId} and session_id = ${place.sessionId} and id in ${list(memoryIds)} returning id`);
    if (deleted.length !== memoryIds.length) throw notFound('Memory');
    for (const statement of vectorsDropped(vectorScope(place), memoryIds, true)) await tx.run(statement);
  });
}

/** Copies what a session held at a time into another; all of it when no time is given. */
export async function copyMemories(
  tx: Transaction,
  from: SessionPlace,
  toSessionId: string,
  heldAt: string | undefined,
  nowMs: number,
): Promise<number> {
  const memories = await tx.query(sql<StoredMemory>`
    select ${storedColumns} from memories where workspace_id = ${from.workspaceId} and session_id = ${from.sessionId}
    ${heldAt === undefined ? sql`` : sql`and created_at <= ${heldAt}`} order by id`);
  if (memories.length === 0) return 0;
  const copies = memories.map((memory) => ({ ...memory, id: newIdAt(Date.parse(memory.createdAt)), sessionId: toSessionId }));
  const scope = vectorScope({ ...from, sessionId: toSessionId });
  for (let start = 0; start < copies.length; start += COPIED_AT_ONCE) {
    const some = copies.slice(start, start + COPIED_AT_ONCE);
    await tx.run(insertion(from.workspaceId, some));
    const ids = some.map(({ id }) => id);
    await tx.run(embeddingQueued(scope, ids, nowMs));
  }
  return copies.length;
}

function insertion(workspaceId: string, memories: readonly StoredMemory[]): Sql {
  const values = memories.map(({ id, sessionId, kind, content, meta, source, createdAt, updatedAt }) => [
    workspaceId,
    sessionId,
    id,
    kind,
    content,
    json(meta),
    1,
    source,
    createdAt,
    updatedAt,
  ]);
  return sql`insert into memories (workspace_id, session_id, id, kind, content, meta, version, source, created_at, updated_at) values ${rows(values)}`;
}

function vectorScope({ workspaceId, sessionId }: SessionPlace): VectorScope {
  return { workspaceId, kind: 'memory', scopeId: sessionId };
}

function isMemory({ workspaceId, sessionId }: SessionPlace, memoryId: string): Sql {
  return sql`workspace_id = ${workspaceId} and session_id = ${sessionId} and id = ${memoryId}`;
}
