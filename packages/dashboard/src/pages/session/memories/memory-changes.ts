import type { Memory, MemoryChanges, NewMemory } from '@commonplace/client';
import { useMutation } from '@tanstack/react-query';
import { useSyncExternalStore } from 'react';
import { client } from '../../../api/client.ts';
import { deleteWithUndo } from '../../../api/undoable.ts';
import { useRefreshSession } from '../conversation/message-changes.ts';
import { useSessionView } from '../session-view.ts';

/** Ids of memories that wait behind Undo. */
let hidden: ReadonlySet<string> = new Set();
const listeners = new Set<() => void>();

function setHidden(change: (ids: Set<string>) => void): void {
  const next = new Set(hidden);
  change(next);
  hidden = next;
  for (const listener of listeners) listener();
}

const subscribe = (listener: () => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};

export function useHiddenMemories(): ReadonlySet<string> {
  return useSyncExternalStore(subscribe, () => hidden);
}

export function useDeleteMemory() {
  const { place } = useSessionView();
  const refresh = useRefreshSession();
  return (memory: Memory) => {
    deleteWithUndo({
      text: 'Memory forgotten',
      hide: () => setHidden((ids) => ids.add(memory.id)),
      restore: () => setHidden((ids) => ids.delete(memory.id)),
      send: async (sender) => {
        await sender.workspace(place.workspaceId).memories.delete(place.agentId, place.sessionId, memory.id);
        await refresh();
      },
    });
  };
}

/** Writes one, or changes it: what a person wrote is theirs, and extraction leaves it alone. */
export function useSaveMemory(memory: Memory | undefined) {
  const { place } = useSessionView();
  const refresh = useRefreshSession();
  return useMutation({
    mutationFn: (body: NewMemory & MemoryChanges) => {
      const { memories } = client.workspace(place.workspaceId);
      if (!memory) return memories.create(place.agentId, place.sessionId, body);
      return memories.update(place.agentId, place.sessionId, memory.id, body);
    },
    onSuccess: refresh,
  });
}
