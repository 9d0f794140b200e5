/** The memories of one person in several sessions, by the built-in extractor and through the API. */
import { pino } from 'pino';
import { expect } from 'vitest';
import { type Answer, atOnce, made, type TestAgent, type TestApi, type TestSession, test } from '../../../test/api.ts';
import type { Database, Queryable } from '../../db/database.ts';
import { newIdAt } from '../../db/ids.ts';
import { raw, sql } from '../../db/sql.ts';
import { enqueueExtraction, waitingMessages } from '../store/extraction-queue.ts';
import { findSessionPerson } from '../store/people.ts';
import { changeAssertions } from '../store/person-memories.ts';
import { fingerprintDigestOf, topicIdOf } from './assertions.ts';
import type { ExtractorSelector } from './choose-extractor.ts';
import { extractForPerson } from './person-extraction.ts';
import { extractionHandlers } from './pipeline.ts';
import { regenerationHandler } from './regeneration.ts';

const DAY_MS = 24 * 60 * 60 * 1000;

/** An agent that remembers people by the label `user`, and what a test does with it. */
async function newOffice(api: TestApi, configs: Record<string, unknown> = {}) {
  const agent = await api.newAgent(undefined, { configs: { memoryPipeline: true, memorySubject: 'user', ...configs } });
  const memories = async (query: string): Promise<Answer['body'][]> => {
    const { status, body, text } = await agent.runtime.get(`${agent.url}/memories?limit=100&${query}`);
    expect(status, text).toBe(200);
    return body.memories.filter(({ kind }: { kind: string }) => kind !== 'summary');
  };
  return {
    agent,
    memories,
    /** Of a person, newest first. */
    contents: async (user: string, query = '') => (await memories(`user=${user}${query}`)).map(({ content }) => content),
    talk: async (user: string, fields: Record<string, unknown> = {}) => newTalk(api, agent, { labels: { user }, ...fields }),
  };
}

let talks = 0;

async function newTalk(api: TestApi, agent: TestAgent, fields: Record<string, unknown>) {
  const session = await api.newSession(agent, `id=talk-${++talks}`, fields);
  return talkIn(api, session);
}

function talkIn(api: TestApi, session: TestSession) {
  const { runtime, url } = session;
  const write = async (content: string, more: Record<string, unknown> = {}): Promise<string> =>
    made(await runtime.post(`${url}/messages`, { role: 'user', content, ...more })).id;
  const listed = async (query = ''): Promise<Answer['body'][]> => {
    const { status, body, text } = await runtime.get(`${url}/memories?limit=100${query}`);
    expect(status, text).toBe(200);
    return body.memories.filter(({ kind }: { kind: string }) => kind !== 'summary');
  };
  return {
    session,
    url,
    runtime,
    write,
    listed,
    say: async (content: string, more: Record<string, unknown> = {}): Promise<string> => {
      const id = await write(content, more);
      await api.extractMemories();
      return id;
    },
    contents: async (query = '') => (await listed(query)).map(({ content }) => content),
    status: async () => (await runtime.get(`${url}/memories/status`)).body,
    history: async (id: string) => (await runtime.get(`${url}/memories/${id}/history`)).body.history,
    regenerate: async () => {
      expect((await runtime.post(`${url}/memories/regenerate`)).status).toBe(202);
      await api.drainJobs();
    },
    remove: async () => expect((await runtime.delete(url)).status).toBe(204),
    forget: async (messageId: string) => expect((await runtime.delete(`${url}/messages/${messageId}`)).status).toBe(204),
  };
}

/** What the sessions count is what is there. */
async function expectCounts(api: TestApi, { workspace }: TestAgent): Promise<void> {
  const wrong = await api.db.query(sql`
    select s.id from sessions s where s.workspace_id = ${workspace.id} and s.memory_count <> (
      select count(*) from memories m where m.workspace_id = ${workspace.id} and m.session_id = s.id)`);
  expect(wrong).toEqual([]);
}

test('what a person said in May is replaced by what they say in June in another session', async ({ api }) => {
  const office = await newOffice(api);
  const may = await office.talk('42');
  const june = await office.talk('42');
  await may.say('I live in Lisbon.', { createdAt: '2026-05-10T12:00:00Z' });
  const moved = await june.say('I live in Porto now. I like tea.', { createdAt: '2026-06-10T12:00:00Z' });
  expect(await may.contents()).toEqual([]);
  expect((await june.contents()).sort()).toEqual(['User likes tea', 'User lives in Porto']);
  expect((await office.contents('42')).sort()).toEqual(['User likes tea', 'User lives in Porto']);
  expect(await office.contents('42', '&asOf=2026-05-20T00:00:00Z')).toEqual(['User lives in Lisbon']);
  expect(await may.contents('&asOf=2026-05-20T00:00:00Z')).toEqual(['User lives in Lisbon']);
  const [lisbon] = await may.listed('&asOf=2026-05-20T00:00:00Z');
  const porto = (await june.listed()).find(({ content }) => content === 'User lives in Porto');
  expect(lisbon).toMatchObject({ sessionId: may.session.id, supersededAt: '2026-06-10T12:00:00.000Z', supersededBy: porto.id });
  expect(porto).toMatchObject({
    sessionId: june.session.id,
    meta: { messageIds: [moved], history: [{ id: lisbon.id, content: 'User lives in Lisbon', until: '2026-06-10T12:00:00.000Z' }] },
  });
  expect(await june.history(porto.id)).toMatchObject([
    { event: 'created', memoryId: lisbon.id, content: 'User lives in Lisbon' },
    { event: 'superseded', memoryId: lisbon.id, messageId: moved, supersededBy: porto.id },
    { event: 'created', memoryId: porto.id, messageId: moved, content: 'User lives in Porto' },
  ]);
  await expectCounts(api, office.agent);
});

test('what comes in first changes nothing: the newest statement holds', async ({ api }) => {
  const office = await newOffice(api);
  const june = await office.talk('42');
  const may = await office.talk('42');
  const april = await office.talk('42');
  await june.say('I live in Porto.', { createdAt: '2026-06-10T12:00:00Z' });
  await april.say('I live in Lisbon.', { createdAt: '2026-04-10T12:00:00Z' });
  await may.say('I live in Madrid.', { createdAt: '2026-05-10T12:00:00Z' });
  expect(await office.contents('42')).toEqual(['User lives in Porto']);
  expect(await office.contents('42', '&asOf=2026-04-20T00:00:00Z')).toEqual(['User lives in Lisbon']);
  expect(await office.contents('42', '&asOf=2026-05-20T00:00:00Z')).toEqual(['User lives in Madrid']);
  await may.remove();
  expect(await office.contents('42', '&asOf=2026-05-20T00:00:00Z')).toEqual(['User lives in Lisbon']);
  const [lisbon] = await april.listed('&asOf=2026-05-20T00:00:00Z');
  expect(lisbon.supersededAt).toBe('2026-06-10T12:00:00.000Z');
});

test('a session that is deleted takes its memories along, and what they had replaced holds again, for search too', async ({ api }) => {
  const office = await newOffice(api);
  const may = await office.talk('42');
  const june = await office.talk('42');
  const found = async (query: string) => {
    const { body } = await office.agent.runtime.post(`${office.agent.url}/memories/search`, { query, labels: { user: '42' } });
    return body.results.map(({ text, sessionId }: { text: string; sessionId: string }) => [text, sessionId]);
  };
  await may.say('I live in Lisbon.');
  await june.say('I live in Porto.');
  expect(await found('where is home')).toEqual([['User lives in Porto', june.session.id]]);
  await june.remove();
  expect(await found('where is home')).toEqual([['User lives in Lisbon', may.session.id]]);
  expect(await office.contents('42')).toEqual(['User lives in Lisbon']);
  await api.drainJobs();
  expect(await api.countRows('assertions', office.agent.workspace.id)).toBe(1);
  await expectCounts(api, office.agent);
});

test.for(['the first', 'the second'])('of the same said in two sessions one memory is left when %s is deleted', async (which, { api }) => {
  const office = await newOffice(api);
  const [one, other] = [await office.talk('42'), await office.talk('42')];
  const first = await one.say('I am allergic to peanuts.');
  const second = await other.say('I am allergic to peanuts.');
  const [memory, ...more] = await office.memories('user=42');
  expect(more).toEqual([]);
  expect(memory).toMatchObject({ sessionId: one.session.id, meta: { messageIds: [first] } });
  expect(await other.contents()).toEqual([]);
  expect(await one.history(memory.id)).toMatchObject([
    { event: 'created', messageId: first },
    { event: 'repeated', messageId: second },
  ]);
  const isFirst = which === 'the first';
  await (isFirst ? one : other).remove();
  const [left, ...others] = await office.memories('user=42');
  expect(others).toEqual([]);
  expect(left).toMatchObject({
    content: 'User is allergic to peanuts',
    sessionId: (isFirst ? other : one).session.id,
    meta: { messageIds: [isFirst ? second : first] },
  });
  await (isFirst ? other : one).remove();
  expect(await office.memories('user=42')).toEqual([]);
});

test.for(['the first', 'the second'])(
  'of the same said in two messages one memory is left when %s message goes',
  async (which, { api }) => {
    const office = await newOffice(api);
    const [one, other] = [await office.talk('42'), await office.talk('42')];
    const first = await one.say('I am allergic to peanuts.');
    const second = await other.say('I am allergic to peanuts.');
    await (which === 'the first' ? one.forget(first) : other.forget(second));
    const left = await office.memories('user=42');
    expect(left).toMatchObject([{ content: 'User is allergic to peanuts', sessionId: (which === 'the first' ? other : one).session.id }]);
    await (which === 'the first' ? other.forget(second) : one.forget(first));
    expect(await office.memories('user=42')).toEqual([]);
    await expectCounts(api, office.agent);
  },
);

test('a message that is deleted or edited gives back what it had replaced in another session', async ({ api }) => {
  const office = await newOffice(api);
  const [may, june] = [await office.talk('42'), await office.talk('42')];
  await may.say('I live in Lisbon.');
  const moved = await june.say('I live in Porto.');
  expect((await june.runtime.put(`${june.url}/messages/${moved}`, { content: 'I like tea.' })).status).toBe(200);
  // At once, before it is looked at again.
  expect(await office.contents('42')).toEqual(['User lives in Lisbon']);
  await api.extractMemories();
  expect(await office.contents('42')).toEqual(['User likes tea', 'User lives in Lisbon']);
  expect((await june.runtime.put(`${june.url}/messages/${moved}`, { content: 'I live in Madrid.' })).status).toBe(200);
  await api.extractMemories();
  expect(await office.contents('42')).toEqual(['User lives in Madrid']);
  await june.forget(moved);
  expect(await office.contents('42')).toEqual(['User lives in Lisbon']);
});

test('what was taken back in another session holds again without it', async ({ api }) => {
  const office = await newOffice(api);
  const [may, june] = [await office.talk('42'), await office.talk('42')];
  await may.say('I am allergic to peanuts. I like tea.');
  const taken = await june.say('Forget that I am allergic to peanuts.');
  expect(await office.contents('42')).toEqual(['User likes tea']);
  const [peanuts] = (await may.listed(`&asOf=${new Date(0).toISOString()}`)).concat(
    (await api.db.query(sql<{ id: string }>`
      select id from memories where workspace_id = ${office.agent.workspace.id} and content = 'User is allergic to peanuts'`)) as never[],
  );
  expect(await may.history(peanuts.id)).toMatchObject([{ event: 'created' }, { event: 'withdrawn', messageId: taken }]);
  await june.remove();
  expect((await office.contents('42')).sort()).toEqual(['User is allergic to peanuts', 'User likes tea']);
});

test.for(['message', 'session'])(
  'what can’t be understood without a message of another session goes with the %s',
  async (what, { api }) => {
    const office = await newOffice(api);
    const [may, june] = [await office.talk('42'), await office.talk('42')];
    const said = await may.say('I work at Acme.');
    const corrected = await june.say('I do not work there anymore.');
    expect(await office.contents('42')).toEqual(['User no longer works at Acme']);
    expect((await office.memories('user=42'))[0]).toMatchObject({ sessionId: june.session.id, meta: { messageIds: [said, corrected] } });
    await (what === 'message' ? may.forget(said) : may.remove());
    expect(await office.contents('42')).toEqual([]);
    await api.drainJobs();
    expect(await office.contents('42')).toEqual([]);
  },
);

test('a regeneration of one session changes nothing where nothing changed, and leaves what people wrote', async ({ api }) => {
  const office = await newOffice(api);
  const [may, june] = [await office.talk('42'), await office.talk('42')];
  await may.say('I live in Lisbon. I like tea.');
  await june.say('I live in Porto. I like tea. I like coffee.');
  await june.say('I live in Madrid.');
  made(await june.runtime.post(`${june.url}/memories`, { kind: 'fact', content: 'Written by hand' }));
  const before = await office.memories('user=42');
  const [home] = await june.listed();
  for (const talk of [may, june, may]) {
    await talk.regenerate();
    expect(await office.memories('user=42')).toEqual(before);
    expect(await talk.status()).toMatchObject({ regenerating: false, pending: 0, failed: 0, lastError: null });
  }
  expect(await june.listed()).toContainEqual(home);
  await expectCounts(api, office.agent);
});

test('what a person changed or deleted by hand does not come back by itself', async ({ api }) => {
  const office = await newOffice(api);
  const [may, june] = [await office.talk('42'), await office.talk('42')];
  await may.say('I live in Lisbon. I like tea.');
  await june.say('I live in Porto. I like tea.');
  const named = async (content: string) => (await office.memories('user=42')).find((memory) => memory.content === content);
  const porto = await named('User lives in Porto');
  expect((await june.runtime.put(`${june.url}/memories/${porto.id}`, { content: 'Lives in Porto, near the river' })).status).toBe(200);
  const tea = await named('User likes tea');
  expect((await may.runtime.delete(`${may.url}/memories/${tea.id}`)).status).toBe(204);
  expect(await office.contents('42')).toEqual(['Lives in Porto, near the river']);
  await june.regenerate();
  expect(await office.contents('42')).toContain('Lives in Porto, near the river');
  expect(await office.contents('42')).not.toContain('User lives in Porto');
  // Said anew, it is remembered anew.
  await (await office.talk('42')).say('I like tea.');
  expect(await office.contents('42')).toContain('User likes tea');
  await expectCounts(api, office.agent);
});

test('of a memory that was deleted by hand nothing is left to read but the message', async ({ api }) => {
  const office = await newOffice(api);
  const [may, june] = [await office.talk('42'), await office.talk('42')];
  for (const talk of [may, june]) await talk.say('I am allergic to peanuts.');
  const [{ id }] = (await may.listed()) as [{ id: string }];
  expect((await may.runtime.delete(`${may.url}/memories/${id}`)).status).toBe(204);
  for (const table of ['assertions', 'memories', 'memory_events'])
    expect(
      JSON.stringify(await api.db.query(sql`select * from ${raw(table)} where workspace_id = ${office.agent.workspace.id}`)),
      table,
    ).not.toMatch(/peanut|allerg/i);
  expect(await api.countRows('assertions', office.agent.workspace.id)).toBe(2);
});

test('a copy of a session says nothing new, and keeps what it says when its source is deleted', async ({ api }) => {
  const office = await newOffice(api);
  const may = await office.talk('42');
  await may.say('I live in Lisbon. I like tea.');
  const last = await may.say('I live in Porto.');
  made(await may.runtime.post(`${may.url}/memories`, { kind: 'fact', content: 'Written by hand' }));
  const before = await office.contents('42');
  const { id } = made(await may.runtime.post(`${may.url}/fork`));
  const copy = talkIn(api, { ...may.session, id, url: `${office.agent.url}/sessions/${id}` });
  expect(await copy.contents()).toEqual(['Written by hand']);
  expect((await office.contents('42')).sort()).toEqual([...before, 'Written by hand'].sort());
  await may.forget(last);
  expect(await copy.contents()).toContain('User lives in Porto');
  await may.remove();
  expect((await copy.contents()).sort()).toEqual(['User likes tea', 'User lives in Porto', 'Written by hand']);
  await copy.say('I live in Madrid.');
  expect((await copy.contents()).sort()).toEqual(['User likes tea', 'User lives in Madrid', 'Written by hand']);
  await expectCounts(api, office.agent);
});

test('other people, sessions without the label, other agents and other workspaces have nothing to do with it', async ({ api }) => {
  const office = await newOffice(api);
  const [ada, ben, nobody, blank] = [
    await office.talk('ada'),
    await office.talk('ben'),
    await newTalk(api, office.agent, {}),
    await office.talk(''),
  ];
  const [anotherBlank] = [await office.talk('')];
  const otherAgent = await api.newAgent(office.agent.workspace, { configs: { memoryPipeline: true, memorySubject: 'user' } });
  const elsewhere = await newTalk(api, otherAgent, { labels: { user: 'ada' } });
  const stranger = await (await newOffice(api)).talk('ada');
  const all = [ada, ben, nobody, blank, anotherBlank, elsewhere, stranger];
  for (const talk of all) await talk.write('I live in Lisbon. I like tea.');
  await api.extractMemories();
  await ada.say('I live in Porto.');
  expect((await ada.contents()).sort()).toEqual(['User likes tea', 'User lives in Porto']);
  for (const talk of all.slice(1)) expect((await talk.contents()).sort()).toEqual(['User likes tea', 'User lives in Lisbon']);
  await ada.remove();
  for (const talk of all.slice(1)) expect((await talk.contents()).sort()).toEqual(['User likes tea', 'User lives in Lisbon']);
});

test('a label or a memorySubject that changes counts when a session is next looked at', async ({ api }) => {
  const office = await newOffice(api, { memorySubject: null });
  const [may, june] = [await office.talk('42'), await office.talk('42')];
  await may.say('I live in Lisbon. I like tea.');
  await june.say('I live in Porto.');
  expect((await office.contents('42')).sort()).toEqual(['User likes tea', 'User lives in Lisbon', 'User lives in Porto']);
  const configure = async (configs: unknown) => expect((await office.agent.runtime.put(office.agent.url, { configs })).status).toBe(200);
  await configure({ memorySubject: 'user' });
  expect((await office.contents('42')).sort()).toEqual(['User likes tea', 'User lives in Lisbon', 'User lives in Porto']);
  // A new message has the session regenerated as one of the person; so does a request.
  const tea = (await may.listed()).find(({ content }) => content === 'User likes tea');
  await may.say('I like coffee.');
  await june.regenerate();
  expect((await office.contents('42')).sort()).toEqual(['User likes coffee', 'User likes tea', 'User lives in Porto']);
  expect((await may.listed()).find(({ content }) => content === 'User likes tea')).toEqual(tea);
  // Another person’s from now on.
  expect((await june.runtime.put(june.url, { labels: { user: '43' } })).status).toBe(200);
  await june.say('I like cocoa.');
  expect((await office.contents('43')).sort()).toEqual(['User likes cocoa', 'User lives in Porto']);
  expect((await office.contents('42')).sort()).toEqual(['User likes coffee', 'User likes tea', 'User lives in Lisbon']);
  // And nobody’s again.
  await configure({ memorySubject: '' });
  await may.say('I like milk.');
  await june.say('I live in Madrid.');
  expect((await may.contents()).sort()).toEqual(['User likes coffee', 'User likes milk', 'User likes tea', 'User lives in Lisbon']);
  expect((await june.contents()).sort()).toEqual(['User likes cocoa', 'User lives in Madrid']);
  expect(await api.countRows('assertions', office.agent.workspace.id)).toBe(0);
  await expectCounts(api, office.agent);
});

test('short-lived memories expire for the person, and live longer when they are said again elsewhere', async ({ api }) => {
  const office = await newOffice(api);
  const [one, other] = [await office.talk('42'), await office.talk('42')];
  await one.say('I have a dentist appointment tomorrow.');
  const [first] = await office.memories('user=42');
  expect(first).toMatchObject({ kind: 'short_lived', expiresAt: expect.any(String) });
  api.clock.advance(8 * DAY_MS);
  expect(await office.memories('user=42')).toEqual([]);
  await other.say('I am painting the fence this week.');
  expect(await office.memories('user=42')).toHaveLength(1);
});

test('two sessions of one person, looked at by two nodes at once, end in one memory of each', async ({ api }) => {
  const office = await newOffice(api);
  const people = await Promise.all(Array.from({ length: 6 }, () => office.talk('42')));
  const cities = ['Lisbon', 'Porto', 'Madrid', 'Vigo', 'Braga', 'Faro'];
  for (const [index, talk] of people.entries()) await talk.write(`I live in ${cities[index]}. I like tea.`);
  // What a node reads of a session it reads before the others have written theirs.
  let waiting = 0;
  const gate = Promise.withResolvers<void>();
  const choice = {
    extract: async (_workspaceId: string, messages: { id: string; content: string }[]) => {
      if (++waiting === people.length) gate.resolve();
      await gate.promise;
      const memories = messages.flatMap(({ id, content }) => [
        { ref: `${id}:0`, messageId: id, kind: 'long_lived', content: `User lives in ${/live in (\w+)/.exec(content)?.[1]}`, slot: 'home' },
        { ref: `${id}:1`, messageId: id, kind: 'preference', content: 'User likes tea' },
      ]);
      return { extraction: { memories, withdrawn: [], secrets: 0 }, extractor: 'test' };
    },
    summarize: async () => undefined,
  } as unknown as ExtractorSelector;
  await api.app.outbox.distribute();
  api.clock.advance(60_000);
  const { workspaceId, agentId } = { workspaceId: office.agent.workspace.id, agentId: office.agent.id };
  const nodes = people.map(({ session }) => {
    const seen = onlySession(api.db, session.id);
    const options = {
      db: seen,
      clock: api.clock,
      log: pino({ level: 'silent' }),
      choice,
      outbox: api.app.outbox,
      shortLivedMs: DAY_MS,
    };
    return extractionHandlers(options)['extract-memories'].run({ workspaceId, agentId } as never, new AbortController().signal);
  });
  await Promise.all(nodes);
  expect((await office.contents('42')).sort()).toEqual(['User likes tea', 'User lives in Faro']);
  await expectCounts(api, office.agent);
});

/** A database in which one session waits, and no other. */
function onlySession(db: Database, sessionId: string): Database {
  return new Proxy(db, {
    get: (target, name) => {
      const value = Reflect.get(target, name) as unknown;
      if (name !== 'query') return typeof value === 'function' ? value.bind(target) : value;
      return async (statement: Parameters<Queryable['query']>[0]) => {
        const found = await target.query(statement);
        return found.filter(
          (row) => !(row as { sessionId?: string; attempts?: number }).sessionId || (row as { sessionId?: string }).sessionId === sessionId,
        );
      };
    },
  });
}

test('what is looked at while its session is regenerated is neither lost nor doubled', async ({ api }) => {
  const office = await newOffice(api);
  const talk = await office.talk('42');
  await talk.say('I live in Lisbon.');
  const place = { workspaceId: office.agent.workspace.id, agentId: office.agent.id, sessionId: talk.session.id };
  const { personId } = (await findSessionPerson(api.db, place)) as { personId: string };
  const signal = new AbortController().signal;
  const saying = (content: string, meanwhile: () => Promise<void>) =>
    ({
      db: api.db,
      clock: api.clock,
      log: pino({ level: 'silent' }),
      outbox: api.app.outbox,
      shortLivedMs: DAY_MS,
      choice: {
        extract: async (_workspaceId: string, messages: { id: string; content: string }[]) => {
          await meanwhile();
          const memories = messages.map(({ id }) => ({ ref: id, messageId: id, kind: 'fact', content }));
          return { extraction: { memories, withdrawn: [], secrets: 0 }, extractor: 'test' };
        },
      } as unknown as ExtractorSelector,
    }) as const;
  let isFirst = true;
  const meanwhile = async () => {
    if (!isFirst) return;
    isFirst = false;
    // From the past, so that the regeneration does not come to it by itself.
    await talk.write('I like tea.', { createdAt: '2020-01-01T12:00:00Z' });
    await api.app.outbox.distribute();
    const queued = await waitingMessages(api.db, place, 10);
    await extractForPerson(
      saying('User likes tea', async () => {}),
      place,
      { personId, keptPersonId: personId },
      queued,
      signal,
    );
  };
  await talk.runtime.post(`${talk.url}/memories/regenerate`);
  const regeneration = regenerationHandler(saying('User lives in Lisbon', meanwhile));
  await regeneration.run({ workspaceId: place.workspaceId, payload: place, attempts: 0 } as never, signal);
  expect((await talk.contents()).sort()).toEqual(['User likes tea', 'User lives in Lisbon']);
  // Those that a regeneration read may still be in the queue.
  const messages = (await talk.runtime.get(`${talk.url}/messages`)).body.messages;
  await api.db.run(
    enqueueExtraction(
      place,
      messages.map(({ id }: { id: string }) => id),
      api.clock.nowMs(),
    ),
  );
  await api.extractMemories();
  expect((await talk.contents()).sort()).toEqual(['User likes tea', 'User lives in Lisbon']);
  expect(await api.countRows('assertions', place.workspaceId)).toBe(2);
});

test('in whatever order sessions are looked at, a person’s memories are those of one long session', async ({ api }) => {
  let seed = 20_261_115;
  const random = (below: number) => {
    seed = (seed * 48_271) % 2_147_483_647;
    return seed % below;
  };
  const cities = ['Lisbon', 'Porto', 'Madrid', 'Vigo'];
  const drinks = ['tea', 'coffee', 'milk'];
  const statement = () =>
    [
      `I live in ${cities[random(4)]}.`,
      `I like ${drinks[random(3)]}.`,
      `I do not like ${drinks[random(3)]}.`,
      `I am allergic to ${drinks[random(3)]}.`,
    ][random(4)] as string;
  const start = Date.parse('2026-03-01T12:00:00Z');
  for (let round = 0; round < 4; round++) {
    const office = await newOffice(api);
    const plain = await api.newAgent(undefined, { configs: { memoryPipeline: true } });
    const users = ['ada', 'ben'];
    const said = Array.from({ length: 18 }, (_, day) => ({
      user: users[random(2)] as string,
      session: random(3),
      content: statement(),
      createdAt: new Date(start + day * DAY_MS).toISOString(),
    }));
    const sessions = new Map<string, Awaited<ReturnType<typeof office.talk>>>();
    for (const user of users) for (let index = 0; index < 3; index++) sessions.set(`${user} ${index}`, await office.talk(user));
    const written: { user: string; session: string; id: string; content: string; createdAt: string }[] = [];
    for (const one of said.map((each) => [random(1_000), each] as const).sort(([a], [b]) => a - b)) {
      const { user, session, content, createdAt } = one[1];
      const talk = sessions.get(`${user} ${session}`);
      const id = (await talk?.write(content, { createdAt })) as string;
      written.push({ user, session: `${user} ${session}`, id, content, createdAt });
      if (random(3) === 0) await api.extractMemories();
    }
    await api.extractMemories();
    // Some of it is taken away again: a session, and a message of another.
    const gone = written[random(written.length)]?.session as string;
    await sessions.get(gone)?.remove();
    const others = written.filter(({ session }) => session !== gone);
    const deleted = others[random(others.length)] as (typeof written)[number];
    await sessions.get(deleted.session)?.forget(deleted.id);
    await api.extractMemories();
    for (const user of users) {
      const alone = await newTalk(api, plain, {});
      const left = others
        .filter((one) => one.user === user && one.id !== deleted.id)
        .toSorted((a, b) => (a.createdAt < b.createdAt ? -1 : 1));
      for (const { content, createdAt } of left) await alone.write(content, { createdAt });
      await api.extractMemories();
      for (const asOf of ['', ...said.map(({ createdAt }) => `&asOf=${createdAt}`)])
        expect((await office.contents(user, asOf)).sort(), `${user} ${asOf}`).toEqual((await alone.contents(asOf)).sort());
    }
    await expectCounts(api, office.agent);
  }
});

test('a message costs no more of the database where the person has many sessions', async ({ api }) => {
  const office = await newOffice(api);
  const talk = await office.talk('42');
  await talk.say('I live in Lisbon. I like tea.');
  const cost = async (content: string) => {
    await talk.write(content);
    await api.app.outbox.distribute();
    api.clock.advance(60_000);
    let read = 0;
    const count = <T>(found: T): T => {
      read += Array.isArray(found) ? found.length : 1;
      return found;
    };
    const counting = <Target extends Queryable>(target: Target): Target =>
      new Proxy(target, {
        get: (of, name) => {
          const value = Reflect.get(of, name) as unknown;
          if (typeof value !== 'function') return value;
          if (name === 'transaction') return (work: (tx: Queryable) => unknown) => value.call(of, (tx: Queryable) => work(counting(tx)));
          return async (...given: unknown[]) => count(await value.apply(of, given));
        },
      });
    const choice = {
      extract: async (_workspaceId: string, messages: { id: string; content: string }[]) => ({
        extraction: {
          memories: messages.map(({ id, content }) => ({ ref: id, messageId: id, kind: 'fact', content, slot: 'home' })),
          withdrawn: [],
          secrets: 0,
        },
        extractor: 'test',
      }),
    } as unknown as ExtractorSelector;
    const options = {
      db: counting(api.db),
      clock: api.clock,
      log: pino({ level: 'silent' }),
      choice,
      outbox: api.app.outbox,
      shortLivedMs: DAY_MS,
    };
    const job = { workspaceId: office.agent.workspace.id } as never;
    await extractionHandlers(options)['extract-memories'].run(job, new AbortController().signal);
    return read;
  };
  const few = await cost('User lives in Porto');
  const { runtime, url } = office.agent;
  const { statuses } = await atOnce(100, (index) => runtime.post(`${url}/sessions`, { id: `many-${index}`, labels: { user: '42' } }));
  expect(statuses).toEqual({ 201: 100 });
  const { body } = await runtime.get(`${url}/sessions?limit=100&user=42`);
  for (const [index, { id }] of body.sessions.entries())
    await runtime.post(`${url}/sessions/${id}/messages`, { role: 'user', content: `I am allergic to food number ${index}.` });
  await api.extractMemories();
  expect(await api.countRows('assertions', office.agent.workspace.id)).toBeGreaterThan(80);
  // What is known is read with a message, a hundred memories at the most; nothing grows with the sessions.
  expect(await cost('User lives in Madrid')).toBeLessThan(few + 100 + 20);
});

test('memories of an agent are listed by labels of their sessions, newest first, page by page', async ({ api }) => {
  const office = await newOffice(api);
  const { runtime, url } = office.agent;
  const one = await newTalk(api, office.agent, { labels: { user: '42', channel: 'mail' } });
  const other = await newTalk(api, office.agent, { labels: { user: '42', channel: 'web' } });
  const ben = await newTalk(api, office.agent, { labels: { user: 'ben' } });
  for (const [index, talk] of [one, other, ben, one, other].entries())
    made(await talk.runtime.post(`${talk.url}/memories`, { kind: index % 2 ? 'fact' : 'preference', content: `Memory ${index}` }));
  const contents = async (query: string) => {
    const { status, body, text } = await runtime.get(`${url}/memories?${query}`);
    expect(status, text).toBe(200);
    return { contents: body.memories.map(({ content }: { content: string }) => content), meta: body._meta };
  };
  expect(await contents('')).toEqual({
    contents: ['Memory 4', 'Memory 3', 'Memory 2', 'Memory 1', 'Memory 0'],
    meta: { limit: 50, offset: 0, total: 5 },
  });
  expect((await contents('user=42')).contents).toEqual(['Memory 4', 'Memory 3', 'Memory 1', 'Memory 0']);
  expect((await contents('user=42&channel=web')).contents).toEqual(['Memory 4', 'Memory 1']);
  expect((await contents('user=42&user=ben&kind=fact')).contents).toEqual(['Memory 3', 'Memory 1']);
  expect((await contents(`id=${(await runtime.get(one.url)).body.externalId}`)).contents).toEqual(['Memory 3', 'Memory 0']);
  expect((await contents('user=nobody')).meta).toEqual({ limit: 50, offset: 0, total: 0 });
  expect((await contents('user=42&asOf=2020-01-01T00:00:00Z')).contents).toEqual([]);
  for (const query of ['', 'user=42&']) {
    const all = (await contents(query)).contents;
    const walked: string[] = [];
    for (let cursor: string | undefined = ''; cursor !== undefined; ) {
      const page = await contents(`${query}limit=2${cursor && `&cursor=${cursor}`}`);
      walked.push(...page.contents);
      cursor = page.meta.cursor;
    }
    expect(walked).toEqual(all);
    expect((await contents(`${query}limit=2&offset=1`)).contents).toEqual(all.slice(1, 3));
  }
  for (const [query, message, path] of [
    ['kind=opinion', 'Kind must be one of: summary fact preference short_lived long_lived', 'kind'],
    ['limit=1000', 'Limit must be a whole number from 1 to 100', 'limit'],
    [`${'x'.repeat(65)}=1`, 'Label key must not exceed 64 characters', 'labels'],
    ['cursor=x', 'Cursor must be one that a page of this list gave', 'cursor'],
  ] as const)
    expect(await runtime.get(`${url}/memories?${query}`)).toMatchObject({
      status: 400,
      body: { errorMessage: message, details: [{ path, message }] },
    });
  expect((await runtime.get(`${url.slice(0, -4)}0000/memories`)).status).toBe(404);
});

test('a person’s memories are searched by an index of their own, and what was written is found at once', async ({ api }) => {
  const office = await newOffice(api);
  const { runtime, url } = office.agent;
  const [one, other, ben] = [await office.talk('42'), await office.talk('42'), await office.talk('ben')];
  const found = async (query: string, more: Record<string, unknown> = {}) => {
    const { status, body, text } = await runtime.post(`${url}/memories/search`, { query, ...more });
    expect(status, text).toBe(200);
    return body.results.map(({ text: said, sessionId }: { text: string; sessionId: string }) => [said, sessionId]);
  };
  const write = async (talk: typeof one, content: string) =>
    made(await talk.runtime.post(`${talk.url}/memories`, { kind: 'fact', content })).id as string;
  await write(one, 'Plays the oboe');
  await write(ben, 'Plays the oboe too');
  const labels = { user: '42' };
  expect(await found('oboe', { labels })).toEqual([['Plays the oboe', one.session.id]]);
  const second = await write(other, 'Owns two oboes');
  expect((await found('oboe', { labels })).map(([said]: [string]) => said).sort()).toEqual(['Owns two oboes', 'Plays the oboe']);
  expect(await found('oboe', { labels: {} })).toHaveLength(3);
  expect((await runtime.delete(`${other.url}/memories/${second}`)).status).toBe(204);
  expect(await found('oboe', { labels })).toEqual([['Plays the oboe', one.session.id]]);
  // A session that changes its labels is another person’s at once.
  expect((await runtime.put(ben.url, { labels })).status).toBe(200);
  expect(await found('oboe', { labels })).toHaveLength(2);
  expect((await runtime.put(one.url, { labels: { user: 'ben' } })).status).toBe(200);
  expect(await found('oboe', { labels })).toEqual([['Plays the oboe too', ben.session.id]]);
  await ben.remove();
  expect(await found('oboe', { labels })).toEqual([]);
});

test('of a session that said very much, what is more than a request may take is given back in the background', async ({ api }) => {
  const office = await newOffice(api);
  const [one, other] = [await office.talk('42'), await office.talk('42')];
  const place = { workspaceId: office.agent.workspace.id, agentId: office.agent.id };
  await one.say('I live in Lisbon.');
  await other.say('I live in Porto.');
  const { personId } = (await findSessionPerson(api.db, { ...place, sessionId: one.session.id })) as { personId: string };
  const [messageOfOne, messageOfOther] = await Promise.all(
    [one, other].map(async ({ url, runtime }) => (await runtime.get(`${url}/messages`)).body.messages[0]),
  );
  const many = (message: { id: string; sessionId: string; createdAt: string }) =>
    Array.from({ length: 700 }, (_, index) => ({
      id: newIdAt(Date.parse(message.createdAt)),
      sessionId: message.sessionId,
      personId,
      topicId: topicIdOf(null, fingerprintDigestOf(`number ${index}`)),
      messageId: message.id,
      ordinal: index + 1,
      saidAt: message.createdAt,
      fingerprintDigest: fingerprintDigestOf(`number ${index}`),
      kind: 'fact' as const,
      content: `User said number ${index}`,
      slot: null,
      extractor: 'test',
      successorId: null,
      successorTopicId: null,
      sources: [{ sessionId: message.sessionId, messageId: message.id }],
      expiresAt: null,
      forgotten: false,
      overridden: false,
    }));
  for (const message of [messageOfOne, messageOfOther]) {
    const all = many(message);
    for (let start = 0; start < all.length; start += 100) {
      const added = all.slice(start, start + 100);
      await api.db.transaction((tx) => changeAssertions(tx, place.workspaceId, { added }, api.clock.nowMs()));
    }
  }
  const total = async (talk: typeof one) => (await talk.runtime.get(`${talk.url}/memories?limit=1`)).body._meta.total;
  expect([await total(one), await total(other)]).toEqual([700, 1]);
  await one.remove();
  await api.drainJobs();
  expect(await total(other)).toBe(701);
  expect(await api.countRows('assertions', place.workspaceId)).toBe(701);
  await expectCounts(api, office.agent);
});

test('nothing of a person is left behind when their sessions, the agent or the workspace are deleted', async ({ api }) => {
  const office = await newOffice(api);
  const { workspace } = office.agent;
  for (const user of ['ada', 'ada', 'ben']) await (await office.talk(user)).say('I live in Lisbon.');
  expect(await api.countRows('assertions', workspace.id)).toBe(3);
  expect((await office.agent.runtime.delete(office.agent.url)).status).toBe(204);
  await api.drainJobs();
  expect(await api.countRows('assertions', workspace.id)).toBe(0);
  expect(await api.countRows('memory_sources', workspace.id)).toBe(0);
});
