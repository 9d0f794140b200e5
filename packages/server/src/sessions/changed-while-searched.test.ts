/** What is edited between the search of an index and the reading of its hits. */
import { expect } from 'vitest';
import { made, test } from '../../test/api.ts';
import { newNode, scopeOf } from '../../test/kept-indexes.ts';
import type { Database } from '../db/database.ts';
import { searchMemories } from '../memories/search.ts';
import { searchMessages } from '../messages/search.ts';

/** Reads as `db` does, once `edit` is done before the texts of hits are read. */
function editingBeforeHits(db: Database, edit: () => Promise<void>): Database {
  let isEdited = false;
  const query: Database['query'] = async (statement) => {
    if (!isEdited && statement.text('sqlite').includes('as content')) {
      isEdited = true;
      await edit();
    }
    return db.query(statement);
  };
  return new Proxy(db, {
    get: (target, name) => {
      if (name === 'query') return query;
      const value = Reflect.get(target, name);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}

test('a message that does not match any more is no hit, and one that still does is', async ({ api }) => {
  const session = await api.newSession();
  const messages = ['one', 'two', 'three'].map((n) => ({ role: 'user', content: `tea of ann, ${n}`, meta: { user: 'ann' } }));
  const written = made(await session.runtime.post(`${session.url}/messages/batch`, { messages })).messages;
  const put = async (at: number, changes: object) => {
    const { status, text } = await session.runtime.put(`${session.url}/messages/${written[at].id}`, changes);
    expect(status, text).toBe(200);
  };
  const db = editingBeforeHits(api.db, async () => {
    await put(0, { content: 'tea: a secret of ben', meta: { user: 'ben' } });
    await put(1, { content: 'tea of ann, edited', meta: { user: 'ann' } });
    await put(2, { content: 'tea of ann, three', role: 'assistant', meta: { user: 'ann' } });
  });
  const search = { query: 'tea', limit: 10, where: { user: 'ann' }, roles: ['user' as const] };
  const hits = await searchMessages(db, newNode(api).searcher, scopeOf(session), search);
  expect(hits.map(({ text }) => text)).toEqual(['tea of ann, edited']);
});

test('a memory that is of another kind by now is no hit', async ({ api }) => {
  const session = await api.newSession();
  const written = made(await session.runtime.post(`${session.url}/memories`, { kind: 'fact', content: 'Ann likes tea' }));
  const db = editingBeforeHits(api.db, async () => {
    const { status } = await session.runtime.put(`${session.url}/memories/${written.id}`, { kind: 'preference' });
    expect(status).toBe(200);
  });
  const search = { query: 'tea', limit: 10, kinds: ['fact' as const] };
  expect(await searchMemories(db, newNode(api).searcher, scopeOf(session), search, api.clock.nowMs())).toEqual([]);
});
