import { expect } from 'vitest';
import { anId, aTime, made, openApi, refusal, type TestApi, type TestSession, test, walk } from '../../test/api.ts';
import { newId } from '../db/ids.ts';
import { sql } from '../db/sql.ts';
import { dropOldEvents } from './store.ts';

const say = async (session: TestSession, content: string) =>
  made(await session.runtime.post(`${session.url}/messages`, { role: 'user', content }));

const read = async (session: TestSession, query = '') => {
  const { status, body } = await session.agent.workspace.owner.get(`${session.agent.workspace.url}/events?types=message.created&${query}`);
  expect(status).toBe(200);
  return body;
};

test('a message that was written is an event at once, with the message as it is read', async ({ api }) => {
  const session = await api.newSession();
  const { workspace, id: agentId } = session.agent;
  const message = await say(session, 'Hello');
  expect(await read(session)).toStrictEqual({
    events: [
      {
        id: anId,
        type: 'message.created',
        workspaceId: workspace.id,
        createdAt: aTime,
        agentId,
        sessionId: session.id,
        data: { message },
      },
    ],
    _meta: { limit: 50, offset: 0, total: 1 },
  });
});

test('a reader goes on from the last event that it knows, oldest first, and gets each once', async ({ api }) => {
  const session = await api.newSession();
  const other = await api.newSession(session.agent);
  const messages = Array.from({ length: 7 }, (_, index) => ({ role: 'user', content: `Number ${index}` }));
  const { messages: written } = made(await session.runtime.post(`${session.url}/messages/batch`, { messages }));
  const elsewhere = await say(other, 'Elsewhere');
  const ids: string[] = [];
  for (let after: string | undefined; ; ) {
    const { events, _meta } = await read(session, `limit=3${after ? `&after=${after}` : ''}`);
    const cursor = 8 - ids.length > 3 ? { cursor: events.at(-1).id } : {};
    expect(_meta).toStrictEqual({ limit: 3, offset: 0, total: 8 - ids.length, ...cursor });
    ids.push(...events.map((event: { data: { message: { id: string } } }) => event.data.message.id));
    after = events.at(-1)?.id;
    if (events.length === 0) break;
  }
  expect(ids).toStrictEqual([...written.map(({ id }: { id: string }) => id), elsewhere.id]);
  const { rows } = await walk(session.runtime, `${session.agent.workspace.url}/events`, 'events', 3);
  expect(rows.flatMap(({ type, data }) => (type === 'message.created' ? data.message.id : []))).toStrictEqual(ids);
  expect((await read(session, `sessionId=${other.id}`)).events).toMatchObject([{ data: { message: elsewhere } }]);
  expect((await read(session, `sessionId=${newId()}`)).events).toStrictEqual([]);
});

test('what can’t be asked for is refused, and tells nothing of others', async ({ api }) => {
  const session = await api.newSession();
  const other = await api.newSession();
  await say(session, 'Mine');
  await say(other, 'Theirs');
  const { url, owner } = session.agent.workspace;
  const [theirs] = (await read(other)).events;
  for (const after of [theirs.id, newId()])
    expect(await owner.get(`${url}/events?after=${after}`)).toEqual(
      refusal(400, 'After must be the id of an event of this workspace', 'after'),
    );
  expect((await owner.get(`${url}/events?after=none`)).status).toBe(400);
  expect((await owner.get(`${url}/events?types=message.created,nothing.happened`)).status).toBe(400);
  expect((await owner.get(`${url}/events?sessionId=none`)).status).toBe(400);
  expect((await owner.get(`${url}/events?limit=101`)).status).toBe(400);
  expect(await owner.get(`${other.agent.workspace.url}/events`)).toEqual(refusal(404, 'Workspace not found'));
  const { body } = await owner.get(`${url}/events?types=&after=&sessionId=`);
  expect(body.events.at(-1)).toMatchObject({ data: { message: { content: 'Mine' } } });
});

test('what an event is about is read when the event is: as it is now, by its id alone where it is gone or large', async ({ api }) => {
  const session = await api.newSession();
  const [edited, deleted, large] = [await say(session, 'First'), await say(session, 'Second'), await say(session, 'x'.repeat(70_000))];
  await session.runtime.put(`${session.url}/messages/${edited.id}`, { content: 'Corrected' });
  await session.runtime.delete(`${session.url}/messages/${deleted.id}`);
  const { events } = await read(session);
  expect(events.map(({ data }: { data: unknown }) => data)).toMatchObject([
    { message: { id: edited.id, content: 'Corrected' } },
    { message: { id: deleted.id } },
    { message: { id: large.id } },
  ]);
  expect(events.slice(1).map(({ data }: { data: { message: object } }) => Object.keys(data.message))).toStrictEqual([['id'], ['id']]);
});

test('what was deleted with its session or agent is told to nobody, before its rows are gone too', async ({ api }) => {
  const session = await api.newSession();
  const other = await api.newSession(await api.newAgent(session.agent.workspace));
  await say(session, 'Of a session');
  await say(other, 'Of an agent');
  expect((await read(session)).events.map(({ data }: { data: { message: { content: string } } }) => data.message.content)).toStrictEqual([
    'Of a session',
    'Of an agent',
  ]);
  expect((await session.runtime.delete(session.url)).status).toBe(204);
  expect((await other.runtime.delete(other.agent.url)).status).toBe(204);
  expect(await api.countRows('messages', session.agent.workspace.id)).toBe(2);
  for (const { data } of (await read(session)).events) expect(Object.keys(data.message)).toStrictEqual(['id']);
});

test('a caller is told of what it may read, and of no more', async ({ api }) => {
  const session = await api.newSession();
  const other = await api.newSession(await api.newAgent(session.agent.workspace));
  const [mine] = [await say(session, 'Mine'), await say(other, 'Of another agent')];
  const { workspace } = session.agent;
  const url = `${workspace.url}/events?types=message.created`;
  const limited = await api.newAccessKey(workspace, ['CAN_GET_SESSION_MESSAGE'], undefined, [session.agent.id]);
  const { body } = await limited.get(url);
  expect(body.events).toMatchObject([{ data: { message: { id: mine.id } } }]);
  expect(body._meta.total).toBe(1);
  const elsewhere = await api.newAccessKey(workspace, ['CAN_GET_PROMPT']);
  expect((await elsewhere.get(url)).body).toMatchObject({ events: [], _meta: { total: 0 } });
  const all = await elsewhere.get(`${workspace.url}/events`);
  expect(all).toMatchObject({ status: 200, body: { events: [] } });
  const none = await api.newAccessKey(workspace, ['CAN_CREATE_AGENT']);
  expect((await none.get(url)).status).toBe(403);
});

test('numbers follow the order of commits, however many write and publish at once', async ({ api }) => {
  const agent = await api.newAgent();
  const sessions = await Promise.all(Array.from({ length: 4 }, () => api.newSession(agent)));
  await Promise.all(
    sessions.flatMap((session) =>
      Array.from({ length: 3 }, async () => {
        for (let index = 0; index < 10; index++) {
          await say(session, `Entry ${index}`);
          if (index % 3 === 0) await api.app.outbox.distribute();
        }
      }),
    ),
  );
  const seqs = await api.db.query(sql<{ seq: number; subjectId: string; sessionId: string }>`
    select seq, subject_id as "subjectId", session_id as "sessionId" from events
    where workspace_id = ${agent.workspace.id} and type = 'message.created' order by seq`);
  await api.app.outbox.distribute();
  expect(await api.countRows('outbox', agent.workspace.id)).toBe(0);
  for (const session of sessions) {
    const { body } = await session.runtime.get(`${session.url}/messages?limit=100`);
    const { events } = await read(session, `limit=100&sessionId=${session.id}`);
    const told = events.map(({ data }: { data: { message: { id: string } } }) => data.message.id);
    expect(told).toStrictEqual(body.messages.map(({ id }: { id: string }) => id));
  }
  expect(new Set(seqs.map(({ seq }) => seq)).size).toBe(seqs.length);
});

test('those that are rare are found among any number of messages, by an index', async ({ api }) => {
  const session = await api.newSession();
  const { id: workspaceId, owner, url } = session.agent.workspace;
  await say(session, 'One');
  await owner.get(`${url}/events`);
  const explained = await explain(api, workspaceId);
  expect(explained).toContain('events_by_type');
});

async function explain(api: TestApi, workspaceId: string): Promise<string> {
  const matching = sql`workspace_id = ${workspaceId} and seq > ${0} and type = ${'key.revoked'} and type <> 'message.created'`;
  const select = sql`select seq from events where ${matching} order by seq limit 50`;
  const plan =
    api.db.engine === 'sqlite'
      ? await api.db.query(sql`explain query plan ${select}`)
      : await api.db.transaction(async (tx) => {
          await tx.run(sql`set local enable_seqscan = off`);
          return tx.query(sql`explain ${select}`);
        });
  return JSON.stringify(plan);
}

test('events are kept for the days that the service is told, and none where it is told so', async () => {
  const { api, close } = await openApi({ COMMONPLACE_EVENT_DAYS: '2' });
  try {
    const session = await api.newSession();
    const { workspace } = session.agent;
    await say(session, 'Old');
    expect((await read(session)).events).toHaveLength(1);
    api.clock.advance(2 * 24 * 60 * 60 * 1000 + 1_000);
    await say(session, 'New');
    await read(session);
    const { config, log } = api.app.context;
    await dropOldEvents(api.db, api.clock.nowMs() - config.eventsKeptMs, log, new AbortController().signal);
    const { events } = await read(session);
    expect(events).toMatchObject([{ data: { message: { content: 'New' } } }]);
    await say(session, 'Newer');
    expect((await read(session, `after=${events[0].id}`)).events).toMatchObject([{ data: { message: { content: 'Newer' } } }]);
    expect((await workspace.owner.delete(workspace.url)).status).toBe(204);
    await api.drainJobs();
    for (const table of ['events', 'event_heads', 'outbox']) expect(await api.countRows(table, workspace.id), table).toBe(0);
  } finally {
    await close();
  }
  const silent = await openApi({ COMMONPLACE_EVENT_DAYS: '0' });
  try {
    const session = await silent.api.newSession();
    await say(session, 'Hello');
    expect((await read(session)).events).toStrictEqual([]);
    expect(await silent.api.countRows('outbox', session.agent.workspace.id)).toBe(0);
  } finally {
    await silent.close();
  }
});
