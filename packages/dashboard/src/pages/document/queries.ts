import type { Document, DocumentChunk } from '@commonplace/client';
import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { client } from '../../api/client.ts';

/** All of them: a file of 2 MB has about 2,000. */
export const chunksQuery = (workspaceId: string, { id, checksum, status, chunksTotal }: Document) =>
  queryOptions({
    queryKey: ['workspace', workspaceId, 'documents', 'chunks', id, { checksum, status, chunksTotal }],
    queryFn: async ({ signal }) => {
      const chunks: DocumentChunk[] = [];
      for await (const chunk of client.workspace(workspaceId).documents.chunks(id, { limit: 100 }, { signal })) chunks.push(chunk);
      return chunks;
    },
    placeholderData: keepPreviousData,
  });

/** As text, whatever is in it. The checksum names it: another file has another. */
export const contentQuery = (workspaceId: string, { id, checksum }: Document) =>
  queryOptions({
    queryKey: ['workspace', workspaceId, 'documents', 'content', id, checksum],
    queryFn: async ({ signal }) => (await client.workspace(workspaceId).documents.content(id, { signal })).text(),
    staleTime: Number.POSITIVE_INFINITY,
    placeholderData: keepPreviousData,
  });
