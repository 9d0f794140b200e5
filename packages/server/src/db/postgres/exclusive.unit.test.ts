/** Migrations: once, whole, and in nobody's way. */
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../test/database.ts';
import { sql } from '../sql.ts';
import { openPostgres, type PostgresDatabase } from './engine.ts';
import type { PostgresOptions } from './options.ts';

let database: TestDatabase;
let admin: PostgresDatabase;

beforeAll(async () => {
  database = await createTestDatabase();
  admin = await openPostgres({ url: database.url, poolSize: 2 });
});

afterAll(async () => {
  await admin?.close();
  await database?.drop();
});

async function open(options: Partial<PostgresOptions> = {}): Promise<PostgresDatabase> {
  const db = await openPostgres({ url: database.url, poolSize: 2, ...options });
  onTestFinished(() => db.close());
  return db;
}

test('run once when many nodes start together', async () => {
  await admin.run(sql`create table applied (name text primary key, by_node int not null)`);
  const nodes = await Promise.all(Array.from({ length: 6 }, () => open({ poolSize: 1 })));
  let inside = 0;
  await Promise.all(
    nodes.map((db, number) =>
      db.exclusively(async () => {
        expect(++inside).toBe(1);
        const done = await db.maybeOne(sql`select name from applied where name = 'books'`);
        if (!done)
          await db.migrate(
            'create table books (id int); create table pages (id int);',
            sql`insert into applied values ('books', ${number})`,
          );
        inside--;
      }),
    ),
  );
  expect(await admin.query(sql`select name from applied`)).toStrictEqual([{ name: 'books' }]);
});

test('leave nothing of a script that fails, and give the lock back', async () => {
  const db = await open();
  await admin.run(sql`create table if not exists applied (name text primary key, by_node int not null)`);
  const record = sql`insert into applied values ('half', 0)`;
  await expect(db.exclusively(() => db.migrate('create table half (id int); create table half (id int);', record))).rejects.toThrow(
    /already exists/,
  );
  await db.exclusively(() => db.migrate('create table half (id int);', record));
  await expect(db.exclusively(() => db.migrate('create table other (id int);', record))).rejects.toThrow(/unique/);
  const found = await admin.query(sql`select to_regclass('half') is not null as half, to_regclass('other') is not null as other`);
  expect(found).toStrictEqual([{ half: true, other: false }]);
});

test('do not run outside the lock', async () => {
  const db = await open();
  await expect(db.migrate('create table never (id int)', sql`select 1`)).rejects.toThrow(/exclusively/);
});

test('let others pass while they wait for a table that someone reads for long', async () => {
  const [db, reader] = [await open(), await open({ transactionLimitMs: 120_000 })];
  await admin.run(sql`create table shelves (id int)`);
  const [begun, over] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const reading = reader.transaction(async (tx) => {
    await tx.query(sql`select id from shelves`);
    begun.resolve();
    await over.promise;
  });
  await begun.promise;
  const migrating = db.exclusively(() => db.migrate('alter table shelves add column name text', sql`select 1`));
  const waiting = sql`select 1 from pg_locks where not granted and relation = 'shelves'::regclass`;
  await expect.poll(() => admin.query(waiting), { timeout: 30_000 }).toHaveLength(1);
  // Whoever comes now stands behind the migration, until it gives up.
  expect(await admin.query(sql`select id from shelves`)).toEqual([]);
  over.resolve();
  await reading;
  await migrating;
  expect(await admin.query(sql`select name from shelves`)).toEqual([]);
});
