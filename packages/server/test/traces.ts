/** Where in the whole database something can still be read: for tests of what is deleted for good. */
import { raw, sql } from '../src/db/sql.ts';
import type { TestApi } from './api.ts';

/** Every table of the database, by its name. */
export async function allTables({ db }: TestApi): Promise<string[]> {
  const tables =
    db.engine === 'sqlite'
      ? sql<{ name: string }>`select name from sqlite_master where type = 'table' and name not like 'sqlite_%' order by name`
      : sql<{ name: string }>`select table_name as name from information_schema.tables where table_schema = 'public' order by table_name`;
  return (await db.query(tables)).map(({ name }) => name);
}

/** `table.column` of every value that has one of the texts in it, whatever the case; in bytes too. */
export async function findTraces(api: TestApi, texts: readonly string[]): Promise<string[]> {
  const wanted = texts.map((text) => text.toLowerCase());
  const found = new Set<string>();
  for (const table of await allTables(api)) {
    for (const row of await api.db.query(sql<Record<string, unknown>>`select * from ${raw(table)}`)) {
      for (const [column, value] of Object.entries(row)) {
        const held = textOf(value).toLowerCase();
        if (wanted.some((text) => held.includes(text))) found.add(`${table}.${column}`);
      }
    }
  }
  return [...found].sort();
}

function textOf(value: unknown): string {
  if (value instanceof Uint8Array) return Buffer.from(value).toString('latin1');
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}
