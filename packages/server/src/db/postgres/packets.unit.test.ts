import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../test/database.ts';
import { WireTap } from '../../../test/wire-tap.ts';
import { newId } from '../ids.ts';
import type { Param } from '../sql.ts';
import { sql } from '../sql.ts';
import { openPostgres } from './engine.ts';
import { PacketClient } from './packet-client.ts';
import { type Step, sendPacket } from './packets.ts';

let database: TestDatabase;
let client: PacketClient;

beforeAll(async () => {
  database = await createTestDatabase();
  client = new PacketClient({ connectionString: database.url, pipeline: true });
  await client.connect();
  await client.query('create table notes (id int primary key, said text)');
});

afterAll(async () => {
  await client?.end();
  await database?.drop();
});

beforeEach(async () => {
  await client.query('truncate notes');
});

const step = (text: string, params: Param[] = [], name?: string): Step => ({ name, text, params, isBinary: false });
const note = (id: number, said: string | null = null) => step('insert into notes (id, said) values ($1, $2)', [id, said], 'note');
const ids = async () => (await client.query('select id from notes order by id')).rows.map(({ id }) => id);
const codeOf = (error: unknown) => (error as { code?: string }).code;

test('the steps of a packet are answered in order, and kept together', async () => {
  const { results, failure } = await sendPacket(client, [
    note(1, 'one'),
    note(2),
    step('select id, said from notes order by id'),
    step('update notes set said = $1', ['all']),
    step('delete from notes where id = $1', [3]),
  ]);
  expect(failure).toBeUndefined();
  expect(results.map(({ rowCount }) => rowCount)).toEqual([1, 1, 2, 2, 0]);
  expect(results[2]?.rows).toStrictEqual([
    { id: 1, said: 'one' },
    { id: 2, said: null },
  ]);
  expect(await ids()).toEqual([1, 2]);
});

test('one that fails undoes those before it, and those after it are not carried out', async () => {
  const { results, failure } = await sendPacket(client, [note(1), note(1), note(2)]);
  expect(codeOf(failure)).toBe('23505');
  expect(results).toHaveLength(1);
  expect(await ids()).toEqual([]);
  expect(client.getTransactionStatus()).toBe('I');
});

test('what fails at the commit has all its results, and nothing of it is kept', async () => {
  await client.query('create table parents (id int primary key)');
  await client.query('create table children (parent int references parents deferrable initially deferred)');
  const { results, failure } = await sendPacket(client, [note(1), step('insert into children values ($1)', [7])]);
  expect(codeOf(failure)).toBe('23503');
  expect(results).toHaveLength(2);
  expect(await ids()).toEqual([]);
});

test('a statement that failed when it was first used, or was never reached, is prepared again', async () => {
  const other = (id: number) => step('insert into notes (id) values ($1) returning id', [id], 'other');
  const never = step('select said from notes where id = $1', [1], 'never');
  await sendPacket(client, [note(1)]);
  expect(codeOf((await sendPacket(client, [other(1), never])).failure)).toBe('23505');
  expect(client.prepared.has('other') || client.prepared.has('never')).toBe(false);
  const { results, failure } = await sendPacket(client, [other(2), never, other(3)]);
  expect(failure).toBeUndefined();
  expect(results.map(({ rows }) => rows)).toStrictEqual([[{ id: 2 }], [{ said: null }], [{ id: 3 }]]);
});

test('values arrive as they are, however many and however long', async () => {
  const long = 'tea — “茶” 🍵 '.repeat(20_000);
  const bytes = Uint8Array.from({ length: 100_000 }, (_, at) => at % 256);
  const values = step('select $1::text as t, $2::bytea as b, $3::int8 as n, $4::bool as y, $5::text as z, $6::float8 as f, $7::text as e', [
    long,
    bytes,
    Number.MAX_SAFE_INTEGER,
    false,
    null,
    -0.5,
    '',
  ]);
  const { results } = await sendPacket(client, [values, values]);
  for (const { rows } of results) {
    expect(rows).toStrictEqual([{ t: long, b: Buffer.from(bytes), n: Number.MAX_SAFE_INTEGER, y: false, z: null, f: -0.5, e: '' }]);
  }
});

test('a statement is read as text and in binary form by turns', async () => {
  const read = (isBinary: boolean): Step => ({
    ...step('select 7::int8 as n, $1::bytea as b', [Uint8Array.of(0, 255)], 'both'),
    isBinary,
  });
  for (const isBinary of [false, true, false, true]) {
    const { results } = await sendPacket(client, [read(isBinary), read(!isBinary)]);
    for (const { rows } of results) expect(rows).toStrictEqual([{ n: 7, b: Buffer.of(0, 255) }]);
  }
});

test('what can not be sent fails alone, and leaves nothing behind for the next', async () => {
  for (const params of [[undefined as unknown as null], [{} as unknown as null], Array(65_536).fill(1)]) {
    const { results, failure } = await sendPacket(client, [note(1), step('select $1', params)]);
    expect([results.length, failure]).toEqual([0, expect.any(Error)]);
  }
  expect((await sendPacket(client, [note(2)])).failure).toBeUndefined();
  expect(await ids()).toEqual([2]);
});

test('a lost connection is the failure of all that was under way', async () => {
  const cut = new PacketClient({ connectionString: database.url, pipeline: true });
  cut.on('error', () => undefined);
  await cut.connect();
  const outcomes = [sendPacket(cut, [step('select pg_terminate_backend(pg_backend_pid())')]), sendPacket(cut, [step('select 1')])];
  for (const { failure } of await Promise.all(outcomes)) expect(failure).toBeInstanceOf(Error);
  expect((await sendPacket(cut, [step('select 1')])).failure).toBeInstanceOf(Error);
});

test('look-ups at once share a packet, and one that fails takes no other with it', async () => {
  await using tap = await WireTap.start(database.url);
  const db = await openPostgres({ url: tap.url, poolSize: 1 });
  onTestFinished(() => db.close());
  const lookup = (n: number) => db.maybeOne(sql<{ quotient: number }>`select 12 / ${n}::int as quotient`);
  await Promise.all([lookup(1), lookup(1)]);
  tap.take();
  const outcomes = await Promise.allSettled([1, 2, 0, 4, 0, 6].map(lookup));
  expect(outcomes.map((outcome) => (outcome.status === 'fulfilled' ? outcome.value?.quotient : outcome.reason.message))).toEqual([
    12,
    6,
    'division by zero',
    3,
    'division by zero',
    2,
  ]);
  expect(tap.take()).toEqual(['BEBEBEBEBEBES', 'BEBEBES', 'BES']);
});

test('a unit is one packet, its guards and its commit in it', async () => {
  await using tap = await WireTap.start(database.url);
  const db = await openPostgres({ url: tap.url, poolSize: 1 });
  onTestFinished(() => db.close());
  await db.run(sql`create table counters (id uuid primary key, value int not null)`);
  const id = newId();
  await db.run(sql`insert into counters (id, value) values (${id}, ${0})`);
  const gone = () => new Error('gone');
  const unit = (of: string) =>
    db.batch([
      sql`select id from counters where id = ${of} for share`.orElse(gone),
      sql`update counters set value = value + 1 where id = ${of}`.orElse(gone),
      sql<{ value: number }>`update counters set value = value + 1 where id = ${of} returning value`.orElse(gone),
    ]);
  for (let n = 0; n < 2; n++) await unit(id);
  tap.take();
  expect(await unit(id)).toStrictEqual([[{ id }], [], [{ value: 6 }]]);
  expect(tap.take()).toEqual(['BEBEBES']);
  await expect(unit(newId())).rejects.toThrow('gone');
  expect(tap.take()).toEqual(['BEBEBES']);
});
