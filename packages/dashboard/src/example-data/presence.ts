/** Whether a workspace holds any of the example. What finds it is loaded when it is asked. */
import { queryOptions } from '@tanstack/react-query';
import { client } from '../api/client.ts';

export const exampleQuery = (workspaceId: string) =>
  queryOptions({
    queryKey: ['workspace', workspaceId, 'example'],
    queryFn: async () => {
      const { findExampleAgents, findExampleDocuments, findExamplePrompts } = await import('./find.ts');
      const workspace = client.workspace(workspaceId);
      const [agents, prompts, documents] = await Promise.all([
        findExampleAgents(workspace),
        findExamplePrompts(workspace),
        findExampleDocuments(workspace),
      ]);
      return { agents: agents.length, prompts: prompts.length, documents: documents.length };
    },
    staleTime: 30_000,
  });

export const hasExample = (found: { agents: number; prompts: number; documents: number } | undefined): boolean =>
  found !== undefined && found.agents + found.prompts + found.documents > 0;
