import { useQuery } from '@tanstack/react-query';
import { useEffect, useMemo, useRef, useSyncExternalStore } from 'react';
import { LIVE_MS } from '../../api/queries.ts';
import { MessagePages } from './conversation/message-pages.ts';
import { messagesReader } from './session-queries.ts';
import { type SessionPlace, sessionKey } from './session-view.ts';

/** Every how many questions for new messages what is shown is read again, for what others edited. */
const REFRESH_EVERY = 5;

let opened = 0;

/** The messages of a session, kept up to date while they are looked at. */
export function useMessagePages({ workspaceId, agentId, sessionId }: SessionPlace) {
  const { key, pages } = useMemo(() => {
    const place = { workspaceId, agentId, sessionId };
    // A number for each opening: what an earlier one read is not here.
    return { key: [...sessionKey(place), 'conversation', opened++], pages: new MessagePages(messagesReader(place)) };
  }, [workspaceId, agentId, sessionId]);
  const polls = useRef(0);
  useEffect(() => () => pages.close(), [pages]);
  const version = useSyncExternalStore(pages.subscribe, pages.version);
  const opening = useQuery({
    queryKey: [...key, 'opening'],
    queryFn: async ({ signal }) => {
      if (!pages.isLoaded) await pages.open(signal);
      return true;
    },
    gcTime: 0,
    staleTime: Number.POSITIVE_INFINITY,
  });
  useQuery({
    queryKey: [...key, 'new'],
    queryFn: async ({ signal }) => {
      polls.current++;
      const total = await pages.poll(signal);
      if (polls.current % REFRESH_EVERY === 0) await pages.refresh();
      return total;
    },
    enabled: pages.isLoaded,
    refetchInterval: LIVE_MS,
    gcTime: 0,
  });
  return { pages, version, opening };
}
