import { APIPromise } from '../api-promise.ts';
import { CommonplaceError } from '../errors.ts';
import type { PageParams, PagePromise } from '../page.ts';
import type { Answer, RequestOptions } from '../transport.ts';
import type { Document, DocumentChunk, DocumentHit, DocumentSearch, ListDocumentsQuery } from '../types.ts';
import { formOf, type UploadFields, type UploadSource } from '../uploads.ts';
import { poll, type WaitOptions } from '../waiting.ts';
import { WorkspaceResource } from './resource.ts';

const documents = '/workspaces/{workspaceId}/documents';
const document = `${documents}/{documentId}` as const;

/** The service could not index a document; `document.error` says why. */
export class IndexingFailedError extends CommonplaceError {
  override name = 'IndexingFailedError';
  readonly document: Document;

  constructor(document: Document) {
    super(`${document.filename} could not be indexed: ${document.error ?? 'no reason given'}`);
    this.document = document;
  }
}

export class Documents extends WorkspaceResource {
  /** A `.md` or `.txt` file of at most 2 MB. It is indexed in the background. */
  upload(source: UploadSource, fields: UploadFields = {}, options?: RequestOptions): APIPromise<Document> {
    return APIPromise.after(formOf(source, fields), (form) => this.request('POST', documents, { form }, options));
  }

  /** Newest first. */
  list(query: ListDocumentsQuery = {}, options?: RequestOptions): PagePromise<Document> {
    return this.listing(documents, { key: 'documents', query }, options);
  }

  get(documentId: string, options?: RequestOptions): APIPromise<Document> {
    return this.request('GET', document, { ids: { documentId } }, options);
  }

  /** The stored file. */
  content(documentId: string, options?: RequestOptions): APIPromise<Blob> {
    const operation = { ids: { documentId }, headers: { accept: '*/*' } };
    const read = ({ bytes, headers }: Answer) => new Blob([bytes], { type: headers.get('content-type') ?? '' });
    return this.requestAs(read, 'GET', `${document}/content`, operation, options);
  }

  /** In the order of the document, each with its place in the text. */
  chunks(documentId: string, query: PageParams = {}, options?: RequestOptions): PagePromise<DocumentChunk> {
    return this.listing(`${document}/chunks`, { ids: { documentId }, key: 'chunks', query }, options);
  }

  delete(documentId: string, options?: RequestOptions): APIPromise<void> {
    return this.request('DELETE', document, { ids: { documentId } }, options);
  }

  deleteByExternalId(externalId: string, options?: RequestOptions): APIPromise<void> {
    return this.request('DELETE', documents, { query: { externalId } }, options);
  }

  reindex(documentId: string, options?: RequestOptions): APIPromise<Document> {
    return this.request('POST', `${document}/reindex`, { ids: { documentId } }, options);
  }

  /** Best first, by meaning and by words. */
  search(body: DocumentSearch, options?: RequestOptions): APIPromise<DocumentHit[]> {
    const operation = { body, changesNothing: true } as const;
    const answer: APIPromise<{ results: DocumentHit[] }> = this.request('POST', `${documents}/search`, operation, options);
    return answer.map(({ results }) => results);
  }

  /** In the documents that an agent sees by its `kbLabels`. */
  searchAgent(agentId: string, body: DocumentSearch, options?: RequestOptions): APIPromise<DocumentHit[]> {
    const operation = { ids: { agentId }, body, changesNothing: true } as const;
    const path = '/workspaces/{workspaceId}/agents/{agentId}/documents/search';
    const answer: APIPromise<{ results: DocumentHit[] }> = this.request('POST', path, operation, options);
    return answer.map(({ results }) => results);
  }

  /** Resolves when it can be found, and throws an `IndexingFailedError` when it never will be. */
  async waitUntilIndexed(documentId: string, options: WaitOptions = {}): Promise<Document> {
    const found = await poll(
      'the indexing of a document',
      options,
      (signal) => this.get(documentId, { signal }),
      ({ status }) => status !== 'processing',
    );
    if (found.status === 'failed') throw new IndexingFailedError(found);
    return found;
  }
}
