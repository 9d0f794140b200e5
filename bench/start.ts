/** The suite `start`: how long until the first answer, and how much memory a service takes that has nothing to do. */
import { execFileSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { cpuSecondsOf } from './cpu.ts';
import { median } from './measure.ts';
import { openPostgresServer } from './postgres.ts';
import { Processes, repository, serverEntry } from './processes.ts';
import { freePort, serviceEnvironment } from './service.ts';
import { heading, row } from './table.ts';

const STARTS = 5;
const IDLE_MS = 5_000;
const AIM_SECONDS = 2;
const AIM_MB = 200;

interface Started {
  readonly seconds: number;
  readonly cpuSeconds: number;
  readonly idleMb: number;
}

export async function runStart(): Promise<void> {
  await using folders = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), 'commonplace-bench-'));
  folders.defer(() => rm(folder, { recursive: true, force: true }));
  await using postgres = await openPostgresServer();

  heading(`Start and idle memory: median of ${STARTS} starts`, ['', 'first answer', 'aim', 'CPU until then', 'idle memory', 'aim']);
  let count = 0;
  await measure('SQLite, empty folder', async () => ({ COMMONPLACE_DATA_DIR: join(folder, String(count++)) }));
  await measure('SQLite, the same folder again', async () => ({ COMMONPLACE_DATA_DIR: join(folder, '0') }));
  if (!postgres) return;
  await measure('PostgreSQL, empty database', async () => ({ COMMONPLACE_DATABASE_URL: await postgres.newDatabase() }));
  const url = await postgres.newDatabase();
  await measure('PostgreSQL, the same database again', async () => ({ COMMONPLACE_DATABASE_URL: url }));
}

async function measure(name: string, environment: () => Promise<Record<string, string>>): Promise<void> {
  const starts: Started[] = [];
  while (starts.length < STARTS) starts.push(await startOnce(await environment()));
  const seconds = median(starts.map((start) => start.seconds));
  const cpuSeconds = median(starts.map((start) => start.cpuSeconds));
  const idleMb = median(starts.map((start) => start.idleMb));
  row([
    name,
    `${seconds.toFixed(2)} s`,
    `${AIM_SECONDS} s${seconds < AIM_SECONDS ? '' : ', missed'}`,
    Number.isNaN(cpuSeconds) ? '–' : `${cpuSeconds.toFixed(2)} s`,
    `${Math.round(idleMb)} MB`,
    `${AIM_MB} MB${idleMb < AIM_MB ? '' : ', missed'}`,
  ]);
}

/** As `npm start` does it, without npm's own half second. */
async function startOnce(environment: Record<string, string>): Promise<Started> {
  await using processes = new Processes();
  const port = await freePort();
  const startMs = performance.now();
  const child = processes.start(process.execPath, [serverEntry, 'serve'], {
    cwd: repository,
    env: serviceEnvironment({ ...environment, COMMONPLACE_PORT: String(port) }),
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  await firstAnswer(`http://127.0.0.1:${port}/api/v1/_ready`, startMs + 30_000);
  const seconds = (performance.now() - startMs) / 1000;
  const cpuSeconds = cpuSecondsOf(child.pid as number) ?? Number.NaN;
  await sleep(IDLE_MS);
  const kib = Number(execFileSync('ps', ['-o', 'rss=', '-p', String(child.pid)], { encoding: 'utf8' }));
  return { seconds, cpuSeconds, idleMb: (kib * 1024) / 1e6 };
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
