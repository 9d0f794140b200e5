import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import { type Answer, anId, aTime, atOnce, type Client, made, refusal, type TestAgent, type TestApi, test } from '../../test/api.ts';
import { newId } from '../db/ids.ts';
import { insideTransaction } from '../db/nested.ts';
import { createSession } from './store.ts';

const ignoringDuplicates = { prefer: 'resolution=ignore-duplicates' };
const ID_TAKEN = 'A session with this id exists already';
const LABELS_TAKEN = 'A session without an id and with exactly these labels exists already';

const queryOf = (labels: Record<string, string>) => new URLSearchParams(labels).toString();
const manyLabels = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, index) => [`key${index}`, 'value']));

async function externalIds({ runtime, url }: TestAgent, query = ''): Promise<string[]> {
  const { body } = await runtime.get(`${url}/sessions?${query}`);
  return body.sessions.map(({ externalId }: { externalId: string }) => externalId);
}

test('a session with id, labels, title and meta is answered whole, and read back the same by every way', async ({ api }) => {
  const agent = await api.newAgent();
  const { status, body } = await agent.runtime.post(`${agent.url}/sessions?id=chat-17&customer=42&channel=mail`, {
    title: 'Refund',
    meta: '{"source":"import"}',
  });
  expect(status).toBe(201);
  expect(body).toEqual({
    id: anId,
    externalId: 'chat-17',
    workspaceId: agent.workspace.id,
    agentId: agent.id,
    title: 'Refund',
    status: 'active',
    labels: { customer: '42', channel: 'mail' },
    meta: { source: 'import' },
    lastActivityAt: aTime,
    createdAt: body.lastActivityAt,
    updatedAt: body.lastActivityAt,
  });
  for (const path of [`/${body.id}`, `/${body.id.toUpperCase()}`, '/by-labels?id=chat-17', '/by-labels?channel=mail&customer=42']) {
    expect(await agent.runtime.get(`${agent.url}/sessions${path}`), path).toMatchObject({ status: 200, body });
  }
  expect((await agent.runtime.get(`${agent.url}/sessions`)).body).toEqual({ sessions: [body], _meta: { limit: 50, offset: 0, total: 1 } });
});

test.for([
  ['no body', undefined],
  ['an empty object', {}],
  ['nulls', { id: null, labels: null, title: null, meta: null }],
  ['empty values', { labels: {}, title: '', meta: {} }],
  ['unknown keys', { externalId: 'body', label: { a: 'b' }, status: 'archived' }],
] as const)('with %s and no query: a generated id and the empty values', async ([, fields], { api }) => {
  const agent = await api.newAgent();
  const { status, body } = await agent.runtime.post(`${agent.url}/sessions`, fields);
  expect(status).toBe(201);
  expect(body).toEqual({
    id: anId,
    externalId: anId,
    workspaceId: agent.workspace.id,
    agentId: agent.id,
    title: '',
    status: 'active',
    labels: {},
    meta: {},
    lastActivityAt: aTime,
    createdAt: aTime,
    updatedAt: aTime,
  });
  expect(body.externalId).not.toBe(body.id);
  expect((await agent.runtime.get(`${agent.url}/sessions/${body.id}`)).body).toEqual(body);
});

test.for([
  ['the body alone', '', { id: 'chat-17', labels: { customer: '42', channel: 'mail' } }],
  ['query and body, each a part', 'id=chat-17&channel=mail', { labels: { customer: '42' } }],
  ['the same in both', 'id=chat-17&customer=42', { id: 'chat-17', labels: { customer: '42', channel: 'mail' } }],
] as const)('id and labels by %s', async ([, query, fields], { api }) => {
  const agent = await api.newAgent();
  const { status, body } = await agent.runtime.post(`${agent.url}/sessions?${query}`, fields);
  expect([status, body.externalId, body.labels]).toEqual([201, 'chat-17', { customer: '42', channel: 'mail' }]);
  expect((await agent.runtime.get(`${agent.url}/sessions/by-labels?channel=mail&customer=42`)).body).toEqual(body);
  expect(await agent.runtime.post(`${agent.url}/sessions`, { id: 'chat-17' })).toEqual(refusal(409, ID_TAKEN));
  const again = await agent.runtime.post(`${agent.url}/sessions?${query}`, fields, { prefer: 'resolution=ignore-duplicates' });
  expect(again).toMatchObject({ status: 200, body });
});

test('labels in a body without an id are taken once, as those of a query are', async ({ api }) => {
  const agent = await api.newAgent();
  const { body } = await agent.runtime.post(`${agent.url}/sessions`, { labels: { __proto__x: 'y', user: '42' } });
  expect(body).toMatchObject({ externalId: anId, labels: { __proto__x: 'y', user: '42' } });
  expect(await agent.runtime.post(`${agent.url}/sessions?user=42&__proto__x=y`)).toEqual(refusal(409, LABELS_TAKEN));
});

test.for([
  ['id', 'id=one', { id: 'two' }, 'Id must be the same in query and body'],
  ['labels.a', 'a=1&b=2', { labels: { b: '2', a: '2' } }, 'Label a must be the same in query and body'],
  ['labels', queryOf(manyLabels(30)), { labels: { x: '', y: '', z: '' } }, 'Labels must not have more than 32 items'],
  ['id', '', { id: '' }, 'Id is required'],
  ['id', '', { id: 'i'.repeat(256) }, 'Id must not exceed 255 characters'],
  ['id', '', { id: 7 }, 'Id must be a string'],
  ['labels.a', '', { labels: { a: 1 } }, 'A must be a string'],
  ['labels', '', { labels: manyLabels(33) }, 'Labels must not have more than 32 items'],
] as const)('%s is refused: query %s, body %j', async ([path, query, fields, message], { api }) => {
  const agent = await api.newAgent();
  expect(await agent.runtime.post(`${agent.url}/sessions?${query}`, fields)).toEqual(refusal(400, message, path));
  expect(await externalIds(agent)).toEqual([]);
});

test.for([
  ['{"a":[1,null,{"b":"ü"}]}', { a: [1, null, { b: 'ü' }] }],
  [{ a: { b: [] } }, { a: { b: [] } }],
  ['null', {}],
] as const)('meta %j reads %j', async ([meta, read], { api }) => {
  const { runtime, url } = await api.newSession(undefined, '', { meta });
  expect((await runtime.get(url)).body.meta).toEqual(read);
  await runtime.put(url, { meta: { other: 1 } });
  expect((await runtime.put(url, { meta })).body.meta).toEqual(read);
});

test.for([
  ['title', 't'.repeat(256), 'Title must not exceed 255 characters'],
  ['title', '🙂'.repeat(256), 'Title must not exceed 255 characters'],
  ['title', 7, 'Title must be a string'],
  ['title', '\ud800', 'Title must not contain NUL or unpaired surrogate characters'],
  ['meta', '{a:1}', 'Meta must be valid JSON'],
  ['meta', '', 'Meta must be valid JSON'],
  ['meta', [1], 'Meta must be a JSON object'],
  ['meta', 7, 'Meta must be a JSON object'],
  ...['[1,2]', '"text"', '0', 'false'].map((meta) => ['meta', meta, 'Meta must be a JSON object'] as const),
] as const)('%s %j is 400, to create, to change and to change by labels', async ([field, value, message], { api }) => {
  const agent = await api.newAgent();
  const { url, runtime } = await api.newSession(agent, 'id=one');
  expect(await runtime.post(`${agent.url}/sessions?id=two`, { [field]: value })).toEqual(refusal(400, message, field));
  expect(await runtime.put(url, { [field]: value })).toEqual(refusal(400, message, field));
  expect(await runtime.put(`${agent.url}/sessions/by-labels?id=one`, { [field]: value })).toEqual(refusal(400, message, field));
  expect(await externalIds(agent)).toEqual(['one']);
});

test('a title of 255 characters is kept, whatever they take', async ({ api }) => {
  const title = '🙂'.repeat(255);
  const { url, runtime } = await api.newSession(undefined, '', { title });
  expect((await runtime.get(url)).body.title).toBe(title);
});

test('ids and labels at their limits, with characters of any kind, are kept and found', async ({ api }) => {
  const agent = await api.newAgent();
  const id = '🙂'.repeat(255);
  const labels = { ...manyLabels(28), ['k'.repeat(64)]: 'ü'.repeat(255), 'a b&c=d': '%', __proto__x: '', constructor: 'x' };
  const query = `id=${encodeURIComponent(id)}&${queryOf(labels)}&limit=5&offset=0`;
  const { body } = await agent.runtime.post(`${agent.url}/sessions?${query}`);
  expect(body).toMatchObject({ externalId: id, labels });
  expect(Object.keys(body.labels)).toHaveLength(32);
  expect((await agent.runtime.get(`${agent.url}/sessions/by-labels?${queryOf(labels)}`)).body).toEqual(body);
  expect((await agent.runtime.get(`${agent.url}/sessions/by-labels?id=${encodeURIComponent(id)}`)).body).toEqual(body);
  expect((await agent.runtime.get(`${agent.url}/sessions?${queryOf({ 'a b&c=d': '%' })}`)).body.sessions).toEqual([body]);
});

test.for([
  ['id', `id=${'i'.repeat(256)}`, 'Id must not exceed 255 characters'],
  ['id', 'id=%00', 'Id must not contain NUL or unpaired surrogate characters'],
  ['labels', queryOf(manyLabels(33)), 'Labels must not have more than 32 items'],
  ['labels', `${'k'.repeat(65)}=v`, 'Label key must not exceed 64 characters'],
  ['labels', `k=${'v'.repeat(256)}`, 'Label value must not exceed 255 characters'],
  ['labels', 'k=%00', 'Labels must not contain NUL or unpaired surrogate characters'],
] as const)('a query with a bad %s is 400 on every route that reads it', async ([path, query, message], { api }) => {
  const agent = await api.newAgent();
  const refused = refusal(400, message, path);
  expect(await agent.runtime.post(`${agent.url}/sessions?${query}`)).toEqual(refused);
  expect(await agent.runtime.get(`${agent.url}/sessions?${query}`)).toEqual(refused);
  expect(await agent.runtime.get(`${agent.url}/sessions/by-labels?${query}`)).toEqual(refused);
  expect(await agent.runtime.put(`${agent.url}/sessions/by-labels?${query}`, {})).toEqual(refused);
  expect(await agent.runtime.delete(`${agent.url}/sessions/by-labels?${query}`)).toEqual(refused);
  // Before it is known whether the agent is there.
  expect(await agent.runtime.post(`${agent.workspace.url}/agents/${newId()}/sessions?${query}`)).toEqual(refused);
});

test('every query key but id, limit and offset is a label; a repeated one takes its first value', async ({ api }) => {
  const agent = await api.newAgent();
  const query = 'id=one&id=two&customer=1&customer=2&limit=7&offset=3&cursor=c&page=9&version=latest&empty=&=nothing';
  const { body } = await agent.runtime.post(`${agent.url}/sessions?${query}`);
  expect(body.externalId).toBe('one');
  expect(body.labels).toEqual({ customer: '1', cursor: 'c', page: '9', version: 'latest', empty: '' });
  expect(await externalIds(agent, 'customer=1&customer=2')).toEqual(['one']);
  expect(await externalIds(agent, 'customer=2&customer=1')).toEqual([]);
  // A cursor is no cursor here.
  expect(await externalIds(agent, 'cursor=c')).toEqual(['one']);
  expect(await externalIds(agent, 'cursor=d')).toEqual([]);
});

test('409: an id that is taken on that agent, whatever its labels', async ({ api }) => {
  const agent = await api.newAgent();
  await api.newSession(agent, 'id=one&customer=1');
  expect(await agent.runtime.post(`${agent.url}/sessions?id=one`)).toEqual(refusal(409, ID_TAKEN));
  expect(await agent.runtime.post(`${agent.url}/sessions?id=one&customer=2`)).toEqual(refusal(409, ID_TAKEN));
  expect((await agent.runtime.post(`${agent.url}/sessions?id=ONE`)).status).toBe(201);
  const other = await api.newAgent(agent.workspace);
  expect((await other.runtime.post(`${other.url}/sessions?id=one`)).status).toBe(201);
  const generated = made(await agent.runtime.post(`${agent.url}/sessions`)).externalId;
  expect(await agent.runtime.post(`${agent.url}/sessions?id=${generated}`)).toEqual(refusal(409, ID_TAKEN));
});

test('409: no id, and a session made without an id has exactly these labels', async ({ api }) => {
  const agent = await api.newAgent();
  const create = (query: string) => agent.runtime.post(`${agent.url}/sessions?${query}`);
  expect((await create('id=named&a=1&b=2')).status).toBe(201);
  expect((await create('a=1&b=2')).status, 'a named session with the labels is no conflict').toBe(201);
  expect(await create('b=2&a=1')).toEqual(refusal(409, LABELS_TAKEN));
  expect((await create('a=1')).status, 'a part of the set').toBe(201);
  expect((await create('a=1&b=2&c=3')).status, 'more than the set').toBe(201);
  expect((await create('a=1&b=')).status, 'another value').toBe(201);
  expect((await create('id=second&a=1&b=2')).status, 'with an id').toBe(201);
  for (let count = 0; count < 3; count++) expect((await create('')).status, 'no labels at all').toBe(201);
  const other = await api.newAgent(agent.workspace);
  expect((await other.runtime.post(`${other.url}/sessions?a=1&b=2`)).status, 'another agent').toBe(201);
});

test('a deleted session is in nobody’s way', async ({ api }) => {
  const agent = await api.newAgent();
  for (const query of ['id=one&a=1', 'a=1']) {
    const { url, runtime } = await api.newSession(agent, query);
    await runtime.delete(url);
    expect((await runtime.post(`${agent.url}/sessions?${query}`)).status).toBe(201);
  }
});

test('with Prefer: resolution=ignore-duplicates the session that is there is the answer, with 200 and unchanged', async ({ api }) => {
  const agent = await api.newAgent();
  const create = (query: string, headers = ignoringDuplicates) =>
    agent.runtime.post(`${agent.url}/sessions?${query}`, { title: 'New', meta: '{"new":1}' }, headers);
  const named = await create('id=one&a=1');
  const unnamed = await create('a=1&b=2');
  expect([named.status, unnamed.status]).toEqual([201, 201]);
  expect(await create('id=one')).toMatchObject({ status: 200, body: named.body });
  expect(await create('id=one&a=1')).toMatchObject({ status: 200, body: named.body });
  for (const labels of ['z=9', 'a=2', 'a=1&z=9'])
    expect(await create(`id=one&${labels}`)).toEqual(refusal(409, 'A session with this id and other labels exists already'));
  expect(await create('b=2&a=1')).toMatchObject({ status: 200, body: unnamed.body });
  expect(await create('a=1'), 'a named session is no duplicate by labels').toMatchObject({ status: 201 });
  expect([(await create('')).status, (await create('')).status], 'nor are sessions without labels').toEqual([201, 201]);
  for (const prefer of ['return=minimal, resolution=ignore-duplicates', 'Resolution=Ignore-Duplicates; x=1']) {
    expect((await create('id=one', { prefer })).status, prefer).toBe(200);
  }
  for (const prefer of ['', 'resolution=merge-duplicates', 'xresolution=ignore-duplicates', 'resolution=ignore-duplicates2']) {
    expect((await create('id=one', { prefer })).status, prefer).toBe(409);
  }
  expect(await create(`id=${'i'.repeat(256)}`)).toEqual(refusal(400, 'Id must not exceed 255 characters', 'id'));
  expect((await agent.runtime.get(`${agent.url}/sessions`)).body._meta.total).toBe(5);
});

test.for([
  ['an id', 'id=one&a=1', ID_TAKEN],
  ['a label set', 'a=1&b=2', LABELS_TAKEN],
] as const)('50 creations with %s at once make one session', async ([, query, message], { api }) => {
  const agent = await api.newAgent();
  const { answers, statuses } = await atOnce(50, () => agent.runtime.post(`${agent.url}/sessions?${query}`));
  expect(statuses).toEqual({ 201: 1, 409: 49 });
  for (const answer of answers) if (answer.status === 409) expect(answer).toEqual(refusal(409, message));
  expect((await agent.runtime.get(`${agent.url}/sessions`)).body._meta.total).toBe(1);
});

test.for([
  ['an id', 'id=one&a=1', false],
  ['a label set', 'a=1&b=2', false],
  ['an id and Idempotency-Keys', 'id=one&a=1', true],
  ['a label set and Idempotency-Keys', 'a=1&b=2', true],
] as const)('50 get-or-creates with %s at once: one 201, 49 times 200, one session', async ([, query, hasKeys], { api }) => {
  const agent = await api.newAgent();
  const { answers, statuses } = await atOnce(50, (index) =>
    agent.runtime.post(`${agent.url}/sessions?${query}`, undefined, {
      ...ignoringDuplicates,
      ...(hasKeys && { 'idempotency-key': `session-${index}` }),
    }),
  );
  expect(statuses).toEqual({ 200: 49, 201: 1 });
  expect(new Set(answers.map(({ body }) => body.id)).size).toBe(1);
  expect((await agent.runtime.get(`${agent.url}/sessions`)).body._meta.total).toBe(1);
});

test('by-labels: with id, that session if it has the labels; without, the one with exactly these labels', async ({ api }) => {
  const agent = await api.newAgent();
  const one = await api.newSession(agent, 'id=one&a=1&b=2');
  const two = await api.newSession(agent, 'id=two&a=1');
  const found = async (query: string) => {
    const { status, body } = await agent.runtime.get(`${agent.url}/sessions/by-labels?${query}`);
    return status === 200 ? body.id : status;
  };
  expect(await found('id=one')).toBe(one.id);
  expect(await found('id=one&b=2')).toBe(one.id);
  expect(await found('id=one&b=2&a=1')).toBe(one.id);
  expect(await found('id=one&b=3')).toBe(404);
  expect(await found('id=one&c=3')).toBe(404);
  expect(await found('id=two&b=2')).toBe(404);
  expect(await found('id=three')).toBe(404);
  expect(await found(`id=${one.id}`), 'the internal id is not the external one').toBe(404);
  expect(await found('a=1')).toBe(two.id);
  expect(await found('b=2&a=1')).toBe(one.id);
  expect(await found('b=2')).toBe(404);
  expect(await found('a=1&b=2&c=3')).toBe(404);
  expect(await found('a=1&limit=5&offset=9')).toBe(two.id);
});

test('by-labels: of several with exactly these labels, the one last active', async ({ api }) => {
  const agent = await api.newAgent();
  const sessions = [];
  for (const query of ['id=one&a=1', 'a=1', 'id=three&a=1']) {
    sessions.push(await api.newSession(agent, query));
    api.clock.advance(10);
  }
  const found = async () => (await agent.runtime.get(`${agent.url}/sessions/by-labels?a=1`)).body.id;
  expect(await found()).toBe(sessions[2]?.id);
  for (const { id, url, runtime } of [...sessions.slice(0, 2), ...sessions]) {
    api.clock.advance(10);
    made(await runtime.post(`${url}/messages`, { role: 'user', content: 'hello' }));
    expect(await found()).toBe(id);
  }
  // The last is the one that is changed, and then the one that is deleted.
  await agent.runtime.put(`${agent.url}/sessions/by-labels?a=1`, { title: 'Last' });
  expect((await agent.runtime.get(sessions[2]?.url as string)).body.title).toBe('Last');
  expect((await agent.runtime.delete(`${agent.url}/sessions/by-labels?a=1`)).status).toBe(204);
  expect((await agent.runtime.get(sessions[2]?.url as string)).status).toBe(404);
  expect(await found()).toBe(sessions[1]?.id);
});

test('by-labels, to read, change and delete: 400 with neither id nor label, 404 without a match, 400 for the body first', async ({
  api,
}) => {
  const agent = await api.newAgent();
  await api.newSession(agent, '');
  for (const method of ['GET', 'PUT', 'DELETE']) {
    const send = (query: string, url = agent.url) =>
      agent.runtime.send(method, `${url}/sessions/by-labels${query}`, method === 'PUT' ? { title: 'x' } : undefined);
    for (const query of ['', '?', '?id=', '?limit=5&offset=1']) {
      expect(await send(query), method + query).toEqual(refusal(400, 'An id or at least one label is required', 'id'));
    }
    expect(await send('?id=none'), method).toEqual(refusal(404, 'Session not found'));
    expect(await send('?a=1'), method).toEqual(refusal(404, 'Session not found'));
    expect(await send('?a=1', `${agent.workspace.url}/agents/${newId()}`), method).toEqual(refusal(404, 'Agent not found'));
  }
  const put = (query: string, body: unknown) => agent.runtime.put(`${agent.url}/sessions/by-labels?${query}`, body);
  expect(await put('id=none', { status: 'gone' })).toEqual(refusal(400, 'Status must be one of: active archived', 'status'));
  expect(await agent.runtime.post(`${agent.url}/sessions/by-labels?id=one`)).toMatchObject({ status: 405 });
});

test('by-labels: PUT and DELETE do what they do by id', async ({ api }) => {
  const agent = await api.newAgent();
  const session = await api.newSession(agent, 'id=one&a=1');
  const { body: before } = await agent.runtime.get(session.url);
  const changed = await agent.runtime.put(`${agent.url}/sessions/by-labels?id=one&a=1`, {
    title: 'T',
    labels: { b: '2' },
    meta: '{"m":1}',
  });
  expect(changed.status).toBe(200);
  expect(changed.body).toEqual({ ...before, title: 'T', labels: { b: '2' }, meta: { m: 1 }, updatedAt: aTime });
  expect((await agent.runtime.get(`${agent.url}/sessions/by-labels?b=2`)).body).toEqual(changed.body);
  expect((await agent.runtime.get(`${agent.url}/sessions/by-labels?a=1`)).status).toBe(404);
  expect(await agent.runtime.delete(`${agent.url}/sessions/by-labels?b=2`)).toMatchObject({ status: 204, text: '' });
  expect(await agent.runtime.get(session.url)).toEqual(refusal(404, 'Session not found'));
});

test('PUT: what is left out keeps its value, null clears, and the answer has the new updatedAt', async ({ api }) => {
  const agent = await api.newAgent();
  const { url, runtime } = await api.newSession(agent, 'id=one&a=1&b=2', { title: 'T', meta: '{"m":1}' });
  let { body: current } = await runtime.get(url);
  for (const [change, result] of [
    [{}, {}],
    [{ title: 'U' }, { title: 'U' }],
    [{ title: null }, { title: '' }],
    [{ labels: { c: '3' } }, { labels: { c: '3' } }],
    [{ labels: null }, { labels: {} }],
    [{ meta: { other: [] } }, { meta: { other: [] } }],
    [{ meta: null }, { meta: {} }],
    [{ status: 'archived' }, { status: 'archived' }],
    [{ status: 'active' }, { status: 'active' }],
    [{ id: newId(), externalId: 'x', agentId: newId(), lastActivityAt: '2020-01-01T00:00:00Z' }, {}],
  ]) {
    api.clock.advance(1000);
    const { status, body } = await runtime.put(url, change);
    expect({ status, body }).toEqual({ status: 200, body: { ...current, ...result, updatedAt: aTime } });
    expect(Date.parse(body.updatedAt)).toBeGreaterThanOrEqual(Date.parse(current.updatedAt) + 1000);
    current = body;
  }
  expect((await runtime.get(url)).body).toEqual(current);
});

test('PUT: labels are held to their limits, are found at once, and a set that another holds is 409', async ({ api }) => {
  const agent = await api.newAgent();
  const { url, runtime } = await api.newSession(agent, 'a=1');
  await api.newSession(agent, 'a=2');
  const named = await api.newSession(agent, 'id=named');
  expect(await runtime.put(url, { title: 'no', labels: { a: '2' } })).toEqual(refusal(409, LABELS_TAKEN));
  expect((await runtime.get(url)).body).toMatchObject({ title: '', labels: { a: '1' } });
  expect(await externalIds(agent, 'a=1')).toHaveLength(1);
  expect((await runtime.put(url, { labels: { a: '1' } })).status, 'its own set').toBe(200);
  expect((await runtime.put(named.url, { labels: { a: '2' } })).status, 'a named session').toBe(200);
  expect((await runtime.put(url, { labels: {} })).status).toBe(200);
  expect((await runtime.post(`${agent.url}/sessions?a=1`)).status, 'a set that was given up').toBe(201);
  expect(await runtime.put(url, { labels: { a: '1' } })).toEqual(refusal(409, LABELS_TAKEN));
  expect(await externalIds(agent, 'a=2')).toContain('named');
  for (const [labels, message] of [
    [manyLabels(33), 'Labels must not have more than 32 items'],
    [{ ['k'.repeat(65)]: '' }, 'Label key must not exceed 64 characters'],
    [{ k: 'v'.repeat(256) }, 'Label value must not exceed 255 characters'],
    [{ '': 'v' }, 'Label key is required'],
    [['a'], 'Labels must be an object'],
  ] as const) {
    expect(await runtime.put(url, { labels })).toEqual(refusal(400, message, 'labels'));
  }
  expect((await runtime.put(url, { labels: manyLabels(32) })).body.labels).toEqual(manyLabels(32));
});

test('a session or an agent that is not there is 404 to every method; what is wrong with the body is said first', async ({ api }) => {
  const agent = await api.newAgent();
  const session = await api.newSession(agent, 'id=one');
  const sibling = await api.newAgent(agent.workspace);
  for (const url of [
    `${agent.url}/sessions/${newId()}`,
    `${agent.url}/sessions/one`,
    `${sibling.url}/sessions/${session.id}`,
    `${agent.workspace.url}/agents/${newId()}/sessions/${session.id}`,
  ]) {
    expect(await agent.runtime.get(url), url).toEqual(refusal(404, 'Session not found'));
    expect(await agent.runtime.put(url, { title: 'x' }), url).toEqual(refusal(404, 'Session not found'));
    expect(await agent.runtime.delete(url), url).toEqual(refusal(404, 'Session not found'));
    expect(await agent.runtime.post(`${url}/fork`), url).toEqual(refusal(404, 'Session not found'));
    expect(await agent.runtime.put(url, { title: 7 }), url).toEqual(refusal(400, 'Title must be a string', 'title'));
    expect(await agent.runtime.post(`${url}/fork`, { id: '' }), url).toEqual(refusal(400, 'Id is required', 'id'));
  }
  for (const id of [newId(), 'not-an-id']) {
    const url = `${agent.workspace.url}/agents/${id}/sessions`;
    expect(await agent.runtime.get(url)).toEqual(refusal(404, 'Agent not found'));
    expect(await agent.runtime.post(`${url}?id=two`)).toEqual(refusal(404, 'Agent not found'));
    expect(await agent.runtime.post(url, { title: 7 })).toEqual(refusal(400, 'Title must be a string', 'title'));
  }
  expect((await agent.runtime.get(session.url)).status).toBe(200);
});

test('the list is last active first; id and labels filter together, labels by containment', async ({ api }) => {
  const agent = await api.newAgent();
  const one = await api.newSession(agent, 'id=one&a=1&b=2');
  api.clock.advance(10);
  await api.newSession(agent, 'id=two&a=1');
  api.clock.advance(10);
  await api.newSession(agent, 'id=three&b=2');
  await api.newSession(await api.newAgent(agent.workspace), 'id=elsewhere&a=1');
  expect(await externalIds(agent)).toEqual(['three', 'two', 'one']);
  expect(await externalIds(agent, 'a=1')).toEqual(['two', 'one']);
  expect(await externalIds(agent, 'b=2&a=1')).toEqual(['one']);
  expect(await externalIds(agent, 'a=2')).toEqual([]);
  expect(await externalIds(agent, 'id=two')).toEqual(['two']);
  expect(await externalIds(agent, 'id=two&a=1')).toEqual(['two']);
  expect(await externalIds(agent, 'id=two&b=2')).toEqual([]);
  expect(await externalIds(agent, 'id=')).toEqual(['three', 'two', 'one']);
  api.clock.advance(10);
  made(await one.runtime.post(`${one.url}/messages`, { role: 'user', content: 'hello' }));
  expect(await externalIds(agent)).toEqual(['one', 'three', 'two']);
  expect(await externalIds(agent, 'limit=1&offset=1')).toEqual(['three']);
  const { body } = await agent.runtime.get(`${agent.url}/sessions?a=1&limit=1`);
  expect(body._meta, 'counted before paging, and without a cursor').toEqual({ limit: 1, offset: 0, total: 2 });
  for (const [query, message] of [
    ['limit=101', 'Limit must be a whole number from 1 to 100'],
    ['limit=x', 'Limit must be a whole number from 1 to 100'],
    ['limit=-1', 'Limit must be a whole number from 1 to 100'],
    ['limit=1.5', 'Limit must be a whole number from 1 to 100'],
    ['offset=-1', 'Offset must be a whole number of 0 or more'],
  ] as const) {
    expect(await agent.runtime.get(`${agent.url}/sessions?${query}`)).toEqual(refusal(400, message, query.split('=')[0]));
  }
});

test('sessions that were last active in the same millisecond have an order of their own, and pages lose none of them', async ({ api }) => {
  const agent = await api.newAgent();
  await Promise.all(Array.from({ length: 30 }, (_, index) => api.newSession(agent, `id=${index}`)));
  const all = await externalIds(agent);
  const paged = [];
  for (let offset = 0; offset < 30; offset += 7) paged.push(...(await externalIds(agent, `limit=7&offset=${offset}`)));
  expect(paged).toEqual(all);
  expect(new Set(paged).size).toBe(30);
});

test('lastActivityAt moves with each message, and with nothing else', async ({ api }) => {
  const { url, runtime } = await api.newSession(undefined, 'id=one');
  const lastActivity = async () => Date.parse((await runtime.get(url)).body.lastActivityAt);
  const steps: [string, boolean, () => Promise<unknown>][] = [
    ['a message', true, () => runtime.post(`${url}/messages`, { role: 'user', content: 'a' })],
    ['a batch', true, () => runtime.post(`${url}/messages/batch`, { messages: [{ role: 'user', content: 'b' }] })],
    ['an imported message', true, () => runtime.post(`${url}/messages`, { role: 'user', content: 'c', createdAt: '2020-01-01T00:00:00Z' })],
    ['a refused message', false, () => runtime.post(`${url}/messages`, { role: 'user', content: '' })],
    ['a change of the session', false, () => runtime.put(url, { title: 'T' })],
    ['a memory', false, () => runtime.post(`${url}/memories`, { kind: 'fact', content: 'd' })],
    ['a fork', false, () => runtime.post(`${url}/fork`)],
  ];
  for (const [name, moves, step] of steps) {
    const before = await lastActivity();
    api.clock.advance(1000);
    await step();
    const movedMs = (await lastActivity()) - before;
    if (moves) expect(movedMs, name).toBeGreaterThanOrEqual(1000);
    else expect(movedMs, name).toBe(0);
  }
});

test('an archived session is listed, read and written as before', async ({ api }) => {
  const agent = await api.newAgent();
  const { url, runtime } = await api.newSession(agent, 'id=one');
  expect((await runtime.put(url, { status: 'archived' })).body.status).toBe('archived');
  expect((await agent.runtime.get(`${agent.url}/sessions`)).body.sessions).toMatchObject([{ externalId: 'one', status: 'archived' }]);
  expect((await runtime.post(`${url}/messages`, { role: 'user', content: 'hello' })).status).toBe(201);
  expect(await runtime.post(`${agent.url}/sessions?id=one`)).toEqual(refusal(409, ID_TAKEN));
});

test('a deleted session is gone with everything in it at once, and its rows once the jobs are done, however many', async ({ api }) => {
  const agent = await api.newAgent();
  const kept = await api.newSession(agent, 'id=kept&a=1');
  const gone = await api.newSession(agent, 'id=gone&a=1');
  const messages = Array.from({ length: 100 }, (_, index) => ({ role: 'user', content: `message ${index}` }));
  const memories = messages.map(({ content }) => ({ kind: 'fact', content }));
  const ids: string[] = [];
  // More than two steps of a purge.
  for (let batch = 0; batch < 21; batch++) {
    ids.push(made(await gone.runtime.post(`${gone.url}/messages/batch`, { messages })).messages[0].id);
  }
  const memoryId = made(await gone.runtime.post(`${gone.url}/memories/batch`, { memories })).memories[0].id;
  made(await kept.runtime.post(`${kept.url}/messages/batch`, { messages }));
  made(await kept.runtime.post(`${kept.url}/memories`, memories[0]));
  expect(await gone.runtime.delete(gone.url)).toMatchObject({ status: 204, text: '' });
  for (const path of ['', '/messages', '/memories', `/messages/${ids[0]}`, `/memories/${memoryId}`]) {
    expect((await gone.runtime.get(gone.url + path)).status, path).toBe(404);
  }
  expect((await gone.runtime.put(`${gone.url}/messages/${ids[0]}`, { content: 'x' })).status).toBe(404);
  expect((await gone.runtime.delete(`${gone.url}/messages/${ids[0]}`)).status).toBe(404);
  expect((await gone.runtime.delete(`${gone.url}/memories/${memoryId}`)).status).toBe(404);
  expect(await externalIds(agent)).toEqual(['kept']);
  expect(await externalIds(agent, 'a=1')).toEqual(['kept']);
  expect(await api.countRows('messages', agent.workspace.id)).toBe(2200);
  await api.drainJobs();
  expect(await api.countRows('messages', agent.workspace.id)).toBe(100);
  expect(await api.countRows('memories', agent.workspace.id)).toBe(1);
  expect(await api.countRows('session_labels', agent.workspace.id)).toBe(1);
  expect((await kept.runtime.get(`${kept.url}/messages`)).body._meta.total).toBe(100);
});

/** What comes after the purge would stay for ever, so the purge comes while others still write. */
async function deletedAndPurged(api: TestApi, client: Client, url: string): Promise<Answer> {
  const answer = await client.delete(url);
  await api.drainJobs();
  return answer;
}

test('messages and memories written while their session is deleted leave no row behind', async ({ api }) => {
  const agent = await api.newAgent();
  for (let round = 0; round < 5; round++) {
    const { url, runtime } = await api.newSession(agent);
    const { answers } = await atOnce(50, (index) => {
      if (index === 20 + round) return deletedAndPurged(api, runtime, url);
      if (index % 3 === 0) return runtime.post(`${url}/messages`, { role: 'user', content: 'racing' });
      if (index % 3 === 1) return runtime.post(`${url}/memories`, { kind: 'fact', content: 'racing' });
      return runtime.post(`${url}/messages/batch`, { messages: [1, 2, 3].map(() => ({ role: 'user', content: 'racing' })) });
    });
    for (const { status } of answers) expect([201, 204, 404]).toContain(status);
    expect(answers.filter(({ status }) => status === 204)).toHaveLength(1);
  }
  expect(await api.countRows('messages', agent.workspace.id)).toBe(0);
  expect(await api.countRows('memories', agent.workspace.id)).toBe(0);
});

test('sessions made while their agent is deleted leave no row behind', async ({ api }) => {
  const agent = await api.newAgent();
  const { answers } = await atOnce(50, (index) =>
    index === 25 ? deletedAndPurged(api, agent.runtime, agent.url) : agent.runtime.post(`${agent.url}/sessions?id=${index}&a=1`),
  );
  for (const { status } of answers) expect([201, 204, 404]).toContain(status);
  expect(await api.countRows('sessions', agent.workspace.id)).toBe(0);
  expect(await api.countRows('session_labels', agent.workspace.id)).toBe(0);
});

test('an agent can’t go between the look at it and the making of its session', async ({ api }) => {
  const agent = await api.newAgent();
  const place = { workspaceId: agent.workspace.id, agentId: agent.id };
  let deletion: Promise<Answer> | undefined;
  await api.db.transaction(async (tx) => {
    await createSession(insideTransaction(tx), place, { externalId: 'one', labels: {} }, {}, api.clock.nowMs());
    deletion = deletedAndPurged(api, agent.runtime, agent.url);
    // Time enough to delete and purge, were it not made to wait.
    await Promise.race([deletion, sleep(300)]);
  });
  expect((await deletion)?.status).toBe(204);
  expect(await api.countRows('sessions', place.workspaceId)).toBe(0);
});
