/** Finds or starts the Citus that the tests run on: a coordinator and two workers on loopback. */
import { execFile, execFileSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import pg from 'pg';
import { type Binaries, type StartedCluster, startCluster } from '../cluster.ts';
import { citusRoot } from './citus-root.ts';

const run = promisify(execFile);
const IMAGE = 'citusdata/citus:13.0.2';
const WORKERS = 2;

/** Few shards, so that a database is made quickly; the rest as a server needs it. */
const SETTINGS = {
  shared_preload_libraries: 'citus',
  'citus.shard_count': 4,
  'citus.node_conninfo': 'sslmode=disable',
  'citus.recover_2pc_interval': '1s',
  'citus.max_cached_conns_per_worker': 4,
  'citus.show_shards_for_app_name_prefixes': "''",
  // What a commit acknowledged outlives the process: some tests end it hard.
  synchronous_commit: 'on',
  // The code of an error first: by it the statements are found that Citus refuses. And those that it sends to all workers.
  'citus.multi_task_query_log_level': 'log',
  log_line_prefix: '%e:',
  max_connections: 300,
  max_worker_processes: 64,
  max_prepared_transactions: 300,
};

export interface CitusCluster {
  readonly coordinatorUrl: string;
  readonly workerUrls: readonly string[];
  /** Of servers that this run started; undefined where they are somebody else's. */
  readonly coordinator?: StartedCluster;
  readonly workers?: readonly StartedCluster[];
  stop(): void;
}

export interface CitusSource {
  readonly name: string;
  start(): Promise<CitusCluster>;
}

export const NO_CITUS =
  'no Citus: set TEST_CITUS_URL to a coordinator, install Citus beside PostgreSQL, start Docker, or set CITUS_SOURCE to its source tree and run as root on Debian';

/** The ways to a Citus that this machine seems to have, best first. */
export function citusSources(): CitusSource[] {
  const given = process.env.TEST_CITUS_URL;
  if (given) return [{ name: 'TEST_CITUS_URL', start: () => useGiven(given) }];
  const sources: CitusSource[] = [];
  const source = process.env.CITUS_SOURCE;
  if (source) sources.push({ name: `the source tree ${source}`, start: async () => startServers(await citusRoot(source)) });
  const installed = installedBinaries();
  if (installed) sources.push({ name: `the Citus installed in ${installed.bin}`, start: () => startServers(installed) });
  if (dockerAnswers()) sources.push({ name: `Docker, ${IMAGE}`, start: startContainers });
  return sources;
}

/** Starts the first source that works, and says in one line which. */
export async function startCitus(): Promise<CitusCluster> {
  const failures: unknown[] = [];
  for (const { name, start } of citusSources()) {
    try {
      const startMs = performance.now();
      const cluster = await start();
      const version = await versionOf(cluster.coordinatorUrl);
      const seconds = ((performance.now() - startMs) / 1000).toFixed(1);
      console.log(`Tests: Citus ${version} from ${name}, a coordinator and ${cluster.workerUrls.length} workers, ready in ${seconds} s`);
      return cluster;
    } catch (error) {
      console.warn(`Tests: ${name} did not work: ${error instanceof Error ? error.message : error}`);
      failures.push(error);
    }
  }
  throw new AggregateError(failures, `Tests: ${NO_CITUS}`);
}

async function startServers(binaries: Binaries): Promise<CitusCluster> {
  const servers: StartedCluster[] = [];
  const stop = () => {
    for (const server of servers) server.stop();
  };
  try {
    for (let count = 0; count <= WORKERS; count++) servers.push(await startCluster(binaries, { settings: SETTINGS }));
  } catch (error) {
    stop();
    throw error;
  }
  const [coordinator, ...workers] = servers as [StartedCluster, ...StartedCluster[]];
  return { coordinatorUrl: coordinator.url, workerUrls: workers.map(({ url }) => url), coordinator, workers, stop };
}

/** The workers of the database that the URL names, which are reached with the same user and password. */
async function useGiven(url: string): Promise<CitusCluster> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query(
      `select nodename, nodeport from pg_dist_node where groupid <> 0 and noderole = 'primary' and isactive order by groupid`,
    );
    if (rows.length === 0) throw new Error('TEST_CITUS_URL names a database without workers: add them with citus_add_node');
    const workerUrls = rows.map(({ nodename, nodeport }) => {
      const worker = new URL(url);
      worker.hostname = nodename;
      worker.port = String(nodeport);
      return worker.href;
    });
    return { coordinatorUrl: url, workerUrls, stop: () => undefined };
  } finally {
    await client.end();
  }
}

/** In the network of the host: the servers reach one another by the addresses that the tests use. */
async function startContainers(): Promise<CitusCluster> {
  const containers: string[] = [];
  const stop = () => void (containers.length > 0 && execFileSync('docker', ['rm', '--force', ...containers], { stdio: 'ignore' }));
  try {
    const urls: string[] = [];
    for (let count = 0; count <= WORKERS; count++) {
      const port = await freePort();
      const settings = { ...SETTINGS, port, listen_addresses: '127.0.0.1', fsync: 'off', autovacuum: 'off' };
      const { stdout } = await run('docker', [
        ...['run', '--detach', '--rm', '--label', 'commonplace-test', '--network', 'host', '--shm-size', '256m'],
        ...['--env', 'POSTGRES_HOST_AUTH_METHOD=trust', '--tmpfs', '/var/lib/postgresql/data', IMAGE],
        ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${String(value).replaceAll("'", '')}`]),
      ]);
      containers.push(stdout.trim());
      // The image lacks it.
      await run('docker', ['exec', stdout.trim(), 'sh', '-c', 'apt-get update -q && apt-get install -q -y postgresql-17-pgvector']);
      urls.push(`postgres://postgres@127.0.0.1:${port}/postgres`);
    }
    for (const url of urls) await versionOf(url);
    return { coordinatorUrl: urls[0] as string, workerUrls: urls.slice(1), stop };
  } catch (error) {
    stop();
    throw error;
  }
}

async function freePort(): Promise<number> {
  const { createServer } = await import('node:net');
  const server = createServer();
  const { promise, resolve } = Promise.withResolvers<void>();
  server.listen(0, '127.0.0.1', resolve);
  await promise;
  const { port } = server.address() as { port: number };
  server.close();
  return port;
}

/** Waits for the first answer: a container accepts connections before its server does. */
async function versionOf(url: string): Promise<string> {
  for (let tries = 1; ; tries++) {
    const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5_000 });
    client.on('error', () => undefined);
    try {
      await client.connect();
      const { rows } = await client.query(`select default_version as version from pg_available_extensions where name = 'citus'`);
      if (!rows[0]) throw new Error(`The server at ${new URL(url).host} has no Citus`);
      return rows[0].version;
    } catch (error) {
      if (tries >= 600) throw error;
      await sleep(100);
    } finally {
      client.end().catch(() => undefined);
    }
  }
}

/** The newest PostgreSQL in Debian's folders that has Citus and pgvector beside it. */
function installedBinaries(): Binaries | undefined {
  const parent = '/usr/lib/postgresql';
  if (!existsSync(parent)) return undefined;
  const hasBoth = (version: string) =>
    ['citus', 'vector'].every((name) => existsSync(`/usr/share/postgresql/${version}/extension/${name}.control`));
  const found = readdirSync(parent).filter((version) => /^\d+$/.test(version) && hasBoth(version));
  const newest = found.sort((a, b) => Number(b) - Number(a))[0];
  return newest === undefined ? undefined : { bin: `${parent}/${newest}/bin` };
}

function dockerAnswers(): boolean {
  try {
    execFileSync('docker', ['info'], { stdio: 'ignore', timeout: 5_000 });
    return true;
  } catch {
    return false;
  }
}
