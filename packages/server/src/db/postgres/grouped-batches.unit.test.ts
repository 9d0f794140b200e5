/** Batches of one row, on the server: what waits goes together, and each learns what became of it. */
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../test/database.ts';
import { WireTap } from '../../../test/wire-tap.ts';
import { DatabaseUnavailable, UniqueViolation } from '../errors.ts';
import { newId } from '../ids.ts';
import { sql } from '../sql.ts';
import { openPostgres, type PostgresDatabase } from './engine.ts';
import type { PostgresOptions } from './options.ts';

let database: TestDatabase;
/** Holds rows and looks at the server from outside the engine under test. */
let admin: PostgresDatabase;

beforeAll(async () => {
  database = await createTestDatabase();
  admin = await openPostgres({ url: database.url, poolSize: 3, transactionLimitMs: 600_000 });
  await admin.run(sql`create table rooms (id uuid primary key, entries int not null)`);
  await admin.run(
    sql`create table entries (place int generated always as identity, room uuid not null references rooms, said text unique)`,
  );
});

afterAll(async () => {
  await admin?.close();
  await database?.drop();
});

async function open(options: Partial<PostgresOptions> = {}): Promise<PostgresDatabase> {
  const db = await openPostgres({ url: database.url, poolSize: 4, lockTimeoutMs: 600_000, statementTimeoutMs: 600_000, ...options });
  onTestFinished(() => db.close());
  return db;
}

async function newRoom(): Promise<string> {
  const id = newId();
  await admin.run(sql`insert into rooms (id, entries) values (${id}, ${0})`);
  return id;
}

class NoRoom extends Error {}

const write = (db: PostgresDatabase, room: string, said: string, ...more: string[]) =>
  db.batch([
    sql<{ entries: number }>`update rooms set entries = entries + 1 where id = ${room} returning entries`
      .changing(room)
      .orElse(() => new NoRoom()),
    sql`insert into entries (room, said) values (${room}, ${said})`,
    ...more.map((other) => sql`insert into entries (room, said) values (${room}, ${other})`),
  ]);

const said = async (room: string) =>
  (await admin.query(sql<{ said: string }>`select said from entries where room = ${room} order by place`)).map((entry) => entry.said);
const entriesOf = async (room: string) => (await admin.one(sql<{ entries: number }>`select entries from rooms where id = ${room}`)).entries;

/** Begins the writes while another has the row, and lets go of it when all wait: the first in the database, the others in the process. */
async function whileHeld<T>(db: PostgresDatabase, room: string, begin: () => Promise<T>[]): Promise<Promise<T>[]> {
  const { writes } = await admin.transaction(async (tx) => {
    await tx.run(sql`select id from rooms where id = ${room} for update`);
    const writes = begin();
    for (const write of writes) write.catch(() => undefined);
    await expect.poll(() => db.gauges().write_queue_length).toBe(writes.length - 1);
    await expect.poll(() => admin.query(waitingForRow)).toHaveLength(1);
    return { writes };
  });
  return writes;
}

const waitingForRow = sql`select pid from pg_stat_activity where datname = current_database() and wait_event_type = ${'Lock'}`;

const words = (count: number, prefix = newId()) => Array.from({ length: count }, (_, index) => `${prefix} ${index}`);

test('those that wait for a row are one packet, in the order in which they came', async () => {
  await using tap = await WireTap.start(database.url);
  const db = await open({ url: tap.url, poolSize: 1 });
  const room = await newRoom();
  const before = words(2);
  for (const word of before) await write(db, room, word);
  tap.take();
  const written = words(20);
  const outcomes = await Promise.all(await whileHeld(db, room, () => written.map((word) => write(db, room, word))));
  expect(outcomes.map(([[first]]) => first.entries)).toEqual(written.map((_, index) => index + 3));
  expect(await said(room)).toEqual([...before, ...written]);
  expect(tap.take()).toEqual(['BEBES', `${'BEBE'.repeat(19)}S`]);
  expect(db.gauges()).toMatchObject({ write_queue_length: 0, write_groups_total: 4, write_units_total: 22 });
});

test('one that fails takes no other with it', async () => {
  const db = await open();
  const room = await newRoom();
  const [taken, ...written] = words(10) as [string, ...string[]];
  await write(db, room, taken);
  const writes = await whileHeld(db, room, () => [
    ...written.slice(0, 4).map((word) => write(db, room, word)),
    write(db, room, `${taken} twice`, taken),
    ...written.slice(4).map((word) => write(db, room, word)),
  ]);
  const outcomes = await Promise.allSettled(writes);
  expect(outcomes.map(({ status }) => status)).toEqual([...Array(4).fill('fulfilled'), 'rejected', ...Array(5).fill('fulfilled')]);
  expect((outcomes[4] as PromiseRejectedResult).reason).toBeInstanceOf(UniqueViolation);
  expect(await said(room)).toEqual([taken, ...written]);
  expect(await entriesOf(room)).toBe(10);
});

test('a row that is gone is told to each that waited for it', async () => {
  const db = await open();
  const room = await newRoom();
  const { writes } = await admin.transaction(async (tx) => {
    await tx.run(sql`delete from rooms where id = ${room}`);
    const writes = words(5).map((word) => write(db, room, word));
    for (const write of writes) write.catch(() => undefined);
    await expect.poll(() => db.gauges().write_queue_length).toBe(4);
    return { writes };
  });
  for (const write of writes) await expect(write).rejects.toBeInstanceOf(NoRoom);
});

test('two nodes write to the same rows at once: all is kept, and nobody waits for ever', async () => {
  const nodes = [await open(), await open()];
  const rooms = [await newRoom(), await newRoom(), await newRoom()];
  const written = words(300);
  await Promise.all(written.map((word, index) => write(nodes[index % 2] as PostgresDatabase, rooms[index % 3] as string, word)));
  const found = await Promise.all(rooms.map(said));
  expect(found.flat().toSorted()).toEqual(written.toSorted());
  // Of one node and one row, in the order in which they came.
  const numberOf = (word: string) => Number(word.split(' ')[1]);
  for (const [room, entries] of found.entries()) {
    for (const node of [0, 1]) {
      const own = entries.map(numberOf).filter((number) => number % 2 === node);
      expect(own).toEqual(own.toSorted((a, b) => a - b));
    }
    expect(await entriesOf(rooms[room] as string)).toBe(100);
  }
});

test('a group whose connection is cut before its end is refused, and nothing of it is kept', async () => {
  const db = await open();
  const room = await newRoom();
  const { writes } = await admin.transaction(async (tx) => {
    await tx.run(sql`select id from rooms where id = ${room} for update`);
    const writes = words(6).map((word) => write(db, room, word));
    for (const write of writes) write.catch(() => undefined);
    await expect.poll(() => db.gauges().write_queue_length).toBe(5);
    const cut = () => admin.run(sql`select pg_terminate_backend(waiting.pid) from (${waitingForRow}) waiting`);
    // The first, and then those that waited for it.
    await expect.poll(cut).toBe(1);
    await expect.poll(() => db.gauges().write_queue_length).toBe(0);
    await expect.poll(cut).toBe(1);
    return { writes };
  });
  for (const write of writes) await expect(write).rejects.toBeInstanceOf(DatabaseUnavailable);
  expect([await said(room), await entriesOf(room)]).toEqual([[], 0]);
  await write(db, room, newId());
  expect(await entriesOf(room)).toBe(1);
});

test('a group whose answer is lost is refused, and kept once', async () => {
  await using tap = await WireTap.start(database.url);
  const db = await open({ url: tap.url, poolSize: 1 });
  const room = await newRoom();
  const written = words(6);
  const [first, ...others] = await whileHeld(db, room, () => {
    const writes = written.map((word) => write(db, room, word));
    // As soon as the first is answered the others are sent.
    void writes[0]?.then(() => tap.keepAnswer());
    return writes;
  });
  await first;
  for (const other of others) await expect(other).rejects.toBeInstanceOf(DatabaseUnavailable);
  expect(await said(room)).toEqual(written);
  await write(db, room, newId());
  expect(await entriesOf(room)).toBe(7);
});

test('who can not have the row in time is refused with all that wait with it, and not tried one by one', async () => {
  await using tap = await WireTap.start(database.url);
  const db = await open({ url: tap.url, poolSize: 1, lockTimeoutMs: 100 });
  const room = await newRoom();
  for (const word of words(2)) await write(db, room, word);
  tap.take();
  await admin.transaction(async (tx) => {
    await tx.run(sql`select id from rooms where id = ${room} for update`);
    const outcomes = await Promise.allSettled(words(10).map((word) => write(db, room, word)));
    for (const outcome of outcomes) expect((outcome as PromiseRejectedResult).reason).toBeInstanceOf(DatabaseUnavailable);
  });
  expect(tap.take()).toHaveLength(2);
  expect(await entriesOf(room)).toBe(2);
});

test('closing waits for those that wait for a row, and takes no other', async () => {
  const db = await open();
  const room = await newRoom();
  const written = words(5);
  let closed: Promise<void> | undefined;
  const writes = await whileHeld(db, room, () => {
    const begun = written.map((word) => write(db, room, word));
    closed = db.close();
    return begun;
  });
  await expect(write(db, room, newId())).rejects.toBeInstanceOf(DatabaseUnavailable);
  await closed;
  await Promise.all(writes);
  expect(await said(room)).toEqual(written);
});
