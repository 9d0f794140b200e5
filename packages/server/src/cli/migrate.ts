/** `migrate`: the database brought up to this version. */
import { readConfig } from '../config.ts';
import { migrate, pendingMigrations, readMigrations } from '../db/migrate.ts';
import { type Arguments, exitCodes } from './command.ts';
import { createCommandLog, namesOf, openReadOnly, withDatabase } from './database.ts';

const MEANWHILE = 'The service brought its database up to date when it started.';

export async function run({ values }: Arguments): Promise<number> {
  const dryRun = values['dry-run'] === true;
  const migrations = dryRun ? await pending() : await withDatabase(MEANWHILE, (db) => migrate(db), createCommandLog('info'));
  if (migrations.length === 0) say('The database is up to date.');
  else say(`${dryRun ? 'Would run' : 'Ran'} ${namesOf(migrations)}.`);
  return exitCodes.done;
}

async function pending() {
  const { databaseUrl, dataDir } = readConfig(process.env);
  if (databaseUrl) return withDatabase(MEANWHILE, (db) => pendingMigrations(db));
  using db = openReadOnly(dataDir);
  return db ? await pendingMigrations(db.asDatabase) : await readMigrations('sqlite');
}

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}
