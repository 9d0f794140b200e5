import type { Memory } from '@commonplace/client';
import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { client } from '../../api/client.ts';
import { LIVE_MS } from '../../api/queries.ts';
import { queryClient } from '../../api/query-client.ts';
import type { ReadMessages } from './conversation/message-pages.ts';
import { type SessionPlace, sessionKey } from './session-view.ts';

const MOST_IN_A_PAGE = 100;
/** More than these are not read for a page that shows them beside a conversation. */
export const MOST_MEMORIES = 1_000;
const SLOWER_MS = 15_000;

export const sessionQuery = (place: SessionPlace) =>
  queryOptions({
    queryKey: [...sessionKey(place), 'session'],
    queryFn: ({ signal }) => client.workspace(place.workspaceId).sessions.get(place.agentId, place.sessionId, { signal }),
    refetchInterval: SLOWER_MS,
  });

export interface MemoryList {
  readonly memories: readonly Memory[];
  readonly total: number;
}

/** All of them: a message shows what was made of it, however old it is. */
export const memoriesQuery = (place: SessionPlace, asOf: string | undefined) =>
  queryOptions({
    queryKey: [...sessionKey(place), 'memories', { asOf }],
    queryFn: async ({ signal }): Promise<MemoryList> => {
      const query = { limit: MOST_IN_A_PAGE, ...(asOf && { asOf }) };
      const memories: Memory[] = [];
      const first = await client.workspace(place.workspaceId).memories.list(place.agentId, place.sessionId, query, { signal });
      for await (const page of first.iterPages()) {
        memories.push(...page.data);
        if (memories.length >= MOST_MEMORIES) break;
      }
      return { memories, total: first.meta.total };
    },
    placeholderData: keepPreviousData,
    // What held at a moment changes seldom, and a long list costs more than one question.
    refetchInterval: ({ state }) => (asOf || (state.data?.total ?? 0) > MOST_IN_A_PAGE ? SLOWER_MS : LIVE_MS),
  });

export const extractionQuery = (place: SessionPlace) =>
  queryOptions({
    queryKey: [...sessionKey(place), 'extraction'],
    queryFn: ({ signal }) => client.workspace(place.workspaceId).memories.status(place.agentId, place.sessionId, { signal }),
    refetchInterval: LIVE_MS,
  });

export const historyQuery = (place: SessionPlace, memory: Memory) =>
  queryOptions({
    queryKey: [...sessionKey(place), 'history', memory.id, memory.updatedAt],
    queryFn: ({ signal }) => client.workspace(place.workspaceId).memories.history(place.agentId, place.sessionId, memory.id, { signal }),
    placeholderData: keepPreviousData,
  });

let asked = 0;

/** By way of the cache of queries, which is told of failures; each question is its own, as one may be given up. */
export function messagesReader(place: SessionPlace): ReadMessages {
  const { messages } = client.workspace(place.workspaceId);
  return (query, signal) =>
    queryClient.fetchQuery({
      queryKey: [...sessionKey(place), 'messages', query, asked++],
      queryFn: () => messages.list(place.agentId, place.sessionId, query, { signal }),
      gcTime: 0,
      staleTime: 0,
    });
}
