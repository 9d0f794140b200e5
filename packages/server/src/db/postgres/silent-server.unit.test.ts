/** A server whose host lost its power: its connections stay open, and nothing comes from them any more. */
import pg from 'pg';
import { pino } from 'pino';
import { expect, onTestFinished, test, vi } from 'vitest';
import { createTestDatabase } from '../../../test/database.ts';
import { TcpProxy } from '../../../test/tcp-proxy.ts';
import { DatabaseUnavailable } from '../errors.ts';
import { sql } from '../sql.ts';
import { openPostgres } from './engine.ts';
import { SilentServer } from './silent-server.ts';

/** No statement ends by its own time-out while the test runs. */
const NEVER_MS = 3_600_000;
const answer = sql<{ one: number }>`select 1 as one`;

async function newNode() {
  const database = await createTestDatabase();
  onTestFinished(database.drop);
  const url = new URL(database.url);
  const port = Number(url.port || 5432);
  const proxy = await TcpProxy.start([port]);
  onTestFinished(() => proxy[Symbol.asyncDispose]());
  url.port = String(proxy.port);
  const log = pino({ level: 'silent' });
  const db = await openPostgres({ url: url.href, poolSize: 2, leaseMs: 1_500, connectTimeoutMs: 1_000, statementTimeoutMs: NEVER_MS, log });
  onTestFinished(() => db.close());
  await db.run(sql`create table nodes (id uuid primary key, lease_until timestamptz not null, started_at timestamptz not null)`);
  await db.run(sql`create table notes (text text not null)`);
  await db.join();
  return { db, proxy, port };
}

test('statements that a server without a word has are given up, and new ones go to who is there then', async () => {
  const { db, proxy, port } = await newNode();
  // Both connections are there.
  await Promise.all([db.query(answer), db.query(answer)]);
  proxy.silence();
  const stuck = await Promise.allSettled([db.run(sql`insert into notes values ('one')`), db.run(sql`insert into notes values ('two')`)]);
  for (const outcome of stuck) expect(outcome).toMatchObject({ status: 'rejected', reason: expect.any(DatabaseUnavailable) });
  expect(db.trustsBroadcasts()).toBe(false);

  proxy.setTargets([port]);
  await expect.poll(() => db.query(answer).catch(() => undefined)).toEqual([{ one: 1 }]);
  await expect.poll(() => db.trustsBroadcasts()).toBe(true);
});

test('a statement that takes long is not given up while its server is there', async () => {
  const { db } = await newNode();
  // Longer than a lease, and than a server may be silent that can't be reached.
  expect(await db.query(sql`select 1 as one from pg_sleep(6)`)).toEqual([{ one: 1 }]);
});

test('connections to a server are given up when the next one leads to another', async () => {
  const database = await createTestDatabase();
  onTestFinished(database.drop);
  const connect = async () => {
    const client = new pg.Client({ connectionString: database.url });
    client.on('error', () => undefined);
    onTestFinished(() => client.end());
    await client.connect();
    return client;
  };
  const silentServer = new SilentServer(pino({ level: 'silent' }));
  const held = await connect();
  await silentServer.add(held);
  const sleeping = held.query('select pg_sleep(3600)').catch((error: Error) => error.message);
  // The same server: what runs goes on.
  await silentServer.watch(connect);
  expect(held.connection.stream.destroyed).toBe(false);
  const other = await connect();
  vi.spyOn(other, 'query').mockResolvedValue({ rows: [{ server: 'another' }] } as never);
  await silentServer.watch(async () => other);
  expect(await sleeping).toBe('Connection terminated unexpectedly');
});
