/** Signing in while somebody else tries to: who gets in, what it costs, and what the account's own log says of it. */
import { describe, expect, onTestFinished, vi } from 'vitest';
import { type Answer, type Client, made, openApi, type TestApi, test } from '../../test/api.ts';
import { hashPassword, verifyPassword } from '../auth/passwords.ts';
import { newId } from '../db/ids.ts';
import { sql } from '../db/sql.ts';
import { FailedSignIns } from './failed-sign-ins.ts';

vi.mock('../auth/passwords.ts', { spy: true });

const PASSWORD = 'a long and unusual phrase';
// Slow on purpose, and these tests guess by the hundred.
vi.mocked(verifyPassword).mockImplementation(async (password) => password === PASSWORD);

const MINUTE_MS = 60_000;
const newPerson = () => ({ email: `${newId()}@example.com`, name: 'Ada', password: PASSWORD });

async function apiBehindProxy(more: Record<string, string> = {}) {
  const { api, close } = await openApi({ COMMONPLACE_TRUSTED_PROXIES: '127.0.0.1', ...more });
  onTestFinished(close);
  const from = (address: string) => api.client({ 'x-forwarded-for': address });
  return { api, from };
}

async function register(api: TestApi, from: Client = api.anonymous) {
  const person = newPerson();
  const { user } = made(await from.post('/auth/register', person));
  return { ...person, id: user.id as string };
}

const login = (from: Client, { email }: { email: string }, password = PASSWORD) => from.post('/auth/login', { email, password });

async function browserOf(api: TestApi, person: { email: string }): Promise<Client> {
  const answer = await login(api.anonymous, person);
  expect(answer.status, answer.text).toBe(200);
  const cookie = String(answer.headers['set-cookie']).split(';')[0] as string;
  return api.client({ cookie, 'sec-fetch-site': 'same-origin' });
}

test('an owner signs in where they did before while others go on guessing from everywhere', async () => {
  const { api, from } = await apiBehindProxy();
  const owner = await register(api, from('2001:db8:aa:1::5'));
  let refused = 0;
  for (let place = 0; place < 30; place++) {
    for (let guess = 0; guess < 5; guess++) {
      const { status } = await login(from(`2001:db8:${place}:9::${guess}`), owner, 'not the password');
      if (status === 429) refused++;
    }
  }
  // Fifty, but for what a slow machine's minutes give back.
  expect(refused).toBeGreaterThan(40);
  expect((await login(from('2001:db8:bb:1::5'), owner)).status, 'from nowhere known').toBe(429);
  expect((await login(from('2001:db8:aa:1:ffff::9'), owner)).status, 'from the same network').toBe(200);
  expect((await login(from('2001:db8:1:9::1'), owner, 'not the password')).status).toBe(429);
});

test('a new password forgets where the old one was used, and only the latest places are kept', async () => {
  const { api, from } = await apiBehindProxy();
  const owner = await register(api, from('198.51.100.1'));
  for (let place = 2; place <= 25; place++) {
    api.clock.advance(1_000);
    expect((await login(from(`198.51.100.${place}`), owner)).status).toBe(200);
  }
  const known = async () =>
    (await api.db.query(sql<{ address: string }>`select address from known_addresses where user_id = ${owner.id}`)).map(
      ({ address }) => address,
    );
  expect((await known()).sort()).toEqual(Array.from({ length: 20 }, (_, index) => `198.51.100.${index + 6}`).sort());
  const browser = await browserOf(api, owner);
  const changed = await browser.put('/auth/password', { currentPassword: PASSWORD, newPassword: 'another long phrase' });
  expect(changed.status).toBe(204);
  expect(await known()).toEqual([]);
});

test('whoever is signed in changes the password while others guess it', async () => {
  const { api, from } = await apiBehindProxy();
  const owner = await register(api);
  const browser = await browserOf(api, owner);
  for (let place = 0; place < 110; place++) await login(from(`10.0.${place}.1`), owner, 'not the password');
  const body = { currentPassword: PASSWORD, newPassword: 'another long phrase' };
  expect((await browser.put('/auth/password', body, { 'x-forwarded-for': '10.9.9.9' })).status).toBe(204);
});

describe('an IPv6 network is one address, however many of its addresses call', () => {
  // More than the minutes of a slow machine give back.
  const addresses = (count: number) => Array.from({ length: count }, (_, index) => `2001:db8:1:2::${index.toString(16)}`);
  const refusal = /^Too many (failed attempts|accounts from this address)\./;
  const areRefused = (answers: readonly Answer[]) => answers.some(({ body }) => refusal.test(body?.errorMessage));

  test('to a login', async () => {
    const { api, from } = await apiBehindProxy();
    const owner = await register(api);
    const answers = [];
    for (const address of addresses(40)) answers.push(await login(from(address), owner, 'not the password'));
    expect(areRefused(answers)).toBe(true);
    expect((await login(from('2001:db8:1:3::'), owner)).status, 'from another network').toBe(200);
  });

  test('to a change of the password, in whichever session', async () => {
    const { api } = await apiBehindProxy();
    const owner = await register(api);
    const answers = [];
    const body = { currentPassword: 'not the password', newPassword: 'another long phrase' };
    for (let session = 0; session < 30; session++) {
      const browser = await browserOf(api, owner);
      for (const address of addresses(10)) answers.push(await browser.put('/auth/password', body, { 'x-forwarded-for': address }));
    }
    expect(areRefused(answers.slice(0, 10)), 'within what a session may').toBe(false);
    expect(areRefused(answers)).toBe(true);
  });

  test.for(['/auth/register', '/auth/setup'])('to %s', async (path) => {
    const { api, from } = await apiBehindProxy({ COMMONPLACE_REGISTRATION: 'invite' });
    await api.newUser();
    const answers = [];
    for (const address of addresses(1_000)) answers.push(await from(address).post(path, newPerson()));
    expect(areRefused(answers.slice(0, 200))).toBe(false);
    expect(areRefused(answers)).toBe(true);
  });
});

test('no password is hashed for an invite that does not hold', async ({ api }) => {
  const workspace = await api.newWorkspace();
  const invited = newPerson();
  const invite = made(await workspace.owner.post(`${workspace.url}/invites`, { email: invited.email, role: 'readonly' }));
  const hashed = vi.mocked(hashPassword).mockClear();
  const register = (person: object, inviteToken: string) => api.anonymous.post('/auth/register', { ...person, inviteToken });
  expect(await register(newPerson(), 'cpi_made-up')).toMatchObject({ status: 404, body: { errorMessage: 'Invite not found' } });
  expect(await register(newPerson(), invite.token)).toMatchObject({
    status: 403,
    body: { errorMessage: 'This invite is for another e-mail address' },
  });
  expect(hashed).not.toHaveBeenCalled();
  expect((await register(invited, invite.token)).status).toBe(201);
  expect(hashed).toHaveBeenCalledOnce();
  expect(await register(invited, invite.token)).toMatchObject({ status: 409, body: { errorMessage: 'This invite is accepted' } });
  expect(hashed).toHaveBeenCalledOnce();
});

test('an invite that is withdrawn while the password is hashed makes no account', async ({ api }) => {
  const workspace = await api.newWorkspace();
  const person = newPerson();
  const invite = made(await workspace.owner.post(`${workspace.url}/invites`, { email: person.email, role: 'admin' }));
  vi.mocked(hashPassword).mockImplementationOnce(async () => {
    expect((await workspace.owner.delete(`${workspace.url}/invites/${invite.id}`)).status).toBe(204);
    return 'never used';
  });
  expect((await api.anonymous.post('/auth/register', { ...person, inviteToken: invite.token })).status).toBe(404);
  expect(await api.db.query(sql`select id from users where email = ${person.email}`)).toEqual([]);
});

interface Entry {
  action: string;
  actorType: string;
  resourceId: string;
  detail: Record<string, unknown>;
  address: string;
}

async function auditsOf(client: Client, query = ''): Promise<Entry[]> {
  const { status, body, text } = await client.get(`/me/audits${query}`);
  expect(status, text).toBe(200);
  return body.audits;
}

const settled = (api: TestApi) => (api.app.context.failedSignIns as FailedSignIns).flush();

test('an account reads in its own log who signed in, who failed to, and who signed out', async ({ api }) => {
  const person = await register(api);
  expect((await login(api.anonymous, person, 'not the password')).status).toBe(401);
  await settled(api);
  const browser = await browserOf(api, person);
  expect((await (await browserOf(api, person)).post('/auth/logout')).status).toBe(204);
  const entries = await auditsOf(browser);
  expect(entries.map(({ action, actorType }) => [action, actorType])).toEqual([
    ['user.logout', 'user'],
    ['user.login', 'user'],
    ['user.login', 'user'],
    ['user.login_failed', 'system'],
    ['user.create', 'user'],
  ]);
  for (const entry of entries) expect(entry).toMatchObject({ resourceId: person.id, address: '127.0.0.1' });
  expect(entries[3]?.detail).toEqual({ email: person.email, attempts: 1 });
  expect(JSON.stringify(entries)).not.toContain('password"');
  expect(JSON.stringify(entries)).not.toContain('not the password');
});

test('the log of an account can be narrowed and paged, and shows nobody else’s', async ({ api }) => {
  const [person, other] = [await register(api), await register(api)];
  const browser = await browserOf(api, person);
  await browserOf(api, other);
  made(await browser.post('/apiKeys', { name: 'Laptop' }));
  expect((await auditsOf(browser)).map(({ action }) => action)).toEqual(['api_key.create', 'user.login', 'user.create']);
  expect((await auditsOf(browser, '?action=user.login')).map(({ resourceId }) => resourceId)).toEqual([person.id]);
  expect(await auditsOf(browser, '?since=2999-01-01T00:00:00Z')).toEqual([]);
  expect(await auditsOf(browser, '?until=2000-01-01T00:00:00Z')).toEqual([]);
  // Another's id is no parameter of this list.
  expect(await auditsOf(browser, `?actorId=${other.id}`)).toHaveLength(3);
  const { body } = await browser.get('/me/audits?limit=2');
  expect(body._meta).toMatchObject({ limit: 2, offset: 0, total: 3, cursor: expect.any(String) });
  expect(await auditsOf(browser, `?limit=2&cursor=${body._meta.cursor}`)).toMatchObject([{ action: 'user.create' }]);
  // Nothing of a workspace is in it.
  const workspace = made(await browser.post('/workspaces', { name: 'Somewhere' }));
  expect((await auditsOf(browser)).map(({ action }) => action)).not.toContain('workspace.create');
  expect((await browser.delete(`/workspaces/${workspace.id}`)).status).toBe(204);
  expect((await auditsOf(browser))[0]).toMatchObject({ action: 'workspace.delete', resourceId: workspace.id });
});

test('an account that is not there leaves no entry', async ({ api }) => {
  const count = async () => (await api.db.query(sql`select id from audits where action = 'user.login_failed'`)).length;
  const before = await count();
  expect((await login(api.anonymous, newPerson())).status).toBe(401);
  await settled(api);
  expect(await count()).toBe(before);
});

test('a thousand wrong passwords are a handful of entries, and every one of them is counted', async ({ api }) => {
  const { id, email, name } = await register(api);
  const log = new FailedSignIns(api.db, api.clock, api.app.context.log);
  const note = (count: number) => {
    for (let n = 0; n < count; n++) log.note({ id, email, name, role: 'user' }, { address: '192.0.2.1', requestId: 'test' });
  };
  note(500);
  api.clock.advance(11 * MINUTE_MS);
  note(500);
  await log.close();
  const entries = await api.db.query(sql<{ detail: string }>`
    select detail from audits where action = 'user.login_failed' and actor_id = ${id} order by id`);
  expect(entries.map(({ detail }) => JSON.parse(detail).attempts)).toEqual([1, 500, 499]);
});
