/** The database, as `doctor` looks at it: where it is, whether it is whole, and how far it has come. */
import { accessSync, constants, existsSync, statfsSync, statSync } from 'node:fs';
import { hostname } from 'node:os';
import { dirname } from 'node:path';
import type { Config } from '../config.ts';
import type { Database } from '../db/database.ts';
import { newerMigrations, pendingMigrations } from '../db/migrate.ts';
import { openDatabase } from '../db/open.ts';
import { sql } from '../db/sql.ts';
import { type LockOwner, readLockOwner } from '../db/sqlite/lock.ts';
import { modelState } from '../search/model-switch.ts';
import { countQueued } from '../search/vectors.ts';
import { programName } from './command.ts';
import { createCommandLog, namesOf, openReadOnly } from './database.ts';
import { doubtful, type Finding, fine, messageOf, wrong } from './doctor-finding.ts';

const LOW_SPACE_BYTES = 1e9;
const TOLERATED_SKEW_MS = 2_000;

export async function* examineEmbedded({ dataDir }: Config): AsyncGenerator<Finding> {
  const folder = checkFolder(dataDir);
  yield folder;
  if (folder.mark === '✗') return;
  yield freeSpace(existingAncestor(dataDir));
  const owner = readLockOwner(dataDir);
  if (owner) yield usedBy(owner);
  try {
    using db = openReadOnly(dataDir);
    if (!db) {
      yield doubtful(`There is no database yet. "${programName()} serve" makes it when it first starts.`);
      return;
    }
    const [row] = db.rows('select sqlite_version() as version');
    yield fine(`SQLite ${row?.version}, ${(db.sizeBytes / 1e6).toFixed(1)} MB`);
    yield await migrations(db.asDatabase);
    yield* await vectors(db.asDatabase);
    const problems = db.rows('pragma quick_check(10)').flatMap((line) => (line.quick_check === 'ok' ? [] : [String(line.quick_check)]));
    yield problems.length === 0 ? fine('The file is sound (quick check).') : damaged(problems.join('; '));
  } catch (error) {
    yield damaged(messageOf(error));
  }
}

function damaged(problem: string): Finding {
  return wrong(
    `The database file is damaged: ${problem}. Stop the service, then "${programName()} restore <file> --force" with the last backup.`,
  );
}

function checkFolder(dataDir: string): Finding {
  const other = 'or set COMMONPLACE_DATA_DIR to another folder.';
  const place = existingAncestor(dataDir);
  if (!statSync(place).isDirectory()) return wrong(`${place} is a file, not a folder: move it away, ${other}`);
  const writable = mayWrite(place);
  if (place !== dataDir) {
    return writable
      ? fine(`${dataDir} does not exist yet; the service makes it.`)
      : wrong(`${dataDir} can't be made: give this user the right to write in ${place}, ${other}`);
  }
  return writable
    ? fine(`${dataDir} can be written.`)
    : wrong(`${dataDir} can't be written by this user: change its owner or mode, ${other}`);
}

function existingAncestor(path: string): string {
  return existsSync(path) ? path : existingAncestor(dirname(path));
}

function mayWrite(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK | constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

function freeSpace(folder: string): Finding {
  const { bavail, bsize } = statfsSync(folder);
  const bytes = bavail * bsize;
  const text = `${(bytes / 1e9).toFixed(1)} GB of disk space free`;
  return bytes >= LOW_SPACE_BYTES ? fine(text) : doubtful(`${text}: make room, or move the data folder. A full disk stops all writing.`);
}

function usedBy({ pid, host, startedAt, address }: LockOwner): Finding {
  const who = `process ${pid} on ${host}, since ${startedAt}${address ? `, at ${address}` : ''}`;
  if (host !== hostname()) return doubtful(`The folder was last taken by ${who}; from here it can't be seen whether it still runs.`);
  return isAlive(pid)
    ? fine(`In use by ${who}`)
    : doubtful(`${who}, ended without a proper stop. The next start cleans up; look in its log for why.`);
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

async function migrations(db: Database): Promise<Finding> {
  try {
    const pending = await pendingMigrations(db);
    const newer = await newerMigrations(db);
    if (newer.length > 0)
      return doubtful(`A newer program ran ${namesOf(newer)}. This one works beside it; run the newer one as soon as you can.`);
    if (pending.length === 0) return fine('The tables are those of this version.');
    return doubtful(`${namesOf(pending)} will run at the next start, or with "${programName()} migrate". Back up before.`);
  } catch (error) {
    return wrong(messageOf(error));
  }
}

export async function* examinePostgres(config: Config): AsyncGenerator<Finding> {
  let db: Database;
  try {
    db = await openDatabase(config, createCommandLog());
  } catch (error) {
    yield wrong(messageOf(error));
    return;
  }
  try {
    yield fine(await db.describe());
    yield await migrations(db);
    yield* await vectors(db);
    yield await clockSkew(db);
  } catch (error) {
    yield wrong(messageOf(error));
  } finally {
    await db.close();
  }
}

/** How far the vectors are; nothing before the first start. */
async function vectors(db: Database): Promise<Finding[]> {
  const isMigrated = (await pendingMigrations(db).catch(() => [undefined])).length === 0;
  const state = isMigrated ? await modelState(db) : undefined;
  if (!state) return [];
  const waiting = await countQueued(db);
  const progress = state.isComplete
    ? `All vectors are of ${state.model}`
    : `${state.model} is being switched to: old vectors are made anew in the background`;
  return [fine(`${progress}; ${waiting} ${waiting === 1 ? 'text waits' : 'texts wait'} for a vector.`)];
}

async function clockSkew(db: Database): Promise<Finding> {
  const before = Date.now();
  const { now } = await db.one(sql<{ now: string }>`select clock_timestamp() as now`);
  const here = (before + Date.now()) / 2;
  const skewMs = Math.abs(Date.parse(now) - here);
  if (skewMs <= TOLERATED_SKEW_MS) return fine('The clocks of the database and of this machine agree.');
  return doubtful(
    `The clocks of the database and of this machine are ${(skewMs / 1000).toFixed(1)} s apart. The service goes by the database's; logs and certificates by this machine's: synchronize them (NTP).`,
  );
}
