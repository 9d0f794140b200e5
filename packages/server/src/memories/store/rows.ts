/** What the writes of memories are made of. */
import type { Memory } from '@commonplace/contract/memories';
import type { Transaction } from '../../db/database.ts';
import { shape } from '../../db/shape.ts';
import { list, rows, type Sql, sql } from '../../db/sql.ts';
import { recordCounts } from '../../roll-ups/pending-counts.ts';
import { deleteVectors, type VectorScope } from '../../search/vectors.ts';
import type { AgentPlace, SessionPlace } from '../../sessions/store.ts';

/** A statement takes no more than some thousands of parameters. */
const SOURCES_AT_ONCE = 500;

/** What tells the rows of a session. */
export type SessionKey = Pick<SessionPlace, 'workspaceId' | 'sessionId'>;

/** A memory as it is read: what is not there is null. */
export interface MemoryRow extends Omit<Memory, 'expiresAt' | 'supersededAt' | 'supersededBy'> {
  expiresAt: string | null;
  supersededAt: string | null;
  supersededBy: string | null;
}

export const memoryColumns = shape<MemoryRow>({
  id: 'text',
  sessionId: 'text',
  kind: 'text',
  content: 'text',
  meta: 'json',
  createdAt: 'time',
  updatedAt: 'time',
  expiresAt: 'time',
  supersededAt: 'time',
  supersededBy: 'text',
});

/** A memory as it is written. */
export interface StoredMemory extends MemoryRow {
  source: 'written' | 'extracted';
  slot: string | null;
  fingerprint: string | null;
}

export const storedColumns = memoryColumns.with<Omit<StoredMemory, keyof MemoryRow>>({ source: 'text', slot: 'text', fingerprint: 'text' });

const insertedColumns = storedColumns.with<AgentPlace & { version: number }>({ workspaceId: 'text', agentId: 'text', version: 'integer' });

export function insertMemories({ workspaceId, agentId }: AgentPlace, memories: readonly StoredMemory[]): Sql {
  return insertedColumns.insertInto('memories', memories, { workspaceId, agentId, version: 1 });
}

/** Goes with inserting them. */
export function countMemories({ workspaceId }: AgentPlace, memories: readonly Pick<Memory, 'kind'>[], nowMs: number): Sql {
  const counts = new Map<string, number>();
  for (const { kind } of memories) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  return recordCounts(workspaceId, 'memories', counts, nowMs);
}

/** Which messages memories rest on. */
export function insertSources(
  { workspaceId, sessionId }: SessionKey,
  causes: readonly { memoryId: string; causeId: string; messageIds: readonly string[]; memorySessionId?: string }[],
): Sql[] {
  const values = causes.flatMap(({ memoryId, causeId, messageIds, memorySessionId = sessionId }) =>
    messageIds.map((messageId) => [
      workspaceId,
      sessionId,
      messageId,
      memoryId,
      causeId,
      memorySessionId === sessionId ? null : memorySessionId,
    ]),
  );
  const statements: Sql[] = [];
  for (let start = 0; start < values.length; start += SOURCES_AT_ONCE) {
    statements.push(sql`
      insert into memory_sources (workspace_id, session_id, message_id, memory_id, cause_id, memory_session_id)
      values ${rows(values.slice(start, start + SOURCES_AT_ONCE))}
      on conflict (workspace_id, session_id, message_id, memory_id, cause_id) do nothing`);
  }
  return statements;
}

/** They no longer rest on what they rested on. */
export async function dropSources(tx: Transaction, place: SessionKey, memoryIds: readonly string[]): Promise<void> {
  for (let start = 0; start < memoryIds.length; start += SOURCES_AT_ONCE) {
    const some = memoryIds.slice(start, start + SOURCES_AT_ONCE);
    await tx.run(sql`delete from memory_sources where ${inSession(place)} and memory_id in ${list(some)}`);
  }
}

/** What is left of memories elsewhere. */
export function deleteMemoryTraces(place: SessionKey, memoryIds: readonly string[]): Sql[] {
  const of = sql`workspace_id = ${place.workspaceId} and session_id = ${place.sessionId} and memory_id in ${list(memoryIds)}`;
  return [
    sql`delete from memory_sources where ${of}`,
    sql`delete from memory_events where ${of}`,
    ...deleteVectors(memoryVectors(place), memoryIds, true),
  ];
}

export function memoryVectors({ workspaceId, sessionId }: SessionKey): VectorScope {
  return { workspaceId, kind: 'memory', scopeId: sessionId };
}

export function inSession({ workspaceId, sessionId }: SessionKey): Sql {
  return sql`workspace_id = ${workspaceId} and session_id = ${sessionId}`;
}

export function isMemory(place: SessionKey, memoryId: string): Sql {
  return sql`${inSession(place)} and id = ${memoryId}`;
}
