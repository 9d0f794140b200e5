/** A workspace neither sees nor feels another one; and both engines rank alike. */
import { expect } from 'vitest';
import { type Answer, made, type TestApi, test } from '../../test/api.ts';

const said = [
  'Caroline: I went to the pottery class with my kids yesterday.',
  'Melanie: What did you make there?',
  'Caroline: A blue cup with a dog’s face on it.',
  'Melanie: I am training for a marathon in June.',
  'Caroline: My grandmother gave me a necklace from Sweden.',
  'Melanie: We go camping in the mountains every summer.',
  'Caroline: I applied to adoption agencies this week.',
  'Melanie: My daughter is learning to play the violin.',
];
const kept = [
  'User prefers aisle seats on long flights.',
  'User is allergic to peanuts.',
  'User lives in Lisbon with two cats.',
  'User works night shifts at a hospital.',
  'User wants to learn Portuguese.',
];
const handbook = `# Handbook

## Refunds

A purchase can be returned within thirty days. The money is sent back to the card that was used.

## Shipping

Parcels leave the warehouse every weekday at four. Abroad they take up to two weeks.

## Passwords

\`\`\`sh
reset-password --user ann
\`\`\`

A forgotten password is reset by mail. The link is valid for an hour.

## Opening hours

| Day | Hours |
|---|---|
| Monday | 9 to 5 |
| Sunday | closed |
`;

async function fill(api: TestApi) {
  const session = await api.newSession();
  const { runtime, agent } = session;
  const { workspace } = agent;
  made(await runtime.post(`${session.url}/messages/batch`, { messages: said.map((content) => ({ role: 'user', content })) }));
  // One by one: of those of a batch the order of ids is the order of writing all the same.
  for (const content of kept) made(await runtime.post(`${session.url}/memories`, { kind: 'fact', content }));
  const form = new FormData();
  form.append('title', 'For customers');
  form.append('file', new Blob([handbook]), 'handbook.md');
  const encoded = new Response(form);
  const headers = { 'content-type': encoded.headers.get('content-type') as string };
  made(await runtime.post(`${workspace.url}/documents`, Buffer.from(await encoded.arrayBuffer()), headers));
  await api.drainJobs();
  await api.app.indexing.drain();
  const places = {
    messages: `${session.url}/messages`,
    memories: `${session.url}/memories`,
    agentMessages: `${agent.url}/messages`,
    agentMemories: `${agent.url}/memories`,
    documents: `${workspace.url}/documents`,
    everything: workspace.url,
  };
  const ask = async (place: keyof typeof places, query: string): Promise<Answer['body'][]> => {
    const { status, body, text } = await runtime.post(`${places[place]}/search`, { query, limit: 100, explain: true });
    expect(status, text).toBe(200);
    return body.results;
  };
  return { session, workspace, places: Object.keys(places) as (keyof typeof places)[], ask };
}

type Filled = Awaited<ReturnType<typeof fill>>;

const questions = [
  'What did Caroline make at the pottery class?',
  'seat on an airplane',
  'How do I get my money back?',
  'the',
  'something entirely different',
];

async function allAnswers({ places, ask }: Filled): Promise<Answer['body'][]> {
  const answers = [];
  for (const place of places) for (const question of questions) answers.push(await ask(place, question));
  return answers;
}

test('two workspaces full of the same texts give the same answers, each with its own ids only', async ({ api }) => {
  const [one, other] = [await fill(api), await fill(api)];
  const own = (hit: Answer['body'], { session }: Filled) => hit.sessionId === undefined || hit.sessionId === session.id;
  const [answersOfOne, answersOfOther] = [await allAnswers(one), await allAnswers(other)];
  const ids = (answers: Answer['body'][]) => new Set(answers.flat().map(({ id, documentId }) => id ?? documentId));
  expect(ids(answersOfOne).intersection(ids(answersOfOther))).toEqual(new Set());
  for (const hit of answersOfOne.flat()) expect(own(hit, one)).toBe(true);
  const anonymous = (answers: Answer['body'][]) =>
    answers.map((hits) => hits.map(({ text, score, explain }: Answer['body']) => ({ text, score, explain })));
  expect(anonymous(answersOfOther)).toEqual(anonymous(answersOfOne));
  // Neither's key opens the other.
  expect((await one.session.runtime.post(`${other.workspace.url}/search`, { query: 'x' })).status).toBe(404);
  expect((await one.session.runtime.post(`${other.session.url}/messages/search`, { query: 'x' })).status).toBe(404);
});

test('whatever another workspace is filled with, the answers stay the same to the last digit', async ({ api }) => {
  const one = await fill(api);
  const before = await allAnswers(one);
  const other = await fill(api);
  const { runtime, url } = other.session;
  const flood = Array.from({ length: 100 }, (_, index) => ({
    role: 'user',
    content: `Pottery, seat, money: ${questions[index % 5]} ${index}`,
  }));
  made(await runtime.post(`${url}/messages/batch`, { messages: flood }));
  await allAnswers(other);
  expect(await allAnswers(one)).toEqual(before);
  await api.app.indexing.drain();
  await allAnswers(other);
  expect((await other.workspace.owner.delete(other.workspace.url)).status).toBe(204);
  await api.drainJobs();
  expect(await allAnswers(one)).toEqual(before);
});

test('both engines rank the same texts in the same order', async ({ api }) => {
  const { ask } = await fill(api);
  const best = async (place: 'messages' | 'memories' | 'documents', question: string, count: number) =>
    (await ask(place, question)).slice(0, count).map(({ text }) => text.split(/\n/)[0]);
  expect({
    pottery: await best('messages', 'pottery class', 1),
    running: await best('messages', 'running a long race', 1),
    jewellery: await best('messages', 'jewellery from abroad', 1),
    flights: await best('memories', 'airplane seating', 1),
    pets: await best('memories', 'pets', 1),
    refunds: await best('documents', 'refund money', 1),
    hours: await best('documents', 'shop closed Sunday', 1),
    login: await best('documents', 'login credentials lost', 1),
  }).toEqual({
    pottery: [said[0]],
    running: [said[3]],
    jewellery: [said[4]],
    flights: [kept[0]],
    pets: [kept[2]],
    refunds: ['## Refunds'],
    hours: ['## Opening hours'],
    login: ['## Passwords'],
  });
});
