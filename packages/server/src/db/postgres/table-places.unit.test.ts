/** What Citus asks of the tables, looked at where there is none: a migration that breaks it fails here. */
import { pino } from 'pino';
import { beforeAll, expect, test } from 'vitest';
import { createTestDatabase } from '../../../test/database.ts';
import { type MigratableDatabase, migrate } from '../migrate.ts';
import { openDatabase } from '../open.ts';
import { sql } from '../sql.ts';
import { DISTRIBUTION_COLUMN, keyWithWorkspace, placeOfTable, type TableKeys, tableOfIndex, tableOfShard } from './table-places.ts';

interface UniqueIndex {
  readonly table: string;
  readonly name: string;
  readonly isPrimary: boolean;
  readonly columns: string[];
}

interface ForeignKey {
  readonly table: string;
  readonly referenced: string;
  readonly columns: string[];
  readonly onDelete: string;
}

let db: MigratableDatabase;
let tables: TableKeys[];
let indexes: UniqueIndex[];
let foreignKeys: ForeignKey[];

beforeAll(async () => {
  const database = await createTestDatabase();
  db = await openDatabase({ databaseUrl: database.url, databasePoolSize: 2, dataDir: '' }, pino({ level: 'silent' }));
  await migrate(db);
  indexes = await db.query(sql<UniqueIndex>`
    select t.relname as table, x.relname as name, i.indisprimary as "isPrimary", (
      select array_agg(a.attname::text order by k.place) from unnest(i.indkey) with ordinality k (number, place), pg_attribute a
      where a.attrelid = i.indrelid and a.attnum = k.number) as columns
    from pg_index i join pg_class t on t.oid = i.indrelid join pg_class x on x.oid = i.indexrelid
    where i.indisunique and t.relnamespace = current_schema()::regnamespace order by 1, 2`);
  foreignKeys = await db.query(sql<ForeignKey>`
    select t.relname as table, r.relname as referenced, f.confdeltype as "onDelete", (
      select array_agg(a.attname::text order by k.place) from unnest(f.conkey) with ordinality k (number, place), pg_attribute a
      where a.attrelid = f.conrelid and a.attnum = k.number) as columns
    from pg_constraint f join pg_class t on t.oid = f.conrelid join pg_class r on r.oid = f.confrelid
    where f.contype = 'f' and t.relnamespace = current_schema()::regnamespace`);
  const found = await db.query(sql<{ name: string; hasWorkspace: boolean }>`
    select c.relname as name, exists (
      select 1 from pg_attribute a where a.attrelid = c.oid and a.attname = ${DISTRIBUTION_COLUMN} and not a.attisdropped) as "hasWorkspace"
    from pg_class c where c.relkind = 'r' and c.relnamespace = current_schema()::regnamespace order by 1`);
  tables = found.map((table) => ({ ...table, primaryKey: primaryKeyOf(table.name), references: referencesOf(table.name) }));
  return async () => {
    await db.close();
    await database.drop();
  };
});

const referencesOf = (table: string) => foreignKeys.filter((key) => key.table === table).map(({ referenced }) => referenced);
const primaryKeyOf = (table: string) => indexes.find((index) => index.table === table && index.isPrimary)?.columns ?? [];
const placeOf = (name: string) => placeOfTable(tables.find((table) => table.name === name) as TableKeys);

test('every table has its place, by its workspace or because it is declared', () => {
  expect(tables.length).toBeGreaterThan(30);
  expect(tables.filter((table) => placeOfTable(table) === undefined).map(({ name }) => name)).toEqual([]);
});

test('every key of a distributed table has the workspace in it, and the primary key begins with it', () => {
  const distributed = tables.filter((table) => placeOfTable(table) === 'distributed');
  const wrong = distributed.filter((table) => (keyWithWorkspace(table) ?? table.primaryKey)[0] !== DISTRIBUTION_COLUMN);
  expect(wrong.map(({ name }) => name)).toEqual([]);
  const others = indexes.filter(({ table, isPrimary }) => !isPrimary && placeOf(table) === 'distributed');
  expect(others.filter(({ columns }) => !columns.includes(DISTRIBUTION_COLUMN)).map(({ name }) => name)).toEqual([]);
});

test('a foreign key stays among tables of one place, and of the distributed ones within the workspace', () => {
  const wrong = foreignKeys.filter(
    ({ table, referenced, columns, onDelete }) =>
      placeOf(table) !== placeOf(referenced) ||
      (placeOf(table) === 'distributed' && (!columns.includes(DISTRIBUTION_COLUMN) || onDelete === 'n')),
  );
  expect(wrong).toEqual([]);
});

test('a unique index tells its table, since a worker names the index alone in its error', () => {
  const named = indexes.filter(
    ({ table }) => placeOf(table) === 'distributed' && !keyWithWorkspace({ ...(tables.find(({ name }) => name === table) as TableKeys) }),
  );
  expect(named.filter(({ table, name }) => tableOfIndex(`${name}_102008`) !== table).map(({ name }) => name)).toEqual([]);
  expect(tables.filter(({ name }) => tableOfShard(name) !== name)).toEqual([]);
});
