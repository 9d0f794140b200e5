/** The command line: help, arguments, accounts and keys, backups, the doctor. Real processes; `serve` has a file of its own. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { fileURLToPath } from 'node:url';
import { describe, expect, onTestFinished, test } from 'vitest';
import { commands } from '../src/cli/commands.ts';
import { firstScreen } from '../src/cli/first-screen.ts';
import { cli, serve, temporaryFolder } from '../src/cli/spawn-for-test.ts';
import { settings as knownSettings } from '../src/config.ts';
import { startLlmEndpoint, status } from './llm-endpoint.ts';

const PASSWORD = 'a long and unusual phrase';
const version = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')).version as string;

function inFolder(dataDir = temporaryFolder()) {
  return { COMMONPLACE_DATA_DIR: dataDir };
}

/** The one line that is allowed, beside what the log says of a machine that is busy. */
function oneLine(text: string): string {
  const lines = text.trimEnd().split('\n');
  const [line = '', ...others] = lines.filter((each) => !/^(?:WARN: | {4})/.test(each));
  expect(others).toEqual([]);
  return line;
}

async function createUser(settings: Record<string, string>, email: string, ...more: string[]) {
  return cli(['user', 'create', '--email', email, '--name', 'Ada', '--password-stdin', ...more], { settings, input: `${PASSWORD}\n` });
}

async function createApiKey(settings: Record<string, string>, email: string): Promise<string> {
  const { code, stdout, stderr } = await cli(['key', 'create', '--email', email, '--name', 'Test'], { settings });
  expect(code, stderr).toBe(0);
  return stdout.trim();
}

async function ask(url: string, headers: Record<string, string>, body?: unknown) {
  const response = await fetch(url, {
    headers: { ...headers, ...(body !== undefined && { 'content-type': 'application/json' }) },
    ...(body !== undefined && { method: 'POST', body: JSON.stringify(body) }),
  });
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
}

function rowsOf(dataDir: string, text: string): Record<string, unknown>[] {
  const db = new DatabaseSync(join(dataDir, 'commonplace.db'), { readOnly: true });
  try {
    return db
      .prepare(text)
      .all()
      .map((row) => ({ ...row }));
  } finally {
    db.close();
  }
}

describe('help', () => {
  test('names every command', async () => {
    const { code, stdout, stderr } = await cli(['--help']);
    expect({ code, stderr }).toStrictEqual({ code: 0, stderr: '' });
    for (const { name, summary } of commands) expect(stdout).toMatch(new RegExp(`^  ${name} +${summary}$`, 'm'));
  });

  test.each(commands)('of $name names its options', async ({ name, summary, usage, options }) => {
    const { code, stdout } = await cli([...name.split(' '), '--help']);
    expect(code).toBe(0);
    expect(stdout).toContain(`${summary}.`);
    for (const form of usage) expect(stdout).toContain(`commonplace ${name} ${form}`.trimEnd());
    for (const [option, { help }] of Object.entries(options)) expect(stdout).toMatch(new RegExp(`--${option} .*${help.slice(0, 20)}`));
  });

  test('of serve lists every setting', async () => {
    const { stdout } = await cli(['serve', '--help']);
    for (const { name } of knownSettings) expect(stdout).toContain(name);
  });

  test('does not load what runs a command', async () => {
    const telling = `data:text/javascript,import{registerHooks}from"node:module";registerHooks({load(url,c,next){process._rawDebug(url);return next(url,c)}})`;
    const loadedBy = async (...args: string[]) => (await cli(args, { settings: inFolder(), node: ['--import', telling] })).stderr;
    expect(await loadedBy('--help')).not.toMatch(/node_modules|\/cli\/(serve|doctor|migrate)\.ts/);
    const loaded = await loadedBy('migrate', '--dry-run');
    expect(loaded).toMatch(/\/cli\/migrate\.ts/);
    expect(loaded).not.toMatch(/fastify|\/cli\/(serve|doctor)\.ts/);
  });
});

test('--version is that of the package, whichever way the program is started', async () => {
  const script = fileURLToPath(new URL('../bin/commonplace.js', import.meta.url));
  expect(await cli(['--version'])).toStrictEqual({ code: 0, stdout: `${version}\n`, stderr: '' });
  expect(await cli(['--version'], { script })).toStrictEqual({ code: 0, stdout: `${version}\n`, stderr: '' });
});

const olderNode = findOlderNode();
if (olderNode)
  test('an older Node hands over to the one that npm installed, and passes its exit code on', () => {
    const script = fileURLToPath(new URL('../bin/commonplace.js', import.meta.url));
    const run = (...args: string[]) => execFileSync(olderNode, [script, ...args], { encoding: 'utf8', stdio: 'pipe', timeout: 240_000 });
    expect(run('--version')).toBe(`${version}\n`);
    expect(() => run('nonsense')).toThrow(expect.objectContaining({ status: 2 }));
  });

function findOlderNode(): string | undefined {
  const places = (process.env.PATH ?? '').split(':').map((folder) => join(folder, 'node'));
  return places
    .filter((place) => existsSync(place))
    .find((place) => {
      const found = /^v(\d+)/.exec(execFileSync(place, ['--version'], { encoding: 'utf8' }));
      return found && Number(found[1]) >= 20 && Number(found[1]) < 26;
    });
}

describe('what can’t be meant is refused in one line, with exit code 2', () => {
  test.each([
    [['nonsense'], 'unknown command "nonsense"'],
    [['user'], 'there is "user create"'],
    [['--nonsense'], 'unknown option --nonsense'],
    [['serve', '--nonsense'], 'unknown option "--nonsense"'],
    [['serve', 'now'], 'unexpected argument "now"'],
    [['user', 'create', '--name', 'Ada'], '--email is needed'],
    [['user', 'create', '--email'], 'argument missing'],
    [['user', 'create', '--email', 'a@b', '--name', 'Ada', '--password', 'hunter2hunter2'], 'unknown option "--password"'],
    [['key', 'create', '--name', 'x'], '--email or --workspace is needed'],
    [['key', 'create', '--name', 'x', '--email', 'a@b', '--workspace', 'y'], 'give one of them'],
    [['key', 'create', '--name', 'x', '--email', 'a@b', '--permissions', 'all'], '--permissions goes with --workspace'],
    [['key', 'create', '--name', 'x', '--workspace', 'y'], 'a UUID'],
    [['backup'], '<file> is needed'],
  ])('%s', async (args, expected) => {
    const { code, stdout, stderr } = await cli(args, { settings: inFolder() });
    expect({ code, stdout }).toStrictEqual({ code: 2, stdout: '' });
    expect(oneLine(stderr)).toContain(expected);
    expect(stderr).toContain('--help"');
    expect(stderr).not.toContain('hunter2');
  });

  test('a setting', async () => {
    const { code, stderr } = await cli(['serve'], { settings: { ...inFolder(), COMMONPLACE_PORT: 'eighty' } });
    expect(code).toBe(2);
    expect(oneLine(stderr)).toBe('commonplace: COMMONPLACE_PORT is "eighty"; allowed: a whole number from 0 to 65535.');
  });
});

test('a failure is one line, and has its stack only at the log level debug', async () => {
  const file = join(temporaryFolder(), 'file');
  writeFileSync(file, '');
  const settings = inFolder(join(file, 'data'));
  const plain = await cli(['migrate'], { settings });
  expect(plain.code).toBe(1);
  expect(oneLine(plain.stderr)).toContain('COMMONPLACE_DATA_DIR');
  const debugging = await cli(['migrate'], { settings: { ...settings, COMMONPLACE_LOG_LEVEL: 'debug' } });
  expect(debugging.code).toBe(1);
  expect(debugging.stderr).toMatch(/\n +at .*lock\.ts/);
});

test('migrate says what it would run, runs it, and is done', async () => {
  const settings = inFolder();
  const folder = settings.COMMONPLACE_DATA_DIR;
  expect(await cli(['migrate', '--dry-run'], { settings })).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^Would run .*0001_foundation/),
  });
  expect(readdirSync(folder)).toStrictEqual([]);
  expect(await cli(['migrate'], { settings })).toMatchObject({ code: 0, stdout: expect.stringMatching(/^Ran .*0001_foundation/) });
  expect(await cli(['migrate'], { settings })).toMatchObject({ code: 0, stdout: 'The database is up to date.\n' });
  expect(await cli(['migrate', '--dry-run'], { settings })).toMatchObject({ code: 0, stdout: 'The database is up to date.\n' });
});

describe('user create', () => {
  test('the first is an administrator, the next only when asked for', async () => {
    const settings = inFolder();
    const first = await createUser(settings, 'Ada@Example.com');
    expect(first.code, first.stderr).toBe(0);
    expect(first.stdout).toMatch(/^[0-9a-f-]{36} ada@example\.com\n$/);
    expect((await createUser(settings, 'bob@example.com')).code).toBe(0);
    expect((await createUser(settings, 'eve@example.com', '--admin')).code).toBe(0);
    expect(rowsOf(settings.COMMONPLACE_DATA_DIR, 'select email, role from users order by email')).toStrictEqual([
      { email: 'ada@example.com', role: 'admin' },
      { email: 'bob@example.com', role: 'user' },
      { email: 'eve@example.com', role: 'admin' },
    ]);
    const again = await createUser(settings, 'ADA@example.com');
    expect(again.code).toBe(1);
    expect(oneLine(again.stderr)).toContain('has an account already');
  });

  test.each([
    ['short', 'at least 10 characters'],
    ['password1234', 'most common'],
    ['', 'is required'],
  ])('the password %j is refused', async (password, expected) => {
    const settings = inFolder();
    const args = ['user', 'create', '--email', 'ada@example.com', '--name', 'Ada', '--password-stdin'];
    const { code, stderr } = await cli(args, { settings, input: `${password}\n` });
    expect(code).toBe(1);
    expect(oneLine(stderr)).toContain(expected);
    expect(rowsOf(settings.COMMONPLACE_DATA_DIR, 'select id from users')).toStrictEqual([]);
  });

  test('without a terminal a password must be piped in', async () => {
    const { code, stderr } = await cli(['user', 'create', '--email', 'ada@example.com', '--name', 'Ada'], { settings: inFolder() });
    expect(code).toBe(2);
    expect(oneLine(stderr)).toContain('--password-stdin');
  });
});

describe('key create', () => {
  test('makes an API key that the service takes, and an access key that an owner answers for', async () => {
    const settings = inFolder();
    await createUser(settings, 'ada@example.com');
    await createUser(settings, 'bob@example.com');
    const made = await cli(['key', 'create', '--email', 'ada@example.com', '--name', 'Laptop', '--expires', '2099-01-01T00:00:00+01:00'], {
      settings,
    });
    expect(made.code, made.stderr).toBe(0);
    expect(made.stdout).toMatch(/^cpu_\w{38}\n$/);
    expect(made.stderr).toContain('2098-12-31T23:00:00.000Z');
    const apiKey = made.stdout.trim();

    const first = await serve(settings);
    expect(await ask(`${first.url}/api/v1/me`, { 'x-api-key': apiKey })).toMatchObject({
      status: 200,
      body: { principalType: 'API_KEY', owner: { email: 'ada@example.com' } },
    });
    const signedIn = await ask(`${first.url}/api/v1/auth/login`, {}, { email: 'ada@example.com', password: PASSWORD });
    expect(signedIn.status).toBe(200);
    const workspace = await ask(`${first.url}/api/v1/workspaces`, { 'x-api-key': apiKey }, { name: 'Library' });
    expect(workspace.status).toBe(201);
    const workspaceId = String(workspace.body.id);
    await first.stop();

    const forWorkspace = (owner: string, permissions: string) =>
      cli(['key', 'create', '--workspace', workspaceId, '--created-by', owner, '--permissions', permissions, '--name', 'Agent'], {
        settings,
      });
    const strangers = await forWorkspace('bob@example.com', 'all');
    expect(strangers.code).toBe(1);
    expect(oneLine(strangers.stderr)).toContain('bob@example.com owns no workspace');
    expect((await forWorkspace('ada@example.com', 'CAN_FLY')).stderr).toContain('must be one of: CAN_');
    const narrow = await forWorkspace('ada@example.com', 'CAN_LIST_AGENTS, CAN_GET_AGENT');
    const wide = await forWorkspace('ada@example.com', 'all');

    const second = await serve(settings);
    const keyOf = async (key: string) => (await ask(`${second.url}/api/v1/me`, { 'x-access-key': key.trim() })).body.accessKey;
    expect(await keyOf(narrow.stdout)).toMatchObject({ workspaceId, name: 'Agent', permissions: ['CAN_LIST_AGENTS', 'CAN_GET_AGENT'] });
    expect(await keyOf(wide.stdout)).toMatchObject({
      permissions: expect.arrayContaining(['CAN_CREATE_SESSION_MEMORY', 'CAN_DELETE_PROMPT']),
    });
    await second.stop();

    const audits = rowsOf(
      settings.COMMONPLACE_DATA_DIR,
      `select action, actor_type, actor_name from audits where action like '%key.create' order by id`,
    );
    expect(audits).toStrictEqual([
      { action: 'api_key.create', actor_type: 'system', actor_name: 'Ada' },
      { action: 'access_key.create', actor_type: 'system', actor_name: 'Ada' },
      { action: 'access_key.create', actor_type: 'system', actor_name: 'Ada' },
    ]);
  });

  test.each([
    [['--email', 'nobody@example.com'], 'no account with the e-mail address nobody@example.com'],
    [['--email', 'ada@example.com', '--expires', 'tomorrow'], 'valid date-time'],
    [['--email', 'ada@example.com', '--expires', '2001-01-01T00:00:00Z'], 'in the future'],
  ])('%s is refused', async (args, expected) => {
    const settings = inFolder();
    await createUser(settings, 'ada@example.com');
    const { code, stdout, stderr } = await cli(['key', 'create', '--name', 'x', ...args], { settings });
    expect({ code, stdout }).toStrictEqual({ code: 1, stdout: '' });
    expect(oneLine(stderr)).toContain(expected);
  });
});

test('while the service has the folder, commands that would change it say who has it and what to do', async () => {
  const settings = inFolder();
  const { process: service, stop } = await serve(settings);
  const refused = [
    { ...(await createUser(settings, 'ada@example.com')), hint: 'POST /api/v1/auth/setup' },
    { ...(await cli(['key', 'create', '--email', 'a@b', '--name', 'x'], { settings })), hint: 'POST /api/v1/apiKeys' },
    { ...(await cli(['migrate'], { settings })), hint: 'up to date when it started' },
    { ...(await cli(['serve'], { settings: { ...settings, COMMONPLACE_PORT: '0' } })), hint: 'Stop it' },
  ];
  for (const { code, stdout, stderr, hint } of refused) {
    expect({ code, stdout }).toStrictEqual({ code: 1, stdout: '' });
    expect(oneLine(stderr)).toContain(`in use by process ${service.pid} `);
    expect(stderr).toContain(hint);
  }
  await stop();
  expect((await createUser(settings, 'ada@example.com')).code).toBe(0);
});

test('a backup made while the service runs opens in a new folder, and replaces a database only when forced', async () => {
  const settings = inFolder();
  await createUser(settings, 'ada@example.com');
  const apiKey = await createApiKey(settings, 'ada@example.com');
  const file = join(temporaryFolder(), 'backup.db');
  const service = await serve(settings);
  expect((await ask(`${service.url}/api/v1/workspaces`, { 'x-api-key': apiKey }, { name: 'Before' })).status).toBe(201);
  expect(await cli(['backup', file], { settings })).toMatchObject({ code: 0, stdout: `${file}\n` });
  expect(statSync(file).mode & 0o077).toBe(0);
  expect((await ask(`${service.url}/api/v1/workspaces`, { 'x-api-key': apiKey }, { name: 'After' })).status).toBe(201);
  const again = await cli(['backup', file], { settings });
  expect(again.code).toBe(1);
  expect(oneLine(again.stderr)).toContain('already exists');
  await service.stop();

  const restored = inFolder(join(temporaryFolder(), 'new'));
  expect((await cli(['restore', file], { settings: restored })).code).toBe(0);
  const second = await serve(restored);
  const workspaces = await ask(`${second.url}/api/v1/workspaces`, { 'x-api-key': apiKey });
  expect(workspaces.body).toMatchObject({ workspaces: [{ name: 'Before' }], _meta: { total: 1 } });
  expect((await cli(['restore', file, '--force'], { settings: restored })).stderr).toContain(`in use by process ${second.process.pid} `);
  await second.stop();

  const unforced = await cli(['restore', file], { settings });
  expect(unforced.code).toBe(1);
  expect(oneLine(unforced.stderr)).toContain('already holds a database');
  const forced = await cli(['restore', file, '--force'], { settings });
  expect(forced.code, forced.stderr).toBe(0);
  const kept = /kept at (.*)\.\n/.exec(forced.stdout)?.[1];
  expect(existsSync(String(kept))).toBe(true);
  expect(rowsOf(settings.COMMONPLACE_DATA_DIR, 'select name from workspaces')).toStrictEqual([{ name: 'Before' }]);
});

describe('doctor', () => {
  test('finds nothing wrong in a fresh place, and leaves it as it is', async () => {
    const folder = join(temporaryFolder(), 'not', 'yet');
    const { code, stdout } = await cli(['doctor'], { settings: inFolder(folder) });
    expect(code).toBe(0);
    expect(stdout).toContain(`✓ ${folder} does not exist yet`);
    expect(stdout).toContain('! There is no database yet');
    expect(stdout).toContain(`✓ Node.js ${process.versions.node}`);
    expect(stdout).not.toContain('✗');
    for (const { name } of knownSettings) expect(stdout).toContain(name);
    expect(existsSync(folder)).toBe(false);
  });

  test('checks a database that is in use, and leaves no file behind beside one that is not', async () => {
    const settings = inFolder();
    const service = await serve(settings);
    const beside = await cli(['doctor'], { settings });
    expect(beside.stdout).toContain(`✓ In use by process ${service.process.pid} on ${hostname()}`);
    expect(beside.stdout).toContain('✓ The file is sound');
    expect(beside.stdout).toContain('✓ The tables are those of this version.');
    expect(beside.code).toBe(0);
    expect((await fetch(`${service.url}/api/v1/_ready`)).status).toBe(200);
    await service.stop();
    const before = readdirSync(settings.COMMONPLACE_DATA_DIR);
    const alone = await cli(['doctor'], { settings });
    expect(alone.stdout).toContain('✓ The file is sound');
    expect(alone.stdout).not.toContain('In use');
    expect(readdirSync(settings.COMMONPLACE_DATA_DIR)).toStrictEqual(before);
  });

  test('says which process was killed', async () => {
    const settings = inFolder();
    const service = await serve(settings);
    await service.stop('SIGKILL');
    const { code, stdout } = await cli(['doctor'], { settings });
    expect(stdout).toMatch(new RegExp(`! process ${service.process.pid} on .* ended without a proper stop`));
    expect(code).toBe(0);
  });

  test('finds a database that is none, and one from a newer version', async () => {
    const broken = inFolder();
    writeFileSync(
      join(broken.COMMONPLACE_DATA_DIR, 'commonplace.db'),
      'this is not a database, and long enough to be read as one\n'.repeat(100),
    );
    const first = await cli(['doctor'], { settings: broken });
    expect(first.code).toBe(1);
    expect(first.stdout).toMatch(/✗ The database file is damaged: .*restore <file> --force/);

    const newer = inFolder();
    await cli(['migrate'], { settings: newer });
    const db = new DatabaseSync(join(newer.COMMONPLACE_DATA_DIR, 'commonplace.db'));
    db.exec(
      `insert into schema_migrations (version, name, checksum, applied_at) values (9999, 'from_the_future', 'x', '2099-01-01T00:00:00.000Z')`,
    );
    db.close();
    const second = await cli(['doctor'], { settings: newer });
    expect(second.code).toBe(1);
    expect(second.stdout).toMatch(/✗ The database is newer than this program/);
  });

  test('asks the language model, if one is named', async () => {
    const endpoint = await startLlmEndpoint({
      answer: () => ({
        memories: [{ message: 1, kind: 'preference', content: 'User prefers aisle seats', slot: null, replaces: [] }],
        withdrawn: [],
      }),
    });
    onTestFinished(() => endpoint.stop());
    const settings = {
      ...inFolder(),
      COMMONPLACE_LLM_URL: endpoint.url,
      COMMONPLACE_LLM_MODEL: 'small',
      COMMONPLACE_LLM_API_KEY: 'sesame-open',
    };
    expect((await cli(['doctor'], { settings })).stdout).toContain('✓ The language model llm:small answers.');
    endpoint.fault = status(401);
    const { code, stdout } = await cli(['doctor'], { settings });
    expect(code).toBe(0);
    expect(stdout).toMatch(/! The language model can't be used, and the built-in extractor stands in for it: .*COMMONPLACE_LLM_API_KEY/);
    expect(stdout).not.toContain('sesame-open');
  });

  test('finds damage inside the file', async () => {
    const settings = inFolder();
    await cli(['migrate'], { settings });
    const file = join(settings.COMMONPLACE_DATA_DIR, 'commonplace.db');
    const bytes = readFileSync(file);
    // The first pages hold the schema; an index further back is what only a check of every page finds.
    bytes.fill(0xff, bytes.length - 4096 * 3);
    writeFileSync(file, bytes);
    const { code, stdout } = await cli(['doctor'], { settings });
    expect(code).toBe(1);
    expect(stdout).toContain('✗ The database file is damaged');
  });

  test('shows all settings that are wrong at once, and no secret', async () => {
    const folder = join(temporaryFolder(), 'file');
    writeFileSync(folder, '');
    const { code, stdout, stderr } = await cli(['doctor'], {
      settings: {
        ...inFolder(folder),
        COMMONPLACE_PORT: 'eighty',
        COMMONPLACE_LOG_LEVEL: 'loud',
        COMMONPLACE_PROT: '80',
        COMMONPLACE_ADMIN_PASSWORD: 'sesame open sesame',
        COMMONPLACE_ADMIN_API_KEY: 'sesame-open-sesame-0123456789',
        OTEL_EXPORTER_OTLP_ENDPOINT: 'http://user:sesame@traces.example.com',
      },
    });
    expect(code).toBe(1);
    expect(stdout).toContain('✗ COMMONPLACE_PORT is "eighty"');
    expect(stdout).toContain('✗ COMMONPLACE_LOG_LEVEL is "loud"');
    expect(stdout).toContain('! COMMONPLACE_PROT is no setting');
    expect(stdout).toMatch(/✓ COMMONPLACE_ADMIN_PASSWORD +set\n/);
    expect(stdout).toMatch(/✓ COMMONPLACE_ADMIN_API_KEY +set\n/);
    expect(stdout).toContain(`✗ ${folder} is a file, not a folder`);
    expect(stdout + stderr).not.toContain('sesame');
  });
});

describe('the first screen', () => {
  const facts = {
    version: '1.2.3',
    url: 'http://127.0.0.1:1',
    everywhere: false,
    database: 'SQLite at /data',
    embedded: true,
    hasAccount: false,
    adminKey: 'none',
    program: 'npm run cli --',
    dashboard: false,
  } as const;
  const plain = (_format: string, text: string) => text;

  test('has lines that lead to a workspace when they are pasted', async () => {
    const { url } = await serve(inFolder());
    const screen = firstScreen({ ...facts, url }, plain);
    const lines = screen.match(/^ {2}(curl|API_KEY=)(.*\\\n)*.*$/gm) ?? [];
    expect(lines).toHaveLength(3);
    const folder = temporaryFolder();
    const printed = execFileSync('sh', ['-c', lines.join('\necho\n')], { cwd: folder, encoding: 'utf8', timeout: 240_000 }).split('\n');
    const [account, apiKey, , workspace] = printed;
    expect(JSON.parse(String(account))).toMatchObject({ user: { email: 'you@example.com', role: 'admin' } });
    expect(apiKey).toMatch(/^cpu_\w{38}$/);
    expect(JSON.parse(String(workspace))).toMatchObject({ name: 'My first workspace', role: 'owner' });
    expect(readdirSync(folder)).toStrictEqual([]);
  });

  test('leads to the dashboard where there is one, and to no page where there is none', () => {
    const screen = firstScreen({ ...facts, dashboard: true }, plain);
    expect(screen).toContain('Dashboard      http://127.0.0.1:1\n');
    expect(screen).toContain('Open http://127.0.0.1:1 to make one');
    expect(screen).toContain('npm run cli -- init --write --url http://127.0.0.1:1');
    expect(screen).not.toContain('curl');
    expect(firstScreen(facts, plain)).not.toContain('/docs');
  });

  test('proposes a password that is new each time', () => {
    const proposed = () => /"password":"([^"]{16})"/.exec(firstScreen(facts, plain))?.[1];
    expect(proposed()).toBeDefined();
    expect(proposed()).not.toBe(proposed());
  });

  test('uses the key of the environment by its name where it works', () => {
    const screen = firstScreen({ ...facts, hasAccount: true, adminKey: 'works' }, plain);
    expect(screen).toContain('curl -sS http://127.0.0.1:1/api/v1/workspaces -H "X-API-Key: $COMMONPLACE_ADMIN_API_KEY"');
    expect(screen).not.toContain('auth/setup');
    expect(firstScreen({ ...facts, hasAccount: true, adminKey: 'unknown' }, plain)).toContain('is no key of this database');
  });
});

test('a folder that can’t be made is no crash', async () => {
  const parent = temporaryFolder();
  mkdirSync(join(parent, 'data', 'commonplace.db'), { recursive: true });
  const { code, stderr } = await cli(['serve'], { settings: { ...inFolder(join(parent, 'data')), COMMONPLACE_PORT: '0' } });
  expect(code).toBe(1);
  expect(oneLine(stderr)).toContain('commonplace.db');
});
