import { pino } from 'pino';
import { describe, expect, inject, onTestFinished } from 'vitest';
import { type Answer, Client, openApi, type TestApi, test } from '../../test/api.ts';
import { createApp } from '../app.ts';
import { hashPassword } from '../auth/passwords.ts';
import { type Environment, readConfig } from '../config.ts';
import { newId } from '../db/ids.ts';
import { openDatabase } from '../db/open.ts';
import { raw, sql } from '../db/sql.ts';
import { createFirstUser } from './store.ts';

const anId = expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
const aTime = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
const DAY_MS = 24 * 60 * 60 * 1000;
const PASSWORD = 'a long and unusual phrase';

const newEmail = () => `${newId()}@example.com`;
const newPerson = () => ({ email: newEmail(), name: 'Ada', password: PASSWORD });

/** A service of its own, gone with the test. */
async function ownApi(environment: Environment = {}): Promise<TestApi> {
  const { api, close } = await openApi(environment);
  onTestFinished(close);
  return api;
}

/** The cookie that an answer sets: its value, and its flags by name. */
function cookieOf(answer: Answer): { value: string; flags: Record<string, string | true> } {
  const [pair = '', ...flags] = String(answer.headers['set-cookie']).split('; ');
  expect(pair).toMatch(/^commonplace_session=/);
  return {
    value: pair.slice('commonplace_session='.length),
    flags: Object.fromEntries(flags.map((flag) => flag.split('=') as [string, string?]).map(([name, value]) => [name, value ?? true])),
  };
}

/** The browser that got this answer. */
function browserOf(api: TestApi, answer: Answer): Client {
  return api.client({ cookie: `commonplace_session=${cookieOf(answer).value}`, 'sec-fetch-site': 'same-origin' });
}

async function register(api: TestApi, person = newPerson()) {
  const answer = await api.anonymous.post('/auth/register', person);
  expect(answer.status).toBe(201);
  return { ...person, id: answer.body.user.id as string, browser: browserOf(api, answer) };
}

async function countUsers(api: TestApi, email: string): Promise<number> {
  return (await api.db.query(sql`select id from users where email = ${email}`)).length;
}

describe('setup', () => {
  test('the first account administers; there is no second setup', async () => {
    const api = await ownApi();
    expect((await api.anonymous.get('/auth/status')).body).toEqual({ needsSetup: true, registration: 'open' });
    const person = newPerson();
    const answer = await api.anonymous.post('/auth/setup', person);
    expect(answer.status).toBe(201);
    expect(answer.body).toEqual({ user: { id: anId, email: person.email, name: 'Ada', role: 'admin' } });
    expect((await browserOf(api, answer).get('/me')).body).toEqual({ principalType: 'USER', owner: answer.body.user });
    expect((await api.anonymous.get('/auth/status')).body).toEqual({ needsSetup: false, registration: 'open' });
    const again = await api.anonymous.post('/auth/setup', newPerson());
    expect(again).toMatchObject({ status: 409, body: { errorMessage: 'There is an account already; sign in instead' } });
    expect(again.headers['set-cookie']).toBeUndefined();
    expect((await api.anonymous.post('/auth/register', newPerson())).body.user.role).toBe('user');
  });

  test('of many setups at once exactly one succeeds', async () => {
    const api = await ownApi();
    const answers = await Promise.all(Array.from({ length: 6 }, () => api.anonymous.post('/auth/setup', newPerson())));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409, 409, 409]);
    expect(await api.db.query(sql`select id from users`)).toHaveLength(1);
  });

  test('of many first accounts at once exactly one is made, however close they come', async () => {
    // Without the hashing, which lets two requests through at a time.
    const api = await ownApi();
    const origin = { address: 'test', requestId: 'test' };
    const make = () => createFirstUser(api.db, origin, { email: newEmail(), name: 'Ada', passwordHash: null }, api.clock.nowMs());
    for (let round = 0; round < 10; round++) {
      const results = await Promise.allSettled(Array.from({ length: 8 }, make));
      expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
      expect(await api.db.query(sql`select id from users`)).toHaveLength(1);
      await api.db.run(sql`delete from users`);
    }
  });
});

describe('the fields of an account', () => {
  const cases = [
    [{ email: undefined }, 'Email is required'],
    [{ email: 'nobody' }, 'Email must be a valid e-mail address'],
    [{ email: 'a@b c' }, 'Email must be a valid e-mail address'],
    [{ email: 'a\0@example.com' }, 'Email must be a valid e-mail address'],
    [{ email: `${'a'.repeat(243)}@example.com` }, 'Email must not exceed 254 characters'],
    [{ name: undefined }, 'Name is required'],
    [{ name: '   ' }, 'Name is required'],
    [{ name: 'a'.repeat(101) }, 'Name must not exceed 100 characters'],
    [{ password: undefined }, 'Password is required'],
    [{ password: '' }, 'Password is required'],
    [{ password: 'ninechars' }, 'Password must be at least 10 characters'],
    [{ password: '🦉'.repeat(9) }, 'Password must be at least 10 characters'],
    [{ password: 'ab'.repeat(101) }, 'Password must not exceed 200 characters'],
    [{ password: 'password123' }, 'Password is among the most common ones; choose another'],
    [{ password: 'QwertyUiop' }, 'Password is among the most common ones; choose another'],
    [{ password: '1234567890' }, 'Password is among the most common ones; choose another'],
    [{ password: 'zzzzzzzzzzzzzzzz' }, 'Password is among the most common ones; choose another'],
  ] as const;

  test.for(cases)('an account with %j is 400, and not made', async ([fields, message], { api }) => {
    const before = await api.db.query(sql`select id from users order by id`);
    const body = JSON.stringify({ ...newPerson(), ...fields });
    const answer = await api.anonymous.post('/auth/register', body, { 'content-type': 'application/json' });
    expect(answer).toMatchObject({ status: 400, body: { errorMessage: message, details: [{ path: Object.keys(fields)[0], message }] } });
    expect(answer.headers['set-cookie']).toBeUndefined();
    expect(await api.db.query(sql`select id from users order by id`)).toEqual(before);
  });

  test.for([
    { name: 'A' },
    { name: '🦉'.repeat(100) },
    { password: 'ten chars.' },
    { password: 'ab'.repeat(100) },
    { password: '🦉🐌'.repeat(100) },
  ])('an account with %j is made, and can sign in', async (fields, { api }) => {
    const person = { ...newPerson(), ...fields };
    expect((await api.anonymous.post('/auth/register', person)).body.user.name).toBe(person.name);
    const { email, password } = person;
    expect((await api.anonymous.post('/auth/login', { email, password })).status).toBe(200);
  });
});

describe('registration', () => {
  test('answers 201 with the user, and signs in', async ({ api }) => {
    const person = newPerson();
    const answer = await api.anonymous.post('/auth/register', { ...person, email: `  ${person.email.toUpperCase()} `, name: ' Ada  ' });
    expect(answer.status).toBe(201);
    expect(answer.body).toEqual({ user: { id: anId, email: person.email, name: 'Ada', role: 'user' } });
    expect((await browserOf(api, answer).get('/me')).body).toEqual({ principalType: 'USER', owner: answer.body.user });
  });

  test('an address that has an account is 409, in any case of letters', async ({ api }) => {
    const person = await register(api);
    for (const email of [person.email, person.email.toUpperCase()]) {
      const answer = await api.anonymous.post('/auth/register', { ...newPerson(), email });
      expect(answer).toMatchObject({ status: 409, body: { errorMessage: 'This e-mail address has an account already' } });
      expect(answer.headers['set-cookie']).toBeUndefined();
    }
  });

  test('of 20 registrations of one address at once exactly one succeeds', async ({ api }) => {
    const email = newEmail();
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        api.anonymous.post('/auth/register', { ...newPerson(), email: index % 2 ? email : email.toUpperCase() }),
      ),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array(19).fill(409)]);
    expect(await countUsers(api, email)).toBe(1);
    const [row] = await api.db.query(sql<{ n: number }>`
      select count(*) as n from audits where action = 'user.create' and detail like ${`%${email}%`}`);
    expect(row?.n).toBe(1);
  });

  test('by invite: no token is 403; a token makes the account a member at once', async () => {
    const api = await ownApi({ COMMONPLACE_REGISTRATION: 'invite' });
    expect((await api.anonymous.get('/auth/status')).body.registration).toBe('invite');
    const workspace = await api.newWorkspace();
    const person = newPerson();
    for (const inviteToken of [undefined, null, '']) {
      expect(await api.anonymous.post('/auth/register', { ...person, inviteToken })).toMatchObject({
        status: 403,
        body: { errorMessage: 'Registration is by invite; an invite token is needed' },
      });
    }
    const { body: invite } = await workspace.owner.post(`${workspace.url}/invites`, { email: person.email, role: 'admin' });
    // The id of an invite is no secret, and proves nothing.
    for (const inviteToken of ['cpi_made-up', invite.id]) {
      expect(await api.anonymous.post('/auth/register', { ...person, inviteToken }), inviteToken).toMatchObject({
        status: 404,
        body: { errorMessage: 'Invite not found' },
      });
    }
    expect(await countUsers(api, person.email)).toBe(0);

    const answer = await api.anonymous.post('/auth/register', { ...person, inviteToken: invite.token });
    expect(answer.status).toBe(201);
    expect(answer.body).toEqual({ user: { id: anId, email: person.email, name: 'Ada', role: 'user' } });
    expect((await browserOf(api, answer).get(workspace.url)).body).toMatchObject({ role: 'admin', membersCount: 2 });
    expect((await workspace.owner.get(`${workspace.url}/invites/${invite.id}`)).body.status).toBe('accepted');
  });

  test('a token for another address is 403, a used or expired one 409; then there is no account', async ({ api }) => {
    const workspace = await api.newWorkspace();
    const invited = newPerson();
    const { body: invite } = await workspace.owner.post(`${workspace.url}/invites`, { email: invited.email, role: 'readonly' });
    const other = newPerson();
    const wrong = await api.anonymous.post('/auth/register', { ...other, inviteToken: invite.token });
    expect(wrong).toMatchObject({ status: 403, body: { errorMessage: 'This invite is for another e-mail address' } });
    expect(wrong.headers['set-cookie']).toBeUndefined();
    api.clock.advance(7 * DAY_MS + 1000);
    const expired = await api.anonymous.post('/auth/register', { ...invited, inviteToken: invite.token });
    expect(expired).toMatchObject({ status: 409, body: { errorMessage: 'This invite is expired' } });
    expect(await countUsers(api, other.email)).toBe(0);
    expect(await countUsers(api, invited.email)).toBe(0);
    expect((await workspace.owner.get(workspace.url)).body.membersCount).toBe(1);
  });

  test('an account may also register first and accept later', async ({ api }) => {
    const workspace = await api.newWorkspace();
    const person = await register(api);
    const { body: invite } = await workspace.owner.post(`${workspace.url}/invites`, { email: person.email, role: 'readonly' });
    expect((await api.anonymous.post('/auth/register', { ...newPerson(), email: person.email, inviteToken: invite.token })).status).toBe(
      409,
    );
    expect((await workspace.owner.get(`${workspace.url}/invites/${invite.id}`)).body.status).toBe('pending');
    expect((await person.browser.post(`/invites/${invite.token}/accept`)).status).toBe(200);
  });
});

describe('signing in', () => {
  test('answers 200 with the user, in any case of the address', async ({ api }) => {
    const { email, id, name } = await register(api);
    const answer = await api.anonymous.post('/auth/login', { email: email.toUpperCase(), password: PASSWORD });
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({ user: { id, email, name, role: 'user' } });
    expect((await browserOf(api, answer).get('/me')).status).toBe(200);
  });

  test('a wrong password, an unknown address and an account without a password read the same', async ({ api }) => {
    const { email } = await register(api);
    const withoutPassword = await api.newUser();
    const addresses = [email, newEmail(), withoutPassword.email];
    for (const address of addresses) {
      const answer = await api.anonymous.post('/auth/login', { email: address, password: 'not the password' });
      const { requestId, ...rest } = answer.body;
      expect(answer.status).toBe(401);
      expect(rest).toEqual({ errorMessage: 'Invalid email or password.', code: 'unauthenticated' });
      expect(answer.headers['set-cookie']).toBeUndefined();
    }
  });

  test.for([
    [{ password: PASSWORD }, 'Email is required'],
    [{ email: 'a@example.com' }, 'Password is required'],
    [{ email: 'a@example.com', password: '' }, 'Password is required'],
    [{ email: 'a@example.com', password: 'x'.repeat(1001) }, 'Password must not exceed 1000 characters'],
    [{ email: 'a@example.com', password: PASSWORD, rememberMe: 'yes' }, 'Remember me must be a boolean'],
  ] as const)('a login with %j is 400', async ([body, message], { api }) => {
    expect(await api.anonymous.post('/auth/login', body)).toMatchObject({ status: 400, body: { errorMessage: message } });
  });

  test('the cookie is HttpOnly, Lax, for every path, for 7 days or 30, and not Secure on http', async ({ api }) => {
    const person = newPerson();
    const flags = { HttpOnly: true, SameSite: 'Lax', Path: '/', 'Max-Age': '604800' };
    const registered = cookieOf(await api.anonymous.post('/auth/register', person));
    expect(registered.value).toMatch(/^cps_[0-9A-Za-z]{38}$/);
    expect(registered.flags).toEqual(flags);
    const login = (rememberMe?: boolean | null) => api.anonymous.post('/auth/login', { ...person, rememberMe });
    expect(cookieOf(await login()).flags).toEqual(flags);
    expect(cookieOf(await login(null)).flags).toEqual(flags);
    expect(cookieOf(await login(false)).flags).toEqual(flags);
    expect(cookieOf(await login(true)).flags).toEqual({ ...flags, 'Max-Age': '2592000' });
  });

  test('the cookie is Secure where the public address is https', async () => {
    const api = await ownApi({ COMMONPLACE_PUBLIC_URL: 'https://commonplace.example.com' });
    const answer = await api.anonymous.post('/auth/setup', newPerson());
    expect(cookieOf(answer).flags).toEqual({ HttpOnly: true, SameSite: 'Lax', Path: '/', 'Max-Age': '604800', Secure: true });
    const out = await browserOf(api, answer).post('/auth/logout');
    expect(cookieOf(out).flags).toMatchObject({ Path: '/', Secure: true });
  });

  test('a session ends by the clock: after 7 days, or 30 when remembered', async ({ api }) => {
    const person = newPerson();
    const week = browserOf(api, await api.anonymous.post('/auth/register', person));
    const month = browserOf(api, await api.anonymous.post('/auth/login', { ...person, rememberMe: true }));
    const ended = { status: 401, body: { errorMessage: 'Invalid or expired session.' } };
    api.clock.advance(7 * DAY_MS - 60_000);
    expect((await week.get('/me')).status).toBe(200);
    api.clock.advance(61_000);
    expect(await week.get('/me')).toMatchObject(ended);
    expect((await month.get('/me')).status).toBe(200);
    api.clock.advance(23 * DAY_MS);
    expect(await month.get('/me')).toMatchObject(ended);
    await api.app.jobRunner.schedulePeriodic();
    await api.drainJobs();
    expect(
      await api.db.query(sql`
      select s.id from dashboard_sessions s join users u on u.id = s.user_id where u.email = ${person.email}`),
    ).toEqual([]);
  });

  test('logout ends the session on the server and takes the cookie away; other sessions go on', async ({ api }) => {
    const person = await register(api);
    const other = browserOf(api, await api.anonymous.post('/auth/login', person));
    expect((await person.browser.get('/me')).status).toBe(200);
    const out = await person.browser.post('/auth/logout');
    expect(out).toMatchObject({ status: 204, text: '' });
    expect(cookieOf(out)).toMatchObject({ value: '', flags: { Path: '/', Expires: 'Thu, 01 Jan 1970 00:00:00 GMT' } });
    expect(await person.browser.get('/me')).toMatchObject({ status: 401, body: { errorMessage: 'Invalid or expired session.' } });
    expect((await person.browser.post('/auth/logout')).status).toBe(401);
    expect((await other.get('/me')).status).toBe(200);
  });

  test('logout with an API key does nothing', async ({ api }) => {
    const { client } = await api.newUser();
    const out = await client.post('/auth/logout');
    expect(out.status).toBe(204);
    expect(out.headers['set-cookie']).toBeUndefined();
    expect((await client.get('/me')).status).toBe(200);
  });
});

describe('throttling', () => {
  const TOO_MANY = { status: 429, body: { errorMessage: 'Too many failed attempts. Try again later.', code: 'too_many_requests' } };

  test('after ten failures an account is closed for a while, to the right password too; others are not', async () => {
    const api = await ownApi();
    const { email } = await register(api);
    const other = await register(api);
    const login = (password: string) => api.anonymous.post('/auth/login', { email, password });
    for (let count = 0; count < 10; count++) expect((await login('not the password')).status).toBe(401);
    for (const password of ['not the password', PASSWORD]) {
      const refused = await login(password);
      expect(refused).toMatchObject(TOO_MANY);
      expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
    }
    expect((await api.anonymous.post('/auth/login', other)).status).toBe(200);
    api.clock.advance(31_000);
    expect((await login(PASSWORD)).status).toBe(200);
  });

  test('successes do not count', async () => {
    const api = await ownApi();
    const person = await register(api);
    for (let count = 0; count < 15; count++) expect((await api.anonymous.post('/auth/login', person)).status).toBe(200);
  });

  test('of many guesses at once no more are tried than one after the other', async () => {
    const api = await ownApi();
    const { email } = await register(api);
    const answers = await Promise.all(
      Array.from({ length: 40 }, () => api.anonymous.post('/auth/login', { email, password: 'not the password' })),
    );
    const statuses = answers.map(({ status }) => status);
    expect(statuses.filter((status) => status === 401)).toHaveLength(10);
    expect(statuses.filter((status) => status === 429)).toHaveLength(30);
  });

  test('wrong current passwords count too', async () => {
    const api = await ownApi();
    const { browser } = await register(api);
    const change = (currentPassword: string) => browser.put('/auth/password', { currentPassword, newPassword: 'another long phrase' });
    for (let count = 0; count < 10; count++) expect((await change('not the password')).status).toBe(403);
    const refused = await change(PASSWORD);
    expect(refused).toMatchObject(TOO_MANY);
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
  });

  test('an address that makes accounts without end is told to wait', async () => {
    const api = await ownApi({ COMMONPLACE_REGISTRATION: 'invite' });
    // Refused for want of a token, and counted all the same.
    let answer = await api.anonymous.post('/auth/register', newPerson());
    let count = 0;
    for (; answer.status === 403 && count < 5_000; count++) answer = await api.anonymous.post('/auth/register', newPerson());
    expect(answer).toMatchObject({ status: 429, headers: { 'retry-after': '1' } });
    expect(count).toBeGreaterThanOrEqual(200);
    api.clock.advance(1000);
    expect((await api.anonymous.post('/auth/register', newPerson())).status).toBe(403);
  });
});

describe('the password', () => {
  test('a change ends every other session and keeps this one; keys go on', async ({ api }) => {
    const person = await register(api);
    const others = await Promise.all([1, 2].map(async () => browserOf(api, await api.anonymous.post('/auth/login', person))));
    const { body: apiKey } = await person.browser.post('/apiKeys', { name: 'a key' });
    for (const browser of [person.browser, ...others]) expect((await browser.get('/me')).status).toBe(200);

    const changed = await person.browser.put('/auth/password', { currentPassword: PASSWORD, newPassword: 'another long phrase' });
    expect(changed).toMatchObject({ status: 204, text: '' });
    for (const browser of others) {
      expect(await browser.get('/me')).toMatchObject({ status: 401, body: { errorMessage: 'Invalid or expired session.' } });
    }
    expect((await person.browser.get('/me')).status).toBe(200);
    expect((await api.client({ 'x-api-key': apiKey.key }).get('/me')).status).toBe(200);
    const { email } = person;
    expect((await api.anonymous.post('/auth/login', { email, password: PASSWORD })).status).toBe(401);
    expect((await api.anonymous.post('/auth/login', { email, password: 'another long phrase' })).status).toBe(200);
  });

  test('a change with an API key ends every session', async ({ api }) => {
    const user = await api.newUser('Ada', await hashPassword(PASSWORD));
    const browser = await api.newBrowser(user);
    expect((await browser.get('/me')).status).toBe(200);
    const change = { currentPassword: PASSWORD, newPassword: 'another long phrase' };
    expect((await user.client.put('/auth/password', change)).status).toBe(204);
    expect((await browser.get('/me')).status).toBe(401);
    expect((await user.client.get('/me')).status).toBe(200);
  });

  test('a wrong current password is 403 and changes nothing', async ({ api }) => {
    const person = await register(api);
    const other = browserOf(api, await api.anonymous.post('/auth/login', person));
    const change = { currentPassword: 'not the password', newPassword: 'another long phrase' };
    expect(await person.browser.put('/auth/password', change)).toMatchObject({
      status: 403,
      body: { errorMessage: 'Current password is wrong' },
    });
    expect((await other.get('/me')).status).toBe(200);
    expect((await api.anonymous.post('/auth/login', person)).status).toBe(200);
  });

  test.for([
    [{ newPassword: 'another long phrase' }, 'Current password is required'],
    [{ currentPassword: PASSWORD }, 'New password is required'],
    [{ currentPassword: PASSWORD, newPassword: 'ninechars' }, 'New password must be at least 10 characters'],
    [{ currentPassword: PASSWORD, newPassword: 'ab'.repeat(101) }, 'New password must not exceed 200 characters'],
    [{ currentPassword: PASSWORD, newPassword: 'Password123' }, 'Password is among the most common ones; choose another'],
  ] as const)('a change with %j is 400', async ([body, message], { api }) => {
    const person = await register(api);
    expect(await person.browser.put('/auth/password', body)).toMatchObject({ status: 400, body: { errorMessage: message } });
    expect((await api.anonymous.post('/auth/login', person)).status).toBe(200);
  });

  test('an account without a password sets one without proving an old one', async ({ api }) => {
    const user = await api.newUser();
    const change = { currentPassword: 'anything', newPassword: PASSWORD };
    expect((await user.client.put('/auth/password', change)).status).toBe(204);
    expect((await api.anonymous.post('/auth/login', { email: user.email, password: PASSWORD })).status).toBe(200);
    expect((await user.client.put('/auth/password', change)).status).toBe(403);
  });
});

describe('/me', () => {
  test('GET: an API key, an access key and a cookie each say who calls', async ({ api }) => {
    const workspace = await api.newWorkspace();
    const { ownerUser } = workspace;
    const owner = { id: ownerUser.id, email: ownerUser.email, name: 'Owner', role: 'user' };
    const times = { expiresAt: null, lastUsedAt: null, createdAt: aTime, updatedAt: aTime };

    const byApiKey = await ownerUser.client.get('/me');
    expect(byApiKey.status).toBe(200);
    const hint = `cpu_…${ownerUser.client.headers['x-api-key']?.slice(-4)}`;
    expect(byApiKey.body).toEqual({
      principalType: 'API_KEY',
      owner,
      apiKey: {
        id: anId,
        userId: owner.id,
        name: 'test',
        hint,
        ...times,
        lastUsedAt: expect.toSatisfy((at) => at === null || Date.parse(at) > 0),
      },
    });

    const browser = await api.newBrowser(ownerUser);
    expect((await browser.get('/me')).body).toEqual({ principalType: 'USER', owner });

    const key = await api.newAccessKey(workspace, ['CAN_GET_AGENT']);
    expect((await key.get('/me')).body).toEqual({
      principalType: 'ACCESS_KEY',
      accessKey: {
        id: key.keyId,
        workspaceId: workspace.id,
        name: 'test',
        permissions: ['CAN_GET_AGENT'],
        hint: `cpa_…${key.headers['x-access-key']?.slice(-4)}`,
        createdBy: owner.id,
        ...times,
      },
    });
  });

  test('PUT changes the name, the address or both, and answers as GET does', async ({ api }) => {
    const { id, client, email } = await api.newUser('Before');
    const named = await client.put('/me', { name: '  After ' });
    expect(named.status).toBe(200);
    expect(named.body).toMatchObject({ principalType: 'API_KEY', owner: { id, email, name: 'After', role: 'user' } });
    const address = newEmail();
    expect((await client.put('/me', { email: ` ${address.toUpperCase()}` })).body.owner).toMatchObject({ email: address, name: 'After' });
    expect((await client.put('/me', { role: 'admin', id: newId() })).body.owner).toEqual({
      id,
      email: address,
      name: 'After',
      role: 'user',
    });
    const { body } = await client.get('/me');
    expect((await client.put('/me', {})).body.owner).toEqual(body.owner);
    const browser = await api.newBrowser({ id, email: address, client });
    expect((await browser.put('/me', { name: 'Again', email })).body).toEqual({
      principalType: 'USER',
      owner: { id, email, name: 'Again', role: 'user' },
    });
  });

  test('PUT: a new name and address show everywhere at once', async ({ api }) => {
    const workspace = await api.newWorkspace();
    const email = newEmail();
    await workspace.owner.put('/me', { name: 'Ada', email });
    expect((await workspace.owner.get(`${workspace.url}/members`)).body.members).toMatchObject([{ name: 'Ada', email }]);
    await workspace.owner.put(workspace.url, { name: 'By Ada' });
    const { body } = await workspace.owner.get(`${workspace.url}/audits?limit=1`);
    expect(body.audits).toMatchObject([{ action: 'workspace.update', actorName: 'Ada' }]);
  });

  test.for([
    [{ name: '' }, 'Name is required'],
    [{ name: null }, 'Name is required'],
    [{ name: 'a'.repeat(101) }, 'Name must not exceed 100 characters'],
    [{ email: 'nobody' }, 'Email must be a valid e-mail address'],
    [{ email: null }, 'Email is required'],
  ] as const)('PUT with %j is 400', async ([body, message], { api }) => {
    const { client } = await api.newUser('Before');
    expect(await client.put('/me', body)).toMatchObject({ status: 400, body: { errorMessage: message } });
    expect((await client.get('/me')).body.owner.name).toBe('Before');
  });

  test('PUT: somebody else’s address is 409, in any case of letters; one’s own is not', async ({ api }) => {
    const user = await api.newUser('Before');
    const other = await api.newUser();
    expect(await user.client.put('/me', { name: 'After', email: other.email.toUpperCase() })).toMatchObject({
      status: 409,
      body: { errorMessage: 'This e-mail address has an account already' },
    });
    expect((await user.client.get('/me')).body.owner).toMatchObject({ name: 'Before', email: user.email });
    expect((await user.client.put('/me', { email: user.email.toUpperCase() })).status).toBe(200);
  });

  test('DELETE takes keys, memberships and sessions along, and frees the address', async ({ api }) => {
    const workspace = await api.newWorkspace();
    const person = await register(api);
    const { body: apiKey } = await person.browser.post('/apiKeys', { name: 'a key' });
    const { body: invite } = await workspace.owner.post(`${workspace.url}/invites`, { email: person.email, role: 'admin' });
    await person.browser.post(`/invites/${invite.token}/accept`);
    const { body: accessKey } = await person.browser.post(`${workspace.url}/keys`, { name: 'a key', permissions: ['CAN_GET_AGENT'] });
    const key = api.client({ 'x-api-key': apiKey.key });
    expect((await key.get(workspace.url)).body.membersCount).toBe(2);

    expect(await key.delete('/me')).toMatchObject({ status: 204, text: '' });
    expect((await key.get('/me')).status).toBe(401);
    expect((await person.browser.get('/me')).status).toBe(401);
    expect((await api.anonymous.post('/auth/login', person)).status).toBe(401);
    expect((await workspace.owner.get(workspace.url)).body.membersCount).toBe(1);
    expect((await workspace.owner.get(`${workspace.url}/members`)).body._meta.total).toBe(1);
    // What was made for the workspace stays with the workspace.
    expect((await api.client({ 'x-access-key': accessKey.key }).get('/me')).body.accessKey.createdBy).toBe(person.id);
    for (const table of ['api_keys', 'dashboard_sessions', 'memberships']) {
      expect(await api.db.query(sql`select * from ${raw(table)} where user_id = ${person.id}`), table).toEqual([]);
    }
    expect((await register(api, { email: person.email, name: 'Ada', password: PASSWORD })).id).not.toBe(person.id);
  });

  test('DELETE is 409 for the last owner of any workspace, and nothing goes', async ({ api }) => {
    const workspace = await api.newWorkspace();
    const { body: second } = await workspace.owner.post('/workspaces', { name: 'Second' });
    const heir = await api.newMember(workspace, 'owner');
    const refused = {
      status: 409,
      body: { errorMessage: 'You are the last owner of a workspace; delete it or make somebody else its owner first' },
    };
    expect(await workspace.owner.delete('/me')).toMatchObject(refused);
    expect((await workspace.owner.get('/workspaces')).body._meta.total).toBe(2);
    await workspace.owner.delete(`/workspaces/${second.id}`);
    expect((await workspace.owner.delete('/me')).status).toBe(204);
    expect((await heir.client.get(workspace.url)).body).toMatchObject({ role: 'owner', membersCount: 1 });
    expect(await heir.client.delete('/me')).toMatchObject(refused);
  });

  test('DELETE while a workspace is being made never leaves one that nobody owns', async ({ api }) => {
    for (let round = 0; round < 20; round++) {
      const name = newId();
      const { client } = await api.newUser();
      const [made] = await Promise.all([client.post('/workspaces', { name }), client.delete('/me'), client.post('/workspaces', { name })]);
      const ownerless = await api.db.query(sql`
        select id from workspaces w where name = ${name} and not exists (select 1 from memberships m where m.workspace_id = w.id)`);
      expect(ownerless, `round ${round}: ${made.status}`).toEqual([]);
    }
  });
});

describe('the first account from the environment', () => {
  const KEY = 'an-administrators-own-key';
  const log = pino({ level: 'silent' });

  /** Another start of the service on the same database. */
  async function start(api: TestApi, environment: Environment, db = api.db): Promise<Client> {
    const { databaseUrl, dataDir } = api.app.context.config;
    const place = { COMMONPLACE_DATA_DIR: dataDir, ...(databaseUrl && { COMMONPLACE_DATABASE_URL: databaseUrl }) };
    const app = await createApp(readConfig({ ...place, ...environment }), db, log, api.clock);
    onTestFinished(() => app.close());
    return new Client(app.server, {});
  }
  const usersOf = (api: TestApi) => api.db.query(sql<{ email: string; role: string }>`select email, role from users`);
  const keysOf = (api: TestApi) => api.db.query(sql<{ name: string }>`select name from api_keys`);

  test('an account and a key are made once; another start with other values changes nothing', async () => {
    const environment = {
      COMMONPLACE_ADMIN_EMAIL: 'Ops@Example.com',
      COMMONPLACE_ADMIN_PASSWORD: PASSWORD,
      COMMONPLACE_ADMIN_API_KEY: KEY,
    };
    const api = await ownApi(environment);
    expect((await api.anonymous.get('/auth/status')).body.needsSetup).toBe(false);
    expect((await api.anonymous.get('/me', { 'x-api-key': KEY })).body).toEqual({
      principalType: 'API_KEY',
      owner: { id: anId, email: 'ops@example.com', name: 'Administrator', role: 'admin' },
      apiKey: {
        id: anId,
        userId: anId,
        name: 'From the environment',
        hint: '…-key',
        expiresAt: null,
        lastUsedAt: null,
        createdAt: aTime,
        updatedAt: aTime,
      },
    });
    expect((await api.anonymous.post('/auth/login', { email: 'ops@example.com', password: PASSWORD })).status).toBe(200);
    expect((await api.anonymous.post('/workspaces', { name: 'First' }, { 'x-api-key': KEY })).status).toBe(201);

    const other = { COMMONPLACE_ADMIN_EMAIL: 'other@example.com', COMMONPLACE_ADMIN_PASSWORD: 'another long phrase' };
    for (const values of [environment, { ...other, COMMONPLACE_ADMIN_API_KEY: 'another-administrators-key' }]) {
      const client = await start(api, values);
      expect((await client.get('/me', { 'x-api-key': KEY })).status).toBe(200);
      expect((await client.get('/me', { 'x-api-key': 'another-administrators-key' })).status).toBe(401);
      expect((await client.post('/auth/login', { email: 'ops@example.com', password: 'another long phrase' })).status).toBe(401);
    }
    expect(await usersOf(api)).toEqual([{ email: 'ops@example.com', role: 'admin' }]);
    expect(await keysOf(api)).toHaveLength(1);
  });

  test('a key alone is enough: the account has no password, and can set one', async () => {
    const api = await ownApi({ COMMONPLACE_ADMIN_API_KEY: KEY });
    const admin = api.client({ 'x-api-key': KEY });
    expect((await admin.get('/me')).body.owner).toMatchObject({ email: 'admin@localhost', role: 'admin' });
    expect((await api.anonymous.post('/auth/login', { email: 'admin@localhost', password: PASSWORD })).status).toBe(401);
    expect((await admin.put('/auth/password', { currentPassword: '-', newPassword: PASSWORD })).status).toBe(204);
    expect((await api.anonymous.post('/auth/login', { email: 'admin@localhost', password: PASSWORD })).status).toBe(200);
  });

  test('a password alone makes an account and no key', async () => {
    const api = await ownApi({ COMMONPLACE_ADMIN_PASSWORD: PASSWORD });
    expect((await api.anonymous.post('/auth/login', { email: 'admin@localhost', password: PASSWORD })).status).toBe(200);
    expect(await keysOf(api)).toEqual([]);
  });

  test('nothing is made without the variables, nor where there is an account', async () => {
    const api = await ownApi();
    expect(await usersOf(api)).toEqual([]);
    await register(api);
    await start(api, { COMMONPLACE_ADMIN_API_KEY: KEY });
    expect(await usersOf(api)).toMatchObject([{ role: 'user' }]);
    expect(await keysOf(api)).toEqual([]);
  });

  test('the account and the key are in the audit log, without the key', async () => {
    const api = await ownApi({ COMMONPLACE_ADMIN_API_KEY: KEY, COMMONPLACE_ADMIN_PASSWORD: PASSWORD });
    const entries = await api.db.query(sql<{ action: string }>`select * from audits order by id`);
    expect(entries.map(({ action }) => action)).toEqual(['user.create', 'api_key.create']);
    expect(JSON.stringify(entries)).not.toContain(KEY);
    expect(JSON.stringify(entries)).not.toContain(PASSWORD);
  });

  if (inject('engine') === 'postgres')
    test('five nodes that start at once on one database make one account', async () => {
      const api = await ownApi();
      const environment = { COMMONPLACE_ADMIN_API_KEY: KEY, COMMONPLACE_ADMIN_PASSWORD: PASSWORD };
      const nodes = await Promise.all(
        Array.from({ length: 5 }, async () => {
          const db = await openDatabase({ ...api.app.context.config, databasePoolSize: 3 }, log);
          onTestFinished(() => db.close());
          return start(api, environment, db);
        }),
      );
      expect(await usersOf(api)).toEqual([{ email: 'admin@localhost', role: 'admin' }]);
      expect(await keysOf(api)).toHaveLength(1);
      for (const node of nodes) expect((await node.get('/me', { 'x-api-key': KEY })).status).toBe(200);
    });
});
