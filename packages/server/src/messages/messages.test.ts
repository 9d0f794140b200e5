import { expect } from 'vitest';
import { anId, aTime, atOnce, made, refusal, type TestSession, test } from '../../test/api.ts';
import { newId } from '../db/ids.ts';
import { sql } from '../db/sql.ts';

interface Sent {
  role: string;
  content: string;
  createdAt?: string;
}

const say = (content: string, createdAt?: string): Sent => ({ role: 'user', content, ...(createdAt && { createdAt }) });
const many = (count: number) => Array.from({ length: count }, (_, index) => say(`message ${index}`));

async function contents({ runtime, url }: TestSession, query = 'limit=100'): Promise<string[]> {
  const { body } = await runtime.get(`${url}/messages?${query}`);
  return body.messages.map(({ content }: Sent) => content);
}

test('a message is answered whole, read back and listed the same', async ({ api }) => {
  const { id, url, runtime } = await api.newSession();
  const { status, body } = await runtime.post(`${url}/messages`, { role: 'assistant', content: ' Hello\n🙂 ', meta: '{"tokens":3}' });
  expect(status).toBe(201);
  expect(body).toEqual({
    id: anId,
    sessionId: id,
    role: 'assistant',
    content: ' Hello\n🙂 ',
    meta: { tokens: 3 },
    createdAt: aTime,
    updatedAt: body.createdAt,
  });
  expect(await runtime.get(`${url}/messages/${body.id}`)).toMatchObject({ status: 200, body });
  expect((await runtime.get(`${url}/messages`)).body).toEqual({ messages: [body], _meta: { limit: 50, offset: 0, total: 1 } });
});

test.for([
  ['nothing', {}, {}],
  ['null', { meta: null, createdAt: null }, {}],
  ['an object', { meta: { a: { b: [1] } } }, { a: { b: [1] } }],
  ['text', { meta: '{"text":1}' }, { text: 1 }],
  ['the text of null', { meta: 'null' }, {}],
  ['unknown keys', { id: newId(), sessionId: newId(), name: 'x' }, {}],
] as const)('meta of a message sent with %s', async ([, fields, meta], { api }) => {
  const { id, url, runtime } = await api.newSession();
  const body = made(await runtime.post(`${url}/messages`, { ...say('hi'), ...fields }));
  expect(body).toEqual({ id: anId, sessionId: id, role: 'user', content: 'hi', meta, createdAt: aTime, updatedAt: aTime });
  expect((await runtime.get(`${url}/messages/${body.id}`)).body).toEqual(body);
});

test.for([
  ['role', undefined, 'Role is required'],
  ['role', 'User', 'Role must be one of: system user assistant'],
  ['role', 'tool', 'Role must be one of: system user assistant'],
  ['content', undefined, 'Content is required'],
  ['content', null, 'Content is required'],
  ['content', '', 'Content is required'],
  ['content', 7, 'Content must be a string'],
  ['content', 'a\0b', 'Content must not contain NUL or unpaired surrogate characters'],
  ['meta', 'no json', 'Meta must be valid JSON'],
  ['meta', [1], 'Meta must be a JSON object'],
  ['meta', '[1]', 'Meta must be a JSON object'],
  ['meta', '"text"', 'Meta must be a JSON object'],
  ['createdAt', 'yesterday', 'Created at must be a valid date-time'],
  ['createdAt', '2020-01-01', 'Created at must be a valid date-time'],
  ['createdAt', '2020-02-30T00:00:00Z', 'Created at must be a valid date-time'],
  ['createdAt', 1_600_000_000, 'Created at must be a string'],
  ['createdAt', '2999-01-01T00:00:00Z', 'Created at must not be in the future'],
  ['createdAt', '1969-12-31T23:59:59.999Z', 'Created at must not be before 1970'],
  ['createdAt', '0001-01-01T00:00:00Z', 'Created at must not be before 1970'],
  ['createdAt', '0000-01-01T00:00:00Z', 'Created at must be a valid date-time'],
] as const)('%s %j is 400, and the one bad message of a batch of 100 keeps out the other 99', async ([field, value, message], { api }) => {
  const session = await api.newSession();
  const bad = { ...say('bad'), [field]: value };
  const complaint = expect.objectContaining({ status: 400, body: expect.objectContaining({ errorMessage: message }) });
  expect(await session.runtime.post(`${session.url}/messages`, bad)).toEqual(complaint);
  expect(await session.runtime.post(`${session.url}/messages/batch`, { messages: [...many(99), bad] })).toEqual(complaint);
  expect(await session.runtime.post(`${session.url}/messages/batch`, { messages: [bad, ...many(99)] })).toEqual(complaint);
  expect((await session.runtime.get(`${session.url}/messages`)).body).toEqual({ messages: [], _meta: { limit: 50, offset: 0, total: 0 } });
  expect(await api.countRows('messages', session.agent.workspace.id)).toBe(0);
});

test('a batch holds 1 to 100 messages', async ({ api }) => {
  const session = await api.newSession();
  const batch = (body: unknown) => session.runtime.post(`${session.url}/messages/batch`, body);
  expect(await batch({ messages: [] })).toEqual(refusal(400, 'Messages must have at least 1 item', 'messages'));
  expect(await batch({ messages: many(101) })).toEqual(refusal(400, 'Messages must not have more than 100 items', 'messages'));
  expect(await batch({})).toEqual(refusal(400, 'Messages is required', 'messages'));
  expect(await batch({ messages: 'all' })).toEqual(refusal(400, 'Messages must be an array', 'messages'));
  expect(await batch({ messages: [...many(2), say('')] })).toEqual(refusal(400, 'Content is required', 'messages.2.content'));
  expect(await batch(undefined)).toEqual(refusal(400, 'Body must be a JSON object', ''));
  const { status, body } = await batch({ messages: many(100) });
  expect(status).toBe(201);
  expect(Object.keys(body)).toEqual(['messages']);
  expect(body.messages.map(({ content }: Sent) => content)).toEqual(many(100).map(({ content }) => content));
  expect(body.messages[7]).toEqual({
    id: anId,
    sessionId: session.id,
    role: 'user',
    content: 'message 7',
    meta: {},
    createdAt: aTime,
    updatedAt: aTime,
  });
  expect((await session.runtime.get(`${session.url}/messages?limit=100`)).body.messages).toEqual(body.messages);
  expect((await batch({ messages: many(1) })).body.messages).toHaveLength(1);
});

test('the list is in the order of writing: one by one, in batches, and within one batch', async ({ api }) => {
  const session = await api.newSession();
  const written: string[] = [];
  for (let round = 0; round < 15; round++) {
    const batch = Array.from({ length: 33 }, (_, index) => say(`batch ${round}.${index}`));
    made(await session.runtime.post(`${session.url}/messages/batch`, { messages: batch }));
    written.push(...batch.map(({ content }) => content));
    for (let index = 0; index < 3; index++) {
      made(await session.runtime.post(`${session.url}/messages`, say(`one ${round}.${index}`)));
      written.push(`one ${round}.${index}`);
    }
  }
  const listed: string[] = [];
  for (let offset = 0; offset < written.length; offset += 100) {
    listed.push(...(await contents(session, `limit=100&offset=${offset}`)));
  }
  expect(listed).toEqual(written);
});

test('a history is listed in the order of its times, and those of one time in the order of writing', async ({ api }) => {
  const session = await api.newSession();
  const { runtime, url } = session;
  const write = async (...messages: Sent[]) =>
    messages.length === 1
      ? made(await runtime.post(`${url}/messages`, messages[0]))
      : made(await runtime.post(`${url}/messages/batch`, { messages }));
  const [noon, one] = ['2024-05-01T12:00:00.000Z', '2024-05-01T13:00:00Z'];
  await write(say('now'));
  for (let index = 0; index < 10; index++) await write(say(`one ${index}`, one));
  await write(...Array.from({ length: 20 }, (_, index) => say(`one ${10 + index}`, one)));
  await write(say('last of noon?', '2024-05-01T12:00:00.001Z'), say('epoch', '1970-01-01T00:00:00Z'), say('noon 0', noon));
  // The same moment, said otherwise.
  await write(say('noon 1', '2024-05-01T14:00:00+02:00'));
  await write(say('noon 2', noon), say('noon 3', '2024-05-01T07:00:00.000-05:00'));
  for (let index = 30; index < 40; index++) await write(say(`one ${index}`, one));
  await write(say('later'));
  expect(await contents(session)).toEqual([
    'epoch',
    'noon 0',
    'noon 1',
    'noon 2',
    'noon 3',
    'last of noon?',
    ...Array.from({ length: 40 }, (_, index) => `one ${index}`),
    'now',
    'later',
  ]);
  const { body } = await runtime.get(`${url}/messages?limit=2`);
  expect(body.messages).toMatchObject([
    { content: 'epoch', createdAt: '1970-01-01T00:00:00.000Z', updatedAt: aTime },
    { content: 'noon 0', createdAt: noon },
  ]);
});

test('a message brought along for the very time of one that was written then stands after it', async ({ api }) => {
  for (let round = 0; round < 20; round++) {
    const session = await api.newSession();
    const live = made(await session.runtime.post(`${session.url}/messages`, say('live')));
    made(await session.runtime.post(`${session.url}/messages`, say('brought along', live.createdAt)));
    expect(await contents(session), `round ${round}`).toEqual(['live', 'brought along']);
  }
});

test('createdAt may be now, and not later', async ({ api }) => {
  const { runtime, url } = await api.newSession();
  const at = (ms: number) => runtime.post(`${url}/messages`, say('x', new Date(ms).toISOString()));
  expect((await at(api.clock.nowMs())).status).toBe(201);
  expect(await at(api.clock.nowMs() + 60_000)).toEqual(refusal(400, 'Created at must not be in the future', 'createdAt'));
});

test('PUT: content is required, the rest keeps its value when left out; null clears meta', async ({ api }) => {
  const { runtime, url } = await api.newSession();
  let current = made(await runtime.post(`${url}/messages`, { ...say('old', '2024-05-01T12:00:00Z'), meta: '{"a":1}' }));
  const path = `${url}/messages/${current.id}`;
  for (const [change, result] of [
    [{ content: 'new' }, { content: 'new' }],
    [{ content: 'new', role: 'assistant' }, { role: 'assistant' }],
    [{ content: 'new', meta: '{"a":[1]}' }, { meta: { a: [1] } }],
    [
      { content: 'newer', meta: { b: 2 } },
      { content: 'newer', meta: { b: 2 } },
    ],
    [{ content: 'newer', meta: null }, { meta: {} }],
    [{ content: 'newer', createdAt: '2020-01-01T00:00:00Z', id: newId() }, {}],
  ]) {
    api.clock.advance(1000);
    const { status, body } = await runtime.put(path, change);
    expect({ status, body }).toEqual({ status: 200, body: { ...current, ...result, updatedAt: aTime } });
    expect(Date.parse(body.updatedAt)).toBeGreaterThanOrEqual(Date.parse(current.updatedAt) + 1000);
    current = body;
  }
  expect((await runtime.get(path)).body).toEqual(current);
  for (const [change, field, message] of [
    [{}, 'content', 'Content is required'],
    [{ role: 'user' }, 'content', 'Content is required'],
    [{ content: '' }, 'content', 'Content is required'],
    [{ content: null }, 'content', 'Content is required'],
    [{ content: 'x', role: 'tool' }, 'role', 'Role must be one of: system user assistant'],
    [{ content: 'x', meta: '{' }, 'meta', 'Meta must be valid JSON'],
  ] as const) {
    expect(await runtime.put(path, change)).toEqual(refusal(400, message, field));
  }
  expect((await runtime.get(path)).body).toEqual(current);
});

test('a deleted message is gone, and the others stay', async ({ api }) => {
  const session = await api.newSession();
  const { messages } = made(await session.runtime.post(`${session.url}/messages/batch`, { messages: many(3) }));
  const path = `${session.url}/messages/${messages[1].id}`;
  expect(await session.runtime.delete(path)).toMatchObject({ status: 204, text: '' });
  expect(await session.runtime.get(path)).toEqual(refusal(404, 'Message not found'));
  expect(await session.runtime.put(path, { content: 'x' })).toEqual(refusal(404, 'Message not found'));
  expect(await session.runtime.delete(path)).toEqual(refusal(404, 'Message not found'));
  expect((await session.runtime.get(`${session.url}/messages`)).body).toEqual({
    messages: [messages[0], messages[2]],
    _meta: { limit: 50, offset: 0, total: 2 },
  });
});

test('a batch of 1 to 100 ids is deleted whole, or not at all', async ({ api }) => {
  const session = await api.newSession();
  const { runtime, url } = session;
  const other = await api.newSession(session.agent);
  const write = async (place: TestSession, count: number): Promise<string[]> => {
    const { messages } = made(await runtime.post(`${place.url}/messages/batch`, { messages: many(count) }));
    return messages.map(({ id }: { id: string }) => id);
  };
  const ids = [...(await write(session, 100)), ...(await write(session, 2))];
  const [elsewhere] = await write(other, 1);
  const remove = (body: unknown) => runtime.delete(`${url}/messages/batch`, body);
  for (const [body, path, message] of [
    [{ ids: [] }, 'ids', 'Ids must have at least 1 item'],
    [{ ids: ids.slice(0, 101) }, 'ids', 'Ids must not have more than 100 items'],
    [{}, 'ids', 'Ids is required'],
    [{ ids: 'all' }, 'ids', 'Ids must be an array'],
    [{ ids: [ids[0], 'not-an-id'] }, 'ids.1', 'Ids must be a valid UUID'],
    [undefined, '', 'Body must be a JSON object'],
  ] as const) {
    expect(await remove(body)).toEqual(refusal(400, message, path));
  }
  expect(await remove({ ids: [...ids.slice(0, 99), newId()] })).toEqual(refusal(404, 'Message not found'));
  expect(await remove({ ids: [ids[0], elsewhere] })).toEqual(refusal(404, 'Message not found'));
  expect((await runtime.get(`${url}/messages`)).body._meta.total).toBe(102);
  expect(await remove({ ids: ids.slice(0, 100) })).toMatchObject({ status: 204, text: '' });
  expect(await remove({ ids: [ids[100], ids[100]?.toUpperCase()] }), 'one id twice is one').toMatchObject({ status: 204 });
  expect(await remove({ ids: [ids[100]] })).toEqual(refusal(404, 'Message not found'));
  const { body } = await runtime.get(`${url}/messages`);
  expect(body).toMatchObject({ messages: [{ id: ids[101] }], _meta: { total: 1 } });
  expect((await runtime.get(`${other.url}/messages/${elsewhere}`)).status).toBe(200);
});

test('what is not there, or is not in this session, is 404; what is wrong with the body is said first', async ({ api }) => {
  const session = await api.newSession();
  const { runtime, agent } = session;
  const sibling = await api.newSession(agent);
  const otherAgent = await api.newAgent(agent.workspace);
  const { id } = made(await runtime.post(`${session.url}/messages`, say('here')));
  for (const url of [`${session.url}/messages/${newId()}`, `${session.url}/messages/x`, `${sibling.url}/messages/${id}`]) {
    expect(await runtime.get(url), url).toEqual(refusal(404, 'Message not found'));
    expect(await runtime.put(url, { content: 'x' }), url).toEqual(refusal(404, 'Message not found'));
    expect(await runtime.delete(url), url).toEqual(refusal(404, 'Message not found'));
    expect(await runtime.put(url, { content: '' }), url).toEqual(refusal(400, 'Content is required', 'content'));
  }
  for (const url of [
    `${agent.url}/sessions/${newId()}`,
    `${otherAgent.url}/sessions/${session.id}`,
    `${agent.workspace.url}/agents/${newId()}/sessions/${session.id}`,
  ]) {
    expect(await runtime.get(`${url}/messages`), url).toEqual(refusal(404, 'Session not found'));
    expect(await runtime.post(`${url}/messages`, say('x')), url).toEqual(refusal(404, 'Session not found'));
    expect(await runtime.post(`${url}/messages/batch`, { messages: many(2) }), url).toEqual(refusal(404, 'Session not found'));
    expect(await runtime.delete(`${url}/messages/batch`, { ids: [id] }), url).toEqual(refusal(404, 'Session not found'));
    expect(await runtime.put(`${url}/messages/${id}`, { content: 'x' }), url).toEqual(refusal(404, 'Session not found'));
    expect(await runtime.delete(`${url}/messages/${id}`), url).toEqual(refusal(404, 'Session not found'));
    expect((await runtime.get(`${url}/messages/${id}`)).status, url).toBe(404);
    expect(await runtime.post(`${url}/messages`, say('')), url).toEqual(refusal(400, 'Content is required', 'content'));
    expect(await runtime.get(`${url}/messages?limit=x`), url).toMatchObject({ status: 400 });
  }
  expect(await contents(session)).toEqual(['here']);
});

test('content of a megabyte, and text that looks like SQL or markup, comes back as it was sent', async ({ api }) => {
  const { runtime, url } = await api.newSession();
  for (const content of [
    'x'.repeat(1_000_000),
    'é'.repeat(500_000),
    `'; drop table messages; -- <script>\\u0000 %s $1 ?`,
    '\u2028\ufeff\u{10ffff}',
    ' ',
  ]) {
    const { id } = made(await runtime.post(`${url}/messages`, say(content)));
    expect((await runtime.get(`${url}/messages/${id}`)).body.content).toBe(content);
  }
});

test('the total is the true count after creates and deletes at once', async ({ api }) => {
  const session = await api.newSession();
  const { runtime, url } = session;
  const { messages } = made(await runtime.post(`${url}/messages/batch`, { messages: many(60) }));
  const ids: string[] = messages.map(({ id }: { id: string }) => id);
  const { answers } = await atOnce(50, (index) => {
    switch (index % 5) {
      case 0:
        return runtime.post(`${url}/messages`, say('one'));
      case 1:
        return runtime.post(`${url}/messages/batch`, { messages: many(7) });
      case 2:
        // Two callers want to delete the same message: one of them does.
        return runtime.delete(`${url}/messages/${ids[index >> 1]}`);
      case 3:
        return runtime.delete(`${url}/messages/${ids[(index - 1) >> 1]}`);
      default:
        return runtime.delete(`${url}/messages/batch`, { ids: [ids[30 + Math.floor(index / 10)], ids[59 - Math.floor(index / 20)]] });
    }
  });
  for (const { status } of answers) expect([201, 204, 404]).toContain(status);
  const expected =
    60 +
    answers.reduce((sum, { status }, index) => {
      if (status === 404) return sum;
      return sum + ([1, 7, -1, -1, -2][index % 5] as number);
    }, 0);
  const rows = await api.countRows('messages', session.agent.workspace.id);
  const [row] = await api.db.query(sql<{ count: number }>`select message_count as count from sessions where id = ${session.id}`);
  expect({ rows, counted: row?.count, total: (await runtime.get(`${url}/messages`)).body._meta.total }).toEqual({
    rows: expected,
    counted: expected,
    total: expected,
  });
});

test('only another text drops the vector of a message; its role counts in the next search', async ({ api }) => {
  const { runtime, url, agent } = await api.newSession();
  const { id } = made(await runtime.post(`${url}/messages`, { role: 'user', content: 'likes tea' }));
  await api.app.indexing.drain();
  const work = async () => [await api.countRows('vectors', agent.workspace.id), await api.countRows('embedding_queue', agent.workspace.id)];
  for (const change of [{ meta: '{"a":1}' }, { role: 'assistant' }]) {
    expect((await runtime.put(`${url}/messages/${id}`, { content: 'likes tea', ...change })).status).toBe(200);
    expect(await work(), JSON.stringify(change)).toEqual([1, 0]);
  }
  const { body } = await runtime.post(`${url}/messages/search`, { query: 'tea', roles: ['assistant'] });
  expect(body.results).toMatchObject([{ id, role: 'assistant' }]);
  await runtime.put(`${url}/messages/${id}`, { content: 'likes coffee' });
  expect(await work()).toEqual([0, 1]);
});
