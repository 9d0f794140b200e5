/** Limits of what a workspace stores: met, freed, and never passed by two at once. */
import { describe, expect } from 'vitest';
import { atOnce, made, refusal, type TestSession, test } from '../../test/api.ts';
import { newKnowledge } from '../../test/documents.ts';
import { call, post } from '../../test/mcp-rpc.ts';
import { letCountsRest, limitWorkspace, readUsage } from '../../test/quotas.ts';
import { sql } from '../db/sql.ts';

const hello = { role: 'user', content: 'Hello' };
const say = ({ runtime, url }: TestSession, body: unknown = hello, headers?: Record<string, string>) =>
  runtime.post(`${url}/messages`, body, headers);
const batch = ({ runtime, url }: TestSession, count: number) =>
  runtime.post(`${url}/messages/batch`, { messages: Array(count).fill(hello) });

/** As it reads, with the numbers that count. */
function passed(quota: string, limit: string, used: string, asked: string) {
  return refusal(
    403,
    `The workspace has reached its limit of ${limit} ${quota} (${used} used, ${asked} asked for). Delete some, or ask the operator for more.`,
  );
}
const isRefused = expect.objectContaining({ status: 403, body: expect.objectContaining({ code: 'quota_exceeded' }) });

describe('messages', () => {
  test('are refused at the limit, a batch whole, and again let in when some are deleted', async ({ api }) => {
    const session = await api.newSession();
    const { workspace } = session.agent;
    await limitWorkspace(api, workspace.id, { messages: 5 });
    expect((await batch(session, 4)).status).toBe(201);
    expect(await batch(session, 2)).toEqual(passed('messages', '5', '4', '2'));
    const { id } = made(await say(session));
    expect(await say(session)).toEqual(passed('messages', '5', '5', '1'));
    expect(await readUsage(api, workspace)).toMatchObject({ messages: { used: 5, limit: 5 }, documents: { used: 0, limit: null } });
    expect((await session.runtime.delete(`${session.url}/messages/${id}`)).status).toBe(204);
    letCountsRest(api);
    expect((await say(session)).status).toBe(201);
    expect((await say(session)).status).toBe(403);
    // With their session they are gone at once, though their rows follow later.
    const other = await api.newSession(session.agent);
    expect((await session.runtime.delete(session.url)).status).toBe(204);
    expect(await readUsage(api, workspace)).toMatchObject({ messages: { used: 0, limit: 5 } });
    expect((await batch(other, 5)).status).toBe(201);
    expect((await session.runtime.delete(session.agent.url)).status).toBe(204);
    letCountsRest(api);
    const again = await api.newSession(await api.newAgent(workspace));
    expect((await batch(again, 6)).status).toBe(403);
    expect((await batch(again, 5)).status).toBe(201);
  });

  test('of many writers at once as many pass as there is room for, and another tenant is not touched', async ({ api }) => {
    const session = await api.newSession();
    const neighbour = await api.newSession();
    await limitWorkspace(api, session.agent.workspace.id, { messages: 10 });
    const [{ statuses }, others] = await Promise.all([atOnce(30, () => say(session)), atOnce(30, () => say(neighbour))]);
    expect(statuses).toEqual({ 201: 10, 403: 20 });
    expect(others.statuses).toEqual({ 201: 30 });
    expect(await api.countRows('messages', session.agent.workspace.id)).toBe(10);
  });

  test('that a fork brings along count', async ({ api }) => {
    const session = await api.newSession();
    await batch(session, 4);
    await limitWorkspace(api, session.agent.workspace.id, { messages: 10 });
    const fork = () => session.runtime.post(`${session.url}/fork`, {});
    expect((await fork()).status).toBe(201);
    expect(await fork()).toEqual(passed('messages', '10', '8', '4'));
    expect((await batch(session, 2)).status).toBe(201);
  });

  test('that were written with an Idempotency-Key are answered again at the limit, and counted once', async ({ api }) => {
    const session = await api.newSession();
    await limitWorkspace(api, session.agent.workspace.id, { messages: 2 });
    const keyed = (key: string) => say(session, hello, { 'idempotency-key': key });
    const first = await keyed('one');
    for (let times = 0; times < 3; times++) expect(await keyed('one')).toMatchObject({ status: 201, body: first.body });
    expect((await keyed('two')).status).toBe(201);
    expect(await keyed('one')).toMatchObject({ status: 201, headers: { 'idempotency-replayed': 'true' } });
    expect(await keyed('three')).toEqual(isRefused);
    // What was refused keeps nothing: the same key may be tried again.
    await session.runtime.delete(`${session.url}/messages/${first.body.id}`);
    letCountsRest(api);
    expect((await keyed('three')).status).toBe(201);
  });

  test('that are refused for another reason take no room', async ({ api }) => {
    const session = await api.newSession();
    await limitWorkspace(api, session.agent.workspace.id, { messages: 1 });
    const nowhere = { ...session, url: `${session.agent.url}/sessions/${crypto.randomUUID()}` };
    for (let times = 0; times < 3; times++) expect((await say(nowhere)).status).toBe(404);
    expect((await say(session, { role: 'user' })).status).toBe(400);
    expect((await say(session)).status).toBe(201);
  });
});

test('a key that is limited to an agent learns nothing of the sessions of another from a refusal', async ({ api }) => {
  const hidden = await api.newSession();
  const { workspace } = hidden.agent;
  const { id } = made(await say(hidden, { role: 'user', content: 'x'.repeat(77) }));
  const own = await api.newAgent(workspace);
  const key = await api.newAccessKey(workspace, undefined, undefined, [own.id]);
  await limitWorkspace(api, workspace.id, { bytes: 0, messages: 0 });
  const url = `${own.url}/sessions/${hidden.id}`;
  expect(await key.post(`${url}/fork`, {})).toEqual(refusal(404, 'Session not found'));
  const edit = await key.put(`${url}/messages/${id}`, { content: 'y'.repeat(80) });
  // As of one that was never there.
  expect(edit.body.errorMessage).toContain('80 asked for');
});

test('documents are refused at the limit; one that is replaced, or comes again as it is, is none more', async ({ api }) => {
  const { workspace, runtime, url, upload } = await newKnowledge(api);
  await limitWorkspace(api, workspace.id, { documents: 2 });
  const { id } = made(await upload());
  made(await upload({ externalId: 'x', content: 'One.' }));
  expect(await upload()).toEqual(passed('documents', '2', '2', '1'));
  expect((await upload({ title: '' })).status).toBe(400);
  for (const content of ['One.', 'Two.', 'Three.']) expect((await upload({ externalId: 'x', content })).status).toBe(200);
  expect((await upload({ externalId: 'y' })).status).toBe(403);
  expect((await runtime.delete(`${url}/${id}`)).status).toBe(204);
  letCountsRest(api);
  expect((await upload({ externalId: 'y' })).status).toBe(201);
  expect((await readUsage(api, workspace)).documents).toEqual({ used: 2, limit: 2 });
});

describe('bytes', () => {
  test('are those of what was written, exactly, whatever was edited, copied and deleted', async ({ api }) => {
    const session = await api.newSession(undefined, 'id=chat&customer=42', { title: 'A chät', meta: { a: 1 } });
    const { runtime, url, agent } = session;
    const bytes = async () => (await readUsage(api, agent.workspace)).bytes.used;
    const before = await bytes();
    const [one, two] = made(
      await runtime.post(`${url}/messages/batch`, {
        messages: [
          { ...hello, meta: { key: 'ü' } },
          { ...hello, content: '日本' },
        ],
      }),
    ).messages;
    // Contents and the text of their meta: {"key":"ü"} and {}.
    expect(await bytes()).toBe(before + 5 + 12 + 6 + 2);
    await runtime.put(`${url}/messages/${one.id}`, { content: 'Hi', meta: null });
    expect(await bytes()).toBe(before + 2 + 2 + 6 + 2);
    await runtime.post(`${url}/fork`, { messageId: one.id });
    await runtime.delete(`${url}/messages/${two.id}`);
    const sizes = await api.db.query(sql<{ kept: number; measured: number }>`
      select s.message_bytes as kept, (
        select coalesce(sum(octet_length(content) + octet_length(meta)), 0) from messages m
        where m.workspace_id = ${agent.workspace.id} and m.session_id = s.id) as measured
      from sessions s where s.workspace_id = ${agent.workspace.id} and s.measured_messages = s.message_count`);
    expect(sizes.map(({ kept }) => kept)).toEqual([4, 4]);
    expect(sizes.map(({ measured }) => measured)).toEqual([4, 4]);
    const memory = made(await runtime.post(`${url}/memories`, { kind: 'fact', content: 'Four' }));
    const withMemory = await bytes();
    await runtime.delete(`${url}/memories/${memory.id}`);
    expect(await bytes()).toBe(withMemory - 6);
    await runtime.delete(agent.url);
    await api.drainJobs();
    expect(await bytes()).toBe(0);
  });

  test('are limited for whatever is written; what makes it less is let in, and deleting frees', async ({ api }) => {
    const session = await api.newSession();
    const { runtime, url, agent } = session;
    const { workspace } = agent;
    const message = made(await say(session, { role: 'user', content: 'x'.repeat(1_000) }));
    const memory = made(await runtime.post(`${url}/memories`, { kind: 'fact', content: 'y'.repeat(1_000) }));
    const prompt = await api.newPrompt(workspace, { content: 'z'.repeat(1_000) });
    const { used } = (await readUsage(api, workspace)).bytes;
    await limitWorkspace(api, workspace.id, { bytes: used + 100 });
    const long = 'x'.repeat(200);
    expect(await say(session, { role: 'user', content: long })).toEqual(isRefused);
    expect(await runtime.post(`${url}/memories`, { kind: 'fact', content: long })).toEqual(isRefused);
    expect(await runtime.post(`${prompt.url}/versions`, { type: 'text', content: long })).toEqual(isRefused);
    expect(await runtime.put(`${url}/messages/${message.id}`, { content: 'x'.repeat(1_200) })).toEqual(isRefused);
    expect(await runtime.put(`${url}/memories/${memory.id}`, { meta: { long } })).toEqual(isRefused);
    expect(await runtime.put(url, { meta: { long } })).toEqual(isRefused);
    expect(await runtime.put(agent.url, { description: long })).toEqual(isRefused);
    // As long as it was, or shorter.
    expect((await runtime.put(`${url}/messages/${message.id}`, { content: 'n'.repeat(1_000) })).status).toBe(200);
    expect((await say(session)).status).toBe(201);
    expect((await runtime.put(`${url}/messages/${message.id}`, { content: 'n'.repeat(500) })).status).toBe(200);
    letCountsRest(api);
    expect((await say(session, { role: 'user', content: long })).status).toBe(201);
    // Below what there is, too.
    await limitWorkspace(api, workspace.id, { bytes: 10 });
    expect((await runtime.put(`${url}/messages/${message.id}`, { content: 'n' })).status).toBe(200);
    expect(await say(session)).toEqual(isRefused);
    expect((await runtime.delete(`${url}/memories/${memory.id}`)).status).toBe(204);
    await limitWorkspace(api, workspace.id, { bytes: used });
    expect((await say(session)).status).toBe(201);
  });

  test('are taken by a session that has nothing in it, and by a copy of it', async ({ api }) => {
    const { runtime, url, agent } = await api.newSession(undefined, 'customer=42', { title: 'A chät', meta: { a: 1 } });
    const { used } = (await readUsage(api, agent.workspace)).bytes;
    const bytes = async () => (await readUsage(api, agent.workspace)).bytes.used - used;
    const create = () => runtime.post(`${agent.url}/sessions`, {});
    const fork = (body = {}) => runtime.post(`${url}/fork`, body);
    // An id, and {} for labels and meta.
    await limitWorkspace(api, agent.workspace.id, { bytes: used + 39 });
    expect(await create()).toEqual(isRefused);
    expect(await fork()).toEqual(isRefused);
    await limitWorkspace(api, agent.workspace.id, { bytes: used + 40 });
    expect((await create()).status).toBe(201);
    expect(await bytes()).toBe(40);
    // An id, the title, the labels, and meta with where it comes from.
    const copied = 36 + 7 + 17 + JSON.stringify({ a: 1, forkedFrom: { sessionId: crypto.randomUUID(), messageId: null } }).length;
    await limitWorkspace(api, agent.workspace.id, { bytes: used + 40 + copied - 1 });
    expect(await fork()).toEqual(isRefused);
    await limitWorkspace(api, agent.workspace.id, { bytes: used + 40 + copied });
    expect((await fork()).status).toBe(201);
    expect(await bytes()).toBe(40 + copied);
  });

  test('of what is replaced by several at once are freed once', async ({ api }) => {
    const session = await api.newSession();
    const { workspace } = session.agent;
    const { id } = made(await say(session, { role: 'user', content: 'x'.repeat(1_000) }));
    const { used } = (await readUsage(api, workspace)).bytes;
    await limitWorkspace(api, workspace.id, { bytes: used + 10 });
    const [shrinking, growing] = await Promise.all([
      atOnce(10, () => session.runtime.put(`${session.url}/messages/${id}`, { content: 'n' })),
      atOnce(20, () => say(session, { role: 'user', content: 'y'.repeat(500) })),
    ]);
    expect(shrinking.statuses).toEqual({ 200: 10 });
    expect(growing.statuses[201] ?? 0).toBeLessThan(3);
    expect((await readUsage(api, workspace)).bytes.used).toBeLessThanOrEqual(used + 10);
  });

  test('of a document that is replaced are those of the new one', async ({ api }) => {
    const { workspace, upload } = await newKnowledge(api);
    made(await upload({ externalId: 'x', content: 'x'.repeat(5_000) }));
    const { used } = (await readUsage(api, workspace)).bytes;
    await limitWorkspace(api, workspace.id, { bytes: used + 10 });
    expect((await upload({ externalId: 'x', content: 'y'.repeat(5_000) })).status).toBe(200);
    expect(await upload({ externalId: 'x', content: 'y'.repeat(6_000) })).toEqual(isRefused);
    expect(await upload({ content: 'y'.repeat(100) })).toEqual(isRefused);
    expect((await upload({ externalId: 'x', content: 'Less.' })).status).toBe(200);
    letCountsRest(api);
    expect((await upload({ content: 'y'.repeat(100) })).status).toBe(201);
  });

  test('of sessions that an earlier version wrote are measured in the background', async ({ api }) => {
    const session = await api.newSession();
    await batch(session, 3);
    const { workspace } = session.agent;
    const { used } = (await readUsage(api, workspace)).bytes;
    await limitWorkspace(api, workspace.id, { bytes: 1_000_000 });
    // An earlier version knows nothing of the columns, or writes to a session that was measured, or edits, or writes and deletes there.
    const none = sql`message_bytes = ${null}, measured_messages = ${null}, measured_edits = ${null}`;
    const written = sql`message_bytes = 0, measured_messages = 0`;
    const edited = sql`message_bytes = 0, message_edits = message_edits + 1`;
    const deleted = sql`message_bytes = -50, message_edits = message_edits + 1`;
    for (const set of [none, written, edited, deleted]) {
      await api.db.run(sql`update sessions set ${set} where workspace_id = ${workspace.id}`);
      expect((await readUsage(api, workspace)).bytes.used).toBe(used - 21);
      await expect.poll(async () => (await readUsage(api, workspace)).bytes.used, { timeout: 60_000 }).toBe(used);
      expect((await say(session)).status).toBe(201);
      await session.runtime.delete(`${session.url}/messages/${(await session.runtime.get(`${session.url}/messages`)).body.messages[3].id}`);
    }
  });
});

test('a session that is there is found at the limit, and MCP tools are refused as their routes are', async ({ api }) => {
  const agent = await api.newAgent();
  const { workspace, runtime } = agent;
  await api.newSession(agent, 'id=chat-1');
  await limitWorkspace(api, workspace.id, { bytes: 1 });
  const find = (id: string) => runtime.post(`${agent.url}/sessions?id=${id}`, {}, { prefer: 'resolution=ignore-duplicates' });
  expect((await find('chat-1')).status).toBe(200);
  expect(await find('chat-2')).toEqual(isRefused);
  const headers = { ...runtime.headers, 'x-workspace-id': workspace.id, 'x-agent-id': agent.id, 'x-session-id': 'chat-1' };
  const { body } = await post(api, headers, call('add_memory', { content: 'User owns a boat' }));
  expect(body.result).toMatchObject({
    isError: true,
    content: [{ text: expect.stringContaining('The workspace has reached its limit of 1 bytes') }],
  });
});
