/** Everything of one database in another, on the other engine: the same rows, proved by what both hold afterwards. */
import type { Database } from '../../db/database.ts';
import { type MigratableDatabase, migrate } from '../../db/migrate.ts';
import { sql } from '../../db/sql.ts';
import { sumTable, type TableSum } from './checksums.ts';
import { continueNumbers } from './numbering.ts';
import { insertRows, isEmpty, quoted, readPages } from './pages.ts';
import { findFilledTables, readTables, type Table } from './tables.ts';
import { findUnfinishedMove, identityOf, markFinished, markUnfinished, requireCurrent, requireSameMigrations } from './unfinished.ts';

export interface MovedTable {
  readonly name: string;
  readonly source: TableSum;
  readonly target: TableSum;
}

export interface MoveOptions {
  readonly resume: boolean;
  readonly onProgress?: (what: { readonly doing: 'copying' | 'comparing'; readonly table: string; readonly rows: number }) => void;
  /** A table of PostgreSQL that is not Commonplace's. */
  readonly onUnknownTable?: (name: string) => void;
}

export const isSame = ({ source, target }: MovedTable) => source.rows === target.rows && source.checksum === target.checksum;

/** Both are of nobody else meanwhile. The target is served only after everything was found to be there. */
export async function moveDatabase(source: MigratableDatabase, target: MigratableDatabase, options: MoveOptions): Promise<MovedTable[]> {
  const identity = await prepareTarget(source, target, options.resume);
  const [sqlite, postgres] = source.engine === 'sqlite' ? [source, target] : [target, source];
  // The lock that migrations take: a service that starts meanwhile waits.
  return postgres.exclusively(async () => {
    await refuseWhileServed(postgres);
    const { tables, unknown } = await readTables(sqlite, postgres);
    for (const name of unknown) options.onUnknownTable?.(name);
    if (!options.resume) {
      await refuseFilled(source, target);
      await markUnfinished(target, identity);
    }
    await copyTables(source, target, tables, options);
    const moved = await compareTables(source, target, tables, options);
    await refuseWhileServed(postgres);
    if (moved.every(isSame)) {
      await markFinished(target);
      // Plans that are made before anything is known of the tables are bad ones.
      if (target.engine === 'postgres') for (const { name } of tables) await target.run(sql`analyze ${quoted(name)}`);
    }
    return moved;
  });
}

/** The target with the tables of this version; what the source is known by. */
async function prepareTarget(source: Database, target: MigratableDatabase, resume: boolean): Promise<string> {
  await requireCurrent(source);
  const identity = await identityOf(source);
  const unfinished = await findUnfinishedMove(target);
  if (unfinished === undefined) {
    if (resume) throw new Error('Nothing was being moved into that database. Leave out --resume. Nothing was changed.');
    await refuseFilled(source, target);
    await migrate(target);
    return identity;
  }
  if (unfinished !== identity) throw new Error('That database is half filled from another one. Give an empty one. Nothing was changed.');
  if (!resume)
    throw new Error(
      'That database is half filled, by a move that was stopped. Go on with --resume, or give an empty one. Nothing was changed.',
    );
  await requireSameMigrations(target);
  return identity;
}

/** One that holds something is left as it is, and not brought up to this version either. */
async function refuseFilled(source: Database, target: Database): Promise<void> {
  const [table] = await findFilledTables(target, source);
  if (table !== undefined) throw new Error(`That database is not empty: there are rows in ${table}. Nothing was changed.`);
}

async function refuseWhileServed(postgres: Database): Promise<void> {
  const [node] = await postgres.query(sql`select id from nodes where lease_until > now() limit 1`);
  if (node)
    throw new Error('A service is running on that PostgreSQL, or ended without a word a few seconds ago. Stop every node, then try again.');
}

async function copyTables(
  source: Database,
  target: Database,
  tables: readonly Table[],
  { resume, onProgress }: MoveOptions,
): Promise<void> {
  for (const table of resume ? await unfinishedOf(target, tables) : tables) {
    let rows = 0;
    for await (const page of readPages(source, table)) {
      await insertRows(target, table, page, resume).catch((error: unknown) => {
        throw new Error(`${table.name} could not be copied: ${error instanceof Error ? error.message : error}`, { cause: error });
      });
      rows += page.length;
      onProgress?.({ doing: 'copying', table: table.name, rows });
    }
    await continueNumbers(source, target, table);
  }
}

/** From the last that has rows: those before it were copied whole, since they are copied in this order. */
async function unfinishedOf(target: Database, tables: readonly Table[]): Promise<readonly Table[]> {
  for (let index = tables.length - 1; index > 0; index--)
    if (!(await isEmpty(target, (tables[index] as Table).name))) return tables.slice(index);
  return tables;
}

/** Both are read from the beginning, so that a source that was written to meanwhile shows as well. */
async function compareTables(
  source: Database,
  target: Database,
  tables: readonly Table[],
  { onProgress }: MoveOptions,
): Promise<MovedTable[]> {
  const moved: MovedTable[] = [];
  for (const table of tables) {
    const there = await sumTable(source, table);
    const here = await sumTable(target, table);
    moved.push({ name: table.name, source: there, target: here });
    onProgress?.({ doing: 'comparing', table: table.name, rows: here.rows });
  }
  return moved;
}
