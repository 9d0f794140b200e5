/** Indexing in slices: workspaces in turn, and nothing done twice. */
import { expect, test, vi } from 'vitest';
import { made } from '../../test/api.ts';
import { openWithEndpoint, search, upload } from '../../test/embeddings-endpoint.ts';
import type { Embedder } from '../search/embedding/embedder.ts';
import { CHUNKS_IN_A_SLICE } from './indexing.ts';

const CHUNKS = 5 * CHUNKS_IN_A_SLICE;

function sections(name: string, count: number): string {
  return Array.from({ length: count }, (_, index) => `# Section ${index}\n\nSomething about ${name} ${index}.`).join('\n\n');
}

test('a small document of one workspace waits for a slice of another’s large ones, not for all of them', async () => {
  const { endpoint, api } = await openWithEndpoint();
  const [one, other] = [await api.newAgent(), await api.newAgent()];
  const large = [];
  for (const name of ['apples', 'pears', 'plums']) large.push(await upload(one.runtime, one.workspace.url, sections(name, CHUNKS)));
  const small = await upload(other.runtime, other.workspace.url, '# Tea\n\nSteep it.');
  await api.drainJobs();
  const at = endpoint.seen.findIndex((text) => text.includes('Steep it.'));
  // Two documents at a time, each at the end of its first slice at the latest; what is under way goes on beside it, in a larger one perhaps.
  expect(at).toBeGreaterThanOrEqual(0);
  expect(at).toBeLessThanOrEqual(5 * CHUNKS_IN_A_SLICE);
  for (const id of large) {
    const { body } = await one.runtime.get(`${one.workspace.url}/documents/${id}`);
    expect(body).toMatchObject({ status: 'indexed', chunksTotal: CHUNKS, chunksIndexed: CHUNKS });
  }
  expect((await other.runtime.get(`${other.workspace.url}/documents/${small}`)).body).toMatchObject({ status: 'indexed' });
  expect(endpoint.seen).toHaveLength(3 * CHUNKS + 1);
  expect(new Set(endpoint.seen).size, 'no chunk was embedded twice').toBe(3 * CHUNKS + 1);
});

test('a small document does not wait for the end of large ones that hold every place', async () => {
  const { endpoint, api } = await openWithEndpoint();
  // Turns go by the ids of the workspaces, oldest first: the large documents begin, and the small one finds no place.
  const agents = [await api.newAgent(), await api.newAgent(), await api.newAgent()] as const;
  const contents = [sections('apples', CHUNKS), sections('pears', CHUNKS), '# Tea\n\nSteep it.'];
  for (const [place, { runtime, workspace }] of agents.entries()) await upload(runtime, workspace.url, contents[place] as string);
  await api.drainJobs();
  const at = endpoint.seen.findIndex((text) => text.includes('Steep it.'));
  expect(at, 'the large ones were first').toBeGreaterThan(0);
  const before = (name: string) => endpoint.seen.slice(0, at).filter((text) => text.includes(name)).length;
  expect(before('apples')).toBeLessThan(CHUNKS);
  expect(before('pears')).toBeLessThan(CHUNKS);
});

test('what is embedded waits in the lane of its workspace', async () => {
  const { api } = await openWithEndpoint();
  const embed = vi.spyOn(api.app.context.searcher.embedder as Required<Embedder>, 'embedWithTokens');
  const session = await api.newSession();
  const { runtime, agent } = session;
  const laneOf = async (embedded: () => Promise<unknown>) => {
    embed.mockClear();
    await embedded();
    return new Set(embed.mock.calls.map(([, options]) => options?.lane));
  };
  await upload(runtime, agent.workspace.url, '# Tea\n\nSteep it.');
  expect(await laneOf(() => api.drainJobs())).toEqual(new Set([agent.workspace.id]));
  made(await runtime.post(`${session.url}/messages`, { role: 'user', content: 'The kettle whistles.' }));
  expect(await laneOf(() => search(runtime, `${session.url}/messages`, 'kettle'))).toEqual(new Set([agent.workspace.id]));
  expect(await laneOf(() => api.app.indexing.drain())).toEqual(new Set([agent.workspace.id]));
});

test('an endpoint that gives out in the middle: what was stored is kept, and the rest is made up for', async () => {
  const { endpoint, api } = await openWithEndpoint();
  const { runtime, workspace } = await api.newAgent();
  endpoint.failAfterTexts = 2 * CHUNKS_IN_A_SLICE + 1;
  const id = await upload(runtime, workspace.url, sections('apples', CHUNKS));
  await api.drainJobs();
  const read = async () => (await runtime.get(`${workspace.url}/documents/${id}`)).body;
  expect(await read()).toMatchObject({
    status: 'processing',
    chunksTotal: CHUNKS,
    chunksIndexed: 2 * CHUNKS_IN_A_SLICE,
    error: expect.any(String),
  });
  const answered = endpoint.texts;
  Object.assign(endpoint, { fault: 'none', failAfterTexts: Number.POSITIVE_INFINITY });
  api.clock.advance(60_000);
  await api.drainJobs();
  expect(await read()).toMatchObject({ status: 'indexed', chunksTotal: CHUNKS, chunksIndexed: CHUNKS });
  expect(endpoint.texts - answered).toBe(CHUNKS - 2 * CHUNKS_IN_A_SLICE);
  expect(await api.countRows('vectors', workspace.id)).toBe(CHUNKS);
});

test('indexed again, a document is cut and embedded from its beginning', async () => {
  const { endpoint, api } = await openWithEndpoint();
  const { runtime, workspace } = await api.newAgent();
  const id = await upload(runtime, workspace.url, sections('apples', 3));
  await api.drainJobs();
  const { status, body } = await runtime.post(`${workspace.url}/documents/${id}/reindex`);
  expect([status, body.status, body.chunksIndexed]).toEqual([202, 'processing', 0]);
  expect(await api.countRows('chunks', workspace.id)).toBe(0);
  await api.drainJobs();
  expect((await runtime.get(`${workspace.url}/documents/${id}`)).body).toMatchObject({
    status: 'indexed',
    chunksTotal: 3,
    chunksIndexed: 3,
  });
  expect(endpoint.texts).toBe(6);
});

test('what was indexed is in the index before anybody searches it, and a search reads nothing of it again', async () => {
  const { api } = await openWithEndpoint();
  const { searcher } = api.app.context;
  searcher.warming.start();
  const { runtime, workspace } = await api.newAgent();
  for (const name of ['apples', 'pears']) await upload(runtime, workspace.url, sections(name, 10));
  const ask = vi.spyOn(searcher.indexes, 'ask');
  await api.drainJobs();
  await expect.poll(async () => (await searcher.gauges()).index_items, { timeout: 20_000 }).toBe(20);
  expect(ask.mock.calls.map(([{ op }]) => op)).not.toContain('search');
  await searcher.warming.stop();
  ask.mockClear();
  expect(await search(runtime, `${workspace.url}/documents`, 'apples 3')).not.toHaveLength(0);
  expect(ask.mock.calls.map(([{ op }]) => op)).not.toContain('upsert');
});
