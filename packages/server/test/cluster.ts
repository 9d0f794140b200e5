/** A throw-away PostgreSQL cluster from a set of binaries, on the machine itself or inside a root folder entered by chroot. */
import { execFile, execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

export interface Binaries {
  /** The folder of `initdb` and `pg_ctl`, as seen from inside the root. */
  readonly bin: string;
  /** A root folder to enter by chroot; without it, the machine's own. */
  readonly root?: string;
}

export interface Cluster {
  readonly url: string;
  /** Stops the server and removes its data. Synchronous, so that it works while the process exits. */
  stop(): void;
}

export interface StartedCluster extends Cluster {
  readonly port: number;
  /** By SIGKILL, as if its machine had lost power; the data stay. */
  kill(): void;
  /** At once, so that it can be started again: on the same port, with the same data. */
  crash(): void;
  startAgain(): Promise<void>;
  /** What the server has logged so far. */
  readLog(): string;
}

export interface ClusterOptions {
  /** Of the server, beside those that tests have. */
  readonly settings?: Readonly<Record<string, string | number>>;
  /** The command that makes the folder of data, where it is not `initdb`. */
  readonly makeData?: (data: string) => string;
}

const PREFIX = `commonplace-test-${hostname()}-`;
const asRoot = process.getuid?.() === 0;

/** A shell command as the user who may run PostgreSQL: it refuses to run as root. */
function asPostgres({ root }: Binaries, command: string): [string, string[]] {
  if (root) return ['chroot', [root, 'su', 'postgres', '-s', '/bin/sh', '-c', command]];
  return asRoot ? ['su', ['postgres', '-s', '/bin/sh', '-c', command]] : ['sh', ['-c', command]];
}

const outside = ({ root }: Binaries, path: string) => (root ? join(root, path) : path);

/** Where the data go, as seen from inside the root. */
const dataParent = ({ root }: Binaries) => (root ? '/tmp' : tmpdir());

export async function startCluster(binaries: Binaries, options: ClusterOptions = {}): Promise<StartedCluster> {
  sweep(binaries);
  const folder = join(dataParent(binaries), `${PREFIX}${process.pid}-${randomBytes(4).toString('hex')}`);
  const data = join(folder, 'data');
  const stop = () => remove(binaries, folder);
  try {
    const [program, ...args] = binaries.root ? ['chroot', binaries.root, 'install'] : ['install'];
    await run(program as string, [...args, '-d', '-m', '700', ...(binaries.root || asRoot ? ['-o', 'postgres'] : []), folder]);
    const sh = (command: string) => run(...asPostgres(binaries, `cd / && export LC_ALL=C.UTF-8 && ${command}`));
    await sh(`${binaries.bin}/${options.makeData?.(data) ?? initdb(data)}`);
    const port = await freePort();
    const settings = {
      port,
      listen_addresses: '127.0.0.1',
      unix_socket_directories: '',
      max_connections: 200,
      shared_buffers: '128MB',
      fsync: 'off',
      synchronous_commit: 'off',
      full_page_writes: 'off',
      max_wal_size: '2GB',
      autovacuum: 'off',
      ...options.settings,
    };
    const given = Object.entries(settings).map(([name, value]) => `-c ${name}=${value === '' ? "''" : value}`);
    const startAgain = async () => {
      await sh(
        `${binaries.bin}/pg_ctl start --wait --timeout=30 --pgdata=${data} --log=${folder}/log --options="${given.join(' ')}" </dev/null`,
      );
    };
    await startAgain();
    const kill = () => {
      const pid = serverPid(binaries, folder);
      if (pid !== undefined) process.kill(pid, 'SIGKILL');
    };
    const crash = () => quit(binaries, folder);
    const readLog = () => readFileSync(outside(binaries, join(folder, 'log')), 'utf8');
    return { url: `postgres://postgres@127.0.0.1:${port}/postgres`, port, stop, kill, crash, startAgain, readLog };
  } catch (error) {
    stop();
    throw error;
  }
}

function initdb(data: string): string {
  return `initdb --pgdata=${data} --username=postgres --auth=trust --encoding=UTF8 --locale=C.UTF-8 --no-sync`;
}

function remove(binaries: Binaries, folder: string): void {
  const place = outside(binaries, folder);
  if (!existsSync(place)) return;
  quit(binaries, folder);
  rmSync(place, { recursive: true, force: true, maxRetries: 3 });
}

/** Without a word to anybody: what is not in its log is lost. */
function quit(binaries: Binaries, folder: string): void {
  const pid = serverPid(binaries, folder);
  if (pid === undefined) return;
  process.kill(pid, 'SIGQUIT');
  for (let tries = 0; tries < 100 && serverPid(binaries, folder) !== undefined; tries++) pause(20);
}

function pause(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

/** The id of the running server of a cluster; nothing when a stale file names a process that is something else. */
function serverPid(binaries: Binaries, folder: string): number | undefined {
  try {
    const pid = Number.parseInt(readFileSync(outside(binaries, join(folder, 'data/postmaster.pid')), 'utf8'), 10);
    const command = existsSync('/proc/self/cmdline')
      ? readFileSync(`/proc/${pid}/cmdline`, 'utf8')
      : execFileSync('ps', ['-o', 'args=', '-p', String(pid)], { encoding: 'utf8' });
    return command.includes(join(folder, 'data')) ? pid : undefined;
  } catch {
    return undefined;
  }
}

/** Removes the clusters of runs that were killed. */
function sweep(binaries: Binaries): void {
  for (const name of readdirSync(outside(binaries, dataParent(binaries)))) {
    if (!name.startsWith(PREFIX)) continue;
    const owner = Number.parseInt(name.slice(PREFIX.length), 10);
    if (!isAlive(owner)) remove(binaries, join(dataParent(binaries), name));
  }
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

export function freePort(): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  const server = createServer();
  server.once('error', reject);
  server.listen(0, '127.0.0.1', () => {
    const { port } = server.address() as { port: number };
    server.close(() => resolve(port));
  });
  return promise;
}
