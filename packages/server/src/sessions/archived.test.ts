/** Archived sessions are left out where all of an agent or a workspace is asked for, and are as before by themselves. */
import { expect } from 'vitest';
import { type Answer, made, type TestAgent, type TestApi, type TestSession, test } from '../../test/api.ts';
import { agentScope, embedAll, newNode, range, scopeOf, write } from '../../test/kept-indexes.ts';
import { sql } from '../db/sql.ts';

const setStatus = async (session: TestSession, status: 'active' | 'archived') =>
  expect(await session.runtime.put(session.url, { status })).toMatchObject({ status: 200, body: { status } });

async function newPair(api: TestApi): Promise<{ agent: TestAgent; kept: TestSession; archived: TestSession }> {
  const agent = await api.newAgent();
  const [kept, archived] = [await api.newSession(agent, 'user=42&n=1'), await api.newSession(agent, 'user=42&n=2')];
  for (const session of [kept, archived]) {
    made(await session.runtime.post(`${session.url}/messages`, { role: 'user', content: 'The teapot is blue' }));
    made(await session.runtime.post(`${session.url}/memories`, { kind: 'fact', content: 'User owns a blue teapot' }));
    made(await session.runtime.post(`${session.url}/memories`, { kind: 'summary', content: 'About a teapot that is blue' }));
  }
  await setStatus(archived, 'archived');
  return { agent, kept, archived };
}

const sessionsIn = ({ status, body, text }: Answer, key: string): string[] => {
  expect(status, text).toBe(200);
  const ids = body[key].flatMap(({ sessionId }: { sessionId?: string }) => sessionId ?? []);
  return [...new Set<string>(ids)].sort();
};

/** Every way of asking for more than one session. */
const ways: Record<string, (agent: TestAgent, more: object, client: TestAgent['runtime']) => Promise<string[]>> = {
  'the list of memories': async ({ url }, more, client) => sessionsIn(await client.get(`${url}/memories?${query(more)}`), 'memories'),
  'the list by a label': async ({ url }, more, client) =>
    sessionsIn(await client.get(`${url}/memories?user=42&${query(more)}`), 'memories'),
  'a search of memories': async ({ url }, more, client) =>
    sessionsIn(await client.post(`${url}/memories/search`, { query: 'teapot', ...more }), 'results'),
  'a search of memories by a label': async ({ url }, more, client) =>
    sessionsIn(await client.post(`${url}/memories/search`, { query: 'teapot', labels: { user: '42' }, ...more }), 'results'),
  'a search of messages': async ({ url }, more, client) =>
    sessionsIn(await client.post(`${url}/messages/search`, { query: 'teapot', ...more }), 'results'),
  'a search of the workspace': async ({ workspace }, more, client) =>
    sessionsIn(await client.post(`${workspace.url}/search`, { query: 'teapot', ...more }), 'results'),
  'a context': async ({ url }, more, client) =>
    sessionsIn(await client.post(`${url}/context`, { query: 'teapot', labels: { user: '42' }, explain: true, ...more }), 'pieces'),
  'a context without a query': async ({ url }, more, client) =>
    sessionsIn(await client.post(`${url}/context`, { labels: { user: '42' }, ...more }), 'pieces'),
};
const query = (more: object) => new URLSearchParams(more as Record<string, string>).toString();

test.for(Object.keys(ways))('%s leaves archived sessions out unless asked, and has them again at once', async (name, { api }) => {
  const way = ways[name] as (typeof ways)[string];
  const { agent, kept, archived } = await newPair(api);
  const both = [kept.id, archived.id].sort();
  const ask = (more: object = {}) => way(agent, more, agent.runtime);
  expect(await ask()).toEqual([kept.id]);
  expect(await ask({ includeArchived: false })).toEqual([kept.id]);
  expect(await ask({ includeArchived: true })).toEqual(both);
  // A context names what two say alike once.
  await setStatus(archived, 'active');
  expect(await ask()).toEqual(both);
  await setStatus(kept, 'archived');
  expect(await ask()).toEqual([archived.id]);
  await kept.runtime.put(`${agent.url}/sessions/by-labels?user=42&n=1`, { status: 'active' });
  expect(await ask()).toEqual(both);
});

test('totals count what is listed', async ({ api }) => {
  const { agent, archived } = await newPair(api);
  const total = async (more = '') => (await agent.runtime.get(`${agent.url}/memories?${more}`)).body._meta.total;
  expect([await total(), await total('includeArchived=true'), await total('user=42'), await total('kind=fact')]).toEqual([2, 4, 2, 1]);
  await archived.runtime.delete(archived.url);
  expect([await total(), await total('includeArchived=true')]).toEqual([2, 2]);
  expect(await api.countRows('archived_sessions', agent.workspace.id)).toBe(0);
  expect((await agent.runtime.get(`${agent.url}/memories?includeArchived=yes`)).status).toBe(400);
});

test('very many archived sessions are left out of the total too', async ({ api }) => {
  const { agent, archived } = await newPair(api);
  const now = new Date().toISOString();
  const insertSessions = range(0, 1_100).map((n) => {
    const id = `0199a7c4-3b1e-7c52-9d6f-${String(n).padStart(12, '0')}`;
    return [
      sql`insert into sessions (workspace_id, id, agent_id, external_id, named, title, status, labels, labels_key, meta,
            message_count, message_edits, memory_count, memory_edits, last_activity_at, created_at, updated_at)
          values (${agent.workspace.id}, ${id}, ${agent.id}, ${id}, ${true}, '', 'archived', '{}', '', '{}', 0, 0, 0, 0, ${now}, ${now}, ${now})`,
      sql`insert into archived_sessions (workspace_id, agent_id, session_id) values (${agent.workspace.id}, ${agent.id}, ${id})`,
    ];
  });
  for (let start = 0; start < insertSessions.length; start += 100) await api.db.batch(insertSessions.slice(start, start + 100).flat());
  const { memories, _meta } = (await agent.runtime.get(`${agent.url}/memories`)).body;
  expect([memories.length, _meta.total]).toEqual([2, 2]);
  await setStatus(archived, 'active');
  expect((await agent.runtime.get(`${agent.url}/memories`)).body._meta.total).toBe(4);
});

test('by itself an archived session is read, searched and written to as before, and listed among the sessions', async ({ api }) => {
  const { agent, kept, archived } = await newPair(api);
  const { runtime, url } = archived;
  expect((await runtime.get(url)).body.status).toBe('archived');
  expect((await runtime.get(`${url}/messages`)).body.messages).toHaveLength(1);
  expect((await runtime.get(`${url}/memories`)).body.memories).toHaveLength(2);
  made(await runtime.post(`${url}/messages`, { role: 'user', content: 'And the saucer is white' }));
  expect((await runtime.post(`${url}/messages/search`, { query: 'saucer' })).body.results).toHaveLength(2);
  expect((await runtime.post(`${url}/memories/search`, { query: 'teapot' })).body.results.length).toBeGreaterThan(0);
  const { pieces } = (await runtime.post(`${url}/context`, { query: 'teapot' })).body;
  expect(pieces.map(({ type }: { type: string }) => type)).toEqual(expect.arrayContaining(['memory', 'message']));
  expect((await runtime.get(url)).body.status).toBe('archived');
  const listed = (await runtime.get(`${agent.url}/sessions?user=42`)).body.sessions;
  expect(listed.map(({ id }: { id: string }) => id).sort()).toEqual([archived.id, kept.id].sort());
});

test('what a person said in an archived session is not read elsewhere; in its own context it is', { timeout: 60_000 }, async ({ api }) => {
  const agent = await api.newAgent(undefined, { configs: { memoryPipeline: true, memorySubject: 'user' } });
  const [first, second] = [await api.newSession(agent, 'user=1&n=1'), await api.newSession(agent, 'user=1&n=2')];
  await first.runtime.post(`${first.url}/messages`, { role: 'user', content: 'My favourite tea is lapsang.' });
  await second.runtime.post(`${second.url}/messages`, { role: 'user', content: 'I live in Lisbon.' });
  await api.extractMemories();
  const memoriesFor = async ({ runtime, url }: TestSession) => {
    const { body } = await runtime.post(`${url}/context`, { query: 'favourite tea', include: ['memories'] });
    return body.pieces.map(({ text }: { text: string }) => text).join(' ');
  };
  expect(await memoriesFor(second)).toContain('lapsang');
  await setStatus(first, 'archived');
  expect(await memoriesFor(second)).not.toContain('lapsang');
  expect(await memoriesFor(first)).toContain('lapsang');
  await setStatus(first, 'active');
  expect(await memoriesFor(second)).toContain('lapsang');
});

test('every node notices at once, from indexes in memory and from those that are kept', async ({ api }) => {
  const agent = await api.newAgent();
  const [kept, archived] = [await api.newSession(agent, 'n=1'), await api.newSession(agent, 'n=2')];
  for (const [index, session] of [kept, archived].entries()) {
    await write(session, range(index * 100, index * 100 + 30));
    await embedAll(api, session);
  }
  const nodes = [newNode(api), newNode(api)];
  const found = async () => {
    const answers = await Promise.all([...nodes, newNode(api)].map((node) => node.find(agentScope(kept), 'word')));
    return answers.map((hits) => [...new Set(hits.map(({ sessionId }) => sessionId))].sort());
  };
  const [all, one] = [[kept.id, archived.id].sort(), [kept.id]];
  expect(await found()).toEqual([all, all, all]);
  for (let round = 0; round < 3; round++) {
    await setStatus(archived, 'archived');
    expect(await found()).toEqual([one, one, one]);
    expect(await nodes[0]?.find(scopeOf(archived), 'word')).toHaveLength(30);
    await setStatus(archived, 'active');
    expect(await found()).toEqual([all, all, all]);
  }
});
