/** `restore`: a backup in the place of the embedded database. */
import { resolve } from 'node:path';
import { readConfig } from '../config.ts';
import { restoreDataDir } from '../db/sqlite/backup.ts';
import { type Arguments, exitCodes } from './command.ts';
import { withoutPassword } from './masking.ts';

export async function run({ positionals, values }: Arguments): Promise<number> {
  const source = resolve(positionals[0] as string);
  const { databaseUrl, dataDir } = readConfig(process.env);
  if (databaseUrl) {
    process.stderr.write(
      'commonplace: the data are in PostgreSQL, which has a program of its own for this. With every node stopped:\n' +
        `  pg_restore --clean --if-exists --single-transaction --dbname='${withoutPassword(databaseUrl)}' '${source}'\n`,
    );
    return exitCodes.misused;
  }
  const keptAt = await restoreDataDir(source, dataDir, { force: values.force === true });
  process.stdout.write(`Restored ${source} into ${dataDir}.\n`);
  if (keptAt) process.stdout.write(`The database that was there is kept at ${keptAt}.\n`);
  return exitCodes.done;
}
