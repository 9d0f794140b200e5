/** What happens to memories, as events say it: one rule for whoever writes them. */
import type { Change } from '../../outbox/outbox.ts';
import type { SessionPlace } from '../../sessions/store.ts';
import type { MemoryRow } from './rows.ts';

/** A memory, and what took its place if anything did. */
type Standing = Pick<MemoryRow, 'id' | 'supersededBy'>;

/** Those that were there before another took their place are told of first: whoever hears of the one knows the other. */
export function createdMemories(place: SessionPlace, memories: readonly Standing[]): Change[] {
  const created = memories.map(({ id }) => changeOf(place, 'memory.created', id));
  return [...created, ...changedMemories(place, memories.filter(hasSuccessor))];
}

/** Another in its place, or in the place of that one, is `superseded`; taken back without one, holding again or longer, `updated`. */
export function changedMemories(place: SessionPlace, memories: readonly Standing[], before?: ReadonlyMap<string, Standing>): Change[] {
  return memories.map((memory) => {
    const { id, supersededBy } = memory;
    const isSuperseded = hasSuccessor(memory) && supersededBy !== before?.get(id)?.supersededBy;
    return isSuperseded ? { ...changeOf(place, 'memory.superseded', id), data: { supersededBy } } : changeOf(place, 'memory.updated', id);
  });
}

/** Gone: nothing is read by its id any more. */
export function deletedMemories(place: SessionPlace, memoryIds: readonly string[]): Change[] {
  return memoryIds.map((id) => changeOf(place, 'memory.deleted', id));
}

function hasSuccessor({ supersededBy }: Standing): boolean {
  return supersededBy !== null;
}

function changeOf({ workspaceId, agentId, sessionId }: SessionPlace, type: Change['type'], subjectId: string): Change {
  return { workspaceId, agentId, sessionId, type, subjectId };
}
