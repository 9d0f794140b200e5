/** What a context is made of changes while it is made, stands on several nodes, and belongs to somebody. */
import { expect, onTestFinished } from 'vitest';
import { type Answer, made, openApi, refusal, type TestApi, type TestSession, test } from '../../test/api.ts';
import { restart, upload } from '../../test/embeddings-endpoint.ts';

const QUERY = 'Where does Marta keep the tea?';
const TEA = {
  message: 'Marta keeps the tea in the blue tin.',
  memory: 'User keeps tea in a tin',
  document: 'Tea of Marta is kept in tins of blue colour.',
};

/** Something of each kind that bears on the query, and so much talk behind it that nothing of it is among the latest messages. */
async function newTeaScene(api: TestApi) {
  const session = await api.newSession();
  const { runtime, agent, url } = session;
  const [message] = made(await runtime.post(`${url}/messages/batch`, { messages: [{ role: 'user', content: TEA.message }] })).messages;
  const memory = made(await runtime.post(`${url}/memories`, { kind: 'fact', content: TEA.memory }));
  const documentId = await upload(agent.workspace.owner, agent.workspace.url, TEA.document);
  await api.drainJobs();
  const talk = Array.from({ length: 90 }, (_, index) => ({
    role: index % 2 ? 'assistant' : 'user',
    content: `Line ${index} of other talk.`,
  }));
  made(await runtime.post(`${url}/messages/batch`, { messages: talk }));
  // What has no vector yet is found by its words alone, which another node may do already.
  await api.app.indexing.drain();
  const paths = {
    message: `${url}/messages/${message.id}`,
    memory: `${url}/memories/${memory.id}`,
    document: `${agent.workspace.url}/documents/${documentId}`,
  };
  return { session, paths };
}

const contextOf = (session: TestSession, api?: TestApi): Promise<Answer> => {
  const client = api ? api.client(session.runtime.headers) : session.runtime;
  return client.post(`${session.url}/context`, { query: QUERY, tokenBudget: 300, explain: true });
};

/** Runs once, when the first search of the next request has its hits and nothing of them has been read. */
function afterNextSearch(api: TestApi, work: () => Promise<unknown>): void {
  const { searcher } = api.app.context;
  const search = searcher.search.bind(searcher);
  let done: Promise<unknown> | undefined;
  searcher.search = async (...args) => {
    const hits = await search(...args);
    done ??= work();
    await done;
    return hits;
  };
}

async function openOwnApi(): Promise<TestApi> {
  const { api, close } = await openApi();
  onTestFinished(close);
  return api;
}

test('two nodes give the same answer, whatever each of them has loaded before', async ({ api }) => {
  const { session, paths } = await newTeaScene(api);
  const { runtime, url } = session;
  // This node has seen all of it come, change and go; the other one reads it as it is.
  expect((await contextOf(session)).status).toBe(200);
  expect((await runtime.put(paths.message, { content: `${TEA.message} Nobody else knows.` })).status).toBe(200);
  const late = made(await runtime.post(`${url}/messages`, { role: 'user', content: 'Marta has no tea.' }));
  expect((await contextOf(session)).status).toBe(200);
  expect((await runtime.delete(`${url}/messages/${late.id}`)).status).toBe(204);
  made(await runtime.post(`${url}/memories`, { kind: 'fact', content: 'Marta drinks tea at five' }));
  await api.app.indexing.drain();
  const node = await restart(api, {});
  const [one, other] = [await contextOf(session), await contextOf(session, node)];
  expect(one.status, one.text).toBe(200);
  expect(one.body.pieces.map(({ type }: { type: string }) => type)).toEqual(expect.arrayContaining(['memory', 'knowledge', 'message']));
  expect(other.body).toEqual(one.body);
});

test('what is deleted between search and reading is not in it', async () => {
  const api = await openOwnApi();
  const { session, paths } = await newTeaScene(api);
  const before = await contextOf(session);
  for (const text of Object.values(TEA)) expect(before.text).toContain(text);
  afterNextSearch(api, async () => {
    for (const path of [paths.message, paths.memory]) expect((await session.runtime.delete(path)).status).toBe(204);
    expect((await session.agent.workspace.owner.delete(paths.document)).status).toBe(204);
  });
  const after = await contextOf(session);
  expect(after.status, after.text).toBe(200);
  for (const text of Object.values(TEA)) expect(after.text).not.toContain(text);
  expect(after.body.messages.at(-1).content).toBe('Line 89 of other talk.');
});

test.for(['session', 'agent'] as const)('its %s is deleted meanwhile: nothing of it comes back', async (what) => {
  const api = await openOwnApi();
  const { session } = await newTeaScene(api);
  expect((await contextOf(session)).status).toBe(200);
  afterNextSearch(api, async () => {
    const path = what === 'session' ? session.url : session.agent.url;
    expect((await session.runtime.delete(path)).status).toBe(204);
  });
  expect(await contextOf(session)).toEqual(refusal(404, what === 'session' ? 'Session not found' : 'Agent not found'));
});

test('of a person’s sessions one is deleted meanwhile: the others are in it', async () => {
  const api = await openOwnApi();
  const agent = await api.newAgent();
  const [kept, deleted] = [await api.newSession(agent, 'user=1&n=1'), await api.newSession(agent, 'user=1&n=2')];
  for (const session of [kept, deleted]) {
    made(await session.runtime.post(`${session.url}/messages`, { role: 'user', content: `Tea of ${session.id}` }));
    made(await session.runtime.post(`${session.url}/memories`, { kind: 'fact', content: `User has tea ${session.id}` }));
    made(await session.runtime.post(`${session.url}/memories`, { kind: 'summary', content: `Of tea they spoke in ${session.id}.` }));
  }
  const send = () => agent.runtime.post(`${agent.url}/context`, { labels: { user: '1' }, query: 'tea', explain: true });
  expect((await send()).text).toContain(`Tea of ${deleted.id}`);
  afterNextSearch(api, async () => expect((await agent.runtime.delete(deleted.url)).status).toBe(204));
  const { status, text } = await send();
  expect([status, text.includes(deleted.id), text.includes(`Tea of ${kept.id}`)]).toEqual([200, false, true]);
});

test('many at once, of several sessions, each get their own', async ({ api }) => {
  const scenes = [await newTeaScene(api), await newTeaScene(api), await newTeaScene(api)];
  const alone = await Promise.all(scenes.map(({ session }) => contextOf(session)));
  const all = await Promise.all(
    Array.from({ length: 12 }, (_, index) => contextOf((scenes[index % 3] as (typeof scenes)[number]).session)),
  );
  all.forEach((answer, index) => {
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual(alone[index % 3]?.body);
  });
});

test('another tenant’s prompts, memories, documents and messages never come in, and its sessions are not there', async ({ api }) => {
  const { session } = await newTeaScene(api);
  const stranger = await api.newSession();
  const { body, status } = await contextOf(stranger);
  expect([status, body.pieces]).toEqual([200, []]);
  const theirs = `${session.url}/context`;
  expect(await stranger.runtime.post(theirs, {})).toEqual(refusal(404, 'Workspace not found'));
  // Their ids in one's own workspace.
  const swapped = `${stranger.agent.url}/sessions/${session.id}/context`;
  expect(await stranger.runtime.post(swapped, {})).toEqual(refusal(404, 'Session not found'));
  const agentOfOthers = `${stranger.agent.workspace.url}/agents/${session.agent.id}/context`;
  expect(await stranger.runtime.post(agentOfOthers, { labels: { a: 'b' } })).toEqual(refusal(404, 'Agent not found'));
});
