/** An embedded database with rows in every table, by what the tables say of themselves: those of later migrations too. */
import { pino } from 'pino';
import { type MigratableDatabase, migrate } from '../src/db/migrate.ts';
import { openDatabase } from '../src/db/open.ts';
import { boundRows, join, type Param, raw, sql } from '../src/db/sql.ts';

export const silent = pino({ level: 'silent' });

export function openEmbedded(dataDir: string): Promise<MigratableDatabase> {
  return openDatabase({ databaseUrl: undefined, databasePoolSize: 0, dataDir }, silent);
}

interface Column {
  name: string;
  type: string;
  isNeeded: number;
  hidden: number;
}

const ROWS = 3;
/** The same ids in every table, so that what refers to another finds it. */
const idOf = (row: number) => `0199a7c4-3b1e-7c52-9d6f-${String(row).padStart(12, '0')}`;

export async function tableNames(db: MigratableDatabase): Promise<string[]> {
  const found = await db.query(
    sql<{ name: string }>`select name from sqlite_master where type = 'table' and name not like 'sqlite!_%' escape '!'`,
  );
  return found.map(({ name }) => name);
}

/** Each column as PostgreSQL has it tells what may stand there; the check of a column, which words. */
export async function fillEveryTable(dataDir: string, kinds: ReadonlyMap<string, string>): Promise<void> {
  const db = await openEmbedded(dataDir);
  try {
    await migrate(db);
    const waiting = new Set(await tableNames(db));
    waiting.delete('schema_migrations');
    const references = await db.query(
      sql<{ name: string; parent: string }>`
        select t.name, f."table" as parent from sqlite_master t, pragma_foreign_key_list(t.name) f where t.type = 'table'`,
    );
    // Those that others refer to come first.
    while (waiting.size > 0) {
      const next = [...waiting].filter((table) => !references.some(({ name, parent }) => name === table && waiting.has(parent)));
      if (next.length === 0) throw new Error(`${[...waiting].join(', ')} refer to each other`);
      for (const table of next) await fillTable(db, table, kinds);
      for (const table of next) waiting.delete(table);
    }
  } finally {
    await db.close();
  }
}

async function fillTable(db: MigratableDatabase, table: string, kinds: ReadonlyMap<string, string>): Promise<void> {
  const all = await db.query(sql<Column>`select name, type, "notnull" or pk > 0 as "isNeeded", hidden from pragma_table_xinfo(${table})`);
  const columns = all.filter(({ hidden }) => hidden === 0);
  const definition = await db.one(sql<{ text: string }>`select sql as text from sqlite_master where type = 'table' and name = ${table}`);
  const values: Param[] = [];
  for (let row = 1; row <= ROWS; row++) {
    for (const column of columns) {
      const allowed = new RegExp(`check \\(${column.name} in \\('([^']+)'`).exec(definition.text)?.[1];
      const isNull = row === ROWS && column.isNeeded === 0;
      values.push(isNull ? null : (allowed ?? valueFor(kinds.get(`${table}.${column.name}`), column.name, row)));
    }
  }
  const names = join(
    columns.map(({ name }) => raw(`"${name}"`)),
    ', ',
  );
  await db.run(sql`insert into ${raw(table)} (${names}) values ${boundRows(values, columns.length)}`);
}

function valueFor(kind: string | undefined, name: string, row: number): Param {
  switch (kind) {
    case 'uuid':
      return idOf(row);
    case 'timestamp with time zone':
      return `2026-01-0${row}T10:20:30.00${row}Z`;
    case 'boolean':
      return row % 2 === 0;
    case 'bigint':
      return 2 ** 52 + row;
    case 'integer':
    case 'smallint':
      return row * 100;
    case 'bytea':
      return new Uint8Array([0, 255, row, 92, 39, 0]);
    case 'text':
      return `${name} ${row}: "é" 'ß' \\ 😀\n\t{"a": null}`;
    default:
      throw new Error(`A ${kind} column, ${name}: say what may stand there`);
  }
}
