/** `serve` before it can serve: while it migrates, and while it waits for another node that does. */
import { once } from 'node:events';
import { existsSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { pino } from 'pino';
import { expect, inject, onTestFinished, test } from 'vitest';
import { serve, temporaryFolder } from '../src/cli/spawn-for-test.ts';
import { openDatabase } from '../src/db/open.ts';
import { sql } from '../src/db/sql.ts';
import { freePort } from './cluster.ts';
import { createTestDatabase } from './database.ts';

interface Held {
  readonly settings: Readonly<Record<string, string>>;
  /** Options of Node. */
  readonly node?: readonly string[];
  /** Whether the service has come to what holds it. */
  isReached(): Promise<boolean>;
  release(): void;
}

const asModule = (script: string) => `data:text/javascript,${encodeURIComponent(script)}`;

/** A migration that does not end before it is told to. */
function heldMigration(): Held {
  const folder = temporaryFolder();
  const [reached, end] = [join(folder, 'reached'), join(folder, 'end')];
  const inThreads = asModule(`
    import { existsSync, writeFileSync } from 'node:fs';
    import { DatabaseSync } from 'node:sqlite';
    const { exec } = DatabaseSync.prototype;
    DatabaseSync.prototype.exec = function (script) {
      if (script.includes('create table workspaces')) {
        writeFileSync(${JSON.stringify(reached)}, '');
        while (!existsSync(${JSON.stringify(end)})) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20);
      }
      return exec.call(this, script);
    };`);
  // Threads do not take the options of the process.
  const inProcess = asModule(`
    import { syncBuiltinESMExports } from 'node:module';
    import threads from 'node:worker_threads';
    threads.Worker = class extends threads.Worker {
      constructor(file, options) {
        super(file, { ...options, execArgv: ['--import', ${JSON.stringify(inThreads)}] });
      }
    };
    syncBuiltinESMExports();`);
  return {
    settings: { COMMONPLACE_DATA_DIR: join(folder, 'data') },
    node: ['--import', inProcess],
    isReached: async () => existsSync(reached),
    release: () => writeFileSync(end, ''),
  };
}

/** Another node that migrates the same database. */
async function heldByAnotherNode(): Promise<Held> {
  const { url, drop } = await createTestDatabase();
  onTestFinished(drop);
  const other = await openDatabase({ databaseUrl: url, databasePoolSize: 2, dataDir: '' }, pino({ level: 'silent' }));
  onTestFinished(() => other.close());
  const { promise, resolve } = Promise.withResolvers<void>();
  const migrating = Promise.withResolvers<void>();
  void other.exclusively(() => {
    migrating.resolve();
    return promise;
  });
  await migrating.promise;
  const trying = sql<{ nodes: number }>`
    select count(*)::int as nodes from pg_stat_activity where datname = current_database() and query like 'select pg_try_advisory_lock%'`;
  return {
    settings: { COMMONPLACE_DATABASE_URL: url },
    isReached: async () => (await other.one(trying)).nodes > 1,
    release: resolve,
  };
}

/** The beginning of a request, and what is answered until the connection ends. */
async function halfARequest(port: number) {
  const socket = connect(port, '127.0.0.1').setEncoding('utf8');
  onTestFinished(() => void socket.destroy());
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  let answer = '';
  socket.on('data', (text) => {
    answer += text;
  });
  const ended = once(socket, 'close').then(() => answer);
  socket.write('GET /api/v1/_ready HTTP/1.1\r\nHost: ');
  return { ended };
}

for (const [name, hold] of [
  ['SQLite, which migrates', heldMigration] as const,
  ...(inject('postgres') ? [['PostgreSQL, which another node migrates', heldByAnotherNode] as const] : []),
])
  test(`on ${name}: alive and not ready, whatever is asked, and then ready at the same port`, async () => {
    const { settings, node = [], isReached, release } = await hold();
    const port = await freePort();
    const url = `http://127.0.0.1:${port}`;
    const serving = serve({ ...settings, COMMONPLACE_PORT: String(port) }, { node });
    await expect.poll(isReached).toBe(true);

    for (const place of ['', '/public']) {
      const health = await fetch(`${url}/api/v1${place}/_health`);
      expect([health.status, await health.text()]).toEqual([200, '{"status":"ok"}']);
      expect((await fetch(`${url}/api/v1${place}/_ready`)).status).toBe(503);
    }
    for (const [method, path] of [
      ['POST', '/api/v1/auth/setup'],
      ['GET', '/'],
    ] as const) {
      const refused = await fetch(url + path, { method, ...(method === 'POST' && { body: '{}' }) });
      expect(refused.status).toBe(503);
      expect(refused.headers.get('retry-after')).toBe('1');
      expect(await refused.json()).toEqual({
        errorMessage: 'The service is starting. Try again shortly.',
        code: 'unavailable',
        requestId: refused.headers.get('x-request-id'),
      });
    }

    const { ended } = await halfARequest(port);
    await fetch(`${url}/api/v1/_health`);
    release();
    const service = await serving;
    // Not waited for until it is too late for it, which would be said.
    expect(await ended).toBe('');
    expect(service.url).toBe(url);
    expect((await fetch(`${url}/api/v1/_ready`)).status).toBe(200);
    expect((await fetch(`${url}/api/v1/me`)).status).toBe(401);
    const { code, stdout } = await service.stop();
    expect(code).toBe(0);
    expect(stdout).not.toContain('"level":50');
  });
