/** From messages to memories, by the built-in extractor and through the API. */
import { excerptOf } from '@commonplace/english/excerpt';
import { pino } from 'pino';
import { expect } from 'vitest';
import { type Answer, anId, aTime, made, refusal, type TestApi, type TestSession, test } from '../../../test/api.ts';
import { sql } from '../../db/sql.ts';
import { MOST_CHARACTERS_READ, userMessages } from '../store/messages.ts';
import { loadSessionMemories } from '../store/session-memories.ts';
import type { ExtractorSelector } from './choose-extractor.ts';
import { extractionHandlers } from './pipeline.ts';

const DAY_MS = 24 * 60 * 60 * 1000;

/** A session whose agent extracts, and what a test does with it. */
async function newTalk(api: TestApi, given?: TestSession) {
  const session = given ?? (await api.newSession(await api.newAgent(undefined, { configs: { memoryPipeline: true } })));
  const { runtime, url } = session;
  const write = async (content: string, more: Record<string, unknown> = {}): Promise<string> =>
    made(await runtime.post(`${url}/messages`, { role: 'user', content, ...more })).id;
  const listed = async (query = ''): Promise<Answer['body'][]> => {
    const { status, body, text } = await runtime.get(`${url}/memories?limit=100${query}`);
    expect(status, text).toBe(200);
    return body.memories.filter(({ kind }: { kind: string }) => query.includes('kind=') || kind !== 'summary');
  };
  return {
    session,
    runtime,
    url,
    write,
    listed,
    /** Written, and looked at. */
    say: async (content: string, more: Record<string, unknown> = {}): Promise<string> => {
      const id = await write(content, more);
      await api.extractMemories();
      return id;
    },
    contents: async (query = '') => (await listed(query)).map(({ content }) => content),
    found: async (query: string, more: Record<string, unknown> = {}) => {
      const { status, body, text } = await runtime.post(`${url}/memories/search`, { query, ...more });
      expect(status, text).toBe(200);
      return body.results.map((hit: { text: string }) => hit.text);
    },
    status: async () => (await runtime.get(`${url}/memories/status`)).body,
    history: async (id: string) => (await runtime.get(`${url}/memories/${id}/history`)).body.history,
  };
}

test('a statement becomes a memory that says where it came from; what others say does not', async ({ api }) => {
  const talk = await newTalk(api);
  await talk.write('I prefer window seats.', { role: 'assistant' });
  await talk.write('You are a helpful assistant. I live in Berlin.', { role: 'system' });
  const messageId = await talk.write('I prefer aisle seats.');
  expect(await talk.status()).toMatchObject({ enabled: true, regenerating: false, pending: 1, done: 0, failed: 0, failures: [] });
  await api.extractMemories();
  expect(await talk.listed()).toEqual([
    {
      id: anId,
      sessionId: talk.session.id,
      kind: 'preference',
      content: 'User prefers aisle seats',
      meta: { source: 'extraction', messageIds: [messageId], extractor: 'builtin-2' },
      createdAt: aTime,
      updatedAt: aTime,
    },
  ]);
  expect(await talk.found('where to sit in a plane')).toEqual(['User prefers aisle seats']);
  expect(await talk.status()).toMatchObject({ pending: 0, done: 1, failed: 0, lastError: null });
});

test('nothing is extracted where the agent does not want it', async ({ api }) => {
  const talk = await newTalk(api, await api.newSession());
  await talk.say('I prefer aisle seats.');
  expect(await talk.listed()).toEqual([]);
  expect(await talk.status()).toMatchObject({ enabled: false, pending: 0, done: 0 });
  expect(await api.countRows('extraction_queue', talk.session.agent.workspace.id)).toBe(0);
});

test('an agent extracts whatever else its configuration holds', async ({ api }) => {
  const talk = await newTalk(api);
  const { id, workspace } = talk.session.agent;
  const configs = JSON.stringify({ later: 'more', memoryPipeline: true });
  await api.db.run(sql`update agents set configs = ${configs} where workspace_id = ${workspace.id} and id = ${id}`);
  await talk.say('I prefer aisle seats.');
  expect(await talk.contents()).toEqual(['User prefers aisle seats']);
});

test('one message with two statements gives two memories, and relative dates are those of the message', async ({ api }) => {
  const talk = await newTalk(api);
  await talk.say("I'm allergic to peanuts and I moved to Lisbon last May", { createdAt: '2026-01-10T09:00:00Z' });
  const contents = await talk.contents();
  expect(contents).toHaveLength(2);
  expect(contents.join('; ')).toMatch(/allergic to peanuts/);
  expect(contents.join('; ')).toMatch(/Lisbon in May 2025/);
  for (const { createdAt } of await talk.listed()) expect(createdAt).toBe('2026-01-10T09:00:00.000Z');
});

test('the same said twice, 668 times, and pasted back is one memory', async ({ api }) => {
  const talk = await newTalk(api);
  await talk.say('I am allergic to peanuts.');
  const [first] = await talk.listed();
  await talk.say('I am allergic to peanuts.');
  await talk.say('I’m really allergic to peanuts!');
  for (let start = 0; start < 668; start += 100) {
    const messages = Array.from({ length: Math.min(100, 668 - start) }, () => ({ role: 'user', content: 'I am allergic to peanuts.' }));
    made(await talk.runtime.post(`${talk.url}/messages/batch`, { messages }));
    await api.extractMemories();
  }
  await talk.say('User is allergic to peanuts', { role: 'assistant' });
  await talk.say('Relevant memories:\n- User is allergic to peanuts\n\nWhat can I eat?');
  await talk.say('User is allergic to peanuts');
  expect(await talk.listed()).toEqual([first]);
  expect(await talk.status()).toMatchObject({ pending: 0, done: 673, failed: 0 });
});

test('a newer statement takes an older one’s place; the older one stays in the history and in what held before', async ({ api }) => {
  const talk = await newTalk(api);
  const lisbonSaid = await talk.say('I live in Lisbon.');
  const [lisbon] = await talk.listed();
  const between = new Date(api.clock.nowMs()).toISOString();
  api.clock.advance(DAY_MS);
  const portoSaid = await talk.say('I live in Porto now.');
  const [porto, ...others] = await talk.listed();
  expect(others).toEqual([]);
  expect(porto).toMatchObject({
    content: expect.stringContaining('Porto'),
    meta: { messageIds: [portoSaid], history: [{ id: lisbon.id, content: 'User lives in Lisbon', until: porto.createdAt }] },
  });
  expect(await talk.found('home')).toEqual([porto.content]);
  // What held before.
  expect(await talk.contents(`&asOf=${between}`)).toEqual(['User lives in Lisbon']);
  expect(await talk.found('home', { asOf: between })).toEqual(['User lives in Lisbon']);
  expect(await talk.contents('&asOf=2020-01-01T00:00:00Z')).toEqual([]);
  expect(await talk.found('home', { asOf: '2020-01-01T00:00:00Z' })).toEqual([]);
  // The older one is read by its id, and says what became of it.
  expect((await talk.runtime.get(`${talk.url}/memories/${lisbon.id}`)).body).toMatchObject({
    content: 'User lives in Lisbon',
    supersededAt: porto.createdAt,
    supersededBy: porto.id,
  });
  expect(await talk.history(porto.id)).toEqual([
    {
      event: 'created',
      at: lisbon.createdAt,
      memoryId: lisbon.id,
      messageId: lisbonSaid,
      content: 'User lives in Lisbon',
      supersededBy: null,
      reason: null,
    },
    {
      event: 'superseded',
      at: porto.createdAt,
      memoryId: lisbon.id,
      messageId: portoSaid,
      content: null,
      supersededBy: porto.id,
      reason: null,
    },
    {
      event: 'created',
      at: porto.createdAt,
      memoryId: porto.id,
      messageId: portoSaid,
      content: porto.content,
      supersededBy: null,
      reason: null,
    },
  ]);
  // Pasted back, what no longer holds does not hold again.
  await talk.say('Memories:\n- User lives in Lisbon\n\nWhat is the weather like?');
  expect(await talk.contents()).toEqual([porto.content]);
});

test('messages of the past come in any order: the newest statement holds', async ({ api }) => {
  const talk = await newTalk(api);
  await talk.say('I live in Porto.', { createdAt: '2024-05-01T00:00:00Z' });
  await talk.say('I live in Lisbon.', { createdAt: '2022-05-01T00:00:00Z' });
  expect(await talk.contents()).toEqual(['User lives in Porto']);
  expect(await talk.contents('&asOf=2023-01-01T00:00:00Z')).toEqual(['User lives in Lisbon']);
  expect(await talk.found('home', { asOf: '2023-01-01T00:00:00Z' })).toEqual(['User lives in Lisbon']);
});

test('a correction takes the place of what it corrects', async ({ api }) => {
  const talk = await newTalk(api);
  const meant = await talk.write('My dentist appointment is on Tuesday.', { createdAt: '2026-11-09T09:00:00Z' });
  const corrected = await talk.write('No, I meant Thursday.', { createdAt: '2026-11-09T09:01:00Z' });
  // Both in one go.
  await api.extractMemories();
  const at = '&asOf=2026-11-09T10:00:00Z';
  const [memory, ...others] = await talk.listed(at);
  expect(others).toEqual([]);
  expect(memory.content).toMatch(/dentist/);
  expect(memory.content).toMatch(/2026-11-12|Thursday/);
  expect(memory.meta.messageIds.sort()).toEqual([meant, corrected].sort());
  // It can't be understood without the first one.
  expect((await talk.runtime.delete(`${talk.url}/messages/${meant}`)).status).toBe(204);
  expect(await talk.contents(at)).toEqual([]);
});

test('a deleted message takes its memories along, and what they had replaced holds again', async ({ api }) => {
  const talk = await newTalk(api);
  await talk.say('I live in Lisbon.');
  const porto = await talk.say('I live in Porto.');
  const madrid = await talk.say('I live in Madrid.');
  expect(await talk.contents()).toEqual(['User lives in Madrid']);
  expect((await talk.runtime.delete(`${talk.url}/messages/${porto}`)).status).toBe(204);
  const [held] = await talk.listed();
  expect(held).toMatchObject({ content: 'User lives in Madrid', meta: { history: [{ content: 'User lives in Lisbon' }] } });
  expect(JSON.stringify(await talk.history(held.id))).not.toContain('Porto');
  expect((await talk.runtime.delete(`${talk.url}/messages/batch`, { ids: [madrid] })).status).toBe(204);
  expect(await talk.contents()).toEqual(['User lives in Lisbon']);
  expect(await talk.found('home')).toEqual(['User lives in Lisbon']);
});

test('a deleted memory is nowhere told of; what it had replaced does not come back', async ({ api }) => {
  const talk = await newTalk(api);
  for (const place of ['Lisbon', 'Porto', 'Madrid']) await talk.say(`I live in ${place}.`);
  const [madrid] = await talk.listed();
  const porto = (await talk.history(madrid.id)).find(({ content }: { content: string }) => content === 'User lives in Porto');
  expect((await talk.runtime.delete(`${talk.url}/memories/${porto.memoryId}`)).status).toBe(204);
  const [held] = await talk.listed();
  expect(held.meta.history.map(({ content }: { content: string }) => content)).toEqual(['User lives in Lisbon']);
  expect(JSON.stringify(await talk.history(madrid.id))).not.toContain('Porto');
  await talk.runtime.delete(`${talk.url}/memories/${madrid.id}`);
  expect(await talk.listed()).toEqual([]);
});

test.for([
  ['said once', []],
  ['said again since', ['I like tea.']],
] as const)('what a message took back holds again when the message goes, once: %s', async ([, later], { api }) => {
  const talk = await newTalk(api);
  await talk.say('I like tea.');
  expect(await talk.contents()).toEqual(['User likes tea']);
  const took = await talk.say('Forget that I like tea.');
  expect(await talk.contents()).toEqual([]);
  for (const content of later) await talk.say(content);
  await talk.runtime.delete(`${talk.url}/messages/${took}`);
  await api.drainJobs();
  expect(await talk.contents()).toEqual(['User likes tea']);
});

test('a summary that a person wrote stands for the session', async ({ api }) => {
  const talk = await newTalk(api);
  await talk.runtime.post(`${talk.url}/memories`, { kind: 'summary', content: 'A trip to Japan' });
  for (const sentence of planning) await talk.write(sentence);
  await api.extractMemories();
  expect((await talk.listed('&kind=summary')).map(({ content }) => content)).toEqual(['A trip to Japan']);
});

test('what is said by two messages stays while one of them does', async ({ api }) => {
  const talk = await newTalk(api);
  const first = await talk.say('I am allergic to peanuts.');
  const second = await talk.say('I am allergic to peanuts.');
  const foundBy = (messageIds: string) => talk.found('peanuts', { where: { messageIds, source: 'extraction' } });
  expect([await foundBy(first), await foundBy(second)]).toEqual([['User is allergic to peanuts'], []]);
  await talk.runtime.delete(`${talk.url}/messages/${first}`);
  expect(await talk.listed()).toMatchObject([{ content: 'User is allergic to peanuts', meta: { messageIds: [second] } }]);
  expect([await foundBy(first), await foundBy(second)]).toEqual([[], ['User is allergic to peanuts']]);
  await talk.runtime.delete(`${talk.url}/messages/${second}`);
  expect(await talk.listed()).toEqual([]);
  expect(await api.countRows('memory_sources', talk.session.agent.workspace.id)).toBe(0);
});

test('an edited message is looked at again; another meta is no edit of what it says', async ({ api }) => {
  const talk = await newTalk(api);
  const id = await talk.say('I live in Lisbon.');
  const before = await talk.listed();
  await talk.runtime.put(`${talk.url}/messages/${id}`, { content: 'I live in Lisbon.', meta: '{"read":true}' });
  expect(await talk.listed()).toEqual(before);
  await talk.runtime.put(`${talk.url}/messages/${id}`, { content: 'I live in Porto.' });
  // At once, not only when the new text was looked at.
  expect(await talk.contents()).toEqual([]);
  await api.extractMemories();
  expect(await talk.contents()).toEqual(['User lives in Porto']);
  await talk.runtime.put(`${talk.url}/messages/${id}`, { content: 'I live in Porto.', role: 'assistant' });
  await api.extractMemories();
  expect(await talk.contents()).toEqual([]);
});

test('extracted short-lived memories expire after a week; written ones when they say so', async ({ api }) => {
  const talk = await newTalk(api);
  await talk.say("I'm working on the quarterly report.");
  const [task] = await talk.listed();
  expect(task).toMatchObject({ kind: 'short_lived' });
  expect(Date.parse(task.expiresAt) - Date.parse(task.createdAt)).toBe(7 * DAY_MS);
  const forEver = made(await talk.runtime.post(`${talk.url}/memories`, { kind: 'short_lived', content: 'Written without an end' }));
  expect(forEver).not.toHaveProperty('expiresAt');
  const expiresAt = new Date(api.clock.nowMs() + 2 * DAY_MS).toISOString();
  const ends = made(await talk.runtime.post(`${talk.url}/memories`, { kind: 'fact', content: 'Written with an end', expiresAt }));
  expect(ends).toMatchObject({ expiresAt });
  expect((await talk.contents()).length).toBe(3);
  api.clock.advance(3 * DAY_MS);
  expect((await talk.contents()).sort()).toEqual([task.content, 'Written without an end'].sort());
  expect(await talk.found('written with an end')).not.toContain('Written with an end');
  expect(await talk.contents(`&asOf=${new Date(api.clock.nowMs() - 2 * DAY_MS).toISOString()}`)).toHaveLength(3);
  api.clock.advance(5 * DAY_MS);
  expect(await talk.contents()).toEqual(['Written without an end']);
  expect(await talk.found('the quarterly report')).toEqual(['Written without an end']);
  expect((await talk.history(task.id)).at(-1)).toMatchObject({ event: 'expired', at: task.expiresAt });
  expect(await talk.runtime.post(`${talk.url}/memories`, { kind: 'fact', content: 'Late', expiresAt: '2020-01-01T00:00:00Z' })).toEqual(
    refusal(400, 'Expires at must be in the future', 'expiresAt'),
  );
  // The end can be moved, and taken away.
  const moved = await talk.runtime.put(`${talk.url}/memories/${forEver.id}`, { content: 'Moved', expiresAt: '2099-01-01T00:00:00Z' });
  expect(moved.body).toMatchObject({ expiresAt: '2099-01-01T00:00:00.000Z' });
  expect((await talk.runtime.put(`${talk.url}/memories/${forEver.id}`, { content: 'Moved', expiresAt: null })).body).not.toHaveProperty(
    'expiresAt',
  );
});

const planning = [
  'We are planning a two week trip to Japan in spring.',
  'The ryokan in Kyoto should have a garden and a hot spring.',
  'Trains between Tokyo and Kyoto leave every ten minutes.',
  'The budget for the whole trip is four thousand euros.',
  'Cherry blossoms in Kyoto usually begin at the end of March.',
];

test('a summary leaves out what was put right later, and is made anew when what it says was', async ({ api }) => {
  const talk = await newTalk(api);
  const summary = async () => (await talk.listed('&kind=summary'))[0]?.content;
  // So many that one more is no reason to sum up again.
  const messages = Array.from({ length: 20 }, () => ({ role: 'assistant', content: 'Good.' }));
  made(await talk.runtime.post(`${talk.url}/messages/batch`, { messages }));
  await talk.write('I want to plan the birthday party of my mother with the whole family this summer.');
  await talk.write('I moved to Lisbon for the large garden, the music and the party.');
  await talk.write('A party in the garden needs tables, lamps and music for the family.', { role: 'assistant' });
  await talk.write('Music for the party would come from my cousin and the family band.');
  await talk.say('The lamps for the garden party hang between the trees of my mother.');
  expect(await summary()).toContain('I moved to Lisbon');
  await talk.say('I live in Porto now.');
  expect(await talk.contents()).toContain('User lives in Porto');
  expect(await summary()).not.toContain('Lisbon');
  expect(await summary()).toContain('birthday party');
  await talk.runtime.post(`${talk.url}/memories/regenerate`);
  await api.drainJobs();
  expect(await summary()).not.toContain('Lisbon');
});

test('a summary of which too little is left ends', async ({ api }) => {
  const talk = await newTalk(api);
  const summaries = () => talk.contents('&kind=summary');
  await talk.write('I want to plan the birthday party of my mother with the whole family this summer.');
  await talk.write('I moved to Lisbon for the large garden, the music and the party.');
  await talk.write('A party in the garden needs tables, lamps and music for the family.', { role: 'assistant' });
  await talk.say('Music for the party would come from my cousin and the family band.');
  expect(await summaries()).toEqual([expect.stringContaining('I moved to Lisbon')]);
  await talk.say('I live in Porto now.');
  expect(await talk.contents()).toContain('User lives in Porto');
  expect(await summaries()).toEqual([]);
});

test('of a message of a megabyte the beginning and the end are read, as an excerpt made here would be', async ({ api }) => {
  const talk = await newTalk(api);
  const filler = 'GET /health 200 in 3 ms\n'.repeat(40_000);
  const content = `I live in Lisbon.\n${filler}I have a dog.`;
  const place = { workspaceId: talk.session.agent.workspace.id, agentId: talk.session.agent.id, sessionId: talk.session.id };
  await talk.say(content);
  expect((await talk.contents()).toSorted()).toEqual(['User has a dog', 'User lives in Lisbon']);
  const key = `Hello ${filler}-----BEGIN PRIVATE KEY-----\n${'MIIE\n'.repeat(10)}`;
  const exact = '漢'.repeat(MOST_CHARACTERS_READ);
  for (const other of [key, exact, `${exact}字`]) await talk.write(other);
  const read = await userMessages(api.db, place, undefined, 10);
  expect(read.map((message) => message.content)).toEqual(
    [content, key, exact, `${exact}字`].map((text) => excerptOf(text, MOST_CHARACTERS_READ)),
  );
});

test('a workspace with long messages ends its turn early, and goes on in the next', async ({ api }) => {
  const first = await newTalk(api);
  const talks = [first];
  while (talks.length < 20) talks.push(await newTalk(api, await api.newSession(first.session.agent)));
  const messages = Array.from({ length: 6 }, () => ({ role: 'user', content: 'word '.repeat(10_000) }));
  for (const talk of talks) made(await talk.runtime.post(`${talk.url}/messages/batch`, { messages }));
  const read: number[] = [];
  const choice = {
    extract: async (_: string, messages: readonly { content: string }[]) => {
      read.push(messages.reduce((sum, { content }) => sum + content.length, 0));
      return { extraction: { memories: [], withdrawn: [], secrets: 0 }, extractor: 'test' };
    },
    summarize: async () => undefined,
  } as unknown as ExtractorSelector;
  const options = {
    db: api.db,
    clock: api.clock,
    log: pino({ level: 'silent' }),
    choice,
    outbox: api.app.outbox,
    shortLivedMs: DAY_MS,
  };
  const handler = extractionHandlers(options)['extract-memories'];
  const run = () => handler.run({ workspaceId: first.session.agent.workspace.id } as never, new AbortController().signal);
  api.clock.advance(60_000);
  await run();
  expect(read).toHaveLength(8);
  for (const characters of read) expect(characters).toBeLessThanOrEqual(4 * (MOST_CHARACTERS_READ + 1));
  for (let turn = 0; turn < 12; turn++) {
    api.clock.advance(60_000);
    await run();
  }
  for (const talk of talks) expect(await talk.status()).toMatchObject({ pending: 0, done: 6 });
});

test('of what a program wrote only so much is read as is compared', async ({ api }) => {
  const talk = await newTalk(api);
  made(await talk.runtime.post(`${talk.url}/memories`, { kind: 'fact', content: 'x'.repeat(100_000), meta: { y: 'y'.repeat(60_000) } }));
  const { id: sessionId, agent } = talk.session;
  const [memory] = await loadSessionMemories(api.db, { workspaceId: agent.workspace.id, agentId: agent.id, sessionId });
  expect(JSON.stringify(memory).length).toBeLessThan(5_000);
  await talk.say('I live in Lisbon.');
  expect(await talk.contents()).toEqual(['User lives in Lisbon', 'x'.repeat(100_000)]);
});

test('a session has one summary, of its own sentences, kept up to date and never long', async ({ api }) => {
  const talk = await newTalk(api);
  await talk.say('Hello there!');
  expect(await talk.listed('&kind=summary')).toEqual([]);
  for (const sentence of planning) await talk.write(sentence);
  await api.extractMemories();
  const [first, ...others] = await talk.listed('&kind=summary');
  expect(others).toEqual([]);
  expect(first.content).toContain('Japan');
  expect(first.meta).toMatchObject({ source: 'extraction', extractor: 'extractive-1' });
  for (let start = 0; start < 10; start++) {
    const messages = Array.from({ length: 20 }, (_, index) => ({
      role: index % 2 ? 'assistant' : 'user',
      content: `The museum number ${start * 20 + index} in the city of Kanazawa shows paintings, pottery and gardens of the period.`,
    }));
    made(await talk.runtime.post(`${talk.url}/messages/batch`, { messages }));
    await api.extractMemories();
  }
  const [last, ...more] = await talk.listed('&kind=summary');
  expect(more).toEqual([]);
  expect(last.id).not.toBe(first.id);
  expect(last.content).toContain('Kanazawa');
  expect(last.content.length).toBeLessThanOrEqual(1_000);
  // It goes with any message of which it has a sentence, and is made again without it.
  const [messageId] = last.meta.messageIds;
  const { content } = (await talk.runtime.get(`${talk.url}/messages/${messageId}`)).body;
  await talk.runtime.delete(`${talk.url}/messages/${messageId}`);
  for (const summary of await talk.listed('&kind=summary')) expect(summary.content).not.toContain(content);
  await api.drainJobs();
  const anew = await talk.listed('&kind=summary');
  expect(anew).toHaveLength(1);
  expect(anew[0].content).not.toContain(content);
});

test('regenerate makes anew what was extracted and spares what was written or changed by hand', async ({ api }) => {
  const talk = await newTalk(api, await api.newSession());
  for (const content of ['I live in Lisbon.', 'I prefer aisle seats.', 'I am allergic to peanuts.', 'I live in Porto.'])
    await talk.write(content);
  const written = made(await talk.runtime.post(`${talk.url}/memories`, { kind: 'fact', content: 'Written by hand' }));
  // The agent does not extract by itself; who asks for it gets it.
  const answer = await talk.runtime.post(`${talk.url}/memories/regenerate`);
  expect(answer).toMatchObject({ status: 202, body: { queued: 4 } });
  expect(await talk.status()).toMatchObject({ enabled: false, regenerating: true });
  expect(await talk.contents()).toEqual(['Written by hand']);
  await api.drainJobs();
  expect((await talk.contents()).sort()).toEqual(
    ['User is allergic to peanuts', 'User lives in Porto', 'User prefers aisle seats', 'Written by hand'].sort(),
  );
  expect(await talk.status()).toMatchObject({ regenerating: false, pending: 0, done: 4, lastError: null });
  const before = await talk.listed();
  const seats = before.find(({ content }) => content.includes('seats'));
  const allergy = before.find(({ content }) => content.includes('peanuts'));
  // One is changed by hand, one deleted.
  await talk.runtime.put(`${talk.url}/memories/${seats.id}`, { content: 'User prefers window seats' });
  await talk.runtime.delete(`${talk.url}/memories/${allergy.id}`);
  await talk.runtime.post(`${talk.url}/memories/regenerate`);
  await api.drainJobs();
  const after = await talk.listed();
  expect(after.map(({ content }) => content).sort()).toEqual(
    ['User is allergic to peanuts', 'User lives in Porto', 'User prefers window seats', 'Written by hand'].sort(),
  );
  // What comes out the same is the same.
  const same = ({ content }: { content: string }) => content === 'User lives in Porto' || content === 'Written by hand';
  expect(after.filter(same)).toEqual(before.filter(same));
  expect(after).toContainEqual(written);
  const history = (await talk.history(after.find(({ content }) => content.includes('Porto')).id)) as { content: string | null }[];
  expect(history.map(({ content }) => content)).toContain('User lives in Lisbon');
  expect(await talk.history(seats.id)).toMatchObject([
    { event: 'created', content: null },
    { event: 'edited', content: 'User prefers window seats' },
  ]);
});

test('regenerate and history of what is not there are 404', async ({ api }) => {
  const talk = await newTalk(api);
  const missing = '0199a7c4-3b1e-7c52-9d6f-2f4f0f6f1c50';
  const url = talk.url.replace(talk.session.id, missing);
  expect(await talk.runtime.post(`${url}/memories/regenerate`)).toEqual(refusal(404, 'Session not found'));
  expect(await talk.runtime.get(`${url}/memories/status`)).toEqual(refusal(404, 'Session not found'));
  expect(await talk.runtime.get(`${talk.url}/memories/${missing}/history`)).toEqual(refusal(404, 'Memory not found'));
  expect(await api.countRows('extraction_states', talk.session.agent.workspace.id)).toBe(0);
});

test('what looks like a secret is in no memory, and is counted', async ({ api }) => {
  const talk = await newTalk(api);
  const counted = async () => {
    const { payload } = await api.app.server.inject({ url: '/metrics' });
    return Number(/commonplace_extraction\{what="secrets_total"\} (\d+)/.exec(payload)?.[1]);
  };
  const before = await counted();
  await talk.say('My password is tr0ub4dor&3xyz. I live in Lisbon.');
  await talk.say('Remember that my API key is sk-proj-9a8B7c6D5e4F3g2H1i0JkLmNoPqRsTuV.');
  await talk.say('My card number is 4111 1111 1111 1111.');
  const contents = (await talk.contents()).join('; ');
  expect(contents).toContain('Lisbon');
  expect(contents).not.toMatch(/tr0ub|sk-proj|4111/);
  expect((await counted()) - before).toBe(3);
});

test('a message that can’t be read is tried again, given up with its reason, and holds up no other', async ({ api }) => {
  const talk = await newTalk(api);
  const poisoned = await talk.write('Poison. I live in Lisbon.');
  const later = await talk.write('I live in Porto.');
  const choice = {
    extract: async (_: string, messages: { id: string; content: string }[]) => {
      if (messages.some(({ content }) => content.startsWith('Poison'))) throw new Error('the reader broke');
      const memories = messages.map(({ id, content }) => ({
        ref: id,
        messageId: id,
        kind: 'fact' as const,
        content: `User said ${content}`,
      }));
      return { extraction: { memories, withdrawn: [], secrets: 0 }, extractor: 'test' };
    },
  } as unknown as ExtractorSelector;
  const options = {
    db: api.db,
    clock: api.clock,
    log: pino({ level: 'silent' }),
    choice,
    outbox: api.app.outbox,
    shortLivedMs: DAY_MS,
  };
  const handler = extractionHandlers(options)['extract-memories'];
  const workspaceId = talk.session.agent.workspace.id;
  const run = async () => {
    api.clock.advance(20 * 60_000);
    await handler.run({ workspaceId } as never, new AbortController().signal);
  };
  await run();
  expect(await talk.status()).toMatchObject({ pending: 2, done: 0, failed: 0, lastError: 'the reader broke', retryAt: aTime });
  // One job of the workspace comes back for it, and is there for what is new as soon as ever.
  const jobs = await api.db.query(sql<{ key: string; runAt: string }>`
    select key, run_at as "runAt" from jobs where workspace_id = ${workspaceId} and kind = 'extract-memories' and state <> 'failed'`);
  expect(jobs.map(({ key }) => key)).toEqual([workspaceId]);
  for (const { runAt } of jobs) expect(Date.parse(runAt)).toBeLessThanOrEqual(api.clock.nowMs() + 15_000);
  for (let attempts = 0; attempts < 8; attempts++) await run();
  expect(await talk.status()).toMatchObject({
    pending: 0,
    done: 1,
    failed: 1,
    lastError: null,
    failures: [{ messageId: poisoned, error: 'the reader broke', failedAt: aTime }],
  });
  expect(await talk.listed()).toMatchObject([{ content: 'User said I live in Porto.', meta: { messageIds: [later], extractor: 'test' } }]);
  // A person may have it all looked at again.
  await talk.runtime.post(`${talk.url}/memories/regenerate`);
  await api.drainJobs();
  expect(await talk.status()).toMatchObject({ pending: 0, done: 2, failed: 0 });
  expect(await talk.contents()).toEqual(['User lives in Porto']);
});

test('a regeneration whose job is gone is taken up again, and one whose job was given up says so and holds up nothing', async ({ api }) => {
  const talk = await newTalk(api);
  const workspaceId = talk.session.agent.workspace.id;
  const sweep = async () => {
    api.clock.advance(2 * 60_000);
    await api.app.jobRunner.schedulePeriodic();
    await api.drainJobs();
  };
  await talk.write('I live in Lisbon.');
  await talk.runtime.post(`${talk.url}/memories/regenerate`);
  const failedAt = new Date(api.clock.nowMs() + 1_000).toISOString();
  await api.db.run(sql`
    update jobs set state = 'failed', failed_at = ${failedAt}, last_error = 'The process stopped' where workspace_id = ${workspaceId}`);
  await sweep();
  expect(await talk.status()).toMatchObject({ regenerating: false, lastError: 'The process stopped' });
  await sweep();
  expect(await talk.contents()).toEqual(['User lives in Lisbon']);
  await talk.runtime.post(`${talk.url}/memories/regenerate`);
  await api.db.run(sql`delete from jobs where workspace_id = ${workspaceId}`);
  await sweep();
  expect(await talk.status()).toMatchObject({ regenerating: false, lastError: null, done: 1 });
});

test('what a person makes of a memory is theirs, whatever they make of it', async ({ api }) => {
  const talk = await newTalk(api);
  const lisbon = await talk.say('I live in Lisbon.');
  const [memory] = await talk.listed();
  const put = (body: object) => talk.runtime.put(`${talk.url}/memories/${memory.id}`, body);
  expect(
    (await put({ content: 'Address him as Dr. Silva', meta: '{"source":"extraction","history":[null],"messageIds":["x"]}' })).status,
  ).toBe(200);
  await talk.say('I live in Porto.');
  await talk.say('I live in Lisbon.');
  expect((await talk.contents()).sort()).toEqual(['Address him as Dr. Silva', 'User lives in Lisbon']);
  await talk.runtime.post(`${talk.url}/memories/regenerate`);
  await api.drainJobs();
  expect((await talk.contents()).sort()).toEqual(['Address him as Dr. Silva', 'User lives in Lisbon']);
  expect((await talk.runtime.put(`${talk.url}/messages/${lisbon}`, { content: 'Hello.' })).status).toBe(200);
  expect((await talk.runtime.delete(`${talk.url}/messages/${lisbon}`)).status).toBe(204);
  expect(await talk.contents()).toContain('Address him as Dr. Silva');
});

test('whatever order messages come, change and go in, what holds and held is what regenerate says', async ({ api }) => {
  const talk = await newTalk(api);
  const at = (day: number) => ({ createdAt: `2025-03-${String(day).padStart(2, '0')}T09:00:00Z` });
  const asOf = async () =>
    Promise.all([1, 6, 11, 16, 21, 31].map((day) => talk.contents(`&asOf=${at(day).createdAt.replace('09:', '10:')}`)));
  await talk.say('I live in Porto.', at(15));
  await talk.say('I live in Lisbon.', at(5));
  const hello = await talk.say('Hello.', at(10));
  await talk.say('I live in Porto.', at(3));
  await talk.runtime.put(`${talk.url}/messages/${hello}`, { content: 'I live in Madrid.' });
  const flight = await talk.say('My flight to Rome is on 2025-04-10.', at(20));
  await talk.say('No, I meant 2025-04-12.', at(21));
  await talk.runtime.put(`${talk.url}/messages/${flight}`, { content: 'My flight to Paris is on 2025-04-10.' });
  await api.extractMemories();
  await api.drainJobs();
  const before = await asOf();
  expect(before[4]).toContain('User lives in Porto');
  expect(before.slice(0, 4).map((contents) => contents[0])).toEqual([
    undefined,
    'User lives in Lisbon',
    'User lives in Madrid',
    'User lives in Porto',
  ]);
  await talk.runtime.post(`${talk.url}/memories/regenerate`);
  await api.drainJobs();
  expect(await asOf()).toEqual(before);
});

test('a fork looks at what its source had not looked at yet, and tells nothing of what is not in it', async ({ api }) => {
  const talk = await newTalk(api);
  await talk.say('I live in Lisbon.');
  await talk.say('I live in Porto.');
  await talk.write('I am allergic to peanuts.');
  const fork = made(await talk.runtime.post(`${talk.url}/fork`, {}));
  const forked = await newTalk(api, { ...talk.session, id: fork.id, url: talk.url.replace(talk.session.id, fork.id) });
  await api.extractMemories();
  expect((await forked.contents()).sort()).toEqual(['User is allergic to peanuts', 'User lives in Porto']);
  expect(JSON.stringify(await forked.listed())).not.toContain('Lisbon');
});

test('a fork has the memories with messages of its own', async ({ api }) => {
  const talk = await newTalk(api);
  const said = await talk.say('I live in Lisbon.');
  await talk.say('I prefer aisle seats.');
  const fork = made(await talk.runtime.post(`${talk.url}/fork`, { messageId: said }));
  const url = talk.url.replace(talk.session.id, fork.id);
  const { memories } = (await talk.runtime.get(`${url}/memories`)).body;
  const [{ id: copiedId }] = (await talk.runtime.get(`${url}/messages`)).body.messages;
  expect(memories).toMatchObject([{ content: 'User lives in Lisbon', meta: { messageIds: [copiedId] } }]);
  await talk.runtime.delete(`${url}/messages/${copiedId}`);
  expect((await talk.runtime.get(`${url}/memories`)).body.memories).toEqual([]);
  expect(await talk.contents()).toHaveLength(2);
});

test('a workspace that imports thousands of messages does not hold up another', async ({ api }) => {
  const importing = await newTalk(api);
  const { agent } = importing.session;
  const sessions = await Promise.all(Array.from({ length: 10 }, (_, index) => api.newSession(agent, `id=${index}`)));
  for (const session of sessions) {
    for (let batch = 0; batch < 3; batch++) {
      const messages = Array.from({ length: 100 }, (_, index) => ({
        role: 'user',
        content: `I visited city number ${batch * 100 + index} last year.`,
      }));
      made(await session.runtime.post(`${session.url}/messages/batch`, { messages }));
    }
  }
  const waiting = async () => {
    const all = await Promise.all(sessions.map(({ runtime, url }) => runtime.get(`${url}/memories/status`)));
    return all.reduce((sum, { body }) => sum + body.pending, 0);
  };
  const other = await newTalk(api);
  await other.write('I live in Lisbon.');
  expect(await waiting()).toBe(3_000);
  const extracting = api.extractMemories();
  await expect.poll(() => other.contents(), { interval: 10 }).toEqual(['User lives in Lisbon']);
  expect(await waiting()).toBeGreaterThan(0);
  await extracting;
  expect(await waiting()).toBe(0);
});

test('what was noted in a process that is gone is swept up', async ({ api }) => {
  const talk = await newTalk(api);
  await talk.write('I live in Lisbon.');
  await api.app.context.deferredJobs.flush();
  await api.db.run(sql`delete from jobs where workspace_id = ${talk.session.agent.workspace.id}`);
  api.clock.advance(2 * 60_000);
  await api.app.jobRunner.schedulePeriodic();
  await api.drainJobs();
  expect(await talk.contents()).toEqual(['User lives in Lisbon']);
});

test('a session that is written to all the time is not put off for ever, and one at rest not for long', async ({ api }) => {
  const talk = await newTalk(api);
  const drain = async () => {
    await api.app.context.deferredJobs.flush();
    await api.drainJobs();
  };
  const writtenMs = api.clock.nowMs();
  await talk.write('I live in Lisbon.');
  await drain();
  // On a machine that is slow enough the session has been at rest already.
  if (api.clock.nowMs() - writtenMs < 500) expect(await talk.contents()).toEqual([]);
  // A service that is busy rests for 15 s at most.
  for (let written = 0; written < 60 && (await talk.contents()).length === 0; written++) {
    api.clock.advance(400);
    await talk.write('Hm.');
    await drain();
  }
  expect(await talk.contents()).toEqual(['User lives in Lisbon']);
  await talk.write('I prefer aisle seats.');
  for (let waited = 0; waited < 30 && (await talk.contents()).length === 1; waited++) {
    api.clock.advance(600);
    await drain();
  }
  expect(await talk.contents()).toHaveLength(2);
});
