import { expect } from 'vitest';
import { type Answer, type Client, type TestApi, type TestUser, test } from '../../test/api.ts';
import type { Database } from '../db/database.ts';
import { newId } from '../db/ids.ts';
import { perEngine, raw, sql } from '../db/sql.ts';
import { ACCOUNT_SCOPE } from './store.ts';

const anId = expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
const aTime = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
const PASSWORD = 'a long and unusual phrase';

interface Entry {
  workspaceId: string;
  action: string;
  actorType: string;
  actorId: string;
  actorName: string;
  resourceType: string;
  resourceId: string;
  detail: string;
  address: string;
  createdAt: string;
}

/** Everything that one request left in the log, account changes too, which no route shows. */
async function entriesOf(api: TestApi, requestId: string): Promise<Entry[]> {
  return api.db.query(sql<Entry>`
    select workspace_id as "workspaceId", action, actor_type as "actorType", actor_id as "actorId", actor_name as "actorName",
      resource_type as "resourceType", resource_id as "resourceId", detail, address, created_at as "createdAt"
    from audits where request_id = ${requestId} order by id`);
}

const actionsIn = ({ body }: Answer) => body.audits.map(({ action }: { action: string }) => action);

test('an entry says who did what to which, when and from where', async ({ api }) => {
  const { id: workspaceId, url, owner, ownerUser } = await api.newWorkspace();
  const { body: key } = await owner.post(
    `${url}/keys`,
    { name: 'Production', permissions: ['CAN_GET_AGENT'] },
    { 'x-request-id': 'audited-1' },
  );
  const listed = await owner.get(`${url}/audits?limit=1`);
  expect(listed.status).toBe(200);
  const [entry] = listed.body.audits;
  expect(entry).toEqual({
    id: anId,
    workspaceId,
    action: 'access_key.create',
    actorType: 'user',
    actorId: ownerUser.id,
    actorName: 'Owner',
    resourceType: 'access_key',
    resourceId: key.id,
    detail: { name: 'Production', permissions: ['CAN_GET_AGENT'], expiresAt: null },
    address: '127.0.0.1',
    requestId: 'audited-1',
    createdAt: aTime,
  });
  expect(entry.createdAt).toBe(key.createdAt);
  expect((await owner.get(`${url}/audits/${entry.id}`)).body).toEqual(entry);
});

test('every administrative change leaves exactly one entry, of who did it', async ({ api }) => {
  const owner = await api.newUser('Owner');
  const member = await api.newUser('Member');
  const leaver = await api.newUser('Leaver');
  const names = new Map([owner, member, leaver].map(({ id }, index) => [id, ['Owner', 'Member', 'Leaver'][index]]));

  const change = async (by: TestUser, method: string, path: string, body: unknown, expected: (made: Made) => Partial<Entry>) => {
    const requestId = newId();
    const answer = await by.client.send(method, path, body, { 'x-request-id': requestId });
    expect(answer.status, `${method} ${path}`).toBeLessThan(300);
    const { detail = '{}', ...entry } = expected(answer.body);
    const actor = { actorType: 'user', actorId: by.id, actorName: names.get(by.id) };
    expect(await entriesOf(api, requestId)).toEqual([
      { ...actor, resourceType: entry.action?.split('.')[0], detail, address: '127.0.0.1', createdAt: aTime, ...entry },
    ]);
    return answer.body as Made;
  };

  const { id: workspaceId } = await change(owner, 'POST', '/workspaces', { name: 'Before' }, ({ id }) => ({
    action: 'workspace.create',
    workspaceId: id,
    resourceId: id,
    detail: '{"name":"Before"}',
  }));
  const url = `/workspaces/${workspaceId}`;
  await change(owner, 'PUT', url, { name: 'After' }, () => ({
    action: 'workspace.update',
    workspaceId,
    resourceId: workspaceId,
    detail: '{"name":"After"}',
  }));

  const key = await change(owner, 'POST', `${url}/keys`, { name: 'k', permissions: ['CAN_GET_AGENT'] }, ({ id }) => ({
    action: 'access_key.create',
    workspaceId,
    resourceId: id,
    detail: '{"name":"k","permissions":["CAN_GET_AGENT"],"expiresAt":null}',
  }));
  await change(owner, 'DELETE', `${url}/keys/${key.id}`, undefined, () => ({
    action: 'access_key.delete',
    workspaceId,
    resourceId: key.id,
  }));

  const invite = ({ email }: TestUser) =>
    change(owner, 'POST', `${url}/invites`, { email, role: 'readonly' }, ({ id }) => ({
      action: 'invite.create',
      workspaceId,
      resourceId: id,
      detail: JSON.stringify({ email, role: 'readonly' }),
    }));
  const answerInvite = (by: TestUser, invited: Made, verb: string) =>
    change(by, 'POST', `/invites/${invited.token}/${verb}`, undefined, () => ({
      action: `invite.${verb}`,
      workspaceId,
      resourceId: invited.id,
      detail: '{"role":"readonly"}',
    }));
  await answerInvite(member, await invite(member), 'accept');
  await answerInvite(leaver, await invite(leaver), 'reject');
  const withdrawn = await invite(leaver);
  await change(owner, 'DELETE', `${url}/invites/${withdrawn.id}`, undefined, () => ({
    action: 'invite.delete',
    workspaceId,
    resourceId: withdrawn.id,
  }));
  await answerInvite(leaver, await invite(leaver), 'accept');

  await change(owner, 'PUT', `${url}/members/${member.id}`, { role: 'admin' }, () => ({
    action: 'member.update',
    workspaceId,
    resourceId: member.id,
    detail: '{"from":"readonly","to":"admin"}',
  }));
  for (const [by, { id, email }, role] of [
    [owner, member, 'admin'],
    [leaver, leaver, 'readonly'],
  ] as const) {
    await change(by, 'DELETE', `${url}/members/${id}`, undefined, () => ({
      action: 'member.remove',
      workspaceId,
      resourceId: id,
      detail: JSON.stringify({ email, role }),
    }));
  }

  const apiKey = await change(owner, 'POST', '/apiKeys', { name: 'Laptop' }, ({ id }) => ({
    action: 'api_key.create',
    workspaceId: ACCOUNT_SCOPE,
    resourceId: id,
    detail: '{"name":"Laptop","expiresAt":null}',
  }));
  await change(owner, 'DELETE', `/apiKeys/${apiKey.id}`, undefined, () => ({
    action: 'api_key.delete',
    workspaceId: ACCOUNT_SCOPE,
    resourceId: apiKey.id,
  }));
  await change(owner, 'PUT', '/auth/password', { currentPassword: '-', newPassword: PASSWORD }, () => ({
    action: 'user.change_password',
    workspaceId: ACCOUNT_SCOPE,
    resourceId: owner.id,
  }));
  await change(member, 'PUT', '/me', { name: 'Renamed' }, () => ({
    action: 'user.update',
    workspaceId: ACCOUNT_SCOPE,
    resourceId: member.id,
    detail: '{"name":"Renamed"}',
  }));
  await change(leaver, 'DELETE', '/me', undefined, () => ({
    action: 'user.delete',
    workspaceId: ACCOUNT_SCOPE,
    resourceId: leaver.id,
  }));
  await change(owner, 'DELETE', url, undefined, () => ({
    action: 'workspace.delete',
    workspaceId: ACCOUNT_SCOPE,
    resourceId: workspaceId,
  }));
});

test('a registration is one entry; by invite, the acceptance is another', async ({ api }) => {
  const workspace = await api.newWorkspace();
  const email = `${newId()}@example.com`;
  const { body: invite } = await workspace.owner.post(`${workspace.url}/invites`, { email, role: 'readonly' });
  const requestId = newId();
  const person = { email, name: 'Ada', password: PASSWORD, inviteToken: invite.token };
  const { body } = await api.anonymous.post('/auth/register', person, { 'x-request-id': requestId });
  const actor = { actorType: 'user', actorId: body.user.id, actorName: 'Ada', address: '127.0.0.1' };
  expect(await entriesOf(api, requestId)).toMatchObject([
    { ...actor, action: 'user.create', workspaceId: ACCOUNT_SCOPE, resourceId: body.user.id },
    { ...actor, action: 'invite.accept', workspaceId: workspace.id, resourceId: invite.id },
  ]);
});

test('reading and failing leave no entry', async ({ api }) => {
  const workspace = await api.newWorkspace();
  const { owner, url, ownerUser } = workspace;
  const admin = await api.newMember(workspace, 'admin');
  const invited = await api.newUser();
  const { body: invite } = await owner.post(`${url}/invites`, { email: invited.email, role: 'readonly' });
  const requestId = newId();
  const attempts: [Client, number, string, string, unknown?][] = [
    [owner, 200, 'GET', url],
    [owner, 200, 'GET', `${url}/audits`],
    [owner, 200, 'GET', `${url}/members`],
    [owner, 400, 'PUT', url, { name: '' }],
    [owner, 400, 'POST', '/workspaces', {}],
    [admin.client, 403, 'DELETE', url],
    [admin.client, 403, 'PUT', `${url}/members/${ownerUser.id}`, { role: 'readonly' }],
    [admin.client, 403, 'POST', `${url}/invites`, { email: 'a@example.com', role: 'owner' }],
    [owner, 409, 'PUT', `${url}/members/${ownerUser.id}`, { role: 'readonly' }],
    [owner, 409, 'DELETE', `${url}/members/${ownerUser.id}`],
    [owner, 409, 'DELETE', '/me'],
    [owner, 404, 'DELETE', `${url}/members/${newId()}`],
    [owner, 409, 'POST', `${url}/invites`, { email: invited.email, role: 'readonly' }],
    [owner, 409, 'POST', `${url}/invites`, { email: admin.email, role: 'readonly' }],
    [owner, 404, 'DELETE', `${url}/invites/${newId()}`],
    [admin.client, 403, 'POST', `/invites/${invite.token}/accept`],
    [owner, 400, 'POST', `${url}/keys`, { name: 'k', permissions: [] }],
    [owner, 404, 'DELETE', `${url}/keys/${newId()}`],
    [owner, 400, 'POST', '/apiKeys', { name: 'k', expiresAt: '2020-01-01T00:00:00Z' }],
    [owner, 404, 'DELETE', `/apiKeys/${newId()}`],
    [owner, 409, 'PUT', '/me', { email: admin.email }],
    [owner, 400, 'PUT', '/auth/password', { currentPassword: '-', newPassword: 'short' }],
    [api.anonymous, 409, 'POST', '/auth/register', { email: admin.email, name: 'Ada', password: PASSWORD }],
    [
      api.anonymous,
      403,
      'POST',
      '/auth/register',
      { email: `${newId()}@example.com`, name: 'Ada', password: PASSWORD, inviteToken: invite.token },
    ],
  ];
  for (const [client, status, method, path, body] of attempts) {
    const answer = await client.send(method, path, body, { 'x-request-id': requestId });
    expect(answer.status, `${method} ${path}`).toBe(status);
  }
  expect(await entriesOf(api, requestId)).toEqual([]);
});

test('the list is newest first, by pages and by cursor, and only of this workspace', async ({ api }) => {
  const { url, owner, id } = await api.newWorkspace('Number 0');
  await (await api.newWorkspace()).owner.post('/workspaces', { name: 'Elsewhere' });
  for (let number = 1; number <= 4; number++) await owner.put(url, { name: `Number ${number}` });
  const { body } = await owner.get(`${url}/audits`);
  expect(body._meta).toEqual({ limit: 50, offset: 0, total: 5 });
  expect(body.audits.map(({ detail }: { detail: unknown }) => detail)).toEqual(
    [4, 3, 2, 1, 0].map((number) => ({ name: `Number ${number}` })),
  );
  for (const { workspaceId } of body.audits) expect(workspaceId).toBe(id);
  expect((await owner.get(`${url}/audits?limit=2&offset=1`)).body).toEqual({
    audits: body.audits.slice(1, 3),
    _meta: { limit: 2, offset: 1, total: 5, cursor: expect.any(String) },
  });
  expect((await owner.get(`${url}/audits?offset=5`)).body).toEqual({ audits: [], _meta: { limit: 50, offset: 5, total: 5 } });

  const walked = [];
  for (let cursor: string | undefined = ''; cursor !== undefined; ) {
    const page: Answer = await owner.get(`${url}/audits?limit=2${cursor && `&cursor=${cursor}`}`);
    walked.push(...page.body.audits);
    cursor = page.body._meta.cursor;
    // What is new meanwhile neither shows nor shifts.
    await owner.put(url, { name: 'Meanwhile' });
  }
  expect(walked).toEqual(body.audits);
});

test('action and actorId narrow the list, alone and together', async ({ api }) => {
  const workspace = await api.newWorkspace();
  const { owner, url, ownerUser } = workspace;
  const admin = await api.newMember(workspace, 'admin');
  await owner.put(url, { name: 'By the owner' });
  await admin.client.put(url, { name: 'By the admin' });
  await admin.client.post(`${url}/keys`, { name: 'k', permissions: ['CAN_GET_AGENT'] });
  const list = (query: string) => owner.get(`${url}/audits?${query}`);
  expect(actionsIn(await list('action=workspace.update'))).toEqual(['workspace.update', 'workspace.update']);
  expect(actionsIn(await list(`actorId=${admin.id}`))).toEqual(['access_key.create', 'workspace.update']);
  const both = await list(`action=workspace.update&actorId=${ownerUser.id}`);
  expect(both.body).toMatchObject({ audits: [{ detail: { name: 'By the owner' } }], _meta: { total: 1 } });
  for (const query of ['action=workspace', 'action=nothing.such', `actorId=${newId()}`, 'actorId=not-an-id']) {
    expect((await list(query)).body, query).toEqual({ audits: [], _meta: { limit: 50, offset: 0, total: 0 } });
  }
  for (const query of ['action=', 'actorId=']) expect((await list(query)).body._meta.total, query).toBe(4);
  for (const query of [`action=${'a'.repeat(101)}`, 'action=a&action=b', 'action=%00']) expect((await list(query)).status, query).toBe(400);
});

test('since is inclusive and until exclusive, in any offset', async ({ api }) => {
  const { owner, url } = await api.newWorkspace();
  const times: string[] = [];
  for (let number = 1; number <= 3; number++) {
    api.clock.advance(60_000);
    times.push((await owner.put(url, { name: `Number ${number}` })).body.updatedAt);
  }
  const [first, second, third] = times as [string, string, string];
  const list = async (query: Record<string, string>) => {
    const { status, body } = await owner.get(`${url}/audits?${new URLSearchParams(query)}`);
    expect(status).toBe(200);
    expect(body._meta.total).toBe(body.audits.length);
    return body.audits.map(({ detail }: { detail: { name: string } }) => detail.name);
  };
  expect(await list({ since: second })).toEqual(['Number 3', 'Number 2']);
  expect(await list({ until: second })).toEqual(['Number 1', 'A workspace']);
  expect(await list({ since: first, until: third })).toEqual(['Number 2', 'Number 1']);
  expect(await list({ since: third, until: third })).toEqual([]);
  for (const empty of [{ since: '' }, { until: '' }]) expect(await list(empty), JSON.stringify(empty)).toHaveLength(4);
  const inTokyo = new Date(Date.parse(second) + 9 * 60 * 60 * 1000).toISOString().replace('Z', '+09:00');
  expect(await list({ since: inTokyo, action: 'workspace.update' })).toEqual(['Number 3', 'Number 2']);
  // The first and the last moment that every database can hold, and what lies beyond.
  expect(await list({ since: '0001-01-01T00:00:00Z', until: '9999-12-31T23:59:59.999Z' })).toHaveLength(4);
  const outside = ['since=0000-12-31T23:59:59Z', 'until=0001-01-01T00:00:00%2B01:00', 'until=9999-12-31T23:59:59-01:00'];
  for (const query of ['since=yesterday', 'until=2026-01-01', 'since=1700000000', ...outside]) {
    expect(await owner.get(`${url}/audits?${query}`), query).toMatchObject({
      status: 400,
      body: { errorMessage: expect.stringMatching(/^(Since|Until) must be a valid date-time$/) },
    });
  }
});

test('an entry that is missing or of another workspace is 404; a reader sees none', async ({ api }) => {
  const workspace = await api.newWorkspace();
  const other = await api.newWorkspace();
  const [elsewhere] = (await other.owner.get(`${other.url}/audits`)).body.audits;
  for (const id of [elsewhere.id, newId(), 'not-an-id']) {
    expect(await workspace.owner.get(`${workspace.url}/audits/${id}`), id).toMatchObject({
      status: 404,
      body: { errorMessage: 'Audit not found' },
    });
  }
  const { client: admin } = await api.newMember(workspace, 'admin');
  const { client: reader } = await api.newMember(workspace, 'readonly');
  expect((await admin.get(`${workspace.url}/audits`)).status).toBe(200);
  expect((await reader.get(`${workspace.url}/audits`)).status).toBe(403);
  expect((await reader.get(`${workspace.url}/audits/${newId()}`)).status).toBe(403);
});

test('entries outlive those who made them', async ({ api }) => {
  const workspace = await api.newWorkspace();
  const admin = await api.newMember(workspace, 'admin');
  await admin.client.put(workspace.url, { name: 'By somebody who left' });
  expect((await admin.client.delete('/me')).status).toBe(204);
  const { body } = await workspace.owner.get(`${workspace.url}/audits?actorId=${admin.id}`);
  expect(body.audits).toMatchObject([{ action: 'workspace.update', actorName: 'Some admin' }]);
});

test('no secret is stored anywhere, in the audit log or in any other table', async ({ api }) => {
  const workspace = await api.newWorkspace();
  const { owner, url } = workspace;
  const email = `${newId()}@example.com`;
  const idempotent = () => ({ 'idempotency-key': newId() });
  const secrets: Record<string, string> = { password: 'the first secret phrase', newPassword: 'the second secret phrase' };

  secrets.apiKey = (await owner.post('/apiKeys', { name: 'a key' }, idempotent())).body.key;
  secrets.accessKey = (await owner.post(`${url}/keys`, { name: 'a key', permissions: ['CAN_GET_AGENT'] }, idempotent())).body.key;
  secrets.inviteToken = (await owner.post(`${url}/invites`, { email, role: 'admin' }, idempotent())).body.token;
  const person = { email, name: 'Ada', password: secrets.password };
  const registered = await api.anonymous.post('/auth/register', { ...person, inviteToken: secrets.inviteToken }, idempotent());
  secrets.firstSession = sessionIn(registered);
  const loggedIn = await api.anonymous.post('/auth/login', person, idempotent());
  secrets.secondSession = sessionIn(loggedIn);
  const browser = api.client({ cookie: `commonplace_session=${secrets.secondSession}`, 'sec-fetch-site': 'same-origin' });
  const change = { currentPassword: secrets.password, newPassword: secrets.newPassword };
  expect((await browser.put('/auth/password', change)).status).toBe(204);
  expect((await browser.get(url)).status).toBe(200);
  await api.client({ 'x-access-key': secrets.accessKey as string }).get('/me');
  await api.app.context.callers.flush();

  const stored = await everythingIn(api.db);
  expect(stored).toContain(workspace.id);
  expect(stored).toContain(email);
  for (const [name, secret] of Object.entries(secrets)) {
    expect(secret.length, name).toBeGreaterThan(20);
    expect(stored.includes(secret), `${name} is stored`).toBe(false);
  }
});

interface Made {
  readonly id: string;
  readonly token?: string;
}

function sessionIn(answer: Answer): string {
  return /commonplace_session=(\w+)/.exec(String(answer.headers['set-cookie']))?.[1] ?? '';
}

/** Every row of every table, as text. */
async function everythingIn(db: Database): Promise<string> {
  const tables = await db.query(sql<{ name: string }>`${allTables}`);
  expect(tables.length).toBeGreaterThan(10);
  const rows = await Promise.all(tables.map(({ name }) => db.query(sql`select * from ${raw(`"${name}"`)}`)));
  return JSON.stringify(rows);
}

const allTables = perEngine({
  sqlite: `select name from pragma_table_list where schema = 'main' and type = 'table' and name not like 'sqlite_%'`,
  postgres: `select table_name as name from information_schema.tables where table_schema = current_schema() and table_type = 'BASE TABLE'`,
});
