/** Whether a workspace holds the example. What finds it is loaded when it is asked. */
import { queryOptions } from '@tanstack/react-query';
import { client } from '../api/client.ts';

export const exampleQuery = (workspaceId: string) =>
  queryOptions({
    queryKey: ['workspace', workspaceId, 'example'],
    queryFn: async () => {
      const { lookForExample } = await import('./find.ts');
      return lookForExample(client.workspace(workspaceId));
    },
    staleTime: 30_000,
  });
