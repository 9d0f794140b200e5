import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { expect, inject, onTestFinished, test } from 'vitest';
import { createTestDatabase } from '../../../test/database.ts';
import { DatabaseUnusable } from '../errors.ts';
import { sql } from '../sql.ts';
import { openPostgres } from './engine.ts';

async function listen(onConnection: (socket: Socket) => void): Promise<number> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    onConnection(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

const greetAsStandby = greetWith('in_hot_standby');

/** As far as a server speaks before the first statement, and what is on of it. */
function greetWith(parameter: string): (socket: Socket) => void {
  const message = (type: string, body: Buffer) => {
    const head = Buffer.alloc(5);
    head.write(type);
    head.writeInt32BE(body.length + 4, 1);
    return Buffer.concat([head, body]);
  };
  const authenticated = message('R', Buffer.from([0, 0, 0, 0]));
  const standby = message('S', Buffer.from(`${parameter}\0on\0`));
  const greeting = Buffer.concat([authenticated, standby, message('Z', Buffer.from('I'))]);
  return (socket) => socket.once('data', () => socket.write(greeting));
}

/** A new database, addressed with these ports before or after its own. */
async function addressed(ports: readonly (number | 'own')[], parameters = ''): Promise<string> {
  const database = await createTestDatabase();
  onTestFinished(database.drop);
  const { username, hostname, port, pathname } = new URL(database.url);
  const hosts = ports.map((one) => (one === 'own' ? `${hostname}:${port || 5432}` : `127.0.0.1:${one}`));
  return `postgres://${username}@${hosts.join(',')}${pathname}${parameters}`;
}

async function open(url: string) {
  const db = await openPostgres({ url, poolSize: 3, connectTimeoutMs: 2_000 });
  onTestFinished(() => db.close());
  return db;
}

const CLOSED_PORT = 1;
const answer = sql<{ one: number }>`select 1 as one`;

test('of several hosts the one that takes writes is used: not one that is gone, silent or a standby', async () => {
  let greeted = 0;
  const standby = await listen((socket) => {
    greeted++;
    greetAsStandby(socket);
  });
  const silent = await listen(() => undefined);
  const db = await open(await addressed([CLOSED_PORT, silent, standby, 'own'], '?target_session_attrs=read-write'));
  expect(await db.query(answer)).toEqual([{ one: 1 }]);
  expect(greeted).toBe(1);
  // Who comes next goes there at once.
  expect(await Promise.all(Array.from({ length: 9 }, () => db.one(answer)))).toHaveLength(9);
  await db.exclusively(async () => undefined);
  expect(greeted).toBe(1);
  expect(await db.describe()).toContain(`127.0.0.1:${CLOSED_PORT},127.0.0.1:${silent},127.0.0.1:${standby},`);
});

test('a host that is read-only by its settings is passed over', async () => {
  let greeted = 0;
  const readOnly = await listen((socket) => {
    greeted++;
    greetWith('default_transaction_read_only')(socket);
  });
  const db = await open(await addressed([readOnly, 'own']));
  expect(await db.query(answer)).toEqual([{ one: 1 }]);
  expect(greeted).toBe(1);
});

test('a host that refuses a write is left, though it said nothing of it', async () => {
  const { hostname, port } = new URL(inject('postgres')?.url as string);
  let passed = 0;
  const proxy = await listen((socket) => {
    passed++;
    const server = connect(Number(port || 5432), hostname);
    server.on('error', () => socket.destroy());
    socket.on('close', () => server.destroy());
    socket.pipe(server).pipe(socket);
  });
  const db = await open(await addressed([proxy, 'own']));
  expect(await db.query(answer)).toEqual([{ one: 1 }]);
  const refusal = sql`do $$ begin raise exception using errcode = '25006'; end $$`;
  await expect(db.run(refusal)).rejects.toThrow('PostgreSQL takes no writes now');
  const before = passed;
  expect(before).toBeGreaterThan(0);
  await Promise.all(Array.from({ length: 9 }, () => db.run(sql`select pg_sleep(0.01)`)));
  expect(passed).toBe(before);
});

test('where no host takes writes it says so, of all of them', async () => {
  const standby = await listen(greetAsStandby);
  const failure = await open(`postgres://ann:secret@127.0.0.1:${standby},127.0.0.1:${CLOSED_PORT}/books`).catch((error: Error) => error);
  expect(failure).toBeInstanceOf(DatabaseUnusable);
  expect(String(failure)).toContain(`127.0.0.1:${standby},127.0.0.1:${CLOSED_PORT}/books`);
  expect(String(failure)).not.toContain('secret');
});

test('a host for readers alone is refused', async () => {
  const url = `${inject('postgres')?.url}?target_session_attrs=standby`;
  await expect(openPostgres({ url })).rejects.toThrow('asks for a host that takes no writes');
});
