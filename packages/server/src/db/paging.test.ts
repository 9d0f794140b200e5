import { expect } from 'vitest';
import { type Client, made, refusal, type TestApi, test, walk } from '../../test/api.ts';
import { newId } from './ids.ts';

interface Shelf {
  readonly client: Client;
  readonly url: string;
  /** The key of the list in the answer, and the field that tells its rows apart. */
  readonly key: string;
  readonly id: string;
  readonly order: 'asc' | 'desc';
  add(count: number): Promise<string[]>;
  remove(id: string): Promise<unknown>;
}

const times = (count: number) => Array.from({ length: count }, (_, index) => index);
/** As many at once as the pool has connections, and some: it is the order that is tested here, not the load. */
async function inWaves(count: number, add: (index: number) => Promise<string>): Promise<string[]> {
  const ids: string[] = [];
  for (let start = 0; start < count; start += 20) {
    ids.push(...(await Promise.all(times(Math.min(20, count - start)).map((index) => add(start + index)))));
  }
  return ids;
}

const idsOf = (items: { id: string }[]) => items.map(({ id }) => id);

/** Every list of a workspace that pages by key, with a way to fill it. */
const shelves: Record<string, (api: TestApi) => Promise<Shelf>> = {
  messages: async (api) => {
    const { runtime: client, url: session } = await api.newSession();
    const url = `${session}/messages`;
    const add = async (count: number): Promise<string[]> => {
      const ids: string[] = [];
      for (let left = count; left > 0; left -= 100) {
        const messages = times(Math.min(left, 100)).map((index) => ({ role: 'user', content: `message ${index}` }));
        ids.push(...idsOf(made(await client.post(`${url}/batch`, { messages })).messages));
      }
      return ids;
    };
    return { client, url, key: 'messages', id: 'id', order: 'asc', add, remove: (id) => client.delete(`${url}/${id}`) };
  },
  memories: async (api) => {
    const { runtime: client, url: session } = await api.newSession();
    const url = `${session}/memories`;
    const add = async (count: number): Promise<string[]> => {
      const ids: string[] = [];
      for (let left = count; left > 0; left -= 100) {
        const memories = times(Math.min(left, 100)).map((index) => ({ kind: 'fact', content: `memory ${index}` }));
        ids.push(...idsOf(made(await client.post(`${url}/batch`, { memories })).memories));
      }
      return ids;
    };
    return { client, url, key: 'memories', id: 'id', order: 'desc', add, remove: (id) => client.delete(`${url}/${id}`) };
  },
  agents: async (api) => {
    const workspace = await api.newWorkspace();
    const client = await api.newAccessKey(workspace);
    const url = `${workspace.url}/agents`;
    const add = (count: number) =>
      inWaves(count, async () => made(await client.post(url, { name: 'An agent', description: 'd' })).id as string);
    return { client, url, key: 'agents', id: 'id', order: 'desc', add, remove: (id) => client.delete(`${url}/${id}`) };
  },
  prompts: async (api) => {
    const workspace = await api.newWorkspace();
    const client = await api.newAccessKey(workspace);
    const url = `${workspace.url}/prompts`;
    // All over the alphabet, so that some come before and some after the place of a reader.
    const alphabet = ['a', 'm', 'z', 'ä', '語', '0', '𝒜'];
    const add = (count: number) =>
      inWaves(count, async (index) => {
        const name = `${alphabet[index % alphabet.length]} ${newId()}`;
        return made(await client.post(url, { name, type: 'text', content: 'x' })).promptId as string;
      });
    return { client, url, key: 'prompts', id: 'promptId', order: 'asc', add, remove: (id) => client.delete(`${url}/${id}`) };
  },
  versions: async (api) => {
    const { runtime: client, url: prompt } = await api.newPrompt();
    const url = `${prompt}/versions`;
    const add = (count: number) => inWaves(count, async () => made(await client.post(url, { type: 'text', content: 'x' })).id as string);
    return { client, url, key: 'versions', id: 'id', order: 'desc', add, remove: (id) => client.delete(`${url}/${id}`) };
  },
  keys: async (api) => {
    const { url: workspace, owner: client } = await api.newWorkspace();
    const url = `${workspace}/keys`;
    const add = (count: number) =>
      inWaves(count, async () => made(await client.post(url, { name: 'k', permissions: ['CAN_GET_AGENT'] })).id as string);
    return { client, url, key: 'keys', id: 'id', order: 'desc', add, remove: (id) => client.delete(`${url}/${id}`) };
  },
  invites: async (api) => {
    const { url: workspace, owner: client } = await api.newWorkspace();
    const url = `${workspace}/invites`;
    const add = (count: number) =>
      inWaves(count, async () => made(await client.post(url, { email: `${newId()}@example.com`, role: 'readonly' })).id as string);
    return { client, url, key: 'invites', id: 'id', order: 'desc', add, remove: (id) => client.delete(`${url}/${id}`) };
  },
  workspaces: async (api) => {
    const { client } = await api.newUser();
    const add = (count: number) => inWaves(count, async () => made(await client.post('/workspaces', { name: 'A workspace' })).id as string);
    return {
      client,
      url: '/workspaces',
      key: 'workspaces',
      id: 'id',
      order: 'desc',
      add,
      remove: (id) => client.delete(`/workspaces/${id}`),
    };
  },
};

test.for(Object.entries(shelves))(
  '%s: 250 rows by 7, while others write and delete: none skipped, none doubled',
  async ([, open], { api }) => {
    const { client, url, key, id, add, remove } = await open(api);
    const there = await add(250);
    // Every fifth goes while the reader is under way; the others are there from start to end.
    const doomed = there.filter((_, index) => index % 5 === 2);
    const staying = new Set(there.filter((_, index) => index % 5 !== 2));
    const walked = await walk(client, url, key, 7, async (page) => {
      const others = [remove(doomed[(page * 2) % doomed.length] as string), remove(doomed.at(-1 - page) as string)];
      if (page < 25) others.push(add(2));
      await Promise.all(others);
    });
    const seen: string[] = walked.rows.map((row) => row[id]);
    expect(new Set(seen).size, 'none doubled').toBe(seen.length);
    expect(
      [...staying].filter((row) => !seen.includes(row)),
      'none skipped',
    ).toEqual([]);
    expect(walked.pages).toBeGreaterThan(28);
  },
);

test.for(Object.entries(shelves))('%s: a cursor goes on where its page ended, and the last page has none', async ([, open], { api }) => {
  const { client, url, key, id, order, add } = await open(api);
  await add(9);
  const { body: whole } = await client.get(`${url}?limit=100`);
  const total = whole[key].length;
  expect(whole._meta).toEqual({ limit: 100, offset: 0, total });
  const all: string[] = whole[key].map((row: Record<string, string>) => row[id]);

  const { body: exact } = await client.get(`${url}?limit=${total}`);
  expect(exact._meta, 'a page that is just full is the last').toEqual({ limit: total, offset: 0, total });
  const { body: first } = await client.get(`${url}?limit=4`);
  expect(first._meta).toEqual({ limit: 4, offset: 0, total, cursor: expect.any(String) });
  expect(first._meta.cursor).toMatch(/^[\w-]+$/);
  const { body: second } = await client.get(`${url}?limit=3&cursor=${first._meta.cursor}`);
  expect(second[key].map((row: Record<string, string>) => row[id])).toEqual(all.slice(4, 7));
  expect(second._meta).toEqual({ limit: 3, offset: 0, total, cursor: expect.any(String) });
  const { body: skipped } = await client.get(`${url}?limit=2&offset=1&cursor=${first._meta.cursor}`);
  expect(
    skipped[key].map((row: Record<string, string>) => row[id]),
    'an offset counts from the cursor',
  ).toEqual(all.slice(5, 7));
  const { body: last } = await client.get(`${url}?limit=50&cursor=${second._meta.cursor}`);
  expect(last[key].map((row: Record<string, string>) => row[id])).toEqual(all.slice(7));
  expect(last._meta).toEqual({ limit: 50, offset: 0, total });
  expect((await client.get(`${url}?cursor=`)).body[key], 'an empty one is none').toHaveLength(total);
  if (id === 'id' && key !== 'versions') expect(all).toEqual(order === 'asc' ? all.toSorted() : all.toSorted().toReversed());
});

test.for(Object.entries(shelves))('%s: a cursor that no page gave is 400', async ([, open], { api }) => {
  const { client, url } = await open(api);
  const encoded = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const strange = ['x', '!!!', '%00', 'bnVsbA', encoded(null), encoded({}), encoded([1]), encoded(true), encoded(1e300), encoded('a\0b')];
  for (const cursor of strange) {
    expect(await client.get(`${url}?cursor=${cursor}`), cursor).toEqual(
      refusal(400, 'Cursor must be one that a page of this list gave', 'cursor'),
    );
  }
  expect(await client.get(`${url}?cursor=${'a'.repeat(1001)}`)).toEqual(refusal(400, 'Cursor must not exceed 1000 characters', 'cursor'));
});

test('a page at the end of thousands is the same by cursor and by offset', async ({ api }) => {
  const { client, url, add } = await (shelves.messages as (api: TestApi) => Promise<Shelf>)(api);
  const ids = await add(5000);
  const { body: before } = await client.get(`${url}?limit=10&offset=4980`);
  const { body: byCursor } = await client.get(`${url}?limit=10&cursor=${before._meta.cursor}`);
  const { body: byOffset } = await client.get(`${url}?limit=10&offset=4990`);
  expect(idsOf(byCursor.messages)).toEqual(ids.slice(4990));
  expect(byCursor.messages).toEqual(byOffset.messages);
  expect(byCursor._meta).toEqual({ limit: 10, offset: 0, total: 5000 });
});
