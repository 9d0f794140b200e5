/** All that was extracted of a session in place of what was extracted before. */
import type { Transaction } from '../../db/database.ts';
import { forUpdate, list, sql } from '../../db/sql.ts';
import { recordAllEvents } from '../../outbox/outbox.ts';
import { updateSessionCounts } from '../../sessions/store/counts.ts';
import type { SessionPlace } from '../../sessions/store.ts';
import type { Consolidation, SessionMemory } from '../extraction/consolidation.ts';
import { changedMemories, createdMemories, deletedMemories } from './recording.ts';
import { deleteMemoryTraces, inSession, insertSources } from './rows.ts';
import {
  insertSessionMemories,
  insertWithdrawals,
  loadSessionMemories,
  metaOf,
  sessionMark,
  updateSessionMemory,
} from './session-memories.ts';

const DELETED_AT_ONCE = 200;

/** A memory that comes out the same keeps its id, its time of change and its history. */
export async function replaceExtracted(tx: Transaction, place: SessionPlace, consolidation: Consolidation, nowMs: number): Promise<void> {
  const before = (await loadSessionMemories(tx, place, Number.MAX_SAFE_INTEGER)).filter(({ source }) => source === 'extracted');
  const kept = matched(
    before,
    [...consolidation.created].map((id) => consolidation.get(id)),
  );
  const idOf = (id: string) => kept.get(id)?.id ?? id;
  const after = [...consolidation.created].map((id) => {
    const memory = consolidation.get(id);
    const { supersededBy, history } = memory;
    return {
      ...memory,
      id: idOf(id),
      supersededBy: supersededBy === null ? null : idOf(supersededBy),
      history: history.map((former) => ({ ...former, id: idOf(former.id) })),
    };
  });
  const keptIds = new Set([...kept.values()].map(({ id }) => id));
  const gone = before.filter(({ id }) => !keptIds.has(id)).map(({ id }) => id);
  const { workspaceId, sessionId } = place;
  for (let start = 0; start < gone.length; start += DELETED_AT_ONCE) {
    const some = gone.slice(start, start + DELETED_AT_ONCE);
    await tx.run(sql`delete from memories where workspace_id = ${workspaceId} and session_id = ${sessionId} and id in ${list(some)}`);
    await tx.batch(deleteMemoryTraces(place, some));
  }
  const fresh = after.filter(({ id }) => !keptIds.has(id));
  await insertSessionMemories(tx, place, fresh, nowMs);
  const byId = new Map(before.map((memory) => [memory.id, memory]));
  const changed = [
    ...after.filter((memory) => keptIds.has(memory.id) && isOther(memory, byId.get(memory.id) as SessionMemory)),
    ...[...consolidation.changed].map((id) => withIds(consolidation.get(id), idOf)),
  ];
  for (const memory of changed) await tx.run(updateSessionMemory(place, memory, nowMs));
  const causes = consolidation.causes.map(({ memoryId, causeId, messageIds }) => ({
    memoryId: idOf(memoryId),
    causeId: idOf(causeId),
    messageIds,
  }));
  // What is said elsewhere and rests on messages of this session still does.
  await tx.run(sql`
    delete from memory_sources where workspace_id = ${workspaceId} and session_id = ${sessionId} and not exists (
      select 1 from assertions a where a.workspace_id = memory_sources.workspace_id and a.id = memory_sources.memory_id)`);
  for (const statement of insertSources(place, causes)) await tx.run(statement);
  await tx.run(sql`delete from memory_events where workspace_id = ${workspaceId} and session_id = ${sessionId} and event = 'withdrawn'`);
  const withdrawn = consolidation.withdrawn.map((one) => ({ ...one, memoryId: idOf(one.memoryId) }));
  for (const statement of insertWithdrawals(place, withdrawn)) await tx.run(statement);
  if (fresh.length + gone.length + changed.length > 0)
    await tx.run(updateSessionCounts(place, { memories: fresh.length - gone.length, memoryEdits: 1 }));
  const changes = [...deletedMemories(place, gone), ...createdMemories(place, fresh), ...changedMemories(place, changed, byId)];
  for (const statement of recordAllEvents(changes, nowMs)) await tx.run(statement);
}

/** What was extracted while the session's memories were its own, where they are a person's now: some of it, and whether there is more. */
export async function deleteSessionsOwn(tx: Transaction, place: SessionPlace, limit: number, nowMs: number): Promise<boolean> {
  // Its deletion waits for this.
  await sessionMark(tx, place, forUpdate);
  const gone = await tx.query(sql<{ id: string }>`
    delete from memories where ${inSession(place)} and id in (
      select m.id from memories m where m.workspace_id = ${place.workspaceId} and m.session_id = ${place.sessionId}
        and m.source = 'extracted' and m.kind <> 'summary' and not exists (
          select 1 from assertions a where a.workspace_id = m.workspace_id and a.id = m.id)
      limit ${limit}) returning id`);
  for (let start = 0; start < gone.length; start += DELETED_AT_ONCE) {
    const some = gone.slice(start, start + DELETED_AT_ONCE).map(({ id }) => id);
    await tx.batch(deleteMemoryTraces(place, some));
  }
  if (gone.length > 0) await tx.run(updateSessionCounts(place, { memories: -gone.length, memoryEdits: 1 }));
  const changes = deletedMemories(
    place,
    gone.map(({ id }) => id),
  );
  for (const statement of recordAllEvents(changes, nowMs)) await tx.run(statement);
  return gone.length === limit;
}

/** By what it says and when: the id of the new one, and the old one. */
function matched(before: readonly SessionMemory[], created: readonly SessionMemory[]): Map<string, SessionMemory> {
  const keyOf = ({ kind, content, createdAt }: SessionMemory) => JSON.stringify([kind, content, createdAt]);
  const old = Map.groupBy(before, keyOf);
  const kept = new Map<string, SessionMemory>();
  for (const memory of created) {
    const same = old.get(keyOf(memory))?.shift();
    if (same) kept.set(memory.id, same);
  }
  return kept;
}

function isOther(memory: SessionMemory, before: SessionMemory): boolean {
  const facts = (held: SessionMemory) => JSON.stringify([held.supersededAt, held.supersededBy, held.expiresAt, held.slot, metaOf(held)]);
  return facts(memory) !== facts(before);
}

function withIds(memory: SessionMemory, idOf: (id: string) => string): SessionMemory {
  return { ...memory, supersededBy: memory.supersededBy === null ? null : idOf(memory.supersededBy) };
}
