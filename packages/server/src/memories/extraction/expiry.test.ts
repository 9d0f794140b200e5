/** Memories hold until the date that was said, by the built-in extractor and through the API. */
import { expect } from 'vitest';
import { made, type TestApi, test } from '../../../test/api.ts';

const DAY_MS = 24 * 60 * 60 * 1000;

async function newTalk(api: TestApi, configs: Record<string, unknown> = {}) {
  const agent = await api.newAgent(undefined, { configs: { memoryPipeline: true, ...configs } });
  const { runtime, url } = await api.newSession(agent, undefined, { labels: { user: 'ada' } });
  const listed = async (query = '', of = url) => {
    const { status, body, text } = await runtime.get(`${of}/memories?limit=100${query}`);
    expect(status, text).toBe(200);
    return body.memories.filter(({ kind }: { kind: string }) => kind !== 'summary');
  };
  return {
    agent,
    listed,
    contents: async (query = '', of = url): Promise<string[]> =>
      (await listed(query, of)).map(({ content }: { content: string }) => content),
    found: async (query: string, more: Record<string, unknown> = {}) =>
      (await runtime.post(`${url}/memories/search`, { query, ...more })).body.results.map(({ text }: { text: string }) => text),
    say: async (content: string, createdAt: string) => {
      made(await runtime.post(`${url}/messages`, { role: 'user', content, createdAt }));
      await api.extractMemories();
    },
  };
}

/** A day so many days away, and a time on it. */
function daysFromNow({ clock }: TestApi, days: number) {
  const at = new Date(Math.floor(clock.nowMs() / DAY_MS) * DAY_MS + days * DAY_MS).toISOString();
  return { day: at.slice(0, 10), noon: at.replace('T00', 'T12'), midnightAfter: new Date(Date.parse(at) + DAY_MS).toISOString() };
}

test('what was said eight months ago holds until the date that it states', async ({ api }) => {
  const talk = await newTalk(api);
  const [said, over, ahead] = [daysFromNow(api, -240), daysFromNow(api, -30), daysFromNow(api, 60)];
  await talk.say(`My visa is valid until ${ahead.day}.`, said.noon);
  await talk.say(`My gym membership runs out on ${over.day}.`, said.noon);
  await talk.say('I have physio every second Thursday.', said.noon);
  const [visa, gym] = [`User's visa is valid until ${ahead.day}`, `User's gym membership runs out on ${over.day}`];
  const physio = 'User has physio every second Thursday';
  expect((await talk.contents()).sort()).toEqual([visa, physio].sort());
  expect(await talk.listed()).toContainEqual(
    expect.objectContaining({ content: visa, kind: 'short_lived', expiresAt: ahead.midnightAfter }),
  );
  expect(await talk.found('gym membership')).not.toContain(gym);
  expect(await talk.found('visa')).toContain(visa);

  // To the end of that day, and as of any day before.
  expect((await talk.contents(`&asOf=${over.noon}`)).sort()).toEqual([visa, gym, physio].sort());
  expect(await talk.found('gym membership', { asOf: over.noon })).toContain(gym);
  expect((await talk.contents(`&asOf=${daysFromNow(api, -29).noon}`)).sort()).toEqual([visa, physio].sort());
  expect(await talk.contents(`&asOf=${daysFromNow(api, -241).noon}`)).toEqual([]);
  api.clock.advance(61 * DAY_MS);
  expect(await talk.contents()).toEqual([physio]);
});

test('a person’s memories hold until then too, and as long as was said last', async ({ api }) => {
  const talk = await newTalk(api, { memorySubject: 'user' });
  const [said, again, over, ahead] = [daysFromNow(api, -240), daysFromNow(api, -200), daysFromNow(api, -30), daysFromNow(api, 60)];
  await talk.say(`My lease runs until ${over.day}.`, said.noon);
  await talk.say(`My visa is valid until ${ahead.day}.`, said.noon);
  const ofPerson = (query = '') => talk.contents(`&user=ada${query}`, talk.agent.url);
  expect(await ofPerson()).toEqual([`User's visa is valid until ${ahead.day}`]);
  expect(await ofPerson(`&asOf=${over.noon}`)).toContain(`User's lease runs until ${over.day}`);
  await talk.say(`My lease runs until ${ahead.day}.`, again.noon);
  expect(await ofPerson()).toContain(`User's lease runs until ${ahead.day}`);
});
