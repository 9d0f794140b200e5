import { grantablePermissions, type Permission, permissionNames } from '@commonplace/contract/permissions';
import { pino } from 'pino';
import { expect, inject, onTestFinished } from 'vitest';
import { Client, openApi, test } from '../../test/api.ts';
import { createApp } from '../app.ts';
import { newId } from '../db/ids.ts';
import { type MigratableDatabase, migrate } from '../db/migrate.ts';
import { openDatabase } from '../db/open.ts';

const anId = expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
const aTime = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
const REFUSED = { status: 401, body: { errorMessage: 'Invalid access key.' } };
const permissions: Permission[] = ['CAN_LIST_AGENTS', 'CAN_GET_AGENT'];

test('POST answers 201 with the key, which is shown this once and works at once', async ({ api }) => {
  const { id: workspaceId, url, owner, ownerUser } = await api.newWorkspace();
  const created = await owner.post(`${url}/keys`, { name: 'Production agent', permissions });
  expect(created.status).toBe(201);
  const { key, ...rest } = created.body;
  expect(key).toMatch(/^cpa_[0-9A-Za-z]{38}$/);
  expect(rest).toEqual({
    id: anId,
    workspaceId,
    name: 'Production agent',
    permissions,
    hint: `cpa_…${key.slice(-4)}`,
    createdBy: ownerUser.id,
    expiresAt: null,
    lastUsedAt: null,
    createdAt: aTime,
    updatedAt: rest.createdAt,
  });
  expect((await owner.get(`${url}/keys/${rest.id}`)).body).toEqual(rest);
  expect((await owner.get(`${url}/keys`)).body).toEqual({ keys: [rest], _meta: { limit: 50, offset: 0, total: 1 } });
  const me = await api.client({ 'x-access-key': key }).get('/me');
  expect(me).toMatchObject({ status: 200, body: { accessKey: { id: rest.id } } });
});

test('every permission that an access key can hold is accepted, each alone and all together', async ({ api }) => {
  const { url, owner } = await api.newWorkspace();
  expect(grantablePermissions).toHaveLength(31);
  for (const permission of grantablePermissions) {
    const { status, body } = await owner.post(`${url}/keys`, { name: permission, permissions: [permission] });
    expect([status, body.permissions]).toEqual([201, [permission]]);
  }
  const all = await owner.post(`${url}/keys`, { name: 'all', permissions: grantablePermissions });
  expect(all.body.permissions).toEqual(grantablePermissions);
});

test('every permission that only a user can hold is 400', async ({ api }) => {
  const { url, owner } = await api.newWorkspace();
  const others = permissionNames.filter((name) => !grantablePermissions.includes(name));
  expect(others).toHaveLength(20);
  for (const permission of others) {
    const answer = await owner.post(`${url}/keys`, { name: 'a key', permissions: ['CAN_GET_AGENT', permission] });
    expect(answer, permission).toMatchObject({
      status: 400,
      body: {
        errorMessage: `Permissions must be one of: ${grantablePermissions.join(' ')}`,
        details: [{ path: 'permissions.1' }],
      },
    });
  }
  expect((await owner.get(`${url}/keys`)).body._meta.total).toBe(0);
});

test.for([
  [['CAN_FLY'], `Permissions must be one of: ${grantablePermissions.join(' ')}`],
  [['can_get_agent'], `Permissions must be one of: ${grantablePermissions.join(' ')}`],
  [[], 'Permissions must have at least 1 item'],
  [undefined, 'Permissions is required'],
  [null, 'Permissions is required'],
  ['CAN_GET_AGENT', 'Permissions must be an array'],
  [{ CAN_GET_AGENT: true }, 'Permissions must be an array'],
] as const)('permissions of %j are 400', async ([asked, message], { api }) => {
  const { url, owner } = await api.newWorkspace();
  expect(await owner.post(`${url}/keys`, { name: 'a key', permissions: asked })).toMatchObject({
    status: 400,
    body: { errorMessage: message },
  });
});

test('a permission that is named twice is kept once, in the order given', async ({ api }) => {
  const { url, owner } = await api.newWorkspace();
  const asked = ['CAN_GET_PROMPT', 'CAN_GET_AGENT', 'CAN_GET_PROMPT', 'CAN_GET_AGENT'];
  const { body } = await owner.post(`${url}/keys`, { name: 'a key', permissions: asked });
  expect(body.permissions).toEqual(['CAN_GET_PROMPT', 'CAN_GET_AGENT']);
  expect((await owner.get(`${url}/keys/${body.id}`)).body.permissions).toEqual(['CAN_GET_PROMPT', 'CAN_GET_AGENT']);
});

test.for([
  ['a', 201, undefined],
  ['a'.repeat(60), 201, undefined],
  ['🗝'.repeat(60), 201, undefined],
  ['a'.repeat(61), 400, 'Name must not exceed 60 characters'],
  ['', 400, 'Name is required'],
  [' \n ', 400, 'Name is required'],
  [null, 400, 'Name is required'],
  [undefined, 400, 'Name is required'],
  [true, 400, 'Name must be a string'],
] as const)('a name of %j is %i', async ([name, status, message], { api }) => {
  const { url, owner } = await api.newWorkspace();
  const answer = await owner.post(`${url}/keys`, { name, permissions });
  expect(answer.status).toBe(status);
  if (status === 201) expect(answer.body.name).toBe(name);
  else expect(answer.body).toMatchObject({ errorMessage: message, details: [{ path: 'name', message }] });
});

test('an expiresAt in the past is 400; a key is refused from its hour on', async ({ api }) => {
  const { url, owner } = await api.newWorkspace();
  const at = (ms: number) => new Date(api.clock.nowMs() + ms).toISOString();
  expect(await owner.post(`${url}/keys`, { name: 'a key', permissions, expiresAt: at(-1) })).toMatchObject({
    status: 400,
    body: { errorMessage: 'Expires at must be in the future', details: [{ path: 'expiresAt' }] },
  });
  expect((await owner.post(`${url}/keys`, { name: 'a key', permissions, expiresAt: 'soon' })).status).toBe(400);
  const expiresAt = at(60_000);
  const { body } = await owner.post(`${url}/keys`, { name: 'a key', permissions, expiresAt });
  expect(body.expiresAt).toBe(expiresAt);
  const key = api.client({ 'x-access-key': body.key });
  expect((await key.get('/me')).status).toBe(200);
  api.clock.advance(61_000);
  expect(await key.get('/me')).toMatchObject(REFUSED);
  expect((await owner.get(`${url}/keys/${body.id}`)).status).toBe(200);
});

test('a deleted key is refused at the next request; the others go on', async ({ api }) => {
  const workspace = await api.newWorkspace();
  const key = await api.newAccessKey(workspace);
  const other = await api.newAccessKey(workspace);
  expect((await key.get('/me')).status).toBe(200);
  expect((await other.get('/me')).status).toBe(200);
  expect(await workspace.owner.delete(`${workspace.url}/keys/${key.keyId}`)).toMatchObject({ status: 204, text: '' });
  expect(await key.get('/me')).toMatchObject(REFUSED);
  expect((await other.get('/me')).status).toBe(200);
  for (const method of ['GET', 'DELETE']) {
    expect(await workspace.owner.send(method, `${workspace.url}/keys/${key.keyId}`)).toMatchObject({
      status: 404,
      body: { errorMessage: 'Access key not found' },
    });
  }
});

test('a key of another workspace is 404 here, though the caller owns both', async ({ api }) => {
  const workspace = await api.newWorkspace();
  const key = await api.newAccessKey(workspace);
  const { body: other } = await workspace.owner.post('/workspaces', { name: 'The other one' });
  for (const id of [key.keyId, newId(), 'not-an-id']) {
    for (const method of ['GET', 'DELETE']) {
      expect(await workspace.owner.send(method, `/workspaces/${other.id}/keys/${id}`)).toMatchObject({
        status: 404,
        body: { errorMessage: 'Access key not found' },
      });
    }
  }
  expect((await key.get('/me')).status).toBe(200);
});

test('the list is newest first, by pages, and shows no key', async ({ api }) => {
  const { url, owner } = await api.newWorkspace();
  expect((await owner.get(`${url}/keys`)).body).toEqual({ keys: [], _meta: { limit: 50, offset: 0, total: 0 } });
  const made = [];
  for (let number = 1; number <= 4; number++) {
    const { key, ...rest } = (await owner.post(`${url}/keys`, { name: `Key ${number}`, permissions })).body;
    made.unshift(rest);
  }
  expect((await owner.get(`${url}/keys`)).body).toEqual({ keys: made, _meta: { limit: 50, offset: 0, total: 4 } });
  expect((await owner.get(`${url}/keys?limit=2&offset=1`)).body).toEqual({
    keys: made.slice(1, 3),
    _meta: { limit: 2, offset: 1, total: 4, cursor: expect.any(String) },
  });
  expect((await owner.get(`${url}/keys?limit=101`)).status).toBe(400);
});

test('an admin manages keys; a reader does not even see them', async ({ api }) => {
  const workspace = await api.newWorkspace();
  const { client: admin } = await api.newMember(workspace, 'admin');
  const { client: reader } = await api.newMember(workspace, 'readonly');
  const { status, body } = await admin.post(`${workspace.url}/keys`, { name: 'a key', permissions });
  expect(status).toBe(201);
  expect((await reader.get(`${workspace.url}/keys`)).status).toBe(403);
  expect((await reader.get(`${workspace.url}/keys/${body.id}`)).status).toBe(403);
  expect((await reader.delete(`${workspace.url}/keys/${body.id}`)).status).toBe(403);
  expect((await reader.post(`${workspace.url}/keys`, { name: '', permissions: [] })).status).toBe(403);
  expect((await admin.delete(`${workspace.url}/keys/${body.id}`)).status).toBe(204);
});

test('lastUsedAt appears after use', async ({ api }) => {
  const workspace = await api.newWorkspace();
  const key = await api.newAccessKey(workspace);
  const lastUsedAt = async () => (await workspace.owner.get(`${workspace.url}/keys/${key.keyId}`)).body.lastUsedAt;
  await api.app.context.callers.flush();
  expect(await lastUsedAt()).toBeNull();
  await key.get('/me');
  await api.app.context.callers.flush();
  expect(await lastUsedAt()).toEqual(aTime);
});

test('keys made while their workspace is deleted either come too early or are 404', async ({ api }) => {
  for (let round = 0; round < 10; round++) {
    const { url, owner } = await api.newWorkspace();
    const make = () => owner.post(`${url}/keys`, { name: 'late', permissions });
    const [before, deleted, ...after] = await Promise.all([make(), owner.delete(url), make(), make(), make()]);
    expect(deleted.status).toBe(204);
    for (const answer of [before, ...after]) {
      expect([201, 404]).toContain(answer.status);
      if (answer.status === 201) expect(await api.client({ 'x-access-key': answer.body.key }).get('/me')).toMatchObject(REFUSED);
    }
  }
});

if (inject('engine') === 'postgres')
  test('what one node revokes, another that remembers it refuses at the very next request', async () => {
    const { api, close } = await openApi();
    const { config } = api.app.context;
    const log = pino({ level: 'silent' });
    const db = await openDatabase(config, log);
    const nodeB = await createApp(config, db, log, api.clock);
    onTestFinished(async () => {
      await nodeB.close();
      await db.close();
      await close();
    });
    expect(await migrate(db)).toEqual([]);
    for (const node of [api.db, db] as (MigratableDatabase & { join?(): Promise<void> })[]) await node.join?.();
    expect([api.db.trustsBroadcasts(), db.trustsBroadcasts()]).toEqual([true, true]);

    const workspace = await api.newWorkspace();
    const onB = (headers: Record<string, string>) => new Client(nodeB.server, headers);
    const { client: member, id: memberId } = await api.newMember(workspace, 'admin');
    for (let round = 0; round < 50; round++) {
      const key = await api.newAccessKey(workspace);
      const { body: apiKey } = await workspace.owner.post('/apiKeys', { name: 'another' });
      const callers = { access: onB(key.headers), api: onB({ 'x-api-key': apiKey.key }), member: onB(member.headers) };
      for (const client of Object.values(callers)) {
        expect((await client.get('/me')).status).toBe(200);
        expect((await client.get(`${workspace.url}/stats`)).status).toBe(200);
      }

      expect((await workspace.owner.delete(`${workspace.url}/keys/${key.keyId}`)).status).toBe(204);
      expect(await callers.access.get('/me'), `access key, round ${round}`).toMatchObject(REFUSED);
      expect((await workspace.owner.delete(`/apiKeys/${apiKey.id}`)).status).toBe(204);
      expect((await callers.api.get('/me')).status, `API key, round ${round}`).toBe(401);
      const role = round % 2 === 0 ? 'readonly' : 'admin';
      expect((await workspace.owner.put(`${workspace.url}/members/${memberId}`, { role })).status).toBe(200);
      const seen = await callers.member.get(`${workspace.url}/keys`);
      expect(seen.status, `role, round ${round}`).toBe(role === 'admin' ? 200 : 403);
    }
  });
