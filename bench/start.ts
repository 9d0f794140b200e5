/** The suite `start`: what a start takes until the first answer, how much memory a service has that does nothing, and its first message and search. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { newSecret } from '../packages/server/src/auth/secrets.ts';
import { cpuSecondsOf } from './cpu.ts';
import { median } from './measure.ts';
import { openPostgresServer } from './postgres.ts';
import { Processes, repository, serverEntry } from './processes.ts';
import type { Effort } from './rounds.ts';
import { call, freePort, type Service, serviceEnvironment } from './service.ts';
import { heading, row } from './table.ts';

const LEAST_STARTS = 5;
const IDLE_MS = 5_000;
const AIM_CPU_SECONDS = 0.7;
const AIM_MB = 155;

/** The shell that `npm start` runs gives its place to Node. */
const ways = {
  'npm start': ['sh', '-c', startScript()],
  'from source': [process.execPath, serverEntry, 'serve'],
} as const;
type Way = keyof typeof ways;

interface Started {
  readonly cpuSeconds: number;
  readonly seconds: number;
  readonly idleMb: number;
  readonly firstMessageMs: number;
  readonly firstSearchMs: number;
}

export async function runStart({ rounds }: Effort): Promise<void> {
  execFileSync(process.execPath, [join(repository, 'scripts/build-server.ts'), '--if-stale'], { stdio: 'inherit' });
  await using folders = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), 'commonplace-bench-'));
  folders.defer(() => rm(folder, { recursive: true, force: true }));
  await using postgres = await openPostgresServer();

  const starts = Math.max(rounds, LEAST_STARTS);
  heading(`Start and idle memory: median of ${starts} starts in turn, and the least and most`, [
    '',
    'CPU to first answer',
    'first answer',
    'idle memory',
    'first message',
    'first search',
  ]);
  let count = 0;
  await measure(starts, 'SQLite, empty folder', async () => ({ COMMONPLACE_DATA_DIR: join(folder, String(count++)) }));
  await measure(starts, 'SQLite, the same folder again', async (way) => ({ COMMONPLACE_DATA_DIR: join(folder, way) }));
  if (postgres) {
    await measure(starts, 'PostgreSQL, empty database', async () => ({ COMMONPLACE_DATABASE_URL: await postgres.newDatabase() }));
    const urls = { 'npm start': await postgres.newDatabase(), 'from source': await postgres.newDatabase() };
    await measure(starts, 'PostgreSQL, the same database again', async (way) => ({ COMMONPLACE_DATABASE_URL: urls[way] }));
  }
  console.log(`\nAims for \`npm start\`: ${AIM_CPU_SECONDS} s of processor time, ${AIM_MB} MB.`);
}

async function measure(starts: number, name: string, environment: (way: Way) => Promise<Record<string, string>>): Promise<void> {
  const measured: Record<Way, Started[]> = { 'npm start': [], 'from source': [] };
  // One key for all: the account is made by the first start on a database.
  const apiKey = newSecret('apiKey');
  // The first start of a folder that is used again makes it, and is not counted.
  for (let turn = -1; turn < starts; turn++) {
    for (const way of Object.keys(ways) as Way[]) {
      const started = await startOnce(way, apiKey, await environment(way));
      if (turn >= 0) measured[way].push(started);
    }
  }
  for (const [way, all] of Object.entries(measured)) {
    const told = (value: (start: Started) => number, digits: number, unit: string) => spread(all.map(value), digits, unit);
    row([
      `${name}, ${way}`,
      told(({ cpuSeconds }) => cpuSeconds, 2, 's'),
      told(({ seconds }) => seconds, 2, 's'),
      told(({ idleMb }) => idleMb, 0, 'MB'),
      told(({ firstMessageMs }) => firstMessageMs, 0, 'ms'),
      told(({ firstSearchMs }) => firstSearchMs, 0, 'ms'),
    ]);
  }
}

function spread(values: readonly number[], digits: number, unit: string): string {
  if (values.some((value) => Number.isNaN(value))) return '–';
  const text = (value: number) => value.toFixed(digits);
  return `${text(median(values))} ${unit} (${text(Math.min(...values))}–${text(Math.max(...values))})`;
}

/** Without npm's own half second. */
async function startOnce(way: Way, apiKey: string, environment: Record<string, string>): Promise<Started> {
  await using processes = new Processes();
  const port = await freePort();
  const [program, ...args] = ways[way];
  const startMs = performance.now();
  const child = processes.start(program, args, {
    cwd: repository,
    env: startEnvironment({ ...environment, COMMONPLACE_ADMIN_API_KEY: apiKey, COMMONPLACE_PORT: String(port) }),
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const service = { url: `http://127.0.0.1:${port}`, apiKey, pid: child.pid as number };
  await firstAnswer(`${service.url}/api/v1/_ready`, startMs + 60_000);
  const seconds = (performance.now() - startMs) / 1000;
  const cpuSeconds = cpuSecondsOf(service.pid) ?? Number.NaN;
  await sleep(IDLE_MS);
  const kib = Number(execFileSync('ps', ['-o', 'rss=', '-p', String(service.pid)], { encoding: 'utf8' }));
  return { seconds, cpuSeconds, idleMb: (kib * 1024) / 1e6, ...(await useFirst(service)) };
}

/** Of npm, what it puts into the environment of a script; none of the settings that are measured. */
function startEnvironment(environment: Record<string, string>): Record<string, string | undefined> {
  const bin = join(repository, 'node_modules/.bin');
  const { MALLOC_ARENA_MAX: _, NODE_COMPILE_CACHE: __, ...inherited } = serviceEnvironment(environment);
  return { ...inherited, PATH: `${bin}:${process.env.PATH}` };
}

function startScript(): string {
  return (JSON.parse(readFileSync(join(repository, 'package.json'), 'utf8')) as { scripts: { start: string } }).scripts.start;
}

async function firstAnswer(url: string, deadlineMs: number): Promise<void> {
  for (;;) {
    try {
      if ((await fetch(url)).ok) return;
    } catch (error) {
      if (performance.now() > deadlineMs) throw error;
    }
    await sleep(5);
  }
}

async function useFirst(service: Service): Promise<Pick<Started, 'firstMessageMs' | 'firstSearchMs'>> {
  const { id: workspaceId } = await call<{ id: string }>(service, 'POST', '/api/v1/workspaces', { name: 'Start' });
  const workspace = `/api/v1/workspaces/${workspaceId}`;
  const { id: agentId } = await call<{ id: string }>(service, 'POST', `${workspace}/agents`, { name: 'Starter' });
  const { id: sessionId } = await call<{ id: string }>(service, 'POST', `${workspace}/agents/${agentId}/sessions`, { id: 'first' });
  const messages = `${workspace}/agents/${agentId}/sessions/${sessionId}/messages`;
  const firstMessageMs = await timeOf(() => call(service, 'POST', messages, { role: 'user', content: 'I live in Graz.' }));
  const firstSearchMs = await timeOf(() => call(service, 'POST', `${messages}/search`, { query: 'home' }));
  return { firstMessageMs, firstSearchMs };
}

async function timeOf(work: () => Promise<unknown>): Promise<number> {
  const startMs = performance.now();
  await work();
  return performance.now() - startMs;
}
