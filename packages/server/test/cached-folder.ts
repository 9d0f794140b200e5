/** What tests fetch once and use again: folders outside the clone, each built whole or not at all. */
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { isAlive } from './cluster.ts';

const cacheFolder = () => join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'commonplace');

/** The folder of that name, built first where it is missing. `isWhole` tells a folder that can be used. */
export async function cachedFolder(
  name: string,
  isWhole: (folder: string) => boolean,
  build: (unfinished: string) => Promise<void>,
): Promise<string> {
  const folder = join(cacheFolder(), name);
  const isThere = () => existsSync(folder) && isWhole(folder);
  if (isThere()) return folder;
  mkdirSync(cacheFolder(), { recursive: true });
  const unlock = await lock(`${folder}.lock`);
  const unfinished = `${folder}.unfinished`;
  try {
    if (isThere()) return folder; // another run has built it meanwhile
    console.log(`Tests: building ${folder}, once`);
    rmSync(unfinished, { recursive: true, force: true });
    await build(unfinished);
    if (!isWhole(unfinished)) throw new Error(`What was built in ${unfinished} is not whole`);
    rmSync(folder, { recursive: true, force: true });
    renameSync(unfinished, folder);
    return folder;
  } finally {
    unlock();
  }
}

/** Runs a program and shows what it said only if it fails. */
export async function runProgram(name: string, args: readonly string[], options: { cwd?: string; env?: NodeJS.ProcessEnv } = {}) {
  const child = spawn(name, args, {
    stdio: ['ignore', 'pipe', 'pipe'],
    cwd: options.cwd,
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive', ...options.env },
  });
  let said = '';
  child.stdout.on('data', (chunk) => (said += chunk));
  child.stderr.on('data', (chunk) => (said += chunk));
  const { promise, resolve, reject } = Promise.withResolvers<number | null>();
  child.once('error', reject);
  child.once('close', resolve);
  const code = await promise;
  if (code !== 0) throw new Error(`${name} ${args.join(' ')} failed with ${code}:\n${said.slice(-4_000)}`);
  return said;
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
