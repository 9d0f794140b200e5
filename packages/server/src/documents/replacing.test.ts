/** A document that is replaced: its old text is found until the new one is, whatever comes in between. */
import { setImmediate as turn } from 'node:timers/promises';
import { expect } from 'vitest';
import { made, type TestApi, test } from '../../test/api.ts';
import { newKnowledge } from '../../test/documents.ts';
import { openWithEndpoint, restart } from '../../test/embeddings-endpoint.ts';
import { sql } from '../db/sql.ts';
import { findDocumentToIndex, replaceChunks } from './chunk-store.ts';
import { chunksOf } from './chunking.ts';
import { noteFailure } from './store.ts';

const one = { documents: 1, document_contents: 1, former_texts: 0, jobs: 0 };

function sections(word: string, count: number): string {
  return Array.from({ length: count }, (_, index) => `# Section ${index}\n\nThe ${word} says ${index}.`).join('\n\n');
}

test('the old text is found as it was until the new one is indexed, and then the new one alone', async ({ api }) => {
  const { indexed, upload, search, rows } = await newKnowledge(api);
  const { id } = await indexed({ externalId: 'x', title: 'Old', content: 'The walrus sings.', labels: 'v=1' });
  const found = await search('who sings?');
  expect(found).toMatchObject([{ documentId: id, chunkId: `${id}:0`, text: 'The walrus sings.', title: 'Old', labels: { v: '1' } }]);

  expect((await upload({ externalId: 'x', title: 'New', content: 'The carpenter sings.', labels: 'v=2' })).status).toBe(200);
  expect(await search('who sings?')).toEqual(found);
  expect(await search('who sings?', { labels: { v: '1' } })).toEqual(found);
  expect(await search('who sings?', { labels: { v: '2' } })).toEqual([]);
  expect(await rows()).toEqual({ ...one, chunks: 1, vectors: 1, former_texts: 1, jobs: 1 });

  await api.drainJobs();
  const replaced = await search('who sings?');
  expect(replaced).toMatchObject([{ documentId: id, chunkId: `${id}:0`, text: 'The carpenter sings.', title: 'New', labels: { v: '2' } }]);
  expect(await search('who sings?', { labels: { v: '1' } })).toEqual([]);
  expect(await rows()).toEqual({ ...one, chunks: 1, vectors: 1 });
});

test('a search beside a replacement finds the old text or the new one, never both and never neither', async () => {
  const { api } = await openWithEndpoint({ COMMONPLACE_RATE_LIMIT: 'off' });
  const { indexed, upload, search, rows } = await newKnowledge(api);
  const ROUNDS = 12;
  await indexed({ content: 'Some other walrus.', title: 'Other' });
  const { id } = await indexed({ externalId: 'x', content: 'Walrus number 0.' });
  const seen: number[] = [];
  let isDone = false;
  const searching = async () => {
    while (!isDone) {
      const hits = (await search('walrus number')).filter(({ documentId }) => documentId === id);
      expect(hits).toHaveLength(1);
      seen.push(Number(/\d+/.exec(hits[0].text)?.[0]));
      await turn();
    }
  };
  const searches = [searching(), searching(), searching()];
  for (let round = 1; round <= ROUNDS; round++) {
    expect((await upload({ externalId: 'x', content: `Walrus number ${round}.` })).status).toBe(200);
    await Promise.all([api.drainJobs(), search('walrus')]);
  }
  isDone = true;
  await Promise.all(searches);
  expect(await search('walrus number')).toContainEqual(expect.objectContaining({ documentId: id, text: `Walrus number ${ROUNDS}.` }));
  expect(new Set(seen).size).toBeGreaterThan(2);
  expect(await rows()).toMatchObject({ documents: 2, chunks: 2, vectors: 2, former_texts: 0 });
});

test('a replacement that can’t be indexed leaves the old text found, says so, and gives way to the next', async ({ api }) => {
  const { indexed, upload, search, read, rows } = await newKnowledge(api);
  const { id } = await indexed({ externalId: 'x', content: 'The walrus.' });
  expect((await upload({ externalId: 'x', content: ' \n' })).status).toBe(200);
  await api.drainJobs();
  expect(await read(id)).toMatchObject({
    status: 'failed',
    error: 'The file is empty: there is no text to index. The text that it was to replace is still found.',
    chunksTotal: 0,
  });
  expect(await search('walrus')).toMatchObject([{ documentId: id, text: 'The walrus.' }]);
  await indexed({ externalId: 'x', content: 'The carpenter.' });
  expect(await search('walrus carpenter')).toMatchObject([{ documentId: id, text: 'The carpenter.' }]);
  expect(await read(id)).not.toHaveProperty('error');
  expect(await rows()).toEqual({ ...one, chunks: 1, vectors: 1 });
});

test('a failed upload that was never found has nothing to leave found, and is replaced as well', async ({ api }) => {
  const { upload, indexed, search, read } = await newKnowledge(api);
  const { id } = made(await upload({ externalId: 'x', content: '' }));
  await api.drainJobs();
  expect(await read(id)).toMatchObject({ status: 'failed', error: 'The file is empty: there is no text to index' });
  expect(await indexed({ externalId: 'x', content: 'The walrus.' })).toMatchObject({ id });
  expect(await search('walrus')).toHaveLength(1);
});

test('of several in a row the last one comes to be found, and the first one is until then', async ({ api }) => {
  const { indexed, upload, search, rows } = await newKnowledge(api);
  await indexed({ externalId: 'x', content: 'Walrus 0.' });
  for (const number of [1, 2, 3, 4]) {
    expect((await upload({ externalId: 'x', content: `Walrus ${number}.` })).status).toBe(200);
    expect((await search('walrus')).map(({ text }) => text)).toEqual(['Walrus 0.']);
  }
  expect(await rows()).toMatchObject({ documents: 1, chunks: 1, former_texts: 1, jobs: 1 });
  await api.drainJobs();
  expect((await search('walrus')).map(({ text }) => text)).toEqual(['Walrus 4.']);
  expect(await rows()).toEqual({ ...one, chunks: 1, vectors: 1 });
});

test('replaced before it was ever found, and in the middle of its indexing, a document ends as what came last', async ({ api }) => {
  const { upload, search, read, rows } = await newKnowledge(api);
  const { id } = made(await upload({ externalId: 'x', content: sections('walrus', 200) }));
  const draining = api.drainJobs();
  while ((await read(id)).chunksIndexed === 0) await turn();
  expect(await upload({ externalId: 'x', content: sections('carpenter', 30) })).toMatchObject({ status: 200, body: { id } });
  expect(await search('walrus')).toEqual([]);
  await draining;
  await api.drainJobs();
  expect(await read(id)).toMatchObject({ status: 'indexed', chunksTotal: 30, chunksIndexed: 30 });
  expect((await search('walrus carpenter')).every(({ text }) => text.includes('carpenter'))).toBe(true);
  expect(await rows()).toEqual({ ...one, chunks: 30, vectors: 30 });
});

test('what a job has read of the file before comes too late, and so does its failure', async ({ api }) => {
  const { workspace, upload, read, rows } = await newKnowledge(api);
  const { id } = made(await upload({ externalId: 'x', content: 'The walrus.' }));
  const begun = await findDocumentToIndex(api.db, { workspaceId: workspace.id, documentId: id });
  expect(begun).toBeDefined();
  if (!begun) return;
  await upload({ externalId: 'x', content: 'The carpenter.' });
  expect(await replaceChunks(api.db, begun, chunksOf('The walrus.', 'markdown'), api.clock.nowMs())).toBe(false);
  expect(await noteFailure(api.db, begun, { error: 'Of the old one', attempts: 6, isFinal: true }, api.clock.nowMs())).toBe(false);
  expect(await rows()).toMatchObject({ chunks: 0 });
  expect(await read(id)).not.toHaveProperty('error');
});

test('deleted in between, a document is gone with both of its texts', async ({ api }) => {
  const { runtime, url, indexed, upload, search, read, rows } = await newKnowledge(api);
  const { id } = await indexed({ externalId: 'x', content: sections('walrus', 3) });
  await upload({ externalId: 'x', content: sections('carpenter', 200) });
  const draining = api.drainJobs();
  while ((await read(id)).chunksIndexed === 0) await turn();
  expect((await runtime.delete(`${url}?externalId=x`)).status).toBe(204);
  expect(await search('walrus carpenter')).toEqual([]);
  await draining;
  await api.drainJobs();
  expect(await rows()).toEqual({ documents: 0, document_contents: 0, chunks: 0, vectors: 0, former_texts: 0, jobs: 0 });
});

test('indexing again while a replacement waits keeps the old text found', async ({ api }) => {
  const { runtime, url, indexed, upload, search, rows } = await newKnowledge(api);
  const { id } = await indexed({ externalId: 'x', content: 'The walrus.' });
  await upload({ externalId: 'x', content: 'The carpenter.' });
  expect((await runtime.post(`${url}/${id}/reindex`)).status).toBe(202);
  expect((await search('walrus')).map(({ text }) => text)).toEqual(['The walrus.']);
  await api.drainJobs();
  expect((await search('walrus carpenter')).map(({ text }) => text)).toEqual(['The carpenter.']);
  expect(await rows()).toEqual({ ...one, chunks: 1, vectors: 1 });
});

test('a document that is replaced with as many chunks as it had is read anew by an index that held the old ones', async () => {
  const { api } = await openWithEndpoint();
  const { indexed, search } = await newKnowledge(api);
  await indexed({ externalId: 'x', content: sections('walrus', 150) });
  expect(await search('walrus', { limit: 5 })).toHaveLength(5);
  await indexed({ externalId: 'x', content: sections('carpenter', 150) });
  const hits = await search('walrus carpenter', { limit: 100 });
  expect(hits).toHaveLength(100);
  expect(hits.every(({ text }) => text.includes('carpenter'))).toBe(true);
});

test('what was deleted with its workspace leaves no former text', async ({ api }) => {
  const { workspace, indexed, upload, rows } = await newKnowledge(api);
  await indexed({ externalId: 'x', content: 'The walrus.' });
  await upload({ externalId: 'x', content: 'The carpenter.' });
  expect((await workspace.owner.delete(workspace.url)).status).toBe(204);
  await api.drainJobs();
  expect(await rows()).toEqual({ documents: 0, document_contents: 0, chunks: 0, vectors: 0, former_texts: 0, jobs: 0 });
});

async function modelsOf(api: TestApi, workspaceId: string): Promise<string[]> {
  const found = await api.db.query(
    sql<{ model: string }>`select distinct model from vectors where workspace_id = ${workspaceId} order by model`,
  );
  return found.map(({ model }) => model);
}

test('a new model embeds the text that is found, former or not', async () => {
  const { endpoint, api } = await openWithEndpoint();
  const { workspace, runtime, url, indexed, upload, rows } = await newKnowledge(api);
  const { id } = await indexed({ externalId: 'x', content: sections('walrus', 3) });
  // A replacement that fails for good: the former text stays for long.
  await upload({ externalId: 'x', content: '' });
  await api.drainJobs();
  expect(await modelsOf(api, workspace.id)).toEqual([expect.stringContaining('narrow')]);
  await api.app.close();
  const later = await restart(api, { embeddings: { url: endpoint.url, model: 'wide', apiKey: undefined } });
  await later.drainJobs();
  expect(await modelsOf(api, workspace.id)).toEqual([expect.stringContaining('wide')]);
  expect(await rows()).toMatchObject({ chunks: 3, vectors: 3, former_texts: 1 });
  const client = later.client(runtime.headers);
  const { body } = await client.post(`${url}/search`, { query: 'walrus', limit: 100, explain: true });
  expect(body.results).toHaveLength(3);
  for (const { documentId, explain } of body.results) {
    expect(documentId).toBe(id);
    expect(explain.vector).toBeGreaterThan(0);
  }
  expect((await client.get(`${url}/${id}`)).body).toMatchObject({ status: 'failed', error: expect.stringContaining('still found') });
});

test('a replacement is taken up at once, and with all of its attempts, though its document was waiting for a retry', async () => {
  const { endpoint, api } = await openWithEndpoint();
  const { upload, read, search } = await newKnowledge(api);
  endpoint.fault = 'dead';
  const { id } = made(await upload({ externalId: 'x', content: 'The walrus.' }));
  await api.drainJobs();
  expect(await read(id)).toMatchObject({ status: 'processing', error: expect.any(String) });
  endpoint.fault = 'none';
  expect((await upload({ externalId: 'x', content: 'The carpenter.' })).body).not.toHaveProperty('error');
  const later = await restart(api, {});
  await later.drainJobs();
  expect(await read(id)).toMatchObject({ status: 'indexed' });
  expect(await search('carpenter')).toHaveLength(1);
});
