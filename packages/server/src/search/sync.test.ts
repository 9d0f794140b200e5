/** The index and the database in step: what was acknowledged is found, what is gone is not, whoever else writes. */
import { expect } from 'vitest';
import { type Answer, made, type TestSession, test } from '../../test/api.ts';

type Place = 'messages' | 'memories';

async function search({ runtime, url }: Pick<TestSession, 'runtime' | 'url'>, place: Place, query: string, more: object = {}) {
  const { status, body, text } = await runtime.post(`${url}/${place}/search`, { query, explain: true, ...more });
  expect(status, text).toBe(200);
  return body.results as Answer['body'][];
}

/** Those that have the words of the query themselves. */
async function byWords(session: Pick<TestSession, 'runtime' | 'url'>, place: Place, query: string, more: object = {}): Promise<string[]> {
  const hits = await search(session, place, query, { limit: 100, ...more });
  return hits.filter(({ explain }) => explain.lexical > 0).map(({ id }) => id);
}

const itemOf = (place: Place, content: string) => (place === 'messages' ? { role: 'user', content } : { kind: 'fact', content });

const small = [
  'The train to Vienna leaves at noon.',
  'We painted the kitchen yellow.',
  'The museum is closed on Mondays.',
  'Her violin needs new strings.',
  'The meeting was moved to Thursday.',
];

test.for(['messages', 'memories'] as const)(
  'of %s, what was written, edited or deleted shows by its meaning in the next search',
  async (place, { api }) => {
    const session = await api.newSession();
    const write = async (content: string) => made(await session.runtime.post(`${session.url}/${place}`, itemOf(place, content))).id;
    /** No word of these questions stands in the text that answers them. */
    const best = async (query: string) => {
      const [hit] = await search(session, place, query);
      expect(hit.explain.lexical).toBe(0);
      return hit.id;
    };
    for (const content of small) await write(content);
    const peanuts = await write('My sister is allergic to peanuts.');
    expect(await best('foods making siblings ill')).toBe(peanuts);
    const dog = await write('Our puppy chewed up a shoe.');
    expect(await best('naughty young dogs')).toBe(dog);
    expect(await best('foods making siblings ill')).toBe(peanuts);

    expect((await session.runtime.put(`${session.url}/${place}/${dog}`, itemOf(place, 'He drives a lorry across Europe.'))).status).toBe(
      200,
    );
    expect(await best('truckers, occupation')).toBe(dog);
    expect(await byWords(session, place, 'puppy')).toEqual([]);
    expect(await byWords(session, place, 'lorry')).toEqual([dog]);

    expect((await session.runtime.delete(`${session.url}/${place}/${peanuts}`)).status).toBe(204);
    const left = await search(session, place, 'foods making siblings ill', { limit: 100 });
    expect(left.map(({ id }) => id)).not.toContain(peanuts);
    expect((await session.runtime.delete(`${session.url}/${place}/batch`, { ids: [dog] })).status).toBe(204);
    expect(await byWords(session, place, 'lorry')).toEqual([]);
  },
);

test('of a large import the newest are found by their meaning at once, and all of it when the background has been there', async ({
  api,
}) => {
  const session = await api.newSession();
  const { agent, runtime } = session;
  const filler = Array.from({ length: 98 }, (_, index) => itemOf('messages', `Entry number ${index} of the ledger.`));
  const messages = [itemOf('messages', 'My sister is allergic to peanuts.'), ...filler, itemOf('messages', 'Our puppy chewed up a shoe.')];
  const { messages: stored } = made(await runtime.post(`${session.url}/messages/batch`, { messages }));
  const first = stored[0].id;
  const last = stored.at(-1).id;
  for (const place of [session, { runtime, url: agent.url }]) {
    expect((await search(place, 'messages', 'naughty young dogs'))[0].id).toBe(last);
    // Too many came before: by words alone.
    expect(await byWords(place, 'messages', 'allergic to peanuts')).toEqual([first]);
  }
  await api.app.indexing.drain();
  for (const place of [session, { runtime, url: agent.url }])
    expect((await search(place, 'messages', 'foods making siblings ill'))[0].id).toBe(first);
});

test('the labels of sessions hold while their messages wait for vectors', async ({ api }) => {
  const session = await api.newSession(undefined, 'team=red');
  const { agent, runtime } = session;
  const messages = Array.from({ length: 100 }, (_, index) => itemOf('messages', `Kettle number ${index}.`));
  made(await runtime.post(`${session.url}/messages/batch`, { messages }));
  for (let time = 0; time < 3; time++) {
    expect(await byWords({ runtime, url: agent.url }, 'messages', 'kettle', { labels: { team: 'red' } })).toHaveLength(100);
  }
});

test('a vector is never that of an older text, however an edit and the background meet', async ({ api }) => {
  const session = await api.newSession();
  for (const content of small) made(await session.runtime.post(`${session.url}/messages`, itemOf('messages', content)));
  const { id } = made(await session.runtime.post(`${session.url}/messages`, itemOf('messages', 'My sister is allergic to peanuts.')));
  const draining = api.app.indexing.drain();
  await session.runtime.put(`${session.url}/messages/${id}`, itemOf('messages', 'Our puppy chewed up a shoe.'));
  await draining;
  await api.app.indexing.drain();
  const [hit] = await search(session, 'messages', 'naughty young dogs');
  expect(hit).toMatchObject({ id, text: 'Our puppy chewed up a shoe.' });
});

/** A word for each number, which no other holds. */
const wordOf = (...numbers: number[]) =>
  `${numbers.map((number) => `${'bdfgklmnpr'[number % 10]}${'aeiou'[Math.floor(number / 10) % 5]}`).join('z')}x`;

test('twenty who write, edit and delete at once, searching in between: each finds its own, and in the end all is as stored', async ({
  api,
}) => {
  const session = await api.newSession();
  const agentWide = { runtime: session.runtime, url: session.agent.url };
  const living = new Map<string, string>();
  const dead: string[] = [];
  const act = async (actor: number) => {
    const url = `${session.url}/messages`;
    const own = (round: number) => `The word is ${wordOf(actor, round)} today.`;
    const first = made(await session.runtime.post(url, itemOf('messages', own(0)))).id;
    expect(await byWords(session, 'messages', wordOf(actor, 0)), 'its first').toEqual([first]);
    // In the past: put between those that are known.
    const past = { ...itemOf('messages', own(1)), createdAt: `2023-05-08T10:${10 + actor}:00Z` };
    const second = made(await session.runtime.post(url, past)).id;
    expect(await byWords(actor % 2 ? session : agentWide, 'messages', wordOf(actor, 1)), 'its second').toEqual([second]);
    expect((await session.runtime.put(`${url}/${first}`, itemOf('messages', own(2)))).status).toBe(200);
    expect(await byWords(session, 'messages', wordOf(actor, 2)), 'its edited one').toEqual([first]);
    expect(await byWords(agentWide, 'messages', wordOf(actor, 0)), 'its old one').toEqual([]);
    const batch = { messages: [3, 4].map((round) => itemOf('messages', own(round))) };
    const [third, fourth] = made(await session.runtime.post(`${url}/batch`, batch)).messages;
    expect((await session.runtime.delete(`${url}/${actor % 2 ? second : third.id}`)).status).toBe(204);
    expect(await byWords(session, 'messages', wordOf(actor, actor % 2 ? 1 : 3)), 'its deleted one').toEqual([]);
    living.set(wordOf(actor, 2), first).set(wordOf(actor, 4), fourth.id);
    living.set(wordOf(actor, actor % 2 ? 3 : 1), actor % 2 ? third.id : second);
    dead.push(wordOf(actor, 0), wordOf(actor, actor % 2 ? 1 : 3));
  };
  await Promise.all([...Array.from({ length: 20 }, (_, actor) => act(actor)), api.app.indexing.drain()]);
  for (const place of [session, agentWide]) {
    for (const [word, id] of living) expect(await byWords(place, 'messages', word), word).toEqual([id]);
    for (const word of dead) expect(await byWords(place, 'messages', word), word).toEqual([]);
  }
  await api.app.indexing.drain();
  expect(await api.countRows('vectors', session.agent.workspace.id)).toBe(living.size);
  expect(await api.countRows('embedding_queue', session.agent.workspace.id)).toBe(0);
});
