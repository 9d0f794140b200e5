import { expect } from 'vitest';
import { test } from '../../test/api.ts';
import type { Database } from '../db/database.ts';
import { newId } from '../db/ids.ts';
import { readMigrations } from '../db/migrate.ts';
import { list, type Param, perEngine, raw, sql } from '../db/sql.ts';

const anId = expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
const aTime = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);

test('POST answers 201 with the whole workspace, and its maker owns it', async ({ api }) => {
  const { client } = await api.newUser();
  const startMs = api.clock.nowMs();
  const created = await client.post('/workspaces', { name: 'Support team' });
  expect(created.status).toBe(201);
  expect(created.body).toEqual({
    id: anId,
    name: 'Support team',
    handle: expect.stringMatching(/^support-team-[0-9a-z]{8}$/),
    membersCount: 1,
    role: 'owner',
    createdAt: aTime,
    updatedAt: created.body.createdAt,
  });
  const createdMs = Date.parse(created.body.createdAt);
  expect(createdMs).toBeGreaterThanOrEqual(startMs);
  expect(createdMs).toBeLessThanOrEqual(api.clock.nowMs());
  const read = await client.get(`/workspaces/${created.body.id}`);
  expect(read).toMatchObject({ status: 200, body: created.body });
  expect(Object.keys(read.body)).toHaveLength(7);
});

test.for([
  ['a'.repeat(3), 201, undefined],
  ['a'.repeat(60), 201, undefined],
  ['🦉'.repeat(3), 201, undefined],
  ['🦉'.repeat(60), 201, undefined],
  ['ab', 400, 'Name must be at least 3 characters'],
  ['🦉🦉', 400, 'Name must be at least 3 characters'],
  ['  ab  ', 400, 'Name must be at least 3 characters'],
  ['a'.repeat(61), 400, 'Name must not exceed 60 characters'],
  ['🦉'.repeat(61), 400, 'Name must not exceed 60 characters'],
  ['', 400, 'Name is required'],
  ['     ', 400, 'Name is required'],
  [null, 400, 'Name is required'],
  [undefined, 400, 'Name is required'],
  [12_345, 400, 'Name must be a string'],
  [['abc'], 400, 'Name must be a string'],
  ['a\0bc', 400, 'Name must not contain NUL or unpaired surrogate characters'],
  ['abc\ud800', 400, 'Name must not contain NUL or unpaired surrogate characters'],
] as const)('a name of %j is %i, for a new workspace and for a rename', async ([name, status, message], { api }) => {
  const { owner, url } = await api.newWorkspace();
  // As JSON text: the client would send an unpaired surrogate as another character.
  const body = JSON.stringify({ name });
  const json = { 'content-type': 'application/json' };
  const created = await owner.post('/workspaces', body, json);
  expect(created.status).toBe(status);
  const renamed = await owner.put(url, body, json);
  if (status === 201) {
    expect(created.body.name).toBe(name);
    expect(renamed).toMatchObject({ status: 200, body: { name } });
    return;
  }
  expect(created.body).toEqual({
    errorMessage: message,
    code: 'validation_failed',
    details: [{ path: 'name', message }],
    requestId: created.headers['x-request-id'],
  });
  // A rename may leave the name out; nothing then changes.
  if (name === undefined) expect(renamed).toMatchObject({ status: 200, body: { name: 'A workspace' } });
  else expect(renamed).toMatchObject({ status: 400, body: { errorMessage: message } });
});

test('a body that is no object is 400', async ({ api }) => {
  const { owner, url } = await api.newWorkspace();
  const json = { 'content-type': 'application/json' };
  for (const body of ['[]', '"name"', '12', 'null', '{']) {
    expect(await owner.post('/workspaces', body, json)).toMatchObject({ status: 400, body: { errorMessage: expect.any(String) } });
    expect(await owner.put(url, body, json)).toMatchObject({ status: 400, body: { errorMessage: expect.any(String) } });
  }
  expect(await owner.post('/workspaces')).toMatchObject({ status: 400, body: { errorMessage: 'Body must be a JSON object' } });
});

test('white space at the ends of a name is not kept, and unknown keys are ignored', async ({ api }) => {
  const { client } = await api.newUser();
  const created = await client.post('/workspaces', { name: '  Night shift\t', handle: 'mine', role: 'admin', membersCount: 9 });
  expect(created).toMatchObject({ status: 201, body: { name: 'Night shift', role: 'owner', membersCount: 1 } });
  expect(created.body.handle).toMatch(/^night-shift-/);
});

test('a handle comes from the name, is unique among equal names, and outlives a rename', async ({ api }) => {
  const { client } = await api.newUser();
  const handleOf = async (name: string) => (await client.post('/workspaces', { name })).body.handle as string;
  expect(await handleOf('  Ünïcode & Söhne — 2. Team! ')).toMatch(/^ünïcode-söhne-2-team-[0-9a-z]{8}$/);
  expect(await handleOf('!!!')).toMatch(/^[0-9a-z]{8}$/);
  const handles = await Promise.all(Array.from({ length: 20 }, () => handleOf('Twins')));
  expect(new Set(handles).size).toBe(20);

  const { body: before } = await client.post('/workspaces', { name: 'Old name' });
  api.clock.advance(1000);
  const renamed = await client.put(`/workspaces/${before.id}`, { name: 'New name' });
  expect(renamed.status).toBe(200);
  expect(renamed.body).toEqual({ ...before, name: 'New name', updatedAt: aTime });
  expect(Date.parse(renamed.body.updatedAt)).toBeGreaterThanOrEqual(Date.parse(before.updatedAt) + 1000);
  expect((await client.get(`/workspaces/${before.id}`)).body).toEqual(renamed.body);
});

test('the list is empty for somebody who belongs nowhere', async ({ api }) => {
  const { client } = await api.newUser();
  const listed = await client.get('/workspaces');
  expect(listed.status).toBe(200);
  expect(listed.body).toEqual({ workspaces: [], _meta: { limit: 50, offset: 0, total: 0 } });
});

test('the list has the caller’s own workspaces, newest first, by pages', async ({ api }) => {
  await api.newWorkspace('A stranger’s');
  const { client } = await api.newUser();
  const made = [];
  for (let number = 1; number <= 5; number++) made.unshift((await client.post('/workspaces', { name: `Number ${number}` })).body);
  expect((await client.get('/workspaces')).body).toEqual({ workspaces: made, _meta: { limit: 50, offset: 0, total: 5 } });
  expect((await client.get('/workspaces?limit=2&offset=1')).body).toEqual({
    workspaces: made.slice(1, 3),
    _meta: { limit: 2, offset: 1, total: 5, cursor: expect.any(String) },
  });
  expect((await client.get('/workspaces?offset=5')).body).toEqual({ workspaces: [], _meta: { limit: 50, offset: 5, total: 5 } });
  expect((await client.get('/workspaces?limit=0&offset=')).body._meta).toEqual({ limit: 50, offset: 0, total: 5 });
  expect((await client.get('/workspaces?limit=100')).body._meta).toEqual({ limit: 100, offset: 0, total: 5 });
});

test.for(['limit=101', 'limit=-1', 'limit=ten', 'limit=1.5', 'limit=1&limit=2', 'offset=-1', 'offset=x', 'offset=1e3'])(
  'a page with %s is 400',
  async (query, { api }) => {
    const { client } = await api.newUser();
    const field = query.startsWith('limit') ? 'Limit must be a whole number from 1 to 100' : 'Offset must be a whole number of 0 or more';
    expect(await client.get(`/workspaces?${query}`)).toMatchObject({ status: 400, body: { errorMessage: field } });
  },
);

test('role is the caller’s own and membersCount counts everyone, on every answer', async ({ api }) => {
  const workspace = await api.newWorkspace('Shared');
  const members = { owner: workspace.owner } as Record<string, typeof workspace.owner>;
  for (const role of ['admin', 'readonly'] as const) members[role] = (await api.newMember(workspace, role)).client;
  for (const [role, client] of Object.entries(members)) {
    expect((await client.get(workspace.url)).body).toMatchObject({ role, membersCount: 3 });
    expect((await client.get('/workspaces')).body.workspaces).toMatchObject([{ id: workspace.id, role, membersCount: 3 }]);
  }
  expect((await members.admin?.put(workspace.url, { name: 'By an admin' }))?.body).toMatchObject({ role: 'admin', membersCount: 3 });
});

test('an admin may rename and not delete; a reader may neither', async ({ api }) => {
  const workspace = await api.newWorkspace('Mine');
  const { client: admin } = await api.newMember(workspace, 'admin');
  const { client: reader } = await api.newMember(workspace, 'readonly');
  expect((await admin.put(workspace.url, { name: 'Ours' })).status).toBe(200);
  expect(await reader.put(workspace.url, { name: 'Theirs' })).toMatchObject({
    status: 403,
    body: { errorMessage: 'Missing permission CAN_UPDATE_WORKSPACE' },
  });
  for (const client of [admin, reader]) {
    expect(await client.delete(workspace.url)).toMatchObject({
      status: 403,
      body: { errorMessage: 'Missing permission CAN_DELETE_WORKSPACE' },
    });
  }
  expect((await workspace.owner.get(workspace.url)).body).toMatchObject({ name: 'Ours' });
});

test('a workspace that is missing, malformed or a stranger’s reads the same: 404', async ({ api }) => {
  const { client } = await api.newUser();
  const stranger = await api.newWorkspace();
  for (const id of [newId(), 'not-an-id', '%00', stranger.id]) {
    for (const [method, body] of [['GET'], ['PUT', { name: '' }], ['DELETE']] as const) {
      const answer = await client.send(method, `/workspaces/${id}`, body);
      expect(answer, `${method} ${id}`).toMatchObject({ status: 404, body: { errorMessage: 'Workspace not found', code: 'not_found' } });
    }
  }
  expect((await stranger.owner.get(stranger.url)).status).toBe(200);
});

test('an id is read without case', async ({ api }) => {
  const { owner, id } = await api.newWorkspace();
  expect(await owner.get(`/workspaces/${id.toUpperCase()}`)).toMatchObject({ status: 200, body: { id } });
});

test('DELETE is 204; from then on every key of the workspace is 401 and its members get 404', async ({ api }) => {
  const workspace = await api.newWorkspace();
  const { client: reader } = await api.newMember(workspace, 'readonly');
  const keys = await Promise.all([1, 2, 3].map(() => api.newAccessKey(workspace)));
  const other = await api.newWorkspace();
  const otherKey = await api.newAccessKey(other);
  // Warm: what is refused below was let in, and is remembered, right before.
  for (const key of [...keys, otherKey]) expect((await key.get('/me')).status).toBe(200);
  expect((await reader.get(workspace.url)).status).toBe(200);

  const deleted = await workspace.owner.delete(workspace.url);
  expect(deleted).toMatchObject({ status: 204, text: '' });

  for (const key of keys) {
    for (const path of ['/me', `${workspace.url}/stats`]) {
      expect(await key.get(path)).toMatchObject({ status: 401, body: { errorMessage: 'Invalid access key.' } });
    }
  }
  for (const client of [workspace.owner, reader]) {
    for (const path of ['', '/members', '/keys', '/invites', '/audits', '/stats']) {
      expect(await client.get(workspace.url + path)).toMatchObject({ status: 404, body: { errorMessage: 'Workspace not found' } });
    }
    expect((await client.get('/workspaces')).body._meta.total).toBe(0);
  }
  expect((await workspace.owner.delete(workspace.url)).status).toBe(404);
  expect((await workspace.owner.put(workspace.url, { name: 'Back' })).status).toBe(404);
  expect((await otherKey.get('/me')).status).toBe(200);
  expect((await other.owner.get(other.url)).status).toBe(200);
});

test('the job purges every row that a deleted workspace leaves, and nobody else’s', async ({ api }) => {
  const kept = await api.newWorkspace();
  const gone = await api.newWorkspace();
  for (const workspace of [kept, gone]) {
    await workspace.owner.post(`${workspace.url}/invites`, { email: 'grace@example.com', role: 'admin' });
    await workspace.owner.post(`${workspace.url}/keys`, { name: 'a key', permissions: ['CAN_GET_AGENT'] });
    await fillTables(api.db, workspace.id);
  }
  await api.app.context.usage.flush();
  const before = await rowsOf(api.db, gone.id);
  expect(before.messages).toBeGreaterThan(1000);
  expect(Object.entries(before).filter(([, count]) => count === 0)).toEqual([['jobs', 0]]);
  const untouched = await rowsOf(api.db, kept.id);

  expect((await gone.owner.delete(gone.url)).status).toBe(204);
  await api.app.context.usage.flush();
  await api.drainJobs();

  expect(Object.entries(await rowsOf(api.db, gone.id)).filter(([, count]) => count > 0)).toEqual([]);
  expect(await rowsOf(api.db, kept.id)).toEqual(untouched);
});

/** Which tables have rows of workspaces: found in the schema, so that a new one can't be forgotten. */
async function tablesOfWorkspaces(db: Database): Promise<string[]> {
  const tables = perEngine({
    sqlite: `select t.name from pragma_table_list t, pragma_table_info(t.name) c
      where t.schema = 'main' and t.type = 'table' and c.name = 'workspace_id'`,
    postgres: `select c.table_name as name from information_schema.columns c join information_schema.tables t using (table_schema, table_name)
      where c.table_schema = current_schema() and c.column_name = 'workspace_id' and t.table_type = 'BASE TABLE'`,
  });
  const names = (await db.query(sql<{ name: string }>`${tables}`)).map(({ name }) => name).sort();
  // Those go by their time: the deletion of the workspace may be sent again.
  return names.filter((name) => name !== 'idempotency_keys');
}

async function rowsOf(db: Database, workspaceId: string): Promise<Record<string, number>> {
  const counts = (await tablesOfWorkspaces(db)).map(async (name) => {
    const [row] = await db.query(sql<{ count: number }>`select count(*) as count from ${raw(name)} where workspace_id = ${workspaceId}`);
    return [name, row?.count ?? 0] as const;
  });
  return Object.fromEntries(await Promise.all(counts));
}

/** Those that the engine does not fill in by itself. */
const columnsOf = (table: string) =>
  perEngine({
    sqlite: `select name, lower(type) as type, "notnull" or pk as required from pragma_table_info('${table}')
      where not (pk = 1 and lower(type) = 'integer')`,
    postgres: `select column_name as name, data_type as type, (is_nullable = 'NO')::int as required
      from information_schema.columns where table_schema = current_schema() and table_name = '${table}' and is_generated = 'NEVER' and is_identity = 'NO'`,
  });

/** A row in each table that a workspace's content is kept in, and in one of them more than one step of the purge removes. */
async function fillTables(db: Database, workspaceId: string): Promise<void> {
  const known = { workspace_id: workspaceId, session_id: newId(), prompt_id: newId(), document_id: newId(), agent_id: newId() };
  const ownIds: Record<string, string> = {
    agents: known.agent_id,
    sessions: known.session_id,
    prompts: known.prompt_id,
    documents: known.document_id,
  };
  const choices = await firstChoices(db);
  // Made by the API, or by the work itself.
  const apart = ['memberships', 'invites', 'access_keys', 'jobs', 'audits'];
  const tables = (await tablesOfWorkspaces(db)).filter((name) => !apart.includes(name));
  tables.sort((a, b) => Number(b in ownIds) - Number(a in ownIds));
  for (const table of tables) {
    const columns = await db.query(sql<{ name: string; type: string; required: number }>`${columnsOf(table)}`);
    const required = columns.filter((column) => column.required > 0);
    const rowCount = table === 'messages' ? 1001 : 1;
    const row = () =>
      required.map(({ name, type }): Param => {
        if (name === 'id' && ownIds[table] !== undefined) return ownIds[table];
        if (name in known) return known[name as keyof typeof known];
        const choice = choices.get(`${table}.${name}`);
        if (choice !== undefined) return choice;
        if (/_at$/.test(name)) return new Date().toISOString();
        if (/^(uuid)$/.test(type) || /(^|_)id$/.test(name)) return newId();
        if (/int|real|double/.test(type)) return 1;
        if (/bool/.test(type)) return false;
        return /blob|bytea/.test(type) ? new Uint8Array([1]) : '{}';
      });
    const names = required.map(({ name }) => name).join(', ');
    await db.batch(Array.from({ length: rowCount }, () => sql`insert into ${raw(`${table} (${names})`)} values ${list(row())}`));
  }
}

/** The first value that each column with a choice of values may have, as the migrations say it. */
async function firstChoices(db: Database): Promise<Map<string, string>> {
  const script = (await readMigrations(db.engine)).map((migration) => migration.script).join('\n');
  const tables = script.matchAll(/^create table (\w+) \(\n([\s\S]*?)^\)/gm);
  return new Map(
    [...tables].flatMap(([, table, columns]) =>
      [...(columns as string).matchAll(/check \((\w+) in \('(\w+)'/g)].map(([, column, value]) => [`${table}.${column}`, value as string]),
    ),
  );
}
