/** Changes of one session, for its own page and for the list. */
import type { Session, SessionChanges } from '@commonplace/client';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { client } from '../../api/client.ts';
import { showToast } from '../../design/toast.tsx';
import type { ListedSessions } from '../sessions/sessions-queries.ts';
import { sessionKey } from './session-view.ts';

const placeOf = ({ workspaceId, agentId, id }: Session) => ({ workspaceId, agentId, sessionId: id });

/** At once; what is refused comes back, with the reason. */
export function useChangeSession(session: Session) {
  const queryClient = useQueryClient();
  const ownKey = [...sessionKey(placeOf(session)), 'session'];
  const listKey = ['workspace', session.workspaceId, 'sessions', session.agentId];
  const show = (next: Session) => {
    queryClient.setQueryData(ownKey, (before: Session | undefined) => before && next);
    queryClient.setQueriesData({ queryKey: listKey }, (page: ListedSessions | undefined) =>
      page && 'sessions' in page ? { ...page, sessions: page.sessions.map((one) => (one.id === next.id ? next : one)) } : page,
    );
  };
  return useMutation({
    mutationFn: (changes: SessionChanges) => client.workspace(session.workspaceId).sessions.update(session.agentId, session.id, changes),
    onMutate: async ({ title, labels, status }: SessionChanges) => {
      await queryClient.cancelQueries({ queryKey: ownKey });
      await queryClient.cancelQueries({ queryKey: listKey });
      show({ ...session, ...(title != null && { title }), ...(labels && { labels }), ...(status && { status }) });
    },
    onError: (error) => {
      show(session);
      showToast(error.message, { note: 'The session is as it was.', danger: true });
    },
    onSuccess: (changed) => show(changed),
    onSettled: () => queryClient.invalidateQueries({ queryKey: listKey }),
  });
}

export function useDeleteSession(session: Session) {
  const queryClient = useQueryClient();
  return async () => {
    await client.workspace(session.workspaceId).sessions.delete(session.agentId, session.id);
    await Promise.all([
      queryClient.invalidateQueries({ queryKey: ['workspace', session.workspaceId, 'sessions', session.agentId] }),
      queryClient.invalidateQueries({ queryKey: ['workspace', session.workspaceId, 'stats'] }),
    ]);
  };
}

export interface SessionCounts {
  readonly messages: number;
  readonly memories: number;
}

/** What goes along when a session is deleted. */
export async function countContents({ workspaceId, agentId, id }: Session, signal: AbortSignal): Promise<SessionCounts> {
  const scope = client.workspace(workspaceId);
  const [messages, memories] = await Promise.all([
    scope.messages.list(agentId, id, { limit: 1 }, { signal }),
    scope.memories.list(agentId, id, { limit: 1 }, { signal }),
  ]);
  return { messages: messages.meta.total, memories: memories.meta.total };
}
