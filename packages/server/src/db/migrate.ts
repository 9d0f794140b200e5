/** Forward-only migrations: plain SQL files for each engine, checksummed, run once whoever starts at the same time. */
import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import type { Database } from './database.ts';
import { DatabaseUnusable } from './errors.ts';
import { type EngineName, type Sql, sql } from './sql.ts';

export interface MigratableDatabase extends Database {
  /** Runs the work while no other process migrates the same database. */
  exclusively<T>(work: () => Promise<T>): Promise<T>;
  /** A migration's script and its record, all or nothing. */
  migrate(script: string, record: Sql): Promise<void>;
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
}

const FILE_NAME = /^(\d{4})_(\w+)\.sql$/;

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
  const migrations = known ?? (await readMigrations(db.engine));
  const applied = await appliedMigrations(db);
  for (const { version, name, checksum } of applied) {
    const migration = migrations.find((candidate) => candidate.version === version);
    if (!migration) {
      throw new DatabaseUnusable(
        `The database is newer than this program: it has migration ${version} (${name}), and this program knows up to ${migrations.at(-1)?.version}. ` +
          'Run the newer program, or restore a backup from before the upgrade. Nothing was changed.',
      );
    }
    if (migration.checksum !== checksum) {
      throw new DatabaseUnusable(
        `Migration ${version} (${name}) was changed after this database ran it. Restore the file as it was released. Nothing was changed.`,
      );
    }
  }
  return migrations.filter((migration) => !applied.some(({ version }) => version === migration.version));
}

/** Brings the database up to this program; the migrations that ran. */
export async function migrate(db: MigratableDatabase, known?: readonly Migration[]): Promise<Migration[]> {
  return db.exclusively(async () => {
    const pending = await pendingMigrations(db, known);
    for (const migration of pending) {
      await db.migrate(
        `${bookkeeping(db.engine)}\n${migration.script}`,
        sql`insert into schema_migrations (version, name, checksum, applied_at)
            values (${migration.version}, ${migration.name}, ${migration.checksum}, ${new Date().toISOString()})`,
      );
    }
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
  return db.query(sql<AppliedMigration>`select version, name, checksum from schema_migrations order by version`);
}

function bookkeeping(engine: EngineName): string {
  const time = engine === 'sqlite' ? 'text' : 'timestamptz';
  return `create table if not exists schema_migrations (version integer primary key, name text not null, checksum text not null, applied_at ${time} not null);`;
}
