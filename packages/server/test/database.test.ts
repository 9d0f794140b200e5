import pg from 'pg';
import { expect, onTestFinished, test } from 'vitest';
import { createTestDatabase, type Template } from './database.ts';

async function ask(url: string, text: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(text)).rows;
  } finally {
    await client.end();
  }
}

async function create(template?: Template) {
  const database = await createTestDatabase(template);
  onTestFinished(() => database.drop());
  return database;
}

test('a template is prepared once, and its copies do not share what is written to them', async () => {
  let prepared = 0;
  const template: Template = {
    name: 'with_books',
    prepare: async (url) => {
      prepared++;
      await ask(url, `create table books as select 'one' as title`);
    },
  };
  const [a, b] = await Promise.all([create(template), create(template)]);
  await ask(a.url, `insert into books values ('two')`);
  expect(await ask(a.url, 'select count(*)::int as n from books')).toStrictEqual([{ n: 2 }]);
  expect(await ask(b.url, 'select count(*)::int as n from books')).toStrictEqual([{ n: 1 }]);
  expect(prepared).toBe(1);
});

test('a database has pgvector, and is gone once dropped', async () => {
  const { url, drop } = await create();
  expect(await ask(url, `select '[1,2]'::vector::text as v`)).toStrictEqual([{ v: '[1,2]' }]);
  await drop();
  await expect(ask(url, 'select 1')).rejects.toThrow(/does not exist/);
});
