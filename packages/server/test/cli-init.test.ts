/** `init`, as a program and an editor use what it makes. Real processes. */
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { parseEnv } from 'node:util';
import { expect, test } from 'vitest';
import { cli, serve, temporaryFolder } from '../src/cli/spawn-for-test.ts';
import { mcpIn, passwordIn, settingsIn } from './init-output.ts';

function inFolder(dataDir = temporaryFolder()) {
  return { COMMONPLACE_DATA_DIR: dataDir };
}

async function ask(url: string, headers: Record<string, string | undefined>, body?: object) {
  const sent = Object.entries(headers).filter((entry): entry is [string, string] => entry[1] !== undefined);
  const answer = await fetch(url, {
    headers: { ...Object.fromEntries(sent), ...(body && { 'content-type': 'application/json' }) },
    ...(body && { method: 'POST', body: JSON.stringify(body) }),
  });
  return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
}

/** A session with a message, by nothing but what `init` gave. */
async function writeMessage(url: string, made: Record<string, string | undefined>): Promise<void> {
  const headers = { 'x-access-key': made.COMMONPLACE_ACCESS_KEY };
  const agent = `${url}/api/v1/workspaces/${made.COMMONPLACE_WORKSPACE_ID}/agents/${made.COMMONPLACE_AGENT_ID}`;
  const session = await ask(`${agent}/sessions`, headers, { id: `session-${Math.random()}` });
  expect(session.status, JSON.stringify(session.body)).toBe(201);
  const messages = `${agent}/sessions/${session.body.id}/messages`;
  expect((await ask(messages, headers, { role: 'user', content: 'I live in Graz.' })).status).toBe(201);
}

test('what it makes in an empty folder works for a program, an editor and a person', async () => {
  const settings = inFolder(join(temporaryFolder(), 'data'));
  const first = await cli(['init'], { settings });
  const made = settingsIn(first);
  expect(Object.keys(made).sort()).toStrictEqual([
    'COMMONPLACE_ACCESS_KEY',
    'COMMONPLACE_AGENT_ID',
    'COMMONPLACE_URL',
    'COMMONPLACE_WORKSPACE_ID',
  ]);
  expect(made.COMMONPLACE_URL).toBe('http://127.0.0.1:8080');
  const mcp = mcpIn(first);
  expect(mcp.env).toStrictEqual({ ...made, COMMONPLACE_SESSION_ID: hostname() });
  // The Node of this repository where that one runs the tests: an editor may find another one, or none.
  expect(mcp).toMatchObject({
    command: expect.stringMatching(/^node$|\/node_modules\/.*\/node$/),
    args: [expect.stringMatching(/^\/.*commonplace\.js$/), 'mcp'],
  });
  expect(existsSync(String(mcp.args[0]))).toBe(true);
  // Nothing in the environment of an editor puzzles whoever looks for what is wrong.
  expect((await cli(['doctor'], { settings: { ...settings, ...mcp.env } })).stdout).not.toContain('is no setting of the service');

  const { url, stop } = await serve(settings);
  await writeMessage(url, made);
  const password = passwordIn(first);
  expect((await ask(`${url}/api/v1/auth/login`, {}, { email: 'admin@localhost', password: password as never })).status).toBe(200);
  await stop();
  for (const name of readdirSync(settings.COMMONPLACE_DATA_DIR)) {
    const kept = readFileSync(join(settings.COMMONPLACE_DATA_DIR, name), 'latin1');
    for (const secret of [made.COMMONPLACE_ACCESS_KEY, password]) expect(kept.includes(String(secret)), name).toBe(false);
  }
});

test('run again, it finds what it made, and only the access key is another one', async () => {
  const settings = inFolder();
  const first = settingsIn(await cli(['init', '--email', 'ada@example.com'], { settings }));
  const again = await cli(['init'], { settings });
  expect(settingsIn(again)).toStrictEqual({
    ...first,
    COMMONPLACE_ACCESS_KEY: expect.not.stringMatching(String(first.COMMONPLACE_ACCESS_KEY)),
  });
  expect(passwordIn(again)).toBeUndefined();
  const elsewhere = settingsIn(await cli(['init', '--workspace', 'Another', '--agent', 'Clerk'], { settings }));
  expect(elsewhere.COMMONPLACE_WORKSPACE_ID).not.toBe(first.COMMONPLACE_WORKSPACE_ID);
  const db = new DatabaseSync(join(settings.COMMONPLACE_DATA_DIR, 'commonplace.db'), { readOnly: true });
  const names = (table: string) =>
    db
      .prepare(`select name from ${table} order by id`)
      .all()
      .map(({ name }) => name);
  expect([names('users'), names('workspaces'), names('agents')]).toStrictEqual([
    ['Administrator'],
    ['My workspace', 'Another'],
    ['My agent', 'Clerk'],
  ]);
  db.close();
});

test('beside a running service it goes through the API: as the first account, and later with an API key alone', async () => {
  const settings = { ...inFolder(), COMMONPLACE_ADMIN_EMAIL: '' };
  const { url, stop } = await serve(settings);
  const port = new URL(url).port;
  // As from the folder of the service, whose port the settings name.
  const first = await cli(['init'], { settings: { ...settings, COMMONPLACE_PORT: port } });
  const made = settingsIn(first);
  expect(made.COMMONPLACE_URL).toBe(url);
  expect(passwordIn(first)).toBeDefined();
  await writeMessage(url, made);

  const refused = await cli(['init', '--url', url], { settings: inFolder() });
  expect({ code: refused.code, stdout: refused.stdout }).toStrictEqual({ code: 1, stdout: '' });
  expect(refused.stderr).toContain('set COMMONPLACE_API_KEY');
  await stop();

  const apiKey = (await cli(['key', 'create', '--email', 'admin@localhost', '--name', 'x'], { settings })).stdout.trim();
  const second = await serve(settings);
  const again = settingsIn(
    await cli(['init'], { settings: { ...inFolder(), COMMONPLACE_API_KEY: apiKey, COMMONPLACE_URL: `${second.url}/` } }),
  );
  expect(again).toStrictEqual({ ...made, COMMONPLACE_URL: second.url, COMMONPLACE_ACCESS_KEY: expect.stringMatching(/^cpa_/) });
  await writeMessage(second.url, again);
  await second.stop();
});

test('--write makes a file that only its owner reads, and never touches one that is there', async () => {
  const cwd = temporaryFolder();
  const settings = inFolder(join(cwd, 'data'));
  const written = await cli(['init', '--write'], { settings, cwd });
  expect(written.code, written.stderr).toBe(0);
  const file = written.stdout.trim();
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(mcpIn(written).env).toMatchObject({ ...parseEnv(readFileSync(file, 'utf8')) });
  writeFileSync(file, 'MINE=1\n');
  const again = await cli(['init', '--write'], { settings, cwd });
  expect(again.code).toBe(2);
  expect(again.stderr).toContain('never overwritten');
  expect(readFileSync(file, 'utf8')).toBe('MINE=1\n');
  const db = new DatabaseSync(join(cwd, 'data', 'commonplace.db'), { readOnly: true });
  expect(db.prepare('select count(*) as n from access_keys').get()).toMatchObject({ n: 1 });
  db.close();
});

test.each([
  [['--url', 'nowhere'], 2, 'no http:// or https:// address'],
  [['--url', 'http://127.0.0.1:1'], 1, 'no answer from http://127.0.0.1:1'],
  [['--email', 'nobody'], 1, 'Email'],
  [['--workspace', ' '], 1, 'Name is required'],
  [['--agent', 'x'.repeat(101)], 1, 'must not exceed 100 characters'],
])('init %s is refused, and nothing is made', async (args, code, expected) => {
  const settings = inFolder();
  const ended = await cli(['init', ...args], { settings });
  expect({ code: ended.code, stdout: ended.stdout }).toStrictEqual({ code, stdout: '' });
  expect(ended.stderr.trimEnd().split('\n')).toHaveLength(1);
  expect(ended.stderr).toContain(expected);
  expect(readdirSync(settings.COMMONPLACE_DATA_DIR)).toStrictEqual([]);
});

test('with several accounts it asks whose workspace it is, and an account that is not there is refused', async () => {
  const settings = inFolder();
  for (const email of ['ada@example.com', 'bob@example.com']) {
    const args = ['user', 'create', '--email', email, '--name', 'Ada', '--password-stdin'];
    expect((await cli(args, { settings, input: 'a long and unusual phrase\n' })).code).toBe(0);
  }
  expect(await cli(['init'], { settings })).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining('--email says whose') });
  expect(await cli(['init', '--email', 'eve@example.com'], { settings })).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('no account'),
  });
  settingsIn(await cli(['init', '--email', 'BOB@example.com'], { settings }));
});
