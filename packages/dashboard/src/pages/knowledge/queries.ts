/** Documents, as the table and the page of one ask for them. */
import type { Document } from '@commonplace/client';
import { keepPreviousData, type QueryClient, queryOptions } from '@tanstack/react-query';
import { client } from '../../api/client.ts';
import { LIVE_MS } from '../../api/queries.ts';
import type { KnowledgeSearch } from './search-params.ts';

export const DOCUMENTS_ON_A_PAGE = 50;

const isProcessing = ({ status }: Document) => status === 'processing';

export const documentsQuery = (workspaceId: string, { status, label, offset = 0 }: KnowledgeSearch, uploading: boolean) =>
  queryOptions({
    queryKey: ['workspace', workspaceId, 'documents', 'list', { status, label, offset }],
    queryFn: async ({ signal }) => {
      const query = { limit: DOCUMENTS_ON_A_PAGE, offset, ...(status && { status }), ...(label && { label }) };
      const { data, meta } = await client.workspace(workspaceId).documents.list(query, { signal });
      return { documents: data, total: meta.total };
    },
    // A filter by status has to show what comes to it, too.
    refetchInterval: ({ state: { data } }) =>
      uploading || status === 'processing' || data?.documents.some(isProcessing) ? LIVE_MS : false,
    placeholderData: keepPreviousData,
  });

export const documentQuery = (workspaceId: string, documentId: string) =>
  queryOptions({
    queryKey: ['workspace', workspaceId, 'documents', 'one', documentId],
    queryFn: ({ signal }) => client.workspace(workspaceId).documents.get(documentId, { signal }),
    refetchInterval: ({ state: { data } }) => (data && isProcessing(data) ? LIVE_MS : false),
  });

/** After documents came, went or changed. */
export function refreshDocuments(queryClient: QueryClient, workspaceId: string): Promise<unknown> {
  return Promise.all([
    queryClient.invalidateQueries({ queryKey: ['workspace', workspaceId, 'documents'] }),
    queryClient.invalidateQueries({ queryKey: ['workspace', workspaceId, 'stats'] }),
    queryClient.invalidateQueries({ queryKey: ['workspace', workspaceId, 'jobs'] }),
  ]);
}
