import { expect } from 'vitest';
import { refusal, type TestAgent, type TestApi, type TestSession, test } from '../../test/api.ts';
import { keptSources, log, range, runJob } from '../../test/kept-indexes.ts';
import { findTraces } from '../../test/traces.ts';
import { newId } from '../db/ids.ts';
import { sql } from '../db/sql.ts';
import { SegmentClearing } from '../search/segments/clearing.ts';
import { Forgetter } from './forgetting.ts';
import { forgetByAge } from './retention.ts';

const DAY_MS = 24 * 60 * 60_000;

const say = (session: TestSession, content: string) => session.runtime.post(`${session.url}/messages`, { role: 'user', content });
const keeping = (retentionDays: number) => ({ configs: { retentionDays } });

async function forgetOld(api: TestApi): Promise<void> {
  const clearing = new SegmentClearing(api.db, api.clock, log, keptSources(api.db));
  await runJob(forgetByAge(api.db, api.clock, new Forgetter(api.db, api.clock, clearing), log));
}

async function receiptsOf({ workspace }: TestAgent) {
  return (await workspace.owner.get(`${workspace.url}/receipts`)).body.receipts;
}

test('retentionDays is answered while it is set, changed alone, and taken away by null', async ({ api }) => {
  const agent = await api.newAgent(undefined, keeping(30));
  const configs = async () => (await agent.runtime.get(agent.url)).body.configs;
  const put = async (changes: unknown) => (await agent.runtime.put(agent.url, { configs: changes })).body.configs;
  expect(await configs()).toEqual({ memoryPipeline: false, retentionDays: 30 });
  expect(await put({ memoryPipeline: true })).toEqual({ memoryPipeline: true, retentionDays: 30 });
  expect(await put({ retentionDays: 36_500, memorySubject: 'user' })).toEqual({
    memoryPipeline: true,
    memorySubject: 'user',
    retentionDays: 36_500,
  });
  expect(await put({ retentionDays: null })).toEqual({ memoryPipeline: true, memorySubject: 'user' });
  expect(await put({ retentionDays: 7 })).toMatchObject({ retentionDays: 7 });
  expect(await put(null)).toEqual({ memoryPipeline: false });
  expect(await configs()).toEqual({ memoryPipeline: false });
  expect(await api.countRows('agent_retentions', agent.workspace.id)).toBe(0);
});

test.for([0, -1, 36_501, 1.5, '30', true])('retentionDays %j is refused', async (retentionDays, { api }) => {
  const agent = await api.newAgent();
  const answer = await agent.runtime.put(agent.url, { configs: { retentionDays } });
  expect(answer.status).toBe(400);
  expect(answer.body.details[0].path).toBe('configs.retentionDays');
});

test('sessions without a message for so long are forgotten with a receipt, and no others', async ({ api }) => {
  const agent = await api.newAgent(undefined, keeping(30));
  const unlimited = await api.newAgent(agent.workspace);
  const [old, active, ofOther] = [
    await api.newSession(agent, 'user=1'),
    await api.newSession(agent, 'user=1&n=2'),
    await api.newSession(unlimited),
  ];
  for (const session of [old, active, ofOther]) await say(session, 'Of long ago, obsolescent');
  api.clock.advance(20 * DAY_MS);
  await say(active, 'Of late');
  await forgetOld(api);
  expect(await receiptsOf(agent)).toEqual([]);

  api.clock.advance(11 * DAY_MS);
  await forgetOld(api);
  expect((await old.runtime.get(old.url)).status).toBe(404);
  for (const { runtime, url } of [active, ofOther]) expect((await runtime.get(url)).status).toBe(200);
  expect(await receiptsOf(agent)).toEqual([
    expect.objectContaining({
      by: 'service',
      agentId: agent.id,
      labels: {},
      counts: expect.objectContaining({ sessions: 1, messages: 1 }),
    }),
  ]);
  expect(await findTraces(api, [old.id])).toEqual(['changed_items.scope_id']);
  const { audits } = (await agent.workspace.owner.get(`${agent.workspace.url}/audits?action=subject.forget`)).body;
  expect(audits).toEqual([expect.objectContaining({ actorType: 'system', actorId: 'service' })]);

  // Nothing more is old, so there is nothing to tell.
  await forgetOld(api);
  expect(await receiptsOf(agent)).toHaveLength(1);
});

test('very many of several workspaces go in steps, and an agent that is gone does not hold up the others', async ({ api }) => {
  const agents = [
    await api.newAgent(undefined, keeping(1)),
    await api.newAgent(undefined, keeping(1)),
    await api.newAgent(undefined, keeping(1)),
  ];
  for (const agent of agents) {
    const now = new Date(api.clock.nowMs()).toISOString();
    for (const start of range(0, 11)) {
      await api.db.batch(
        range(0, 100).map(
          (n) => sql`
          insert into sessions (workspace_id, id, agent_id, external_id, named, title, status, labels, labels_key, meta,
            message_count, message_edits, memory_count, memory_edits, last_activity_at, created_at, updated_at)
          values (${agent.workspace.id}, ${newId()}, ${agent.id}, ${`${start} ${n}`}, ${true}, '', 'active', '{}', '', '{}', 0, 0, 0, 0, ${now}, ${now}, ${now})`,
        ),
      );
    }
  }
  const [deleted, ...left] = agents as [TestAgent, TestAgent, TestAgent];
  await deleted.runtime.delete(deleted.url);
  api.clock.advance(2 * DAY_MS);
  await forgetOld(api);
  for (const agent of left) {
    expect(await api.countRows('sessions', agent.workspace.id)).toBe(0);
    const counts = (await receiptsOf(agent)).map(({ counts }: { counts: { sessions: number } }) => counts.sessions);
    expect(counts).toEqual([100, 500, 500]);
  }
});

test('a session that is written to meanwhile stays', async ({ api }) => {
  const agent = await api.newAgent(undefined, keeping(1));
  const sessions: TestSession[] = [];
  for (const n of range(0, 10)) sessions.push(await api.newSession(agent, `n=${n}`));
  api.clock.advance(2 * DAY_MS);
  const writes = sessions.map((session) => say(session, 'Still here'));
  await forgetOld(api);
  for (const [index, answer] of (await Promise.all(writes)).entries()) {
    const { runtime, url } = sessions[index] as TestSession;
    expect((await runtime.get(url)).status).toBe(answer.status === 201 ? 200 : 404);
    if (answer.status !== 201) expect(answer).toEqual(refusal(404, 'Session not found'));
  }
});
