import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../test/database.ts';
import { DatabaseUnavailable } from '../errors.ts';
import { newId } from '../ids.ts';
import { invalidate } from '../invalidation.ts';
import { raw, sql } from '../sql.ts';
import { openPostgres, type PostgresDatabase } from './engine.ts';
import { Membership } from './membership.ts';
import { Nodes } from './nodes.ts';

let database: TestDatabase;
let admin: PostgresDatabase;

beforeAll(async () => {
  database = await createTestDatabase();
  admin = await openPostgres({ url: database.url, poolSize: 2 });
  await admin.run(sql`create table nodes (id uuid primary key, lease_until timestamptz not null, started_at timestamptz not null)`);
});

afterAll(async () => {
  await admin?.close();
  await database?.drop();
});

beforeEach(async () => {
  await admin.run(sql`delete from nodes`);
});

/** Long enough that no busy machine lets it run out. */
const LEASE_MS = 30_000;
/** For what happens when a lease is renewed or runs out. */
const SHORT_LEASE_MS = 1_500;

async function newNode(leaseMs = LEASE_MS): Promise<{ db: PostgresDatabase; heard: string[] }> {
  const db = await openPostgres({ url: database.url, poolSize: 1, leaseMs });
  onTestFinished(() => db.close());
  const heard: string[] = [];
  db.listen('keys', (payload) => heard.push(payload));
  await db.join();
  heard.length = 0;
  return { db, heard };
}

const broadcast = (db: PostgresDatabase, topic: string, payload: string) => db.batch([invalidate(topic, payload)]);

const nodeRows = () => admin.query(sql<{ id: string }>`select id from nodes`);
/** A row as a node that stopped would leave it: a lease, and nobody who answers. */
const silentNode = async (leaseMs: number) => {
  const id = newId();
  await admin.run(sql`insert into nodes values (${id}, now() + ${leaseMs} * interval '1 millisecond', now())`);
  return id;
};
const cutListeners = () =>
  admin.run(sql`select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid() and query in (
      'listen commonplace', 'select id from nodes where lease_until > now() and id <> $1', 'select pg_notify($1, $2)')
      or datname = current_database() and query like '%nodes%lease_until%' and pid <> pg_backend_pid()`);

test('a broadcast resolves once every node has run its listeners', async () => {
  const [one, two, three] = [await newNode(), await newNode(), await newNode()];
  for (let n = 0; n < 20; n++) {
    await broadcast(one.db, 'keys', `k${n}`);
    expect(two.heard.at(-1)).toBe(`k${n}`);
    expect(three.heard.at(-1)).toBe(`k${n}`);
  }
  expect(new Set(one.heard).size).toBe(20);
  expect(two.heard).toHaveLength(20);
});

test('broadcasts in all directions at once reach everyone', async () => {
  const nodes = [await newNode(), await newNode(), await newNode()];
  await Promise.all(nodes.flatMap(({ db }, from) => Array.from({ length: 10 }, (_, n) => broadcast(db, 'keys', `${from}:${n}`))));
  for (const { heard } of nodes) expect(new Set(heard).size).toBe(30);
  // A node hears its own when the unit is over, and once more from the server.
  for (const { heard } of nodes) expect(heard.length).toBeLessThanOrEqual(40);
});

test('a node that dies with its transaction committed is heard all the same', async () => {
  const [one, two] = [await newNode(), await newNode()];
  // Nobody asks whether it was heard: the server alone carries it.
  await admin.transaction(async (tx) => {
    await tx.run(sql`delete from nodes where id = ${newId()}`);
    await tx.run(raw('select pg_notify(\'commonplace\', \'{"id":"","from":"","topic":"keys","payload":"k"}\')'));
  });
  await expect.poll(() => [one.heard, two.heard]).toStrictEqual([['k'], ['k']]);
});

test('what was rolled back is told to no other node', async () => {
  const [one, two] = [await newNode(), await newNode()];
  await expect(
    one.db.batch([invalidate('keys', 'undone'), sql`delete from nodes where id = ${newId()}`.orElse(() => new Error('no'))]),
  ).rejects.toThrow('no');
  await broadcast(one.db, 'keys', 'done');
  expect(two.heard).toStrictEqual(['done']);
});

test('who repeats what could not be made sure of waits until every node has heard the first', async () => {
  const [one, two] = [await newNode(), await newNode()];
  const gone = sql`delete from nodes where id = ${newId()}`.orElse(() => new Error('gone already'));
  for (let n = 0; n < 20; n++) {
    // As of a node that was ended between its commit and its answer.
    await admin.run(raw(`select pg_notify('commonplace', '{"id":"","from":"","topic":"keys","payload":"k${n}"}')`));
    await expect(one.db.batch([gone, invalidate('keys', 'again')])).rejects.toThrow('gone already');
    expect(two.heard.at(-1)).toBe(`k${n}`);
  }
});

test('many at once share their rounds of questions', async () => {
  const [one] = [await newNode(), await newNode()];
  const count = 50;
  // The first round goes on once all have come.
  const allCame = Promise.withResolvers<void>();
  const others = Membership.prototype.others;
  const asked = vi.spyOn(Membership.prototype, 'others').mockImplementation(async function (this: Membership) {
    await allCame.promise;
    return others.call(this);
  });
  const settle = Nodes.prototype.settle;
  const settled = vi.spyOn(Nodes.prototype, 'settle').mockImplementation(function (this: Nodes) {
    if (settled.mock.calls.length === count) allCame.resolve();
    return settle.call(this);
  });
  onTestFinished(() => void vi.restoreAllMocks());
  await Promise.all(Array.from({ length: count }, (_, n) => broadcast(one.db, 'keys', `k${n}`)));
  expect(settled).toHaveBeenCalledTimes(count);
  expect(asked.mock.calls.length).toBeLessThan(count / 2);
});

test('a node that answers no more holds up a broadcast until its lease runs out', async () => {
  const { db } = await newNode();
  const id = await silentNode(800);
  await broadcast(db, 'keys', 'k');
  expect(await admin.query(sql`select id from nodes where id = ${id} and lease_until > now()`)).toStrictEqual([]);
});

test('a node that leaves while it is awaited is no longer awaited', async () => {
  const { db } = await newNode();
  const id = await silentNode(60_000);
  const sent = broadcast(db, 'keys', 'k');
  await sleep(200);
  await admin.run(sql`delete from nodes where id = ${id}`);
  await sent;
});

test('a node whose listener fails still answers, and the other listeners run', async () => {
  const [one, two] = [await newNode(), await newNode()];
  const later: string[] = [];
  two.db.listen('bad', () => {
    throw new Error('on purpose');
  });
  two.db.listen('bad', (payload) => later.push(payload));
  await broadcast(one.db, 'bad', 'k');
  expect(later).toStrictEqual(['k']);
});

test('leases are renewed: nodes are trusted and awaited long after the first one would have run out', async () => {
  const [one, two] = [await newNode(SHORT_LEASE_MS), await newNode(SHORT_LEASE_MS)];
  const later = sql<{ count: number }>`
    select count(*)::int as count from nodes where lease_until > started_at + ${SHORT_LEASE_MS * 2.5} * interval '1 millisecond'`;
  await expect.poll(async () => (await admin.one(later)).count).toBe(2);
  await expect.poll(() => two.db.trustsBroadcasts()).toBe(true);
  await broadcast(one.db, 'keys', 'late');
  expect(two.heard.at(-1)).toBe('late');
});

test('before it has joined a node trusts nothing', async () => {
  const db = await openPostgres({ url: database.url, poolSize: 1 });
  onTestFinished(() => db.close());
  expect(db.trustsBroadcasts()).toBe(false);
  await db.join();
  expect(db.trustsBroadcasts()).toBe(true);
});

test('a node that lost its connection trusts nothing, comes back, forgets everything, and hears again', async () => {
  const [one, two] = [await newNode(), await newNode()];
  const before = (await nodeRows()).map(({ id }) => id);
  const seen: string[] = [];
  two.db.listen('keys', (payload) => seen.push(`${payload} trusted=${two.db.trustsBroadcasts()}`));
  expect(await cutListeners()).toBe(2);
  await expect.poll(() => two.db.trustsBroadcasts(), { interval: 1 }).toBe(false);
  await expect.poll(() => two.db.trustsBroadcasts() && one.db.trustsBroadcasts()).toBe(true);
  expect(two.heard).toStrictEqual(['*']);
  // The node forgets before it trusts again.
  expect(seen).toStrictEqual(['* trusted=false']);
  await broadcast(one.db, 'keys', 'again');
  expect(two.heard).toStrictEqual(['*', 'again']);
  const after = (await nodeRows()).map(({ id }) => id);
  expect(after).toHaveLength(2);
  expect(after.some((id) => before.includes(id))).toBe(false);
});

test('a broadcast whose connection is cut is sent again', async () => {
  const [one, two] = [await newNode(), await newNode()];
  await silentNode(900);
  const sent = broadcast(one.db, 'keys', 'k');
  await expect.poll(() => two.heard).toContain('k');
  await cutListeners();
  await sent;
  await expect.poll(() => two.db.trustsBroadcasts()).toBe(true);
});

test('a lease that was taken away is noticed at the next renewal', async () => {
  const { db, heard } = await newNode(SHORT_LEASE_MS);
  await admin.run(sql`delete from nodes`);
  await expect.poll(() => heard[0]).toBe('*');
  await expect.poll(() => db.trustsBroadcasts()).toBe(true);
  expect(await nodeRows()).toHaveLength(1);
});

test('a node whose renewals get stuck stops trusting before its lease is over for the others', async () => {
  const { db } = await newNode(4 * SHORT_LEASE_MS);
  const free = Promise.withResolvers<void>();
  const locked = Promise.withResolvers<void>();
  const holding = admin.transaction(async (tx) => {
    await tx.run(sql`lock table nodes in share mode`);
    locked.resolve();
    await free.promise;
  });
  await locked.promise;
  await expect.poll(() => db.trustsBroadcasts(), { interval: 10 }).toBe(false);
  const [lease] = await admin.query(sql<{ valid: boolean }>`select lease_until > now() as valid from nodes`);
  expect(lease).toStrictEqual({ valid: true });
  free.resolve();
  await holding;
  await expect.poll(() => db.trustsBroadcasts()).toBe(true);
});

test.each([
  ['the steady clock', () => performance.now(), (ms: number) => vi.spyOn(performance, 'now').mockReturnValue(ms)],
  ['the wall clock', () => Date.now(), (ms: number) => vi.spyOn(Date, 'now').mockReturnValue(ms)],
])('by %s a node trusts its lease for two thirds of it', async (_name, now, set) => {
  const { db } = await newNode();
  // Nothing is awaited in between, so no renewal can come.
  const startMs = now();
  try {
    set(startMs + LEASE_MS * 0.5);
    expect(db.trustsBroadcasts()).toBe(true);
    set(startMs + LEASE_MS * 0.7);
    expect(db.trustsBroadcasts()).toBe(false);
  } finally {
    vi.restoreAllMocks();
  }
});

test('a node that lost its place and can’t come back says that the others could not be told', async () => {
  const { db } = await newNode();
  await admin.run(raw('alter table nodes rename to nodes_away'));
  onTestFinished(async () => void (await admin.run(raw('alter table nodes_away rename to nodes'))));
  await cutListeners();
  await expect.poll(() => db.trustsBroadcasts()).toBe(false);
  await expect(broadcast(db, 'keys', 'k')).rejects.toThrow(DatabaseUnavailable);
});

test('notifications of others on the channel do no harm', async () => {
  const [one, two] = [await newNode(), await newNode()];
  await admin.run(sql`select pg_notify('commonplace', 'not json')`);
  await broadcast(one.db, 'keys', 'k');
  expect(two.heard).toStrictEqual(['k']);
});

test('a node that closes takes its row along, and refuses to broadcast', async () => {
  const { db } = await newNode();
  expect(await nodeRows()).toHaveLength(1);
  await db.close();
  expect(await nodeRows()).toHaveLength(0);
  expect(db.trustsBroadcasts()).toBe(false);
  await expect(broadcast(db, 'keys', 'k')).rejects.toBeInstanceOf(DatabaseUnavailable);
});
