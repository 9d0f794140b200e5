/** What the overview asks for. */
import type { Session } from '@commonplace/client';
import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { client } from '../../api/client.ts';
import type { Range } from './search-params.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
const SERIES_EVERY_MS = 30_000;
const MOST_AGENTS = 10;
const MOST_RECENT = 8;
const MOST_NEEDS = 5;
const SOON_MS = 7 * DAY_MS;
const MOST_KEYS = 100;

export type Metric = 'messages' | 'memories' | 'searches' | 'searchLatency' | 'documents' | 'jobsWaiting' | 'calls';

/** Whole days in UTC, as the service counts them, up to now. */
export const seriesQuery = (workspaceId: string, metric: Metric, days: Range) =>
  queryOptions({
    queryKey: ['workspace', workspaceId, 'series', metric, days],
    queryFn: ({ signal }) => {
      const since = new Date(Date.now() - (days - 1) * DAY_MS);
      since.setUTCHours(0, 0, 0, 0);
      return client.workspaces.series(workspaceId, { metric, since: since.toISOString(), step: 'day' }, { signal });
    },
    placeholderData: keepPreviousData,
    refetchInterval: SERIES_EVERY_MS,
  });

/** The last active of the newest agents. */
export const recentSessionsQuery = (workspaceId: string) =>
  queryOptions({
    queryKey: ['workspace', workspaceId, 'sessions', 'recent'],
    queryFn: async ({ signal }) => {
      const workspace = client.workspace(workspaceId);
      const { data: agents } = await workspace.agents.list({ limit: MOST_AGENTS }, { signal });
      const lists = await Promise.all(
        agents.map(async (agent) => {
          const { data } = await workspace.sessions.list(agent.id, { limit: MOST_RECENT }, { signal });
          return data.map((session: Session) => ({ session, agentName: agent.name }));
        }),
      );
      return lists
        .flat()
        .sort((one, other) => other.session.lastActivityAt.localeCompare(one.session.lastActivityAt))
        .slice(0, MOST_RECENT);
    },
    refetchInterval: SERIES_EVERY_MS,
  });

export const failedDocumentsQuery = (workspaceId: string) =>
  queryOptions({
    queryKey: ['workspace', workspaceId, 'documents', 'failed'],
    queryFn: ({ signal }) => client.workspace(workspaceId).documents.list({ status: 'failed', limit: MOST_NEEDS }, { signal }),
    refetchInterval: SERIES_EVERY_MS,
  });

/** Those that end within a week, or ended within the last one. */
export const expiringKeysQuery = (workspaceId: string) =>
  queryOptions({
    queryKey: ['workspace', workspaceId, 'keys', 'expiring'],
    queryFn: async ({ signal }) => {
      const { data } = await client.workspace(workspaceId).accessKeys.list({ limit: MOST_KEYS }, { signal });
      const nowMs = Date.now();
      return data.filter(({ expiresAt }) => expiresAt !== null && Math.abs(Date.parse(expiresAt) - nowMs) < SOON_MS);
    },
  });

export const jobsQuery = (workspaceId: string) =>
  queryOptions({
    queryKey: ['workspace', workspaceId, 'jobs', 'overview'],
    queryFn: ({ signal }) => client.workspace(workspaceId).jobs.listWithCounts({ limit: 20 }, { signal }),
    refetchInterval: 5_000,
  });
