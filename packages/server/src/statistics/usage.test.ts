import { expect, onTestFinished } from 'vitest';
import { made, openApi, test } from '../../test/api.ts';
import type { Database } from '../db/database.ts';
import { sql } from '../db/sql.ts';
import { UsageCounter } from '../http/usage.ts';

test('usage says what a workspace has and what its limits are', async ({ api }) => {
  const session = await api.newSession();
  const { workspace } = session.agent;
  made(await session.runtime.post(`${session.url}/messages`, { role: 'user', content: 'Hello' }));
  const { status, body } = await workspace.owner.get(`${workspace.url}/usage`);
  expect(status).toBe(200);
  const none = { used: 0, limit: null };
  const one = { used: 1, limit: null };
  expect(body).toEqual({
    month: new Date(api.clock.nowMs()).toISOString().slice(0, 7),
    calls: { used: 4, limit: null },
    stored: {
      agents: one,
      sessions: one,
      messages: one,
      memories: none,
      prompts: none,
      documents: none,
      chunks: none,
      bytes: { used: expect.any(Number), limit: null },
    },
    requestsPerMinute: none,
    rate: { perSecond: 40_000, unit: 'units' },
    atOnce: { requests: 128, searches: 8 },
    largest: { contentBytes: 1_000_000, metaBytes: 64_000, fileBytes: 2_097_152, bodyBytes: 10_485_760 },
  });
});

test('a key that is limited to agents sees what is theirs', async ({ api }) => {
  const theirs = await api.newSession();
  const { workspace, id: agentId } = theirs.agent;
  const other = await api.newSession(await api.newAgent(workspace));
  for (const { runtime, url } of [theirs, other, other]) made(await runtime.post(`${url}/messages`, { role: 'user', content: 'Hello' }));
  const key = await api.newAccessKey(workspace, ['CAN_GET_AGENT'], undefined, [agentId]);
  const { stored } = (await key.get(`${workspace.url}/usage`)).body;
  expect(stored).toMatchObject({ agents: { used: 1 }, sessions: { used: 1 }, messages: { used: 1 } });
  expect((await workspace.owner.get(`${workspace.url}/usage`)).body.stored).toMatchObject({ agents: { used: 2 }, messages: { used: 3 } });
});

test('where a language model is configured, its tokens of the day stand beside their limit; a rate is that of the configuration', async () => {
  const { api, close } = await openApi({
    COMMONPLACE_LLM_URL: 'http://127.0.0.1:9/v1',
    COMMONPLACE_LLM_DAILY_TOKENS: '5000',
    COMMONPLACE_RATE_LIMIT: '200',
  });
  onTestFinished(close);
  const { id, url, owner } = await api.newWorkspace();
  const day = new Date(api.clock.nowMs()).toISOString().slice(0, 10);
  expect((await owner.get(`${url}/usage`)).body.llmTokens).toEqual({ day, used: 0, limit: 5_000 });
  await api.db.run(sql`insert into llm_usage (workspace_id, day, tokens) values (${id}, ${day}, ${1234})`);
  expect((await owner.get(`${url}/usage`)).body).toMatchObject({
    llmTokens: { day, used: 1234, limit: 5_000 },
    rate: { perSecond: 200, unit: 'requests' },
  });
});

test('what could not be written is counted with the next', async ({ api }) => {
  const { id } = await api.newWorkspace();
  let fails = true;
  const failing = new Proxy(api.db as Database, {
    get: (db, name) => {
      if (name === 'batch' && fails) return () => Promise.reject(new Error('the database is away'));
      const member = Reflect.get(db, name);
      return typeof member === 'function' ? member.bind(db) : member;
    },
  });
  const counter = new UsageCounter(failing, api.clock, api.app.context.log);
  counter.countSearch(id, 3);
  await counter.flush();
  counter.countSearch(id, 3);
  expect(await api.countRows('hourly_values', id)).toBe(0);
  fails = false;
  await counter.close();
  const row = await api.db.one(sql<{ value: number }>`select value from hourly_values where workspace_id = ${id}`);
  expect(row.value).toBe(2);
});
