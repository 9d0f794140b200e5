/** Of whom the context is: an agent, and one of its sessions or a person by labels; and what its prompt needs. */
import type { Agent, PromptVersion, Session } from '@commonplace/client';
import { queryOptions, skipToken, useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { client } from '../../api/client.ts';
import { agentQuery, agentsQuery } from '../../api/queries.ts';
import { promptQuery, versionByNumberQuery, versionsQuery } from '../prompt/queries.ts';
import { latestOf } from '../prompt/use-versions.ts';
import type { ContextSearch } from './search-params.ts';

const MOST_SESSIONS = 100;
const MOST_ASKED_FOR_AN_EXAMPLE = 10;

const sessionsQuery = (workspaceId: string, agentId: string) =>
  queryOptions({
    queryKey: ['workspace', workspaceId, 'sessions', 'choices', agentId],
    queryFn: async ({ signal }) => (await client.workspace(workspaceId).sessions.list(agentId, { limit: MOST_SESSIONS }, { signal })).data,
    staleTime: 15_000,
  });

const sessionQuery = (workspaceId: string, agentId: string, sessionId: string) =>
  queryOptions({
    queryKey: ['workspace', workspaceId, 'sessions', agentId, sessionId],
    queryFn: ({ signal }) => client.workspace(workspaceId).sessions.get(agentId, sessionId, { signal }),
  });

/** The first agent that has a session: an example is worth more than the newest agent. */
const exampleAgentQuery = (workspaceId: string, agents: readonly Agent[]) =>
  queryOptions({
    queryKey: ['workspace', workspaceId, 'sessions', 'example-agent', agents.map(({ id }) => id)],
    queryFn: async ({ signal }) => {
      const { sessions } = client.workspace(workspaceId);
      for (const { id } of agents) if ((await sessions.list(id, { limit: 1 }, { signal })).meta.total > 0) return id;
      return null;
    },
    staleTime: 60_000,
  });

export interface AgentPrompt {
  readonly name: string;
  readonly promptId: string;
  readonly productionVersion: number | null;
  readonly versions: readonly PromptVersion[];
  /** The one that would be used; undefined where there is none such. */
  readonly version: PromptVersion | undefined;
}

/** The newest are offered; one that is named is among them in any case. */
function useAgents(workspaceId: string, named: string | undefined) {
  const agents = useQuery(agentsQuery(workspaceId));
  const isListed = agents.data?.some(({ id }) => id === named) ?? false;
  const wanted = agents.data && named !== undefined && !isListed;
  const one = useQuery({ ...agentQuery(workspaceId, named ?? ''), enabled: Boolean(wanted) });
  const list: readonly Agent[] | undefined = agents.data && (one.data && wanted ? [...agents.data, one.data] : agents.data);
  const example = useQuery({
    ...exampleAgentQuery(workspaceId, agents.data?.slice(0, MOST_ASKED_FOR_AN_EXAMPLE) ?? []),
    enabled: agents.data !== undefined && named === undefined,
  });
  const chosenId = named ?? (example.data === null ? list?.[0]?.id : example.data);
  return { list, chosen: list?.find(({ id }) => id === chosenId), error: agents.error ?? one.error ?? example.error };
}

function useSessions(workspaceId: string, agentId: string | undefined, named: string | undefined) {
  const options = sessionsQuery(workspaceId, agentId ?? '');
  const sessions = useQuery({ ...options, ...(agentId === undefined && { queryFn: skipToken }) });
  const isListed = sessions.data?.some(({ id }) => id === named) ?? false;
  const wanted = sessions.data && named !== undefined && !isListed;
  const one = useQuery({ ...sessionQuery(workspaceId, agentId ?? '', named ?? ''), enabled: Boolean(wanted) });
  const list: readonly Session[] | undefined = sessions.data && (one.data && wanted ? [...sessions.data, one.data] : sessions.data);
  return { list, chosen: named === undefined ? list?.[0] : list?.find(({ id }) => id === named), error: sessions.error ?? one.error };
}

function useAgentPrompt(workspaceId: string, agent: Agent | undefined, named: string | undefined) {
  const promptId = agent?.promptId ?? undefined;
  const prompt = useQuery({ ...promptQuery(workspaceId, promptId ?? ''), enabled: promptId !== undefined });
  const versions = useInfiniteQuery({ ...versionsQuery(workspaceId, promptId ?? ''), enabled: promptId !== undefined });
  const listed = versions.data?.pages.flatMap((page) => page.versions);
  const number = named === 'production' ? prompt.data?.productionVersion : Number(named);
  const found = named === undefined || named === 'latest' ? latestOf(listed ?? []) : listed?.find(({ version }) => version === number);
  const wanted = prompt.data && listed && !found && number ? number : undefined;
  const options = versionByNumberQuery(workspaceId, prompt.data ?? { promptId: '', handle: '' }, wanted ?? 0);
  const one = useQuery({ ...options, enabled: wanted !== undefined });
  const loading = promptId !== undefined && (!prompt.data || !listed || (wanted !== undefined && one.isLoading));
  const value: AgentPrompt | undefined = prompt.data &&
    listed && {
      name: prompt.data.name,
      promptId: prompt.data.promptId,
      productionVersion: prompt.data.productionVersion,
      versions: listed,
      version: found ?? one.data,
    };
  return { value: promptId === undefined ? undefined : value, loading: loading && !prompt.error && !versions.error };
}

export function useSubject(workspaceId: string, search: ContextSearch) {
  const agents = useAgents(workspaceId, search.agent);
  const sessions = useSessions(workspaceId, agents.chosen?.id, search.session);
  const prompt = useAgentPrompt(workspaceId, agents.chosen, search.version);
  return { agents, sessions, prompt };
}

export type Subject = ReturnType<typeof useSubject>;
