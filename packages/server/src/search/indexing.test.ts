/** Groups of texts under way at a time: each text once, workspaces in turn, and an end when it is asked for. */
import { expect, inject, test } from 'vitest';
import { made, type TestApi, type TestSession } from '../../test/api.ts';
import { openWithEndpoint, restart } from '../../test/embeddings-endpoint.ts';
import { sql } from '../db/sql.ts';

/** By the hundred, as many as a batch may have. */
async function write(session: TestSession, name: string, count: number): Promise<void> {
  for (let start = 0; start < count; start += 100) {
    const messages = Array.from({ length: Math.min(100, count - start) }, (_, index) => ({
      role: 'assistant',
      content: `Of ${name} number ${start + index}.`,
    }));
    made(await session.runtime.post(`${session.url}/messages/batch`, { messages }));
  }
}

async function expectAllStored(api: TestApi, session: TestSession, count: number): Promise<void> {
  expect(await api.countRows('vectors', session.agent.workspace.id)).toBe(count);
  expect(await api.countRows('embedding_queue', session.agent.workspace.id)).toBe(0);
}

test('many texts go in few requests, several under way, and each once', async () => {
  const { endpoint, api } = await openWithEndpoint();
  const session = await api.newSession();
  await write(session, 'tea', 1_500);
  const held = Promise.withResolvers<void>();
  endpoint.held = held.promise;
  const draining = api.app.indexing.drain();
  // As many as there are places for the background, and never one more.
  await expect.poll(() => endpoint.requests.length).toBe(4);
  held.resolve();
  await draining;
  expect(endpoint.mostAtOnce).toBe(4);
  expect(endpoint.requests.length).toBeLessThan(1_500 / 30);
  expect(endpoint.seen).toHaveLength(1_500);
  expect(new Set(endpoint.seen).size).toBe(1_500);
  await expectAllStored(api, session, 1_500);
});

test('a message of another workspace comes next, whatever one has waiting and under way', async () => {
  const { endpoint, api } = await openWithEndpoint();
  const [one, other] = [await api.newSession(), await api.newSession()];
  await write(one, 'tea', 2_000);
  const held = Promise.withResolvers<void>();
  endpoint.held = held.promise;
  const draining = api.app.indexing.drain();
  await expect.poll(() => endpoint.requests.length).toBe(4);
  await write(other, 'salt', 1);
  held.resolve();
  await draining;
  const at = endpoint.requests.findIndex((texts) => texts[0] === 'Of salt number 0.');
  // Behind what was under way, what was claimed already, and one request of the other's turn.
  expect(at).toBeGreaterThanOrEqual(4);
  expect(at).toBeLessThanOrEqual(7);
  await expectAllStored(api, one, 2_000);
  await expectAllStored(api, other, 1);
});

test('two workspaces with much to do take turns', async () => {
  const { endpoint, api } = await openWithEndpoint();
  const sessions = [await api.newSession(), await api.newSession()] as const;
  await write(sessions[0], 'tea', 1_000);
  await write(sessions[1], 'salt', 1_000);
  await api.app.indexing.drain();
  const halfway = endpoint.seen.slice(0, 1_000);
  for (const name of ['tea', 'salt']) expect(halfway.filter((text) => text.includes(name)).length).toBeGreaterThan(200);
  for (const session of sessions) await expectAllStored(api, session, 1_000);
});

test('one of many workspaces has its turn before the others are done', async () => {
  const { endpoint, api } = await openWithEndpoint();
  for (let number = 0; number < 8; number++) await write(await api.newSession(), 'tea', 600);
  await write(await api.newSession(), 'salt', 1);
  await api.app.indexing.drain();
  // After one group of each, of which none has more than 512.
  expect(endpoint.seen.indexOf('Of salt number 0.')).toBeLessThanOrEqual(3_000);
  expect(endpoint.seen).toHaveLength(8 * 600 + 1);
});

test('a text that is refused is set aside alone, and the others of its group are stored', async () => {
  const { endpoint, api } = await openWithEndpoint();
  const session = await api.newSession();
  await write(session, 'tea', 100);
  await write(session, 'forbidden salt', 1);
  await write(session, 'bread', 99);
  endpoint.fault = 'picky';
  await api.app.indexing.drain();
  await expectAllStored(api, session, 199);
  expect(await api.countRows('refused_texts', session.agent.workspace.id)).toBe(1);
});

test('what is edited while its group is under way gets the vector of its new text, and the others theirs', async () => {
  const { endpoint, api } = await openWithEndpoint();
  const session = await api.newSession();
  await write(session, 'tea', 3);
  const { body } = await session.runtime.get(`${session.url}/messages`);
  const held = Promise.withResolvers<void>();
  endpoint.held = held.promise;
  const draining = api.app.indexing.drain();
  await expect.poll(() => endpoint.requests.length).toBe(1);
  api.clock.advance(1_000);
  const [, second] = body.messages as { id: string }[];
  expect((await session.runtime.put(`${session.url}/messages/${second?.id}`, { content: 'A samovar hisses.' })).status).toBe(200);
  held.resolve();
  await draining;
  expect(endpoint.requests).toEqual([['Of tea number 0.', 'Of tea number 1.', 'Of tea number 2.'], ['A samovar hisses.']]);
  await expectAllStored(api, session, 3);
});

test('stopping ends what is under way at once, and leaves it to others', async () => {
  const { endpoint, api } = await openWithEndpoint();
  const session = await api.newSession();
  await write(session, 'tea', 300);
  endpoint.held = new Promise(() => {});
  api.app.indexing.start();
  await expect.poll(() => endpoint.requests.length).toBe(4);
  await api.app.indexing.stop();
  if (inject('engine') === 'postgres') {
    const [claimed] = await api.db.query(sql<{ count: number }>`
      select count(*) as count from embedding_queue where workspace_id = ${session.agent.workspace.id} and claimed_until is not null`);
    expect(claimed?.count).toBe(0);
  }
  endpoint.held = Promise.resolve();
  const other = await restart(api, {});
  await other.app.indexing.drain();
  await expectAllStored(api, session, 300);
});

test('what comes while all that there was is under way is not left until that is done', async () => {
  const { endpoint, api } = await openWithEndpoint();
  const session = await api.newSession();
  await write(session, 'tea', 1);
  endpoint.held = new Promise(() => {});
  api.app.indexing.start();
  await expect.poll(() => endpoint.requests.length).toBe(1);
  await write(session, 'salt', 1);
  await expect.poll(() => endpoint.requests).toEqual([['Of tea number 0.'], ['Of salt number 0.']]);
  await api.app.indexing.stop();
});
