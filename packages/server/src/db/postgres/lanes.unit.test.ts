import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../test/database.ts';
import { runInLane } from '../../lanes/current-lane.ts';
import { DatabaseUnavailable } from '../errors.ts';
import { sql } from '../sql.ts';
import { openPostgres, type PostgresDatabase } from './engine.ts';

let database: TestDatabase;

beforeAll(async () => {
  database = await createTestDatabase();
});

afterAll(async () => {
  await database?.drop();
});

/** With one connection: what is answered first was asked of the server first. */
async function open(): Promise<PostgresDatabase> {
  const db = await openPostgres({ url: database.url, poolSize: 1, connectTimeoutMs: 60_000 });
  onTestFinished(() => db.close());
  return db;
}

const scan = sql`select 1 as one from generate_series(1, 3)`;
const lookup = sql`select 1 as one`;

/** Many of one lane, then a few of another, all at once; what was answered, in order. */
async function crowdAndNeighbours(ask: () => Promise<unknown>, crowd: number, neighbours: number): Promise<string[]> {
  const order: string[] = [];
  const inLane = (lane: string) =>
    runInLane(lane, ask).then(
      () => order.push(lane),
      (error) => order.push(error instanceof DatabaseUnavailable ? `${lane} refused` : String(error)),
    );
  await Promise.all([
    ...Array.from({ length: crowd }, () => inLane('crowd')),
    ...Array.from({ length: neighbours }, () => inLane('neighbour')),
  ]);
  return order;
}

test('connections are given in turn by lane', async () => {
  const db = await open();
  const order = await crowdAndNeighbours(() => db.query(scan), 500, 3);
  expect(order.slice(0, 7)).toEqual(['crowd', 'crowd', 'neighbour', 'crowd', 'neighbour', 'crowd', 'neighbour']);
  expect(order).toHaveLength(503);
});

test('transactions and batches too', async () => {
  const db = await open();
  const transactions = await crowdAndNeighbours(() => db.transaction((tx) => tx.query(scan)), 100, 3);
  expect(transactions.lastIndexOf('neighbour')).toBeLessThan(10);
  const batches = await crowdAndNeighbours(() => db.batch([scan, scan]), 100, 3);
  expect(batches.lastIndexOf('neighbour')).toBeLessThan(10);
});

test('look-ups of all lanes share their packets', async () => {
  const db = await open();
  const order = await crowdAndNeighbours(() => db.maybeOne(lookup), 900, 10);
  expect(order.lastIndexOf('neighbour')).toBeLessThan(32);
  expect(order).toHaveLength(910);
});

test('a lane with too much waiting is refused, and another is not', async () => {
  const db = await open();
  const count = (order: string[], what: string) => order.filter((answer) => answer === what).length;
  const scans = await crowdAndNeighbours(() => db.query(scan), 1_010, 10);
  // One of them has the connection already.
  expect([count(scans, 'crowd'), count(scans, 'crowd refused'), count(scans, 'neighbour')]).toEqual([1_001, 9, 10]);
  const lookups = await crowdAndNeighbours(() => db.maybeOne(lookup), 1_010, 10);
  expect([count(lookups, 'crowd'), count(lookups, 'crowd refused'), count(lookups, 'neighbour')]).toEqual([1_000, 10, 10]);
  expect(db.gauges()).toMatchObject({ pool_waiting: 0, lookups_waiting: 0, statements_refused_total: 19 });
});

test('whoever waited too long is refused, and their turn passes on', async () => {
  const db = await openPostgres({ url: database.url, poolSize: 1, connectTimeoutMs: 200 });
  onTestFinished(() => db.close());
  const slow = db.query(sql`select pg_sleep(1)`);
  await expect(db.query(scan)).rejects.toThrow('No connection became free in time');
  await slow;
  expect(await db.query(lookup)).toEqual([{ one: 1 }]);
});
