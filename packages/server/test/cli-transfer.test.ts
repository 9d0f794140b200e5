/** `export` and `import`: a workspace out of one service and into another, by real processes. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { expect, inject, test } from 'vitest';
import { cli, serve, temporaryFolder } from '../src/cli/spawn-for-test.ts';
import { createTestDatabase } from './database.ts';
import { contentsOf } from './transfer.ts';

const KEY = 'the-key-of-a-service-under-test';

async function newService(settings: Record<string, string> = { COMMONPLACE_DATA_DIR: temporaryFolder() }) {
  const { url, stop } = await serve({ COMMONPLACE_ADMIN_API_KEY: KEY, ...settings });
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
  const { id } = await ask('POST', '/workspaces', { name: 'Moving' });
  const settingsOf = { COMMONPLACE_URL: url, COMMONPLACE_API_KEY: KEY, COMMONPLACE_WORKSPACE_ID: id };
  const run = (args: string[], input?: string) => cli(args, { settings: settingsOf, ...(input !== undefined && { input }) });
  return { url, stop, ask, run, workspace: `/workspaces/${id}` };
}

type Service = Awaited<ReturnType<typeof newService>>;

async function fill({ ask, workspace }: Service): Promise<void> {
  const { id: agentId } = await ask('POST', `${workspace}/agents`, { name: 'Guide' });
  const sessions = `${workspace}/agents/${agentId}/sessions`;
  for (const name of ['Ada', 'zoë', '_x', '42']) {
    const { id } = await ask('POST', `${sessions}?id=${encodeURIComponent(name)}`);
    const messages = Array.from({ length: 60 }, (_, n) => ({ role: 'user', content: `Okapi ${n} of ${name}` }));
    await ask('POST', `${sessions}/${id}/messages/batch`, { messages });
    await ask('POST', `${sessions}/${id}/memories`, { kind: 'fact', content: `${name} likes okapis` });
  }
}

/** In an order that no engine decides: PostgreSQL may sort names otherwise. */
const sorted = (text: string) =>
  contentsOf(text)
    .map((line) => line.replace(/#\d+/g, '#'))
    .sort();

test('into a file, and from there into another service; and into a workspace of the same', async () => {
  const source = await newService();
  await fill(source);
  const folder = temporaryFolder();
  const [plain, packed] = [join(folder, 'all.jsonl'), join(folder, 'all.jsonl.gz')];
  const exported = await source.run(['export', plain]);
  expect(exported).toMatchObject({ code: 0, stdout: '' });
  expect(exported.stderr).toMatch(/^Exported 1 agents, 4 sessions, 240 messages, 4 memories \(0\.\d MB\)\.\n$/);
  expect((await source.run(['export', packed])).code).toBe(0);
  const text = readFileSync(plain, 'utf8');
  expect(sorted(gunzipSync(readFileSync(packed)).toString())).toEqual(sorted(text));
  expect(await source.run(['export', plain])).toMatchObject({ code: 1, stderr: expect.stringContaining('never overwritten') });

  const target = await newService();
  const imported = await target.run(['import', packed]);
  expect(imported).toEqual({
    code: 0,
    stderr: '',
    stdout: 'Imported 1 agents, 4 sessions, 240 messages, 4 memories; 0 there already, 0 errors.\n',
  });
  expect(await target.run(['import', plain])).toMatchObject({ code: 0, stdout: 'Imported nothing; 249 there already, 0 errors.\n' });
  const { stdout } = await target.run(['export', '-']);
  expect(stdout.split('\n').slice(1, -2)).toEqual(text.split('\n').slice(1, -2));
  expect(await target.run(['import', '-', '--new-ids'], text)).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('Imported 1 agents'),
  });

  const { id } = await target.ask('POST', '/workspaces', { name: 'Another' });
  expect(await target.run(['import', plain, '--workspace', id, '--url', target.url])).toMatchObject({ code: 0 });
});

test.runIf(inject('postgres'))('from SQLite to PostgreSQL and back: the same contents', async () => {
  const source = await newService();
  await fill(source);
  const database = await createTestDatabase();
  const there = await newService({ COMMONPLACE_DATABASE_URL: database.url, COMMONPLACE_DATA_DIR: temporaryFolder() });
  const back = await newService();
  const { stdout: first } = await source.run(['export', '-']);
  expect(await there.run(['import', '-'], first)).toMatchObject({ code: 0 });
  const { stdout: second } = await there.run(['export', '-']);
  expect(await back.run(['import', '-'], second)).toMatchObject({ code: 0 });
  const { stdout: third } = await back.run(['export', '-']);
  const contents = (text: string) => text.split('\n').slice(1, -2).sort();
  expect(contents(second)).toEqual(contents(first));
  expect(contents(third)).toEqual(contents(first));
  await there.stop();
  await database.drop();
});

test('what can’t be done is said, and leaves no file behind', async () => {
  const { run } = await newService();
  const file = join(temporaryFolder(), 'broken.jsonl');
  expect(await run(['import', file])).toMatchObject({ code: 1, stderr: expect.stringContaining('is no file that can be read') });
  writeFileSync(file, '{}');
  expect(await run(['import', file])).toMatchObject({ code: 1, stderr: expect.stringContaining('must be the header of an export') });
  const settings = { COMMONPLACE_URL: 'http://127.0.0.1:9', COMMONPLACE_WORKSPACE_ID: 'x' };
  expect(await cli(['export', '-'], { settings })).toMatchObject({ code: 2, stderr: expect.stringContaining('COMMONPLACE_API_KEY') });
  expect(await cli(['export', '-'], { settings: { COMMONPLACE_API_KEY: KEY } })).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('Which workspace?'),
  });
  const missing = join(temporaryFolder(), 'none.jsonl');
  expect((await run(['export', missing, '--workspace', '0199a7c4-3b1e-7c52-9d6f-2f4f0f6f1c11'])).code).toBe(1);
  expect([existsSync(missing), existsSync(`${missing}.partial`)]).toEqual([false, false]);
});
