import { expect } from 'vitest';
import { type Answer, anId, aTime, atOnce, made, refusal, type TestPrompt, test } from '../../test/api.ts';
import { newId } from '../db/ids.ts';

const plain = { name: 'Greeting', type: 'text', content: 'Hello {{name}}!' };
const NAME_TAKEN = 'A prompt with this name exists already';
const BAD_VERSION = 'Version must be latest, production or a number such as 3 or v3';
const aHash = expect.stringMatching(/^[0-9a-f]{12}$/);

interface Version {
  id: string;
  version: number;
  production: boolean;
  labels: string[];
  commitHash: string;
}

async function versionsOf({ runtime, url }: TestPrompt): Promise<Version[]> {
  return (await runtime.get(`${url}/versions?limit=100`)).body.versions;
}

const numbers = (versions: Version[]) => versions.map(({ version }) => version);
const latest = (versions: Version[]) => numbers(versions.filter(({ labels }) => labels.includes('latest')));
const inProduction = (versions: Version[]) => numbers(versions.filter(({ production }) => production));

async function addVersion({ runtime, url }: TestPrompt, fields: Record<string, unknown> = {}): Promise<Version & Record<string, unknown>> {
  return made(await runtime.post(`${url}/versions`, { type: 'text', content: `Hello ${newId()}`, ...fields }));
}

function byName({ runtime, workspace }: TestPrompt, name = 'greeting', version?: string): Promise<Answer> {
  const query = version === undefined ? '' : `?version=${encodeURIComponent(version)}`;
  return runtime.get(`${workspace.url}/promptsByName/${encodeURIComponent(name)}${query}`);
}

test('a prompt with every field: its answer, its first version, and both read back', async ({ api }) => {
  const workspace = await api.newWorkspace();
  const runtime = await api.newAccessKey(workspace);
  const { status, body } = await runtime.post(`${workspace.url}/prompts`, {
    ...plain,
    description: 'How we say hello.',
    commitMessage: 'First',
    production: true,
    config: '{"temperature":0.2}',
    meta: '{ "by" : "ada" }',
  });
  expect(status).toBe(201);
  const prompt = { name: 'Greeting', handle: 'greeting', description: 'How we say hello.' };
  expect(body).toEqual({ ...prompt, promptId: anId, versionCount: 1, productionVersion: 1, createdAt: aTime, updatedAt: body.createdAt });
  const url = `${workspace.url}/prompts/${body.promptId}`;
  expect(await runtime.get(url)).toMatchObject({ status: 200, body });
  expect((await runtime.get(`${workspace.url}/prompts`)).body).toEqual({ prompts: [body], _meta: { limit: 50, offset: 0, total: 1 } });

  const version = {
    ...prompt,
    id: anId,
    promptId: body.promptId,
    version: 1,
    type: 'text',
    content: 'Hello {{name}}!',
    variables: ['name'],
    commitHash: aHash,
    status: 'active',
    production: true,
    config: { temperature: 0.2 },
    labels: ['latest'],
    commitMessage: 'First',
    meta: '{ "by" : "ada" }',
    createdAt: body.createdAt,
    updatedAt: body.createdAt,
  };
  const { body: listed } = await runtime.get(`${url}/versions`);
  expect(listed).toEqual({ versions: [version], _meta: { limit: 50, offset: 0, total: 1 } });
  expect((await runtime.get(`${url}/versions/${listed.versions[0].id}`)).body).toEqual(listed.versions[0]);
  expect((await runtime.get(`${workspace.url}/promptsByName/greeting`)).body).toEqual(listed.versions[0]);
});

test.for([
  ['nothing', {}],
  ['null', { description: null, commitMessage: null, production: null, config: null, meta: null }],
  ['unknown keys', { handle: 'mine', version: 7, labels: ['latest'], status: 'archived', id: newId() }],
] as const)('with %s beside what is required: the empty values', async ([, fields], { api }) => {
  const prompt = await api.newPrompt(undefined, { ...plain, ...fields });
  expect((await prompt.runtime.get(prompt.url)).body).toMatchObject({ handle: 'greeting', description: '' });
  const [version] = await versionsOf(prompt);
  const empty = {
    production: false,
    config: {},
    labels: ['latest'],
    commitMessage: null,
    meta: null,
    description: '',
    status: 'active',
    version: 1,
  };
  expect(version).toMatchObject(empty);
  const second = await addVersion(prompt, fields);
  expect(second).toMatchObject({ ...empty, version: 2 });
});

const versionComplaints = [
  ['type', undefined, 'Type is required'],
  ['type', 'Text', 'Type must be one of: text chat'],
  ['content', undefined, 'Content is required'],
  ['content', '', 'Content is required'],
  ['content', null, 'Content is required'],
  ['content', { a: 1 }, 'Content must be a string'],
  ['commitMessage', 'c'.repeat(256), 'Commit message must not exceed 255 characters'],
  ['production', 'yes', 'Production must be a boolean'],
  ['config', '{', 'Config must be valid JSON'],
  ['config', [1], 'Config must be a JSON object'],
  ['config', '[1]', 'Config must be a JSON object'],
  ['meta', '1e2', 'Meta must be a JSON object'],
  ['meta', 'x', 'Meta must be valid JSON'],
  ['meta', '', 'Meta must be valid JSON'],
] as const;

test.for(versionComplaints)('%s %j is 400 in a prompt, in a new version and in a change', async ([field, value, message], { api }) => {
  const prompt = await api.newPrompt();
  const { runtime, workspace, url } = prompt;
  const bad = { ...plain, name: 'Other', [field]: value };
  expect(await runtime.post(`${workspace.url}/prompts`, bad)).toEqual(refusal(400, message, field));
  expect(await runtime.post(`${url}/versions`, bad)).toEqual(refusal(400, message, field));
  const [version] = await versionsOf(prompt);
  if (value !== undefined)
    expect(await runtime.put(`${url}/versions/${version?.id}`, { [field]: value })).toEqual(refusal(400, message, field));
  expect((await runtime.get(`${workspace.url}/prompts`)).body).toMatchObject({ prompts: [{ versionCount: 1 }], _meta: { total: 1 } });
});

test.for([
  ['name', undefined, 'Name is required'],
  ['name', null, 'Name is required'],
  ['name', '  ', 'Name is required'],
  ['name', 'n'.repeat(151), 'Name must not exceed 150 characters'],
  ['name', '🙂'.repeat(151), 'Name must not exceed 150 characters'],
  ['name', '???', 'Name must contain a letter or a digit'],
  ['name', '🙂 - _', 'Name must contain a letter or a digit'],
  ['description', 'd'.repeat(2001), 'Description must not exceed 2000 characters'],
  ['description', 7, 'Description must be a string'],
] as const)('%s %j of a prompt is 400, to create and to change', async ([field, value, message], { api }) => {
  const { runtime, workspace, url } = await api.newPrompt();
  expect(await runtime.post(`${workspace.url}/prompts`, { ...plain, [field]: value })).toEqual(refusal(400, message, field));
  if (value !== undefined) expect(await runtime.put(url, { [field]: value })).toEqual(refusal(400, message, field));
  expect((await runtime.get(`${workspace.url}/prompts`)).body._meta.total).toBe(1);
});

test('texts at their limits are kept, whatever they take, and found by name', async ({ api }) => {
  const name = '𝒜'.repeat(150);
  const limits = { name, description: '🙂'.repeat(2000), commitMessage: '🙂'.repeat(255), content: '語'.repeat(100_000) };
  const prompt = await api.newPrompt(undefined, limits);
  expect((await byName(prompt, name)).body).toMatchObject({ ...limits, handle: '𝒜'.repeat(100) });
  expect((await byName(prompt, '𝒜'.repeat(100))).status).toBe(200);
});

test.for([
  ['  Hello, World! ', 'Hello, World!', 'hello-world'],
  ['Grüße aus Köln', 'Grüße aus Köln', 'grüße-aus-köln'],
  ['日本語 プロンプト', '日本語 プロンプト', '日本語-プロンプト'],
  ['support/refund?v=1#top & 50%', 'support/refund?v=1#top & 50%', 'support-refund-v-1-top-50'],
  ['v2', 'v2', 'v2'],
  ['..', undefined, undefined],
  ['render', 'render', 'render'],
  ['latest', 'latest', 'latest'],
])('the name %j is found by name and by handle', async ([sent, name, handle], { api }) => {
  const { runtime, workspace, id } = await api.newPrompt(undefined, { name: 'Another' });
  const created = await runtime.post(`${workspace.url}/prompts`, { ...plain, name: sent });
  if (name === undefined || handle === undefined) return expect(created.status).toBe(400);
  expect(created).toMatchObject({ status: 201, body: { name, handle } });
  for (const asked of [name, handle]) {
    const found = await runtime.get(`${workspace.url}/promptsByName/${encodeURIComponent(asked)}`);
    expect(found, asked).toMatchObject({ status: 200, body: { promptId: created.body.promptId, name, handle } });
  }
  expect(id).not.toBe(created.body.promptId);
});

test('409: a handle that is taken in the workspace, to create and to rename', async ({ api }) => {
  const { runtime, workspace, url } = await api.newPrompt(undefined, { name: 'Hello World' });
  const create = (name: string) => runtime.post(`${workspace.url}/prompts`, { ...plain, name });
  for (const name of ['Hello World', 'hello-world', ' HELLO...world ', 'hello world!'])
    expect(await create(name), name).toEqual(refusal(409, NAME_TAKEN));
  const other = made(await create('Hello Moon'));
  expect(await runtime.put(`${workspace.url}/prompts/${other.promptId}`, { name: 'hello, world' })).toEqual(refusal(409, NAME_TAKEN));
  expect((await runtime.put(url, { name: 'HELLO WORLD' })).body, 'its own handle').toMatchObject({
    name: 'HELLO WORLD',
    handle: 'hello-world',
  });
  const elsewhere = await api.newPrompt(undefined, { name: 'Hello World' });
  expect((await elsewhere.runtime.get(elsewhere.url)).body.handle).toBe('hello-world');
  await runtime.delete(url);
  expect((await create('Hello World')).status, 'free again').toBe(201);
});

test('the handle stands before another prompt’s name', async ({ api }) => {
  const first = await api.newPrompt(undefined, { name: 'A-B' });
  const { runtime, workspace, url, id } = first;
  await runtime.put(url, { name: 'x' });
  // Its name is now free for the handle of another, and its own handle follows the name.
  const second = made(await runtime.post(`${workspace.url}/prompts`, { ...plain, name: 'a b' }));
  expect((await byName(first, 'a-b')).body.promptId).toBe(second.promptId);
  expect((await byName(first, 'a b')).body.promptId).toBe(second.promptId);
  expect((await byName(first, 'x')).body.promptId).toBe(id);
  expect((await byName(first, 'A-B')).status).toBe(404);
});

test('PUT of a prompt: what is left out keeps its value, null clears; versions show the new name at once', async ({ api }) => {
  const prompt = await api.newPrompt(undefined, { description: 'Old.' });
  let { body: current } = await prompt.runtime.get(prompt.url);
  for (const [change, result] of [
    [{}, {}],
    [{ description: 'New.' }, { description: 'New.' }],
    [{ name: ' Good Day ' }, { name: 'Good Day', handle: 'good-day' }],
    [{ description: null }, { description: '' }],
    [{ handle: 'x', versionCount: 9, content: 'x' }, {}],
  ]) {
    api.clock.advance(1000);
    const { status, body } = await prompt.runtime.put(prompt.url, change);
    expect({ status, body }).toEqual({ status: 200, body: { ...current, ...result, updatedAt: aTime } });
    expect(Date.parse(body.updatedAt)).toBeGreaterThanOrEqual(Date.parse(current.updatedAt) + 1000);
    current = body;
  }
  expect((await byName(prompt, 'good-day')).body).toMatchObject({ name: 'Good Day', handle: 'good-day', description: '' });
  expect(await byName(prompt, 'greeting')).toEqual(refusal(404, 'Prompt not found'));
});

test('the list of prompts is by handle, and counts their versions', async ({ api }) => {
  const prompt = await api.newPrompt(undefined, { name: 'm' });
  const { runtime, workspace } = prompt;
  for (const name of ['z', 'ä', 'a 1', 'a', '語', '1']) await runtime.post(`${workspace.url}/prompts`, { ...plain, name });
  await addVersion(prompt);
  const { body } = await runtime.get(`${workspace.url}/prompts`);
  const handles = body.prompts.map(({ handle }: { handle: string }) => handle);
  expect(handles).toEqual(['1', 'a', 'a-1', 'm', 'z', 'ä', '語']);
  expect(body.prompts.map(({ versionCount }: { versionCount: number }) => versionCount)).toEqual([1, 1, 1, 2, 1, 1, 1]);
  expect((await runtime.get(`${workspace.url}/prompts?limit=2&offset=3`)).body.prompts).toEqual(body.prompts.slice(3, 5));
});

test('versions are numbered from 1, listed highest first, and no number is used again', async ({ api }) => {
  const prompt = await api.newPrompt();
  const { runtime, url } = prompt;
  const second = await addVersion(prompt);
  const third = await addVersion(prompt);
  expect([second.version, third.version]).toEqual([2, 3]);
  expect(numbers(await versionsOf(prompt))).toEqual([3, 2, 1]);
  expect(await runtime.delete(`${url}/versions/${third.id}`)).toMatchObject({ status: 204, text: '' });
  expect((await addVersion(prompt)).version).toBe(4);
  await runtime.delete(`${url}/versions/${second.id}`);
  expect((await addVersion(prompt)).version).toBe(5);
  expect(numbers(await versionsOf(prompt))).toEqual([5, 4, 1]);
  expect((await runtime.get(url)).body.versionCount).toBe(3);
  const { body } = await runtime.get(`${url}/versions?limit=1&offset=1`);
  expect(body).toMatchObject({ versions: [{ version: 4 }], _meta: { limit: 1, offset: 1, total: 3 } });
});

test('exactly one version is latest: it moves as versions are added, deleted and archived', async ({ api }) => {
  const prompt = await api.newPrompt();
  const { runtime, url } = prompt;
  const second = await addVersion(prompt);
  expect(second.labels).toEqual(['latest']);
  const third = await addVersion(prompt);
  const put = (id: string, change: unknown) => runtime.put(`${url}/versions/${id}`, change);
  const expectLatest = async (number: number) => {
    expect(latest(await versionsOf(prompt))).toEqual([number]);
    expect((await byName(prompt)).body.version).toBe(number);
    expect((await byName(prompt, 'greeting', 'latest')).body.version).toBe(number);
  };
  await expectLatest(3);
  expect((await put(third.id, { status: 'archived' })).body).toMatchObject({ status: 'archived', labels: [] });
  await expectLatest(2);
  expect((await put(third.id, { status: 'active' })).body).toMatchObject({ status: 'active', labels: ['latest'] });
  await expectLatest(3);
  await put(second.id, { status: 'archived' });
  await expectLatest(3);
  await runtime.delete(`${url}/versions/${third.id}`);
  await expectLatest(1);
  const fourth = await addVersion(prompt);
  await expectLatest(4);
  await put(fourth.id, { labels: ['latest', 'stable', 'stable', ' mine '] });
  expect((await runtime.get(`${url}/versions/${fourth.id}`)).body.labels).toEqual(['latest', 'stable', 'mine']);
  await put(second.id, { labels: ['latest'] });
  await expectLatest(4);
  expect((await byName(prompt, 'greeting', '2')).body, 'an archived one is still found by its number').toMatchObject({
    version: 2,
    status: 'archived',
  });
});

test('where every version is archived, one still holds the label, and none is found as latest', async ({ api }) => {
  const prompt = await api.newPrompt();
  await addVersion(prompt);
  for (const { id } of await versionsOf(prompt)) await prompt.runtime.put(`${prompt.url}/versions/${id}`, { status: 'archived' });
  expect(latest(await versionsOf(prompt))).toEqual([2]);
  expect(await byName(prompt)).toEqual(refusal(404, 'Prompt version not found'));
  expect((await byName(prompt, 'greeting', 'v2')).status).toBe(200);
});

test('production moves to the version that is given it, goes with it, and is taken by false', async ({ api }) => {
  const prompt = await api.newPrompt();
  const { runtime, url } = prompt;
  expect(await byName(prompt, 'greeting', 'production')).toEqual(refusal(404, 'Prompt version not found'));
  const second = await addVersion(prompt, { production: true });
  expect(second.production).toBe(true);
  const third = await addVersion(prompt);
  const [, , first] = (await versionsOf(prompt)) as [Version, Version, Version];
  const put = (id: string, change: unknown) => runtime.put(`${url}/versions/${id}`, change);
  const expectProduction = async (number: number | undefined) => {
    expect(inProduction(await versionsOf(prompt))).toEqual(number === undefined ? [] : [number]);
    const found = await byName(prompt, 'greeting', 'production');
    expect(found.status === 200 ? found.body.version : undefined).toBe(number);
    expect((await runtime.get(url)).body.productionVersion).toBe(number ?? null);
  };
  await expectProduction(2);
  expect((await put(third.id, { production: true })).body.production).toBe(true);
  await expectProduction(3);
  await put(first.id, { production: false });
  await put(first.id, { production: null, commitMessage: 'x' });
  await expectProduction(3);
  await put(first.id, { production: true });
  await expectProduction(1);
  expect((await put(first.id, { status: 'archived' })).body, 'archived, and still in production').toMatchObject({ production: true });
  await expectProduction(1);
  expect((await put(first.id, { production: false })).body.production).toBe(false);
  await expectProduction(undefined);
  await put(second.id, { production: true });
  await runtime.delete(`${url}/versions/${second.id}`);
  await expectProduction(undefined);
  expect((await addVersion(prompt)).production).toBe(false);
  await expectProduction(undefined);
});

test.for([
  [undefined, 3],
  ['', 3],
  ['latest', 3],
  ['LATEST', 3],
  ['production', 1],
  ['Production', 1],
  ['1', 1],
  ['v2', 2],
  ['V3', 3],
] as const)('promptsByName with version %j is version %i', async ([selector, number], { api }) => {
  const prompt = await api.newPrompt(undefined, { production: true });
  await addVersion(prompt);
  await addVersion(prompt);
  expect(await byName(prompt, 'greeting', selector)).toMatchObject({ status: 200, body: { version: number } });
});

test('promptsByName: a version that is none is 400, before the prompt is looked for; one that is not there is 404', async ({ api }) => {
  const prompt = await api.newPrompt();
  for (const version of ['0', 'v0', '-1', '1.5', 'newest', '3x', 'v', '1 2', 'null']) {
    expect(await byName(prompt, 'greeting', version), version).toEqual(refusal(400, BAD_VERSION, 'version'));
    expect(await byName(prompt, 'no-such-prompt', version), version).toEqual(refusal(400, BAD_VERSION, 'version'));
  }
  expect(await byName(prompt, 'greeting', '2')).toEqual(refusal(404, 'Prompt version not found'));
  expect(await byName(prompt, 'greeting', '999999999')).toEqual(refusal(404, 'Prompt version not found'));
  expect((await byName(prompt, 'a\0b')).status).toBe(404);
  for (const name of ['no-such-prompt', 'GREETING', prompt.id])
    expect(await byName(prompt, name), name).toEqual(refusal(404, 'Prompt not found'));
  const strange = await api.newPrompt(undefined, { name: 'Only here' });
  expect((await byName({ ...prompt, runtime: strange.runtime, workspace: strange.workspace }, 'greeting')).status).toBe(404);
});

test('PUT of a version: what is left out keeps its value, null clears, and the answer has the new updatedAt', async ({ api }) => {
  const prompt = await api.newPrompt();
  let current = await addVersion(prompt, {
    content: 'Hi {{a}}',
    commitMessage: 'Why',
    config: '{"t":1}',
    meta: '{"m": 1}',
    production: true,
  });
  const url = `${prompt.url}/versions/${current.id}`;
  for (const [change, result] of [
    [{}, {}],
    [{ content: 'Ho {{b}}' }, { content: 'Ho {{b}}', variables: ['b'], commitHash: aHash }],
    [{ config: { t: 2 } }, { config: { t: 2 }, commitHash: aHash }],
    [{ config: null }, { config: {}, commitHash: aHash }],
    [{ type: 'chat' }, { type: 'chat', commitHash: aHash }],
    [{ commitMessage: 'Because' }, { commitMessage: 'Because' }],
    [{ commitMessage: null }, { commitMessage: null }],
    [{ meta: ' {"a": [1, 2]}' }, { meta: ' {"a": [1, 2]}' }],
    [{ meta: { a: 1 } }, { meta: '{"a":1}' }],
    [{ meta: null }, { meta: null }],
    [{ labels: ['one', 'two'] }, { labels: ['latest', 'one', 'two'] }],
    [{ labels: null }, { labels: ['latest'] }],
    [{ version: 9, id: newId(), commitHash: 'x', name: 'x' }, {}],
  ]) {
    api.clock.advance(1000);
    const { status, body } = await prompt.runtime.put(url, change);
    expect({ status, body }).toEqual({ status: 200, body: { ...current, ...result, updatedAt: aTime } });
    expect(Date.parse(body.updatedAt)).toBeGreaterThanOrEqual(Date.parse(current.updatedAt as string) + 1000);
    expect(body.commitHash === current.commitHash).toBe(!('commitHash' in (result as object)));
    current = body;
  }
  expect((await prompt.runtime.get(url)).body).toEqual(current);
  for (const [change, path, message] of [
    [{ status: 'deleted' }, 'status', 'Status must be one of: active archived'],
    [{ labels: [''] }, 'labels.0', 'Labels is required'],
    [{ labels: ['l'.repeat(101)] }, 'labels.0', 'Labels must not exceed 100 characters'],
    [{ labels: Array.from({ length: 33 }, String) }, 'labels', 'Labels must not have more than 32 items'],
    [{ labels: 'one' }, 'labels', 'Labels must be an array'],
  ] as const) {
    expect(await prompt.runtime.put(url, change)).toEqual(refusal(400, message, path));
  }
});

test('a commit hash is content-addressed: the same on the same parent, another where anything differs', async ({ api }) => {
  const [one, other] = [
    await api.newPrompt(undefined, plain),
    await api.newPrompt(undefined, { ...plain, name: 'Other', commitMessage: 'x', meta: '{}' }),
  ];
  const chain = async (prompt: TestPrompt) => {
    await addVersion(prompt, { content: 'Second', config: '{"t":1}' });
    await addVersion(prompt, { content: 'Second', config: '{"t":1}' });
    return (await versionsOf(prompt)).map(({ commitHash }) => commitHash);
  };
  const hashes = await chain(one);
  expect(await chain(other)).toEqual(hashes);
  expect(new Set(hashes).size, 'the same content on another parent').toBe(3);
  const third = await addVersion(one, { content: 'Third' });
  await one.runtime.delete(`${one.url}/versions/${third.id}`);
  expect((await addVersion(one, { content: 'Third' })).commitHash, 'a later number on the same parent').toBe(third.commitHash);
  expect((await addVersion(other, { content: 'Third', type: 'chat' })).commitHash).not.toBe(third.commitHash);
});

test('deleting the last version deletes the prompt, and agents lose the reference to it', async ({ api }) => {
  const prompt = await api.newPrompt();
  const agent = await api.newAgent(prompt.workspace, { promptId: prompt.id });
  const second = await addVersion(prompt);
  const [, first] = (await versionsOf(prompt)) as [Version, Version];
  expect((await prompt.runtime.delete(`${prompt.url}/versions/${first.id}`)).status).toBe(204);
  expect((await prompt.runtime.get(prompt.url)).body.versionCount).toBe(1);
  expect((await agent.runtime.get(agent.url)).body.promptId).toBe(prompt.id);
  api.clock.advance(1000);
  const { body: before } = await agent.runtime.get(agent.url);
  expect((await prompt.runtime.delete(`${prompt.url}/versions/${second.id}`)).status).toBe(204);
  expect(await prompt.runtime.get(prompt.url)).toEqual(refusal(404, 'Prompt not found'));
  expect((await agent.runtime.get(agent.url)).body).toEqual({ ...before, promptId: null, updatedAt: aTime });
  expect(await api.countRows('prompts', prompt.workspace.id)).toBe(0);
});

test('a deleted prompt is gone with its versions, and agents lose the reference to it', async ({ api }) => {
  const kept = await api.newPrompt();
  const gone = await api.newPrompt(kept.workspace, { name: 'Gone' });
  const agents = [
    await api.newAgent(kept.workspace, { promptId: kept.id }),
    await api.newAgent(kept.workspace, { promptId: gone.id }),
  ] as const;
  const { id } = await addVersion(gone);
  expect(await gone.runtime.delete(gone.url)).toMatchObject({ status: 204, text: '' });
  expect(await gone.runtime.get(gone.url)).toEqual(refusal(404, 'Prompt not found'));
  expect(await gone.runtime.get(`${gone.url}/versions`)).toEqual(refusal(404, 'Prompt not found'));
  expect((await gone.runtime.get(`${gone.url}/versions/${id}`)).status).toBe(404);
  expect(await byName(gone, 'gone')).toEqual(refusal(404, 'Prompt not found'));
  expect(await gone.runtime.delete(gone.url)).toEqual(refusal(404, 'Prompt not found'));
  expect(await gone.runtime.post(`${gone.url}/versions`, plain)).toEqual(refusal(404, 'Prompt not found'));
  expect((await agents[0].runtime.get(agents[0].url)).body.promptId).toBe(kept.id);
  expect((await agents[1].runtime.get(agents[1].url)).body.promptId).toBe(null);
  expect(await api.countRows('prompts', kept.workspace.id)).toBe(1);
  expect(await api.countRows('prompt_versions', kept.workspace.id)).toBe(1);
});

test('what is not there, or is another prompt’s or workspace’s, is 404; what is wrong with the body is said first', async ({ api }) => {
  const prompt = await api.newPrompt();
  const { runtime, workspace, url } = prompt;
  const sibling = await api.newPrompt(workspace, { name: 'Sibling' });
  const [version] = await versionsOf(sibling);
  const strange = await api.newPrompt();
  for (const id of [newId(), strange.id, 'greeting']) {
    const missing = `${workspace.url}/prompts/${id}`;
    const refused = refusal(404, 'Prompt not found');
    expect(await runtime.get(missing)).toEqual(refused);
    expect(await runtime.put(missing, { name: 'x' })).toEqual(refused);
    expect(await runtime.delete(missing)).toEqual(refused);
    expect(await runtime.get(`${missing}/versions`)).toEqual(refused);
    expect(await runtime.post(`${missing}/versions`, plain)).toEqual(refused);
    expect(await runtime.put(missing, { name: '' })).toEqual(refusal(400, 'Name is required', 'name'));
    expect(await runtime.post(`${missing}/versions`, {})).toEqual(refusal(400, 'Type is required', 'type'));
  }
  for (const id of [newId(), version?.id, 'v1', '1']) {
    const missing = `${url}/versions/${id}`;
    const refused = refusal(404, 'Prompt version not found');
    expect(await runtime.get(missing)).toEqual(refused);
    expect(await runtime.put(missing, { production: true })).toEqual(refused);
    expect(await runtime.delete(missing)).toEqual(refused);
    expect(await runtime.get(`${missing}/diff/${version?.id}`)).toEqual(refused);
    expect(await runtime.put(missing, { production: 'x' })).toEqual(refusal(400, 'Production must be a boolean', 'production'));
  }
  expect(inProduction(await versionsOf(sibling))).toEqual([]);
});

test('a diff names both versions, the change of the content, and the other fields that differ', async ({ api }) => {
  const prompt = await api.newPrompt(undefined, { content: 'Hello\n{{name}}\n', config: '{"t":1}' });
  const second = await addVersion(prompt, {
    content: 'Hello\ndear {{name}}\n',
    config: '{"t":2}',
    production: true,
    commitMessage: 'Kinder',
  });
  const [, first] = (await versionsOf(prompt)) as [Version, Version];
  const { status, body } = await prompt.runtime.get(`${prompt.url}/versions/${first.id}/diff/${second.id}`);
  expect(status).toBe(200);
  expect(body).toEqual({
    from: { id: first.id, version: 1, commitHash: first.commitHash },
    to: { id: second.id, version: 2, commitHash: second.commitHash },
    unified: expect.stringContaining('--- greeting v1\n+++ greeting v2\n@@ -1,2 +1,2 @@\n Hello\n-{{name}}\n+dear {{name}}\n'),
    changes: [
      { kind: 'same', text: 'Hello\n' },
      { kind: 'removed', text: '{{name}}\n' },
      { kind: 'added', text: 'dear {{name}}\n' },
    ],
    fields: [
      { field: 'config', from: { t: 1 }, to: { t: 2 } },
      { field: 'commitMessage', from: null, to: 'Kinder' },
      { field: 'production', from: false, to: true },
      { field: 'labels', from: [], to: ['latest'] },
    ],
  });
  const { body: same } = await prompt.runtime.get(`${prompt.url}/versions/${second.id}/diff/${second.id}`);
  expect(same).toMatchObject({ unified: '', changes: [{ kind: 'same' }], fields: [] });
  expect(await prompt.runtime.get(`${prompt.url}/versions/${first.id}/diff/${newId()}`)).toEqual(refusal(404, 'Prompt version not found'));
});

test('render: values in, text out, of the version that is asked for', async ({ api }) => {
  const prompt = await api.newPrompt(undefined, {
    content: 'Hi {{ name }}, {{n}} of {{name}}: {{ok}}',
    production: true,
    config: '{"t":1}',
  });
  const { runtime, workspace } = prompt;
  const render = (body: unknown, query = '', name = 'Greeting') =>
    runtime.post(`${workspace.url}/promptsByName/${name}/render${query}`, body);
  const { status, body } = await render({ variables: { name: 'Ada $& {{n}}', n: 3, ok: true } });
  const [version] = await versionsOf(prompt);
  expect(status).toBe(200);
  expect(body).toEqual({
    promptId: prompt.id,
    promptVersionId: version?.id,
    version: 1,
    type: 'text',
    text: 'Hi Ada $& {{n}}, 3 of Ada $& {{n}}: true',
    config: { t: 1 },
  });
  await addVersion(prompt, { content: 'No variables' });
  expect((await render(undefined)).body).toMatchObject({ version: 2, text: 'No variables' });
  expect((await render({})).body.text).toBe('No variables');
  expect((await render({ variables: { name: 'x', n: 1, ok: 'y' } }, '?version=production')).body).toMatchObject({
    version: 1,
    text: 'Hi x, 1 of x: y',
  });
  expect(await render({}, '?version=9')).toEqual(refusal(404, 'Prompt version not found'));
  expect(await render({}, '?version=newest')).toEqual(refusal(400, BAD_VERSION, 'version'));
  expect(await render({}, '', 'none')).toEqual(refusal(404, 'Prompt not found'));
});

test('render: missing and unknown variables are 400 and each is named', async ({ api }) => {
  const { runtime, workspace } = await api.newPrompt(undefined, { content: '{{a}} {{b}} {{constructor}}' });
  const render = (body: unknown) => runtime.post(`${workspace.url}/promptsByName/greeting/render`, body);
  expect(await render({ variables: { b: '', x: '', y: 1 } })).toMatchObject({
    status: 400,
    body: {
      errorMessage: 'Variables do not match the prompt; missing: a, constructor; unknown: x, y',
      code: 'validation_failed',
      details: [
        { path: 'variables.a', message: 'Variable a is missing' },
        { path: 'variables.constructor', message: 'Variable constructor is missing' },
        { path: 'variables.x', message: 'Variable x is not in this prompt' },
        { path: 'variables.y', message: 'Variable y is not in this prompt' },
      ],
    },
  });
  expect(await render(undefined)).toMatchObject({
    status: 400,
    body: { errorMessage: 'Variables do not match the prompt; missing: a, b, constructor' },
  });
  expect(await render({ variables: 'a' })).toEqual(refusal(400, 'Variables must be an object', 'variables'));
  expect((await render({ variables: { a: null, b: '', constructor: '' } })).status).toBe(400);
  expect((await render({ variables: { a: {}, b: '', constructor: '' } })).status).toBe(400);
});

test('render: a chat is filled in message by message, whatever the values hold and however its JSON is escaped', async ({ api }) => {
  const content =
    '[{"role":"system","content":"Be {{mood}}."},{"role":"user","content":"Wie gro\\u00df ist {{gr\\u00f6\\u00dfe}}?","name":"x"}]';
  const prompt = await api.newPrompt(undefined, { type: 'chat', content });
  const { runtime, workspace } = prompt;
  expect((await byName(prompt)).body).toMatchObject({ content, variables: ['mood', 'größe'] });
  const render = (variables: unknown) => runtime.post(`${workspace.url}/promptsByName/greeting/render`, { variables });
  expect((await render({ mood: '"quoted"\n\\', größe: 7 })).body).toEqual({
    promptId: prompt.id,
    promptVersionId: anId,
    version: 1,
    type: 'chat',
    messages: [
      { role: 'system', content: 'Be "quoted"\n\\.' },
      { role: 'user', content: 'Wie groß ist 7?' },
    ],
    config: {},
  });
  expect(await render({ mood: 'x' })).toMatchObject({
    status: 400,
    body: { errorMessage: 'Variables do not match the prompt; missing: größe' },
  });
});

test.for(['Hello', '{"role":"user","content":"x"}', '[{"role":"user"}]', '["x"]'])(
  'render: chat content %j is kept, and 400 to render',
  async (content, { api }) => {
    const prompt = await api.newPrompt(undefined, { type: 'chat', content });
    expect((await byName(prompt)).body.content).toBe(content);
    expect(await prompt.runtime.post(`${prompt.workspace.url}/promptsByName/greeting/render`)).toEqual(
      refusal(400, 'A chat prompt must be a JSON array of {role, content} to be rendered', 'content'),
    );
  },
);

test('an ETag costs a 304 until what it names changes: production moves, latest moves, the name changes', async ({ api }) => {
  const prompt = await api.newPrompt(undefined, { production: true });
  const { runtime, workspace, url } = prompt;
  const get = (version: string, etag?: unknown) =>
    runtime.get(`${workspace.url}/promptsByName/greeting?version=${version}`, etag ? { 'if-none-match': String(etag) } : {});
  const [production, last] = [await get('production'), await get('latest')];
  expect(await get('production', production.headers.etag)).toMatchObject({ status: 304, text: '' });
  expect((await get('latest', last.headers.etag)).status).toBe(304);

  const second = await addVersion(prompt);
  expect((await get('latest', last.headers.etag)).body).toMatchObject({ version: 2 });
  await runtime.put(`${url}/versions/${second.id}`, { production: true });
  const moved = await get('production', production.headers.etag);
  expect(moved).toMatchObject({ status: 200, body: { version: 2, production: true } });
  expect((await get('production', moved.headers.etag)).status).toBe(304);
  await runtime.put(url, { description: 'Changed' });
  expect((await get('production', moved.headers.etag)).status).toBe(200);
});

test.for([
  ['{ "a" :  1 }', '{ "a" :  1 }'],
  ['  {"a":[1e2]}\n', '  {"a":[1e2]}\n'],
  ['{"large":12345678901234567890}', '{"large":12345678901234567890}'],
  ['{"half":"\ud800"}', '{"half":"\\ud800"}'],
  ['null', null],
  [{ a: 1 }, '{"a":1}'],
] as const)('meta %j of a version stays the text that it is', async ([meta, kept], { api }) => {
  const prompt = await api.newPrompt(undefined, { meta });
  expect((await byName(prompt)).body.meta).toBe(kept);
  expect((await addVersion(prompt, { meta })).meta).toBe(kept);
});

test('50 versions at once are numbered 2 to 51 without gap or double, and one is latest', async ({ api }) => {
  const prompt = await api.newPrompt();
  const { answers, statuses } = await atOnce(50, (index) =>
    prompt.runtime.post(`${prompt.url}/versions`, { type: 'text', content: `${index}`, production: index % 2 === 0 }),
  );
  expect(statuses).toEqual({ 201: 50 });
  const given = answers.map(({ body }) => body.version as number).sort((one, other) => one - other);
  expect(given).toEqual(Array.from({ length: 50 }, (_, index) => index + 2));
  const versions = await versionsOf(prompt);
  expect(numbers(versions)).toEqual(Array.from({ length: 51 }, (_, index) => 51 - index));
  expect(latest(versions)).toEqual([51]);
  expect(inProduction(versions)).toHaveLength(1);
  expect(new Set(versions.map(({ commitHash }) => commitHash)).size).toBe(51);
});

test('50 moves of production at once leave exactly one', async ({ api }) => {
  const prompt = await api.newPrompt();
  for (let count = 0; count < 9; count++) await addVersion(prompt);
  const versions = await versionsOf(prompt);
  const { statuses } = await atOnce(50, (index) =>
    prompt.runtime.put(`${prompt.url}/versions/${versions[index % 10]?.id}`, { production: true }),
  );
  expect(statuses).toEqual({ 200: 50 });
  const after = await versionsOf(prompt);
  expect(inProduction(after)).toHaveLength(1);
  expect((await byName(prompt, 'greeting', 'production')).body.version).toBe(inProduction(after)[0]);
});

test('versions added, archived and deleted at once leave one latest, the highest that is active', async ({ api }) => {
  const prompt = await api.newPrompt();
  for (let count = 0; count < 29; count++) await addVersion(prompt);
  const versions = (await versionsOf(prompt)).toReversed();
  const { answers } = await atOnce(50, (index) => {
    const url = `${prompt.url}/versions/${versions[index % 30]?.id}`;
    if (index % 3 === 0) return prompt.runtime.post(`${prompt.url}/versions`, { type: 'text', content: `${index}` });
    return index % 3 === 1 ? prompt.runtime.delete(url) : prompt.runtime.put(url, { status: 'archived', production: true });
  });
  for (const { status } of answers) expect([200, 201, 204, 404]).toContain(status);
  const after = await versionsOf(prompt);
  const active = (after as (Version & { status: string })[]).filter(({ status }) => status === 'active');
  expect(latest(after)).toEqual([active[0]?.version]);
  expect(inProduction(after).length).toBeLessThanOrEqual(1);
  expect((await prompt.runtime.get(prompt.url)).body.versionCount).toBe(after.length);
});

test('50 prompts of one name at once: one 201, 49 times 409', async ({ api }) => {
  const { runtime, workspace } = await api.newPrompt(undefined, { name: 'Another' });
  const { statuses } = await atOnce(50, (index) =>
    runtime.post(`${workspace.url}/prompts`, { ...plain, name: index % 2 ? 'One Name' : 'one-name!' }),
  );
  expect(statuses).toEqual({ 201: 1, 409: 49 });
  expect((await runtime.get(`${workspace.url}/prompts`)).body._meta.total).toBe(2);
});

test('agents that take up a prompt while it is deleted hold no reference to what is gone', async ({ api }) => {
  for (let round = 0; round < 5; round++) {
    const prompt = await api.newPrompt();
    const { runtime, workspace } = prompt;
    const { answers } = await atOnce(20, (index) =>
      index === 8 + round
        ? runtime.delete(prompt.url)
        : runtime.post(`${workspace.url}/agents`, { name: `Agent ${index}`, description: 'd', promptId: prompt.id }),
    );
    for (const { status } of answers) expect([201, 204, 404]).toContain(status);
    const { body } = await runtime.get(`${workspace.url}/agents`);
    expect(body.agents.filter(({ promptId }: { promptId: string | null }) => promptId !== null)).toEqual([]);
  }
});

test('the statistics count what was made, and no longer what is deleted', async ({ api }) => {
  const prompt = await api.newPrompt();
  const { runtime, workspace } = prompt;
  await addVersion(prompt);
  const agent = await api.newAgent(workspace);
  const [session, other] = [await api.newSession(agent), await api.newSession(agent)];
  made(await runtime.post(`${session.url}/messages/batch`, { messages: [1, 2, 3].map(() => ({ role: 'user', content: 'x' })) }));
  made(await runtime.post(`${other.url}/messages`, { role: 'user', content: 'x' }));
  made(await runtime.post(`${session.url}/memories`, { kind: 'fact', content: 'x' }));
  const stats = async () => {
    const { callsThisMonth: _, ...counts } = (await runtime.get(`${workspace.url}/stats`)).body;
    return counts;
  };
  const nothing = { documents: 0, chunks: 0 };
  expect(await stats()).toEqual({ ...nothing, agents: 1, sessions: 2, messages: 4, memories: 1, prompts: 1 });
  await runtime.delete(session.url);
  await api.drainJobs();
  expect(await stats()).toEqual({ ...nothing, agents: 1, sessions: 1, messages: 1, memories: 0, prompts: 1 });
  await runtime.delete(agent.url);
  await runtime.delete(prompt.url);
  await api.drainJobs();
  expect(await stats()).toEqual({ ...nothing, agents: 0, sessions: 0, messages: 0, memories: 0, prompts: 0 });
});
