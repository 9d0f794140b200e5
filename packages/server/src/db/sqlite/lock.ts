/** One process owns a data folder: a lock that the kernel releases with the process, and a note of who holds it. */
import { chmodSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { DatabaseUnusable } from '../errors.ts';

const LOCK_FILE = 'commonplace.lock';
const OWNER_FILE = 'commonplace.lock.json';
const BUSY = 5;

export interface LockOwner {
  readonly pid: number;
  readonly host: string;
  readonly startedAt: string;
  readonly address?: string;
}

export interface DataDirLock {
  release(): void;
}

/**
 * Takes the folder for this process, creating it when it is missing. The lock is an exclusive transaction on an empty SQLite file,
 * which a second connection of the same process is refused too. Nothing here may open that file by other means: closing
 * any other descriptor of it would release the lock.
 */
export function lockDataDir(dataDir: string, info: { readonly address?: string | undefined } = {}): DataDirLock {
  makeDataDir(dataDir);
  const file = join(dataDir, LOCK_FILE);
  const db = new DatabaseSync(file, { timeout: 0 });
  try {
    // In memory, as a journal would be one more file in the folder.
    db.exec('pragma journal_mode = memory; begin exclusive');
  } catch (error) {
    db.close();
    if (error instanceof Error && 'errcode' in error && error.errcode === BUSY) throw inUse(dataDir, error);
    throw new DatabaseUnusable(`The data folder ${dataDir} can't be locked: ${messageOf(error)}.`, { cause: error });
  }
  chmodSync(file, 0o600);
  noteOwner(dataDir, {
    pid: process.pid,
    host: hostname(),
    startedAt: new Date().toISOString(),
    ...(info.address !== undefined && { address: info.address }),
  });
  let held = true;
  return {
    release() {
      if (!held) return;
      held = false;
      rmSync(join(dataDir, OWNER_FILE), { force: true });
      db.close();
    },
  };
}

/** Who holds the folder, or held it last when the process was killed. */
export function readLockOwner(dataDir: string): LockOwner | undefined {
  try {
    return JSON.parse(readFileSync(join(dataDir, OWNER_FILE), 'utf8')) as LockOwner;
  } catch {
    return undefined;
  }
}

function makeDataDir(dataDir: string): void {
  try {
    mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  } catch (error) {
    throw new DatabaseUnusable(
      `The data folder ${dataDir} can't be created: ${messageOf(error)}. Set COMMONPLACE_DATA_DIR to another folder.`,
      {
        cause: error,
      },
    );
  }
}

function noteOwner(dataDir: string, owner: LockOwner): void {
  const file = join(dataDir, OWNER_FILE);
  writeFileSync(`${file}.tmp`, `${JSON.stringify(owner)}\n`, { mode: 0o600 });
  renameSync(`${file}.tmp`, file);
}

function inUse(dataDir: string, cause: unknown): DatabaseUnusable {
  const owner = readLockOwner(dataDir);
  const who = owner
    ? `process ${owner.pid} on ${owner.host} (since ${owner.startedAt}${owner.address ? `, at ${owner.address}` : ''})`
    : 'another process';
  return new DatabaseUnusable(`The data folder ${dataDir} is in use by ${who}. Stop it, or set COMMONPLACE_DATA_DIR to another folder.`, {
    cause,
  });
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
