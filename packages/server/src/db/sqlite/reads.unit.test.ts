import { expect, test } from 'vitest';
import { DatabaseUnavailable } from '../errors.ts';
import { shape } from '../shape.ts';
import { sql } from '../sql.ts';
import { insertNote, openForTest, slowCount } from './open-for-test.ts';

interface Note {
  id: string;
  done: boolean;
  meta: unknown;
}
const note = shape<Note>({ id: 'text', done: 'boolean', meta: 'json' });

test('booleans and JSON come back as they went in, by every way of asking', async () => {
  const db = await openForTest();
  const insert = sql<Note>`insert into notes (id, done, meta) values (${'a'}, ${true}, ${'{"by":["user",1]}'}) returning ${note}`;
  const select = sql<Note>`select ${note} from notes where done = ${true}`;
  const expected = { id: 'a', done: true, meta: { by: ['user', 1] } };
  expect(await db.one(insert)).toStrictEqual(expected);
  expect(await db.one(select)).toStrictEqual(expected);
  expect(await db.maybeOne(select)).toStrictEqual(expected);
  expect(await db.query(select)).toStrictEqual([expected]);
  expect(await db.batch([select])).toStrictEqual([[expected]]);
  expect(await db.transaction((tx) => tx.one(select))).toStrictEqual(expected);
  expect(await db.maybeOne(sql`select ${note} from notes where done = ${false}`)).toBeUndefined();
});

test('whole numbers are bound as integers, others as they are', async () => {
  const db = await openForTest();
  await db.run(sql`insert into notes (id, body) values (${'a'}, ${7})`);
  const select = sql`select body, ${7} / 2 as half, ${7.5} as fraction, ${2 ** 53 - 1} as large from notes limit ${1}`;
  const expected = { body: '7', half: 3, fraction: 7.5, large: 2 ** 53 - 1 };
  expect(await db.one(select)).toEqual(expected);
  expect(await db.query(select)).toEqual([expected]);
  expect(await db.batch([select])).toEqual([[expected]]);
});

test('bytes survive both ways, a small view of a large buffer too', async () => {
  const db = await openForTest();
  const bytes = Buffer.from([0, 1, 254, 255]);
  await db.run(sql`insert into notes (id, body) values ('a', ${bytes})`);
  const select = sql<{ body: Uint8Array }>`select body from notes where body = ${bytes}`;
  expect([...(await db.one(select)).body]).toEqual([0, 1, 254, 255]);
  expect([...((await db.query(select))[0]?.body ?? [])]).toEqual([0, 1, 254, 255]);
});

test('a missing row is undefined, or the error of the statement', async () => {
  const db = await openForTest();
  const missing = sql`select id from notes where id = 'none'`;
  expect(await db.maybeOne(missing)).toBeUndefined();
  await expect(db.one(missing.orElse(() => new Error('no such note')))).rejects.toThrow('no such note');
  await expect(db.query(missing.orElse(() => new Error('no such note')))).rejects.toThrow('no such note');
  await expect(db.one(missing)).rejects.toThrow('always has a row');
});

test('what is acknowledged is seen by the next read, on every connection', async () => {
  const db = await openForTest();
  for (let index = 0; index < 50; index++) {
    await db.run(insertNote(`n${index}`));
    expect(await db.maybeOne(sql`select 1 as found from notes where id = ${`n${index}`}`)).toEqual({ found: 1 });
    expect(await db.query(sql`select count(*) as n from notes`)).toEqual([{ n: index + 1 }]);
  }
});

test('a scan that gives rows is stopped at its limit, and its thread goes on', async () => {
  const db = await openForTest({ statementTimeoutMs: 1_000 });
  const endless = sql`with recursive c (n) as (select 1 union all select n + 1 from c) select n from c`;
  await expect(db.query(endless)).rejects.toThrow('took longer than 1 s');
  expect(db.gauges().readers_abandoned_total).toBe(0);
  expect(await db.query(sql`select 1 as n`)).toEqual([{ n: 1 }]);
});

test('a scan that gives nothing is given up at its limit, and another thread takes the place', async () => {
  const db = await openForTest({ statementTimeoutMs: 1_000, maxReaders: 1 });
  const runaway = db.query(slowCount(1_000_000_000));
  const behind = db.query(sql`select 2 as n`).catch((error) => error);
  const error = await runaway.catch((failure) => failure);
  expect(error).toBeInstanceOf(DatabaseUnavailable);
  expect(error.message).toContain('took longer than 1 s');
  await behind;
  expect(await db.query(sql`select 1 as n`)).toEqual([{ n: 1 }]);
  expect(await db.run(insertNote('a'))).toBe(1);
  expect(db.gauges().readers_abandoned_total).toBe(1);
});

test('a scan does not hold up the event loop', async () => {
  const db = await openForTest();
  // Starting a thread is not what is measured.
  await db.query(sql`select 1`);
  let ticks = 0;
  const ticker = setInterval(() => ticks++, 5);
  await db.query(slowCount(2_000_000));
  clearInterval(ticker);
  expect(ticks).toBeGreaterThan(3);
});

test('a slow look-up is logged with its text and without its parameters', async () => {
  const warnings: unknown[] = [];
  // A busy machine may have a thread warned of, too. A time may have any digits.
  const warn = ({ tookMs, ...fields }: { tookMs?: number }) => void (tookMs !== undefined && warnings.push(fields));
  const db = await openForTest({ log: { info() {}, error() {}, warn } });
  for (let time = 0; time < 100; time++) await db.maybeOne(sql`select id from notes where id = ${'secret'}`);
  // On a busy machine some of them may wait for the processor.
  expect(warnings.length).toBeLessThan(50);
  await db.maybeOne(slowCount(300_000));
  expect(JSON.stringify(warnings)).toContain('with recursive c (n)');
  expect(JSON.stringify(warnings)).not.toMatch(/300000|secret/);
  expect(db.gauges().slow_lookups_total).toBe(warnings.length);
});

test('a failed read carries the text of the statement', async () => {
  const db = await openForTest();
  await expect(db.query(sql`select * from nowhere`)).rejects.toMatchObject({
    message: 'no such table: nowhere',
    statement: 'select * from nowhere',
  });
  await expect(db.maybeOne(sql`select * from nowhere`)).rejects.toMatchObject({ statement: 'select * from nowhere' });
});
