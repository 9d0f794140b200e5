/** Groups that are sent to the writer thread while it is with the one before. */
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setImmediate as turn } from 'node:timers/promises';
import type { Worker } from 'node:worker_threads';
import { expect, onTestFinished, test } from 'vitest';
import { runInLane } from '../../lanes/current-lane.ts';
import { type Sql, sql } from '../sql.ts';
import { DATABASE_FILE } from './connection.ts';
import type { SqliteDatabase } from './engine.ts';
import { insertNote, newFolder, noteIds, openForTest } from './open-for-test.ts';
import type { SqliteOptions } from './options.ts';

/** A database whose writer thread waits for another's transaction, with one group. */
async function openHeld(options: Partial<SqliteOptions> = {}) {
  let writer: Worker | undefined;
  const onWorker = (worker: Worker) => {
    writer ??= worker;
  };
  process.on('worker', onWorker);
  const dataDir = newFolder();
  const db = await openForTest({ ...options, dataDir }).finally(() => process.off('worker', onWorker));
  const other = new DatabaseSync(join(dataDir, DATABASE_FILE));
  onTestFinished(() => other.close());
  other.exec('begin immediate');
  const first = answerOf(db.batch([numbered('first'), numbered('also first')]));
  await sending();
  return { db, first, release: () => other.exec('rollback'), writer: writer as Worker };
}

/** What waits is sent at the end of a turn of the event loop. */
const sending = async () => {
  await turn();
  await turn();
};
const answerOf = (write: Promise<unknown>) =>
  write.then(
    () => 'kept',
    (error: Error) => error.message,
  );
const numbered = (id: string): Sql => sql`insert into notes (id, body) select ${id}, count(*) from notes`;
const addNotes = (db: SqliteDatabase, name: string, count: number) =>
  Array.from({ length: count }, (_, index) => answerOf(db.run(numbered(`${name} ${index}`))));
const waitingIn = (db: SqliteDatabase) => db.gauges().write_queue_length;
const groupsOf = (db: SqliteDatabase) => db.gauges().write_groups_total as number;
const inOrder = async (db: SqliteDatabase) =>
  (await db.query(sql<{ id: string }>`select id from notes order by cast(body as integer)`)).map(({ id }) => id);
const names = (name: string, count: number) => Array.from({ length: count }, (_, index) => `${name} ${index}`);

test('many that wait are sent behind the group in the thread, a few are not, and all are written in their order', async () => {
  const { db, first, release } = await openHeld();
  const groups = groupsOf(db);
  const few = addNotes(db, 'a', 7);
  await sending();
  expect(waitingIn(db)).toBe(7);
  const more = addNotes(db, 'b', 3);
  await sending();
  expect(waitingIn(db)).toBe(0);
  const last = addNotes(db, 'c', 20);
  await sending();
  // Never more than one behind the other.
  expect(waitingIn(db)).toBe(20);
  release();
  expect(new Set(await Promise.all([first, ...few, ...more, ...last]))).toEqual(new Set(['kept']));
  expect(await inOrder(db)).toEqual(['first', 'also first', ...names('a', 7), ...names('b', 3), ...names('c', 20)]);
  expect(groupsOf(db) - groups).toBe(3);
});

test('a group that is sent ahead is bounded, so that another lane that comes later is in the next one', async () => {
  const { db, first, release } = await openHeld();
  const crowd = runInLane('crowd', () => addNotes(db, 'crowd', 200));
  await sending();
  expect(waitingIn(db)).toBe(72);
  const neighbour = runInLane('neighbour', () => addNotes(db, 'neighbour', 1));
  release();
  await Promise.all([first, ...crowd, ...neighbour]);
  const order = await inOrder(db);
  expect(order).toHaveLength(203);
  expect(order.indexOf('neighbour 0')).toBeLessThan(2 + 128 + 3);

  const large = await openHeld();
  const letters = Array.from({ length: 10 }, (_, index) => large.db.run(insertNote(`large ${index}`, 'x'.repeat(300_000))));
  await sending();
  expect(waitingIn(large.db)).toBe(7);
  large.release();
  await Promise.all([large.first, ...letters]);
});

test('nothing is sent ahead where a transaction waits, and it sees all that was asked for before it', async () => {
  const { db, first, release } = await openHeld();
  const before = addNotes(db, 'before', 10);
  const seen = db.transaction(async (tx) => {
    await tx.run(numbered('inside'));
    return (await tx.one(sql<{ n: number }>`select count(*) as n from notes`)).n;
  });
  const after = addNotes(db, 'after', 10);
  await sending();
  expect(waitingIn(db)).toBe(21);
  release();
  expect(await seen).toBe(13);
  await Promise.all([first, ...before, ...after]);
  expect(await inOrder(db)).toEqual(['first', 'also first', ...names('before', 10), 'inside', ...names('after', 10)]);
});

test('a transaction that comes behind a group that was sent ahead runs after it', async () => {
  const { db, first, release } = await openHeld();
  const ahead = addNotes(db, 'ahead', 10);
  await sending();
  const seen = db.transaction(async (tx) => (await tx.one(sql<{ n: number }>`select count(*) as n from notes`)).n);
  const script = db.exec('create table later (id text)');
  release();
  expect(await seen).toBe(12);
  await Promise.all([first, script, ...ahead]);
  expect(await db.query(sql`select id from later`)).toEqual([]);
});

test('units that fail in either group are undone alone', async () => {
  const { db, first, release } = await openHeld();
  const failing = () => answerOf(db.batch([numbered('undone'), numbered('first')]));
  const ahead = [...addNotes(db, 'a', 8), failing(), ...addNotes(db, 'b', 2)];
  await sending();
  expect(waitingIn(db)).toBe(0);
  const next = [failing(), ...addNotes(db, 'c', 8)];
  release();
  const isKept = (answers: string[]) => answers.map((answer) => answer === 'kept');
  expect(await first).toBe('kept');
  expect(isKept(await Promise.all(ahead))).toEqual([...Array(8).fill(true), false, true, true]);
  expect(isKept(await Promise.all(next))).toEqual([false, ...Array(8).fill(true)]);
  expect(await noteIds(db)).toEqual(['first', 'also first', ...names('a', 8), ...names('b', 2), ...names('c', 8)].sort());
});

test('when the thread dies, those of both groups hear that their outcome is not known, and what waits is written by the next', async () => {
  const { db, first, release, writer } = await openHeld();
  const ahead = addNotes(db, 'ahead', 10);
  await sending();
  const waiting = addNotes(db, 'waiting', 5);
  await sending();
  expect(waitingIn(db)).toBe(5);
  const ended = writer.terminate();
  release();
  await ended;
  const unknown = expect.stringContaining('whether the write was kept is not known');
  expect(await Promise.all([first, ...ahead])).toEqual(Array(11).fill(unknown));
  expect(await Promise.all(waiting)).toEqual(Array(5).fill('kept'));
  expect(await inOrder(db)).toEqual(names('waiting', 5));
  expect(db.gauges().writer_restarts_total).toBe(1);
});

test('closing finishes both groups and what waits', async () => {
  const { db, first, release } = await openHeld();
  const ahead = addNotes(db, 'ahead', 10);
  await sending();
  const waiting = addNotes(db, 'waiting', 10);
  const closed = db.close();
  release();
  await closed;
  expect(new Set(await Promise.all([first, ...ahead, ...waiting]))).toEqual(new Set(['kept']));
});

test('when the thread takes too long, those of both groups hear that theirs may be carried out, and those who wait that it is not', async () => {
  const { db, first, release } = await openHeld({ statementTimeoutMs: 500 });
  const ahead = addNotes(db, 'ahead', 10);
  await sending();
  const waiting = addNotes(db, 'waiting', 5);
  expect(await Promise.all([first, ...ahead])).toEqual(Array(11).fill(expect.stringContaining('It may still be carried out')));
  expect(await Promise.all(waiting)).toEqual(Array(5).fill(expect.stringContaining('this one was not carried out')));
  release();
  await expect.poll(() => answerOf(db.run(numbered('after')))).toBe('kept');
  expect(await inOrder(db)).toEqual(['first', 'also first', ...names('ahead', 10), 'after']);
});
