import { expect, inject } from 'vitest';
import { made, openApi, type TestApi, type TestSession, test } from '../../test/api.ts';
import { FollowedEvents } from '../../test/event-stream.ts';
import { createApp } from '../app.ts';
import { openDatabase } from '../db/open.ts';

const say = async (session: TestSession, content: string) =>
  made(await session.runtime.post(`${session.url}/messages`, { role: 'user', content }));

const follow = (api: TestApi, session: TestSession, query = '', headers: Record<string, string> = {}) =>
  FollowedEvents.open(api.app.server, `${session.agent.workspace.url}/events?types=message.created&${query}`, {
    ...session.runtime.headers,
    ...headers,
  });

const contentsOf = (events: readonly { data: Record<string, unknown> }[]) =>
  events.map(({ data }) => (data.message as { content: string }).content);

test('who follows is told of what comes, and of nothing that came before', async ({ api }) => {
  const session = await api.newSession();
  await say(session, 'Before');
  const followed = await follow(api, session);
  await say(session, 'After');
  const [event] = await followed.first(1);
  expect(event).toMatchObject({ type: 'message.created', sessionId: session.id, data: { message: { content: 'After' } } });
  expect(followed.lines[0]).toMatch(/^retry: \d+$/);
  followed.close();
});

test('who comes again with the last id is told of all since, each once', async ({ api }) => {
  const session = await api.newSession();
  const first = await follow(api, session);
  await say(session, 'One');
  const [known] = await first.first(1);
  first.close();
  for (let index = 2; index <= 150; index++) await say(session, String(index));
  const again = await follow(api, session, '', { 'last-event-id': known?.id as string });
  await again.first(149);
  await say(session, 'Last');
  const events = await again.first(150);
  expect(contentsOf(events)).toStrictEqual([...Array.from({ length: 149 }, (_, index) => String(index + 2)), 'Last']);
  expect(new Set(events.map(({ id }) => id)).size).toBe(150);
  again.close();
  const byQuery = await follow(api, session, `after=${events.at(-2)?.id}`);
  expect(contentsOf(await byQuery.first(1))).toStrictEqual(['Last']);
  byQuery.close();
});

test('who is cut off before the first event goes on from where the stream began', async ({ api }) => {
  const session = await api.newSession();
  await say(session, 'Before');
  const cut = await follow(api, session);
  await expect.poll(() => cut.lines[1]).toMatch(/^id: /);
  cut.close();
  await say(session, 'Meanwhile');
  const again = await follow(api, session, '', { 'last-event-id': cut.lines[1]?.slice(4) as string });
  expect(contentsOf(await again.first(1))).toStrictEqual(['Meanwhile']);
  again.close();
});

test('a stream that can’t be is refused as a page is', async ({ api }) => {
  const session = await api.newSession();
  const none = await api.newAccessKey(session.agent.workspace, ['CAN_CREATE_AGENT']);
  await expect(follow(api, session, '', none.headers)).rejects.toThrow('403');
  await expect(follow(api, session, '', { 'x-access-key': 'none' })).rejects.toThrow('401');
  await expect(follow(api, session, '', { 'last-event-id': 'none' })).rejects.toThrow(/400.*Last-Event-ID/);
  await expect(follow(api, session, 'types=never')).rejects.toThrow('400');
});

test('everyone who follows is told of every event of what they ask for, once and in order, while many write', async ({ api }) => {
  const agent = await api.newAgent();
  const sessions = await Promise.all(Array.from({ length: 4 }, () => api.newSession(agent)));
  const [first] = sessions as [TestSession, ...TestSession[]];
  const all = await Promise.all(Array.from({ length: 3 }, () => follow(api, first)));
  const each = await Promise.all(sessions.map((session) => follow(api, first, `sessionId=${session.id}`)));
  const late: Promise<FollowedEvents>[] = [];
  await Promise.all(
    sessions.map(async (session) => {
      for (let index = 0; index < 25; index++) {
        await say(session, `${session.id} ${index}`);
        if (index === 12) late.push(follow(api, first, `sessionId=${session.id}`));
      }
    }),
  );
  const written = (session: TestSession) => Array.from({ length: 25 }, (_, index) => `${session.id} ${index}`);
  for (const [index, session] of sessions.entries())
    expect(contentsOf((await each[index]?.first(25)) ?? [])).toStrictEqual(written(session));
  for (const followed of all) {
    const told = contentsOf(await followed.first(100));
    for (const session of sessions) expect(told.filter((text) => text.startsWith(session.id))).toStrictEqual(written(session));
  }
  // Who came in the middle has no gap from where they came on.
  for (const followed of await Promise.all(late)) {
    const [start] = followed.events;
    followed.close();
    const texts = contentsOf(followed.events);
    const session = sessions.find(({ id }) => start?.sessionId === id);
    if (session) expect(written(session).join('|')).toContain(texts.join('|'));
  }
  for (const followed of [...all, ...each]) followed.close();
});

test('who loses what they read by is told nothing more, at once', async ({ api }) => {
  const session = await api.newSession();
  const { workspace } = session.agent;
  const key = await api.newAccessKey(workspace, ['CAN_GET_SESSION_MESSAGE']);
  const member = await api.newMember(workspace, 'readonly');
  const byKey = await follow(api, session, '', { ...key.headers, 'x-access-key': key.headers['x-access-key'] as string });
  const byMember = await FollowedEvents.open(api.app.server, `${workspace.url}/events`, member.client.headers);
  const kept = await follow(api, session);
  expect((await workspace.owner.delete(`${workspace.url}/keys/${key.keyId}`)).status).toBe(204);
  expect((await workspace.owner.delete(`${workspace.url}/members/${member.id}`)).status).toBe(204);
  await Promise.all([byKey.end(), byMember.end()]);
  await say(session, 'Still told');
  expect(contentsOf(await kept.first(1))).toStrictEqual(['Still told']);
  expect(byKey.events).toStrictEqual([]);
  kept.close();
});

test('streams end when the service does, and hold it up in nothing', async () => {
  const { api, close } = await openApi();
  const session = await api.newSession();
  const followed = await follow(api, session);
  const requests = api.app.api.limits.gauges();
  expect(requests.in_flight).toBe(0);
  await close();
  await followed.end();
});

// The embedded engine has one.
if (inject('engine') === 'postgres')
  test('who follows on one node is told of what another wrote', async ({ api }) => {
    const session = await api.newSession();
    const { config, log } = api.app.context;
    const db = await openDatabase(config, log);
    const other = await createApp(config, db, log);
    try {
      const followed = await FollowedEvents.open(other.server, `${session.agent.workspace.url}/events`, session.runtime.headers);
      await say(session, 'From the other node');
      expect(contentsOf(await followed.first(1))).toStrictEqual(['From the other node']);
      followed.close();
    } finally {
      await other.close();
      await db.close();
    }
  });
