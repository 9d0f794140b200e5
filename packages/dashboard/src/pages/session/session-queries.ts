import type { Memory } from '@commonplace/client';
import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { client } from '../../api/client.ts';
import { LIVE_MS } from '../../api/queries.ts';
import { queryClient } from '../../api/query-client.ts';
import type { ReadMessages } from './conversation/message-pages.ts';
import { momentsOf, readEverHeld } from './memories/change-moments.ts';
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

/** So many questions the moments of a session may cost; the lists of the past are kept for the slider and the next time. */
const MOST_QUESTIONS = 12;
const PAST_STALE_MS = 60_000;

/** When what is held changed, the oldest first. `now` is what holds: another list of it may have other moments. */
export const momentsQuery = (place: SessionPlace, now: MemoryList | undefined) =>
  queryOptions({
    queryKey: [...sessionKey(place), 'memories', 'moments', now?.total, now?.memories[0]?.id],
    queryFn: async () => {
      const { memories, total } = now ?? { memories: [], total: 0 };
      const looks = Math.floor(MOST_QUESTIONS / Math.max(1, Math.ceil(Math.min(total, MOST_MEMORIES) / MOST_IN_A_PAGE)));
      const listAt = async (time: string) =>
        (await queryClient.fetchQuery({ ...memoriesQuery(place, time), staleTime: PAST_STALE_MS })).memories;
      return momentsOf(await readEverHeld(memories, looks, listAt), Date.now());
    },
    enabled: now !== undefined,
    staleTime: PAST_STALE_MS,
    placeholderData: keepPreviousData,
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
