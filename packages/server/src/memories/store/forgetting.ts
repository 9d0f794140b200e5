/** What goes with messages and memories that are deleted or edited. */
import { timestamp } from '../../clock.ts';
import type { Transaction } from '../../db/database.ts';
import { shape } from '../../db/shape.ts';
import { json, list, sql } from '../../db/sql.ts';
import { recordAllEvents } from '../../outbox/outbox.ts';
import { updateSessionCounts } from '../../sessions/store/counts.ts';
import type { SessionPlace } from '../../sessions/store.ts';
import type { Assertion } from '../topics.ts';
import { loadAssertions, loadRestingOn } from './assertions.ts';
import { dropQueued } from './extraction-queue.ts';
import { enqueueSummary, markForRegeneration } from './extraction-state.ts';
import { findKeptPerson, lockPeople } from './people.ts';
import { CHANGED_AT_ONCE, changeAssertions } from './person-memories.ts';
import { changedMemories, deletedMemories } from './recording.ts';
import { deleteMemoryTraces, inSession, isMemory, type MemoryRow, type SessionKey } from './rows.ts';

/**
 * All whose memories may change when messages of a session do, or the session as a whole. Before the lock on the session: whoever
 * extracts takes them in this order. Who else comes to rest on them in between is taken after it; should that be a deadlock,
 * PostgreSQL ends it and the transaction is run again.
 */
export async function lockPeopleOf(tx: Transaction, place: SessionPlace, messageIds: readonly string[] | undefined): Promise<void> {
  const kept = await findKeptPerson(tx, place);
  const resting = await loadRestingOn(tx, place, messageIds, CHANGED_AT_ONCE);
  await lockPeople(tx, place.workspaceId, [...(kept === null ? [] : [kept]), ...resting.map(({ personId }) => personId)]);
}

/**
 * What rests on messages that are edited or deleted goes with them, and what it had taken the place of holds again. In the
 * transaction of the edit or deletion, after its lock on the session.
 */
export async function forgetMessages(tx: Transaction, place: SessionPlace, messageIds: readonly string[], nowMs: number): Promise<void> {
  await forgetAssertions(tx, place, await loadRestingOn(tx, place, messageIds), nowMs);
  const within = inSession(place);
  const these = sql`${within} and message_id in ${list(messageIds)}`;
  await tx.run(dropQueued(place, messageIds));
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
  const repointed = new Map<string, Ending>();
  for (const { id } of groundless) {
    // Whoever had taken its place, if anybody, now takes that of those before it.
    const [own] = await tx.query(sql<Ending>`delete from memories where ${within} and id = ${id} returning ${ending}`);
    const after = await tx.query(sql<Ending>`
      update memories set superseded_at = ${own?.supersededAt ?? null}, superseded_by = ${own?.supersededBy ?? null},
        version = version + 1, updated_at = ${timestamp(nowMs)}
      where ${within} and superseded_by = ${id} returning ${ending}`);
    for (const memory of after) repointed.set(memory.id, memory);
  }
  const gone = groundless.map(({ id }) => id);
  if (gone.length > 0) await tx.batch(deleteMemoryTraces(place, gone));
  const left = [...memoryIds, ...successors].filter((id) => !gone.includes(id));
  const telling = await forgetInMeta(tx, place, left, new Set(gone), new Set(messageIds));
  await tx.run(updateSessionCounts(place, { memories: -gone.length, memoryEdits: 1 }));
  await recordForgotten(tx, place, gone, repointed, telling, nowMs);
  if (isSummaryGone) await tx.run(enqueueSummary(place, nowMs));
}

/** Memories that went, those that something else stands in the place of now or nothing, and those that no longer tell of them. */
export async function recordForgotten(
  tx: Transaction,
  place: SessionPlace,
  gone: readonly string[],
  repointed: ReadonlyMap<string, Pick<Ending, 'id' | 'supersededBy'>>,
  telling: readonly string[],
  nowMs: number,
): Promise<void> {
  const changed = new Map([...telling.map((id) => [id, { id, supersededBy: null }] as const), ...repointed]);
  for (const id of gone) changed.delete(id);
  const changes = [...deletedMemories(place, gone), ...changedMemories(place, [...changed.values()])];
  for (const statement of recordAllEvents(changes, nowMs)) await tx.run(statement);
}

/**
 * What a session that is deleted says goes with it, for other sessions of the person too: some of it, and whether there is more.
 * Its own rows are removed in the background.
 */
export async function forgetSession(tx: Transaction, place: SessionKey, nowMs: number): Promise<boolean> {
  const removed = await loadRestingOn(tx, place, undefined, CHANGED_AT_ONCE);
  await forgetAssertions(tx, place, removed, nowMs, place.sessionId);
  return removed.length === CHANGED_AT_ONCE;
}

/** Of people, in a transaction that holds them or is about to. */
async function forgetAssertions(
  tx: Transaction,
  { workspaceId }: SessionKey,
  affected: readonly Assertion[],
  nowMs: number,
  goneSessionId?: string,
): Promise<void> {
  if (affected.length === 0) return;
  const people = affected.map(({ personId }) => personId);
  await lockPeople(tx, workspaceId, people);
  // Somebody else may have been at it until now.
  const ids = affected.map(({ id }) => id);
  const removed = await loadAssertions(tx, workspaceId, ids);
  await changeAssertions(tx, workspaceId, { removed }, nowMs, goneSessionId);
  // What was corrected may read otherwise: only all messages together tell.
  const corrected = new Set(removed.filter(({ sources }) => sources.length > 1).map(({ sessionId }) => sessionId));
  if (corrected.size === 0) return;
  const places = await tx.query(sql<SessionPlace>`
    select workspace_id as "workspaceId", agent_id as "agentId", id as "sessionId" from sessions
    where workspace_id = ${workspaceId} and id in ${list([...corrected])}`);
  for (const place of places) await tx.batch(markForRegeneration(place, nowMs));
}

/** How it ended, if it did. */
export type Ending = Pick<MemoryRow, 'id' | 'kind' | 'supersededAt' | 'supersededBy'>;
export const ending = shape<Ending>({ id: 'text', kind: 'text', supersededAt: 'time', supersededBy: 'text' });

/** Those of the extracted that nothing says any more. */
async function withoutGround(tx: Transaction, place: SessionPlace, memoryIds: readonly string[]): Promise<Ending[]> {
  return tx.query(sql<Ending>`
    select ${ending} from memories m where ${inSession(place)} and source = 'extracted' and id in ${list(memoryIds)}
      and not exists (select 1 from memory_sources s where s.workspace_id = m.workspace_id and s.session_id = m.session_id and s.memory_id = m.id)`);
}

/** What took the place of these, and of that, and so on: their `meta` may tell of them. */
export async function successorsOf(tx: Transaction, place: SessionPlace, memories: readonly Ending[]): Promise<string[]> {
  const found = new Set<string>();
  for (let next = memories; next.length > 0; ) {
    const ids = next.flatMap(({ supersededBy }) => (supersededBy === null || found.has(supersededBy) ? [] : [supersededBy]));
    if (ids.length === 0) break;
    for (const id of ids) found.add(id);
    next = await tx.query(sql<Ending>`select ${ending} from memories where ${inSession(place)} and id in ${list(ids)}`);
  }
  return [...found];
}

/** The memories that remain may name the messages, or tell in their history what those that are gone said. Gives those that did. */
export async function forgetInMeta(
  tx: Transaction,
  place: SessionPlace,
  left: readonly string[],
  memoryIds: ReadonlySet<string>,
  messageIds: ReadonlySet<string>,
): Promise<string[]> {
  if (left.length === 0) return [];
  const changed: string[] = [];
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
    if (json(after) === meta) continue;
    await tx.run(sql`update memories set meta = ${json(after)}, version = version + 1 where ${isMemory(place, id)}`);
    changed.push(id);
  }
  return changed;
}

/** Of the first cause that is left. */
async function messagesBehind(tx: Transaction, place: SessionPlace, memoryId: string): Promise<string[]> {
  const sources = await tx.query(sql<{ messageId: string; causeId: string }>`
    select message_id as "messageId", cause_id as "causeId" from memory_sources
    where ${inSession(place)} and memory_id = ${memoryId} order by cause_id, message_id limit 100`);
  return sources.filter(({ causeId }) => causeId === sources[0]?.causeId).map(({ messageId }) => messageId);
}
