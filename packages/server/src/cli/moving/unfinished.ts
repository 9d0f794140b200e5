/** A database that is being filled says so where its migrations are written down: no program serves it before all is there. */
import { createHash } from 'node:crypto';
import { timestamp } from '../../clock.ts';
import type { Database } from '../../db/database.ts';
import { pendingMigrations, readMigrations, UNFINISHED_MOVE } from '../../db/migrate.ts';
import { sql } from '../../db/sql.ts';
import { namesOf } from '../database.ts';

interface Recorded {
  version: number;
  name: string;
  checksum: string;
  applied_at: string;
}

/** Known by when it ran its migrations, which no other database did at the same milliseconds. */
export async function identityOf(source: Database): Promise<string> {
  const recorded = await source.query(sql<Recorded>`select version, applied_at from schema_migrations order by version`);
  const digest = createHash('sha256');
  for (const { version, applied_at: time } of recorded) digest.update(`${version} ${time}\n`);
  return digest.digest('hex');
}

/** The identity of what a database is being filled from; undefined where it is not. */
export async function findUnfinishedMove(target: Database): Promise<string | undefined> {
  const tables =
    target.engine === 'sqlite'
      ? sql`select 1 as one from sqlite_master where type = 'table' and name = 'schema_migrations'`
      : sql`select 1 as one from pg_catalog.pg_tables where tablename = 'schema_migrations' and schemaname = current_schema()`;
  if ((await target.query(tables)).length === 0) return undefined;
  const [found] = await target.query(sql<Recorded>`select checksum from schema_migrations where version = ${UNFINISHED_MOVE}`);
  return found?.checksum;
}

export async function markUnfinished(target: Database, identity: string): Promise<void> {
  await target.run(sql`insert into schema_migrations (version, name, checksum, applied_at)
    values (${UNFINISHED_MOVE}, 'unfinished_move', ${identity}, ${timestamp(target.clock.nowMs())})`);
}

export async function markFinished(target: Database): Promise<void> {
  await target.run(sql`delete from schema_migrations where version = ${UNFINISHED_MOVE}`);
}

/** Refuses a source that is not of this very version: its columns would not be those of the target. */
export async function requireCurrent(source: Database): Promise<void> {
  const pending = await pendingMigrations(source);
  if (pending.length > 0) {
    throw new Error(`The database that is to be moved lacks ${namesOf(pending)} of this version. Back it up, then run "migrate" on it.`);
  }
  await refuseOtherMigrations(source, 'The database that is to be moved');
}

/** Of one that was marked, which is why `pendingMigrations` refuses it. */
export async function requireSameMigrations(target: Database): Promise<void> {
  await refuseOtherMigrations(target, 'The database that is half filled');
}

async function refuseOtherMigrations(db: Database, which: string): Promise<void> {
  const known = new Map((await readMigrations(db.engine)).map(({ version, checksum }) => [version, checksum]));
  const recorded = await db.query(sql<Recorded>`select version, checksum from schema_migrations where version <> ${UNFINISHED_MOVE}`);
  const isSame = recorded.length === known.size && recorded.every(({ version, checksum }) => known.get(version) === checksum);
  if (!isSame) throw new Error(`${which} is of another version of this program. Use that one. Nothing was changed.`);
}
