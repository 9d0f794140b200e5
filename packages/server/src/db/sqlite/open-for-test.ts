/** A database in a folder of its own, with two small tables, for the tests of this engine. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { type Sql, sql } from '../sql.ts';
import { openSqlite, type SqliteDatabase } from './engine.ts';
import type { SqliteOptions } from './options.ts';

export const tables = `
  create table notes (id text primary key, body text, done integer not null default 0, meta text not null default 'null') without rowid;
  create table tags (note_id text not null references notes (id) on delete cascade, name text not null, primary key (note_id, name));
  create table schema_migrations (name text primary key);
`;

export function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'commonplace-sqlite-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

export async function openForTest(options: Partial<SqliteOptions> = {}): Promise<SqliteDatabase> {
  const db = await openSqlite({ dataDir: newFolder(), ...options });
  onTestFinished(() => db.close());
  await db.exec(tables);
  return db;
}

export const insertNote = (id: string, body = ''): Sql => sql`insert into notes (id, body) values (${id}, ${body})`;

export async function noteIds(db: Pick<SqliteDatabase, 'query'>): Promise<string[]> {
  return (await db.query(sql<{ id: string }>`select id from notes order by id`)).map(({ id }) => id);
}

/** Counts on its own for seconds, without a row to show for it until the end. */
export const slowCount = (upTo: number): Sql<{ n: number }> =>
  sql<{ n: number }>`with recursive c (n) as (select 1 union all select n + 1 from c where n < ${upTo}) select count(*) as n from c`;
