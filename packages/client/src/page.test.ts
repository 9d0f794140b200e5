import { expect, test } from 'vitest';
import { json, type SentRequest, stubFetch } from '../test/stub-fetch.ts';
import { Commonplace } from './commonplace.ts';
import type { Page } from './page.ts';
import type { Message } from './types.ts';

const all = Array.from({ length: 7 }, (_, index) => ({ id: `m${index}` }));

/** As the service does it: by cursor from there on, `offset` and `total` as they were asked for and as they are. */
function byCursor({ url }: SentRequest): Response {
  const limit = Number(url.searchParams.get('limit') ?? 50);
  const offset = Number(url.searchParams.get('offset') ?? 0);
  const start = Number(url.searchParams.get('cursor') ?? 0) + offset;
  const messages = all.slice(start, start + limit);
  const next = start + messages.length;
  return json({ messages, _meta: { limit, offset, total: all.length, ...(next < all.length && { cursor: String(next) }) } });
}

/** Pages that end early, as where their rows are large. */
function byOffset({ url }: SentRequest): Response {
  const offset = Number(url.searchParams.get('offset') ?? 0);
  return json({ sessions: all.slice(offset, offset + 2), _meta: { limit: 5, offset, total: all.length } });
}

function listing(answer: (request: SentRequest) => Response) {
  const { fetch, sent } = stubFetch(answer);
  const client = new Commonplace({ baseUrl: 'http://service.test', accessKey: 'key', workspaceId: 'w', fetch });
  return { client, queries: () => sent.map(({ url }) => url.search) };
}

async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const collected: T[] = [];
  for await (const item of items) collected.push(item);
  return collected;
}

test('a list is an iterator over all of its items, by cursor', async () => {
  const { client, queries } = listing(byCursor);
  expect(await collect(client.messages.list('a', 's', { limit: 3 }))).toEqual(all);
  expect(queries()).toEqual(['?limit=3', '?limit=3&cursor=3', '?limit=3&cursor=6']);
});

test('an offset is of the first page alone', async () => {
  const { client, queries } = listing(byCursor);
  expect(await collect(client.messages.list('a', 's', { limit: 3, offset: 2 }))).toEqual(all.slice(2));
  expect(queries()).toEqual(['?limit=3&offset=2', '?limit=3&cursor=5']);
});

test('a list is a promise of its first page', async () => {
  const { client } = listing(byCursor);
  const promise: Promise<Page<Message>> = client.messages.list('a', 's', { limit: 4 });
  const page = await promise;
  expect([page.data, page.meta.total, page.hasNextPage()]).toEqual([all.slice(0, 4), 7, true]);
  const last = await page.getNextPage();
  expect([last.data, last.hasNextPage()]).toEqual([all.slice(4), false]);
  await expect(last.getNextPage()).rejects.toThrow('This is the last page');
  expect(await collect(page)).toEqual(all);
  const sizes = [];
  for await (const each of page.iterPages()) sizes.push(each.data.length);
  expect(sizes).toEqual([4, 3]);
});

test('filters are those of every page', async () => {
  const { client, queries } = listing(({ url }) => {
    const isFirst = !url.searchParams.has('cursor');
    return json({ memories: [], _meta: { limit: 50, offset: 0, total: 0, ...(isFirst && { cursor: 'next' }) } });
  });
  await collect(client.memories.list('a', 's', { kind: 'fact' }));
  expect(queries()).toEqual(['?kind=fact', '?kind=fact&cursor=next']);
});

test('without a cursor the next page begins after what came, though less came than was asked for', async () => {
  const { client, queries } = listing(byOffset);
  expect(await collect(client.sessions.list('a', { limit: 5, labels: { user: '42' } }))).toEqual(all);
  expect(queries()).toEqual(['', '&offset=2', '&offset=4', '&offset=6'].map((offset) => `?user=42&limit=5${offset}`));
});

test('it ends where a page is empty, whatever the total says', async () => {
  const { client, queries } = listing(() => json({ sessions: [], _meta: { limit: 50, offset: 0, total: 9 } }));
  expect(await collect(client.sessions.list('a'))).toEqual([]);
  expect(queries()).toHaveLength(1);
});

test('nothing is asked before somebody wants to know, and then once', async () => {
  const { client, queries } = listing(byCursor);
  const list = client.agent('0199a7c4-3b1e-7c52-9d6f-2f4f0f6f1c20').session('s').messages.list();
  expect(queries()).toHaveLength(0);
  await Promise.all([list, list, collect(list)]);
  expect(queries()).toHaveLength(1);
});

test('a failure is that of the promise', async () => {
  const { client } = listing(() => json({ errorMessage: 'No' }, 400));
  await expect(client.messages.list('a', 's').catch((error) => error)).resolves.toBeInstanceOf(Commonplace.BadRequestError);
  await expect(collect(client.messages.list('a', 's'))).rejects.toBeInstanceOf(Commonplace.BadRequestError);
});
