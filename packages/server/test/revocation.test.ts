/** Revocations and whole processes: one that is killed after its commit, one that sleeps meanwhile. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { pino } from 'pino';
import { describe, expect, inject, onTestFinished, test } from 'vitest';
import { createApp } from '../src/app.ts';
import { type Running, serve } from '../src/cli/spawn-for-test.ts';
import { type Environment, readConfig } from '../src/config.ts';
import { type MigratableDatabase, migrate } from '../src/db/migrate.ts';
import { openDatabase } from '../src/db/open.ts';
import { openPostgres } from '../src/db/postgres/engine.ts';
import { list, raw, sql } from '../src/db/sql.ts';
import { DATABASE_FILE } from '../src/db/sqlite/connection.ts';
import { Client, TestApi, TestClock } from './api.ts';
import { createTestDatabase } from './database.ts';
import { actions, newTakeaways, type PlainRequest, type Takeaway } from './takeaways.ts';

const PATIENCE = { timeout: 40_000 };

async function newApi(db: MigratableDatabase, environment: Environment) {
  const clock = new TestClock();
  const app = await createApp(readConfig(environment), db, pino({ level: 'silent' }), clock);
  const close = async () => {
    await app.close();
    await db.close();
  };
  return { api: new TestApi(app, db, clock), close };
}

function sendTo({ url }: Running, { method, path, headers, body }: PlainRequest) {
  return fetch(`${url}/api/v1${path}`, {
    method,
    headers: { ...headers, ...(body && { 'content-type': 'application/json' }) },
    ...(body && { body: JSON.stringify(body) }),
  });
}

async function lookFrom(node: Running, { probe, seen }: Takeaway): Promise<number> {
  const answer = await sendTo(node, probe);
  return seen(answer.status, (await answer.json()) as { _meta?: { total: number } });
}

async function lookInside({ app }: TestApi, { probe, seen }: Takeaway): Promise<number> {
  const { status, body } = await new Client(app.server, probe.headers).send(probe.method, probe.path);
  return seen(status, body);
}

/** By route, so that a failure names it. */
async function lookAll(takeaways: readonly Takeaway[], look: (takeaway: Takeaway) => Promise<number>): Promise<Record<string, number>> {
  return Object.fromEntries(await Promise.all(takeaways.map(async (one) => [one.route, await look(one)] as const)));
}

const expected = (takeaways: readonly Takeaway[], when: 'before' | 'after') =>
  Object.fromEntries(takeaways.map((one) => [one.route, one[when]]));

/** Twice: the second answer comes from what the node remembers. */
async function rememberAll(takeaways: readonly Takeaway[], look: (takeaway: Takeaway) => Promise<number>): Promise<void> {
  for (const _ of [1, 2]) expect(await lookAll(takeaways, look)).toEqual(expected(takeaways, 'before'));
}

test('the embedded engine killed between commit and answer has forgotten what was taken away', { timeout: 60_000 }, async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'commonplace-revocation-'));
  onTestFinished(() => rm(dataDir, { recursive: true, force: true, maxRetries: 3 }));
  const settings = { COMMONPLACE_DATA_DIR: dataDir };
  const db = await openDatabase(readConfig(settings), pino({ level: 'silent' }));
  await migrate(db);
  const { api, close } = await newApi(db, settings);
  const takeaways = await newTakeaways(api);
  await close();

  const node = await serve(settings);
  await rememberAll(takeaways, (one) => lookFrom(node, one));
  const acts = takeaways.map(({ act }) => sendTo(node, act).catch(() => undefined));
  using file = new DatabaseSync(join(dataDir, DATABASE_FILE), { readOnly: true });
  const marks = actions.map(() => '?').join(', ');
  const committed = file.prepare(`select count(distinct action) as n from audits where action in (${marks})`);
  await expect.poll(() => Number(committed.get(...actions)?.n), { ...PATIENCE, interval: 1 }).toBe(actions.length);
  await node.stop('SIGKILL');
  await Promise.all(acts);

  const next = await serve(settings);
  expect(await lookAll(takeaways, (one) => lookFrom(next, one))).toEqual(expected(takeaways, 'after'));
});

if (inject('postgres'))
  describe('on PostgreSQL', () => {
    async function newCluster(leaseMs: number) {
      const database = await createTestDatabase();
      onTestFinished(() => database.drop());
      const settings = { COMMONPLACE_DATABASE_URL: database.url, COMMONPLACE_DATABASE_POOL_SIZE: '12' };
      const db = await openPostgres({ url: database.url, poolSize: 4, leaseMs });
      await migrate(db);
      await db.join();
      const { api, close } = await newApi(db, settings);
      onTestFinished(close);
      return { api, node: await serve(settings), url: database.url };
    }

    test('what a node committed is heard by the others, though it was killed before it could tell them', { timeout: 60_000 }, async () => {
      // A lease that the test does not outlive: what this node stops believing, it was told.
      const { api, node, url } = await newCluster(3_600_000);
      const admin = await openPostgres({ url, poolSize: 2, transactionLimitMs: 50_000, statementTimeoutMs: 50_000 });
      onTestFinished(() => admin.close());
      const takeaways = await newTakeaways(api);
      await rememberAll(takeaways, (one) => lookInside(api, one));

      // Who can't see the other nodes can't ask them: the killed one gets no further than its commits.
      const free = Promise.withResolvers<void>();
      const locked = Promise.withResolvers<void>();
      const holding = admin.transaction(async (tx) => {
        await tx.run(raw('lock table nodes in access exclusive mode'));
        locked.resolve();
        await free.promise;
      });
      await locked.promise;
      const promised: string[] = [];
      const acts = takeaways.map(({ act, route }) =>
        sendTo(node, act).then(
          (answer) => void (answer.ok && promised.push(route)),
          () => undefined,
        ),
      );
      const committed = async () =>
        (await admin.query(sql<{ n: number }>`select count(distinct action) as n from audits where action in ${list(actions)}`))[0]?.n;
      await expect.poll(committed, { ...PATIENCE, interval: 5 }).toBe(actions.length);
      await node.stop('SIGKILL');
      await Promise.all(acts);
      expect(promised).toEqual([]);
      free.resolve();
      await holding;

      await expect
        .poll(() => lookAll(takeaways, (one) => lookInside(api, one)), { ...PATIENCE, interval: 20 })
        .toEqual(expected(takeaways, 'after'));
      expect(api.db.trustsBroadcasts()).toBe(true);
    });

    test('a node that slept meanwhile serves not one request by what it remembers', { timeout: 60_000 }, async () => {
      const { api, node } = await newCluster(6_000);
      const takeaways = await newTakeaways(api);
      await rememberAll(takeaways, (one) => lookFrom(node, one));
      node.process.kill('SIGSTOP');
      const acts = takeaways.map(({ act: { method, path, headers, body } }) =>
        new Client(api.app.server, headers).send(method, path, body),
      );
      const answers = await Promise.all(acts);
      expect(answers.map(({ status, text }) => (status < 300 ? 'done' : text))).toEqual(takeaways.map(() => 'done'));
      // They lie there when it wakes, before anything else that it could hear.
      const looks = lookAll(takeaways, (one) => lookFrom(node, one));
      await new Promise(setImmediate);
      node.process.kill('SIGCONT');
      expect(await looks).toEqual(expected(takeaways, 'after'));
      expect(await lookAll(takeaways, (one) => lookFrom(node, one))).toEqual(expected(takeaways, 'after'));
    });
  });
