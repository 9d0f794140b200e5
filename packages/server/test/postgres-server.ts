/** Finds or starts the PostgreSQL with pgvector that the tests run on. */
import { execFile, execFileSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import pg from 'pg';
import { type Binaries, type Cluster, startCluster } from './cluster.ts';
import { canUseDebianRoot, debianRoot } from './debian-root.ts';

const run = promisify(execFile);
const IMAGE = 'pgvector/pgvector:pg17';
const OLDEST = 15;

interface Source {
  readonly name: string;
  start(): Promise<Cluster>;
}

/** The ways to a server that this machine seems to have, best first. Cheap: nothing is started. */
export function postgresSources(): Source[] {
  const given = process.env.TEST_DATABASE_URL;
  if (given) return [{ name: 'TEST_DATABASE_URL', start: async () => ({ url: given, stop: () => undefined }) }];
  const sources: Source[] = [];
  const local = installedBinaries();
  if (local) sources.push({ name: `the PostgreSQL installed in ${local.bin}`, start: () => startCluster(local) });
  if (dockerAnswers()) sources.push({ name: `Docker, ${IMAGE}`, start: startContainer });
  if (canUseDebianRoot()) sources.push({ name: 'a Debian root in the cache folder', start: async () => startCluster(await debianRoot()) });
  return sources;
}

/** For tests that stop, kill and promote servers of their own. Undefined where this machine can't start one by itself. */
export async function postgresBinaries(): Promise<Binaries | undefined> {
  return installedBinaries() ?? (canUseDebianRoot() ? await debianRoot() : undefined);
}

export const NO_POSTGRES =
  'no PostgreSQL with pgvector: set TEST_DATABASE_URL, start Docker, install PostgreSQL 15 or later with pgvector, or run as root on Debian';

/** Starts the first source that works, and says in one line which. */
export async function startPostgres(): Promise<Cluster> {
  const failures: unknown[] = [];
  for (const source of postgresSources()) {
    try {
      const startMs = performance.now();
      const cluster = await source.start();
      const version = await answers(cluster.url);
      console.log(`Tests: PostgreSQL ${version} from ${source.name}, ready in ${((performance.now() - startMs) / 1000).toFixed(1)} s`);
      return stoppedAtExit(cluster);
    } catch (error) {
      console.warn(`Tests: ${source.name} did not work: ${error instanceof Error ? error.message : error}`);
      failures.push(error);
    }
  }
  throw new AggregateError(failures, `Tests: ${NO_POSTGRES}`);
}

function stoppedAtExit(cluster: Cluster): Cluster {
  let stopped = false;
  const stop = () => {
    if (!stopped) cluster.stop();
    stopped = true;
  };
  process.once('exit', stop);
  for (const [signal, number] of [
    ['SIGINT', 2],
    ['SIGTERM', 15],
    ['SIGHUP', 1],
  ] as const) {
    process.once(signal, () => {
      stop();
      process.exit(128 + number);
    });
  }
  return { url: cluster.url, stop };
}

/** Waits for the first answer: a container accepts connections before its server does. */
async function answers(url: string): Promise<string> {
  const deadlineMs = performance.now() + 120_000;
  for (;;) {
    const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5_000 });
    client.on('error', () => undefined);
    try {
      await client.connect();
      const { rows } = await client.query("select current_setting('server_version') as version");
      return String(rows[0].version).split(' ')[0] as string;
    } catch (error) {
      if (performance.now() > deadlineMs) throw error;
      await sleep(100);
    } finally {
      client.end().catch(() => undefined);
    }
  }
}

/** The newest installed PostgreSQL that has pgvector, in the folders where packages put it. */
function installedBinaries(): Binaries | undefined {
  const places = ['/usr/lib/postgresql', '/usr/local/pgsql', '/opt/homebrew/opt', '/usr/local/opt'].filter(existsSync);
  const found = places.flatMap((place) =>
    readdirSync(place).flatMap((name) => {
      const version = Number(/^(?:postgresql@)?(\d+)$/.exec(name)?.[1] ?? 0);
      return version >= OLDEST && existsSync(`${place}/${name}/bin/initdb`) ? [{ version, bin: `${place}/${name}/bin` }] : [];
    }),
  );
  found.sort((a, b) => b.version - a.version);
  return found.find(({ bin }) => hasPgvector(bin));
}

function hasPgvector(bin: string): boolean {
  if (/^\/usr\/lib\/postgresql\/(\d+)\//.test(bin))
    return existsSync(`${bin.replace('/lib/', '/share/').replace(/\/bin$/, '')}/extension/vector.control`);
  try {
    const share = execFileSync(`${bin}/pg_config`, ['--sharedir'], { encoding: 'utf8' }).trim();
    return existsSync(`${share}/extension/vector.control`);
  } catch {
    return false;
  }
}

function dockerAnswers(): boolean {
  try {
    execFileSync('docker', ['info'], { stdio: 'ignore', timeout: 5_000 });
    return true;
  } catch {
    return false;
  }
}

async function startContainer(): Promise<Cluster> {
  const settings = ['fsync=off', 'synchronous_commit=off', 'full_page_writes=off', 'max_connections=200', 'autovacuum=off'];
  const { stdout } = await run('docker', [
    ...['run', '--detach', '--rm', '--label', 'commonplace-test', '--publish', '127.0.0.1::5432', '--shm-size', '256m'],
    ...['--env', 'POSTGRES_HOST_AUTH_METHOD=trust', '--tmpfs', '/var/lib/postgresql/data', IMAGE],
    ...settings.flatMap((setting) => ['-c', setting]),
  ]);
  const container = stdout.trim();
  const stop = () => void execFileSync('docker', ['rm', '--force', container], { stdio: 'ignore' });
  try {
    const { stdout: published } = await run('docker', ['port', container, '5432/tcp']);
    const port = published.trim().split('\n')[0]?.split(':').at(-1);
    const url = `postgres://postgres@127.0.0.1:${port}/postgres`;
    await answers(url);
    return { url, stop };
  } catch (error) {
    stop();
    throw error;
  }
}
