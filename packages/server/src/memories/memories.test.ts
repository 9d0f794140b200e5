import { MemoryKind } from '@commonplace/contract/memories';
import { expect } from 'vitest';
import { anId, aTime, made, refusal, type TestSession, test, walk } from '../../test/api.ts';
import { newId } from '../db/ids.ts';
import type { Sql } from '../db/sql.ts';
import { memoryHistory } from './store/history.ts';

const kinds = MemoryKind.options;
const fact = { kind: 'fact', content: 'likes tea' };
const many = (count: number) => Array.from({ length: count }, (_, index) => ({ kind: 'fact', content: `memory ${index}` }));

async function contents({ runtime, url }: TestSession, query = 'limit=100'): Promise<string[]> {
  const { body } = await runtime.get(`${url}/memories?${query}`);
  return body.memories.map(({ content }: { content: string }) => content);
}

test('the history of a memory that is deleted while it is read is 404', async ({ api }) => {
  const { runtime, url, agent, id: sessionId } = await api.newSession();
  const { id } = made(await runtime.post(`${url}/memories`, fact));
  const deletesAfterLook = new Proxy(api.db, {
    get: (db, name) => {
      if (name !== 'maybeOne') return Reflect.get(db, name).bind(db);
      return async (statement: Sql) => {
        const found = await db.maybeOne(statement);
        expect((await runtime.delete(`${url}/memories/${id}`)).status).toBe(204);
        return found;
      };
    },
  });
  const place = { workspaceId: agent.workspace.id, agentId: agent.id, sessionId };
  await expect(memoryHistory(deletesAfterLook, place, id, api.clock.nowMs())).rejects.toThrow('Memory not found');
});

test('the database takes every kind that the contract has', async ({ api }) => {
  const { runtime, url } = await api.newSession();
  const refused: string[] = [];
  for (const kind of kinds) if ((await runtime.post(`${url}/memories`, { ...fact, kind })).status !== 201) refused.push(kind);
  expect(refused, 'the column memories.kind refuses these: see "Adding a memory kind" in CONTRIBUTING.md').toEqual([]);
});

test.for(kinds)('a memory of kind %s is answered whole, read back and listed the same', async (kind, { api }) => {
  const { id, url, runtime } = await api.newSession();
  const { status, body } = await runtime.post(`${url}/memories`, { kind, content: ' likes 🍵 ', meta: '{"by":"user"}' });
  expect(status).toBe(201);
  expect(body).toEqual({
    id: anId,
    sessionId: id,
    kind,
    content: ' likes 🍵 ',
    meta: { by: 'user' },
    createdAt: aTime,
    updatedAt: body.createdAt,
  });
  expect(await runtime.get(`${url}/memories/${body.id}`)).toMatchObject({ status: 200, body });
  expect((await runtime.get(`${url}/memories`)).body).toEqual({ memories: [body], _meta: { limit: 50, offset: 0, total: 1 } });
});

test.for([
  [undefined, {}],
  [null, {}],
  [{ a: [] }, { a: [] }],
  ['{"a":[1]}', { a: [1] }],
  ['null', {}],
] as const)('meta %j reads %j', async ([meta, read], { api }) => {
  const { runtime, url } = await api.newSession();
  const { id } = made(await runtime.post(`${url}/memories`, { ...fact, meta }));
  expect((await runtime.get(`${url}/memories/${id}`)).body.meta).toEqual(read);
});

test.for([
  ['kind', undefined, 'Kind is required'],
  ['kind', null, 'Kind is required'],
  ['kind', 'Fact', `Kind must be one of: ${kinds.join(' ')}`],
  ['content', undefined, 'Content is required'],
  ['content', '', 'Content is required'],
  ['content', ['x'], 'Content must be a string'],
  ['content', '\udc00', 'Content must not contain NUL or unpaired surrogate characters'],
  ['meta', '{', 'Meta must be valid JSON'],
  ['meta', false, 'Meta must be a JSON object'],
  ['meta', '[1]', 'Meta must be a JSON object'],
  ['meta', '5', 'Meta must be a JSON object'],
] as const)('%s %j is 400, and the one bad memory of a batch of 100 keeps out the other 99', async ([field, value, message], { api }) => {
  const session = await api.newSession();
  const bad = { ...fact, [field]: value };
  expect(await session.runtime.post(`${session.url}/memories`, bad)).toEqual(refusal(400, message, field));
  const batch = await session.runtime.post(`${session.url}/memories/batch`, { memories: [...many(99), bad] });
  expect(batch).toEqual(refusal(400, message, `memories.99.${field}`));
  expect(await contents(session)).toEqual([]);
});

test('a batch holds 1 to 100 memories, answered in the order given and listed the other way round', async ({ api }) => {
  const session = await api.newSession();
  const batch = (body: unknown) => session.runtime.post(`${session.url}/memories/batch`, body);
  expect(await batch({ memories: [] })).toEqual(refusal(400, 'Memories must have at least 1 item', 'memories'));
  expect(await batch({ memories: many(101) })).toEqual(refusal(400, 'Memories must not have more than 100 items', 'memories'));
  expect(await batch({})).toEqual(refusal(400, 'Memories is required', 'memories'));
  const { status, body } = await batch({ memories: many(100) });
  expect(status).toBe(201);
  expect(body.memories.map(({ content }: { content: string }) => content)).toEqual(many(100).map(({ content }) => content));
  expect(body.memories[3]).toEqual({ ...many(4)[3], id: anId, sessionId: session.id, meta: {}, createdAt: aTime, updatedAt: aTime });
  const { rows } = await walk(session.runtime, `${session.url}/memories`, 'memories', 30);
  expect(rows).toEqual(body.memories.toReversed());
});

test('the list is newest first, by kind and by pages', async ({ api }) => {
  const session = await api.newSession();
  const { runtime, url } = session;
  for (const kind of kinds)
    for (const number of [1, 2]) made(await runtime.post(`${url}/memories`, { kind, content: `${kind} ${number}` }));
  expect(await contents(session)).toEqual(kinds.flatMap((kind) => [`${kind} 1`, `${kind} 2`]).toReversed());
  for (const empty of ['kind=', 'asOf=']) expect(await contents(session, empty), empty).toEqual(await contents(session));
  expect(await contents(session, 'limit=2&offset=1')).toEqual(['long_lived 1', 'short_lived 2']);
  for (const kind of kinds) expect(await contents(session, `kind=${kind}`)).toEqual([`${kind} 2`, `${kind} 1`]);
  const { body } = await runtime.get(`${url}/memories?kind=fact&limit=1`);
  expect(body._meta).toEqual({ limit: 1, offset: 0, total: 2, cursor: expect.any(String) });
  const next = await runtime.get(`${url}/memories?kind=fact&limit=1&cursor=${body._meta.cursor}`);
  expect(next.body).toMatchObject({ memories: [{ content: 'fact 1' }] });
  expect(next.body._meta).toEqual({ limit: 1, offset: 0, total: 2 });
  expect(await runtime.get(`${url}/memories?kind=rumour`)).toEqual(refusal(400, `Kind must be one of: ${kinds.join(' ')}`, 'kind'));
});

test('PUT: what is left out keeps its value, null clears meta, and the answer has the new updatedAt', async ({ api }) => {
  const { runtime, url } = await api.newSession();
  let current = made(await runtime.post(`${url}/memories`, { ...fact, meta: '{"a":1}' }));
  const path = `${url}/memories/${current.id}`;
  for (const [change, result] of [
    [{ content: 'likes coffee' }, { content: 'likes coffee' }],
    [{ content: 'likes coffee', kind: 'preference' }, { kind: 'preference' }],
    [{ content: 'likes coffee', meta: '{"b":2}' }, { meta: { b: 2 } }],
    [{ content: 'likes coffee', meta: null }, { meta: {} }],
    [{ kind: 'summary' }, { kind: 'summary' }],
    [{ id: newId(), sessionId: newId(), source: 'extracted' }, {}],
  ]) {
    api.clock.advance(1000);
    const { status, body } = await runtime.put(path, change);
    expect({ status, body }).toEqual({ status: 200, body: { ...current, ...result, updatedAt: aTime } });
    expect(Date.parse(body.updatedAt)).toBeGreaterThanOrEqual(Date.parse(current.updatedAt) + 1000);
    current = body;
  }
  for (const [change, field, message] of [
    [{ content: '' }, 'content', 'Content is required'],
    [{ content: null }, 'content', 'Content is required'],
    [{ kind: 'rumour' }, 'kind', `Kind must be one of: ${kinds.join(' ')}`],
    [{ kind: null }, 'kind', 'Kind is required'],
    [{ meta: 'x' }, 'meta', 'Meta must be valid JSON'],
  ] as const) {
    expect(await runtime.put(path, change)).toEqual(refusal(400, message, field));
  }
  expect((await runtime.get(path)).body).toEqual(current);
});

test('a deleted memory is gone; a batch of 1 to 100 ids is deleted whole, or not at all', async ({ api }) => {
  const session = await api.newSession();
  const { runtime, url } = session;
  const other = await api.newSession(session.agent);
  const write = async (place: TestSession, count: number): Promise<string[]> => {
    const { memories } = made(await runtime.post(`${place.url}/memories/batch`, { memories: many(count) }));
    return memories.map(({ id }: { id: string }) => id);
  };
  const ids = [...(await write(session, 100)), ...(await write(session, 2))];
  const [elsewhere] = await write(other, 1);
  const remove = (body: unknown) => runtime.delete(`${url}/memories/batch`, body);
  for (const [body, path, message] of [
    [{ ids: [] }, 'ids', 'Ids must have at least 1 item'],
    [{ ids: ids.slice(0, 101) }, 'ids', 'Ids must not have more than 100 items'],
    [{}, 'ids', 'Ids is required'],
    [{ ids: [ids[0], 'not-an-id'] }, 'ids.1', 'Ids must be a valid UUID'],
  ] as const) {
    expect(await remove(body)).toEqual(refusal(400, message, path));
  }
  expect(await remove({ ids: [...ids.slice(0, 99), newId()] })).toEqual(refusal(404, 'Memory not found'));
  expect(await remove({ ids: [ids[0], elsewhere] })).toEqual(refusal(404, 'Memory not found'));
  expect((await runtime.get(`${url}/memories`)).body._meta.total).toBe(102);
  expect(await remove({ ids: ids.slice(0, 100) })).toMatchObject({ status: 204, text: '' });
  expect(await runtime.delete(`${url}/memories/${ids[100]}`)).toMatchObject({ status: 204, text: '' });
  expect(await runtime.delete(`${url}/memories/${ids[100]}`)).toEqual(refusal(404, 'Memory not found'));
  expect(await remove({ ids: [ids[101], ids[101]] }), 'one id twice is one').toMatchObject({ status: 204 });
  expect((await runtime.get(`${url}/memories`)).body).toEqual({ memories: [], _meta: { limit: 50, offset: 0, total: 0 } });
  expect((await runtime.get(`${other.url}/memories/${elsewhere}`)).status).toBe(200);
});

test('what is not there, or is not in this session, is 404; what is wrong with the request is said first', async ({ api }) => {
  const session = await api.newSession();
  const { runtime, agent } = session;
  const sibling = await api.newSession(agent);
  const { id } = made(await runtime.post(`${session.url}/memories`, fact));
  for (const url of [`${session.url}/memories/${newId()}`, `${session.url}/memories/x`, `${sibling.url}/memories/${id}`]) {
    expect(await runtime.get(url), url).toEqual(refusal(404, 'Memory not found'));
    expect(await runtime.put(url, { content: 'x' }), url).toEqual(refusal(404, 'Memory not found'));
    expect(await runtime.delete(url), url).toEqual(refusal(404, 'Memory not found'));
    expect(await runtime.put(url, { content: '' }), url).toEqual(refusal(400, 'Content is required', 'content'));
  }
  for (const url of [`${agent.url}/sessions/${newId()}`, `${agent.workspace.url}/agents/${newId()}/sessions/${session.id}`]) {
    expect(await runtime.get(`${url}/memories`), url).toEqual(refusal(404, 'Session not found'));
    expect(await runtime.post(`${url}/memories`, fact), url).toEqual(refusal(404, 'Session not found'));
    expect(await runtime.post(`${url}/memories/batch`, { memories: [fact] }), url).toEqual(refusal(404, 'Session not found'));
    expect(await runtime.delete(`${url}/memories/batch`, { ids: [id] }), url).toEqual(refusal(404, 'Session not found'));
    expect(await runtime.put(`${url}/memories/${id}`, { content: 'x' }), url).toEqual(refusal(404, 'Session not found'));
    expect(await runtime.delete(`${url}/memories/${id}`), url).toEqual(refusal(404, 'Session not found'));
    expect((await runtime.get(`${url}/memories/${id}`)).status, url).toBe(404);
    expect((await runtime.get(`${url}/memories?kind=rumour`)).status, url).toBe(400);
  }
  expect(await contents(session)).toEqual(['likes tea']);
});

test('only another text drops the vector of a memory and is told of in its history; kind and end count in the next search', async ({
  api,
}) => {
  const { runtime, url, agent } = await api.newSession();
  const { id } = made(await runtime.post(`${url}/memories`, fact));
  const path = `${url}/memories/${id}`;
  const found = async (more: object = {}) =>
    (await runtime.post(`${url}/memories/search`, { query: 'tea', ...more })).body.results.map((hit: { id: string }) => hit.id);
  await api.app.indexing.drain();
  expect(await found({ kinds: ['fact'] })).toEqual([id]);
  const work = async () => [
    await api.countRows('vectors', agent.workspace.id),
    await api.countRows('embedding_queue', agent.workspace.id),
    await api.countRows('memory_events', agent.workspace.id),
  ];
  for (const change of [
    { meta: '{"a":1}' },
    { kind: 'preference' },
    { expiresAt: '2999-01-01T00:00:00Z' },
    { content: fact.content },
    {},
  ]) {
    expect((await runtime.put(path, change)).status).toBe(200);
    expect(await work(), JSON.stringify(change)).toEqual([1, 0, 0]);
  }
  expect((await runtime.get(`${path}/history`)).body.history).toMatchObject([{ event: 'created', content: fact.content }]);
  expect(await found({ kinds: ['fact'] })).toEqual([]);
  expect(await found({ kinds: ['preference'] })).toEqual([id]);
  await runtime.put(path, { expiresAt: new Date(api.clock.nowMs() + 60_000).toISOString() });
  expect(await found()).toEqual([id]);
  api.clock.advance(61_000);
  expect(await found()).toEqual([]);
  await runtime.put(path, { content: 'likes coffee', expiresAt: null });
  expect(await work()).toEqual([0, 1, 1]);
  expect((await runtime.get(`${path}/history`)).body.history).toMatchObject([
    { event: 'created', content: null },
    { event: 'edited', content: 'likes coffee' },
  ]);
});
