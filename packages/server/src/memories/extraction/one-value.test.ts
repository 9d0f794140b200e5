/** A newer value in the place of an older one, in one session and in several of a person, by the built-in extractor and through the API. */
import { expect } from 'vitest';
import { type Answer, made, type TestAgent, type TestApi, test } from '../../../test/api.ts';

const PERSON = '42';

let talks = 0;

async function newTalk(api: TestApi, agent: TestAgent) {
  const { runtime, url } = await api.newSession(agent, `id=talk-${++talks}`, { labels: { user: PERSON } });
  return {
    say: async (content: string): Promise<void> => {
      made(await runtime.post(`${url}/messages`, { role: 'user', content }));
      await api.extractMemories();
    },
    contents: async () => contentsAt(agent, `${url}/memories?limit=100`),
  };
}

async function contentsAt({ runtime }: TestAgent, path: string): Promise<string[]> {
  const { status, body, text } = await runtime.get(path);
  expect(status, text).toBe(200);
  return body.memories.filter(({ kind }: Answer['body']) => kind !== 'summary').map(({ content }: Answer['body']) => content);
}

const PAIRS: readonly (readonly [what: string, before: string, now: string, held: RegExp])[] = [
  ['a job', 'I work at Shell.', 'I got a new job at Acme.', /^User got a new job at Acme$/],
  ['a number of pets', 'I have two cats.', 'We got a third cat.', /^User has three cats$/],
  ['a labelled editor', 'I use Helix as my editor.', 'editor: neovim', /^User's editor: neovim$/],
  ['an allergy in two wordings', "I'm allergic to peanuts.", 'I have a peanut allergy.', /^User has a peanut allergy$/],
  ['a moved exam', 'My exam is on 4 May.', 'The exam was moved to 11 May.', /^User's exam is on \d{4}-05-11$/],
];

for (const [what, before, now, held] of PAIRS) {
  test(`${what} has one value in a session`, async ({ api }) => {
    const agent = await api.newAgent(undefined, { configs: { memoryPipeline: true } });
    const talk = await newTalk(api, agent);
    await talk.say(before);
    expect(await talk.contents()).toHaveLength(1);
    await talk.say(now);
    expect(await talk.contents()).toEqual([expect.stringMatching(held)]);
  });

  test(`${what} has one value in two sessions of a person`, async ({ api }) => {
    const agent = await api.newAgent(undefined, { configs: { memoryPipeline: true, memorySubject: 'user' } });
    const ofPerson = () => contentsAt(agent, `${agent.url}/memories?limit=100&user=${PERSON}`);
    const [first, second] = [await newTalk(api, agent), await newTalk(api, agent)];
    await first.say(before);
    expect(await ofPerson()).toHaveLength(1);
    await second.say(now);
    expect(await ofPerson()).toEqual([expect.stringMatching(held)]);
    expect(await first.contents()).toEqual([]);
  });
}

test('what has several values stands side by side, in a session and in two of a person', async ({ api }) => {
  const agent = await api.newAgent(undefined, { configs: { memoryPipeline: true, memorySubject: 'user' } });
  const [first, second] = [await newTalk(api, agent), await newTalk(api, agent)];
  await first.say("I'm allergic to peanuts. I have two cats.");
  await second.say("I'm allergic to latex. I have a dog.");
  const held = await contentsAt(agent, `${agent.url}/memories?limit=100&user=${PERSON}`);
  expect(held.sort()).toEqual(['User has a dog', 'User has two cats', 'User is allergic to latex', 'User is allergic to peanuts']);
});
