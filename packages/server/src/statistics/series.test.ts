import { expect, inject } from 'vitest';
import { type Answer, Client, made, refusal, test } from '../../test/api.ts';
import { enterNextHour, groupsOf, sample, secondNode, series, valuesOf } from '../../test/series.ts';
import { newId } from '../db/ids.ts';
import { dropOldValues, HOUR_MS, hourOf, writeValues } from '../roll-ups/hourly-values.ts';

const DAY_MS = 24 * HOUR_MS;
const { signal } = new AbortController();

test('messages are counted once each in their hour, whichever nodes take them and distribute them', async ({ api }) => {
  const session = await api.newSession();
  const { workspace } = session.agent;
  const node = await secondNode(api);
  const onNode = new Client(node.server, session.runtime.headers);
  const hour = enterNextHour(api);
  const batch = { messages: Array.from({ length: 100 }, (_, index) => ({ role: 'user', content: `Message ${index}` })) };
  await Promise.all(
    [1, 2, 3, 4].map(async (n) => made(await (n % 2 ? onNode : session.runtime).post(`${session.url}/messages/batch`, batch))),
  );
  const { id } = made(await session.runtime.post(`${session.url}/messages`, { role: 'user', content: 'One that does not stay' }));
  expect((await session.runtime.delete(`${session.url}/messages/${id}`)).status).toBe(204);
  enterNextHour(api);
  made(await session.runtime.post(`${session.url}/messages`, { role: 'assistant', content: 'Later' }));
  await Promise.all([api.app, node, api.app, node].map(({ outbox }) => outbox.distribute()));
  await node.close();

  const answer = await series(workspace, 'messages', { since: hour - 2 * HOUR_MS, until: hour + 3 * HOUR_MS });
  expect(answer).toEqual({
    metric: 'messages',
    unit: 'count',
    kind: 'sum',
    since: new Date(hour - 2 * HOUR_MS).toISOString(),
    until: new Date(hour + 3 * HOUR_MS).toISOString(),
    step: 'hour',
    points: [0, 0, 401, 1, 0].map((value, index) => ({ at: new Date(hour + (index - 2) * HOUR_MS).toISOString(), value })),
    groups: [],
  });
  const day = hour - (hour % DAY_MS);
  const days = await series(workspace, 'messages', { since: day - DAY_MS, until: day + 2 * DAY_MS, step: 'day' });
  expect(days.points.map((point: { at: string }) => point.at)).toEqual([-1, 0, 1].map((n) => new Date(day + n * DAY_MS).toISOString()));
  expect(valuesOf(days).reduce((sum, value) => (sum as number) + (value as number), 0)).toBe(402);
  expect(valuesOf(await series(workspace, 'messages', { since: hour + HOUR_MS - 1, until: hour + HOUR_MS }))).toEqual([401]);
  expect(valuesOf(await series(workspace, 'messages', { since: hour + HOUR_MS, until: hour + HOUR_MS + 1 }))).toEqual([1]);
});

test('memories are counted by kind as they are made, once each, whichever node adds them up', async ({ api }) => {
  const session = await api.newSession(await api.newAgent(undefined, { configs: { memoryPipeline: true } }));
  const { workspace } = session.agent;
  const hour = enterNextHour(api);
  const memories = ['fact', 'fact', 'preference'].map((kind) => ({ kind, content: `A ${kind}` }));
  made(await session.runtime.post(`${session.url}/memories/batch`, { memories }));
  const refused = await session.runtime.post(`${session.url}/memories/batch`, {
    memories: [{ kind: 'fact', content: 'x' }, { kind: 'no' }],
  });
  expect(refused.status).toBe(400);
  made(await session.runtime.post(`${session.url}/messages`, { role: 'user', content: 'My name is Ada and I live in Lisbon.' }));
  await api.extractMemories();
  const { body: held } = await session.runtime.get(`${session.url}/memories?limit=100`);
  await Promise.all([sample(api), sample(api), sample(api)]);

  const answer = await series(workspace, 'memories', { since: hour, until: hour + 1 });
  const extracted = held.memories.filter(({ meta }: Answer['body']) => Object.keys(meta).length > 0);
  expect(extracted.length).toBeGreaterThan(0);
  expect(valuesOf(answer)).toEqual([3 + extracted.length]);
  const groups = groupsOf(answer);
  expect(Object.keys(groups)).toEqual(['summary', 'fact', 'preference', 'short_lived', 'long_lived']);
  for (const [kind, values] of Object.entries(groups)) {
    expect(values, kind).toEqual([held.memories.filter((memory: Answer['body']) => memory.kind === kind).length]);
  }
  expect(await api.countRows('pending_counts', workspace.id)).toBe(0);
});

test('calls are counted by key and for users as one, across nodes and a restart; a deleted key keeps its id alone', async ({ api }) => {
  const workspace = await api.newWorkspace();
  const [kept, deleted] = [await api.newAccessKey(workspace), await api.newAccessKey(workspace)];
  const node = await secondNode(api);
  const hour = enterNextHour(api);
  const path = `${workspace.url}/stats`;
  for (const client of [kept, kept, deleted, workspace.owner]) expect((await client.get(path)).status).toBe(200);
  for (const { headers } of [kept, deleted, deleted]) expect((await new Client(node.server, headers).get(path)).status).toBe(200);
  // What never reaches the workspace is not a call to it.
  expect((await (await api.newWorkspace()).owner.get(path)).status).toBe(404);
  await node.close();
  const restarted = await secondNode(api);
  expect((await new Client(restarted.server, kept.headers).get(path)).status).toBe(200);
  await restarted.close();
  expect((await workspace.owner.delete(`${workspace.url}/keys/${deleted.keyId}`)).status).toBe(204);
  await api.app.context.usage.flush();

  const answer = await series(workspace, 'calls', { since: hour - HOUR_MS, until: hour + 1 });
  expect(answer.groups.map(({ id, name }: Answer['body']) => [id, name])).toEqual([
    ['users', 'Users'],
    [kept.keyId, 'test'],
    [deleted.keyId, null],
  ]);
  expect(groupsOf(answer)).toEqual({ users: [0, 2], [kept.keyId]: [0, 4], [deleted.keyId]: [0, 3] });
  expect(valuesOf(answer)).toEqual([0, 9]);
  const { body: stats } = await workspace.owner.get(path);
  // With that of the series and that of the stats, which are of this hour too.
  expect(stats.callsThisMonth).toBe(11);
});

test('a workspace of many keys has rows for thirty of them in an hour, and the others are one', async ({ api }) => {
  const workspace = await api.newWorkspace();
  const hour = enterNextHour(api);
  const keys = await Promise.all(Array.from({ length: 40 }, () => api.newAccessKey(workspace)));
  const { usage } = api.app.context;
  for (const some of [keys.slice(0, 20), keys.slice(10), keys]) {
    for (const key of some) expect((await key.get(`${workspace.url}/stats`)).status).toBe(200);
    await usage.flush();
  }
  expect(await api.countRows('hourly_values', workspace.id)).toBe(31);
  const answer = await series(workspace, 'calls', { since: hour, until: hour + 1 });
  expect(valuesOf(answer)).toEqual([90]);
  expect(answer.groups).toHaveLength(31);
  expect(answer.groups.at(-1)).toMatchObject({ id: 'other', name: 'Other access keys', points: [{ value: 20 }] });
});

test('who may not list the access keys sees their calls as one', async ({ api }) => {
  const workspace = await api.newWorkspace();
  const { client } = await api.newMember(workspace, 'readonly');
  const hour = enterNextHour(api);
  for (const key of [await api.newAccessKey(workspace), await api.newAccessKey(workspace)])
    expect((await key.get(`${workspace.url}/stats`)).status).toBe(200);
  await api.app.context.usage.flush();
  const range = { since: hour, until: hour + 1 };
  const answer = await series({ ...workspace, owner: client }, 'calls', range);
  expect(answer.groups).toMatchObject([{ id: 'other', name: 'Access keys', points: [{ value: 2 }] }]);
  expect(groupsOf(await series(workspace, 'calls', range))).not.toHaveProperty('other');
});

test('over all hours of a range, the busiest keys are named and the others are one', async ({ api }) => {
  const workspace = await api.newWorkspace();
  const hour = hourOf(enterNextHour(api));
  const values = Array.from({ length: 50 }, (_, index) => ({
    workspaceId: workspace.id,
    metric: 'calls' as const,
    hour: hour - (index % 10),
    part: newId(),
    value: 100 - index,
  }));
  await api.db.batch(writeValues(values, 'add'));
  const answer = await series(workspace, 'calls', { since: (hour - 9) * HOUR_MS, until: (hour + 1) * HOUR_MS });
  const total = (points: { value: number }[]) => points.reduce((sum, { value }) => sum + value, 0);
  expect(answer.groups.map(({ points }: Answer['body']) => total(points))).toEqual([
    ...Array.from({ length: 30 }, (_, index) => 100 - index),
    20 * 60.5,
  ]);
  expect(total(answer.points)).toBe(50 * 75.5);
});

test('searches and their percentiles are of all nodes together; a step without any has none', async ({ api }) => {
  const session = await api.newSession();
  const { workspace } = session.agent;
  const node = await secondNode(api);
  const hour = enterNextHour(api);
  for (let n = 0; n < 90; n++) api.app.context.usage.countSearch(workspace.id, 10);
  for (let n = 0; n < 10; n++) node.context.usage.countSearch(workspace.id, 2_000);
  await node.close();
  await api.app.context.usage.flush();
  const range = { since: hour - HOUR_MS, until: hour + 1 };
  expect(await series(workspace, 'searches', range)).toMatchObject({
    unit: 'count',
    kind: 'sum',
    points: [{ value: 0 }, { value: 100 }],
    groups: [],
  });
  const latency = await series(workspace, 'searchLatency', range);
  expect(latency).toMatchObject({
    unit: 'milliseconds',
    kind: 'gauge',
    groups: [
      { id: 'p50', name: 'p50' },
      { id: 'p95', name: 'p95' },
    ],
  });
  expect(valuesOf(latency)[0]).toBeNull();
  expect(valuesOf(latency)[1]).toBeLessThanOrEqual(10);
  expect(groupsOf(latency).p50).toEqual(valuesOf(latency));
  expect(groupsOf(latency).p95[1]).toBeGreaterThan(1_500);
});

test('every way to search counts as one, and one that is refused does not', async ({ api }) => {
  const session = await api.newSession();
  const { workspace, url } = session.agent;
  const hour = enterNextHour(api);
  const { runtime } = session;
  const paths = [
    `${session.url}/messages`,
    `${session.url}/memories`,
    `${url}/messages`,
    `${url}/memories`,
    `${url}/documents`,
    `${workspace.url}/documents`,
    workspace.url,
  ];
  for (const path of paths)
    expect(await runtime.post(`${path}/search`, { query: 'tea', labels: { customer: '42' } }), path).toMatchObject({ status: 200 });
  expect((await runtime.post(`${workspace.url}/search`, {})).status).toBe(400);
  await api.app.context.usage.flush();
  expect(valuesOf(await series(workspace, 'searches', { since: hour, until: hour + 1 }))).toEqual([paths.length]);
});

if (inject('engine') === 'postgres')
  test('messages and memories are written while somebody holds every count of the workspace', async ({ api }) => {
    const session = await api.newSession();
    const { id: workspaceId } = session.agent.workspace;
    const hour = hourOf(api.clock.nowMs());
    const counts = (['messages', 'memories', 'calls'] as const).flatMap((metric) =>
      ['', 'fact'].map((part) => ({ workspaceId, metric, hour, part, value: 1 })),
    );
    await api.db.transaction(async (tx) => {
      await tx.batch(writeValues(counts, 'add'));
      made(await session.runtime.post(`${session.url}/messages`, { role: 'user', content: 'Hello' }));
      made(await session.runtime.post(`${session.url}/memories`, { kind: 'fact', content: 'A fact' }));
    });
  });

test('what is counted for a workspace after it was deleted is not kept', async ({ api }) => {
  const session = await api.newSession();
  const { workspace } = session.agent;
  made(await session.runtime.post(`${session.url}/memories`, { kind: 'fact', content: 'A fact' }));
  expect((await workspace.owner.delete(workspace.url)).status).toBe(204);
  api.app.context.usage.countSearch(workspace.id, 5);
  await api.app.context.usage.flush();
  await sample(api);
  await api.drainJobs();
  for (const table of ['hourly_values', 'pending_counts', 'usage_counters'])
    expect(await api.countRows(table, workspace.id), table).toBe(0);
});

test('hours older than 400 days go, but for the last that is known of what there is', async ({ api }) => {
  const { id: workspaceId } = await api.newWorkspace();
  const now = hourOf(api.clock.nowMs());
  const old = now - 401 * 24;
  const value = (metric: 'calls' | 'documents', hour: number) => ({ workspaceId, metric, hour, part: 'indexed', value: 1 });
  await api.db.batch(
    writeValues([value('calls', old), value('calls', now - 399 * 24), value('documents', old - 1), value('documents', old)], 'add'),
  );
  await dropOldValues(api.db, api.clock.nowMs(), api.app.context.log, signal);
  expect(await api.countRows('hourly_values', workspaceId)).toBe(2);
});

test('a query that makes no sense is refused with the reason', async ({ api }) => {
  const { owner, url } = await api.newWorkspace();
  const get = (query: string) => owner.get(`${url}/stats/series?${query}`);
  const metrics = 'Metric must be one of: messages memories searches searchLatency documents jobsWaiting calls';
  expect(await get('')).toEqual(refusal(400, 'Metric is required', 'metric'));
  expect(await get('metric=tokens')).toEqual(refusal(400, metrics, 'metric'));
  expect(await get('metric=__proto__')).toEqual(refusal(400, metrics, 'metric'));
  expect(await get('metric=calls&metric=messages')).toEqual(refusal(400, metrics, 'metric'));
  expect(await get('metric=calls&step=minute')).toEqual(refusal(400, 'Step must be one of: hour day', 'step'));
  for (const since of ['yesterday', '0', '2026-13-01T00:00:00Z', '0000-01-01T00:00:00Z', `${'9'.repeat(5_000)}`, "';drop table jobs"]) {
    expect(await get(`metric=calls&since=${encodeURIComponent(since)}`), since).toEqual(
      refusal(400, 'Since must be a valid date-time', 'since'),
    );
  }
  expect(await get('metric=calls&since=2026-11-15T01:00:00%2B02:00&until=2026-11-14T23:00:00Z')).toEqual(
    refusal(400, 'Since must be before until', 'since'),
  );
  expect((await get('metric=calls&since=0001-01-01T00:00:00Z')).body.errorMessage).toMatch(/must not have more than 1000 steps/);
  expect((await get('metric=calls&since=9999-12-31T00:00:00Z&until=9999-12-31T23:59:59Z&step=')).body.points).toHaveLength(24);
  expect((await get('metric=documents&until=0001-01-01T00:00:00Z')).body.points).toHaveLength(7);
});
