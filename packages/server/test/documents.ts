/** A workspace with knowledge for tests: documents that are uploaded by their own ids, and searched. */
import { expect } from 'vitest';
import type { Answer, TestApi, TestWorkspace } from './api.ts';

export interface SentDocument {
  readonly externalId?: string;
  readonly title?: string;
  readonly filename?: string;
  readonly content?: string;
  readonly labels?: string;
}

export async function newKnowledge(api: TestApi, given?: TestWorkspace) {
  const workspace = given ?? (await api.newWorkspace());
  const runtime = await api.newAccessKey(workspace);
  const url = `${workspace.url}/documents`;
  const upload = async (sent: SentDocument = {}, headers: Record<string, string> = {}): Promise<Answer> => {
    const { title = 'A title', filename = 'a.md', content = 'Some text.', ...fields } = sent;
    const form = new FormData();
    form.append('title', title);
    form.append('file', new Blob([content]), filename);
    for (const [name, value] of Object.entries(fields)) form.append(name, value);
    const encoded = new Response(form);
    const contentType = encoded.headers.get('content-type') as string;
    return runtime.post(url, Buffer.from(await encoded.arrayBuffer()), { 'content-type': contentType, ...headers });
  };
  return {
    workspace,
    runtime,
    url,
    upload,
    /** The whole way into search. */
    indexed: async (sent: SentDocument = {}): Promise<Answer['body']> => {
      const { status, body, text } = await upload(sent);
      expect([200, 201], text).toContain(status);
      await api.drainJobs();
      const { body: document } = await runtime.get(`${url}/${body.id}`);
      expect(document).toMatchObject({ status: 'indexed' });
      return document;
    },
    read: async (documentId: string): Promise<Answer['body']> => (await runtime.get(`${url}/${documentId}`)).body,
    search: async (query: string, more: Record<string, unknown> = {}): Promise<Answer['body'][]> => {
      const { status, body, text } = await runtime.post(`${url}/search`, { query, limit: 100, ...more });
      expect(status, text).toBe(200);
      return body.results;
    },
    /** How many rows each of the tables has that hold something of documents. */
    rows: async (): Promise<Record<string, number>> => {
      const tables = ['documents', 'document_contents', 'chunks', 'vectors', 'former_texts', 'jobs'];
      const counts = await Promise.all(tables.map((table) => api.countRows(table, workspace.id)));
      return Object.fromEntries(tables.map((table, index) => [table, counts[index] as number]));
    },
  };
}
