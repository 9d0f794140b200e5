/** Texts that an embeddings endpoint does not take: each is set aside alone, with its reason, and found by its words. */
import { expect, test } from 'vitest';
import { made } from '../../test/api.ts';
import { openWithEndpoint, restart, search, upload } from '../../test/embeddings-endpoint.ts';
import { retryTexts } from '../background-work/retrying.ts';
import { sql } from '../db/sql.ts';

test('a message and a memory that are refused hold nobody up, and are tried again once edited', async () => {
  const { endpoint, api } = await openWithEndpoint();
  const session = await api.newSession();
  const { runtime, agent } = session;
  const messages = `${session.url}/messages`;
  endpoint.fault = 'picky';
  const bad = made(await runtime.post(messages, { role: 'user', content: 'The forbidden kettle.' }));
  for (let index = 0; index < 12; index++) made(await runtime.post(messages, { role: 'user', content: `Entry ${index}.` }));
  made(await runtime.post(`${session.url}/memories`, { kind: 'fact', content: 'Owns a forbidden samovar.' }));
  await api.app.indexing.drain();
  expect(await api.countRows('embedding_queue', agent.workspace.id)).toBe(0);
  expect(await api.countRows('vectors', agent.workspace.id)).toBe(12);
  const refused = await api.db.query(sql`
    select kind, item_id as "itemId", reason from refused_texts where workspace_id = ${agent.workspace.id} order by kind desc`);
  expect(refused).toEqual([
    { kind: 'message', itemId: bad.id, reason: 'The embeddings endpoint answered 400.' },
    { kind: 'memory', itemId: expect.any(String), reason: 'The embeddings endpoint answered 400.' },
  ]);
  expect(await api.app.indexing.gauges()).toMatchObject({ refused_texts: 2 });

  const times = () => endpoint.seen.filter((text) => text.includes('forbidden')).length;
  const before = times();
  expect((await search(runtime, messages, 'kettle'))[0]).toMatchObject({ id: bad.id, explain: { vector: 0 } });
  expect((await search(runtime, messages, 'entry'))[0].explain.vector).toBeGreaterThan(0);
  await api.app.indexing.drain();
  expect(times(), 'not asked for again').toBe(before);

  expect((await runtime.put(`${messages}/${bad.id}`, { content: 'The allowed kettle.' })).status).toBe(200);
  await api.app.indexing.drain();
  expect(await api.countRows('vectors', agent.workspace.id)).toBe(13);
  expect(await api.countRows('refused_texts', agent.workspace.id)).toBe(1);
  expect((await search(runtime, messages, 'kettle'))[0].explain.vector).toBeGreaterThan(0);
  expect((await runtime.delete(`${session.url}`)).status).toBe(204);
  await api.drainJobs();
  expect(await api.countRows('refused_texts', agent.workspace.id)).toBe(0);
});

test('what was refused and is tried again is found by its meaning, where the index is held', async () => {
  const { endpoint, api } = await openWithEndpoint();
  const session = await api.newSession();
  const { runtime, agent } = session;
  const messages = `${session.url}/messages`;
  endpoint.fault = 'picky';
  const bad = made(await runtime.post(messages, { role: 'user', content: 'The forbidden kettle.' }));
  await api.app.indexing.drain();
  expect((await search(runtime, messages, 'kettle'))[0]).toMatchObject({ id: bad.id, explain: { vector: 0 } });
  endpoint.fault = 'none';
  const failed = { kind: 'embed-texts', workspaceId: agent.workspace.id, sessionId: session.id } as const;
  await retryTexts(api.db, api.app.context.searcher.embedder.model, failed, api.clock.nowMs());
  await api.app.indexing.drain();
  expect(await api.countRows('vectors', agent.workspace.id)).toBe(1);
  expect((await search(runtime, messages, 'kettle'))[0].explain.vector).toBeGreaterThan(0);
});

test('a document with a refused chunk is indexed, says what of it is found by words alone, and is whole with another model', async () => {
  const { endpoint, api } = await openWithEndpoint();
  const { runtime, workspace } = await api.newAgent();
  endpoint.fault = 'picky';
  const id = await upload(runtime, workspace.url, '# Tea\n\nSteep it.\n\n# Salt\n\nThe forbidden salt.\n\n# Bread\n\nBake it.');
  await api.drainJobs();
  const read = async (client = runtime) => (await client.get(`${workspace.url}/documents/${id}`)).body;
  expect(await read()).toMatchObject({
    status: 'indexed',
    chunksTotal: 3,
    chunksIndexed: 3,
    error: '1 of 3 chunks are found by their words alone: The embeddings endpoint answered 400.',
  });
  expect((await search(runtime, `${workspace.url}/documents`, 'salt'))[0]).toMatchObject({ heading: 'Salt', explain: { vector: 0 } });
  expect((await search(runtime, `${workspace.url}/documents`, 'bread'))[0].explain.vector).toBeGreaterThan(0);
  await api.app.close();

  endpoint.fault = 'none';
  const later = await restart(api, { embeddings: { url: endpoint.url, model: 'wide', apiKey: undefined } });
  await later.drainJobs();
  expect(await later.countRows('vectors', workspace.id)).toBe(3);
  expect(await later.countRows('refused_texts', workspace.id)).toBe(0);
  const client = later.client(runtime.headers);
  expect((await search(client, `${workspace.url}/documents`, 'salt'))[0].explain.vector).toBeGreaterThan(0);
  expect(await read(client)).not.toHaveProperty('error');
});
