/** A model behind an endpoint that knows many languages: what is asked in one is found in another. */
import { expect, onTestFinished, test } from 'vitest';
import { made, openApi, type TestApi, type TestSession } from '../../test/api.ts';
import { drainBoth, newEndpoint, openWithEndpoint, restart, search } from '../../test/embeddings-endpoint.ts';

const SAID = [
  'Unser Hund bellt die ganze Nacht.',
  'La factura de marzo está pagada.',
  '電車は七時に出ます。',
  'Мы купили свежий хлеб.',
  'Le chien du voisin dort.',
  'The weather is fine today.',
];

/** No word of these questions stands in what answers them. */
const QUESTIONS: readonly (readonly [string, readonly string[]])[] = [
  ['¿Dónde duerme el perro?', ['Unser Hund bellt die ganze Nacht.', 'Le chien du voisin dort.']],
  ['犬', ['Unser Hund bellt die ganze Nacht.', 'Le chien du voisin dort.']],
  ['Wurde die Rechnung beglichen?', ['La factura de marzo está pagada.']],
  ['when does the train leave', ['電車は七時に出ます。']],
  ['أين نشتري خبز', ['Мы купили свежий хлеб.']],
];

async function say(session: TestSession): Promise<void> {
  for (const content of SAID) made(await session.runtime.post(`${session.url}/memories`, { kind: 'fact', content }));
  const messages = SAID.map((content) => ({ role: 'user', content }));
  made(await session.runtime.post(`${session.url}/messages/batch`, { messages }));
}

async function expectAllFound(api: TestApi, { runtime, url }: TestSession): Promise<void> {
  const client = api.client(runtime.headers);
  for (const [question, expected] of QUESTIONS) {
    const memories = await search(client, `${url}/memories`, question, { limit: expected.length });
    expect(memories.map(({ text }) => text).sort(), question).toEqual([...expected].sort());
    expect(
      memories.every(({ explain }) => explain.vector > 0 && explain.lexical === 0),
      question,
    ).toBe(true);
    const [first] = await search(client, `${url}/messages`, question);
    expect(expected, question).toContain(first.text);
    expect(first.explain.vector).toBeGreaterThan(0);
  }
}

test('a question in one language finds what is written in another', async () => {
  const { api } = await openWithEndpoint({ COMMONPLACE_EMBEDDINGS_MODEL: 'multilingual' });
  const session = await api.newSession();
  await say(session);
  await expectAllFound(api, session);
  await api.app.indexing.drain();
  await expectAllFound(api, session);
});

test('so it does after a switch from the built-in model, which knows English alone', async () => {
  const { api, close } = await openApi();
  onTestFinished(close);
  const session = await api.newSession();
  await say(session);
  await api.app.indexing.drain();
  const [before] = await search(session.runtime, `${session.url}/memories`, 'the weather');
  expect(before).toMatchObject({ text: 'The weather is fine today.', explain: { vector: expect.toSatisfy((vector) => vector > 0) } });
  await api.app.close();

  const endpoint = await newEndpoint();
  const later = await restart(api, { embeddings: { url: endpoint.url, model: 'multilingual', apiKey: undefined } });
  await drainBoth(later);
  expect(endpoint.lastModel).toBe('multilingual');
  await expectAllFound(later, session);
});
