import type { Message } from '@commonplace/client';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { client } from '../../../api/client.ts';
import { deleteWithUndo } from '../../../api/undoable.ts';
import { sessionKey, useSessionView } from '../session-view.ts';

/** Memories follow from messages, and counts and lists from both. */
export function useRefreshSession() {
  const { place } = useSessionView();
  const queryClient = useQueryClient();
  return async () => {
    const { workspaceId, agentId } = place;
    await Promise.all([
      queryClient.invalidateQueries({ queryKey: [...sessionKey(place), 'memories'] }),
      queryClient.invalidateQueries({ queryKey: [...sessionKey(place), 'extraction'] }),
      queryClient.invalidateQueries({ queryKey: [...sessionKey(place), 'history'] }),
      queryClient.invalidateQueries({ queryKey: ['workspace', workspaceId, 'sessions', agentId] }),
      queryClient.invalidateQueries({ queryKey: ['workspace', workspaceId, 'stats'] }),
    ]);
  };
}

export function useWriteMessage() {
  const { place, pages } = useSessionView();
  const refresh = useRefreshSession();
  return useMutation({
    mutationFn: (body: { role: Message['role']; content: string }) =>
      client.workspace(place.workspaceId).messages.create(place.agentId, place.sessionId, body),
    // What follows from it is asked for meanwhile: the form is done when the message is.
    onSuccess: (message) => {
      pages.append(message);
      void refresh();
    },
  });
}

export function useEditMessage() {
  const { place, pages } = useSessionView();
  const refresh = useRefreshSession();
  return useMutation({
    mutationFn: ({ id, role, content }: Pick<Message, 'id' | 'role' | 'content'>) =>
      client.workspace(place.workspaceId).messages.update(place.agentId, place.sessionId, id, { role, content }),
    onSuccess: (changed) => {
      pages.replace(changed);
      void refresh();
    },
  });
}

/** Out of sight at once, and gone when the time for Undo is over. */
export function useDeleteMessage() {
  const { place, pages } = useSessionView();
  const refresh = useRefreshSession();
  return (message: Message) => {
    deleteWithUndo({
      text: 'Message deleted',
      hide: () => pages.hide(message.id),
      restore: () => pages.unhide(message.id),
      send: async (sender) => {
        await sender.workspace(place.workspaceId).messages.delete(place.agentId, place.sessionId, message.id);
        pages.remove(message.id);
        await refresh();
      },
    });
  };
}
