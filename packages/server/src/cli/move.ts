/** `move`: everything from the embedded engine to PostgreSQL, or back. */
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { readConfig } from '../config.ts';
import type { MigratableDatabase } from '../db/migrate.ts';
import { openDatabase } from '../db/open.ts';
import { DATABASE_FILE } from '../db/sqlite/connection.ts';
import { type Arguments, exitCodes, textOf, UsageError } from './command.ts';
import { createCommandLog } from './database.ts';
import { withoutPassword } from './masking.ts';
import { isSame, type MovedTable, moveDatabase } from './moving/move.ts';

/** One is read while another is compared. */
const POOL_SIZE = 2;

export async function run(given: Arguments): Promise<number> {
  const { url, toPostgres } = readDirection(given);
  const config = readConfig(process.env);
  const dataDir = resolve(textOf(given, 'data-dir') ?? config.dataDir);
  if (toPostgres && !existsSync(join(dataDir, DATABASE_FILE))) throw new Error(`There is no database in ${dataDir}.`);
  const log = createCommandLog('error');
  const embedded = await openDatabase({ databaseUrl: undefined, databasePoolSize: 0, dataDir, backup: config.backup }, log);
  try {
    const postgres = await openDatabase({ databaseUrl: url, databasePoolSize: POOL_SIZE, dataDir }, log);
    try {
      const [source, target] = toPostgres ? [embedded, postgres] : [postgres, embedded];
      return await move(source, target, given.values.resume === true, toPostgres ? withoutPassword(url) : dataDir);
    } finally {
      await postgres.close();
    }
  } finally {
    await embedded.close();
  }
}

function readDirection(given: Arguments): { url: string; toPostgres: boolean } {
  const [to, from] = [textOf(given, 'to'), textOf(given, 'from')];
  const url = to ?? from;
  if (url === undefined || (to !== undefined && from !== undefined)) throw new UsageError('either --to or --from is needed');
  if (!/^postgres(ql)?:\/\//.test(url))
    throw new UsageError(`--${to === undefined ? 'from' : 'to'} is the address of a PostgreSQL: postgres://…`);
  return { url, toPostgres: to !== undefined };
}

async function move(source: MigratableDatabase, target: MigratableDatabase, resume: boolean, place: string): Promise<number> {
  const progress = new Progress();
  const moved = await moveDatabase(source, target, {
    resume,
    onProgress: ({ doing, table, rows }) => progress.show(`${doing} ${table}: ${rows} rows`),
    onUnknownTable: (name) => progress.say(`Not moved, as it is not Commonplace's: the table ${name}.`),
  });
  progress.end();
  process.stdout.write(asText(moved));
  const different = moved.filter((table) => !isSame(table)).map(({ name }) => name);
  if (different.length > 0) {
    process.stderr.write(
      `commonplace: ${different.join(', ')} differ${different.length === 1 ? 's' : ''}. Nobody is served from ${place} as it is. Was the source written to? Give an empty database, and move again.\n`,
    );
    return exitCodes.failed;
  }
  const setting = target.engine === 'postgres' ? 'COMMONPLACE_DATABASE_URL' : 'COMMONPLACE_DATA_DIR';
  process.stderr.write(
    `Moved to ${place}, with the same rows in every table. Set ${setting}, then start the service. What was moved is still where it was.\n`,
  );
  return exitCodes.done;
}

function asText(moved: readonly MovedTable[]): string {
  const width = Math.max(...moved.map(({ name }) => name.length));
  const lines = moved.map((table) => {
    const { name, source, target } = table;
    const sum = `${name.padEnd(width)}  ${String(source.rows).padStart(10)}  ${source.checksum.slice(0, 16)}`;
    return isSame(table) ? `${sum}  same\n` : `${sum}  DIFFERS: ${target.rows} rows, ${target.checksum.slice(0, 16)}\n`;
  });
  return `${'table'.padEnd(width)}  ${'rows'.padStart(10)}  ${'checksum'.padEnd(16)}\n${lines.join('')}`;
}

/** One line that changes, at a terminal; elsewhere nothing. */
class Progress {
  readonly #isTerminal = process.stderr.isTTY === true;
  #shownMs = 0;

  show(text: string): void {
    if (!this.#isTerminal || performance.now() - this.#shownMs < 100) return;
    this.#shownMs = performance.now();
    process.stderr.write(`\r\u001b[K${text}`);
  }

  say(text: string): void {
    process.stderr.write(`${text}\n`);
  }

  end(): void {
    if (this.#isTerminal) process.stderr.write('\r\u001b[K');
  }
}
