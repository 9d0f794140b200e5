/** What a session holds, read for consolidation, and what consolidation made of it, written. */
import { timestamp } from '../../clock.ts';
import type { Queryable, Transaction } from '../../db/database.ts';
import { newId } from '../../db/ids.ts';
import { shape } from '../../db/shape.ts';
import { forUpdate, json, list, type Sql, sql } from '../../db/sql.ts';
import { recordAllEvents } from '../../outbox/outbox.ts';
import { enqueueEmbedding } from '../../search/vectors.ts';
import { updateSessionCounts } from '../../sessions/store/counts.ts';
import type { SessionPlace } from '../../sessions/store.ts';
import type { Consolidation, FormerMemory, SessionMemory, WithdrawnMemory } from '../extraction/consolidation.ts';
import { fingerprintOf } from '../extraction/fingerprint.ts';
import { changedMemories, createdMemories } from './recording.ts';
import { countMemories, insertMemories, insertSources, isMemory, memoryVectors, type SessionKey, type StoredMemory } from './rows.ts';

/** More than a person ever said of themselves; beyond it the oldest are no longer compared with. */
const MOST_HELD = 5_000;
/** Far longer than any that is extracted; what a program wrote may be a megabyte. */
const MOST_CHARACTERS_COMPARED = 2_000;
const WRITTEN_AT_ONCE = 200;

interface SessionMemoryRow extends Omit<SessionMemory, 'fingerprint' | 'extractor' | 'messageIds' | 'history' | 'origin'> {
  readonly fingerprint: string | null;
  readonly meta: unknown;
}

const held = shape<SessionMemoryRow>({
  id: 'text',
  kind: 'text',
  content: 'text',
  slot: 'text',
  fingerprint: 'text',
  source: 'text',
  meta: 'json',
  causeId: 'text',
  createdAt: 'time',
  expiresAt: 'time',
  supersededAt: 'time',
  supersededBy: 'text',
});

/** Newest first. */
export async function loadSessionMemories(
  db: Queryable,
  { workspaceId, sessionId }: SessionPlace,
  limit = MOST_HELD,
): Promise<SessionMemory[]> {
  const found = await db.query(sql<SessionMemoryRow>`
    select ${held} from (
      select m.id, m.kind, substr(m.content, 1, ${MOST_CHARACTERS_COMPARED}) as content, m.slot, m.fingerprint, m.source,
        case when m.source = 'extracted' then m.meta else '{}' end as meta, m.created_at, m.expires_at, m.superseded_at, m.superseded_by, (
        select max(cast(s.cause_id as text)) from memory_sources s
        where s.workspace_id = ${workspaceId} and s.session_id = m.session_id and s.memory_id = m.id) as cause_id
      from memories m where m.workspace_id = ${workspaceId} and m.session_id = ${sessionId} order by m.id desc limit ${limit}) h
    order by id desc`);
  const changed = found.filter(({ source, fingerprint }) => source === 'written' && fingerprint !== null).map(({ id }) => id);
  const causes = changed.length === 0 ? new Map<string, Set<string>>() : await causesOf(db, { workspaceId, sessionId }, changed);
  return found.map(({ meta, fingerprint, ...memory }): SessionMemory => {
    // Only the service writes the meta of what is extracted; that of what is written may hold anything.
    if (memory.source === 'extracted') return { ...memory, fingerprint: fingerprint ?? '', ...withoutSource(meta as ExtractionMeta) };
    const origin = fingerprint === null ? undefined : { fingerprint, causeIds: causes.get(memory.id) ?? new Set<string>() };
    return { ...memory, fingerprint: fingerprintOf(memory.content), messageIds: [], history: [], extractor: '', origin };
  });
}

async function causesOf(
  db: Queryable,
  { workspaceId, sessionId }: { workspaceId: string; sessionId: string },
  memoryIds: readonly string[],
): Promise<Map<string, Set<string>>> {
  const found = await db.query(sql<{ memoryId: string; causeId: string }>`
    select memory_id as "memoryId", cause_id as "causeId" from memory_sources
    where workspace_id = ${workspaceId} and session_id = ${sessionId} and memory_id in ${list(memoryIds)}`);
  const causes = new Map<string, Set<string>>();
  for (const { memoryId, causeId } of found) causes.set(memoryId, (causes.get(memoryId) ?? new Set()).add(causeId));
  return causes;
}

interface ExtractionMeta {
  source: 'extraction';
  messageIds: readonly string[];
  extractor: string;
  history?: readonly FormerMemory[];
}

function withoutSource({ messageIds, extractor, history = [] }: ExtractionMeta) {
  return { messageIds, extractor, history };
}

export function metaOf({ messageIds, extractor, history }: SessionMemory): ExtractionMeta {
  return { source: 'extraction', messageIds, extractor, ...(history.length > 0 && { history }) };
}

/** What every write to a session's messages and memories moves, but for new messages. */
export interface SessionMark {
  readonly agentId: string;
  readonly messageCount: number;
  readonly messageEdits: number;
  readonly memoryCount: number;
  readonly memoryEdits: number;
}

/** Undefined where the session is gone, or its agent: what is written then nobody would remove. */
export async function sessionMark(
  db: Queryable,
  place: { workspaceId: string; sessionId: string },
  lock: Sql = sql``,
): Promise<SessionMark | undefined> {
  return db.maybeOne(sql<SessionMark>`
    select agent_id as "agentId", message_count as "messageCount", message_edits as "messageEdits", memory_count as "memoryCount",
      memory_edits as "memoryEdits"
    from sessions where workspace_id = ${place.workspaceId} and id = ${place.sessionId} and exists (
      select 1 from agents a where a.workspace_id = sessions.workspace_id and a.id = sessions.agent_id)${lock}`);
}

/** Someone changed the session since it was read: what was worked out from that no longer holds. */
export class SessionChanged extends Error {}

/** In a transaction, first: the session as it was read, and held until the end. */
export async function lockSession(tx: Transaction, place: SessionPlace, read: SessionMark): Promise<void> {
  const now = await sessionMark(tx, place, forUpdate);
  const isSame = now?.messageEdits === read.messageEdits && now.memoryCount === read.memoryCount && now.memoryEdits === read.memoryEdits;
  if (!isSame) throw new SessionChanged('The session was changed meanwhile');
}

/** As `lockSession`, for whom only what was read of the messages counts. */
export async function lockMessages(tx: Transaction, place: SessionPlace, read: SessionMark): Promise<void> {
  const now = await sessionMark(tx, place, forUpdate);
  if (now?.messageEdits !== read.messageEdits) throw new SessionChanged('The messages of the session were changed meanwhile');
}

/** What consolidation changed. */
export async function writeConsolidation(tx: Transaction, place: SessionPlace, consolidation: Consolidation, nowMs: number): Promise<void> {
  const created = [...consolidation.created].map((id) => consolidation.get(id));
  const changed = [...consolidation.changed].map((id) => consolidation.get(id));
  await insertSessionMemories(tx, place, created, nowMs);
  for (const memory of changed) await tx.run(updateSessionMemory(place, memory, nowMs));
  for (const statement of insertSources(place, consolidation.causes)) await tx.run(statement);
  for (const statement of insertWithdrawals(place, consolidation.withdrawn)) await tx.run(statement);
  if (created.length + changed.length > 0)
    await tx.run(updateSessionCounts(place, { memories: created.length, memoryEdits: changed.length + Number(created.length > 0) }));
  const changes = [...createdMemories(place, created), ...changedMemories(place, changed)];
  for (const statement of recordAllEvents(changes, nowMs)) await tx.run(statement);
}

export function insertWithdrawals({ workspaceId, sessionId }: SessionPlace, withdrawn: readonly WithdrawnMemory[]): Sql[] {
  return withdrawn.map(
    ({ memoryId, messageId, at, forgotten }) => sql`
      insert into memory_events (workspace_id, session_id, memory_id, id, event, message_id, forgotten, created_at)
      values (${workspaceId}, ${sessionId}, ${memoryId}, ${newId()}, 'withdrawn', ${messageId}, ${forgotten}, ${at})`,
  );
}

export async function insertSessionMemories(
  tx: Transaction,
  place: SessionPlace,
  memories: readonly SessionMemory[],
  nowMs: number,
): Promise<void> {
  for (let start = 0; start < memories.length; start += WRITTEN_AT_ONCE) {
    const some = memories.slice(start, start + WRITTEN_AT_ONCE);
    await tx.run(
      insertMemories(
        place,
        some.map((memory) => stored(place, memory, nowMs)),
      ),
    );
    const ids = some.map(({ id }) => id);
    await tx.batch([countMemories(place, some, nowMs), enqueueEmbedding(memoryVectors(place), ids, nowMs)]);
  }
}

function stored(place: SessionKey, memory: SessionMemory, nowMs: number): StoredMemory {
  const { id, kind, content, slot, fingerprint, createdAt, expiresAt, supersededAt, supersededBy } = memory;
  const { sessionId } = place;
  const updatedAt = timestamp(nowMs);
  return {
    id,
    sessionId,
    kind,
    content,
    meta: metaOf(memory),
    createdAt,
    updatedAt,
    expiresAt,
    supersededAt,
    supersededBy,
    source: 'extracted',
    slot,
    fingerprint,
  };
}

export function updateSessionMemory(place: SessionKey, memory: SessionMemory, nowMs: number): Sql {
  const { expiresAt, supersededAt, supersededBy } = memory;
  const meta = memory.source === 'extracted' ? sql`, meta = ${json(metaOf(memory))}` : sql``;
  return sql`
    update memories set expires_at = ${expiresAt}, superseded_at = ${supersededAt}, superseded_by = ${supersededBy}${meta},
      version = version + 1, updated_at = ${timestamp(nowMs)}
    where ${isMemory(place, memory.id)}`;
}
