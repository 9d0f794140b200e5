import { expect, inject, vi } from 'vitest';
import { made, test } from '../../test/api.ts';
import { type Sql, sql } from '../db/sql.ts';
import { searchMemories } from '../memories/search.ts';
import type { Searcher } from '../search/searcher.ts';

// As a plain join of page and items, SQLite walked all items of the workspace: seconds for a page of five.
test('the items of several sessions are read page first, by their whole key', async ({ api }) => {
  const agent = await api.newAgent();
  const read = vi.spyOn(api.db, 'query');
  for (const content of ['Tea is steeped.', 'Coffee is brewed.']) {
    const session = await api.newSession(agent);
    made(await session.runtime.post(`${session.url}/messages`, { role: 'user', content }));
    made(await session.runtime.post(`${session.url}/memories`, { kind: 'fact', content }));
  }
  const plans: Record<string, string> = {};
  for (const table of ['messages', 'memories']) {
    const { body } = await agent.runtime.post(`${agent.url}/${table}/search`, { query: 'tea' });
    expect(body.results).toHaveLength(2);
    if (inject('engine') !== 'sqlite') continue;
    const statement = read.mock.calls
      .map(([call]) => call as Sql)
      .find((call) => call.text('sqlite').includes(`join ${table} i`) && call.text('sqlite').includes('bytes_before'));
    const steps = await api.db.query(sql<{ detail: string }>`explain query plan ${statement as Sql}`);
    plans[table] = steps.map(({ detail }) => detail).join('\n');
  }
  for (const plan of Object.values(plans)) {
    expect(plan).toMatch(/SCAN summed\n.*SEARCH i USING INDEX \S+ \(workspace_id=\? AND session_id=\? AND id=\?\)/s);
    expect(plan).not.toMatch(/SCAN i|SEARCH i USING [^\n]*\(workspace_id=\?\)/);
  }
});

test('sessions with some labels have an index of their own where they are few, and share the agent’s where they are many', async ({
  api,
}) => {
  const agent = await api.newAgent();
  const half = await api.newSession(agent, 'id=half', { labels: { region: 'eu' } });
  const some = await api.newSession(agent, 'id=some', { labels: { region: 'is' } });
  const rest = await api.newSession(agent, 'id=rest');
  const count = (id: string, items: number) =>
    api.db.run(sql`update sessions set memory_count = ${items} where workspace_id = ${agent.workspace.id} and id = ${id}`);
  await count(half.id, 500_000);
  await count(some.id, 20_000);
  await count(rest.id, 480_000);
  const keys: string[] = [];
  const filters: unknown[] = [];
  const searcher = {
    search: async (sourceOf: (model: string) => { key: string }, query: { filter: unknown }) => {
      keys.push(sourceOf('model').key);
      filters.push(query.filter);
      return [];
    },
  } as unknown as Searcher;
  const scope = { workspaceId: agent.workspace.id, agentId: agent.id };
  const search = (labels?: Record<string, string>) =>
    searchMemories(api.db, searcher, scope, { query: 'tea', limit: 10, ...(labels && { labels }) } as never, api.clock.nowMs());
  for (const labels of [undefined, {}, { region: 'eu' }, { region: 'is' }]) await search(labels);
  const [whole, empty, shared, own] = keys;
  expect(empty).toBe(whole);
  expect(shared).toBe(whole);
  expect(filters[2]).toMatchObject({ allOf: ['label:["region","eu"]'] });
  expect(own).not.toBe(whole);
  await count(half.id, 2_000);
  await search({ region: 'eu' });
  expect(keys.at(-1)).not.toBe(whole);
});

test('the texts behind hits are read at once, and large ones as far as the answer has room for them', async ({ api }) => {
  const session = await api.newSession(await api.newAgent());
  const post = async (content: string) => made(await session.runtime.post(`${session.url}/messages`, { role: 'user', content })).id;
  const search = async (limit: number) => {
    const read = vi.spyOn(api.db, 'query');
    const { body } = await session.runtime.post(`${session.url}/messages/search`, { query: 'kettle', limit });
    const reads = read.mock.calls.filter(([call]) => (call as Sql).text('sqlite').includes('octet_length(i.content) as bytes'));
    read.mockRestore();
    return { reads: reads.length, results: body.results as { id: string; text: string }[] };
  };
  const small = await Promise.all(['a kettle', 'the kettle whistles'].map(post));
  const first = await search(10);
  expect(first.reads).toBe(1);
  expect(first.results.map(({ id }) => id).sort()).toEqual(small.toSorted());
  const large = `kettle ${'é'.repeat(499_000)}`;
  for (let count = 0; count < 9; count++) await post(large);
  const second = await search(20);
  expect(second.reads).toBe(2);
  expect(second.results.filter(({ text }) => text === large)).toHaveLength(8);
  expect(new Set(second.results.map(({ text }) => text)).size).toBe(3);
  expect((await search(2)).reads).toBe(1);
});
