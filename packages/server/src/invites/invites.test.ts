import { expect } from 'vitest';
import { type TestApi, type TestWorkspace, test } from '../../test/api.ts';
import { newId } from '../db/ids.ts';
import { sql } from '../db/sql.ts';

const anId = expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
const aTime = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
const DAY_MS = 24 * 60 * 60 * 1000;

const newEmail = () => `${newId()}@example.com`;

async function invite({ owner, url }: TestWorkspace, email: string, role = 'readonly') {
  const { status, body } = await owner.post(`${url}/invites`, { email, role });
  expect(status).toBe(201);
  return body as { id: string; token: string; status: string };
}

async function actionsOn(api: TestApi, workspaceId: string): Promise<string[]> {
  const rows = await api.db.query(sql<{ action: string }>`
    select action from audits where workspace_id = ${workspaceId} and action like 'invite.%' order by id`);
  return rows.map(({ action }) => action);
}

test('POST answers 201 with the token, shown this once, and a week to answer', async ({ api }) => {
  const { id: workspaceId, url, owner, ownerUser } = await api.newWorkspace('Support team');
  const email = newEmail();
  const created = await owner.post(`${url}/invites`, { email, role: 'admin' });
  expect(created.status).toBe(201);
  const { token, ...rest } = created.body;
  expect(token).toMatch(/^cpi_[0-9A-Za-z]{38}$/);
  expect(rest).toEqual({
    id: anId,
    workspaceId,
    workspaceName: 'Support team',
    email,
    role: 'admin',
    status: 'pending',
    invitedBy: ownerUser.id,
    expiresAt: new Date(Date.parse(rest.createdAt) + 7 * DAY_MS).toISOString(),
    createdAt: aTime,
    updatedAt: rest.createdAt,
  });
  expect((await owner.get(`${url}/invites/${rest.id}`)).body).toEqual(rest);
  expect((await owner.get(`${url}/invites`)).body).toEqual({ invites: [rest], _meta: { limit: 50, offset: 0, total: 1 } });
});

test.for([
  [{ role: 'admin' }, 'Email is required'],
  [{ email: '', role: 'admin' }, 'Email is required'],
  [{ email: null, role: 'admin' }, 'Email is required'],
  [{ email: 'nobody', role: 'admin' }, 'Email must be a valid e-mail address'],
  [{ email: 'a@b@c', role: 'admin' }, 'Email must be a valid e-mail address'],
  [{ email: 'a b@example.com', role: 'admin' }, 'Email must be a valid e-mail address'],
  [{ email: `${'a'.repeat(243)}@example.com`, role: 'admin' }, 'Email must not exceed 254 characters'],
  [{ email: 'a@example.com' }, 'Role is required'],
  [{ email: 'a@example.com', role: '' }, 'Role is required'],
  [{ email: 'a@example.com', role: 'guest' }, 'Role must be one of: owner admin readonly'],
] as const)('an invite with %j is 400', async ([body, message], { api }) => {
  const { url, owner } = await api.newWorkspace();
  expect(await owner.post(`${url}/invites`, body)).toMatchObject({ status: 400, body: { errorMessage: message } });
});

test('an e-mail address of 254 characters is accepted, and an address is kept in lower case without white space', async ({ api }) => {
  const { url, owner } = await api.newWorkspace();
  const longest = `${'a'.repeat(242)}@example.com`;
  expect(longest).toHaveLength(254);
  expect((await owner.post(`${url}/invites`, { email: longest, role: 'admin' })).status).toBe(201);
  expect((await owner.post(`${url}/invites`, { email: '  Ada@Example.COM ', role: 'admin' })).body.email).toBe('ada@example.com');
});

test('an address with a pending invite is 409, in any case of letters; elsewhere it is free', async ({ api }) => {
  const workspace = await api.newWorkspace();
  const email = newEmail();
  await invite(workspace, email);
  expect(await workspace.owner.post(`${workspace.url}/invites`, { email: email.toUpperCase(), role: 'admin' })).toMatchObject({
    status: 409,
    body: { errorMessage: 'This e-mail address has a pending invite already' },
  });
  await invite(await api.newWorkspace(), email);
  expect((await workspace.owner.get(`${workspace.url}/invites`)).body._meta.total).toBe(1);
});

test('20 invites of one address at once make one', async ({ api }) => {
  const { url, owner } = await api.newWorkspace();
  const email = newEmail();
  const answers = await Promise.all(Array.from({ length: 20 }, () => owner.post(`${url}/invites`, { email, role: 'admin' })));
  expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array(19).fill(409)]);
});

test('an expired invite reads as expired, can’t be accepted, and gives way to a new one', async ({ api }) => {
  const workspace = await api.newWorkspace();
  const invited = await api.newUser();
  const old = await invite(workspace, invited.email);
  api.clock.advance(7 * DAY_MS - 60_000);
  expect((await invited.client.get('/invites')).body._meta.total).toBe(1);
  expect((await workspace.owner.post(`${workspace.url}/invites`, { email: invited.email, role: 'admin' })).status).toBe(409);
  api.clock.advance(60_001);
  expect((await workspace.owner.get(`${workspace.url}/invites/${old.id}`)).body.status).toBe('expired');
  expect((await workspace.owner.get(`${workspace.url}/invites`)).body.invites).toMatchObject([{ id: old.id, status: 'expired' }]);
  expect((await invited.client.get('/invites')).body).toEqual({ invites: [], _meta: { limit: 50, offset: 0, total: 0 } });
  for (const verb of ['accept', 'reject']) {
    expect(await invited.client.post(`/invites/${old.token}/${verb}`)).toMatchObject({
      status: 409,
      body: { errorMessage: 'This invite is expired' },
    });
  }
  const renewed = await invite(workspace, invited.email, 'admin');
  expect((await workspace.owner.get(`${workspace.url}/invites`)).body.invites).toMatchObject([
    { id: renewed.id, status: 'pending' },
    { id: old.id, status: 'expired' },
  ]);
  expect((await invited.client.post(`/invites/${renewed.token}/accept`)).status).toBe(200);
  expect((await invited.client.get(workspace.url)).body.role).toBe('admin');
});

test('a member can’t be invited: 409', async ({ api }) => {
  const workspace = await api.newWorkspace();
  const member = await api.newMember(workspace, 'readonly');
  for (const email of [member.email, workspace.ownerUser.email.toUpperCase()]) {
    expect(await workspace.owner.post(`${workspace.url}/invites`, { email, role: 'admin' })).toMatchObject({
      status: 409,
      body: { errorMessage: 'This e-mail address belongs to a member already' },
    });
  }
});

test('an admin invites admins and readers, not owners; a reader invites nobody', async ({ api }) => {
  const workspace = await api.newWorkspace();
  const { client: admin } = await api.newMember(workspace, 'admin');
  const { client: reader } = await api.newMember(workspace, 'readonly');
  const by = (client: typeof admin, role: string) => client.post(`${workspace.url}/invites`, { email: newEmail(), role });
  expect((await by(admin, 'admin')).status).toBe(201);
  expect((await by(admin, 'readonly')).status).toBe(201);
  expect(await by(admin, 'owner')).toMatchObject({ status: 403, body: { errorMessage: 'Only an owner may make somebody an owner' } });
  expect((await by(workspace.owner, 'owner')).status).toBe(201);
  expect((await by(reader, 'readonly')).status).toBe(403);
  expect((await reader.get(`${workspace.url}/invites`)).status).toBe(403);
});

test('an invite is accepted by its token, not by its id, and the role is in force at once', async ({ api }) => {
  const workspace = await api.newWorkspace('Joined');
  const invited = await api.newUser();
  const { token, ...pending } = await invite(workspace, invited.email, 'admin');
  expect((await invited.client.get(workspace.url)).status).toBe(404);
  api.clock.advance(1000);
  expect((await invited.client.post(`/invites/${pending.id}/accept`)).status).toBe(404);
  const accepted = await invited.client.post(`/invites/${token}/accept`);
  expect(accepted.status).toBe(200);
  expect(accepted.body).toEqual({ ...pending, status: 'accepted', updatedAt: aTime });
  expect(accepted.body.updatedAt > accepted.body.createdAt).toBe(true);
  expect((await workspace.owner.get(`${workspace.url}/invites/${pending.id}`)).body).toEqual(accepted.body);
  expect((await invited.client.get(workspace.url)).body).toMatchObject({ role: 'admin', membersCount: 2, name: 'Joined' });
  expect((await invited.client.get('/invites')).body._meta.total).toBe(0);
  for (const verb of ['accept', 'reject']) {
    expect(await invited.client.post(`/invites/${token}/${verb}`)).toMatchObject({
      status: 409,
      body: { errorMessage: 'This invite is accepted' },
    });
  }
  expect(await actionsOn(api, workspace.id)).toEqual(['invite.create', 'invite.accept']);
});

test('a rejected invite can’t be accepted, makes no member, and leaves room for a new one', async ({ api }) => {
  const workspace = await api.newWorkspace();
  const invited = await api.newUser();
  const { token, ...pending } = await invite(workspace, invited.email);
  const rejected = await invited.client.post(`/invites/${token}/reject`);
  expect(rejected.status).toBe(200);
  expect(rejected.body).toEqual({ ...pending, status: 'rejected', updatedAt: aTime });
  expect(await invited.client.post(`/invites/${token}/accept`)).toMatchObject({
    status: 409,
    body: { errorMessage: 'This invite is rejected' },
  });
  expect((await invited.client.get(workspace.url)).status).toBe(404);
  await invite(workspace, invited.email);
  expect(await actionsOn(api, workspace.id)).toEqual(['invite.create', 'invite.reject', 'invite.create']);
});

test('someone else’s token is 403, someone else’s id and what was never given are 404; nothing happens', async ({ api }) => {
  const workspace = await api.newWorkspace();
  const invited = await api.newUser();
  const other = await api.newUser();
  const { id, token } = await invite(workspace, invited.email);
  for (const verb of ['accept', 'reject']) {
    expect(await other.client.post(`/invites/${token}/${verb}`)).toMatchObject({
      status: 403,
      body: { errorMessage: 'This invite is for another e-mail address' },
    });
    for (const unknown of [id, newId(), 'cpi_made-up', token.toLowerCase(), 'x'.repeat(500), '%00']) {
      expect(await other.client.post(`/invites/${unknown}/${verb}`), unknown).toMatchObject({
        status: 404,
        body: { errorMessage: expect.stringMatching(/ not found$/) },
      });
    }
  }
  expect((await workspace.owner.get(`${workspace.url}/invites/${id}`)).body.status).toBe('pending');
  expect(await actionsOn(api, workspace.id)).toEqual(['invite.create']);
});

test('20 accepts of one invite at once make one membership', async ({ api }) => {
  for (let round = 0; round < 5; round++) {
    const workspace = await api.newWorkspace();
    const invited = await api.newUser();
    const { token } = await invite(workspace, invited.email);
    const answers = await Promise.all(Array.from({ length: 20 }, () => invited.client.post(`/invites/${token}/accept`)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(19).fill(409)]);
    expect((await workspace.owner.get(workspace.url)).body.membersCount).toBe(2);
    expect(await actionsOn(api, workspace.id)).toEqual(['invite.create', 'invite.accept']);
  }
});

test('accepting and rejecting at once is one or the other, never both', async ({ api }) => {
  for (let round = 0; round < 10; round++) {
    const workspace = await api.newWorkspace();
    const invited = await api.newUser();
    const { id, token } = await invite(workspace, invited.email);
    const answers = await Promise.all(['accept', 'reject'].map((verb) => invited.client.post(`/invites/${token}/${verb}`)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
    const { status } = (await workspace.owner.get(`${workspace.url}/invites/${id}`)).body;
    expect((await workspace.owner.get(workspace.url)).body.membersCount).toBe(status === 'accepted' ? 2 : 1);
  }
});

test('who became a member meanwhile can’t accept: 409, and the invite stays as it is', async ({ api }) => {
  const workspace = await api.newWorkspace();
  const invited = await api.newUser();
  const { id, token } = await invite(workspace, invited.email, 'owner');
  await api.db.run(sql`
    insert into memberships (workspace_id, user_id, id, role, created_at, updated_at)
    values (${workspace.id}, ${invited.id}, ${newId()}, 'readonly', ${new Date().toISOString()}, ${new Date().toISOString()})`);
  expect(await invited.client.post(`/invites/${token}/accept`)).toMatchObject({
    status: 409,
    body: { errorMessage: 'You are a member of this workspace already' },
  });
  expect((await workspace.owner.get(`${workspace.url}/invites/${id}`)).body.status).toBe('pending');
  expect((await invited.client.get(workspace.url)).body.role).toBe('readonly');
});

test('GET /invites lists the caller’s own pending ones, newest first, by pages, without tokens', async ({ api }) => {
  const invited = await api.newUser();
  expect((await invited.client.get('/invites')).body).toEqual({ invites: [], _meta: { limit: 50, offset: 0, total: 0 } });
  const pending = [];
  for (let number = 1; number <= 4; number++) {
    const workspace = await api.newWorkspace(`Workspace ${number}`);
    const { token, ...rest } = await invite(workspace, invited.email.toUpperCase());
    await invite(workspace, newEmail());
    if (number === 2) await invited.client.post(`/invites/${token}/reject`);
    else pending.unshift(rest);
  }
  const listed = await invited.client.get('/invites');
  expect(listed.status).toBe(200);
  expect(listed.body).toEqual({ invites: pending, _meta: { limit: 50, offset: 0, total: 3 } });
  expect((await invited.client.get('/invites?limit=1&offset=1')).body).toEqual({
    invites: [pending[1]],
    _meta: { limit: 1, offset: 1, total: 3, cursor: expect.any(String) },
  });
  expect((await invited.client.get('/invites?limit=1000')).status).toBe(400);
});

test('a workspace’s list is newest first, by pages', async ({ api }) => {
  const workspace = await api.newWorkspace();
  expect((await workspace.owner.get(`${workspace.url}/invites`)).body).toEqual({
    invites: [],
    _meta: { limit: 50, offset: 0, total: 0 },
  });
  const made = [];
  for (let number = 1; number <= 4; number++) {
    const { token, ...rest } = await invite(workspace, newEmail());
    made.unshift(rest);
  }
  expect((await workspace.owner.get(`${workspace.url}/invites`)).body.invites).toEqual(made);
  expect((await workspace.owner.get(`${workspace.url}/invites?limit=2&offset=1`)).body).toEqual({
    invites: made.slice(1, 3),
    _meta: { limit: 2, offset: 1, total: 4, cursor: expect.any(String) },
  });
});

test('a withdrawn invite is gone for both sides', async ({ api }) => {
  const workspace = await api.newWorkspace();
  const invited = await api.newUser();
  const { id, token } = await invite(workspace, invited.email);
  expect(await workspace.owner.delete(`${workspace.url}/invites/${id}`)).toMatchObject({ status: 204, text: '' });
  expect((await invited.client.get('/invites')).body._meta.total).toBe(0);
  for (const name of [id, token]) expect((await invited.client.post(`/invites/${name}/accept`)).status).toBe(404);
  expect(await actionsOn(api, workspace.id)).toEqual(['invite.create', 'invite.delete']);
});

test('an invite that is missing or of another workspace is 404', async ({ api }) => {
  const workspace = await api.newWorkspace();
  const elsewhere = await invite(await api.newWorkspace(), newEmail());
  for (const id of [elsewhere.id, newId(), 'not-an-id']) {
    for (const method of ['GET', 'DELETE']) {
      expect(await workspace.owner.send(method, `${workspace.url}/invites/${id}`), `${method} ${id}`).toMatchObject({
        status: 404,
        body: { errorMessage: 'Invite not found' },
      });
    }
  }
});

test('invites follow a renamed workspace, and go with a deleted one', async ({ api }) => {
  const workspace = await api.newWorkspace('Before');
  const invited = await api.newUser();
  const { id, token } = await invite(workspace, invited.email);
  await workspace.owner.put(workspace.url, { name: 'After' });
  expect((await invited.client.get('/invites')).body.invites).toMatchObject([{ id, workspaceName: 'After' }]);
  await workspace.owner.delete(workspace.url);
  expect((await invited.client.get('/invites')).body._meta.total).toBe(0);
  expect((await invited.client.post(`/invites/${token}/accept`)).status).toBe(404);
});

test('inviting and accepting while the workspace is deleted never fails inside', async ({ api }) => {
  for (let round = 0; round < 10; round++) {
    const workspace = await api.newWorkspace();
    const invited = await api.newUser();
    const { token } = await invite(workspace, invited.email);
    const answers = await Promise.all([
      workspace.owner.post(`${workspace.url}/invites`, { email: newEmail(), role: 'admin' }),
      invited.client.post(`/invites/${token}/accept`),
      workspace.owner.delete(workspace.url),
      workspace.owner.post(`${workspace.url}/invites`, { email: newEmail(), role: 'admin' }),
    ]);
    expect(answers[2]?.status).toBe(204);
    for (const { status } of answers) expect([200, 201, 204, 404], `round ${round}`).toContain(status);
  }
});
