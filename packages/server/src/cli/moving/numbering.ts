/** Tables that number their rows go on after the highest number that was ever given, even where its row is gone. */
import type { Database } from '../../db/database.ts';
import { raw, sql } from '../../db/sql.ts';
import type { Table } from './tables.ts';

export async function continueNumbers(source: Database, target: Database, table: Table): Promise<void> {
  if (table.numbered === undefined) return;
  const last = await lastNumber(source, table.name, table.numbered);
  // SQLite also keeps a nought, of a table that was written to and got no row.
  if (last === undefined || last < 1) return;
  if (target.engine === 'postgres') {
    await target.query(sql`select setval(pg_get_serial_sequence(${table.name}, ${table.numbered}), ${last})`);
  } else {
    await target.batch([
      sql`delete from sqlite_sequence where name = ${table.name}`,
      sql`insert into sqlite_sequence (name, seq) values (${table.name}, ${last})`,
    ]);
  }
}

async function lastNumber(db: Database, table: string, column: string): Promise<number | undefined> {
  if (db.engine === 'sqlite')
    return (await db.query(sql<{ last: number }>`select seq as last from sqlite_sequence where name = ${table}`))[0]?.last;
  const [sequence] = await db.query(sql<{ name: string | null }>`select pg_get_serial_sequence(${table}, ${column}) as name`);
  if (!sequence?.name) return undefined;
  const [found] = await db.query(
    sql<{ last: number | null }>`select case when is_called then last_value end as last from ${raw(sequence.name)}`,
  );
  return found?.last ?? undefined;
}
