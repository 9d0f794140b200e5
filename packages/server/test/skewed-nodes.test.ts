/** Whole processes on one PostgreSQL whose machines' clocks are minutes apart: what they write and decide goes by the database's. */
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { describe, expect, inject, onTestFinished, test } from 'vitest';
import { type Running, serve } from '../src/cli/spawn-for-test.ts';
import { newId } from '../src/db/ids.ts';
import { createTestDatabase } from './database.ts';

const skew = fileURLToPath(new URL('skewed-date.ts', import.meta.url));
const KEY = 'the-key-of-nodes-with-wrong-clocks';
const MINUTE_MS = 60_000;

function startNode(databaseUrl: string, aheadMs: number): Promise<Running> {
  const settings = {
    COMMONPLACE_DATABASE_URL: databaseUrl,
    COMMONPLACE_ADMIN_API_KEY: KEY,
    COMMONPLACE_RATE_LIMIT: '1000',
    // Nobody answers there: no model is loaded for this.
    COMMONPLACE_EMBEDDINGS_URL: 'http://127.0.0.1:9/v1',
    TEST_DATE_AHEAD_MS: String(aheadMs),
  };
  return serve(settings, { node: ['--import', skew] });
}

interface Asked {
  readonly answer: Response;
  // biome-ignore lint/suspicious/noExplicitAny: a test says what it expects of a body, field by field.
  readonly body: any;
}

async function ask({ url }: Running, method: string, path: string, body?: object, headers?: Record<string, string>): Promise<Asked> {
  const answer = await fetch(`${url}/api/v1${path}`, {
    method,
    headers: { ...(headers ?? { 'x-api-key': KEY }), ...(body && { 'content-type': 'application/json' }) },
    ...(body && { body: JSON.stringify(body) }),
  });
  return { answer, body: answer.status === 204 ? undefined : await answer.json() };
}

async function newDatabase(): Promise<{ url: string; client: pg.Client }> {
  const { url, drop } = await createTestDatabase();
  onTestFinished(drop);
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => undefined);
  await client.connect();
  onTestFinished(() => client.end());
  return { url, client };
}

describe.skipIf(!inject('postgres'))('clocks two minutes off', () => {
  test('a node that is ahead takes back the job whose lease ran out, and not the one that another node runs', async () => {
    const { url, client } = await newDatabase();
    await startNode(url, 2 * MINUTE_MS);
    const insertRunning = async (leaseSeconds: number) => {
      const [id, owner] = [newId(), newId()];
      await client.query(
        `insert into jobs (id, kind, workspace_id, payload, state, run_at, attempts, lease_owner, lease_until, created_at, updated_at)
         values ($1, 'purge-workspace', null, $3, 'running', now(), 0, $2, now() + $4 * interval '1 second', now(), now())`,
        [id, owner, JSON.stringify({ workspaceId: newId() }), leaseSeconds],
      );
      return { id, owner };
    };
    const held = await insertRunning(MINUTE_MS / 1000);
    const lapsed = await insertRunning(-1);
    const ownerOf = async (id: string) =>
      (await client.query('select lease_owner from jobs where id = $1', [id])).rows[0]?.lease_owner as string | undefined;
    // Both are looked at by one statement, so that the second tells that the first was left alone.
    await expect.poll(() => ownerOf(lapsed.id)).not.toBe(lapsed.owner);
    expect(await ownerOf(held.id)).toBe(held.owner);
  });

  test('order, times, expiry, repetition and rate limits are right, whichever node is asked', async () => {
    const { url, client } = await newDatabase();
    const ahead = await startNode(url, 2 * MINUTE_MS);
    const behind = await startNode(url, -2 * MINUTE_MS);
    const workspace = `/workspaces/${(await ask(ahead, 'POST', '/workspaces', { name: 'Home' })).body.id}`;
    const agent = `${workspace}/agents/${(await ask(behind, 'POST', `${workspace}/agents`, { name: 'An agent' })).body.id}`;
    const session = `${agent}/sessions/${(await ask(ahead, 'POST', `${agent}/sessions`)).body.id}`;
    const contents: string[] = [];
    for (let index = 0; index < 40; index++) {
      contents.push(`message ${index}`);
      const { answer, body } = await ask(index % 2 ? behind : ahead, 'POST', `${session}/messages`, {
        role: 'user',
        content: contents.at(-1),
      });
      expect(answer.status).toBe(201);
      expect(Math.abs(Date.parse(body.createdAt) - Date.now())).toBeLessThan(MINUTE_MS);
      expect(Number(answer.headers.get('ratelimit-reset'))).toBeLessThanOrEqual(1);
    }
    const { body: list } = await ask(behind, 'GET', `${session}/messages?limit=100`);
    expect(list.messages.map(({ content }: { content: string }) => content)).toEqual(contents);

    const newKey = async (node: Running, expiresAt?: string) => {
      const fields = { name: 'a key', permissions: ['CAN_LIST_AGENTS'], ...(expiresAt && { expiresAt }) };
      const { answer, body } = await ask(node, 'POST', `${workspace}/keys`, fields);
      expect(answer.status, JSON.stringify(body)).toBe(201);
      return body as { id: string; key: string };
    };
    const statusOf = async (node: Running, key: string) =>
      (await ask(node, 'GET', `${workspace}/agents`, undefined, { 'x-access-key': key })).answer.status;
    // Valid for another minute: over by the clock of the one machine. Over for a minute: valid by that of the other.
    const { key: valid } = await newKey(ahead, new Date(Date.now() + MINUTE_MS).toISOString());
    const { id, key: over } = await newKey(behind);
    await client.query(`update access_keys set expires_at = now() - interval '1 minute' where id = $1`, [id]);
    for (const node of [ahead, behind]) {
      expect(await statusOf(node, valid)).toBe(200);
      expect(await statusOf(node, over)).toBe(401);
    }

    const once = { 'x-api-key': KEY, 'idempotency-key': 'the-same-request' };
    const first = await ask(behind, 'POST', `${session}/messages`, { role: 'user', content: 'once' }, once);
    const again = await ask(ahead, 'POST', `${session}/messages`, { role: 'user', content: 'once' }, once);
    expect(again.body).toEqual(first.body);
  });
});
