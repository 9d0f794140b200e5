/** A session that becomes another person's: what happens where that fails, and where it says very much. */
import { pino } from 'pino';
import { expect } from 'vitest';
import { type TestApi, test } from '../../../test/api.ts';
import type { Database, Queryable } from '../../db/database.ts';
import { type Sql, sql } from '../../db/sql.ts';
import { findRegenerationRequest } from '../store/extraction-state.ts';
import { CHANGED_AT_ONCE } from '../store/person-memories.ts';
import type { ExtractorSelector } from './choose-extractor.ts';
import { extractionHandlers } from './pipeline.ts';
import { regenerationHandler } from './regeneration.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
const { signal } = new AbortController();

async function newTalk(api: TestApi) {
  const agent = await api.newAgent(undefined, { configs: { memoryPipeline: true, memorySubject: 'user' } });
  const session = await api.newSession(agent, 'id=talk', { labels: { user: '42' } });
  const place = { workspaceId: agent.workspace.id, agentId: agent.id, sessionId: session.id };
  const relabel = async (user: string) => expect((await session.runtime.put(session.url, { labels: { user } })).status).toBe(200);
  const write = async (contents: readonly string[]) => {
    for (let start = 0; start < contents.length; start += 100) {
      const messages = contents.slice(start, start + 100).map((content) => ({ role: 'user', content }));
      const { status, text } = await session.runtime.post(`${session.url}/messages/batch`, { messages });
      expect(status, text).toBe(201);
    }
    await api.app.outbox.distribute();
    api.clock.advance(60_000);
  };
  return { agent, session, place, relabel, write };
}

/** Every message says what it says, word for word. */
function newOptions(api: TestApi, db: Database, asked: string[][] = []) {
  const choice = {
    extract: async (_workspaceId: string, messages: { id: string; content: string }[]) => {
      asked.push(messages.map(({ content }) => content));
      const memories = messages.map(({ id, content }) => ({ ref: id, messageId: id, kind: 'fact', content }));
      return { extraction: { memories, withdrawn: [], secrets: 0 }, extractor: 'test' };
    },
    summarize: async () => undefined,
  } as unknown as ExtractorSelector;
  return { db, clock: api.clock, log: pino({ level: 'silent' }), choice, outbox: api.app.outbox, shortLivedMs: DAY_MS };
}

test('one that failed for good is not asked for again, and new messages are the new person’s', async ({ api }) => {
  const { session, place, relabel, write } = await newTalk(api);
  const asked: string[][] = [];
  const options = newOptions(api, api.db, asked);
  const extract = () => extractionHandlers(options)['extract-memories'].run({ workspaceId: place.workspaceId } as never, signal);
  await write(['User lives in Lisbon']);
  await extract();
  await relabel('43');
  await write(['User likes tea']);
  await extract();
  expect(await findRegenerationRequest(api.db, place)).toBeDefined();
  const failing = new Proxy(api.db, {
    get: (target, name) => {
      if (name === 'transaction') return () => Promise.reject(new Error('The disk is full'));
      const value = Reflect.get(target, name) as unknown;
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
  const job = { workspaceId: place.workspaceId, payload: place, attempts: 5 } as never;
  await expect(regenerationHandler(newOptions(api, failing)).run(job, signal)).rejects.toThrow('The disk is full');
  asked.length = 0;
  for (let turn = 0; turn < 3; turn++) await extract();
  expect(await findRegenerationRequest(api.db, place)).toBeUndefined();
  expect(asked).toEqual([['User likes tea']]);
  const people = await api.db.query(sql<{ content: string; personId: string }>`
    select content, person_id as "personId" from assertions where workspace_id = ${place.workspaceId} order by message_id`);
  expect(people.map(({ content }) => content)).toEqual(['User lives in Lisbon', 'User likes tea']);
  expect(new Set(people.map(({ personId }) => personId)).size).toBe(2);
  const { body } = await session.runtime.get(`${session.url}/memories/status`);
  expect(body).toMatchObject({ regenerating: false, pending: 0, lastError: 'The disk is full' });
});

test.for(['another person', 'nobody in particular'])(
  'what a session says goes to %s some at a time',
  { timeout: 60_000 },
  async (whom, { api }) => {
    const { session, place, relabel, write } = await newTalk(api);
    const contents = Array.from({ length: 3 * CHANGED_AT_ONCE }, (_, index) => `User owns number ${index}`);
    await write(contents);
    const job = { workspaceId: place.workspaceId, payload: place, attempts: 0 } as never;
    await session.runtime.post(`${session.url}/memories/regenerate`);
    await regenerationHandler(newOptions(api, api.db)).run(job, signal);
    expect(await api.countRows('assertions', place.workspaceId)).toBe(contents.length);
    await relabel(whom === 'another person' ? '43' : '');
    const changedIn: number[] = [];
    const counting = new Proxy(api.db, {
      get: (target, name) => {
        const value = Reflect.get(target, name) as unknown;
        if (name !== 'transaction') return typeof value === 'function' ? value.bind(target) : value;
        return (work: (tx: Queryable) => unknown) =>
          target.transaction(async (tx) => {
            let changed = 0;
            const counted = new Proxy(tx, {
              get: (of, method) => {
                const call = Reflect.get(of, method) as unknown;
                if (method !== 'run') return typeof call === 'function' ? call.bind(of) : call;
                return async (statement: Sql) => {
                  const touched = await of.run(statement);
                  if (/^\s*(insert into|delete from) assertions/.test(statement.text('sqlite'))) changed += touched;
                  return touched;
                };
              },
            });
            const result = await work(counted);
            changedIn.push(changed);
            return result;
          });
      },
    });
    await session.runtime.post(`${session.url}/memories/regenerate`);
    await regenerationHandler(newOptions(api, counting)).run(job, signal);
    expect(Math.max(...changedIn)).toBeLessThanOrEqual(CHANGED_AT_ONCE);
    expect(changedIn.length).toBeGreaterThan(3);
    expect(await findRegenerationRequest(api.db, place)).toBeUndefined();
    expect(await api.countRows('assertions', place.workspaceId)).toBe(whom === 'another person' ? contents.length : 0);
    expect((await session.runtime.get(`${session.url}/memories?limit=1`)).body._meta.total).toBe(contents.length);
    // Nothing comes of it once more.
    changedIn.length = 0;
    await session.runtime.post(`${session.url}/memories/regenerate`);
    await regenerationHandler(newOptions(api, counting)).run(job, signal);
    expect(Math.max(...changedIn)).toBe(0);
    expect((await session.runtime.get(`${session.url}/memories?limit=1`)).body._meta.total).toBe(contents.length);
  },
);

test('who extracts while the agent is deleted leaves nothing behind', async ({ api }) => {
  const { agent, place, write } = await newTalk(api);
  await write(['User lives in Lisbon']);
  const options = newOptions(api, api.db);
  const extract = options.choice.extract.bind(options.choice);
  options.choice.extract = async (...given) => {
    expect((await agent.runtime.delete(agent.url)).status).toBe(204);
    return extract(...given);
  };
  await extractionHandlers(options)['extract-memories'].run({ workspaceId: place.workspaceId } as never, signal);
  for (const table of ['assertions', 'memories', 'memory_sources']) expect(await api.countRows(table, place.workspaceId)).toBe(0);
  await api.drainJobs();
  expect(await api.countRows('extraction_states', place.workspaceId)).toBe(0);
});
