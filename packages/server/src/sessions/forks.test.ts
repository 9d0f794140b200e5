import { randomBytes } from 'node:crypto';
import { expect } from 'vitest';
import { anId, aTime, made, refusal, type TestSession, test, walk } from '../../test/api.ts';
import { newId } from '../db/ids.ts';
import { sql } from '../db/sql.ts';

const messagesOf = async ({ runtime, url }: Pick<TestSession, 'runtime' | 'url'>) =>
  (await walk(runtime, `${url}/messages`, 'messages', 100)).rows;
const memoriesOf = async ({ runtime, url }: Pick<TestSession, 'runtime' | 'url'>) =>
  (await walk(runtime, `${url}/memories`, 'memories', 100)).rows;
const withoutIds = (items: { id: string; sessionId: string }[]) => items.map(({ id: _, sessionId: __, ...rest }) => rest);

async function conversation(session: TestSession, advance: (ms: number) => void): Promise<string[]> {
  const ids: string[] = [];
  for (const content of ['first', 'second', 'third']) {
    const { messages } = made(
      await session.runtime.post(`${session.url}/messages/batch`, {
        messages: [
          { role: 'user', content, meta: '{"n":1}' },
          { role: 'assistant', content: `about ${content}` },
        ],
      }),
    );
    ids.push(...messages.map(({ id }: { id: string }) => id));
    made(await session.runtime.post(`${session.url}/memories`, { kind: 'fact', content: `said ${content}`, meta: '{"m":2}' }));
    advance(1000);
  }
  return ids;
}

test('a fork without a body is a whole copy with ids of its own, and leaves its source alone', async ({ api }) => {
  const source = await api.newSession(undefined, 'id=chat&customer=42', { title: 'Refund', meta: '{"a":1}' });
  await conversation(source, (ms) => api.clock.advance(ms));
  await source.runtime.put(source.url, { status: 'archived' });
  const { body: before } = await source.runtime.get(source.url);
  const [messages, memories] = [await messagesOf(source), await memoriesOf(source)];

  const { status, body } = await source.runtime.post(`${source.url}/fork`);
  expect(status).toBe(201);
  expect(body).toEqual({
    ...before,
    id: anId,
    externalId: anId,
    status: 'active',
    meta: { a: 1, forkedFrom: { sessionId: source.id, messageId: null } },
    lastActivityAt: aTime,
    createdAt: body.lastActivityAt,
    updatedAt: body.lastActivityAt,
  });
  expect(new Set([body.id, body.externalId, source.id, before.externalId]).size).toBe(4);
  const copy = { url: `${source.agent.url}/sessions/${body.id}`, runtime: source.runtime };
  expect((await copy.runtime.get(copy.url)).body).toEqual(body);
  expect((await copy.runtime.get(`${source.agent.url}/sessions?customer=42`)).body._meta.total).toBe(2);

  const [copiedMessages, copiedMemories] = [await messagesOf(copy), await memoriesOf(copy)];
  expect(withoutIds(copiedMessages)).toEqual(withoutIds(messages));
  expect(withoutIds(copiedMemories)).toEqual(withoutIds(memories));
  for (const item of [...copiedMessages, ...copiedMemories]) expect(item.sessionId).toBe(body.id);
  const ids = [...messages, ...memories, ...copiedMessages, ...copiedMemories].map(({ id }) => id);
  expect(new Set(ids).size).toBe(2 * (6 + 3));
  expect((await copy.runtime.get(`${copy.url}/messages`)).body._meta.total).toBe(6);

  await copy.runtime.delete(copy.url);
  await api.drainJobs();
  expect((await source.runtime.get(source.url)).body).toEqual(before);
  expect(await messagesOf(source)).toEqual(messages);
  expect(await memoriesOf(source)).toEqual(memories);
});

test('a fork up to a message brings what was said, and held, by then', async ({ api }) => {
  const source = await api.newSession(undefined, 'a=1', { title: 'Refund' });
  const ids = await conversation(source, (ms) => api.clock.advance(ms));
  const fork = { messageId: ids[2], id: 'branch', title: 'Branch' };
  const body = made(await source.runtime.post(`${source.url}/fork`, fork));
  expect(body).toMatchObject({
    externalId: 'branch',
    title: 'Branch',
    labels: { a: '1' },
    meta: { forkedFrom: { sessionId: source.id, messageId: ids[2] } },
  });
  const copy = { url: `${source.agent.url}/sessions/${body.id}`, runtime: source.runtime };
  expect((await messagesOf(copy)).map(({ content }) => content)).toEqual(['first', 'about first', 'second']);
  const held = (await memoriesOf(copy)).map(({ content }) => content);
  expect(held).toContain('said first');
  expect(held).not.toContain('said third');
  // It goes on from there.
  made(await copy.runtime.post(`${copy.url}/messages`, { role: 'user', content: 'otherwise' }));
  const { body: listed } = await copy.runtime.get(`${copy.url}/messages`);
  expect(listed.messages.map(({ content }: { content: string }) => content)).toEqual(['first', 'about first', 'second', 'otherwise']);
  expect(listed._meta.total).toBe(4);
});

test('the labels of a fork are in nobody’s way: neither its source’s nor a new session’s', async ({ api }) => {
  const source = await api.newSession(undefined, 'a=1');
  const { runtime, agent, url } = source;
  for (let count = 0; count < 2; count++) expect((await runtime.post(`${url}/fork`)).status).toBe(201);
  await runtime.delete(url);
  expect((await runtime.post(`${agent.url}/sessions?a=1`)).status).toBe(201);
  expect((await runtime.post(`${agent.url}/sessions?a=1`)).status).toBe(409);
});

test('an empty session, a fork of a fork, and meta that is no object', async ({ api }) => {
  const source = await api.newSession();
  const { runtime, agent } = source;
  // No longer taken, and there all the same where it was written before.
  await api.db.run(sql`update sessions set meta = '[1]' where workspace_id = ${agent.workspace.id} and id = ${source.id}`);
  const copy = made(await runtime.post(`${source.url}/fork`, {}));
  expect(copy.meta).toEqual([1]);
  expect((await runtime.get(`${agent.url}/sessions/${copy.id}/messages`)).body._meta.total).toBe(0);
  await runtime.put(`${agent.url}/sessions/${copy.id}`, { meta: { b: 1, forkedFrom: 'me' } });
  const again = made(await runtime.post(`${agent.url}/sessions/${copy.id}/fork`, { messageId: null, id: null, title: null }));
  expect(again.meta).toEqual({ b: 1, forkedFrom: { sessionId: copy.id, messageId: null } });
});

test('what a fork may not be', async ({ api }) => {
  const source = await api.newSession(undefined, 'id=one');
  const { runtime, agent } = source;
  const sibling = await api.newSession(agent, 'id=two');
  const { id: elsewhere } = made(await runtime.post(`${sibling.url}/messages`, { role: 'user', content: 'x' }));
  const fork = (body: unknown) => runtime.post(`${source.url}/fork`, body);
  expect(await fork({ messageId: newId() })).toEqual(refusal(404, 'Message not found'));
  expect(await fork({ messageId: elsewhere })).toEqual(refusal(404, 'Message not found'));
  expect(await fork({ messageId: 'x' })).toEqual(refusal(400, 'Message id must be a valid UUID', 'messageId'));
  expect(await fork({ id: 'two' })).toEqual(refusal(409, 'A session with this id exists already'));
  expect(await fork({ id: '' })).toEqual(refusal(400, 'Id is required', 'id'));
  expect(await fork({ id: 'i'.repeat(256) })).toEqual(refusal(400, 'Id must not exceed 255 characters', 'id'));
  expect(await fork({ title: 't'.repeat(256) })).toEqual(refusal(400, 'Title must not exceed 255 characters', 'title'));
  expect((await fork({ id: '🙂'.repeat(255), title: '🙂'.repeat(255) })).status).toBe(201);
  expect((await runtime.get(`${agent.url}/sessions`)).body._meta.total).toBe(3);
  expect(await api.countRows('messages', agent.workspace.id)).toBe(1);
});

test('a fork copies 10,000 messages and any number of memories; one message more is refused with the way out', async ({ api }) => {
  const source = await api.newSession(undefined, 'id=long');
  const { runtime, agent, url } = source;
  const startMs = Date.parse('2024-01-01T00:00:00Z');
  const ids: string[] = [];
  for (let count = 0; count < 10_001; count += 100) {
    const messages = Array.from({ length: Math.min(100, 10_001 - count) }, (_, index) => {
      // Three to a millisecond.
      const createdAt = new Date(startMs + Math.floor((count + index) / 3)).toISOString();
      return { role: 'user', content: `message ${count + index}`, createdAt };
    });
    const created = made(await runtime.post(`${url}/messages/batch`, { messages }));
    ids.push(...created.messages.map(({ id }: { id: string }) => id));
  }
  const memories = Array.from({ length: 100 }, (_, index) => ({ kind: 'fact', content: `memory ${index}` }));
  for (let batch = 0; batch < 41; batch++) made(await runtime.post(`${url}/memories/batch`, { memories }));

  expect(await runtime.post(`${url}/fork`, { id: 'all' })).toEqual(
    refusal(409, 'A copy holds at most 10,000 messages and 32 MB; name an earlier message to copy up to'),
  );
  expect(await runtime.get(`${agent.url}/sessions/by-labels?id=all`), 'nothing is left of the refused one').toMatchObject({ status: 404 });
  const { id } = made(await runtime.post(`${url}/fork`, { messageId: ids[9999] }));
  const listed = await runtime.get(`${agent.url}/sessions/${id}/messages?offset=9998`);
  expect(listed.body).toMatchObject({ messages: [{ content: 'message 9998' }, { content: 'message 9999' }], _meta: { total: 10_000 } });

  await runtime.delete(`${url}/messages/${ids[10_000]}`);
  const whole = made(await runtime.post(`${url}/fork`));
  const { body } = await runtime.get(`${agent.url}/sessions/${whole.id}/memories?limit=1`);
  expect(body).toMatchObject({ memories: [{ content: 'memory 99' }], _meta: { total: 4100 } });
});

const tooLarge = refusal(409, 'A copy holds at most 10,000 messages and 32 MB; name an earlier message to copy up to');
/** 1 MB of UTF-8 that no engine stores in less, a different one for each number. */
const megabyte = (seed: number) => `${seed} é🙂 ${randomBytes(750_000).toString('base64')}`.slice(0, 999_900);

async function mainThreadMsOf<T>(work: () => Promise<T>): Promise<[number, T]> {
  const before = process.threadCpuUsage();
  const result = await work();
  const { user, system } = process.threadCpuUsage(before);
  return [(user + system) / 1000, result];
}

/** A copy that passed through the main thread would cost as much as reading it does. One measurement may be disturbed, three are not. */
async function forkAtLittleCost(
  { runtime, url }: Pick<TestSession, 'runtime' | 'url'>,
  itemsOf: typeof messagesOf,
): Promise<{ readonly id: string }> {
  for (let tries = 3; ; ) {
    const [forkMs, fork] = await mainThreadMsOf(async () => made(await runtime.post(`${url}/fork`)));
    const [readMs] = await mainThreadMsOf(() => itemsOf({ runtime, url }));
    if (forkMs < readMs / 2) return fork;
    if (--tries === 0) expect.fail(`A fork took ${forkMs} ms of the main thread, reading what it copies ${readMs}`);
    made(await runtime.delete(url.replace(/[^/]+$/, fork.id)));
  }
}

async function addLong(session: TestSession, kind: 'messages' | 'memories', count: number): Promise<string[]> {
  const contents = Array.from({ length: count }, (_, index) => megabyte(index));
  const fields = kind === 'messages' ? { role: 'user', meta: '{"n":1}' } : { kind: 'fact', meta: '{"n":1}' };
  for (const content of contents) made(await session.runtime.post(`${session.url}/${kind}`, { ...fields, content }));
  return contents;
}

test('a fork copies 31 messages of 1 MB as they are and at little cost to other requests; 33 are refused', async ({ api }) => {
  const source = await api.newSession(undefined, 'id=large');
  const { runtime, agent, url } = source;
  const contents = await addLong(source, 'messages', 31);
  const { id } = await forkAtLittleCost(source, messagesOf);

  const copied = await messagesOf({ runtime, url: `${agent.url}/sessions/${id}` });
  expect(copied.map(({ content }) => content).every((content, index) => content === contents[index])).toBe(true);
  expect(copied.map(({ role, meta }) => ({ role, meta }))).toEqual(contents.map(() => ({ role: 'user', meta: { n: 1 } })));
  const stored = await api.db.query(sql<{ copies: number }>`
    select count(*) as copies from messages where workspace_id = ${agent.workspace.id} group by content`);
  expect(
    stored.map(({ copies }) => copies),
    'each content is there twice',
  ).toEqual(contents.map(() => 2));

  await addLong(source, 'messages', 2);
  expect(await runtime.post(`${url}/fork`, { id: 'all' })).toEqual(tooLarge);
  expect(await runtime.get(`${agent.url}/sessions/by-labels?id=all`), 'nothing is left of the refused one').toMatchObject({ status: 404 });
});

test('memories count towards the 32 MB of a fork, are copied as they are, and an earlier message is the way out', async ({ api }) => {
  const source = await api.newSession();
  const { runtime, agent, url } = source;
  const { id: messageId } = made(await runtime.post(`${url}/messages`, { role: 'user', content: 'first' }));
  const contents = await addLong(source, 'memories', 30);
  const { id } = await forkAtLittleCost(source, memoriesOf);
  const copied = await memoriesOf({ runtime, url: `${agent.url}/sessions/${id}` });
  expect(copied.map(({ content }) => content).sort()).toEqual([...contents].sort());
  expect(copied.map(({ meta }) => meta)).toEqual(contents.map(() => ({ n: 1 })));

  api.clock.advance(1000);
  await addLong(source, 'messages', 3);
  expect(await runtime.post(`${url}/fork`)).toEqual(tooLarge);
  expect((await runtime.post(`${url}/fork`, { messageId })).status).toBe(201);
});
