import type { Agent, Session } from '@commonplace/client';
import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { client } from '../../api/client.ts';
import { LIVE_MS } from '../../api/queries.ts';
import { parseLabel } from '../session/details/parse-label.ts';
import type { SessionsSearch } from './search-params.ts';

export const SESSIONS_ON_A_PAGE = 50;
/** So many agents are asked for their newest session, to begin with the one that was active last. */
const AGENTS_ASKED = 10;

export interface ListedSessions {
  readonly sessions: readonly Session[];
  readonly total: number;
}

export function labelsOf(filters: readonly string[] | undefined): Record<string, string> {
  const labels = (filters ?? []).flatMap((text) => parseLabel(text) ?? []);
  return Object.fromEntries(labels.map(({ name, value }) => [name, value]));
}

export const sessionsQuery = (workspaceId: string, agentId: string, { id, label, offset = 0 }: SessionsSearch) =>
  queryOptions({
    queryKey: ['workspace', workspaceId, 'sessions', agentId, { id, label, offset }],
    queryFn: async ({ signal }): Promise<ListedSessions> => {
      const query = { limit: SESSIONS_ON_A_PAGE, offset, labels: labelsOf(label), ...(id && { id }) };
      const { data, meta } = await client.workspace(workspaceId).sessions.list(agentId, query, { signal });
      return { sessions: data, total: meta.total };
    },
    enabled: agentId !== '',
    placeholderData: keepPreviousData,
    refetchInterval: LIVE_MS,
  });

/** The agent whose session was active last; the first one where none has a session. */
export const lastActiveAgentQuery = (workspaceId: string, agents: readonly Agent[]) =>
  queryOptions({
    queryKey: ['workspace', workspaceId, 'sessions', 'last active agent', agents.map(({ id }) => id)],
    queryFn: async ({ signal }) => {
      const newest = await Promise.all(
        agents.slice(0, AGENTS_ASKED).map(async ({ id }) => {
          const { data } = await client.workspace(workspaceId).sessions.list(id, { limit: 1 }, { signal });
          return { id, at: data[0]?.lastActivityAt ?? '' };
        }),
      );
      return newest.reduce((best, one) => (one.at > best.at ? one : best), { id: agents[0]?.id ?? '', at: '' }).id;
    },
    staleTime: Number.POSITIVE_INFINITY,
  });
