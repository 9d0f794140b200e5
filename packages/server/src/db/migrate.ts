/** Forward-only migrations: plain SQL files for each engine, checksummed, run once whoever starts at the same time. */
import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { timestamp } from '../clock.ts';
import type { Database } from './database.ts';
import { DatabaseUnusable } from './errors.ts';
import { type EngineName, type Sql, sql } from './sql.ts';

export interface MigratableDatabase extends Database {
  /** Runs the work while no other process migrates the same database. */
  exclusively<T>(work: () => Promise<T>): Promise<T>;
  /** A migration's script and its record, all or nothing. */
  migrate(script: string, record: Sql): Promise<void>;
  /** Puts tables on the machines where they belong, where there are several. Only inside `exclusively`. */
  distribute?(): Promise<void>;
  /** Takes part in broadcasts, where nodes share a database. Possible once the tables are there. */
  join?(): Promise<void>;
}

export interface Migration {
  readonly version: number;
  readonly name: string;
  readonly script: string;
  readonly checksum: string;
}

interface AppliedMigration {
  version: number;
  name: string;
  checksum: string;
  /** The newest migration that a program must know to work on the tables as this one leaves them. Absent: it must know this one. */
  compatible_from?: number | null;
}

const FILE_NAME = /^(\d{4})_(\w+)\.sql$/;
/** After this one, migrations only expand, and leave programs of before working. */
const LAST_UNRULED = 9;
/** At the top of one that takes something away: nothing uses it any more since the release that brought the named migration. */
const COMPATIBLE_FROM = /^-- compatible from (\d{4}): \S/;

/** In place of a migration's number: everything is being moved into this database from another, and not all of it is there. */
export const UNFINISHED_MOVE = 999_999;

export async function readMigrations(engine: EngineName): Promise<Migration[]> {
  const folder = new URL(`./migrations/${engine}/`, import.meta.url);
  const migrations: Migration[] = [];
  for (const file of (await readdir(folder)).sort()) {
    const parts = FILE_NAME.exec(file);
    if (!parts) continue;
    const script = await readFile(new URL(file, folder), 'utf8');
    migrations.push({
      version: Number(parts[1]),
      name: parts[2] as string,
      script,
      checksum: createHash('sha256').update(script).digest('hex'),
    });
  }
  return migrations;
}

/** What the database lacks of this program's migrations; refuses a database that this program does not understand. */
export async function pendingMigrations(db: Database, known?: readonly Migration[]): Promise<Migration[]> {
  return pendingOf(known ?? (await readMigrations(db.engine)), await appliedMigrations(db));
}

/** What a newer program did to the database, and this one works with: while nodes are replaced one by one, for example. */
export async function newerMigrations(db: Database): Promise<{ version: number; name: string }[]> {
  const known = await readMigrations(db.engine);
  return (await appliedMigrations(db)).filter(({ version }) => !known.some((migration) => migration.version === version));
}

export function compatibleFrom({ version, script }: Pick<Migration, 'version' | 'script'>): number | null {
  const named = COMPATIBLE_FROM.exec(script)?.[1];
  if (named !== undefined) return Number(named);
  return version > LAST_UNRULED ? LAST_UNRULED : null;
}

function pendingOf(migrations: readonly Migration[], applied: readonly AppliedMigration[]): Migration[] {
  if (applied.some(({ version }) => version === UNFINISHED_MOVE)) {
    throw new DatabaseUnusable(
      'Not everything is in this database: a move into it was stopped. Finish it with "commonplace move … --resume". Nothing was changed.',
    );
  }
  const newest = migrations.at(-1)?.version ?? 0;
  const pending = migrations.filter((migration) => !applied.some(({ version }) => version === migration.version));
  for (const { version, name, checksum, compatible_from: from } of applied) {
    const migration = migrations.find((candidate) => candidate.version === version);
    if (!migration) {
      // One that has something to run beside it is no older program, but another.
      if (pending.length === 0 && from !== undefined && from !== null && from <= newest) continue;
      throw new DatabaseUnusable(
        `The database is newer than this program: it has migration ${version} (${name}), and this program knows up to ${newest}. ` +
          'Run the newer program, or restore a backup from before the upgrade. Nothing was changed.',
      );
    }
    if (migration.checksum !== checksum) {
      throw new DatabaseUnusable(
        `Migration ${version} (${name}) was changed after this database ran it. Restore the file as it was released. Nothing was changed.`,
      );
    }
  }
  return pending;
}

/** Brings the database up to this program; the migrations that ran. */
export async function migrate(db: MigratableDatabase, known?: readonly Migration[]): Promise<Migration[]> {
  return db.exclusively(async () => {
    const applied = await appliedMigrations(db);
    const pending = pendingOf(known ?? (await readMigrations(db.engine)), applied);
    for (const [index, migration] of pending.entries()) {
      const { version, name, checksum, script } = migration;
      await db.migrate(
        `${index === 0 ? bookkeeping(db.engine, applied) : ''}\n${script}`,
        sql`insert into schema_migrations (version, name, checksum, applied_at, compatible_from)
            values (${version}, ${name}, ${checksum}, ${timestamp(db.clock.nowMs())}, ${compatibleFrom(migration)})`,
      );
    }
    await db.distribute?.();
    return pending;
  });
}

async function appliedMigrations(db: Database): Promise<AppliedMigration[]> {
  const found =
    db.engine === 'sqlite'
      ? sql<{ name: string }>`select name from sqlite_master where type = 'table' and name = 'schema_migrations'`
      : sql<{
          name: string;
        }>`select tablename as name from pg_catalog.pg_tables where tablename = 'schema_migrations' and schemaname = current_schema()`;
  if (!(await db.maybeOne(found))) return [];
  // Of every column: a database that only earlier programs migrated has not got them all.
  return db.query(sql<AppliedMigration>`select * from schema_migrations order by version`);
}

/** The column of compatibility came later, and programs from before it leave it empty. */
function bookkeeping(engine: EngineName, applied: readonly AppliedMigration[]): string {
  const time = engine === 'sqlite' ? 'text' : 'timestamptz';
  if (applied.length === 0)
    return `create table if not exists schema_migrations (version integer primary key, name text not null, checksum text not null, applied_at ${time} not null, compatible_from integer);`;
  return applied.some((migration) => 'compatible_from' in migration)
    ? ''
    : 'alter table schema_migrations add column compatible_from integer;';
}
