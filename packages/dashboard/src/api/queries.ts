/** What several pages ask for. Keys begin with the workspace, so that a change can make all of it stale. */
import type { Me } from '@commonplace/client';
import { queryOptions } from '@tanstack/react-query';
import { client } from './client.ts';
import { anotherPerson, isAnotherPerson } from './person.ts';

/** How often live views ask, while they are looked at. */
export const LIVE_MS = 3_000;
const MOST_IN_A_LIST = 100;

export const authStatusQuery = queryOptions({ queryKey: ['auth-status'], queryFn: ({ signal }) => client.auth.status({ signal }) });

async function askWhoIsHere(signal: AbortSignal): Promise<Me> {
  const me = await client.me.get({ signal });
  if (!me.owner || !isAnotherPerson(me.owner.id)) return me;
  anotherPerson.listener();
  // The page is loaded anew: until then nothing goes on.
  return new Promise(() => {});
}

export const meQuery = queryOptions({
  queryKey: ['me'],
  queryFn: ({ signal }) => askWhoIsHere(signal),
  staleTime: 60_000,
  // Somebody else may have signed in in another tab.
  refetchOnWindowFocus: 'always',
});

export const workspacesQuery = queryOptions({
  queryKey: ['workspaces'],
  queryFn: async ({ signal }) => (await client.workspaces.list({ limit: MOST_IN_A_LIST }, { signal })).data,
  staleTime: 30_000,
});

export const workspaceQuery = (workspaceId: string) =>
  queryOptions({
    queryKey: ['workspace', workspaceId],
    queryFn: ({ signal }) => client.workspaces.get(workspaceId, { signal }),
    staleTime: 30_000,
  });

export const statsQuery = (workspaceId: string) =>
  queryOptions({
    queryKey: ['workspace', workspaceId, 'stats'],
    queryFn: ({ signal }) => client.workspaces.stats(workspaceId, { signal }),
    refetchInterval: 10_000,
  });

/** The newest hundred: what choices are made from. Lists of all have pages of their own. */
export const agentsQuery = (workspaceId: string) =>
  queryOptions({
    queryKey: ['workspace', workspaceId, 'agents', 'choices'],
    queryFn: async ({ signal }) => (await client.workspace(workspaceId).agents.list({ limit: MOST_IN_A_LIST }, { signal })).data,
    staleTime: 15_000,
  });

export const agentQuery = (workspaceId: string, agentId: string) =>
  queryOptions({
    queryKey: ['workspace', workspaceId, 'agents', agentId],
    queryFn: ({ signal }) => client.workspace(workspaceId).agents.get(agentId, { signal }),
    staleTime: 15_000,
  });

export const membersQuery = (workspaceId: string) =>
  queryOptions({
    queryKey: ['workspace', workspaceId, 'members'],
    queryFn: async ({ signal }) => (await client.workspace(workspaceId).members.list({ limit: MOST_IN_A_LIST }, { signal })).data,
    staleTime: 15_000,
  });

export const promptsQuery = (workspaceId: string) =>
  queryOptions({
    queryKey: ['workspace', workspaceId, 'prompts', 'choices'],
    queryFn: async ({ signal }) => (await client.workspace(workspaceId).prompts.list({ limit: MOST_IN_A_LIST }, { signal })).data,
    staleTime: 15_000,
  });
