import { expect } from 'vitest';
import { test } from '../../test/api.ts';
import { newId } from '../db/ids.ts';
import { sql } from '../db/sql.ts';

const anId = expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
const aTime = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
const REFUSED = { status: 401, body: { errorMessage: 'Invalid API key.' } };

test('POST answers 201 with the key, which is shown this once and works at once', async ({ api }) => {
  const user = await api.newUser();
  const created = await user.client.post('/apiKeys', { name: 'Laptop' });
  expect(created.status).toBe(201);
  const { key, ...rest } = created.body;
  expect(key).toMatch(/^cpu_[0-9A-Za-z]{38}$/);
  expect(rest).toEqual({
    id: anId,
    userId: user.id,
    name: 'Laptop',
    hint: `cpu_…${key.slice(-4)}`,
    expiresAt: null,
    lastUsedAt: null,
    createdAt: aTime,
    updatedAt: rest.createdAt,
  });
  expect((await user.client.get(`/apiKeys/${rest.id}`)).body).toEqual(rest);
  expect((await user.client.get('/apiKeys?limit=1')).body.keys).toEqual([rest]);
  expect(await api.client({ 'x-api-key': key }).get('/me')).toMatchObject({ status: 200, body: { owner: { id: user.id } } });
});

test('only a hash of the key is stored', async ({ api }) => {
  const user = await api.newUser();
  const { body } = await user.client.post('/apiKeys', { name: 'Hashed' });
  const [row] = await api.db.query(sql<{ hash: string }>`select * from api_keys where id = ${body.id}`);
  expect(JSON.stringify(row)).not.toContain(body.key.slice(0, -4));
  expect(row?.hash).toMatch(/^[0-9a-f]{64}$/);
});

test.for([
  ['a', 201, undefined],
  ['a'.repeat(255), 201, undefined],
  ['🗝'.repeat(255), 201, undefined],
  ['a'.repeat(256), 400, 'Name must not exceed 255 characters'],
  ['', 400, 'Name is required'],
  ['  ', 400, 'Name is required'],
  [null, 400, 'Name is required'],
  [undefined, 400, 'Name is required'],
  [7, 400, 'Name must be a string'],
] as const)('a name of %j is %i', async ([name, status, message], { api }) => {
  const { client } = await api.newUser();
  const answer = await client.post('/apiKeys', { name });
  expect(answer.status).toBe(status);
  if (status === 201) expect(answer.body.name).toBe(name);
  else expect(answer.body).toMatchObject({ errorMessage: message, details: [{ path: 'name', message }] });
});

test.for([
  ['2020-01-01T00:00:00Z', 'Expires at must be in the future'],
  ['tomorrow', 'Expires at must be a valid date-time'],
  ['2099-01-01', 'Expires at must be a valid date-time'],
  ['2099-02-31T00:00:00Z', 'Expires at must be a valid date-time'],
  ['', 'Expires at is required'],
  [1_900_000_000, 'Expires at must be a string'],
] as const)('an expiresAt of %j is 400', async ([expiresAt, message], { api }) => {
  const { client } = await api.newUser();
  expect(await client.post('/apiKeys', { name: 'a key', expiresAt })).toMatchObject({
    status: 400,
    body: { errorMessage: message, details: [{ path: 'expiresAt', message }] },
  });
  expect((await client.get('/apiKeys')).body._meta.total).toBe(1);
});

test('an expiresAt is answered in UTC; null is as good as none; now is too late, a second later is not', async ({ api }) => {
  const { client } = await api.newUser();
  expect((await client.post('/apiKeys', { name: 'a', expiresAt: '2099-06-01T12:00:00+02:00' })).body.expiresAt).toBe(
    '2099-06-01T10:00:00.000Z',
  );
  expect((await client.post('/apiKeys', { name: 'b', expiresAt: null })).body.expiresAt).toBeNull();
  const at = (ms: number) => new Date(api.clock.nowMs() + ms).toISOString();
  expect((await client.post('/apiKeys', { name: 'c', expiresAt: at(0) })).status).toBe(400);
  expect((await client.post('/apiKeys', { name: 'd', expiresAt: at(1000) })).status).toBe(201);
});

test('a key is refused from its hour of expiry on, remembered or not', async ({ api }) => {
  const user = await api.newUser();
  const expiresAt = new Date(api.clock.nowMs() + 60_000).toISOString();
  const { body } = await user.client.post('/apiKeys', { name: 'short', expiresAt });
  const { body: unused } = await user.client.post('/apiKeys', { name: 'never used', expiresAt });
  const key = api.client({ 'x-api-key': body.key });
  expect((await key.get('/me')).status).toBe(200);
  api.clock.advance(50_000);
  expect((await key.get('/me')).status).toBe(200);
  api.clock.advance(11_000);
  expect(await key.get('/me')).toMatchObject(REFUSED);
  expect(await api.client({ 'x-api-key': unused.key }).get('/me')).toMatchObject(REFUSED);
  expect((await user.client.get('/me')).status).toBe(200);
});

test('a deleted key is refused at the next request, and gone from the list', async ({ api }) => {
  const user = await api.newUser();
  const { body } = await user.client.post('/apiKeys', { name: 'to go' });
  const key = api.client({ 'x-api-key': body.key });
  expect((await key.get('/me')).status).toBe(200);
  expect(await user.client.delete(`/apiKeys/${body.id}`)).toMatchObject({ status: 204, text: '' });
  expect(await key.get('/me')).toMatchObject(REFUSED);
  for (const method of ['GET', 'DELETE']) {
    expect(await user.client.send(method, `/apiKeys/${body.id}`)).toMatchObject({
      status: 404,
      body: { errorMessage: 'API key not found' },
    });
  }
  expect((await user.client.get('/apiKeys')).body._meta.total).toBe(1);
});

test('a key may delete itself', async ({ api }) => {
  const { client } = await api.newUser();
  const { body } = await client.get('/me');
  expect((await client.delete(`/apiKeys/${body.apiKey.id}`)).status).toBe(204);
  expect(await client.get('/me')).toMatchObject(REFUSED);
});

test('the list is the caller’s own, newest first, by pages', async ({ api }) => {
  const user = await api.newUser();
  const other = await api.newUser();
  await other.client.post('/apiKeys', { name: 'not yours' });
  for (let number = 1; number <= 4; number++) await user.client.post('/apiKeys', { name: `Key ${number}` });
  const { body } = await user.client.get('/apiKeys');
  expect(body._meta).toEqual({ limit: 50, offset: 0, total: 5 });
  expect(body.keys.map(({ name }: { name: string }) => name)).toEqual(['Key 4', 'Key 3', 'Key 2', 'Key 1', 'test']);
  expect((await user.client.get('/apiKeys?limit=2&offset=1')).body).toEqual({
    keys: body.keys.slice(1, 3),
    _meta: { limit: 2, offset: 1, total: 5, cursor: expect.any(String) },
  });
  expect((await user.client.get('/apiKeys?offset=9')).body).toEqual({ keys: [], _meta: { limit: 50, offset: 9, total: 5 } });
  expect((await user.client.get('/apiKeys?limit=-1')).status).toBe(400);
});

test('another user’s key is 404 and stays', async ({ api }) => {
  const user = await api.newUser();
  const other = await api.newUser();
  const { body } = await other.client.post('/apiKeys', { name: 'mine' });
  for (const id of [body.id, newId(), 'not-an-id']) {
    for (const method of ['GET', 'DELETE']) {
      expect(await user.client.send(method, `/apiKeys/${id}`), `${method} ${id}`).toMatchObject({
        status: 404,
        body: { errorMessage: 'API key not found' },
      });
    }
  }
  expect((await api.client({ 'x-api-key': body.key }).get('/me')).status).toBe(200);
});

test('lastUsedAt appears after use, and moves at most once a minute', async ({ api }) => {
  const user = await api.newUser();
  const { body } = await user.client.post('/apiKeys', { name: 'used' });
  const key = api.client({ 'x-api-key': body.key });
  const lastUsedAt = async () => {
    await api.app.context.callers.flush();
    return (await user.client.get(`/apiKeys/${body.id}`)).body.lastUsedAt;
  };
  expect(await lastUsedAt()).toBeNull();
  const usedMs = api.clock.nowMs();
  await key.get('/me');
  const usedByMs = api.clock.nowMs();
  const first = await lastUsedAt();
  expect(first).toEqual(aTime);
  expect(Date.parse(first)).toBeGreaterThanOrEqual(usedMs);
  expect(Date.parse(first)).toBeLessThanOrEqual(usedByMs);
  api.clock.advance(30_000);
  await key.get('/me');
  expect(await lastUsedAt()).toBe(first);
  api.clock.advance(31_000);
  await key.get('/me');
  expect(Date.parse(await lastUsedAt())).toBeGreaterThanOrEqual(Date.parse(first) + 60_000);
});
