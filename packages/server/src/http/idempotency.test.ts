/** `Idempotency-Key`: a request that is sent again is not carried out again. */
import { pino } from 'pino';
import { expect } from 'vitest';
import { Client, type TestApi, test } from '../../test/api.ts';
import { createApp } from '../app.ts';
import { NO_WORKSPACE_ID } from '../db/ids.ts';
import { sql } from '../db/sql.ts';

const HOUR_MS = 60 * 60 * 1000;

const key = (value: string) => ({ 'idempotency-key': value });
const workspacesOf = async (client: Client) => (await client.get('/workspaces')).body._meta.total as number;

async function newCaller(api: TestApi): Promise<Client> {
  return (await api.newUser()).client;
}

test('the same key and body give the same answer, byte for byte', async ({ api }) => {
  const client = await newCaller(api);
  const first = await client.post('/workspaces', { name: 'Only once' }, key('a'));
  const second = await client.post('/workspaces', { name: 'Only once' }, key('a'));
  expect([first.status, first.headers['idempotency-replayed']]).toEqual([201, undefined]);
  expect([second.status, second.headers['idempotency-replayed']]).toEqual([201, 'true']);
  expect(second.text).toBe(first.text);
  expect(second.headers['content-type']).toBe(first.headers['content-type']);
  expect(second.headers['x-request-id']).not.toBe(first.headers['x-request-id']);
  expect(await workspacesOf(client)).toBe(1);
});

test('an answer without a body is kept too', async ({ api }) => {
  const client = await newCaller(api);
  for (const replayed of [undefined, 'true']) {
    const answer = await client.post('/auth/logout', undefined, key('out'));
    expect([answer.status, answer.text, answer.headers['idempotency-replayed']]).toEqual([204, '', replayed]);
  }
});

test('another body, or another path, is 409', async ({ api }) => {
  const { owner, url } = await api.newWorkspace();
  await owner.post('/workspaces', { name: 'Only once' }, key('a'));
  const refusal = { status: 409, body: { errorMessage: 'This Idempotency-Key was used for another request', code: 'conflict' } };
  expect(await owner.post('/workspaces', { name: 'Another' }, key('a'))).toMatchObject(refusal);
  // On Citus a key is one of its workspace: the others are on other machines.
  const inside = await owner.post(`${url}/invites`, { email: 'a@example.com', role: 'admin' }, key('a'));
  if (!api.db.isDistributed) expect(inside).toMatchObject(refusal);
  expect(await owner.post('/workspaces?x=1', { name: 'Only once' }, key('a'))).toMatchObject(refusal);
  expect(await workspacesOf(owner)).toBe(2);
});

test('callers are independent of each other', async ({ api }) => {
  const [one, other] = [await newCaller(api), await newCaller(api)];
  const first = await one.post('/workspaces', { name: 'Only once' }, key('shared'));
  const second = await other.post('/workspaces', { name: 'Only once' }, key('shared'));
  expect(second).toMatchObject({ status: 201 });
  expect(second.headers['idempotency-replayed']).toBeUndefined();
  expect(second.body.id).not.toBe(first.body.id);
});

test('a user is one caller, by API key and by cookie', async ({ api }) => {
  const user = await api.newUser();
  const first = await user.client.post('/workspaces', { name: 'Only once' }, key('a'));
  const second = await (await api.newBrowser(user)).post('/workspaces', { name: 'Only once' }, key('a'));
  expect([second.status, second.text]).toEqual([201, first.text]);
});

test('of twenty at once, one is carried out and all are answered alike', async ({ api }) => {
  const client = await newCaller(api);
  const answers = await Promise.all(Array.from({ length: 20 }, () => client.post('/workspaces', { name: 'Only once' }, key('crowd'))));
  expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
  expect(answers[0]?.status).toBe(201);
  expect(answers.filter(({ headers }) => headers['idempotency-replayed'] === 'true')).toHaveLength(19);
  expect(await workspacesOf(client)).toBe(1);
});

test('of twenty at once that make a secret, one shows it', async ({ api }) => {
  const client = await newCaller(api);
  const answers = await Promise.all(Array.from({ length: 20 }, () => client.post('/apiKeys', { name: 'Only once' }, key('crowd'))));
  expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array(19).fill(409)]);
  expect((await client.get('/apiKeys')).body._meta.total).toBe(2);
});

test('a failure is not kept', async ({ api }) => {
  const client = await newCaller(api);
  expect((await client.post('/workspaces', { name: 'x' }, key('a'))).status).toBe(400);
  expect((await client.post('/workspaces', { name: 'Long enough' }, key('a'))).status).toBe(201);
});

test('a failure in the middle of the work is not kept either', async ({ api }) => {
  const { owner, url } = await api.newWorkspace();
  const invite = { email: 'twice@example.com', role: 'admin' };
  const pending = await owner.post(`${url}/invites`, invite);
  expect((await owner.post(`${url}/invites`, invite, key('again'))).status).toBe(409);
  await owner.delete(`${url}/invites/${pending.body.id}`);
  const retried = await owner.post(`${url}/invites`, invite, key('again'));
  expect([retried.status, retried.headers['idempotency-replayed']]).toEqual([201, undefined]);
});

test('an answer that carries a secret is not kept: its replay is 409 and names what was made', async ({ api }) => {
  const { owner, url } = await api.newWorkspace();
  for (const [path, body, secret] of [
    ['/apiKeys', { name: 'Only once' }, 'key'],
    [`${url}/keys`, { name: 'Only once', permissions: ['CAN_GET_AGENT'] }, 'key'],
    [`${url}/invites`, { email: 'once@example.com', role: 'admin' }, 'token'],
  ] as const) {
    const first = await owner.post(path, body, key(path));
    expect([path, first.status]).toEqual([path, 201]);
    const second = await owner.post(path, body, key(path));
    expect(second).toMatchObject({ status: 409, body: { errorMessage: expect.stringContaining(first.body.id) } });
    expect(second.text).not.toContain(first.body[secret]);
    const rows = await api.db.query(sql<{ answer: string | null }>`select answer from idempotency_keys`);
    expect(rows.filter(({ answer }) => answer?.includes(first.body[secret]))).toEqual([]);
  }
});

test('every route whose answer carries a secret says so', ({ api }) => {
  const secretive = api.app.api.routes.filter(({ answers }) => {
    const shape = (answers.body as { shape?: Record<string, unknown> } | undefined)?.shape ?? {};
    return 'key' in shape || 'token' in shape || 'secret' in shape;
  });
  expect(secretive.length).toBeGreaterThanOrEqual(3);
  for (const { path, made } of secretive) expect([path, typeof made]).toEqual([path, 'function']);
});

test('a key is forgotten after 24 hours, and not before', async ({ api }) => {
  const client = await newCaller(api);
  const first = await client.post('/workspaces', { name: 'Only once' }, key('a'));
  api.clock.advance(24 * HOUR_MS - 60_000);
  expect((await client.post('/workspaces', { name: 'Only once' }, key('a'))).text).toBe(first.text);
  api.clock.advance(60_001);
  const later = await client.post('/workspaces', { name: 'Another body' }, key('a'));
  expect([later.status, later.headers['idempotency-replayed']]).toEqual([201, undefined]);
  expect(await workspacesOf(client)).toBe(2);
});

test('a key that a node of an earlier version took, which names no workspace, is found', async ({ api }) => {
  // Such nodes and Citus are not met together.
  if (api.db.isDistributed) return;
  const { runtime, url } = await api.newSession();
  const send = () => runtime.post(`${url}/messages`, { role: 'user', content: 'Once' }, key('of-an-earlier-node'));
  const first = await send();
  const asBefore = sql`update idempotency_keys set workspace_id = ${NO_WORKSPACE_ID} where key = ${'of-an-earlier-node'}`;
  expect(await api.db.run(asBefore)).toBe(1);
  const second = await send();
  expect([second.status, second.text, second.headers['idempotency-replayed']]).toEqual([201, first.text, 'true']);
  expect((await runtime.get(`${url}/messages`)).body.messages).toHaveLength(1);
});

test('a key that ran out is free again, wherever it was used', async ({ api }) => {
  const { owner, url } = await api.newWorkspace();
  expect((await owner.post('/workspaces', { name: 'Before' }, key('a'))).status).toBe(201);
  api.clock.advance(24 * HOUR_MS + 1);
  const inside = await owner.post(`${url}/invites`, { email: 'a@example.com', role: 'admin' }, key('a'));
  expect([inside.status, inside.headers['idempotency-replayed']]).toEqual([201, undefined]);
});

test('a key outlives a restart', async ({ api }) => {
  const client = await newCaller(api);
  const first = await client.post('/workspaces', { name: 'Only once' }, key('a'));
  const restarted = await createApp(api.app.context.config, api.db, pino({ level: 'silent' }), api.clock);
  try {
    const second = await new Client(restarted.server, client.headers).post('/workspaces', { name: 'Only once' }, key('a'));
    expect([second.status, second.text, second.headers['idempotency-replayed']]).toEqual([201, first.text, 'true']);
  } finally {
    await restarted.close();
  }
});

test.for(['', ' ', 'two words', 'é', 'x'.repeat(256)])('“%s” is no key: 400, and nothing is made', async (value, { api }) => {
  const client = await newCaller(api);
  const answer = await client.post('/workspaces', { name: 'Never' }, key(value));
  expect(answer).toMatchObject({
    status: 400,
    body: { errorMessage: 'Idempotency-Key must be 1 to 255 printable ASCII characters without spaces' },
  });
  expect(await workspacesOf(client)).toBe(0);
});

test('255 characters are a key', async ({ api }) => {
  const client = await newCaller(api);
  expect((await client.post('/workspaces', { name: 'Once' }, key('x'.repeat(255)))).status).toBe(201);
});

test('a change that is sent again is not made again, whatever was changed meanwhile', async ({ api }) => {
  const { owner, url } = await api.newWorkspace();
  const first = await owner.put(url, { name: 'First name' }, key('a'));
  expect((await owner.put(url, { name: 'Second name' }, key('b'))).status).toBe(200);
  const again = await owner.put(url, { name: 'First name' }, key('a'));
  expect([again.status, again.text, again.headers['idempotency-replayed']]).toEqual([200, first.text, 'true']);
  expect((await owner.get(url)).body.name).toBe('Second name');
  expect((await owner.put(url, { name: 'Third name' }, key('a'))).status).toBe(409);
});

test('a deletion that is sent again is answered as the first one, and one of what was not there is not kept', async ({ api }) => {
  const { runtime, url } = await api.newAgent();
  const fresh = '019b0000-0000-7000-8000-000000000000';
  for (const replayed of [undefined, 'true']) {
    const answer = await runtime.delete(url, undefined, key('gone'));
    expect([answer.status, answer.text, answer.headers['idempotency-replayed']]).toEqual([204, '', replayed]);
  }
  expect((await runtime.delete(url, undefined, key('another'))).status).toBe(404);
  const missing = url.replace(/[^/]+$/, fresh);
  for (const _ of [1, 2]) expect((await runtime.delete(missing, undefined, key('missing'))).status).toBe(404);
});

test('of a batch of deletions that is sent again, the first answer holds', async ({ api }) => {
  const { runtime, url } = await api.newSession();
  const { body } = await runtime.post(`${url}/messages`, { role: 'user', content: 'Hello' });
  for (const replayed of [undefined, 'true']) {
    const answer = await runtime.delete(`${url}/messages/batch`, { ids: [body.id] }, key('batch'));
    expect([answer.status, answer.headers['idempotency-replayed']]).toEqual([204, replayed]);
  }
  expect((await runtime.delete(`${url}/messages/batch`, { ids: [body.id] }, key('later'))).status).toBe(404);
});

test('what only reads takes no notice of it', async ({ api }) => {
  const { owner, url } = await api.newWorkspace();
  expect((await owner.get(url, key(''))).status).toBe(200);
});

test('a key does not open what is closed by now', async ({ api }) => {
  const workspace = await api.newWorkspace();
  const admin = await api.newMember(workspace, 'admin');
  const invite = { email: 'once@example.com', role: 'admin' };
  expect((await admin.client.post(`${workspace.url}/invites`, invite, key('a'))).status).toBe(201);
  await workspace.owner.put(`${workspace.url}/members/${admin.id}`, { role: 'readonly' });
  expect((await admin.client.post(`${workspace.url}/invites`, invite, key('a'))).status).toBe(403);
});
