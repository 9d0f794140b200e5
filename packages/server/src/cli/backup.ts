/** `backup`: the embedded database in one file; or what a continuous backup holds. */
import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { readConfig } from '../config.ts';
import { backupDataDir } from '../db/sqlite/backup.ts';
import { type Arguments, exitCodes, programName } from './command.ts';
import { withoutPassword } from './masking.ts';

export async function run(given: Arguments): Promise<number> {
  if (given.values.list === true || given.values['take-over'] === true) return runOnTarget(given);
  const target = resolve(given.positionals[0] as string);
  const { databaseUrl, dataDir } = readConfig(process.env);
  if (databaseUrl) {
    process.stderr.write(
      'commonplace: the data are in PostgreSQL, which has a program of its own for this (it asks for the password, or takes PGPASSWORD):\n' +
        `  pg_dump --format=custom --file='${target}' --dbname='${withoutPassword(databaseUrl)}'\n`,
    );
    return exitCodes.misused;
  }
  await backupDataDir(dataDir, target);
  const { size } = await stat(target);
  process.stdout.write(`${target}\n`);
  process.stderr.write(`Backed up ${dataDir} (${(size / 1e6).toFixed(1)} MB, checked). To go back: ${programName()} restore <file>\n`);
  return exitCodes.done;
}

async function runOnTarget(given: Arguments): Promise<number> {
  const { describePoints, takeOver, targetOf } = await import('./backup-target.ts');
  const { target } = targetOf(given);
  process.stdout.write(given.values.list === true ? await describePoints(target) : await takeOver(target, readConfig(process.env).dataDir));
  return exitCodes.done;
}
