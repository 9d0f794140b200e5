/** Several nodes on one database embed each text once. The embedded engine has one process, and nothing is claimed there. */
import { expect, inject, test } from 'vitest';
import { made, type TestApi, type TestSession } from '../../test/api.ts';
import { openWithEndpoint, restart } from '../../test/embeddings-endpoint.ts';
import { CLAIM_MS, claimItems } from './embedding-claims.ts';
import { settleQueued } from './settling.ts';
import type { QueuedItem } from './vectors.ts';

const isShared = inject('engine') === 'postgres';

async function write(session: TestSession, count: number): Promise<string[]> {
  const messages = Array.from({ length: count }, (_, index) => ({ role: 'user', content: `The kettle whistled ${index} times.` }));
  const { messages: written } = made(await session.runtime.post(`${session.url}/messages/batch`, { messages }));
  return written.map(({ id }: { id: string }) => id);
}

test('three nodes compute a vector for each of 600 messages, and no more', async () => {
  const { endpoint, api } = await openWithEndpoint();
  const nodes: TestApi[] = [api];
  if (isShared) nodes.push(await restart(api, {}), await restart(api, {}));
  const agent = await api.newAgent();
  const other = await api.newSession();
  await write(other, 10);
  for (let sessions = 0; sessions < 6; sessions++) await write(await api.newSession(agent), 100);
  await Promise.all(nodes.map(({ app }) => app.indexing.drain()));
  await api.app.indexing.drain();
  expect(endpoint.texts).toBe(610);
  expect(await api.countRows('vectors', agent.workspace.id)).toBe(600);
  expect(await api.countRows('embedding_queue', agent.workspace.id)).toBe(0);
});

test('what a node claimed before it died is embedded by another when the claim has lapsed', async () => {
  const { endpoint, api } = await openWithEndpoint();
  const session = await api.newSession();
  const workspaceId = session.agent.workspace.id;
  await write(session, 3);
  await api.app.outbox.distribute();
  expect(await claimItems(api.db, { workspaceId, most: 2, nowMs: api.clock.nowMs(), sources: [] })).toHaveLength(2);
  await api.app.indexing.drain();
  expect(endpoint.texts).toBe(isShared ? 1 : 3);
  api.clock.advance(CLAIM_MS);
  await api.app.indexing.drain();
  expect(endpoint.texts).toBe(3);
  expect(await api.countRows('vectors', workspaceId)).toBe(3);
});

test('a message that is edited while a node embeds it is free for any node, and the old vector is not kept', async () => {
  const { endpoint, api } = await openWithEndpoint();
  const session = await api.newSession();
  const [id] = await write(session, 1);
  await api.app.outbox.distribute();
  const { id: workspaceId } = session.agent.workspace;
  const [claimed] = await claimItems(api.db, { workspaceId, most: 8, nowMs: api.clock.nowMs(), sources: [] });
  api.clock.advance(1_000);
  expect((await session.runtime.put(`${session.url}/messages/${id}`, { content: 'A samovar hissed.' })).status).toBe(200);
  const vectors = [{ item: claimed as QueuedItem, vector: new Uint8Array(32) }];
  const settled = { workspaceId, model: 'narrow', vectors, refused: [], gone: [] };
  expect(await settleQueued(api.db, settled, api.clock.nowMs())).toEqual(new Set());
  await api.app.indexing.drain();
  expect(endpoint.seen).toEqual(['A samovar hissed.']);
  expect(await api.countRows('embedding_queue', session.agent.workspace.id)).toBe(0);
});

test('a failure leaves what was claimed to the other nodes at once', async () => {
  const { endpoint, api } = await openWithEndpoint();
  const session = await api.newSession();
  await write(session, 3);
  endpoint.fault = 'refuses';
  await expect(api.app.indexing.drain()).rejects.toThrow();
  endpoint.fault = 'none';
  const other = await restart(api, {});
  await other.app.indexing.drain();
  expect(endpoint.texts).toBe(3);
});
