import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, inject, test } from 'vitest';
import { createTestDatabase } from '../../test/database.ts';
import type { Database } from './database.ts';
import { DatabaseUnavailable, onDuplicate, UniqueViolation } from './errors.ts';
import { newId } from './ids.ts';
import { invalidate } from './invalidation.ts';
import { insideTransaction } from './nested.ts';
import { openPostgres } from './postgres/engine.ts';
import { shape } from './shape.ts';
import { json, list, rows, sql } from './sql.ts';
import { openSqlite } from './sqlite/engine.ts';

interface Thing {
  id: string;
  shelfNo: number;
  label: string;
  weight: number | null;
  fragile: boolean;
  meta: unknown;
  bytes: Uint8Array | null;
  createdAt: string;
}

const thing = shape<Thing>({
  id: 'text',
  shelfNo: 'integer',
  label: 'text',
  weight: 'number',
  fragile: 'boolean',
  meta: 'json',
  bytes: 'bytes',
  createdAt: 'time',
});

const scripts = {
  sqlite: `create table things (id text not null primary key, shelf_no integer not null, label text not null, weight real, fragile integer not null,
      meta text not null, bytes blob, created_at text not null, unique (shelf_no, label)) strict;
    create table migrations_of_this_test (name text not null primary key);`,
  postgres: `create table things (id uuid not null primary key, shelf_no bigint not null, label text not null, weight double precision, fragile boolean not null,
      meta json not null, bytes bytea, created_at timestamptz not null, unique (shelf_no, label));
    create table migrations_of_this_test (name text not null primary key);`,
};
const record = sql`insert into migrations_of_this_test (name) values (${'things'})`;

let db: Database;
let cleanUp: () => Promise<void>;

beforeAll(async () => {
  if (inject('engine') === 'sqlite') {
    const dataDir = await mkdtemp(join(tmpdir(), 'commonplace-db-'));
    const sqlite = await openSqlite({ dataDir, transactionTimeoutMs: 3_000 });
    await sqlite.migrate(scripts.sqlite, record);
    db = sqlite;
    cleanUp = () => rm(dataDir, { recursive: true });
  } else {
    const { url, drop } = await createTestDatabase();
    const postgres = await openPostgres({ url, poolSize: 4, transactionLimitMs: 3_000 });
    await postgres.exclusively(() => postgres.migrate(scripts.postgres, record));
    db = postgres;
    cleanUp = drop;
  }
});

afterAll(async () => {
  await db?.close();
  await cleanUp?.();
});

beforeEach(async () => {
  await db.run(sql`delete from things`);
});

class Missing extends Error {}
const missing = () => new Missing('no such thing');

const aThing = (changes: Partial<Thing> = {}): Thing => ({
  id: newId(),
  shelfNo: 1,
  label: newId(),
  weight: null,
  fragile: false,
  meta: {},
  bytes: null,
  createdAt: '2026-11-15T02:24:50.123Z',
  ...changes,
});

const insert = (it: Thing) => sql<Thing>`
  insert into things (id, shelf_no, label, weight, fragile, meta, bytes, created_at)
  values (${it.id}, ${it.shelfNo}, ${it.label}, ${it.weight}, ${it.fragile}, ${json(it.meta)}, ${it.bytes}, ${it.createdAt})
  returning ${thing}`;
const byId = (id: string) => sql<Thing>`select ${thing} from things where id = ${id}`;
const relabel = (id: string, label: string) => sql`update things set label = ${label} where id = ${id}`;
const labels = async () => (await db.query(sql<{ label: string }>`select label from things order by label`)).map(({ label }) => label);

describe('values', () => {
  test('bytes of any size are read in binary form as they were written, beside statements that are read as text', async () => {
    const sizes = [0, 1, 20_000, 70_000, 700_000];
    const written = sizes.map((size) => Uint8Array.from({ length: size }, (_, at) => (at * 31 + size) % 256));
    for (const [index, bytes] of written.entries()) await db.run(insert(aThing({ shelfNo: index, bytes })));
    await db.run(insert(aThing({ shelfNo: sizes.length })));
    type Shelf = { shelfNo: number; bytes: Uint8Array | null };
    const inBinary = () => db.query(sql<Shelf>`select shelf_no as "shelfNo", bytes from things order by shelf_no`.inBinary());
    const asText = () => db.query(sql<{ label: string }>`select label from things order by shelf_no`);
    const [first, labels, again] = await Promise.all([inBinary(), asText(), inBinary()]);
    expect(labels).toHaveLength(sizes.length + 1);
    for (const found of [first, again]) {
      expect(found.map(({ shelfNo }) => shelfNo)).toEqual([...sizes.keys(), sizes.length]);
      for (const [index, bytes] of written.entries()) expect(Buffer.compare(found[index]?.bytes as Uint8Array, bytes)).toBe(0);
      expect(found.at(-1)?.bytes).toBeNull();
    }
  });

  test('a row reads back as it was written', async () => {
    const written = aThing({
      shelfNo: Number.MAX_SAFE_INTEGER,
      label: 'tea — “茶” 🍵',
      weight: 0.1,
      fragile: true,
      meta: { b: [1, 2.5, null], a: 'x' },
      bytes: new Uint8Array([0, 1, 254, 255]),
    });
    const answered = await db.one(insert(written));
    const read = await db.one(byId(written.id));
    for (const row of [answered, read]) {
      expect({ ...row, bytes: [...(row.bytes as Uint8Array)] }).toStrictEqual({ ...written, bytes: [0, 1, 254, 255] });
    }
  });

  test('JSON keeps the order of its keys', async () => {
    const { id } = await db.one(insert(aThing({ meta: { z: 1, a: { y: 2, b: 3 } } })));
    expect(JSON.stringify((await db.one(byId(id))).meta)).toBe('{"z":1,"a":{"y":2,"b":3}}');
  });

  test.each(['2026-11-15T02:24:50.000Z', '2026-11-15T02:24:50.100Z', '2026-11-15T02:24:50.120Z', '2026-11-15T23:59:59.999Z'])(
    'the time %s keeps its three decimals',
    async (createdAt) => {
      const { id } = await db.one(insert(aThing({ createdAt })));
      expect((await db.one(byId(id))).createdAt).toBe(createdAt);
    },
  );

  test('a count and a sum are numbers', async () => {
    await db.batch([insert(aThing({ weight: 1.5 })), insert(aThing({ weight: 2 }))]);
    const answer = await db.one(sql<{ n: number; total: number }>`select count(*) as n, sum(weight) as total from things`);
    expect(answer).toStrictEqual({ n: 2, total: 3.5 });
  });

  test('lists and several rows can be bound', async () => {
    const made = [aThing({ label: 'a' }), aThing({ label: 'b' }), aThing({ label: 'c' })];
    const values = rows(made.map((it) => [it.id, 1, it.label, true, '{}', it.createdAt]));
    expect(await db.run(sql`insert into things (id, shelf_no, label, fragile, meta, created_at) values ${values}`)).toBe(3);
    const found = await db.query(sql<Thing>`select ${thing.of('t')} from things t where t.label in ${list(['a', 'c'])} order by t.label`);
    expect(found.map((row) => [row.id, row.fragile])).toStrictEqual([
      [made[0]?.id, true],
      [made[2]?.id, true],
    ]);
  });

  test('the same statement over and over gives each time its own answer', async () => {
    const ids: string[] = [];
    for (let n = 0; n < 8; n++) ids.push((await db.one(insert(aThing({ shelfNo: n })))).id);
    const read = await Promise.all(ids.map((id) => db.one(byId(id))));
    expect(read.map(({ shelfNo }) => shelfNo)).toStrictEqual([0, 1, 2, 3, 4, 5, 6, 7]);
  });
});

describe('one row', () => {
  test('maybeOne gives undefined where there is none', async () => {
    expect(await db.maybeOne(byId(newId()))).toBeUndefined();
  });

  test("one throws the statement's own error where there is none", async () => {
    await expect(db.one(byId(newId()).orElse(missing))).rejects.toBeInstanceOf(Missing);
    await expect(db.one(byId(newId()))).rejects.toThrow();
  });

  test('run counts the rows, and none is an error only with a guard', async () => {
    await db.batch([insert(aThing()), insert(aThing())]);
    expect(await db.run(sql`update things set weight = ${1}`)).toBe(2);
    expect(await db.run(relabel(newId(), 'x'))).toBe(0);
    await expect(db.run(relabel(newId(), 'x').orElse(missing))).rejects.toBeInstanceOf(Missing);
  });
});

describe('unique violations', () => {
  test('name the table and the columns', async () => {
    const first = await db.one(insert(aThing({ label: 'taken' })));
    const again = db.one(insert(aThing({ label: 'taken' })));
    await expect(again).rejects.toBeInstanceOf(UniqueViolation);
    await expect(again).rejects.toMatchObject({ table: 'things', columns: ['shelf_no', 'label'] });
    await expect(db.one(insert(aThing({ id: first.id })))).rejects.toMatchObject({ table: 'things', columns: ['id'] });
  });

  test('are thrown from batches and transactions too, and leave nothing', async () => {
    await db.run(insert(aThing({ label: 'taken' })));
    await expect(db.batch([insert(aThing({ label: 'new' })), insert(aThing({ label: 'taken' }))])).rejects.toBeInstanceOf(UniqueViolation);
    const inside = db.transaction(async (tx) => {
      await tx.run(insert(aThing({ label: 'new' })));
      return onDuplicate(tx.one(insert(aThing({ label: 'taken' }))), 'things', 'label', missing);
    });
    await expect(inside).rejects.toBeInstanceOf(Missing);
    expect(await labels()).toStrictEqual(['taken']);
  });
});

describe('batches', () => {
  test('give the rows of each statement, decoded', async () => {
    const it = aThing({ fragile: true, meta: [1] });
    const [made, changed, read] = await db.batch([insert(it), relabel(it.id, 'later'), byId(it.id)]);
    expect(made).toMatchObject([{ id: it.id, label: it.label, fragile: true, meta: [1] }]);
    expect(changed).toStrictEqual([]);
    expect(read).toMatchObject([{ id: it.id, label: 'later', fragile: true }]);
  });

  test('may be empty', async () => {
    expect(await db.batch([])).toStrictEqual([]);
  });

  test('keep nothing when a statement fails, and throw its error, not one that follows from it', async () => {
    const failing = db.batch([
      insert(aThing({ label: 'a' })),
      sql`insert into things (id) values (${newId()})`,
      insert(aThing({ label: 'b' })),
    ]);
    await expect(failing).rejects.toThrow(/null/i);
    expect(await labels()).toStrictEqual([]);
  });

  test('keep nothing when a guard finds no row', async () => {
    const guarded = db.batch([insert(aThing({ label: 'a' })), relabel(newId(), 'x').orElse(missing), insert(aThing({ label: 'b' }))]);
    await expect(guarded).rejects.toBeInstanceOf(Missing);
    expect(await labels()).toStrictEqual([]);
  });

  test('with a guard that is met are kept', async () => {
    const it = aThing({ label: 'a' });
    await db.batch([insert(it), relabel(it.id, 'x').orElse(missing)]);
    expect(await labels()).toStrictEqual(['x']);
  });

  test('throw what went wrong first: a guard before a failure, a failure before a guard', async () => {
    const guard = relabel(newId(), 'x').orElse(missing);
    const failure = sql`insert into things (id) values (${newId()})`;
    await expect(db.batch([guard, failure])).rejects.toBeInstanceOf(Missing);
    await expect(db.batch([failure, guard])).rejects.toThrow(/null/i);
  });

  test('of one guarded statement throw too', async () => {
    await expect(db.batch([relabel(newId(), 'x').orElse(missing)])).rejects.toBeInstanceOf(Missing);
  });

  test('that fail leave the database in order', async () => {
    for (let n = 0; n < 10; n++) {
      const bad = [insert(aThing()), insert(aThing({ id: 'not a uuid', fragile: null as unknown as boolean })), insert(aThing())];
      await expect(db.batch(n % 2 ? bad : [...bad, relabel(newId(), 'x').orElse(missing)])).rejects.toThrow();
    }
    await Promise.all(Array.from({ length: 10 }, (_, n) => db.run(insert(aThing({ label: `ok${n}` })))));
    expect(await labels()).toHaveLength(10);
  });
});

describe('transactions', () => {
  test('see their own writes and are kept as one', async () => {
    const it = aThing({ label: 'a' });
    const seen = await db.transaction(async (tx) => {
      await tx.run(insert(it));
      await tx.batch([relabel(it.id, 'b'), insert(aThing({ label: 'c' }))]);
      return tx.query(sql<{ label: string }>`select label from things order by label`);
    });
    expect(seen).toStrictEqual([{ label: 'b' }, { label: 'c' }]);
    expect(await labels()).toStrictEqual(['b', 'c']);
  });

  test('keep nothing when the work throws', async () => {
    const failing = db.transaction(async (tx) => {
      await tx.run(insert(aThing()));
      throw missing();
    });
    await expect(failing).rejects.toBeInstanceOf(Missing);
    expect(await labels()).toStrictEqual([]);
  });

  test('keep nothing when a statement failed, even if the work went on', async () => {
    const failing = db.transaction(async (tx) => {
      await tx.run(insert(aThing()));
      await tx.run(relabel(newId(), 'x').orElse(missing)).catch(() => 'never mind');
    });
    await expect(failing).rejects.toBeInstanceOf(Missing);
    expect(await labels()).toStrictEqual([]);
  });

  test('do not mix with each other', async () => {
    const { id } = await db.one(insert(aThing({ shelfNo: 0 })));
    const addOne = () =>
      db.transaction(async (tx) => {
        await tx.run(sql`update things set shelf_no = shelf_no + 1 where id = ${id}`);
        return (await tx.one(byId(id))).shelfNo;
      });
    const seen = await Promise.all(Array.from({ length: 8 }, addOne));
    expect(seen.toSorted()).toStrictEqual([1, 2, 3, 4, 5, 6, 7, 8]);
  });

  test('that stay open too long are rolled back and refused', async () => {
    const patience = Promise.withResolvers<void>();
    const late = Promise.withResolvers<unknown>();
    const slow = db.transaction(async (tx) => {
      await tx.run(insert(aThing()));
      await patience.promise;
      late.resolve(tx.run(insert(aThing())));
    });
    await expect(slow).rejects.toBeInstanceOf(DatabaseUnavailable);
    patience.resolve();
    await expect(late.promise).rejects.toThrow(/transaction/);
    expect(await labels()).toStrictEqual([]);
  });

  test('answer nothing after their end', async () => {
    const tx = await db.transaction(async (inside) => ({ inside }));
    await expect(tx.inside.run(insert(aThing()))).rejects.toThrow(/transaction/);
    expect(await labels()).toStrictEqual([]);
  });
});

describe('invalidations', () => {
  const heard: string[] = [];
  const since = () => new Set(heard.splice(0).filter((payload) => payload !== '*'));

  beforeAll(async () => {
    if (inject('engine') === 'postgres')
      await db.run(sql`create table nodes (id uuid primary key, lease_until timestamptz not null, started_at timestamptz not null)`);
    db.listen('keys', () => {
      throw new Error('on purpose: one listener that fails keeps nothing from the others');
    });
    db.listen('keys', (payload) => heard.push(payload));
    db.listen('else', (payload) => heard.push(payload === '*' ? '*' : 'not this'));
    await db.batch([invalidate('keys', 'first')]);
    expect(db.trustsBroadcasts()).toBe(true);
    since();
  });

  test('are heard before the unit that carries them resolves', async () => {
    await db.batch([insert(aThing()), invalidate('keys', 'batch')]);
    expect(since()).toStrictEqual(new Set(['batch']));
    await db.transaction(async (tx) => {
      await tx.run(insert(aThing()));
      await tx.run(invalidate('keys', 'tx'));
      await insideTransaction(tx).batch([invalidate('keys', 'inside')]);
      expect(since()).toStrictEqual(new Set());
    });
    expect(since()).toStrictEqual(new Set(['tx', 'inside']));
    await db.run(invalidate('keys', 'alone'));
    expect(since()).toStrictEqual(new Set(['alone']));
  });

  test('are heard also where the unit was refused: what it would change may be changed already', async () => {
    const missing = sql`delete from things where id = ${newId()}`.orElse(() => new Error('missing'));
    await expect(db.batch([missing, invalidate('keys', 'batch')])).rejects.toThrow('missing');
    expect(since()).toStrictEqual(new Set(['batch']));
    const failing = db.transaction(async (tx) => {
      await tx.run(invalidate('keys', 'tx'));
      throw new Error('changed my mind');
    });
    await expect(failing).rejects.toThrow('changed my mind');
    expect(since()).toStrictEqual(new Set(['tx']));
  });

  test('of more than a notification holds are refused before anything is done', () => {
    expect(() => invalidate('keys', 'x'.repeat(7_900))).toThrow(RangeError);
    expect(() => invalidate('keys', '"'.repeat(4_000))).toThrow(RangeError);
    expect(() => invalidate('keys', 'x'.repeat(7_700))).not.toThrow();
  });
});

test('it says which database it is, and answers a ping', async () => {
  await db.ping();
  expect(await db.describe()).toMatch(
    inject('engine') === 'sqlite' ? /^SQLite \d/ : /^PostgreSQL \d+\.\d+ at 127\.0\.0\.1:\d+\/test_\w+, pgvector \d/,
  );
  for (const value of Object.values(db.gauges())) expect(value).toBeTypeOf('number');
});

test('after close nothing is taken, and closing again is fine', async () => {
  await db.close();
  await db.close();
  await expect(db.query(byId(newId()))).rejects.toBeInstanceOf(DatabaseUnavailable);
  await expect(db.run(insert(aThing()))).rejects.toBeInstanceOf(DatabaseUnavailable);
  db = { close: async () => undefined, run: async () => 0 } as unknown as Database;
});
