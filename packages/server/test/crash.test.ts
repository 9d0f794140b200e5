/** The service killed again and again while clients write: what it acknowledged is there, and nothing is there by halves. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { DATABASE_FILE } from '../src/db/sqlite/connection.ts';

const ROUNDS = 20;
const WRITERS = 8;
/** A round ends at some number of acknowledged writes up to this one. */
const MOST_WRITES = 200;
/** In the log: a slow machine may well warn. */
const ERROR = 50;
const KEY = 'the-key-of-the-crash-test';
const MAIN = fileURLToPath(new URL('../src/main.ts', import.meta.url));

interface Service {
  readonly url: string;
  kill(signal: NodeJS.Signals): Promise<number | null>;
}

function spawnService(dataDir: string): ChildProcess & { stdout: NodeJS.ReadableStream; stderr: NodeJS.ReadableStream } {
  const { PATH, NODE_COMPILE_CACHE } = process.env;
  const env = { PATH, NODE_COMPILE_CACHE, COMMONPLACE_DATA_DIR: dataDir, COMMONPLACE_PORT: '0', COMMONPLACE_ADMIN_API_KEY: KEY };
  const child = spawn(process.execPath, [MAIN, 'serve'], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  return child as ReturnType<typeof spawnService>;
}

/** Resolves when the service listens; fails when it ends before, or complains. */
async function startService(dataDir: string): Promise<Service> {
  const child = spawnService(dataDir);
  const exited = once(child, 'exit') as Promise<[number | null]>;
  const said: string[] = [];
  child.stderr.on('data', (text) => said.push(String(text)));
  const lines = createInterface({ input: child.stdout });
  const listening = Promise.withResolvers<string>();
  lines.on('line', (line) => {
    const { level, msg } = JSON.parse(line) as { level: number; msg: string };
    if (level >= ERROR) said.push(line);
    const address = /^listening at (\S+)/.exec(msg)?.[1];
    if (address) listening.resolve(address);
  });
  void exited.then(([code]) => listening.reject(new Error(`the service ended with ${code} before it listened:\n${said.join('\n')}`)));
  const url = await listening.promise;
  expect(said, 'a clean start').toEqual([]);
  return {
    url: `${url}/api/v1`,
    kill: async (signal) => {
      child.kill(signal);
      const [code] = await exited;
      return code;
    },
  };
}

/** Starts a service and kills it before it is ready, or shortly after. */
async function killAtStart(dataDir: string, afterMs: number): Promise<void> {
  const child = spawnService(dataDir);
  child.stdout.resume();
  await sleep(afterMs);
  child.kill('SIGKILL');
  await once(child, 'exit');
}

async function post(url: string, name: string): Promise<{ status: number; id: string }> {
  const answer = await fetch(`${url}/workspaces`, {
    method: 'POST',
    headers: { 'x-api-key': KEY, 'content-type': 'application/json' },
    body: JSON.stringify({ name }),
  });
  const { id } = (await answer.json()) as { id: string };
  return { status: answer.status, id };
}

/** Writes until the service is gone; what was acknowledged, by id. */
async function write(url: string, name: string, acknowledged: Map<string, string>, onWrite: () => void): Promise<void> {
  for (let count = 0; ; count++) {
    let made: Awaited<ReturnType<typeof post>>;
    try {
      made = await post(url, `${name}-${count}`);
    } catch {
      return;
    }
    expect(made.status).toBe(201);
    acknowledged.set(made.id, `${name}-${count}`);
    onWrite();
  }
}

async function requireAll(url: string, acknowledged: ReadonlyMap<string, string>): Promise<void> {
  const waiting = acknowledged.entries();
  const check = async () => {
    for (const [id, name] of waiting) {
      const answer = await fetch(`${url}/workspaces/${id}`, { headers: { 'x-api-key': KEY } });
      expect(await answer.json(), `${name} was acknowledged`).toMatchObject({ id, name, role: 'owner', membersCount: 1 });
    }
  };
  await Promise.all(Array.from({ length: WRITERS }, check));
}

test('what was acknowledged survives kill -9 at any moment, and nothing is half-written', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'commonplace-crash-'));
  onTestFinished(() => rm(dataDir, { recursive: true, force: true, maxRetries: 3 }));
  // While the folder is made and the migrations run.
  for (const share of [0.3, 0.5, 0.7]) await killAtStart(dataDir, 600 * share);

  const all = new Map<string, string>();
  let last = new Map<string, string>();
  for (let round = 0; round < ROUNDS; round++) {
    if (round % 6 === 5) await killAtStart(dataDir, Math.random() * 800);
    const service = await startService(dataDir);
    await requireAll(service.url, last);
    last = new Map();
    const most = Math.ceil(Math.random() * MOST_WRITES);
    const enough = Promise.withResolvers<void>();
    const onWrite = () => last.size >= most && enough.resolve();
    const writers = Array.from({ length: WRITERS }, (_, writer) => write(service.url, `round-${round}-${writer}`, last, onWrite));
    await enough.promise;
    expect(await service.kill('SIGKILL')).toBeNull();
    await Promise.all(writers);
    for (const [id, name] of last) all.set(id, name);
  }

  const service = await startService(dataDir);
  await requireAll(service.url, last);
  expect(await service.kill('SIGTERM')).toBe(0);
  expect(existsSync(join(dataDir, `${DATABASE_FILE}-wal`))).toBe(false);
  using db = new DatabaseSync(join(dataDir, DATABASE_FILE), { readOnly: true });
  const ask = (text: string) => db.prepare(text).all();
  expect(ask('pragma integrity_check')).toEqual([{ integrity_check: 'ok' }]);
  expect(ask('pragma foreign_key_check')).toEqual([]);
  const stored = new Map(ask('select id, name from workspaces').map(({ id, name }) => [id as string, name as string]));
  const lost = [...all].filter(([id, name]) => stored.get(id) !== name);
  expect(lost, `of ${all.size} acknowledged in ${ROUNDS} rounds`).toEqual([]);
  // At each kill, a writer may have had one request done and not yet answered.
  expect(stored.size).toBeLessThanOrEqual(all.size + ROUNDS * WRITERS);
  const halves = ask(`
    select w.id from workspaces w
    where (select count(*) from memberships m where m.workspace_id = w.id) <> 1
      or (select count(*) from audits a where a.workspace_id = w.id and a.action = 'workspace.create' and a.resource_id = w.id) <> 1
    union all select workspace_id from memberships where workspace_id not in (select id from workspaces)
    union all select workspace_id from audits where action = 'workspace.create' and workspace_id not in (select id from workspaces)`);
  expect(halves).toEqual([]);
  expect(ask('select email from users')).toEqual([{ email: 'admin@localhost' }]);
  expect(ask('select name from api_keys')).toEqual([{ name: 'From the environment' }]);
});
