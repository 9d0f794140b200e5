/** The service behind a connection pooler: in transaction mode it needs a way around it, and says so. */
import { pino } from 'pino';
import { describe, expect, inject, onTestFinished, test } from 'vitest';
import { createApp } from '../src/app.ts';
import { readConfig } from '../src/config.ts';
import { DatabaseUnusable } from '../src/db/errors.ts';
import { migrate } from '../src/db/migrate.ts';
import { openPostgres } from '../src/db/postgres/engine.ts';
import type { PostgresOptions } from '../src/db/postgres/options.ts';
import { sql } from '../src/db/sql.ts';
import { atOnce, TestApi, TestClock } from './api.ts';
import { createTestDatabase } from './database.ts';
import { hasPgbouncer, startPgbouncer } from './pgbouncer.ts';

async function newDatabase(): Promise<string> {
  const { url, drop } = await createTestDatabase();
  onTestFinished(drop);
  return url;
}

async function refusalOf(options: PostgresOptions): Promise<string> {
  const refusal = await openPostgres(options).catch((error: unknown) => error);
  expect(refusal).toBeInstanceOf(DatabaseUnusable);
  return (refusal as Error).message;
}

describe.skipIf(!inject('postgres') || !hasPgbouncer)('behind pgbouncer', () => {
  test.for([0, 1])('transaction mode without a way around it is refused with advice (in turn: %i)', async (server_round_robin) => {
    const url = await newDatabase();
    const pooled = await startPgbouncer(url, { pool_mode: 'transaction', min_pool_size: 2, server_round_robin });
    const message = await refusalOf({ url: pooled });
    expect(message).toMatch(/pooler in transaction mode .*Set COMMONPLACE_DATABASE_DIRECT_URL to the server itself/);
    expect(await refusalOf({ url: pooled, directUrl: pooled })).toMatch(/DIRECT_URL leads to a connection pooler/);
    expect(await refusalOf({ url: pooled, directUrl: await newDatabase() })).toMatch(/lead to two databases/);
  });

  test('session mode needs nothing', async () => {
    const url = await startPgbouncer(await newDatabase(), { pool_mode: 'session' });
    const db = await openPostgres({ url, poolSize: 2 });
    onTestFinished(() => db.close());
    await migrate(db);
    await db.join();
    expect(db.trustsBroadcasts()).toBe(true);
  });

  test('in transaction mode with a way around it everything works, and nothing is left behind in the sessions of others', async () => {
    const directUrl = await newDatabase();
    const url = await startPgbouncer(directUrl, { pool_mode: 'transaction', default_pool_size: 3 });
    const open = async () => {
      const db = await openPostgres({ url, directUrl, poolSize: 8 });
      onTestFinished(() => db.close());
      return db;
    };
    const [db, otherDb] = [await open(), await open()];
    await migrate(db);
    await Promise.all([db.join(), otherDb.join()]);
    const log = pino({ level: 'silent' });
    const config = readConfig({ COMMONPLACE_DATABASE_URL: url, COMMONPLACE_DATABASE_DIRECT_URL: directUrl });
    const clock = new TestClock();
    const app = await createApp(config, db, log, clock);
    const other = await createApp(config, otherDb, log, clock);
    onTestFinished(async () => {
      await app.close();
      await other.close();
    });
    const api = new TestApi(app, db, clock);
    const session = await api.newSession();
    const elsewhere = new TestApi(other, otherDb, clock).client(session.runtime.headers);
    const { statuses } = await atOnce(200, (index) =>
      (index % 2 ? elsewhere : session.runtime).post(
        `${session.url}/messages`,
        { role: 'user', content: `message ${index}` },
        index % 3 ? {} : { 'idempotency-key': `${session.id}-${index}` },
      ),
    );
    expect(statuses).toEqual({ 201: 200 });
    const reads = await atOnce(200, (index) => (index % 2 ? elsewhere : session.runtime).get(`${session.url}/messages?limit=10`));
    expect(reads.statuses).toEqual({ 200: 200 });
    expect(reads.answers[0]?.body._meta.total).toBe(200);
    // A revocation reaches the other node, whose listening connection goes around the pooler.
    const key = await api.newAccessKey(session.agent.workspace);
    const onOther = elsewhere.with({ 'x-access-key': key.headers['x-access-key'] as string });
    expect((await onOther.get(`${session.agent.workspace.url}/agents`)).status).toBe(200);
    const deletion = await session.agent.workspace.owner.delete(`${session.agent.workspace.url}/keys/${key.keyId}`);
    expect(deletion.status).toBe(204);
    expect((await onOther.get(`${session.agent.workspace.url}/agents`)).status).toBe(401);
    // A statement outside of a transaction has the server's own limits; one inside has those of the service.
    const limit = sql<{ limit: string }>`select current_setting('lock_timeout') as limit`;
    for (let count = 0; count < 5; count++) expect((await db.one(limit)).limit).toBe('0');
    expect((await db.transaction((tx) => tx.one(limit))).limit).toBe('10s');
    await api.app.indexing.drain();
    expect(await api.countRows('vectors', session.agent.workspace.id)).toBe(200);
  });
});
