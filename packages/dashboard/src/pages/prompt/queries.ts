/** What the pages of prompts ask for. */
import type { Agent, Prompt, PromptVersion } from '@commonplace/client';
import { infiniteQueryOptions, type QueryClient, queryOptions } from '@tanstack/react-query';
import { client } from '../../api/client.ts';

const PAGE = 100;
/** The API lists prompts and agents without a filter; beyond so many, pages say that they looked at the first. */
export const MOST_LOOKED_AT = 1_000;
const VERSIONS_AT_ONCE = 20;

export interface Few<Item> {
  readonly items: readonly Item[];
  /** Of all that there are. */
  readonly total: number;
}

async function firstOf<Item>(
  list: (page: { limit: number; offset: number }) => PromiseLike<{ data: Item[]; meta: { total: number } }>,
): Promise<Few<Item>> {
  const items: Item[] = [];
  for (;;) {
    const { data, meta } = await list({ limit: PAGE, offset: items.length });
    items.push(...data);
    if (data.length === 0 || items.length >= Math.min(meta.total, MOST_LOOKED_AT)) return { items, total: meta.total };
  }
}

const promptsKey = (workspaceId: string) => ['workspace', workspaceId, 'prompts'] as const;

export const allPromptsQuery = (workspaceId: string) =>
  queryOptions({
    queryKey: [...promptsKey(workspaceId), 'all'],
    queryFn: ({ signal }) => firstOf<Prompt>((page) => client.workspace(workspaceId).prompts.list(page, { signal })),
  });

export const promptQuery = (workspaceId: string, promptId: string) =>
  queryOptions({
    queryKey: [...promptsKey(workspaceId), promptId],
    queryFn: ({ signal }) => client.workspace(workspaceId).prompts.getById(promptId, { signal }),
  });

/** Highest number first, twenty at a time: a version carries its whole content. */
export const versionsQuery = (workspaceId: string, promptId: string) =>
  infiniteQueryOptions({
    queryKey: [...promptsKey(workspaceId), promptId, 'versions'],
    initialPageParam: 0,
    queryFn: async ({ pageParam, signal }) => {
      const page = { limit: VERSIONS_AT_ONCE, offset: pageParam };
      const { data, meta } = await client.workspace(workspaceId).prompts.versions.list(promptId, page, { signal });
      return { versions: data, offset: pageParam, total: meta.total };
    },
    getNextPageParam: ({ versions, offset, total }) =>
      versions.length > 0 && offset + versions.length < total ? offset + versions.length : undefined,
  });

/** One that is not among those listed so far. */
export const versionByNumberQuery = (workspaceId: string, prompt: Pick<Prompt, 'promptId' | 'handle'>, number: number) =>
  queryOptions({
    queryKey: [...promptsKey(workspaceId), prompt.promptId, 'version', number],
    queryFn: ({ signal }) => client.workspace(workspaceId).prompts.getByName(prompt.handle, { version: String(number) }, { signal }),
  });

export const renderedQuery = (workspaceId: string, version: PromptVersion, variables: Readonly<Record<string, string>>) =>
  queryOptions({
    queryKey: [...promptsKey(workspaceId), version.promptId, 'rendered', version.id, version.commitHash, variables],
    queryFn: ({ signal }) =>
      client.workspace(workspaceId).prompts.render(version.handle, { variables }, { version: String(version.version) }, { signal }),
  });

/** Agents that point to the prompt. */
export const usersOfPromptQuery = (workspaceId: string, promptId: string) =>
  queryOptions({
    queryKey: ['workspace', workspaceId, 'agents', 'of-prompt', promptId],
    queryFn: async ({ signal }) => {
      const { items, total } = await firstOf<Agent>((page) => client.workspace(workspaceId).agents.list(page, { signal }));
      return { agents: items.filter((agent) => agent.promptId === promptId), lookedAtAll: items.length >= total };
    },
    staleTime: 15_000,
  });

/** After any change to a prompt: its versions, the lists, the counts, and what agents point to. */
export async function refreshPrompts(queryClient: QueryClient, workspaceId: string): Promise<void> {
  await Promise.all(
    [['prompts'], ['stats'], ['agents']].map((key) => queryClient.invalidateQueries({ queryKey: ['workspace', workspaceId, ...key] })),
  );
}
