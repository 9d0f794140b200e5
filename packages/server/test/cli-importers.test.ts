/** `import --from`: histories of other programs, by real processes and a running service. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, inject, onTestFinished, test } from 'vitest';
import { cli, serve, temporaryFolder } from '../src/cli/spawn-for-test.ts';
import { createTestDatabase } from './database.ts';

const KEY = 'the-key-of-a-service-under-test';

async function newScene(settings: Record<string, string> = { COMMONPLACE_DATA_DIR: temporaryFolder() }) {
  const { url } = await serve({ COMMONPLACE_ADMIN_API_KEY: KEY, ...settings });
  // biome-ignore lint/suspicious/noExplicitAny: a test says what it expects of a body, field by field.
  const ask = async (method: string, path: string, body?: object): Promise<any> => {
    const answer = await fetch(`${url}/api/v1${path}`, {
      method,
      headers: { 'x-api-key': KEY, ...(body && { 'content-type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
    });
    expect(answer.ok, `${method} ${path}: ${answer.status}`).toBe(true);
    return answer.json();
  };
  const { id } = await ask('POST', '/workspaces', { name: 'Histories' });
  const W = `/workspaces/${id}`;
  const folder = temporaryFolder();
  const write = (name: string, content: unknown) => {
    writeFileSync(join(folder, name), typeof content === 'string' ? content : JSON.stringify(content));
    return join(folder, name);
  };
  const surroundings = { settings: { COMMONPLACE_URL: url, COMMONPLACE_API_KEY: KEY, COMMONPLACE_WORKSPACE_ID: id } };
  const bring = (path: string, ...args: string[]) => cli(['import', path, '--from', ...args], surroundings);
  return { W, ask, folder, write, bring };
}

type Scene = Awaited<ReturnType<typeof newScene>>;

async function sessionsOf({ ask, W }: Scene, agentName: string) {
  const { agents } = await ask('GET', `${W}/agents`);
  const agent = agents.find(({ name }: { name: string }) => name === agentName);
  const { sessions } = await ask('GET', `${W}/agents/${agent.id}/sessions?limit=100`);
  const at = (session: { id: string }, what: string) => ask('GET', `${W}/agents/${agent.id}/sessions/${session.id}/${what}?limit=100`);
  return { agents, sessions, at };
}

const node = (parent: string | null, role: string, said: string, create_time: number) => ({
  parent,
  message: { author: { role }, create_time, content: { content_type: 'text', parts: [said] } },
});

const conversation = (id: string, first: string) => ({
  conversation_id: id,
  title: `About ${first}`,
  create_time: 1_750_000_000,
  current_node: 'b',
  mapping: { a: node(null, 'user', `What is ${first}?`, 1_750_000_001), b: node('a', 'assistant', `${first} is a word.`, 1_750_000_002.5) },
});

async function bringChatGpt(scene: Scene): Promise<void> {
  const { write, bring, ask, W } = scene;
  const path = write('conversations.json', [conversation('c1', 'okapi'), { title: 'Broken' }, conversation('c2', 'tapir')]);
  const first = await bring(path, 'chatgpt', '--agent', 'Archive');
  expect(first).toEqual({
    code: 1,
    stdout: 'Imported 1 agents, 2 sessions, 4 messages; 0 there already, 0 errors, 1 left out.\n',
    stderr: 'conversations.json, conversation 2 (“Broken”): it has no mapping of messages\n',
  });
  const { agents, sessions, at } = await sessionsOf(scene, 'Archive');
  expect(agents).toHaveLength(1);
  expect(sessions.map(({ title }: { title: string }) => title).sort()).toEqual(['About okapi', 'About tapir']);
  const okapi = sessions.find(({ title }: { title: string }) => title === 'About okapi');
  expect(okapi.createdAt).toBe('2025-06-15T15:06:40.000Z');
  const { messages } = await at(okapi, 'messages');
  expect(messages.map(({ content, createdAt }: { content: string; createdAt: string }) => [content, createdAt]).sort()).toEqual([
    ['What is okapi?', '2025-06-15T15:06:41.000Z'],
    ['okapi is a word.', '2025-06-15T15:06:42.500Z'],
  ]);

  const again = await bring(path, 'chatgpt', '--agent', 'Archive');
  expect(again.stdout).toBe('Imported nothing; 6 there already, 0 errors, 1 left out.\n');
  expect((await sessionsOf(scene, 'Archive')).sessions).toEqual(sessions);

  // What the service refuses is named by its place in the source: this one has the other's external id.
  const [agent] = agents;
  await ask('POST', `${W}/agents/${agent.id}/sessions`, { id: 'chatgpt:c3' });
  const taken = await bring(write('more.json', [conversation('c4', 'lama'), conversation('c3', 'gnu')]), 'chatgpt', '--agent', 'Archive');
  expect(taken.code).toBe(1);
  expect(taken.stdout).toBe('Imported 1 sessions, 2 messages; 0 there already, 1 errors, 0 left out.\n');
  expect(taken.stderr).toMatch(/^more\.json, conversation 2 \(“About gnu”\)[^:]*: \S/);
}

test('conversations of ChatGPT, twice', async () => {
  await bringChatGpt(await newScene());
});

if (inject('postgres'))
  test('conversations of ChatGPT into PostgreSQL', async () => {
    const { url, drop } = await createTestDatabase();
    onTestFinished(drop);
    await bringChatGpt(await newScene({ COMMONPLACE_DATABASE_URL: url, COMMONPLACE_DATABASE_POOL_SIZE: '4' }));
  });

test('memories of Mem0, messages of LangChain and a folder, each twice', async () => {
  const scene = await newScene();
  const { write, bring, folder, ask, W } = scene;
  const memories = write('memories.json', {
    results: [
      { id: 'm1', memory: 'Likes okapis', user_id: 'ada', created_at: '2025-05-06T07:08:09Z' },
      { id: 'm2', memory: 'Lives in Lisbon', user_id: 'ada', created_at: '2025-05-06T07:08:10Z' },
      { id: 'm3', memory: 'Has a cat', user_id: 'bob', created_at: '2025-05-06T07:08:11Z' },
    ],
  });
  expect(await bring(memories, 'mem0')).toEqual({
    code: 0,
    stdout: 'Imported 1 agents, 2 sessions, 3 memories; 0 there already, 0 errors, 0 left out.\n',
    stderr: '',
  });
  const { sessions, at } = await sessionsOf(scene, 'Mem0');
  const ada = sessions.find(({ labels }: { labels: { user: string } }) => labels.user === 'ada');
  const found = (await at(ada, 'memories')).memories;
  expect(found.map(({ content, createdAt }: { content: string; createdAt: string }) => `${content} ${createdAt}`).sort()).toEqual([
    'Likes okapis 2025-05-06T07:08:09.000Z',
    'Lives in Lisbon 2025-05-06T07:08:10.000Z',
  ]);
  expect((await bring(memories, 'mem0')).stdout).toBe('Imported nothing; 5 there already, 0 errors, 0 left out.\n');

  const lines = [
    { type: 'human', data: { content: 'Hello' } },
    { role: 'assistant', content: 'Hi', session_id: 's1' },
    { type: 'ai', data: { content: 'Hello, you' } },
  ];
  const history = write('history.jsonl', lines.map((line) => JSON.stringify(line)).join('\n'));
  expect((await bring(history, 'langchain')).stdout).toBe(
    'Imported 1 agents, 2 sessions, 3 messages; 0 there already, 0 errors, 0 left out.\n',
  );
  expect((await bring(history, 'langchain')).stdout).toBe('Imported nothing; 5 there already, 0 errors, 0 left out.\n');

  mkdirSync(join(folder, 'notes/deep'), { recursive: true });
  write('notes/one.md', '# One\n\nThe okapi.');
  write('notes/deep/two.txt', 'The tapir.');
  write('notes/empty.md', '');
  const texts = join(folder, 'notes');
  expect(await bring(texts, 'markdown')).toEqual({
    code: 0,
    stdout: 'Imported 2 documents; 0 there already, 0 errors, 1 left out.\n',
    stderr: 'empty.md: it is empty\n',
  });
  expect((await bring(texts, 'markdown')).stdout).toBe('Imported nothing; 2 there already, 0 errors, 1 left out.\n');
  const { documents } = await ask('GET', `${W}/documents`);
  expect(documents.map(({ externalId, title }: { externalId: string; title: string }) => [externalId, title]).sort()).toEqual([
    ['deep/two.txt', 'two'],
    ['one.md', 'One'],
  ]);
});

const nowhere = {
  settings: {
    COMMONPLACE_URL: 'http://127.0.0.1:1',
    COMMONPLACE_API_KEY: KEY,
    COMMONPLACE_WORKSPACE_ID: '0199a7c4-3b1e-7c52-9d6f-2f4f0f6f1c11',
  },
};

test.each([
  [['import', '/tmp', '--from', 'word'], '--from is one of chatgpt, mem0, langchain, markdown'],
  [['import', '/tmp', '--from', 'toString'], '--from is one of'],
  [['import', '/tmp', '--from', 'markdown', '--agent', 'x'], '--agent goes with conversations'],
  [['import', '/tmp', '--from', 'chatgpt', '--agent', 'x'.repeat(101)], '--agent must not exceed 100 characters'],
  [['import', '-', '--from', 'chatgpt'], 'not standard input'],
  [['import', '/tmp/x', '--from', 'mem0', '--new-ids'], '--new-ids goes with what was exported'],
  [['import', '/tmp/x', '--agent', 'x'], '--agent goes with --from'],
])('%j is refused: %s', async (args, message) => {
  expect(await cli(args, nowhere)).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining(message) });
});

test('a file that is not there is named', async () => {
  const ended = await cli(['import', '/nowhere/at/all', '--from', 'mem0'], nowhere);
  expect(ended).toMatchObject({ code: 1, stderr: expect.stringContaining("/nowhere/at/all is not there, or can't be read") });
});
