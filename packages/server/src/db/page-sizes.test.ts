/** An answer has 8 MB at most: pages end early and name the next one, searches end with the best that fit. */
import { describe, expect, onTestFinished, vi } from 'vitest';
import { type Client, made, type TestApi, type TestSession, test } from '../../test/api.ts';
import { LARGEST_ANSWER_BYTES } from '../answer-size.ts';
import type { Queryable } from './database.ts';
import { listPage } from './paging.ts';
import { type Sql, sql } from './sql.ts';

const content = 'x'.repeat(1_000_000);
const TIMEOUT_MS = 120_000;

async function write(session: TestSession, kind: 'messages' | 'memories', texts: readonly string[]): Promise<void> {
  for (let start = 0; start < texts.length; start += 4) {
    const items = texts
      .slice(start, start + 4)
      .map((text) => (kind === 'messages' ? { role: 'user', content: text } : { kind: 'fact', content: text }));
    made(await session.runtime.post(`${session.url}/${kind}/batch`, { [kind]: items }));
  }
}

/** Every page by cursor: each is within the size, none is empty, and together they are all. */
async function walkPages(client: Client, url: string, key: string): Promise<{ ids: string[]; counts: number[]; total: number }> {
  const ids: string[] = [];
  const counts: number[] = [];
  for (let cursor = ''; ; ) {
    const { status, body, text } = await client.get(`${url}?limit=100${cursor && `&cursor=${cursor}`}`);
    expect(status).toBe(200);
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(LARGEST_ANSWER_BYTES + 1_000);
    expect(body._meta.limit, 'the limit that was asked for').toBe(100);
    counts.push(body[key].length);
    ids.push(...body[key].map(({ id }: { id: string }) => id));
    cursor = body._meta.cursor ?? '';
    if (cursor === '') return { ids, counts, total: body._meta.total };
  }
}

describe('a page', () => {
  test.for(['messages', 'memories'] as const)(
    'of %s ends before 8 MB, with a cursor to go on',
    { timeout: TIMEOUT_MS },
    async (kind, { api }) => {
      const session = await api.newSession();
      await write(session, kind, Array(20).fill(content));
      const { ids, counts, total } = await walkPages(session.runtime, `${session.url}/${kind}`, kind);
      expect(counts).toEqual([7, 7, 6]);
      expect([new Set(ids).size, total]).toEqual([20, 20]);
      // By offset, too: what a page left out comes after what it had.
      const { body } = await session.runtime.get(`${session.url}/${kind}?limit=100&offset=7`);
      expect(body[kind].map(({ id }: { id: string }) => id)).toEqual(ids.slice(7, 14));
    },
  );

  test('counts what JSON makes of a text', { timeout: TIMEOUT_MS }, async ({ api }) => {
    const session = await api.newSession();
    for (let count = 0; count < 4; count++) await write(session, 'messages', ['\u0001'.repeat(1_000_000)]);
    const { counts } = await walkPages(session.runtime, `${session.url}/messages`, 'messages');
    expect(counts).toEqual([1, 1, 1, 1]);
  });

  test('of short rows before long ones, and of long ones before short ones, leaves out nothing', { timeout: TIMEOUT_MS }, async ({
    api,
  }) => {
    const session = await api.newSession();
    await write(session, 'messages', [...Array(30).fill('short'), ...Array(10).fill(content), ...Array(30).fill('short')]);
    const { ids, counts } = await walkPages(session.runtime, `${session.url}/messages`, 'messages');
    expect(counts).toEqual([37, 33]);
    expect(ids).toEqual(ids.toSorted());
  });

  test('of prompt versions ends early, their variables counted', { timeout: TIMEOUT_MS }, async ({ api }) => {
    const prompt = await api.newPrompt();
    const variables = Array.from({ length: 90_000 }, (_, index) => `{{v${index}}}`).join('');
    for (let added = 0; added < 8; added++) made(await prompt.runtime.post(`${prompt.url}/versions`, { type: 'text', content: variables }));
    const { ids, counts } = await walkPages(prompt.runtime, `${prompt.url}/versions`, 'versions');
    expect(ids).toHaveLength(9);
    expect(counts.length).toBeGreaterThan(1);
  });

  test('of agents and of documents with the longest of labels is within the size', { timeout: TIMEOUT_MS }, async ({ api }) => {
    const workspace = await api.newWorkspace();
    const kbLabels = Object.fromEntries(Array.from({ length: 32 }, (_, index) => [`${index}`.padEnd(64, '\u0001'), '\u0001'.repeat(255)]));
    for (let count = 0; count < 100; count++) {
      made(await workspace.owner.post(`${workspace.url}/agents`, { name: `Agent ${count}`, description: '\u0001'.repeat(2000), kbLabels }));
    }
    const { ids } = await walkPages(workspace.owner, `${workspace.url}/agents`, 'agents');
    expect(new Set(ids).size).toBe(100);
  });

  test('reads no more from the database than fits', { timeout: TIMEOUT_MS }, async ({ api }) => {
    const session = await api.newSession();
    await write(session, 'messages', Array(30).fill(content));
    const read: number[] = [];
    const db = { query: async (statement: Sql) => measured(await api.db.query(statement), read) } as unknown as Queryable;
    const messages = sql`from messages where workspace_id = ${session.agent.workspace.id} and session_id = ${session.id}`;
    const { rows } = await listPage(db, { limit: 100, offset: 0 } as never, {
      rows: sql<{ id: string; content: string }>`select id, content ${messages}`,
      counted: messages,
      key: 'id',
      keyKind: 'id',
      order: 'asc',
      keyOf: ({ id }) => id,
      longColumns: ['content'],
    });
    expect(rows).toHaveLength(7);
    expect(read.reduce((sum, bytes) => sum + bytes, 0)).toBeLessThan(LARGEST_ANSWER_BYTES + content.length);
  });
});

function measured(rows: unknown[], read: number[]): unknown[] {
  read.push(JSON.stringify(rows).length);
  return rows;
}

describe('a search', () => {
  async function searched(api: TestApi, kind: 'messages' | 'memories') {
    const session = await api.newSession();
    const long = Array.from({ length: 12 }, (_, index) => `apples ${index} ${'lorem ipsum '.repeat(80_000)}`);
    await write(session, kind, long);
    return { session, answer: await session.runtime.post(`${session.url}/${kind}/search`, { query: 'apples', limit: 100 }) };
  }

  test.for(['messages', 'memories'] as const)(
    'of %s ends with the best that fit in 8 MB',
    { timeout: TIMEOUT_MS },
    async (kind, { api }) => {
      const { session, answer } = await searched(api, kind);
      expect(answer.status).toBe(200);
      expect(answer.body.results.length).toBeGreaterThan(4);
      expect(answer.body.results.length).toBeLessThan(12);
      expect(Buffer.byteLength(answer.text)).toBeLessThanOrEqual(LARGEST_ANSWER_BYTES + 1_000);
      const all = await session.runtime.post(`${session.agent.workspace.url}/search`, { query: 'apples', limit: 100 });
      expect(Buffer.byteLength(all.text)).toBeLessThanOrEqual(LARGEST_ANSWER_BYTES + 1_000);
    },
  );

  test.for(['messages', 'memories'] as const)('of %s counts what JSON makes of a text', { timeout: TIMEOUT_MS }, async (kind, { api }) => {
    const session = await api.newSession();
    for (const word of ['red', 'green']) await write(session, kind, [`${word} apples ${'\u0001'.repeat(900_000)}`]);
    const { body } = await session.runtime.post(`${session.url}/${kind}/search`, { query: 'apples', limit: 100 });
    expect(body.results).toHaveLength(1);
  });

  test.for(['messages', 'memories'] as const)(
    'of %s reads no more from the database than fits',
    { timeout: TIMEOUT_MS },
    async (kind, { api }) => {
      const { session, answer } = await searched(api, kind);
      const query = api.db.query.bind(api.db);
      const read: number[] = [];
      const spy = vi.spyOn(api.db, 'query').mockImplementation(async (statement) => measured(await query(statement), read) as never);
      onTestFinished(() => spy.mockRestore());
      // The index is loaded by now: what is read is what is answered.
      const again = await session.runtime.post(`${session.url}/${kind}/search`, { query: 'apples', limit: 100 });
      expect(again.body).toEqual(answer.body);
      const sum = read.reduce((bytes, more) => bytes + more, 0);
      expect(sum).toBeGreaterThan(LARGEST_ANSWER_BYTES / 2);
      expect(sum).toBeLessThan(LARGEST_ANSWER_BYTES + content.length);
    },
  );

  test('of a workspace ends with the best of all kinds together', { timeout: TIMEOUT_MS }, async ({ api }) => {
    const session = await api.newSession();
    const long = Array.from({ length: 6 }, (_, index) => `apples ${index} ${'lorem ipsum '.repeat(80_000)}`);
    await write(session, 'messages', long);
    await write(session, 'memories', long);
    const { body, text } = await session.runtime.post(`${session.agent.workspace.url}/search`, { query: 'apples', limit: 100 });
    expect(new Set(body.results.map(({ type }: { type: string }) => type))).toEqual(new Set(['message', 'memory']));
    expect(body.results.length).toBeLessThan(12);
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(LARGEST_ANSWER_BYTES + 1_000);
  });
});

test('the history of a memory has the newest contents that fit', { timeout: TIMEOUT_MS }, async ({ api }) => {
  const { runtime, url } = await api.newSession();
  const { id } = made(await runtime.post(`${url}/memories`, { kind: 'fact', content }));
  for (let edit = 0; edit < 12; edit++) await runtime.put(`${url}/memories/${id}`, { content: `${edit} ${content.slice(4)}` });
  const { body, text } = await runtime.get(`${url}/memories/${id}/history`);
  expect(body.history).toHaveLength(13);
  expect(Buffer.byteLength(text)).toBeLessThanOrEqual(LARGEST_ANSWER_BYTES + 5_000);
  expect(body.history.map((event: { content: string | null }) => event.content?.split(' ')[0] ?? null)).toEqual([
    ...Array(6).fill(null),
    ...['5', '6', '7', '8', '9', '10', '11'],
  ]);
});
