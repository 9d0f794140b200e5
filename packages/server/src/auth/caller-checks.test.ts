/** Cached callers are looked up again, should a revocation ever go unheard: rows are deleted here behind the service's back. */
import { pino } from 'pino';
import { expect } from 'vitest';
import { test } from '../../test/api.ts';
import { timestamp } from '../clock.ts';
import { sql } from '../db/sql.ts';
import { Callers } from './callers.ts';

/** A node that hears the others may rely on what it remembers. */
test.beforeEach(({ api }) => api.db.join?.());

test('a key whose revocation went unheard is dropped when it is looked up again, a minute later', async ({ api }) => {
  const workspace = await api.newWorkspace();
  const key = await api.newAccessKey(workspace);
  const status = async () => (await key.get(`${workspace.url}/agents`)).status;
  expect(await status()).toBe(200);
  await api.db.run(sql`delete from access_keys where workspace_id = ${workspace.id} and id = ${key.keyId}`);
  expect(await status()).toBe(200);
  api.clock.advance(80_000);
  await expect.poll(status).toBe(401);
});

test('a key that was not used for two minutes is looked up before it is relied on', async ({ api }) => {
  const workspace = await api.newWorkspace();
  const key = await api.newAccessKey(workspace);
  const status = async () => (await key.get(`${workspace.url}/agents`)).status;
  expect(await status()).toBe(200);
  await api.db.run(sql`delete from access_keys where workspace_id = ${workspace.id} and id = ${key.keyId}`);
  api.clock.advance(120_000);
  expect(await status()).toBe(401);
  expect(await status()).toBe(401);
});

test('a member whose removal went unheard is a stranger a minute later', async ({ api }) => {
  const workspace = await api.newWorkspace();
  const { id, client } = await api.newMember(workspace, 'readonly');
  const status = async () => (await client.get(`${workspace.url}/agents`)).status;
  expect(await status()).toBe(200);
  await api.db.run(sql`delete from memberships where workspace_id = ${workspace.id} and user_id = ${id}`);
  expect(await status()).toBe(200);
  api.clock.advance(80_000);
  await expect.poll(status).toBe(404);
});

test('a key that has expired is refused, and is not said to be gone each minute', async ({ api }) => {
  const workspace = await api.newWorkspace();
  const { headers } = await api.newAccessKey(workspace, undefined, timestamp(api.clock.nowMs() + 10_000));
  const lines: string[] = [];
  const callers = new Callers(api.db, api.clock, pino({ level: 'info' }, { write: (line) => lines.push(line) }));
  await callers.identify(headers, undefined);
  for (let minute = 0; minute < 3; minute++) {
    api.clock.advance(80_000);
    await expect((async () => callers.identify(headers, undefined))()).rejects.toThrow('Invalid access key.');
  }
  // What was begun in the background ends before.
  await api.db.ping();
  await callers.close();
  expect(lines).toEqual([]);
});
