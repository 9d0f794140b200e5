/** Sessions on their way in: written a piece at a time, and seen by nobody until their own row is there. */
import type { MemoryEventLine, MemoryLine, MessageLine, SessionLine } from '@commonplace/contract/transfer';
import { lockAgent } from '../../agents/store.ts';
import { timestamp } from '../../clock.ts';
import type { Database, Queryable, Transaction } from '../../db/database.ts';
import { json, list, nothing, perEngine, raw, type Sql, sql } from '../../db/sql.ts';
import type { Queue } from '../../db/waiting-workspaces.ts';
import { conflict } from '../../errors.ts';
import type { insertAssertions } from '../../memories/store/assertions.ts';
import { lockPeople } from '../../memories/store/people.ts';
import { changeAssertions } from '../../memories/store/person-memories.ts';
import { insertSources } from '../../memories/store/rows.ts';
import { enqueueEmbedding, upsertVectors } from '../../search/vectors.ts';
import { deleteRowsOfSession } from '../../sessions/store/purging.ts';
import { asConflict, sessionInsertions } from '../../sessions/store.ts';
import { type MemorySource, memoryColumns, memoryEventColumns, messageColumns, type SessionKey } from './reading.ts';
import type { StoredVectorRow } from './vectors.ts';

/** An import that has not written for so long has stopped. */
export const STOPPED_AFTER_MS = 15_000;

/** While rows are removed, which may take long, nobody takes it over. */
const HELD_MS = 10 * 60 * 1000;

export type Assertion = Parameters<typeof insertAssertions>[1][number];

export interface StagedSession extends SessionKey {
  /** Which import. */
  readonly owner: string;
}

/** Whether it is this import's now: another may be writing it. What one that stopped has written goes. */
export async function claimSession(db: Database, staged: StagedSession, nowMs: number, signal: AbortSignal): Promise<boolean> {
  const { workspaceId, sessionId, owner } = staged;
  const before = await db.maybeOne(sql`select owner from staged_sessions where ${isStaged(staged)}`);
  const claimed = await db.run(sql`
    insert into staged_sessions (workspace_id, session_id, owner, touched_at) values (${workspaceId}, ${sessionId}, ${owner}, ${timestamp(nowMs)})
    on conflict (workspace_id, session_id) do update set owner = excluded.owner, touched_at = excluded.touched_at
    where staged_sessions.touched_at < ${timestamp(nowMs - STOPPED_AFTER_MS)}`);
  if (claimed === 0) return false;
  if (before === undefined) return true;
  if (!(await holdSession(db, staged, nowMs))) return false;
  await deleteRowsOfSession(db, staged, false, signal);
  return true;
}

/** Goes first in whatever is written: nothing is, where the session is no longer this import's. */
function keepClaim(staged: StagedSession, nowMs: number): Sql {
  return sql`update staged_sessions set touched_at = ${timestamp(nowMs)} where ${isOwned(staged)}`.orElse(lost);
}

const lost = () => conflict('Another import is writing this session');

/** Whoever sends the session again need not wait. */
export async function releaseSession(db: Queryable, staged: StagedSession): Promise<void> {
  await db.run(sql`update staged_sessions set touched_at = ${timestamp(0)} where ${isOwned(staged)}`);
}

/** False where it is another import's by now. What is written next sets the time right. */
async function holdSession(db: Queryable, staged: StagedSession, nowMs: number): Promise<boolean> {
  return (await db.run(sql`update staged_sessions set touched_at = ${timestamp(nowMs + HELD_MS)} where ${isOwned(staged)}`)) > 0;
}

/** Does nothing to one that is another import's by now. */
export async function removeStaged(db: Queryable, staged: StagedSession, nowMs: number, signal: AbortSignal): Promise<void> {
  if (!(await holdSession(db, staged, nowMs))) return;
  await deleteRowsOfSession(db, staged, false, signal);
  await db.run(sql`delete from staged_sessions where ${isOwned(staged)}`);
}

export interface SessionRows {
  readonly messages: MessageLine[];
  readonly memories: MemoryLine[];
  readonly events: MemoryEventLine[];
  readonly sources: MemorySource[];
  readonly vectors: readonly { readonly kind: 'message' | 'memory'; readonly rows: readonly StoredVectorRow[] }[];
}

export async function writeStaged(db: Queryable, staged: StagedSession, rows: SessionRows, model: string, nowMs: number): Promise<void> {
  await db.batch([keepClaim(staged, nowMs), ...insertions(staged, rows, model, nowMs)]);
}

const storedMessages = messageColumns.with<{ workspaceId: string; version: number }>({ workspaceId: 'text', version: 'integer' });
const storedMemories = memoryColumns.with<{ workspaceId: string; version: number }>({ workspaceId: 'text', version: 'integer' });
const storedEvents = memoryEventColumns.with<{ workspaceId: string }>({ workspaceId: 'text' });

/** Memories without an agent, by which they would be counted already. */
function insertions(place: SessionKey, { messages, memories, events, sources, vectors }: SessionRows, model: string, nowMs: number): Sql[] {
  const { workspaceId, sessionId } = place;
  const scopeOf = (kind: 'message' | 'memory') => ({ workspaceId, kind, scopeId: sessionId });
  const embedding = (kind: 'message' | 'memory', items: readonly { id: string }[]) =>
    enqueueEmbedding(
      scopeOf(kind),
      items.map(({ id }) => id),
      nowMs,
    );
  const causes = sources.map(({ messageId, ...source }) => ({ ...source, messageIds: [messageId] }));
  return [
    ...(messages.length > 0
      ? [storedMessages.insertInto('messages', messages, { workspaceId, version: 1 }), embedding('message', messages)]
      : []),
    ...(memories.length > 0
      ? [storedMemories.insertInto('memories', memories, { workspaceId, version: 1 }), embedding('memory', memories)]
      : []),
    ...(events.length > 0 ? [storedEvents.insertInto('memory_events', events, { workspaceId })] : []),
    ...insertSources(place, causes),
    ...vectors.flatMap(({ kind, rows }) => [
      upsertVectors(
        scopeOf(kind),
        rows.map(({ id, vector, tokenCodes }) => ({ itemId: id, vector, tokenCodes: tokenCodes ?? undefined })),
        model,
      ),
      sql`delete from embedding_queue where workspace_id = ${workspaceId} and kind = ${kind} and scope_id = ${sessionId}
        and item_id in ${list(rows.map(({ id }) => id))}`,
    ]),
  ];
}

export interface FinishedSession {
  /** With the ids that it has here. */
  readonly session: Omit<SessionLine, 'extraction'> & { readonly workspaceId: string };
  readonly extraction: { readonly done: number; readonly summarized: number; readonly personId: string | null } | null;
  readonly messages: number;
  readonly messageBytes: number;
  readonly newestMessageId: string | undefined;
  readonly memories: number;
  readonly assertions: readonly Assertion[];
  readonly hasVectors: boolean;
  /** What was not written before. */
  readonly rows: SessionRows;
}

/** From now on it is seen, with all that belongs to it. `isStaged`: some of it was written before. */
export async function finishSession(
  db: Database,
  staged: StagedSession,
  isStaged: boolean,
  finished: FinishedSession,
  model: string,
  nowMs: number,
): Promise<void> {
  const { session, extraction, assertions } = finished;
  const { workspaceId, sessionId } = staged;
  try {
    await db.transaction(async (tx) => {
      const personId = extraction?.personId;
      await lockPeople(tx, workspaceId, [...(personId ? [personId] : []), ...assertions.map((assertion) => assertion.personId)]);
      await tx.one(lockAgent(workspaceId, session.agentId));
      if (isStaged) await tx.one(sql`delete from staged_sessions where ${isOwned(staged)} returning owner`.orElse(lost));
      const { named, meta, ...row } = session;
      const own = sql`workspace_id = ${workspaceId} and session_id = ${sessionId}`;
      await tx.batch([
        ...sessionInsertions({ ...row, meta: meta ?? {} }, named),
        ...insertions(staged, finished.rows, model, nowMs),
        countingOf(finished, sessionId),
        ...(finished.memories > 0 ? [sql`update memories set agent_id = ${session.agentId} where ${own}`] : []),
        ...(extraction ? [insertExtraction(staged, extraction, nowMs)] : []),
        ...(finished.hasVectors ? dropStrayVectors(staged) : []),
      ]);
      if (assertions.length > 0) await changeAssertions(tx as Transaction, workspaceId, { added: assertions }, nowMs);
    });
  } catch (error) {
    throw asConflict(error);
  }
}

function countingOf({ session, messages, messageBytes, newestMessageId, memories }: FinishedSession, sessionId: string): Sql {
  return sql`
    update sessions set message_count = ${messages}, measured_messages = ${messages}, message_bytes = ${messageBytes}, memory_count = ${memories}
      ${newestMessageId === undefined ? nothing : sql`, newest_message_id = ${newestMessageId}`}
    where workspace_id = ${session.workspaceId} and id = ${sessionId}`;
}

function insertExtraction(
  { workspaceId, sessionId }: SessionKey,
  { done, summarized, personId }: NonNullable<FinishedSession['extraction']>,
  nowMs: number,
): Sql {
  return sql`
    insert into extraction_states (workspace_id, session_id, done, summarized, attempts, person_id, updated_at)
    values (${workspaceId}, ${sessionId}, ${done}, ${summarized}, 0, ${personId}, ${timestamp(nowMs)})`;
}

const vectorItem = perEngine({ sqlite: 'vectors.item_id', postgres: 'vectors.item_id::uuid' });

/** Those of what is not there would be counted with the others. */
function dropStrayVectors({ workspaceId, sessionId }: SessionKey): Sql[] {
  const tables = { message: raw('messages'), memory: raw('memories') };
  return (['message', 'memory'] as const).map(
    (kind) => sql`
      delete from vectors where workspace_id = ${workspaceId} and kind = ${kind} and scope_id = ${sessionId} and not exists (
        select 1 from ${tables[kind]} i where i.workspace_id = ${workspaceId} and i.session_id = ${sessionId} and i.id = ${vectorItem})`,
  );
}

export const STAGED_SESSIONS: Queue = { table: 'staged_sessions' };

/** What imports left that did not write since a time; now the caller's. */
export async function claimLeftovers(
  db: Queryable,
  workspaceId: string,
  owner: string,
  before: string,
  now: string,
): Promise<StagedSession[]> {
  return db.query(sql<StagedSession>`
    update staged_sessions set owner = ${owner}, touched_at = ${now} where workspace_id = ${workspaceId} and touched_at < ${before}
    returning workspace_id as "workspaceId", session_id as "sessionId", owner`);
}

/** What messages and memories take, as it is counted. */
export function bytesOf({ content, meta }: { readonly content: string; readonly meta?: unknown }): number {
  return Buffer.byteLength(content) + Buffer.byteLength(json(meta));
}

function isStaged({ workspaceId, sessionId }: SessionKey): Sql {
  return sql`workspace_id = ${workspaceId} and session_id = ${sessionId}`;
}

function isOwned(staged: StagedSession): Sql {
  return sql`${isStaged(staged)} and owner = ${staged.owner}`;
}
