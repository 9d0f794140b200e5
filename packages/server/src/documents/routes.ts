import {
  Document,
  DocumentChunks,
  DocumentExternalId,
  DocumentLabels,
  DocumentQuery,
  DocumentSelection,
  Documents,
  DocumentTitle,
  LARGEST_FILE_BYTES,
} from '@commonplace/contract/documents';
import { DocumentHits, DocumentSearch } from '@commonplace/contract/search';
import { Page } from '@commonplace/contract/wire';
import { z } from 'zod';
import { requireAgent } from '../agents/store.ts';
import { usersAndKeys } from '../auth/access.ts';
import type { Context } from '../context.ts';
import type { Api } from '../http/api.ts';
import { StoredFile } from '../http/route.ts';
import type { Upload } from '../http/upload.ts';
import { validate } from '../http/validation.ts';
import { listChunks } from './chunk-store.ts';
import { deleteDocumentByExternalId, measureUpload, putDocument } from './external-id-store.ts';
import { labelsOf, uploadedText } from './rules.ts';
import { searchDocuments } from './search.ts';
import {
  createDocument,
  deleteDocument,
  listDocuments,
  type NewDocument,
  reindexDocument,
  requireContent,
  requireDocument,
} from './store.ts';

const documentsPath = '/workspaces/:workspaceId/documents' as const;
const Named = z.object({ title: DocumentTitle, externalId: DocumentExternalId.optional() });

/** Knowledge documents and their search: …/workspaces/{workspaceId}/documents */
export function documentRoutes(api: Api, { searcher }: Context): void {
  api.tag('Knowledge', 'Documents that are cut, indexed and searched by meaning.');
  api.route({
    method: 'POST',
    path: documentsPath,
    name: 'uploadDocument',
    tag: 'Knowledge',
    summary: 'Upload a document',
    description:
      'A form with `title`, `file` (.txt or .md, UTF-8, at most 2 MB) and `labels` (a JSON array, or values separated by commas or semicolons; `key=value` or a bare word). Indexed in the background. With `externalId`, an upload with the same id is the same document: 200 and as it is where nothing changed, otherwise replaced under its id; what was found of it is found until the new text is indexed.',
    access: usersAndKeys('CAN_CREATE_WORKSPACE_DOCUMENT'),
    upload: {
      file: 'file',
      largestBytes: LARGEST_FILE_BYTES,
      fields: { title: DocumentTitle, labels: DocumentLabels, externalId: DocumentExternalId },
      required: ['title'],
    },
    // Checked first: what is not valid is told so before anything else.
    stores: ({ db, params, upload }) => measureUpload(db, params.workspaceId, newDocument(upload)),
    answers: { status: 201, body: Document, also: [200] },
    handle: async ({ db, by, params, upload, nowMs, answerWith }) => {
      const sent = newDocument(upload);
      const { externalId } = sent;
      if (externalId === undefined) return createDocument(db, by, params.workspaceId, sent, nowMs);
      const { document, isNew } = await putDocument(db, by, params.workspaceId, { ...sent, externalId }, nowMs);
      if (!isNew) answerWith(200);
      return document;
    },
  });
  api.route({
    method: 'GET',
    path: documentsPath,
    name: 'listDocuments',
    tag: 'Knowledge',
    summary: 'List the documents',
    description: 'Newest first.',
    access: usersAndKeys('CAN_LIST_WORKSPACE_DOCUMENTS'),
    query: DocumentQuery,
    answers: { status: 200, body: Documents },
    handle: async ({ db, params, query }) => {
      const { rows, meta } = await listDocuments(db, params.workspaceId, query);
      return { documents: rows, _meta: meta };
    },
  });
  api.route({
    method: 'POST',
    path: `${documentsPath}/search`,
    name: 'searchDocuments',
    tag: 'Knowledge',
    summary: 'Search the documents',
    description: 'By meaning and by words, over the chunks of indexed documents. A deleted document is gone from the next search on.',
    access: usersAndKeys('CAN_QUERY_WORKSPACE_DOCUMENTS'),
    body: DocumentSearch,
    isSearch: true,
    changesNothing: true,
    answers: { status: 200, body: DocumentHits },
    handle: async ({ db, params, body }) => ({ results: await searchDocuments(db, searcher, params.workspaceId, body) }),
  });
  api.route({
    method: 'GET',
    path: `${documentsPath}/:documentId`,
    name: 'getDocument',
    tag: 'Knowledge',
    summary: 'Read what is known of a document',
    access: usersAndKeys('CAN_LIST_WORKSPACE_DOCUMENTS'),
    answers: { status: 200, body: Document },
    handle: ({ db, params }) => requireDocument(db, params),
  });
  api.route({
    method: 'GET',
    path: `${documentsPath}/:documentId/content`,
    name: 'getDocumentContent',
    tag: 'Knowledge',
    summary: 'Read the stored file',
    access: usersAndKeys('CAN_LIST_WORKSPACE_DOCUMENTS'),
    answers: { status: 200, body: StoredFile },
    handle: async ({ db, params }) => {
      const { filename, contentType, checksum } = await requireDocument(db, params);
      return { bytes: await requireContent(db, params), contentType: `${contentType}; charset=utf-8`, filename, tag: checksum };
    },
  });
  api.route({
    method: 'GET',
    path: `${documentsPath}/:documentId/chunks`,
    name: 'listDocumentChunks',
    tag: 'Knowledge',
    summary: 'List the chunks of a document',
    description:
      'In the order of the document. While a file replaces another, that is until `status` is `indexed`, these are the chunks of the text that is found now, and their offsets are of that text. Of a document that was never indexed they are those that were cut so far.',
    access: usersAndKeys('CAN_LIST_WORKSPACE_DOCUMENTS'),
    query: Page,
    answers: { status: 200, body: DocumentChunks },
    handle: async ({ db, params, query }) => {
      await requireDocument(db, params);
      const { rows, meta } = await listChunks(db, params, searcher.embedder.model, query);
      return { chunks: rows, _meta: meta };
    },
  });
  api.route({
    method: 'POST',
    path: '/workspaces/:workspaceId/agents/:agentId/documents/search',
    name: 'searchAgentDocuments',
    tag: 'Knowledge',
    summary: 'Search the documents that an agent sees',
    description: 'Those that have all of the agent’s `kbLabels`; all of the workspace’s when it has none.',
    access: usersAndKeys('CAN_QUERY_WORKSPACE_DOCUMENTS'),
    body: DocumentSearch,
    isSearch: true,
    changesNothing: true,
    answers: { status: 200, body: DocumentHits },
    handle: async ({ db, params: { workspaceId, agentId }, body }) => {
      const { kbLabels } = await requireAgent(db, workspaceId, agentId);
      return { results: await searchDocuments(db, searcher, workspaceId, body, kbLabels) };
    },
  });
  api.route({
    method: 'POST',
    path: `${documentsPath}/:documentId/reindex`,
    name: 'reindexDocument',
    tag: 'Knowledge',
    summary: 'Index a document again',
    description: 'It is found again once it is indexed.',
    access: usersAndKeys('CAN_CREATE_WORKSPACE_DOCUMENT'),
    stores: 'nothing',
    answers: { status: 202, body: Document },
    handle: ({ db, by, params, nowMs }) => reindexDocument(db, by, params, nowMs),
  });
  api.route({
    method: 'DELETE',
    path: documentsPath,
    name: 'deleteDocumentByExternalId',
    tag: 'Knowledge',
    summary: 'Delete the document with an external id',
    access: usersAndKeys('CAN_DELETE_WORKSPACE_DOCUMENT'),
    query: DocumentSelection,
    answers: { status: 204 },
    handle: ({ db, by, params, query, nowMs }) => deleteDocumentByExternalId(db, by, params.workspaceId, query.externalId, nowMs),
  });
  api.route({
    method: 'DELETE',
    path: `${documentsPath}/:documentId`,
    name: 'deleteDocument',
    tag: 'Knowledge',
    summary: 'Delete a document',
    access: usersAndKeys('CAN_DELETE_WORKSPACE_DOCUMENT'),
    answers: { status: 204 },
    handle: ({ db, by, params, nowMs }) => deleteDocument(db, by, params, nowMs),
  });
}

function newDocument({ file, fields }: Upload): NewDocument {
  const text = uploadedText(file);
  const { title, externalId } = validate(Named, { title: fields.get('title')?.[0], externalId: fields.get('externalId')?.[0] });
  const labels = fields.get('labels');
  return { externalId, title, labels: labels && labelsOf(labels), file: text, bytes: file?.bytes ?? Buffer.alloc(0) };
}
