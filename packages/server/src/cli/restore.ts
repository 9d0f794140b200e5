/** `restore`: a backup in the place of the embedded database. */
import { resolve } from 'node:path';
import { readConfig } from '../config.ts';
import { restoreDataDir } from '../db/sqlite/backup.ts';
import { type Arguments, exitCodes, textOf, UsageError } from './command.ts';
import { withoutPassword } from './masking.ts';

export async function run(given: Arguments): Promise<number> {
  const config = readConfig(process.env);
  const dataDir = resolve(textOf(given, 'data-dir') ?? config.dataDir);
  const force = given.values.force === true;
  if (textOf(given, 'from') !== undefined) return restorePoint(given, dataDir, force);
  for (const name of ['at', 'last-whole']) if (given.values[name] !== undefined) throw new UsageError(`--${name} goes with --from`);
  const source = resolve(given.positionals[0] as string);
  if (config.databaseUrl) {
    process.stderr.write(
      'commonplace: the data are in PostgreSQL, which has a program of its own for this. With every node stopped:\n' +
        `  pg_restore --clean --if-exists --single-transaction --dbname='${withoutPassword(config.databaseUrl)}' '${source}'\n`,
    );
    return exitCodes.misused;
  }
  const keptAt = await restoreDataDir(source, dataDir, { force });
  process.stdout.write(`Restored ${source} into ${dataDir}.\n`);
  tellKept(keptAt);
  return exitCodes.done;
}

async function restorePoint(given: Arguments, dataDir: string, force: boolean): Promise<number> {
  const { targetOf, toTime } = await import('./backup-target.ts');
  const { restoreFromTarget } = await import('../db/continuous-backup/restoring.ts');
  const { target, url } = targetOf(given);
  const lastWhole = given.values['last-whole'] === true;
  const restored = await restoreFromTarget(target, url, dataDir, { atMs: readTime(textOf(given, 'at')), lastWhole, force });
  for (const fault of restored.faults) process.stderr.write(`Left out: ${fault}.\n`);
  process.stdout.write(`Restored ${url} as of ${toTime(restored.atMs)} into ${dataDir}, checked.\n`);
  tellKept(restored.keptAt);
  return exitCodes.done;
}

function readTime(text: string | undefined): number | undefined {
  if (text === undefined || text === 'latest') return undefined;
  // Without a zone it would be a time of this machine, which need not be that of the service.
  const isTime = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:\d{2})$/.test(text);
  if (!isTime || Number.isNaN(Date.parse(text)))
    throw new UsageError('--at is latest, or a time with its zone, such as 2026-11-16T06:00:00Z');
  return Date.parse(text);
}

function tellKept(keptAt: string | undefined): void {
  if (keptAt) process.stdout.write(`The database that was there is kept at ${keptAt}.\n`);
}
