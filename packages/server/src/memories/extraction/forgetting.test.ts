/** What people ask to be forgotten, through the API and by the built-in extractor. */
import { expect } from 'vitest';
import { type Answer, made, type TestApi, type TestSession, test } from '../../../test/api.ts';

let sessions = 0;

/** A session whose agent extracts, and what a test does with it. */
function talkIn(api: TestApi, { runtime, url, id }: TestSession) {
  const write = async (content: string, more: Record<string, unknown> = {}): Promise<string> =>
    made(await runtime.post(`${url}/messages`, { role: 'user', content, ...more })).id;
  const listed = async (query = ''): Promise<Answer['body'][]> => {
    const { status, body, text } = await runtime.get(`${url}/memories?limit=100${query}`);
    expect(status, text).toBe(200);
    return body.memories;
  };
  return {
    id,
    runtime,
    url,
    write,
    listed,
    say: async (content: string): Promise<string> => {
      const messageId = await write(content);
      await api.extractMemories();
      return messageId;
    },
    /** But for the summary. */
    contents: async () =>
      (await listed())
        .filter(({ kind }) => kind !== 'summary')
        .map(({ content }) => content)
        .sort(),
    summary: async () => (await listed('&kind=summary'))[0]?.content as string | undefined,
    history: async (memoryId: string) => (await runtime.get(`${url}/memories/${memoryId}/history`)).body.history,
    remove: async (messageId: string) => {
      expect((await runtime.delete(`${url}/messages/${messageId}`)).status).toBe(204);
      await api.drainJobs();
    },
  };
}

/** Memories are the session's own, or those of the person with the label. */
async function newTalk(api: TestApi, configs: Record<string, unknown> = {}) {
  const agent = await api.newAgent(undefined, { configs: { memoryPipeline: true, ...configs } });
  const open = async (user: string) => talkIn(api, await api.newSession(agent, `id=forgetting-${++sessions}`, { labels: { user } }));
  return { agent, open, talk: await open('42') };
}

/** All of them, page by page, but for summaries. */
async function allAt({ runtime, url }: Pick<TestSession, 'runtime' | 'url'>, query = ''): Promise<string[]> {
  const found: string[] = [];
  for (let cursor = ''; ; ) {
    const { status, body, text } = await runtime.get(`${url}/memories?limit=100${query}${cursor}`);
    expect(status, text).toBe(200);
    for (const { kind, content } of body.memories) if (kind !== 'summary') found.push(content);
    if (!body._meta.cursor) return found;
    cursor = `&cursor=${body._meta.cursor}`;
  }
}

const OWNERS = [
  ['a session', {}],
  ['a person', { memorySubject: 'user' }],
] as const;

test.for(OWNERS)('what was said last goes, and the history of %s says why', async ([, configs], { api }) => {
  const { talk } = await newTalk(api, configs);
  await talk.say('I like tea.');
  const said = await talk.say('I live in Bonn. I work as a nurse.');
  await talk.write('Thank you, I will remember it.', { role: 'assistant' });
  const [bonn] = (await talk.listed()).filter(({ content }) => content === 'User lives in Bonn');
  const asked = await talk.say('Please forget that.');
  expect(await talk.contents()).toEqual(['User likes tea']);
  expect(await talk.history(bonn.id)).toMatchObject([
    { event: 'created', messageId: said, content: 'User lives in Bonn' },
    { event: 'withdrawn', messageId: asked, reason: 'forgotten' },
  ]);
  await talk.remove(asked);
  expect(await talk.contents()).toEqual(['User likes tea', 'User lives in Bonn', expect.stringContaining('nurse')]);
});

test.for(OWNERS)('what is named goes for %s, all of it, and what is said beside it stays', async ([, configs], { api }) => {
  const { talk } = await newTalk(api, configs);
  await talk.say('My dog is called Rufus. Rufus is allergic to chicken. I live in Rome.');
  await talk.say("Don't keep anything about Rufus in your memory.");
  expect(await talk.contents()).toEqual(['User lives in Rome']);
  const asked = await talk.say('forget my old address, I live in Bonn now');
  expect(await talk.contents()).toEqual(['User lives in Bonn']);
  const [bonn] = await talk.listed();
  expect(JSON.stringify(bonn)).not.toContain('Rome');
  await talk.say('please forget my salary');
  await talk.say("don't forget my address");
  expect(await talk.contents()).toEqual(['User lives in Bonn']);
  await talk.remove(asked);
  expect(await talk.contents()).toEqual(['User lives in Rome']);
});

test.for(OWNERS)('everything goes for %s, but for what was written and what follows', async ([, configs], { api }) => {
  const { talk } = await newTalk(api, configs);
  await talk.say('I live in Bonn. I am allergic to nuts.');
  made(await talk.runtime.post(`${talk.url}/memories`, { kind: 'fact', content: 'User has a piano' }));
  const asked = await talk.say('I live in Porto. Delete everything you know about me. I work as a nurse.');
  expect(await talk.contents()).toEqual(['User has a piano', expect.stringContaining('nurse')]);
  await talk.remove(asked);
  expect(await talk.contents()).toEqual(['User has a piano', 'User is allergic to nuts', 'User lives in Bonn']);
});

test.for(OWNERS)('fact and request come together, for %s in one message or in one turn', async ([, configs], { api }) => {
  const { talk } = await newTalk(api, configs);
  await talk.say('I live in Bonn. Please forget that.');
  expect(await talk.contents()).toEqual([]);
  await talk.write('I like tea.');
  await talk.write('I work as a nurse.');
  await talk.write('forget I mentioned that');
  await talk.write('I play the oboe.');
  await api.extractMemories();
  expect(await talk.contents()).toEqual(['User likes tea', 'User plays the oboe']);
  await talk.write('wipe your memory of me');
  await talk.write('I drive a van.');
  await api.extractMemories();
  expect(await talk.contents()).toEqual(['User drives a van']);
});

/** Thirteen messages with ten statements each. */
const manyFacts = ['Bar', 'Cor', 'Dor', 'Fen', 'Gal', 'Hal', 'Jor', 'Kel', 'Lam', 'Mar', 'Nor', 'Pel', 'Quin'].map((first) =>
  ['ona', 'ita', 'esca', 'ulo', 'ando', 'iva', 'etto', 'oria', 'unda', 'eska']
    .map((last) => `My cousin ${first}${last} is a nurse.`)
    .join(' '),
);

test('everything of a person goes in all their sessions, however much it is, and nothing of others', async ({ api }) => {
  const { agent, open, talk } = await newTalk(api, { memorySubject: 'user' });
  const other = await open('43');
  await other.say('I live in Porto.');
  for (const facts of manyFacts) await talk.write(facts);
  await api.extractMemories();
  const later = await open('42');
  await later.say('I live in Bonn.');
  const counted = async (user: string) => (await allAt(agent, `&user=${user}`)).length;
  expect(await counted('42')).toBeGreaterThan(100);
  const asked = await later.say('Please delete everything you know about me.');
  expect(await counted('42')).toBe(0);
  expect(await counted('43')).toBe(1);
  await later.remove(asked);
  expect(await counted('42')).toBeGreaterThan(100);
});

test.for(OWNERS)('what is named is found beyond the newest hundred of %s', async ([, configs], { api }) => {
  const { talk } = await newTalk(api, configs);
  await talk.say('My dog is called Rufus.');
  for (const facts of manyFacts) await talk.write(facts);
  await api.extractMemories();
  await talk.say("don't keep anything about Rufus");
  const left = await allAt(talk);
  expect(left.length).toBeGreaterThan(100);
  expect(left.join()).not.toContain('Rufus');
});

test.for(OWNERS)('the summary of %s leaves out what was forgotten, of which there are memories or not', async ([, configs], { api }) => {
  const { talk } = await newTalk(api, configs);
  await talk.write('I want to plant a vegetable garden behind the house this spring.');
  await talk.write('Tomatoes and beans grow well in a sunny vegetable garden.', { role: 'assistant' });
  await talk.write('The soil behind the house is heavy clay, and so is the vegetable garden.');
  await talk.write('Heavy clay soil needs compost before you plant tomatoes and beans.', { role: 'assistant' });
  await talk.write('Rufus and his noisy chickens dig in the vegetable garden soil behind the house.');
  await talk.write('Chickens like those of Rufus dig in every vegetable garden.', { role: 'assistant' });
  await api.extractMemories();
  await api.drainJobs();
  expect(await talk.summary()).toContain('Rufus');
  await talk.say('Please forget what I said about Rufus.');
  await api.drainJobs();
  expect(await talk.summary()).toContain('vegetable garden');
  expect(await talk.summary()).not.toMatch(/Rufus|forget/);
  await talk.say('Actually, forget everything I told you.');
  await api.drainJobs();
  expect(await talk.summary()).toBeUndefined();
});
