/** The documents of the workspace as MCP resources: `commonplace://documents/{id}` is the text of one. */
import type { Document } from '@commonplace/contract/documents';
import type { PageMeta } from '@commonplace/contract/wire';
import {
  type ListResourcesResult,
  type ListResourceTemplatesResult,
  type ReadResourceResult,
  ResourceNotFoundError,
} from '@modelcontextprotocol/server';
import { AppError } from '../errors.ts';
import type { ToolContext } from './tool.ts';

export const resourceRoutes = ['listDocuments', 'getDocumentContent'];

const PREFIX = 'commonplace://documents/';
const PAGE_SIZE = 50;

export async function listResources({ scope, routes }: ToolContext, cursor: string | undefined): Promise<ListResourcesResult> {
  const query = { limit: PAGE_SIZE, cursor };
  const page = await routes.call<{ documents: Document[]; _meta: PageMeta }>(scope, 'listDocuments', { query });
  const resources = page.documents.map(({ id, filename, title, contentType, size, updatedAt }) => ({
    uri: PREFIX + id,
    name: filename,
    title,
    mimeType: contentType,
    size: size.value,
    annotations: { lastModified: updatedAt },
  }));
  return { resources, ...(page._meta.cursor !== undefined && { nextCursor: page._meta.cursor }) };
}

export function listResourceTemplates(): ListResourceTemplatesResult {
  const description = 'The text of a document; search_knowledge finds the ids, as documentId.';
  return { resourceTemplates: [{ uriTemplate: `${PREFIX}{id}`, name: 'document', title: 'Knowledge document', description }] };
}

export async function readResource({ scope, routes }: ToolContext, uri: string): Promise<ReadResourceResult> {
  const documentId = uri.startsWith(PREFIX) ? uri.slice(PREFIX.length) : '';
  try {
    const { text, contentType } = await routes.read(scope, 'getDocumentContent', { params: { documentId } });
    return { contents: [{ uri, mimeType: contentType.split(';', 1)[0] as string, text }] };
  } catch (error) {
    if (error instanceof AppError && error.code === 'not_found') throw new ResourceNotFoundError(uri, error.message);
    throw error;
  }
}
