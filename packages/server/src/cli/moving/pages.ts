/** The rows of a table, page by page: each bounded in rows and in bytes, since a row may be a document of ten megabytes. */
import type { Database } from '../../db/database.ts';
import { join, nothing, type Param, raw, rows, type Sql, sql } from '../../db/sql.ts';
import type { Column, Table } from './tables.ts';

export const MOST_ROWS = 256;
const MOST_BYTES = 500_000;
/** Of what is neither text nor bytes. */
const BYTES_OF_OTHERS = 16;
/** Inserts are of so many rows, so that there are few different statements to prepare. */
const INSERTED_TOGETHER = [MOST_ROWS, 16, 1];

/** The values of a row in the order of the table's columns, in the form that both engines take. */
export type Row = readonly Param[];
type FoundRow = Record<string, unknown>;

/** In the order of the primary key. Nobody else may write meanwhile. */
export async function* readPages(db: Database, table: Table): AsyncGenerator<Row[]> {
  const key = table.keys[db.engine];
  const places = key.map((name) => table.columns.findIndex((column) => column.name === name));
  let last: Row | undefined;
  for (;;) {
    const after = last && places.map((place) => (last as Row)[place] as Param);
    const count = await countRows(db, table, after);
    if (count === 0) return;
    const found = await db.query(
      sql<FoundRow>`select ${names(table.columns.map(({ name }) => name))} ${from(db, table, after)} limit ${count}`,
    );
    const page = found.map((row) => toRow(table, row));
    yield page;
    last = page.at(-1);
    if (page.length < count || last === undefined) return;
  }
}

/** How many rows make the next page. Their lengths are known without reading them. */
async function countRows(db: Database, table: Table, after: readonly Param[] | undefined): Promise<number> {
  const long = table.columns.filter(({ kind }) => kind === 'text' || kind === 'bytes');
  const others = raw(String((table.columns.length - long.length + 1) * BYTES_OF_OTHERS));
  const size = join([others, ...long.map(({ name }) => sql`coalesce(octet_length(${quoted(name)}), 0)`)], ' + ');
  const sizes = await db.query(sql<{ size: number }>`select ${size} as size ${from(db, table, after)} limit ${MOST_ROWS}`);
  let bytes = 0;
  let count = 0;
  for (const row of sizes) {
    bytes += Number(row.size);
    if (count > 0 && bytes > MOST_BYTES) break;
    count++;
  }
  return count;
}

function from(db: Database, table: Table, after: readonly Param[] | undefined): Sql {
  const key = names(table.keys[db.engine]);
  return sql`from ${quoted(table.name)} ${after ? sql`where (${key}) > (${join(after, ', ')})` : nothing} order by ${key}`;
}

/** Adds the rows, all or none; with `unlessThere`, those that are missing. */
export async function insertRows(db: Database, table: Table, page: readonly Row[], unlessThere: boolean): Promise<void> {
  const into = sql`insert into ${quoted(table.name)} (${names(table.columns.map(({ name }) => name))})`;
  const numbers = table.numbered !== undefined && db.engine === 'postgres' ? raw(' overriding system value') : nothing;
  const conflict = unlessThere ? sql` on conflict (${names(table.keys[db.engine])}) do nothing` : nothing;
  const statements: Sql[] = [];
  let done = 0;
  for (const size of INSERTED_TOGETHER) {
    for (; page.length - done >= size; done += size) {
      statements.push(sql`${into}${numbers} values ${rows(page.slice(done, done + size))}${conflict}`);
    }
  }
  await db.batch(statements);
}

export async function isEmpty(db: Database, table: string): Promise<boolean> {
  return (await db.query(sql`select 1 as one from ${quoted(table)} limit 1`)).length === 0;
}

function toRow({ name: table, columns }: Table, found: FoundRow): Row {
  return columns.map((column) => toParam(table, column, found[column.name]));
}

function toParam(table: string, { name, kind }: Column, stored: unknown): Param {
  if (stored === null || stored === undefined) return null;
  if (kind === 'boolean') return stored === true || stored === 1;
  if (kind === 'bytes') {
    if (stored instanceof Uint8Array) return stored;
  } else if (kind === 'integer') {
    if (Number.isSafeInteger(stored)) return stored as number;
  } else if (typeof stored === 'string') return kind === 'time' ? toMilliseconds(stored) : stored;
  throw new Error(`A value of ${table}.${name} is no ${kind}: ${String(stored).slice(0, 40)}`);
}

/** PostgreSQL would keep microseconds; the service writes and reads times in this form alone. */
function toMilliseconds(time: string): string {
  if (time.length === 24 && time.endsWith('Z')) return time;
  const ms = Date.parse(time);
  return Number.isNaN(ms) ? time : new Date(ms).toISOString();
}

function names(columns: readonly string[]): Sql {
  return join(columns.map(quoted), ', ');
}

/** Names come from the databases themselves. */
export function quoted(name: string): Sql {
  return raw(`"${name.replaceAll('"', '""')}"`);
}
