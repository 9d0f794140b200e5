import { createServer } from 'node:net';
import { afterAll, beforeAll, describe, expect, inject, onTestFinished, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../test/database.ts';
import { DatabaseUnavailable, DatabaseUnusable } from '../errors.ts';
import { newId } from '../ids.ts';
import { migrate } from '../migrate.ts';
import { sql } from '../sql.ts';
import { openPostgres, type PostgresDatabase } from './engine.ts';
import type { PostgresOptions } from './options.ts';

let database: TestDatabase;
/** Ends sessions and looks at the server from outside the engine under test. */
let admin: PostgresDatabase;

beforeAll(async () => {
  database = await createTestDatabase();
  admin = await openPostgres({ url: database.url, poolSize: 2 });
  await admin.run(sql`create table counters (id uuid primary key, value int not null)`);
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

async function newCounter(): Promise<string> {
  const id = newId();
  await admin.run(sql`insert into counters (id, value) values (${id}, ${0})`);
  return id;
}
const add = (id: string, amount = 1) => sql`update counters set value = value + ${amount} where id = ${id}`;
const countOf = async (id: string) => (await admin.one(sql<{ value: number }>`select value from counters where id = ${id}`)).value;
const ownPid = sql<{ pid: number }>`select pg_backend_pid() as pid`;
const terminate = (pid: number) => admin.run(sql`select pg_terminate_backend(${pid})`);

describe('opening', () => {
  const messageOf = async (url: string) => {
    const refusal = await openPostgres({ url, connectTimeoutMs: 500 }).catch((error: unknown) => error);
    expect(refusal).toBeInstanceOf(DatabaseUnusable);
    return (refusal as Error).message;
  };

  test('says where nothing listens, and does not tell the password', async () => {
    const message = await messageOf('postgres://ann:secret@127.0.0.1:1/books');
    expect(message).toContain('127.0.0.1:1/books');
    expect(message).toContain('Start the server');
    expect(message).not.toContain('secret');
  });

  test('says that the database does not exist', async () => {
    const url = new URL(inject('postgres')?.url as string);
    url.pathname = '/not_there';
    expect(await messageOf(url.href)).toMatch(/not_there: the database does not exist/);
  });

  test('gives up on a server that says nothing', async () => {
    const mute = createServer(() => undefined).listen(0, '127.0.0.1');
    onTestFinished(() => void mute.close());
    await new Promise((resolve) => mute.once('listening', resolve));
    const { port } = mute.address() as { port: number };
    expect(await messageOf(`postgres://127.0.0.1:${port}/books`)).toMatch(/did not answer in time/);
  });

  test('needs no pgvector', async () => {
    const { url, drop } = await createTestDatabase();
    onTestFinished(drop);
    const db = await openPostgres({ url, poolSize: 1 });
    onTestFinished(() => db.close());
    await db.run(sql`drop extension vector`);
    expect((await migrate(db)).length).toBeGreaterThan(9);
    expect(await db.describe()).toMatch(/, without pgvector, which is not needed$/);
  });

  test('refuses a URL that is none', async () => {
    expect(await messageOf('postgres://ann:secret@host:port/x')).not.toContain('secret');
  });
});

describe('sessions', () => {
  test('carry their settings and their name', async () => {
    const db = await open({ statementTimeoutMs: 12_000, lockTimeoutMs: 3_000, transactionLimitMs: 2_000 });
    const settings = await db.query(
      sql<{ name: string; setting: string }>`select name, setting from pg_settings
        where name in ('statement_timeout', 'lock_timeout', 'idle_in_transaction_session_timeout', 'TimeZone', 'application_name')`,
    );
    expect(Object.fromEntries(settings.map(({ name, setting }) => [name, setting]))).toStrictEqual({
      statement_timeout: '12000',
      lock_timeout: '3000',
      idle_in_transaction_session_timeout: '3000',
      TimeZone: 'UTC',
      application_name: 'commonplace',
    });
  });

  test('prepare what is used again, once', async () => {
    const db = await open({ poolSize: 1 });
    const id = await newCounter();
    for (let n = 0; n < 5; n++) await db.run(add(id));
    const prepared = await db.query(
      sql<{ statement: string }>`select statement from pg_prepared_statements where statement like 'update counters%'`,
    );
    expect(prepared).toHaveLength(1);
    expect(await countOf(id)).toBe(5);
  });

  test('survive the change of a table under a prepared statement', async () => {
    const db = await open({ poolSize: 1 });
    await admin.run(sql`create table changing (a int)`);
    const all = sql`select * from changing`;
    for (let n = 0; n < 3; n++) await db.query(all);
    await admin.run(sql`alter table changing add column b text default 'new'`);
    await admin.run(sql`insert into changing (a) values (1)`);
    expect(await db.query(all)).toStrictEqual([{ a: 1, b: 'new' }]);
    expect(await db.batch([all, all])).toHaveLength(2);
  });

  test('stay in the pool after a statement that failed', async () => {
    const db = await open({ poolSize: 1 });
    const { pid } = await db.one(ownPid);
    await expect(db.run(sql`select 1 / 0`)).rejects.toThrow(/division by zero/);
    await expect(db.batch([sql`select 1 / 0`, sql`select 1`])).rejects.toThrow(/division by zero/);
    await expect(db.transaction((tx) => tx.run(sql`select 1 / 0`))).rejects.toThrow(/division by zero/);
    expect((await db.one(ownPid)).pid).toBe(pid);
  });
});

test('a failure of the server leads to who asked', async () => {
  const db = await open();
  async function askAnything(ask: () => Promise<unknown>): Promise<void> {
    await ask();
  }
  const wrong = sql`select 1 / 0`;
  const asked = [
    () => db.query(wrong),
    () => db.maybeOne(wrong),
    () => db.batch([wrong, wrong]),
    () => db.transaction((tx) => tx.run(wrong)),
  ];
  for (const ask of asked) {
    const failure = await askAnything(ask).catch((error: Error) => error);
    expect(failure).toMatchObject({ message: 'division by zero', stack: expect.stringContaining('askAnything') });
  }
});

describe('limits', () => {
  test('a statement that runs too long is stopped', async () => {
    const db = await open({ statementTimeoutMs: 200 });
    await expect(db.query(sql`select pg_sleep(10)`)).rejects.toBeInstanceOf(DatabaseUnavailable);
    expect(await db.query(sql`select 1 as one`)).toStrictEqual([{ one: 1 }]);
  });

  test('who waits too long for a connection is refused', async () => {
    const db = await open({ poolSize: 1, connectTimeoutMs: 200 });
    const slow = db.query(sql`select pg_sleep(4)`);
    await expect(db.query(sql`select 1`)).rejects.toBeInstanceOf(DatabaseUnavailable);
    expect(db.gauges()).toMatchObject({ pool_total: 1, pool_idle: 0, pool_waiting: 0 });
    await slow;
    expect(db.gauges()).toMatchObject({ pool_total: 1, pool_idle: 1 });
  });

  test('who waits too long for a lock is refused', async () => {
    const db = await open({ lockTimeoutMs: 100 });
    const id = await newCounter();
    await db.transaction(async (tx) => {
      await tx.run(add(id));
      await expect(db.run(add(id))).rejects.toBeInstanceOf(DatabaseUnavailable);
    });
    expect(await countOf(id)).toBe(1);
  });

  test('a transaction whose statement outlasts its limit ends, and its locks with it', async () => {
    const db = await open({ poolSize: 1, transactionLimitMs: 300 });
    const id = await newCounter();
    const stuck = db.transaction(async (tx) => {
      await tx.run(add(id));
      await tx.run(sql`select pg_sleep(10)`);
    });
    await expect(stuck).rejects.toBeInstanceOf(DatabaseUnavailable);
    await admin.run(add(id, 10));
    expect(await countOf(id)).toBe(10);
    expect(await db.run(add(id))).toBe(1);
  });
});

describe('lost connections', () => {
  const asleep = (marker: string) => sql`query like ${`%${marker}%`} and wait_event = 'PgSleep'`;

  async function untilAsleep(marker: string): Promise<void> {
    await expect.poll(() => admin.query(sql`select pid from pg_stat_activity where ${asleep(marker)}`)).toHaveLength(1);
  }

  /** Ends the session of a statement of `db` while that statement runs. */
  async function cutWhileRunning(marker: string): Promise<void> {
    await expect.poll(() => admin.run(sql`select pg_terminate_backend(pid) from pg_stat_activity where ${asleep(marker)}`)).toBe(1);
  }

  test('a read is done again', async () => {
    const db = await open();
    const id = await newCounter();
    // Sleeps until it is cut, and not again.
    const reading = db.query(sql`
      select 'cut-read' as mark, (case when value = 0 then pg_sleep(300) end)::text as slept from counters where id = ${id}`);
    await untilAsleep('cut-read');
    await admin.run(add(id));
    await cutWhileRunning('cut-read');
    expect(await reading).toMatchObject([{ mark: 'cut-read' }]);
  });

  test('a write is not', async () => {
    const db = await open();
    const id = await newCounter();
    const writing = db.run(sql`/* cut-write */ update counters set value = value + 1 from (select pg_sleep(300)) as slow where id = ${id}`);
    const refused = expect(writing).rejects.toBeInstanceOf(DatabaseUnavailable);
    await cutWhileRunning('cut-write');
    await refused;
    expect(await countOf(id)).toBe(0);
    expect(await db.run(add(id))).toBe(1);
  });

  test('nor is a batch whose commit may have arrived', async () => {
    const db = await open();
    const id = await newCounter();
    const writing = db.batch([add(id), sql`select 'cut-batch', pg_sleep(300)`]);
    const refused = expect(writing).rejects.toBeInstanceOf(DatabaseUnavailable);
    await cutWhileRunning('cut-batch');
    await refused;
    expect(await countOf(id)).toBe(0);
  });

  test('a transaction that was cut before its commit is done again, as a whole', async () => {
    const db = await open();
    const id = await newCounter();
    let runs = 0;
    await db.transaction(async (tx) => {
      await tx.run(add(id));
      if (++runs === 1) await terminate((await tx.one(ownPid)).pid);
      await tx.run(add(id, 10));
    });
    expect(runs).toBe(2);
    expect(await countOf(id)).toBe(11);
  });

  test('idle connections that went away are replaced', async () => {
    const db = await open({ poolSize: 2 });
    const pids = await Promise.all([db.one(ownPid), db.one(ownPid)]);
    for (const { pid } of pids) await terminate(pid);
    const id = await newCounter();
    await expect.poll(() => db.gauges().pool_total).toBe(0);
    expect(await db.run(add(id))).toBe(1);
  });
});

test('transactions that block each other are both done, one of them again', async () => {
  const db = await open({ poolSize: 2 });
  const [a, b] = [await newCounter(), await newCounter()];
  const met = Promise.withResolvers<void>();
  let arrived = 0;
  let runs = 0;
  const both = (first: string, second: string) =>
    db.transaction(async (tx) => {
      runs++;
      await tx.run(add(first));
      if (++arrived === 2) met.resolve();
      await met.promise;
      await tx.run(add(second));
    });
  await Promise.all([both(a, b), both(b, a)]);
  expect(runs).toBe(3);
  expect([await countOf(a), await countOf(b)]).toStrictEqual([2, 2]);
});

test('closing waits for what is under way', async () => {
  const db = await openPostgres({ url: database.url, poolSize: 1 });
  const slow = db.query(sql`select pg_sleep(0.2)::text as done`);
  const waiting = db.query(sql`select 1 as one`);
  await db.close();
  expect(await slow).toHaveLength(1);
  expect(await waiting).toStrictEqual([{ one: 1 }]);
});
