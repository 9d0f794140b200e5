import { expect, test } from 'vitest';
import { currentLane, runInLane, runInServiceLane } from '../../lanes/current-lane.ts';
import { DatabaseUnavailable } from '../errors.ts';
import { sql } from '../sql.ts';
import { insertNote, noteIds, openForTest } from './open-for-test.ts';

const read = sql`select count(*) as n from notes`;

/** What was answered, in the order in which it was. */
function orderOf() {
  const order: string[] = [];
  const note = (name: string) => ({
    in: <T>(lane: string, work: () => Promise<T>) =>
      runInLane(lane, work).then(
        () => void order.push(name),
        (error) => void order.push(`${name} ${error instanceof DatabaseUnavailable ? 'refused' : error}`),
      ),
  });
  return { order, note };
}

test('a read comes after one of another lane at most, however many of it wait', async () => {
  const db = await openForTest({ maxReaders: 1 });
  const { order, note } = orderOf();
  const crowd = Array.from({ length: 900 }, (_, index) => note(`crowd ${index}`).in('crowd', () => db.query(read)));
  const neighbours = [0, 1].map((index) => note(`neighbour ${index}`).in('neighbour', () => db.query(read)));
  expect(db.gauges()).toMatchObject({ read_queue_lanes: 2, reads_refused_total: 0 });
  await Promise.all([...crowd, ...neighbours]);
  expect(order.slice(0, 6)).toEqual(['crowd 0', 'crowd 1', 'neighbour 0', 'crowd 2', 'neighbour 1', 'crowd 3']);
  expect(order).toHaveLength(902);
});

test('a lane with too many reads is refused, and another is not', async () => {
  const db = await openForTest({ maxReaders: 1 });
  const { order, note } = orderOf();
  await Promise.all([
    ...Array.from({ length: 1_010 }, () => note('crowd').in('crowd', () => db.query(read))),
    ...Array.from({ length: 10 }, () => note('neighbour').in('neighbour', () => db.query(read))),
  ]);
  const count = (what: string) => order.filter((answer) => answer === what).length;
  // One of them is with the reader already.
  expect([count('crowd'), count('crowd refused'), count('neighbour')]).toEqual([1_001, 9, 10]);
  expect(db.gauges().reads_refused_total).toBe(9);
});

test('ten crowded lanes keep no other from reading', async () => {
  const db = await openForTest({ maxReaders: 1 });
  const { order, note } = orderOf();
  await Promise.all([
    ...Array.from({ length: 10_500 }, (_, index) => note('crowd').in(`crowd ${index % 10}`, () => db.query(read))),
    ...Array.from({ length: 10 }, () => note('neighbour').in('neighbour', () => db.query(read))),
  ]);
  expect(order.filter((answer) => answer === 'neighbour')).toHaveLength(10);
  expect(order.indexOf('neighbour')).toBeLessThan(600);
});

test('writes of a lane keep their order, and a group has some of every lane', async () => {
  const db = await openForTest();
  const { order, note } = orderOf();
  const write = (lane: string, index: number) => note(`${lane}${index}`).in(lane, () => db.run(insertNote(`${lane}${index}`)));
  const crowd = Array.from({ length: 2_000 }, (_, index) => write('crowd', index));
  const neighbours = Array.from({ length: 50 }, (_, index) => write('neighbour', index));
  await Promise.all([...crowd, ...neighbours]);
  // All fifty are in the first group of 512.
  expect(order.findLastIndex((name) => name.startsWith('neighbour'))).toBeLessThan(512);
  const ofLane = (lane: string) => order.filter((name) => name.startsWith(lane));
  expect(ofLane('crowd')).toEqual(Array.from({ length: 2_000 }, (_, index) => `crowd${index}`));
  expect(ofLane('neighbour')).toEqual(Array.from({ length: 50 }, (_, index) => `neighbour${index}`));
});

test('transactions come in turn too, and their work is in the lane of who began it', async () => {
  const db = await openForTest();
  const { order, note } = orderOf();
  const transact = (lane: string, index: number) =>
    note(`${lane}${index}`).in(lane, () =>
      db.transaction(async (tx) => {
        expect(currentLane()).toBe(lane);
        await tx.run(insertNote(`${lane}${index}`));
      }),
    );
  await Promise.all([
    ...Array.from({ length: 100 }, (_, index) => transact('crowd', index)),
    ...Array.from({ length: 3 }, (_, index) => transact('neighbour', index)),
  ]);
  expect(order.filter((name) => name.startsWith('neighbour'))).toEqual(['neighbour0', 'neighbour1', 'neighbour2']);
  expect(order.indexOf('neighbour2')).toBeLessThan(10);
  expect(await noteIds(db)).toHaveLength(103);
});

test('a lane has a quarter of the queue of writes, and is refused beyond it with a time to come back', async () => {
  const db = await openForTest({ maxQueue: 40 });
  const outcomes = await Promise.allSettled(
    Array.from({ length: 12 }, (_, index) => runInLane('crowd', () => db.run(insertNote(`n${index}`)))),
  );
  const refused = outcomes.filter((outcome) => outcome.status === 'rejected');
  expect(refused).toHaveLength(2);
  expect(refused[0]?.reason).toMatchObject({ name: 'DatabaseUnavailable', retryAfterSeconds: 1 });
  expect(db.gauges().writes_refused_total).toBe(2);
});

test('four lanes that fill the queue of writes keep no fifth out', async () => {
  const db = await openForTest({ maxQueue: 40 });
  const write = (lane: string, index: number) => runInLane(lane, () => db.run(insertNote(`${lane}-${index}`)));
  const crowd = Array.from({ length: 60 }, (_, index) => write(`crowd ${index % 4}`, index));
  const neighbours = Array.from({ length: 5 }, (_, index) => write('neighbour', index));
  const outcomes = await Promise.allSettled(crowd);
  expect(await Promise.all(neighbours)).toEqual([1, 1, 1, 1, 1]);
  expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(35);
  // Whoever was turned away left nothing.
  expect(await noteIds(db)).toHaveLength(40);
});

test('a lane has a quarter of the bytes that may wait', async () => {
  const db = await openForTest();
  const write = (lane: string, index: number) => runInLane(lane, () => db.run(insertNote(`${lane}-${index}`, 'x'.repeat(1_000_000))));
  const crowd = Array.from({ length: 30 }, (_, index) => write('crowd', index));
  const neighbours = Array.from({ length: 3 }, (_, index) => write('neighbour', index));
  const outcomes = await Promise.allSettled(crowd);
  expect(outcomes.filter(({ status }) => status === 'fulfilled').length).toBeLessThanOrEqual(16);
  expect(await Promise.all(neighbours)).toEqual([1, 1, 1]);
});

test('what a lane starts for all is in none', async () => {
  expect(currentLane()).toBe('');
  const lanes = await runInLane('a', async () => {
    await Promise.resolve();
    return [currentLane(), runInServiceLane(currentLane), await new Promise((resolve) => setImmediate(() => resolve(currentLane())))];
  });
  expect(lanes).toEqual(['a', '', 'a']);
});
