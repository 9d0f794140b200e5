/** Backups: a checked copy of a running database, and the way back from it. */
import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { copyFile, link, open, rename, rm, stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { backup, type DatabaseSync } from 'node:sqlite';
import { Thread } from '../../threads/thread.ts';
import { DatabaseUnusable } from '../errors.ts';
import { DATABASE_FILE, openReading, openWriting } from './connection.ts';
import { toError, toFailure } from './failures.ts';
import { lockDataDir } from './lock.ts';
import type { CheckerQuestions, CheckReply } from './protocol.ts';
import { threadOptions } from './thread.ts';

/** One step for the whole file: between steps a write by another connection would make the copy start again, forever under load. */
const ALL_PAGES = 2 ** 31 - 1;

/** Backs up the folder's database, whether a service runs on it or not. */
export async function backupDataDir(dataDir: string, targetFile: string): Promise<void> {
  const file = join(resolve(dataDir), DATABASE_FILE);
  if (!existsSync(file)) throw new DatabaseUnusable(`There is no database in ${dataDir}: ${DATABASE_FILE} is missing.`);
  await backupDatabase(file, targetFile);
}

export async function backupDatabase(file: string, targetFile: string): Promise<void> {
  const target = resolve(targetFile);
  if (existsSync(target)) throw new DatabaseUnusable(`${target} already exists; a backup never overwrites a file.`);
  const temporary = `${target}.${randomUUID()}.tmp`;
  try {
    await createPrivately(temporary);
    await copyPages(file, temporary);
    await check(temporary, file);
    await syncFile(temporary);
    // A link, unlike a rename, fails where the target has come into being meanwhile.
    await link(temporary, target);
  } finally {
    await removeDatabase(temporary);
  }
  await syncFile(dirname(target));
}

export interface RestoreOptions {
  /** Replaces a database that is there, and keeps it beside the new one. */
  readonly force?: boolean;
}

/** Puts a backup in the place of the folder's database. Answers where the old one is, if there was one. */
export async function restoreDataDir(backupFile: string, dataDir: string, options: RestoreOptions = {}): Promise<string | undefined> {
  const source = resolve(backupFile);
  if (!existsSync(source)) throw new DatabaseUnusable(`There is no backup at ${source}.`);
  if (await hasContent(`${source}-wal`)) {
    throw new DatabaseUnusable(
      `${source} has a write-ahead log beside it (${source}-wal), so it is not a finished backup. Make one with the backup command.`,
    );
  }
  // Everything is checked on the copy: opening a database can change it, and the backup stays as it is.
  return replaceDatabase(dataDir, options, source, (temporary) => copyFile(source, temporary));
}

/** Makes the database in a temporary file, checks it, and puts it in place. Nothing is changed where that fails. */
export async function replaceDatabase(
  dataDir: string,
  { force = false, thoroughly = false }: RestoreOptions & { readonly thoroughly?: boolean },
  source: string,
  make: (temporary: string) => Promise<void>,
): Promise<string | undefined> {
  const folder = resolve(dataDir);
  const lock = lockDataDir(folder);
  const file = join(folder, DATABASE_FILE);
  const temporary = join(folder, `${DATABASE_FILE}.${randomUUID()}.tmp`);
  try {
    const replaces = await hasContent(file);
    if (replaces && !force) {
      throw new DatabaseUnusable(
        `${folder} already holds a database. Restore into an empty folder, or with --force, which keeps the old one beside it.`,
      );
    }
    await createPrivately(temporary);
    await make(temporary);
    const { hasMigrations } = await check(temporary, source, thoroughly);
    if (!hasMigrations) throw new DatabaseUnusable(`${source} is not a Commonplace database: it has no table schema_migrations.`);
    await syncFile(temporary);
    const keptAt = replaces ? await keepAside(file) : undefined;
    await Promise.all(['-wal', '-shm'].map((suffix) => rm(`${file}${suffix}`, { force: true })));
    await rename(temporary, file);
    await syncFile(folder);
    return keptAt;
  } finally {
    await removeDatabase(temporary);
    lock.release();
  }
}

async function copyPages(file: string, target: string): Promise<void> {
  let db: DatabaseSync | undefined;
  try {
    db = openReading(file, 1024);
    await backup(db, target, { rate: ALL_PAGES });
  } catch (error) {
    throw toError(toFailure(error), file);
  } finally {
    db?.close();
  }
}

/** In a thread of its own: on a large file this takes a while. */
async function check(file: string, named: string, thoroughly = false): Promise<CheckReply> {
  // As long as it takes is no reason for a warning.
  const thread = new Thread<CheckerQuestions>(threadOptions('checker', undefined, undefined));
  try {
    const reply = await thread.ask('check', file, thoroughly);
    if (reply.failure) throw toError(reply.failure, named);
    if (reply.problems.length > 0) throw new DatabaseUnusable(`The copy of ${named} is damaged: ${reply.problems.join('; ')}`);
    return reply;
  } finally {
    await thread.stop();
  }
}

/** By a second name first, so that there is a whole database in the folder at every moment. */
async function keepAside(file: string): Promise<string> {
  const aside = `${file}.before-restore-${new Date().toISOString().replaceAll(':', '-')}`;
  try {
    const db = openWriting(file);
    db.exec('pragma wal_checkpoint(truncate)');
    db.close();
  } catch {
    // Too damaged to be opened, which may be why a backup is restored: keep it as it is, with its log.
  }
  await link(file, aside).catch(() => rename(file, aside));
  if (await hasContent(`${file}-wal`)) await rename(`${file}-wal`, `${aside}-wal`);
  return aside;
}

async function createPrivately(file: string): Promise<void> {
  await (await open(file, 'wx', 0o600)).close();
}

async function hasContent(file: string): Promise<boolean> {
  const found = await stat(file).catch(() => undefined);
  return found !== undefined && found.size > 0;
}

async function syncFile(path: string): Promise<void> {
  const handle = await open(path, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

async function removeDatabase(file: string): Promise<void> {
  await Promise.all(['', '-journal', '-wal', '-shm'].map((suffix) => rm(`${file}${suffix}`, { force: true })));
}
