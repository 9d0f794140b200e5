/** An embeddings endpoint that fails, changes or makes more than memory holds: search goes on, and documents end with a reason. */
import { expect, test } from 'vitest';
import { type Answer, made, type TestApi } from '../../test/api.ts';
import { drainBoth, openWithEndpoint, restart, search, upload } from '../../test/embeddings-endpoint.ts';
import { sql } from '../db/sql.ts';

const ready = async (api: TestApi) => (await api.anonymous.get('/_ready')).status;

test('a slow endpoint is waited for', async () => {
  const { endpoint, api } = await openWithEndpoint();
  const session = await api.newSession();
  endpoint.fault = 'slow';
  made(await session.runtime.post(`${session.url}/messages`, { role: 'user', content: 'The kettle whistles.' }));
  const [hit] = await search(session.runtime, `${session.url}/messages`, 'kettle');
  expect(hit.explain.vector).toBeGreaterThan(0);
  expect(await ready(api)).toBe(200);
});

test.for(['dead', 'wrong dimensions', 'busy', 'refuses'] as const)(
  'an endpoint that fails (%s): search goes by words, the service is not ready, a document waits with its error; then all is made up for',
  async (fault) => {
    const { endpoint, api } = await openWithEndpoint();
    const session = await api.newSession();
    const { runtime, agent } = session;
    const messages = `${session.url}/messages`;
    made(await runtime.post(messages, { role: 'user', content: 'The kettle whistles.' }));
    const whole = await search(runtime, messages, 'kettle');
    expect(whole[0].explain.vector).toBeGreaterThan(0);
    expect(await ready(api)).toBe(200);

    endpoint.fault = fault;
    made(await runtime.post(messages, { role: 'user', content: 'A samovar hisses.' }));
    const byWords = await search(runtime, messages, 'samovar');
    expect(byWords[0]).toMatchObject({ text: 'A samovar hisses.', explain: { vector: 0 } });
    const answer = await api.anonymous.get('/_ready');
    expect(answer).toMatchObject({ status: 503, body: { errorMessage: 'The embedder can’t serve' } });
    expect((await api.anonymous.get('/_health')).status).toBe(200);

    const id = await upload(runtime, agent.workspace.url, '# Tea\n\nSteep it.');
    await api.drainJobs();
    const { body: waiting } = await runtime.get(`${agent.workspace.url}/documents/${id}`);
    expect(waiting).toMatchObject({
      status: 'processing',
      error: expect.stringContaining('embeddings endpoint'),
      chunksTotal: 1,
      chunksIndexed: 0,
    });
    await expect(api.app.indexing.drain()).rejects.toThrow();
    expect(await api.countRows('embedding_queue', agent.workspace.id)).toBe(2);

    endpoint.fault = 'none';
    // After so many failures it is left alone for five seconds; another process asks it at once.
    const later = fault === 'dead' ? api : await restart(api, {});
    const client = later.client(runtime.headers);
    await expect.poll(() => search(client, messages, 'hisses').then(([hit]) => hit.explain.vector)).toBeGreaterThan(0);
    expect(await ready(later)).toBe(200);
    api.clock.advance(10_000);
    await later.drainJobs();
    await later.app.indexing.drain();
    const { body: done } = await runtime.get(`${agent.workspace.url}/documents/${id}`);
    expect(done).toMatchObject({ status: 'indexed', chunksIndexed: 1 });
    expect(done).not.toHaveProperty('error');
    expect(await api.countRows('embedding_queue', agent.workspace.id)).toBe(0);
    expect(await api.countRows('vectors', agent.workspace.id)).toBe(3);
  },
);

test('a document that can’t be embedded is tried again, keeps its last error, and fails in the end with it', async () => {
  const { endpoint, api } = await openWithEndpoint();
  const { runtime, workspace } = await api.newAgent();
  endpoint.fault = 'refuses';
  const id = await upload(runtime, workspace.url, '# Tea\n\nSteep it.');
  const read = async () => (await runtime.get(`${workspace.url}/documents/${id}`)).body;
  let attempts = 0;
  for (; (await read()).status === 'processing' && attempts < 10; attempts++) {
    await api.drainJobs();
    expect((await read()).error).toContain('embeddings endpoint');
    // Not before its time.
    expect(await api.app.jobRunner.drain()).toBe(0);
    api.clock.advance(15 * 60_000);
  }
  expect(attempts).toBe(6);
  expect(await read()).toMatchObject({ status: 'failed', error: expect.stringContaining('embeddings endpoint') });
  expect(await search(runtime, `${workspace.url}/documents`, 'tea')).toEqual([]);
  // Nobody comes back to it by themselves …
  await api.app.jobRunner.schedulePeriodic();
  await api.drainJobs();
  expect((await read()).status).toBe('failed');
  // … but a person may.
  endpoint.fault = 'none';
  const later = await restart(api, {});
  expect((await runtime.post(`${workspace.url}/documents/${id}/reindex`)).status).toBe(202);
  await later.drainJobs();
  expect(await read()).toMatchObject({ status: 'indexed' });
  expect(await search(runtime, `${workspace.url}/documents`, 'tea')).toHaveLength(1);
});

/** Of a document that takes several requests to embed. */
const CHUNKS = 150;

test('with another model everything is embedded again, search going on meanwhile, and the old vectors go', async () => {
  const { endpoint, api } = await openWithEndpoint();
  const session = await api.newSession();
  const { runtime, agent } = session;
  const { workspace } = agent;
  const said = Array.from({ length: 80 }, (_, index) => ({
    role: 'user',
    content: index === 0 ? 'The kettle whistles.' : `Entry ${index}.`,
  }));
  made(await runtime.post(`${session.url}/messages/batch`, { messages: said }));
  made(await runtime.post(`${session.url}/memories`, { kind: 'fact', content: 'Owns a kettle.' }));
  const sections = Array.from(
    { length: CHUNKS },
    (_, index) => `# Section ${index}\n\n${index === CHUNKS - 1 ? 'Of kettles.' : 'Something.'}`,
  );
  const documentId = await upload(runtime, workspace.url, sections.join('\n\n'));
  await api.drainJobs();
  await api.app.indexing.drain();
  const models = async () => {
    const found = await api.db.query(sql<{ model: string; count: number }>`
      select model, count(*) as count from vectors where workspace_id = ${workspace.id} group by model order by model`);
    return Object.fromEntries(found.map(({ model, count }) => [model.split('@')[0], count]));
  };
  expect(await models()).toEqual({ narrow: 81 + CHUNKS });
  await api.app.close();

  const embeddings = { url: endpoint.url, model: 'wide', apiKey: undefined };
  const later = await restart(api, { embeddings });
  const client = later.client(runtime.headers);
  const places = [`${session.url}/messages`, `${session.url}/memories`, `${workspace.url}/documents`];
  const expectFound = async (query: string, model: 'narrow' | 'wide') => {
    for (const [number, place] of places.entries()) {
      // Never the same one twice, or it would be answered from the cache of queries.
      const [hit] = await search(client, place, `${query} ${number}`);
      expect(hit.text, place).toMatch(/kettle/);
      expect(hit.explain.vector, place).toBeGreaterThan(0);
      // The one memory is embedded first: its scope is done at once.
      if (!place.endsWith('/memories')) expect(endpoint.lastModel, place).toBe(model);
    }
  };
  await expectFound('kettle', 'narrow');
  // The endpoint gives out in the middle of the document: that is no reason to take it for done.
  endpoint.failAfterTexts = endpoint.texts + CHUNKS - 20;
  await later.drainJobs();
  const { wide } = await models();
  expect(wide).toBeGreaterThan(0);
  expect(wide).toBeLessThan(CHUNKS);
  expect((await client.get(`${workspace.url}/documents/${documentId}`)).body.status).toBe('indexed');
  Object.assign(endpoint, { fault: 'none', failAfterTexts: Number.POSITIVE_INFINITY });
  // What is written meanwhile is found by its meaning too, though the old model is nowhere stored with it.
  made(await client.post(`${session.url}/messages`, { role: 'user', content: 'A samovar beside it.' }));
  expect((await search(client, `${session.url}/messages`, 'samovar'))[0].explain.vector).toBeGreaterThan(0);
  await expectFound('the kettle', 'narrow');
  later.clock.advance(60_000);
  await drainBoth(later);
  expect(await models()).toEqual({ wide: 82 + CHUNKS });
  expect(await later.db.query(sql`select model, is_complete as complete from embedding_models`)).toEqual([
    { model: expect.stringContaining('wide'), complete: expect.toSatisfy(Boolean) },
  ]);
  await expectFound('one kettle', 'wide');
  const { chunksTotal, chunksIndexed } = (await client.get(`${workspace.url}/documents/${documentId}`)).body;
  expect([chunksTotal, chunksIndexed]).toEqual([CHUNKS, CHUNKS]);
  await later.app.close();

  // Once more with the same model: there is nothing to do.
  const asked = endpoint.asked;
  const again = await restart(later, { embeddings });
  await drainBoth(again);
  expect(endpoint.asked).toBe(asked);
});

test('scopes that do not fit into memory together answer as whole as where there is room', async () => {
  const { api } = await openWithEndpoint({ COMMONPLACE_SEARCH_MEMORY_MB: '16' });
  const agent = await api.newAgent();
  // Two thousand words in each message, of five thousand.
  const words = Array.from({ length: 5_000 }, (_, index) => `w${index.toString(36)}x`);
  const sessions = [];
  for (let number = 0; number < 5; number++) {
    const session = await api.newSession(agent, `id=${number}`);
    for (let batch = 0; batch < 3; batch++) {
      const messages = Array.from({ length: 80 }, (_, index) => {
        const start = (number * 997 + batch * 313 + index * 37) % 3_000;
        return { role: 'user', content: `session${number} ${words.slice(start, start + 2_000).join(' ')}` };
      });
      made(await session.runtime.post(`${session.url}/messages/batch`, { messages }));
    }
    sessions.push(session);
  }
  await api.app.indexing.drain();
  const ask = (from: TestApi, url: string, query: string) =>
    search(from.client(agent.runtime.headers), `${url}/messages`, query, { limit: 100 });
  const queries = ['w50x w1abx', 'session2'];
  const urls = [...sessions.map(({ url }) => url), agent.url];
  const inRoom = await restart(api, { searchMemoryBytes: 1024 ** 3 });
  const expected = new Map<string, Answer['body'][]>();
  for (const url of urls) for (const query of queries) expected.set(`${url} ${query}`, await ask(inRoom, url, query));
  const { scopes, bytes } = await inRoom.app.context.searcher.indexes.gauges();
  expect([scopes, (bytes ?? 0) > 20 * 1024 ** 2]).toEqual([6, true]);

  for (const query of queries) for (const url of urls) expect(await ask(api, url, query), url).toEqual(expected.get(`${url} ${query}`));
  const held = await api.app.context.searcher.indexes.gauges();
  expect(held.scopes).toBeLessThan(6);
  const [query] = queries as [string];
  await Promise.all(urls.map(async (url) => expect(await ask(api, url, query), url).toEqual(expected.get(`${url} ${query}`))));
});
