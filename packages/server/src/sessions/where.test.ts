/** Filters on `meta`, in searches and in lists. */
import type { Where } from '@commonplace/contract/where';
import fc from 'fast-check';
import { expect } from 'vitest';
import { made, type TestSession, test } from '../../test/api.ts';
import { embedAll, isStored, keptSources, loadedTotal, log, newNode, range, runJob, scopeOf, write } from '../../test/kept-indexes.ts';
import { anyMetaObject, anyWhere, matchesWhere, whereOf } from '../../test/meta-filters.ts';
import { metaTags } from '../search/ranking/meta-tags.ts';
import { SegmentClearing } from '../search/segments/clearing.ts';

type Kind = 'messages' | 'memories';

async function writeMetas(session: TestSession, kind: Kind, metas: readonly object[]): Promise<string[]> {
  const form = kind === 'messages' ? { role: 'user' } : { kind: 'fact' };
  const ids: string[] = [];
  for (let from = 0; from < metas.length; from += 100) {
    const items = metas.slice(from, from + 100).map((meta) => ({ ...form, content: 'Tea is steeped.', meta: JSON.stringify(meta) }));
    const written = made(await session.runtime.post(`${session.url}/${kind}/batch`, { [kind]: items }));
    ids.push(...written[kind].map(({ id }: { id: string }) => id));
  }
  return ids;
}

async function search(session: TestSession, url: string, body: object): Promise<string[]> {
  const answer = await session.runtime.post(`${url}/search`, { query: 'tea', limit: 100, ...body });
  expect(answer.status, answer.text).toBe(200);
  return answer.body.results.map(({ id }: { id: string }) => id).sort();
}

/** All pages of a list, two items at a time, by cursor and by offset. */
async function list(session: TestSession, url: string, kind: Kind, where: Where, limit = 2): Promise<string[]> {
  const asked = `where=${encodeURIComponent(JSON.stringify(where))}&limit=${limit}`;
  const ids: string[] = [];
  for (let next = ''; ; ) {
    const { status, body, text } = await session.runtime.get(`${url}/${kind}?${asked}${next}`);
    expect(status, text).toBe(200);
    const byOffset = await session.runtime.get(`${url}/${kind}?${asked}&offset=${ids.length}`);
    expect(byOffset.body[kind]).toEqual(body[kind]);
    ids.push(...body[kind].map(({ id }: { id: string }) => id));
    if (body._meta.cursor === undefined) {
      expect(body._meta.total).toBe(ids.length);
      return ids.sort();
    }
    next = `&cursor=${body._meta.cursor}`;
  }
}

test.for<Kind>(['messages', 'memories'])('searches and lists of %s find what a plain predicate does', async (kind, { api }) => {
  const session = await api.newSession();
  const [metas] = fc.sample(fc.array(anyMetaObject, { minLength: 90, maxLength: 90 }), { numRuns: 1, seed: 7 }) as [object[]];
  const ids = await writeMetas(session, kind, metas);
  const { agent } = session;
  // What others have in theirs is not found.
  await writeMetas(await api.newSession(), kind, metas);
  const wheres = [...fc.sample(anyWhere, { numRuns: 50, seed: 11 }), ...metas.slice(0, 60).map(whereOf)];
  let matched = 0;
  for (const [n, where] of wheres.entries()) {
    const expected = ids.filter((_, i) => matchesWhere(JSON.parse(JSON.stringify(metas[i])), where)).sort();
    if (Object.keys(where).length > 0 && expected.length > 0) matched++;
    const urls = [session.url, agent.url];
    const found = await Promise.all(urls.map((url) => search(session, `${url}/${kind}`, { where })));
    expect(found, JSON.stringify(where)).toEqual([expected, expected]);
    const listed = kind === 'memories' ? urls : [session.url];
    for (const url of listed) expect(await list(session, url, kind, where, n % 9 === 0 ? 2 : 50), JSON.stringify(where)).toEqual(expected);
  }
  // Else it would tell little.
  expect(matched).toBeGreaterThan(40);
});

test('the filter goes together with the others, and with a search of the whole workspace, which has no documents then', async ({ api }) => {
  const agent = await api.newAgent();
  const session = await api.newSession(agent, 'id=eu', { labels: { region: 'eu' } });
  const other = await api.newSession(agent, 'id=us', { labels: { region: 'us' } });
  const [bill, call] = await writeMetas(session, 'messages', [{ topic: 'billing' }, { topic: 'calls' }]);
  const [otherBill] = await writeMetas(other, 'messages', [{ topic: ['billing', 'calls'] }]);
  const [memory] = await writeMetas(session, 'memories', [{ topic: 'billing' }, {}]);
  const where = { topic: 'billing' };
  const messages = `${agent.url}/messages`;
  expect(await search(session, messages, { where })).toEqual([bill, otherBill].sort());
  expect(await search(session, messages, { where, labels: { region: 'eu' } })).toEqual([bill]);
  expect(await search(session, messages, { where, roles: ['assistant'] })).toEqual([]);
  expect(await search(session, messages, { where: {} })).toEqual([bill, call, otherBill].sort());
  expect(await search(session, messages, { where: null })).toEqual([bill, call, otherBill].sort());
  expect(await search(session, `${session.url}/memories`, { where, kinds: ['fact'] })).toEqual([memory]);
  expect(await search(session, `${session.url}/memories`, { where, kinds: ['summary'] })).toEqual([]);
  expect(await search(session, agent.workspace.url, { where })).toEqual([bill, otherBill, memory].sort());
  const byLabel = `${agent.url}/memories?region=eu&where=${encodeURIComponent(JSON.stringify(where))}`;
  expect((await agent.runtime.get(byLabel)).body).toMatchObject({ memories: [{ id: memory }], _meta: { total: 1 } });
});

const refused: [where: unknown, message: RegExp][] = [
  [{ topic: { $ne: 'billing' } }, /^Filter value must be a string/],
  [{ topic: [['billing']] }, /^Filter value must be a string/],
  [{ topic: [] }, /^Filter value must not be an empty list/],
  [{ topic: Array.from({ length: 51 }, (_, n) => n) }, /^Filter value must not be a list of more than 50/],
  [{ topic: 'x'.repeat(1_001) }, /^Filter value must not exceed 1000 characters/],
  [{ topic: 'a\0' }, /^Filter value must not contain NUL/],
  [{ 'a\ud800': 1 }, /^Filters must not contain NUL or unpaired surrogate/],
  [{ '': 1 }, /^Filter key is required/],
  [{ ['k'.repeat(201)]: 1 }, /^Filter key must not exceed 200 characters/],
  [Object.fromEntries(range(0, 21).map((n) => [`k${n}`, n])), /^Filters must not have more than 20 items/],
  [['topic'], /^Where must be an object/],
  ['topic', /^Where must be an object/],
];

test('what is no filter is refused, and never passed over', async ({ api }) => {
  const session = await api.newSession();
  const { agent } = session;
  const searches = [session.url, agent.url].flatMap((url) => [`${url}/messages/search`, `${url}/memories/search`]);
  const lists = [`${session.url}/messages`, `${session.url}/memories`, `${agent.url}/memories`];
  for (const [where, message] of refused) {
    for (const url of [...searches, `${agent.workspace.url}/search`]) {
      const { status, body } = await session.runtime.post(url, { query: 'tea', where });
      expect([status, body.code, body.details?.[0].path], url).toEqual([400, 'validation_failed', 'where']);
      expect(body.errorMessage).toMatch(message);
    }
    for (const url of lists) {
      const { status, body } = await session.runtime.get(`${url}?where=${encodeURIComponent(JSON.stringify(where))}`);
      expect([status, body.code, body.details?.[0].path], url).toEqual([400, 'validation_failed', 'where']);
      expect(body.errorMessage).toMatch(message);
    }
  }
  for (const url of lists) {
    for (const text of ['topic', '{"topic":', '%7B%7D&where=%7B%7D'])
      expect((await session.runtime.get(`${url}?where=${text}`)).body.details?.[0].path, url).toBe('where');
    expect((await session.runtime.get(`${url}?where=`)).status).toBe(200);
  }
  for (const url of [`${agent.workspace.url}/documents/search`, `${agent.url}/documents/search`]) {
    const { status, body } = await session.runtime.post(url, { query: 'tea', where: { topic: 'billing' } });
    expect([status, body.errorMessage]).toEqual([400, 'Where is for messages and memories: documents have no meta']);
    expect((await session.runtime.post(url, { query: 'tea', where: null })).status).toBe(200);
  }
  const missing = `${agent.url}/sessions/${agent.id}/messages?where=${encodeURIComponent('{"a":1}')}`;
  expect((await session.runtime.get(missing)).status).toBe(404);
});

test('the largest metas are filtered as any other', async ({ api }) => {
  const session = await api.newSession();
  const keys = Object.fromEntries(range(0, 1_000).map((n) => [`k${n}`, `value ${n}`]));
  const values = { all: range(0, 4_900) };
  const [byKey, byValue, byText] = await writeMetas(session, 'messages', [keys, values, { text: 'é'.repeat(1_000) }]);
  for (const [where, expected] of [
    [{ k999: 'value 999' }, byKey],
    [{ all: 4_899 }, byValue],
    [{ text: 'é'.repeat(1_000) }, byText],
  ] as const) {
    expect(await search(session, `${session.url}/messages`, { where })).toEqual([expected]);
    if (expected !== byText) expect(await list(session, session.url, 'messages', where)).toEqual([expected]);
  }
});

test('a page of a filtered list ends early where its texts are long, and the next one goes on', async ({ api }) => {
  const session = await api.newSession();
  const ids: string[] = [];
  for (const n of range(0, 12)) {
    const message = { role: 'user', content: 'x'.repeat(1_000_000), meta: { isLong: n > 0 } };
    ids.push(made(await session.runtime.post(`${session.url}/messages`, message)).id);
  }
  const { body } = await session.runtime.get(`${session.url}/messages?limit=50&where=${encodeURIComponent('{"isLong":true}')}`);
  expect([body.messages.length < 9, body._meta.total, typeof body._meta.cursor]).toEqual([true, 11, 'string']);
  expect(await list(session, session.url, 'messages', { isLong: true }, 50)).toEqual(ids.slice(1).sort());
});

test.for<Kind>(['messages', 'memories'])(
  'an edit of the meta of %s alone is in force for the next search and the next list',
  async (kind, { api }) => {
    const session = await api.newSession();
    const [id] = (await writeMetas(session, kind, [{ topic: 'billing' }, { topic: 'calls' }])) as [string, string];
    const found = async (topic: string) => [
      await search(session, `${session.url}/${kind}`, { where: { topic } }),
      await list(session, session.url, kind, { topic }),
    ];
    expect(await found('billing')).toEqual([[id], [id]]);
    expect(
      (await session.runtime.put(`${session.url}/${kind}/${id}`, { content: 'Tea is steeped.', meta: { topic: 'refunds' } })).status,
    ).toBe(200);
    expect(await found('billing')).toEqual([[], []]);
    expect(await found('refunds')).toEqual([[id], [id]]);
    expect((await session.runtime.put(`${session.url}/${kind}/${id}`, { content: 'Tea is steeped.', meta: null })).status).toBe(200);
    expect(await found('refunds')).toEqual([[], []]);
  },
);

test('indexes that are kept have it too, and what meta said before leaves them', async ({ api }) => {
  const session = await api.newSession();
  const ids = await write(session, range(0, 50));
  const setMeta = async (id: string | undefined, meta: object) => {
    const { content } = (await session.runtime.get(`${session.url}/messages/${id}`)).body;
    expect((await session.runtime.put(`${session.url}/messages/${id}`, { content, meta })).status).toBe(200);
  };
  for (const n of range(0, 10)) await setMeta(ids[n], { topic: 'billing', n });
  await embedAll(api, session);
  const node = newNode(api);
  const withTopic = async (one: typeof node, topic: string) =>
    (await one.find(scopeOf(session), 'the word of all', { topic })).map(({ id }) => id).sort();
  const billing = ids.slice(0, 10).sort();
  expect(await withTopic(node, 'billing')).toEqual(billing);
  const loaded = newNode(api);
  expect(await withTopic(loaded, 'billing')).toEqual(billing);
  expect(loadedTotal(loaded)).toBe(1);

  const isTagStored = (n: number) => isStored(api, session.agent.workspace.id, metaTags(JSON.stringify({ n }))[0] as string);
  expect([await isTagStored(3), await isTagStored(4)]).toEqual([true, true]);
  await setMeta(ids[3], { topic: 'refunds' });
  await runJob(new SegmentClearing(api.db, api.clock, log, keptSources(api.db)).job());
  expect([await isTagStored(3), await isTagStored(4)]).toEqual([false, true]);
  for (const one of [node, loaded, newNode(api)]) {
    expect(await withTopic(one, 'billing')).toEqual(billing.filter((id) => id !== ids[3]));
    expect(await withTopic(one, 'refunds')).toEqual([ids[3]]);
  }
});
