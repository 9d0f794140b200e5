/** A Debian with PostgreSQL 17 and pgvector in a cache folder: for machines that have neither those nor Docker. */
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Binaries, isAlive } from './cluster.ts';

const BIN = '/usr/lib/postgresql/17/bin';
const SUITE = 'trixie';
const PACKAGES = 'postgresql-17,postgresql-17-pgvector';

const cacheFolder = () => join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'commonplace');

export function canUseDebianRoot(): boolean {
  return process.platform === 'linux' && process.getuid?.() === 0 && existsSync('/etc/debian_version');
}

const isWhole = (root: string) =>
  existsSync(join(root, BIN, 'postgres')) && existsSync(join(root, 'usr/share/postgresql/17/extension/vector.control'));

/** The root folder, built first where it is missing: that takes a minute or two and 700 MB. */
export async function debianRoot(): Promise<Binaries> {
  const root = join(cacheFolder(), 'postgres-17');
  if (!isWhole(root)) await build(root);
  return { bin: BIN, root };
}

async function build(root: string): Promise<void> {
  mkdirSync(cacheFolder(), { recursive: true });
  const unlock = await lock(`${root}.lock`);
  const unfinished = `${root}.unfinished`;
  try {
    if (isWhole(root)) return; // another run has built it meanwhile
    console.log(`Tests: building PostgreSQL 17 with pgvector into ${root}, once`);
    if (!existsSync('/usr/sbin/debootstrap')) {
      await program('apt-get', ['update', '-q']);
      await program('apt-get', ['install', '-q', '-y', '--no-install-recommends', 'debootstrap']);
    }
    rmSync(unfinished, { recursive: true, force: true });
    await program('debootstrap', ['--variant=minbase', `--include=${PACKAGES}`, SUITE, unfinished]);
    if (!isWhole(unfinished)) throw new Error(`debootstrap left no PostgreSQL with pgvector in ${unfinished}`);
    rmSync(root, { recursive: true, force: true });
    renameSync(unfinished, root);
  } finally {
    unlock();
  }
}

/** Runs a program and shows what it said only if it fails. */
async function program(name: string, args: string[]): Promise<void> {
  const child = spawn(name, args, { stdio: ['ignore', 'pipe', 'pipe'], env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' } });
  let said = '';
  child.stdout.on('data', (chunk) => (said += chunk));
  child.stderr.on('data', (chunk) => (said += chunk));
  const { promise, resolve, reject } = Promise.withResolvers<number | null>();
  child.once('error', reject);
  child.once('close', resolve);
  const code = await promise;
  if (code !== 0) throw new Error(`${name} ${args.join(' ')} failed with ${code}:\n${said.slice(-2_000)}`);
}

/** One builder at a time; the lock of a builder that is gone is taken over. */
async function lock(file: string): Promise<() => void> {
  for (;;) {
    try {
      writeFileSync(file, String(process.pid), { flag: 'wx' });
      return () => rmSync(file, { force: true });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
    const holder = readHolder(file);
    if (holder !== undefined && !isAlive(holder)) rmSync(file, { force: true });
    else await sleep(500);
  }
}

function readHolder(file: string): number | undefined {
  try {
    return Number.parseInt(readFileSync(file, 'utf8'), 10) || undefined;
  } catch {
    return undefined;
  }
}
