import { LARGEST_FILE_BYTES } from '@commonplace/contract/documents';
import { LARGEST_JSON_BYTES } from '@commonplace/contract/json';
import { Series, SeriesQuery, Usage } from '@commonplace/contract/statistics';
import { LARGEST_CONTENT_BYTES } from '@commonplace/contract/wire';
import { narrowed, usersAndAnyKey, usersByPart } from '../auth/access.ts';
import { timestamp } from '../clock.ts';
import type { Context } from '../context.ts';
import type { Api } from '../http/api.ts';
import { LARGEST_LIMIT_BYTES } from '../http/body-limits.ts';
import { IN_FLIGHT_LIMITS } from '../http/in-flight.ts';
import { SEARCHES_OF_WORKSPACE } from '../search/searcher.ts';
import { workspaceStats } from '../workspaces/store.ts';
import { countLlmTokens, readSeries } from './store.ts';

/** What happened in a workspace over time, and what is used of which limit. */
export function statisticsRoutes(api: Api, { config, usage, quotas }: Context): void {
  api.route({
    method: 'GET',
    path: '/workspaces/:workspaceId/stats/series',
    name: 'getWorkspaceSeries',
    tag: 'Workspaces',
    summary: 'Follow a workspace over time',
    description:
      'Every step from that of `since` to that of `until`, each of them whole, oldest first: at most 1,000. Counts come in within half a minute; hours are kept for 400 days. Copies that a fork makes of messages and memories are not counted. Calls are shown by access key to those who may list the keys, and as those of all keys to others.',
    access: usersByPart('CAN_GET_WORKSPACE', { series: ['CAN_GET_WORKSPACE'], keys: ['CAN_LIST_WORKSPACE_ACCESS_KEYS'] }),
    query: SeriesQuery,
    isExpensive: true,
    answers: { status: 200, body: Series },
    handle: ({ db, params, query, parts, nowMs }) => readSeries(db, params.workspaceId, query, { nowMs, seesKeys: parts.includes('keys') }),
  });
  api.route({
    method: 'GET',
    path: '/workspaces/:workspaceId/usage',
    name: 'getWorkspaceUsage',
    tag: 'Workspaces',
    summary: 'See what is used of which limit',
    description:
      'Any access key of the workspace may ask. For one that is limited to agents, agents, sessions, messages and memories are theirs; the rest is the workspace’s, and so are all limits.',
    access: narrowed(usersAndAnyKey('CAN_GET_WORKSPACE')),
    // It counts what there is.
    isExpensive: true,
    answers: { status: 200, body: Usage },
    handle: async ({ db, params: { workspaceId }, agentIds, nowMs }) => {
      const month = usage.month();
      const { callsThisMonth, ...stored } = await workspaceStats(db, workspaceId, agentIds, month);
      const day = timestamp(nowMs).slice(0, 10);
      const { llm, rateLimit } = config;
      const withoutLimit = (used: number) => ({ used, limit: null });
      const { limits, messages, bytes, requests } = await quotas.usage(workspaceId);
      const ofLimit = (used: number, limit: number | undefined) => ({ used, limit: limit ?? null });
      return {
        month,
        calls: withoutLimit(callsThisMonth + usage.pending(workspaceId)),
        ...(llm && { llmTokens: { day, used: await countLlmTokens(db, workspaceId, day), limit: llm.dailyTokens ?? null } }),
        stored: {
          agents: withoutLimit(stored.agents),
          sessions: withoutLimit(stored.sessions),
          // What was deleted with its session counts no more, though its rows may still be there.
          messages: ofLimit(agentIds || limits.messages === undefined ? stored.messages : messages, limits.messages),
          memories: withoutLimit(stored.memories),
          prompts: withoutLimit(stored.prompts),
          documents: ofLimit(stored.documents, limits.documents),
          chunks: withoutLimit(stored.chunks),
          bytes: ofLimit(bytes, limits.bytes),
        },
        requestsPerMinute: ofLimit(requests, limits.requestsPerMinute),
        rate: { perSecond: rateLimit?.perSecond ?? null, unit: rateLimit?.countsCost ? ('units' as const) : ('requests' as const) },
        atOnce: { requests: IN_FLIGHT_LIMITS.maxOfCaller, searches: SEARCHES_OF_WORKSPACE },
        largest: {
          contentBytes: LARGEST_CONTENT_BYTES,
          metaBytes: LARGEST_JSON_BYTES,
          fileBytes: LARGEST_FILE_BYTES,
          bodyBytes: LARGEST_LIMIT_BYTES,
        },
      };
    },
  });
}
