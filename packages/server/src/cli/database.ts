/** The database as commands reach it: opened for a change, or only read beside a running service. */
import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import pino, { type Logger } from 'pino';
import pretty from 'pino-pretty';
import { type Config, readConfig } from '../config.ts';
import type { Database } from '../db/database.ts';
import { DatabaseUnusable } from '../db/errors.ts';
import { type MigratableDatabase, migrate, pendingMigrations, readMigrations } from '../db/migrate.ts';
import { openDatabase } from '../db/open.ts';
import type { Sql } from '../db/sql.ts';
import { DATABASE_FILE } from '../db/sqlite/connection.ts';
import { programName } from './command.ts';

const BUSY = 5;

/** For people, on standard error: standard output is for what a command makes. */
export function createCommandLog(level: 'info' | 'warn' | 'error' = 'warn'): Logger {
  const colorize = process.stderr.isTTY === true;
  return pino({ level }, pretty({ destination: 2, sync: true, colorize, ignore: 'pid,hostname,time' }));
}

/** Runs the work on an open database. `meanwhile` says what to do instead while the service has the data folder. */
export async function withDatabase<T>(
  meanwhile: string,
  work: (db: MigratableDatabase) => Promise<T>,
  log = createCommandLog(),
): Promise<T> {
  const config = readConfig(process.env);
  const db = await opened(config, meanwhile, log);
  try {
    return await work(db);
  } finally {
    await db.close();
  }
}

/** As `withDatabase`, on one that is up to date; an empty one is made so. */
export async function withCurrentDatabase<T>(meanwhile: string, work: (db: Database) => Promise<T>): Promise<T> {
  return withDatabase(meanwhile, async (db) => {
    const known = await readMigrations(db.engine);
    const pending = await pendingMigrations(db, known);
    // Upgrading one that holds data is a decision of its own.
    if (pending.length > 0 && pending.length < known.length) {
      throw new Error(`The database lacks ${namesOf(pending)} of this version. Back it up, then run "${programName()} migrate".`);
    }
    if (pending.length > 0) await migrate(db);
    return work(db);
  });
}

async function opened(config: Config, meanwhile: string, log: Logger): Promise<MigratableDatabase> {
  try {
    return await openDatabase(config, log);
  } catch (error) {
    if (error instanceof DatabaseUnusable && isBusy(error.cause)) throw new Error(`${error.message} ${meanwhile}`, { cause: error });
    throw error;
  }
}

/** Whether this says that another process, a running service most likely, has the data folder. */
export function isHeldByService(error: unknown): boolean {
  return error instanceof Error && error.cause instanceof DatabaseUnusable && isBusy(error.cause.cause);
}

function isBusy(cause: unknown): boolean {
  return cause instanceof Error && 'errcode' in cause && cause.errcode === BUSY;
}

export function namesOf(migrations: readonly { version: number; name: string }[]): string {
  const names = migrations.map(({ version, name }) => `${String(version).padStart(4, '0')}_${name}`);
  return `${names.length === 1 ? 'the migration' : 'the migrations'} ${names.join(', ')}`;
}

/** What can be asked of an embedded database that belongs to somebody else. */
export interface ReadOnlyDatabase extends Disposable {
  readonly sizeBytes: number;
  rows(text: string): Record<string, unknown>[];
  /** In the form that reading migrations takes. */
  readonly asDatabase: Database;
}

/** The folder's database without its lock, and without leaving a file behind. Undefined when there is none. */
export function openReadOnly(dataDir: string): ReadOnlyDatabase | undefined {
  const file = join(dataDir, DATABASE_FILE);
  const found = statSync(file, { throwIfNoEntry: false });
  if (!found) return undefined;
  const url = pathToFileURL(file);
  // With no log beside it nobody has it open, and SQLite would make one that might belong to the wrong user.
  if (!existsSync(`${file}-wal`)) url.searchParams.set('immutable', '1');
  const db = new DatabaseSync(url, { readOnly: true, timeout: 5_000 });
  const read = <Row>(statement: Sql<Row>) => db.prepare(statement.text('sqlite')).all(...(statement.params as string[])) as Row[];
  const reading: Pick<Database, 'engine' | 'query' | 'maybeOne'> = {
    engine: 'sqlite',
    query: async (statement) => read(statement),
    maybeOne: async (statement) => read(statement)[0],
  };
  return {
    sizeBytes: found.size,
    rows: (text) => db.prepare(text).all(),
    asDatabase: reading as Database,
    [Symbol.dispose]: () => db.close(),
  };
}
