import type { Role } from '@commonplace/contract/permissions';
import { expect } from 'vitest';
import { type TestApi, type TestWorkspace, test } from '../../test/api.ts';
import { newId } from '../db/ids.ts';
import { sql } from '../db/sql.ts';

const anId = expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
const aTime = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
const LAST_OWNER = 'The last owner of a workspace can be neither removed nor demoted';

async function ownersOf(api: TestApi, { id }: TestWorkspace): Promise<string[]> {
  const rows = await api.db.query(sql<{ userId: string }>`
    select user_id as "userId" from memberships where workspace_id = ${id} and role = 'owner'`);
  return rows.map(({ userId }) => userId);
}

test('the list has every field, in the order of joining, by pages', async ({ api }) => {
  const workspace = await api.newWorkspace();
  const admin = await api.newMember(workspace, 'admin');
  const reader = await api.newMember(workspace, 'readonly');
  const listed = await workspace.owner.get(`${workspace.url}/members`);
  expect(listed.status).toBe(200);
  const member = { id: anId, workspaceId: workspace.id, createdAt: aTime, updatedAt: aTime };
  expect(listed.body).toEqual({
    members: [
      { ...member, userId: workspace.ownerUser.id, name: 'Owner', email: workspace.ownerUser.email, role: 'owner' },
      { ...member, userId: admin.id, name: 'Some admin', email: admin.email, role: 'admin' },
      { ...member, userId: reader.id, name: 'Some readonly', email: reader.email, role: 'readonly' },
    ],
    _meta: { limit: 50, offset: 0, total: 3 },
  });
  expect((await reader.client.get(`${workspace.url}/members?limit=1&offset=1`)).body).toEqual({
    members: [listed.body.members[1]],
    _meta: { limit: 1, offset: 1, total: 3, cursor: expect.any(String) },
  });
  expect((await admin.client.get(`${workspace.url}/members?offset=3`)).body.members).toEqual([]);
  expect((await admin.client.get(`${workspace.url}/members?limit=101`)).status).toBe(400);
});

test('a new role is answered, kept, and in force at the next request', async ({ api }) => {
  const workspace = await api.newWorkspace();
  const member = await api.newMember(workspace, 'readonly');
  expect((await member.client.put(workspace.url, { name: 'Renamed' })).status).toBe(403);
  const { body } = await workspace.owner.get(`${workspace.url}/members?offset=1`);
  api.clock.advance(1000);
  const changed = await workspace.owner.put(`${workspace.url}/members/${member.id}`, { role: 'admin' });
  expect(changed.status).toBe(200);
  expect(changed.body).toEqual({ ...body.members[0], role: 'admin', updatedAt: aTime });
  expect(Date.parse(changed.body.updatedAt)).toBeGreaterThanOrEqual(Date.parse(body.members[0].updatedAt) + 1000);
  expect((await workspace.owner.get(`${workspace.url}/members?offset=1`)).body.members).toEqual([changed.body]);
  expect((await member.client.put(workspace.url, { name: 'Renamed' })).status).toBe(200);

  await workspace.owner.put(`${workspace.url}/members/${member.id}`, { role: 'readonly' });
  expect((await member.client.put(workspace.url, { name: 'Renamed again' })).status).toBe(403);
});

test.for([
  [{}, 'Role is required'],
  [{ role: null }, 'Role is required'],
  [{ role: '' }, 'Role is required'],
  [{ role: 'Owner' }, 'Role must be one of: owner admin readonly'],
  [{ role: ['admin'] }, 'Role must be one of: owner admin readonly'],
] as const)('a change to %j is 400', async ([body, message], { api }) => {
  const workspace = await api.newWorkspace();
  const member = await api.newMember(workspace, 'readonly');
  expect(await workspace.owner.put(`${workspace.url}/members/${member.id}`, body)).toMatchObject({
    status: 400,
    body: { errorMessage: message, details: [{ path: 'role', message }] },
  });
});

test('somebody who is no member is 404, to change and to remove', async ({ api }) => {
  const workspace = await api.newWorkspace();
  const stranger = await api.newUser();
  for (const id of [stranger.id, newId(), 'not-an-id']) {
    const missing = { status: 404, body: { errorMessage: 'Member not found' } };
    expect(await workspace.owner.put(`${workspace.url}/members/${id}`, { role: 'admin' }), id).toMatchObject(missing);
    expect(await workspace.owner.delete(`${workspace.url}/members/${id}`), id).toMatchObject(missing);
  }
  // What is not a role is said before who is not a member.
  expect((await workspace.owner.put(`${workspace.url}/members/${newId()}`, { role: 'king' })).status).toBe(400);
  // A stranger can't even leave.
  expect(await stranger.client.delete(`${workspace.url}/members/${stranger.id}`)).toMatchObject({
    status: 404,
    body: { errorMessage: 'Workspace not found' },
  });
});

test('a removed member is out at the next request', async ({ api }) => {
  const workspace = await api.newWorkspace();
  const member = await api.newMember(workspace, 'admin');
  const elsewhere = await api.newWorkspace();
  expect((await member.client.get(workspace.url)).body.membersCount).toBe(2);
  expect(await workspace.owner.delete(`${workspace.url}/members/${member.id}`)).toMatchObject({ status: 204, text: '' });
  expect((await member.client.get(workspace.url)).status).toBe(404);
  expect((await member.client.get('/workspaces')).body._meta.total).toBe(0);
  expect((await workspace.owner.get(workspace.url)).body.membersCount).toBe(1);
  expect((await workspace.owner.delete(`${workspace.url}/members/${member.id}`)).status).toBe(404);
  expect((await elsewhere.owner.get(elsewhere.url)).status).toBe(200);
});

test('anyone may leave, a reader too', async ({ api }) => {
  const workspace = await api.newWorkspace();
  for (const role of ['admin', 'readonly', 'owner'] as const) {
    const member = await api.newMember(workspace, role);
    expect((await member.client.delete(`${workspace.url}/members/${member.id.toUpperCase()}`)).status, role).toBe(204);
    expect((await member.client.get(workspace.url)).status, role).toBe(404);
  }
});

const roles: readonly Role[] = ['owner', 'admin', 'readonly'];
const ranks: Record<Role, number> = { readonly: 0, admin: 1, owner: 2 };
const cases = roles.flatMap((actor) => roles.flatMap((target) => roles.map((role) => [actor, target, role] as const)));

test.for(cases)('roles: what becomes of it when %s makes %s a %s', async ([actor, target, role], { api }) => {
  const workspace = await api.newWorkspace();
  const by = await api.newMember(workspace, actor);
  const member = await api.newMember(workspace, target);
  const answer = await by.client.put(`${workspace.url}/members/${member.id}`, { role });
  const allowed = actor === 'owner' || (actor === 'admin' && ranks[target] < ranks.owner && ranks[role] < ranks.owner);
  expect(answer.status).toBe(allowed ? 200 : 403);
  const { body } = await workspace.owner.get(`${workspace.url}/members?offset=2`);
  expect(body.members[0].role).toBe(allowed ? role : target);
});

test.for(roles.flatMap((actor) => roles.map((target) => [actor, target] as const)))(
  'roles: what becomes of it when %s removes %s',
  async ([actor, target], { api }) => {
    const workspace = await api.newWorkspace();
    const by = await api.newMember(workspace, actor);
    const member = await api.newMember(workspace, target);
    const answer = await by.client.delete(`${workspace.url}/members/${member.id}`);
    const allowed = actor === 'owner' || (actor === 'admin' && target !== 'owner');
    expect(answer.status).toBe(allowed ? 204 : 403);
    expect((await workspace.owner.get(workspace.url)).body.membersCount).toBe(allowed ? 2 : 3);
  },
);

test('an admin can’t make themselves an owner', async ({ api }) => {
  const workspace = await api.newWorkspace();
  const admin = await api.newMember(workspace, 'admin');
  expect(await admin.client.put(`${workspace.url}/members/${admin.id}`, { role: 'owner' })).toMatchObject({
    status: 403,
    body: { errorMessage: 'Only an owner may make somebody an owner' },
  });
  expect(await admin.client.put(`${workspace.url}/members/${workspace.ownerUser.id}`, { role: 'readonly' })).toMatchObject({
    status: 403,
    body: { errorMessage: 'Only an owner may change or remove an owner' },
  });
});

test('the last owner can neither leave nor step down, and can once there is another', async ({ api }) => {
  const workspace = await api.newWorkspace();
  const admin = await api.newMember(workspace, 'admin');
  const self = `${workspace.url}/members/${workspace.ownerUser.id}`;
  const refused = { status: 409, body: { errorMessage: LAST_OWNER, code: 'conflict' } };
  expect(await workspace.owner.delete(self)).toMatchObject(refused);
  expect(await workspace.owner.put(self, { role: 'admin' })).toMatchObject(refused);
  expect(await workspace.owner.put(self, { role: 'readonly' })).toMatchObject(refused);
  expect((await workspace.owner.put(self, { role: 'owner' })).status).toBe(200);
  expect(await ownersOf(api, workspace)).toEqual([workspace.ownerUser.id]);

  expect((await workspace.owner.put(`${workspace.url}/members/${admin.id}`, { role: 'owner' })).status).toBe(200);
  expect((await workspace.owner.put(self, { role: 'readonly' })).status).toBe(200);
  expect(await admin.client.delete(`${workspace.url}/members/${admin.id}`)).toMatchObject(refused);
  expect(await ownersOf(api, workspace)).toEqual([admin.id]);
});

const ROUNDS = 25;

/** What two owners of one workspace can do at the same time, to each other or to themselves, that would leave it without one. */
const duels = {
  'demote each other': (workspace: TestWorkspace, [a, b]: Pair) => [
    a.client.put(`${workspace.url}/members/${b.id}`, { role: 'admin' }),
    b.client.put(`${workspace.url}/members/${a.id}`, { role: 'readonly' }),
  ],
  'step down': (workspace: TestWorkspace, [a, b]: Pair) => [
    a.client.put(`${workspace.url}/members/${a.id}`, { role: 'admin' }),
    b.client.put(`${workspace.url}/members/${b.id}`, { role: 'admin' }),
  ],
  'remove each other': (workspace: TestWorkspace, [a, b]: Pair) => [
    a.client.delete(`${workspace.url}/members/${b.id}`),
    b.client.delete(`${workspace.url}/members/${a.id}`),
  ],
  leave: (workspace: TestWorkspace, [a, b]: Pair) => [
    a.client.delete(`${workspace.url}/members/${a.id}`),
    b.client.delete(`${workspace.url}/members/${b.id}`),
  ],
  'delete their accounts': (_: TestWorkspace, [a, b]: Pair) => [a.client.delete('/me'), b.client.delete('/me')],
  'leave, and delete the account': (workspace: TestWorkspace, [a, b]: Pair) => [
    a.client.delete(`${workspace.url}/members/${a.id}`),
    b.client.delete('/me'),
  ],
};
type Pair = readonly [TestWorkspace['ownerUser'], TestWorkspace['ownerUser']];

test.for(Object.entries(duels))('two owners who %s at once leave one owner', async ([, duel], { api }) => {
  for (let round = 0; round < ROUNDS; round++) {
    const workspace = await api.newWorkspace();
    const pair = [workspace.ownerUser, await api.newMember(workspace, 'owner')] as const;
    const statuses = (await Promise.all(duel(workspace, pair))).map(({ status }) => status);
    expect(await ownersOf(api, workspace), `round ${round}: ${statuses}`).toHaveLength(1);
    expect(statuses.filter((status) => status < 300)).toHaveLength(1);
    expect(statuses.filter((status) => [403, 404, 409].includes(status))).toHaveLength(1);
  }
});

test('an owner who hands over and leaves while the heir deletes the account leaves one owner', async ({ api }) => {
  for (let round = 0; round < ROUNDS; round++) {
    const workspace = await api.newWorkspace();
    const heir = await api.newMember(workspace, 'readonly');
    const handOver = async () => {
      await workspace.owner.put(`${workspace.url}/members/${heir.id}`, { role: 'owner' });
      return workspace.owner.delete(`${workspace.url}/members/${workspace.ownerUser.id}`);
    };
    const [left, deleted] = await Promise.all([handOver(), heir.client.delete('/me')]);
    expect(await ownersOf(api, workspace), `round ${round}: ${left.status} ${deleted.status}`).toHaveLength(1);
  }
});
