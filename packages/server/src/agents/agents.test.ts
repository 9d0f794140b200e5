import { expect } from 'vitest';
import { anId, aTime, atOnce, made, refusal, test, walk } from '../../test/api.ts';
import { newId } from '../db/ids.ts';

const plain = { name: 'Support bot', description: 'Answers customers.' };
const labels = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, index) => [`key${index}`, 'value']));

test('an agent with every field is answered whole, read back and listed the same', async ({ api }) => {
  const workspace = await api.newWorkspace();
  const prompt = await api.newPrompt(workspace);
  const fields = { ...plain, configs: { memoryPipeline: true }, promptId: prompt.id, kbLabels: { team: 'support', lang: 'en' } };
  const { status, body } = await prompt.runtime.post(`${workspace.url}/agents`, fields);
  expect(status).toBe(201);
  expect(body).toEqual({
    id: anId,
    workspaceId: workspace.id,
    name: 'Support bot',
    kind: 'unmanaged',
    handle: 'support-bot',
    description: 'Answers customers.',
    status: 'active',
    configs: { memoryPipeline: true },
    promptId: prompt.id,
    kbLabels: { team: 'support', lang: 'en' },
    createdAt: aTime,
    updatedAt: body.createdAt,
  });
  expect(await workspace.owner.get(`${workspace.url}/agents/${body.id}`)).toMatchObject({ status: 200, body });
  expect((await workspace.owner.get(`${workspace.url}/agents`)).body).toEqual({
    agents: [body],
    _meta: { limit: 50, offset: 0, total: 1 },
  });
});

test.for([
  ['nothing', {}],
  ['null', { configs: null, promptId: null, kbLabels: null }],
  ['empty objects', { configs: {}, kbLabels: {} }],
  ['unknown keys', { handle: 'mine', kind: 'managed', status: 'archived', id: newId(), colour: 'red', configs: { colour: 'red' } }],
] as const)('with %s beside name and description: the defaults', async ([, fields], { api }) => {
  const workspace = await api.newWorkspace();
  const { status, body } = await workspace.owner.post(`${workspace.url}/agents`, { ...fields, ...plain });
  expect(status).toBe(201);
  expect(body).toEqual({
    ...plain,
    id: anId,
    workspaceId: workspace.id,
    kind: 'unmanaged',
    handle: 'support-bot',
    status: 'active',
    configs: { memoryPipeline: false },
    promptId: null,
    kbLabels: {},
    createdAt: aTime,
    updatedAt: aTime,
  });
  if ('id' in fields) expect(body.id).not.toBe(fields.id);
});

test.for([
  ['name', 'a'.repeat(100)],
  ['name', '𝒜'.repeat(100)],
  ['description', 'd'],
  ['description', ''],
  ['description', '🙂'.repeat(2000)],
  ['kbLabels', labels(32)],
  ['kbLabels', { ['é'.repeat(64)]: '🙂'.repeat(255), empty: '' }],
] as const)('%s at its limit is kept', async ([field, value], { api }) => {
  const workspace = await api.newWorkspace();
  const { id } = made(await workspace.owner.post(`${workspace.url}/agents`, { ...plain, [field]: value }));
  expect((await workspace.owner.get(`${workspace.url}/agents/${id}`)).body[field]).toEqual(value);
});

const complaints = [
  ['name', null, 'Name is required'],
  ['name', '', 'Name is required'],
  ['name', ' \t', 'Name is required'],
  ['name', 7, 'Name must be a string'],
  ['name', 'a'.repeat(101), 'Name must not exceed 100 characters'],
  ['name', '𝒜'.repeat(101), 'Name must not exceed 100 characters'],
  ['name', 'a\0b', 'Name must not contain NUL or unpaired surrogate characters'],
  ['description', 'd'.repeat(2001), 'Description must not exceed 2000 characters'],
  ['configs', 'yes', 'Configs must be an object'],
  ['kbLabels', ['a'], 'Kb labels must be an object'],
  ['kbLabels', labels(33), 'Labels must not have more than 32 items'],
  ['kbLabels', { '': 'x' }, 'Label key is required'],
  ['kbLabels', { ['k'.repeat(65)]: 'x' }, 'Label key must not exceed 64 characters'],
  ['kbLabels', { k: 'x'.repeat(256) }, 'Label value must not exceed 255 characters'],
  ['promptId', 'greeting', 'Prompt id must be a valid UUID'],
] as const;

test.for(complaints)('%s %j is 400, to create and to change', async ([field, value, message], { api }) => {
  const { runtime, workspace, url } = await api.newAgent();
  expect(await runtime.post(`${workspace.url}/agents`, { ...plain, [field]: value })).toEqual(refusal(400, message, field));
  expect(await runtime.put(url, { [field]: value })).toEqual(refusal(400, message, field));
  expect((await runtime.get(`${workspace.url}/agents`)).body._meta.total).toBe(1);
});

test('what is missing, and what is nested, is named', async ({ api }) => {
  const { runtime, workspace, url } = await api.newAgent();
  const create = (body?: unknown) => runtime.post(`${workspace.url}/agents`, body);
  expect(await create({ description: 'd' })).toEqual(refusal(400, 'Name is required', 'name'));
  expect(await create()).toEqual(refusal(400, 'Body must be a JSON object', ''));
  expect(await create([plain])).toEqual(refusal(400, 'Body must be a JSON object', ''));
  expect(await create({ ...plain, configs: { memoryPipeline: 'yes' } })).toEqual(
    refusal(400, 'Memory pipeline must be a boolean', 'configs.memoryPipeline'),
  );
  expect(await create({ ...plain, kbLabels: { team: 7 } })).toEqual(refusal(400, 'Team must be a string', 'kbLabels.team'));
  expect(await runtime.put(url, { status: 'deleted' })).toEqual(refusal(400, 'Status must be one of: active archived', 'status'));
  expect(await runtime.put(url, { status: null })).toEqual(refusal(400, 'Status is required', 'status'));
  expect(await runtime.put(url)).toEqual(refusal(400, 'Body must be a JSON object', ''));
});

test('a prompt that is not there, or is another workspace’s, is 404, and nothing is written', async ({ api }) => {
  const { runtime, workspace, url } = await api.newAgent();
  const strange = await api.newPrompt();
  for (const promptId of [newId(), strange.id]) {
    expect(await runtime.post(`${workspace.url}/agents`, { ...plain, promptId })).toEqual(refusal(404, 'Prompt not found'));
    expect(await runtime.put(url, { name: 'Changed', promptId })).toEqual(refusal(404, 'Prompt not found'));
  }
  const { body } = await runtime.get(`${workspace.url}/agents`);
  expect(body).toMatchObject({ agents: [{ name: 'An agent', promptId: null }], _meta: { total: 1 } });
});

test.for([
  ['  Support   Bot!! ', 'Support   Bot!!', 'support-bot'],
  ['Ärzte & Söhne №7', 'Ärzte & Söhne №7', 'ärzte-söhne-7'],
  ['日本語 エージェント', '日本語 エージェント', '日本語-エージェント'],
  ['--a--', '--a--', 'a'],
])('the handle of %j', async ([sent, name, handle], { api }) => {
  const workspace = await api.newWorkspace();
  expect(await workspace.owner.post(`${workspace.url}/agents`, { ...plain, name: sent })).toMatchObject({
    status: 201,
    body: { name, handle },
  });
});

test('a name that is taken, or has no letter, still gives a handle of its own, which a new name leaves alone', async ({ api }) => {
  const workspace = await api.newWorkspace();
  const create = async (name: string) => made(await workspace.owner.post(`${workspace.url}/agents`, { ...plain, name }));
  const first = await create('Support bot');
  const second = await create('support BOT');
  const third = await create('???');
  const fourth = await create('???');
  expect(first.handle).toBe('support-bot');
  expect(second.handle).toMatch(/^support-bot-[a-z0-9]{8}$/);
  expect(third.handle).toMatch(/^agent-[a-z0-9]{8}$/);
  expect(fourth.handle).toMatch(/^agent-[a-z0-9]{8}$/);
  expect(fourth.handle).not.toBe(third.handle);
  const renamed = await workspace.owner.put(`${workspace.url}/agents/${first.id}`, { name: 'Another' });
  expect(renamed.body).toMatchObject({ name: 'Another', handle: 'support-bot' });
  // Unique within a workspace only.
  const elsewhere = await api.newWorkspace();
  expect(made(await elsewhere.owner.post(`${elsewhere.url}/agents`, plain)).handle).toBe('support-bot');
});

test('PUT: what is left out keeps its value, null clears, and the answer has the new updatedAt', async ({ api }) => {
  const workspace = await api.newWorkspace();
  const prompt = await api.newPrompt(workspace);
  const fields = { ...plain, configs: { memoryPipeline: true }, promptId: prompt.id, kbLabels: { team: 'support' } };
  const before = made(await prompt.runtime.post(`${workspace.url}/agents`, fields));
  const url = `${workspace.url}/agents/${before.id}`;
  let current = before;
  for (const [change, result] of [
    [{}, {}],
    [{ name: ' Renamed ' }, { name: 'Renamed' }],
    [{ description: 'Other.' }, { description: 'Other.' }],
    [{ status: 'archived' }, { status: 'archived' }],
    [{ status: 'active' }, { status: 'active' }],
    [{ kbLabels: { other: 'x' } }, { kbLabels: { other: 'x' } }],
    [{ configs: null }, { configs: { memoryPipeline: false } }],
    [{ kbLabels: null }, { kbLabels: {} }],
    [{ promptId: null }, { promptId: null }],
    [{ promptId: prompt.id.toUpperCase() }, { promptId: prompt.id }],
    [{ id: newId(), handle: 'x', kind: 'x', workspaceId: newId(), createdAt: '2020-01-01T00:00:00Z' }, {}],
  ]) {
    api.clock.advance(1000);
    const { status, body } = await prompt.runtime.put(url, change);
    expect({ status, body }).toEqual({ status: 200, body: { ...current, ...result, updatedAt: aTime } });
    expect(Date.parse(body.updatedAt)).toBeGreaterThanOrEqual(Date.parse(current.updatedAt) + 1000);
    current = body;
  }
  expect((await prompt.runtime.get(url)).body).toEqual(current);
});

test('configs: what is left out keeps its value, and memorySubject is there only while it is set', async ({ api }) => {
  const { runtime, workspace } = await api.newAgent();
  const key = '€'.repeat(64);
  const before = made(await runtime.post(`${workspace.url}/agents`, { ...plain, configs: { memorySubject: key } }));
  expect(before.configs).toEqual({ memoryPipeline: false, memorySubject: key });
  const url = `${workspace.url}/agents/${before.id}`;
  for (const [configs, result] of [
    [{ memoryPipeline: true }, { memoryPipeline: true, memorySubject: key }],
    [{ memorySubject: 'user' }, { memoryPipeline: true, memorySubject: 'user' }],
    [{}, { memoryPipeline: true, memorySubject: 'user' }],
    [{ memorySubject: null }, { memoryPipeline: true }],
    [{ memorySubject: 'user' }, { memoryPipeline: true, memorySubject: 'user' }],
    [{ memorySubject: '' }, { memoryPipeline: true }],
    [
      { memorySubject: 'user', memoryPipeline: false },
      { memoryPipeline: false, memorySubject: 'user' },
    ],
    [null, { memoryPipeline: false }],
  ]) {
    expect((await runtime.put(url, { configs })).body.configs).toEqual(result);
    expect((await runtime.get(url)).body.configs).toEqual(result);
  }
  const refused = refusal(400, 'Memory subject must not exceed 64 characters', 'configs.memorySubject');
  expect(await runtime.put(url, { configs: { memorySubject: `${key}€` } })).toEqual(refused);
  expect(await runtime.post(`${workspace.url}/agents`, { ...plain, configs: { memorySubject: `${key}€` } })).toEqual(refused);
});

test('an agent that is not there is 404 to every method; what is wrong with the body is said first', async ({ api }) => {
  const { runtime, workspace } = await api.newAgent();
  const strange = await api.newAgent();
  for (const id of [newId(), strange.id, 'not-an-id', '%00']) {
    const url = `${workspace.url}/agents/${id}`;
    expect(await runtime.get(url), id).toEqual(refusal(404, 'Agent not found'));
    expect(await runtime.put(url, { name: 'x' }), id).toEqual(refusal(404, 'Agent not found'));
    expect(await runtime.delete(url), id).toEqual(refusal(404, 'Agent not found'));
    expect(await runtime.put(url, { name: '' }), id).toEqual(refusal(400, 'Name is required', 'name'));
  }
  expect((await strange.runtime.get(strange.url)).status).toBe(200);
});

test('by its handle: the one agent of the workspace that has it, or none', async ({ api }) => {
  const { workspace, runtime } = await api.newAgent();
  const { id, handle } = made(await runtime.post(`${workspace.url}/agents`, plain));
  const stranger = await api.newAgent();
  made(await stranger.runtime.post(`${stranger.workspace.url}/agents`, { ...plain, name: 'Only theirs' }));
  const find = async (text: string) => (await workspace.owner.get(`${workspace.url}/agents?handle=${text}`)).body;
  expect(await find(handle)).toMatchObject({ agents: [{ id }], _meta: { total: 1 } });
  for (const other of ['only-theirs', handle.toUpperCase(), 'x'])
    expect(await find(other)).toMatchObject({ agents: [], _meta: { total: 0 } });
  expect(await workspace.owner.get(`${workspace.url}/agents?handle=`)).toEqual(refusal(400, 'Handle is required', 'handle'));
});

test('the list is newest first, by pages', async ({ api }) => {
  const { runtime, workspace, id: first } = await api.newAgent();
  const url = `${workspace.url}/agents`;
  const ids = [first];
  for (let count = 0; count < 4; count++) ids.unshift(made(await runtime.post(url, plain)).id);
  const idsOf = async (query: string) => (await runtime.get(`${url}?${query}`)).body.agents.map(({ id }: { id: string }) => id);
  expect(await idsOf('')).toEqual(ids);
  expect(await idsOf('limit=2&offset=1')).toEqual(ids.slice(1, 3));
  expect(await idsOf('offset=5')).toEqual([]);
  expect((await runtime.get(`${url}?limit=0&offset=`)).body._meta).toEqual({ limit: 50, offset: 0, total: 5 });
  expect((await walk(runtime, url, 'agents', 2)).rows.map(({ id }) => id)).toEqual(ids);
  expect(await runtime.get(`${url}?limit=101`)).toEqual(refusal(400, 'Limit must be a whole number from 1 to 100', 'limit'));
  expect(await runtime.get(`${url}?offset=-1`)).toEqual(refusal(400, 'Offset must be a whole number of 0 or more', 'offset'));
});

test.for(['without', 'with'])(
  '50 agents of one name at once, %s Idempotency-Keys, are 50 agents with 50 handles',
  async (keys, { api }) => {
    const { runtime, workspace } = await api.newAgent();
    const { answers, statuses } = await atOnce(50, (index) =>
      runtime.post(`${workspace.url}/agents`, plain, keys === 'with' ? { 'idempotency-key': `agent-${index}` } : {}),
    );
    expect(statuses).toEqual({ 201: 50 });
    const handles = new Set(answers.map(({ body }) => body.handle));
    expect(handles.size).toBe(50);
    expect(handles).toContain('support-bot');
    expect((await runtime.get(`${workspace.url}/agents`)).body._meta.total).toBe(51);
  },
);

test('a deleted agent is gone with its sessions at once, and its rows once the jobs are done; others keep theirs', async ({ api }) => {
  const kept = await api.newAgent();
  const gone = await api.newAgent(kept.workspace);
  const session = await api.newSession(kept, 'id=same&customer=1');
  const sessions = await Promise.all([1, 2, 3].map((number) => api.newSession(gone, `id=${number}&customer=1`)));
  for (const { url, runtime } of [session, ...sessions]) {
    made(await runtime.post(`${url}/messages`, { role: 'user', content: 'hello' }));
    made(await runtime.post(`${url}/memories`, { kind: 'fact', content: 'likes tea' }));
  }
  expect(await gone.runtime.delete(gone.url)).toMatchObject({ status: 204, text: '' });
  expect(await gone.runtime.delete(gone.url)).toEqual(refusal(404, 'Agent not found'));
  for (const path of ['', '/sessions', '/sessions/by-labels?id=1', '/sessions/by-labels?customer=1']) {
    expect(await gone.runtime.get(gone.url + path), path).toEqual(refusal(404, 'Agent not found'));
  }
  for (const query of ['id=1', 'id=new', 'customer=1', '']) {
    for (const prefer of ['', 'resolution=ignore-duplicates']) {
      expect(await gone.runtime.post(`${gone.url}/sessions?${query}`, undefined, { prefer }), `${query} ${prefer}`).toEqual(
        refusal(404, 'Agent not found'),
      );
    }
  }
  for (const { url, runtime } of sessions) {
    for (const path of ['', '/messages', '/memories']) {
      expect(await runtime.get(url + path), path).toEqual(refusal(404, 'Session not found'));
    }
    expect(await runtime.post(`${url}/messages`, { role: 'user', content: 'late' })).toEqual(refusal(404, 'Session not found'));
    expect(await runtime.post(`${url}/memories`, { kind: 'fact', content: 'late' })).toEqual(refusal(404, 'Session not found'));
    expect(await runtime.post(`${url}/fork`)).toEqual(refusal(404, 'Session not found'));
    expect(await runtime.put(url, { title: 'late' })).toEqual(refusal(404, 'Session not found'));
    expect(await runtime.delete(url)).toEqual(refusal(404, 'Session not found'));
  }
  await api.drainJobs();
  for (const table of ['agents', 'sessions', 'session_labels', 'messages', 'memories']) {
    expect(await api.countRows(table, kept.workspace.id), table).toBe(1);
  }
  expect((await session.runtime.get(`${session.url}/messages`)).body._meta.total).toBe(1);
});

test('a description may be left out, and is taken away by null', async ({ api }) => {
  const { owner, url } = await api.newWorkspace();
  const { id, description } = made(await owner.post(`${url}/agents`, { name: 'Quiet' }));
  expect(description).toBe('');
  expect((await owner.put(`${url}/agents/${id}`, { description: 'Says little.' })).body.description).toBe('Says little.');
  expect((await owner.put(`${url}/agents/${id}`, { name: 'Silent' })).body.description).toBe('Says little.');
  expect((await owner.put(`${url}/agents/${id}`, { description: null })).body.description).toBe('');
  expect((await owner.get(`${url}/agents/${id}`)).body).toMatchObject({ name: 'Silent', description: '' });
});
