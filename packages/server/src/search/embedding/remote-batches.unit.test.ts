/** How much an endpoint is sent at a time, and in which encoding it answers: learned from what it does. */
import { expect, test } from 'vitest';
import { type Answer, type Asked, good, openEndpoint, silent, status, vectorOf } from '../../../test/embeddings-answers.ts';
import { RefusedText } from './embedder.ts';

const many = (count: number, from = 0) => Array.from({ length: count }, (_, index) => 'x'.repeat(((from + index) % 50) + 1));
const lengthsOf = (answers: readonly (Float32Array | RefusedText)[]) =>
  answers.map((answer) => (answer instanceof RefusedText ? undefined : Math.round((answer[0] as number) / (answer[1] as number))));
const sizesOf = (asked: readonly Asked[]) => asked.map(({ body }) => body.input.length);
/** However busy the machine. */
const quick = { fastMs: Number.POSITIVE_INFINITY, slowMs: Number.POSITIVE_INFINITY };

const inBase64: Answer = (response, { body }) => {
  const embedding = (text: string) => Buffer.from(Float32Array.from(vectorOf(text)).buffer).toString('base64');
  response.end(JSON.stringify({ data: body.input.map((text, index) => ({ index, embedding: embedding(text) })) }));
};

test('requests grow with the answers, up to the limit', async () => {
  const { embedder, asked } = await openEndpoint([], quick);
  for (let call = 0; call < 6; call++)
    expect(await embedder.embed(many(embedder.capacity.texts))).toHaveLength(32 * 2 ** Math.min(call, 4));
  expect(sizesOf(asked)).toEqual([32, 64, 128, 256, 512, 512]);
  expect(embedder.gauges()).toMatchObject({ batch_texts: 512 });
});

/** Takes no more than so many texts at a time, as many do, and says so in its way. */
const takesAtMost =
  (most: number, code: number): Answer =>
  (response, asked) =>
    asked.body.input.length > most
      ? response.writeHead(code).end(`{"error":"batch size ${asked.body.input.length} > maximum allowed batch size ${most}"}`)
      : good(response, asked);

test.for([413, 422, 400])(
  'an endpoint that takes fewer at a time and answers %s is sent no more than it takes, soon and for long',
  async (code) => {
    const { embedder, asked } = await openEndpoint(takesAtMost(10, code), quick);
    expect(lengthsOf(await embedder.embed(many(100)))).toEqual(many(100).map(({ length }) => length));
    const refused = () => sizesOf(asked).filter((size) => size > 10).length;
    // Batches that were under way when the first was refused, and their halves.
    expect(refused()).toBeLessThanOrEqual(4 * 3);
    const before = refused();
    expect(embedder.capacity.texts).toBe(8);
    for (let call = 0; call < 10; call++)
      expect(lengthsOf(await embedder.embed(many(8, call)))).toEqual(many(8, call).map(({ length }) => length));
    expect(refused()).toBe(before);
  },
);

test('a text that is refused teaches nothing about the size', async () => {
  const picky: Answer = (response, asked) =>
    asked.body.input.some((text) => text.startsWith('bad')) ? status(400)(response, asked) : good(response, asked);
  const { embedder } = await openEndpoint(picky, quick);
  const answers = await embedder.embed([...many(20), 'bad', ...many(11)]);
  expect(answers.flatMap((answer, index) => (answer instanceof RefusedText ? [index] : []))).toEqual([20]);
  expect(embedder.capacity.texts).toBeGreaterThanOrEqual(32);
});

test('a text that is refused among too many is set aside alone', async () => {
  const picky: Answer = (response, asked) =>
    asked.body.input.includes('bad') ? status(413)(response, asked) : takesAtMost(10, 413)(response, asked);
  const { embedder } = await openEndpoint(picky, quick);
  for (let call = 0; call < 2; call++) {
    const answers = await embedder.embed([...many(20), 'bad', ...many(11)]);
    expect(answers.flatMap((answer, index) => (answer instanceof RefusedText ? [index] : []))).toEqual([20]);
  }
  expect(embedder.capacity.texts).toBeLessThanOrEqual(10);
});

test('after a failure less is sent', async () => {
  const { embedder, asked } = await openEndpoint([good, status(500)], quick);
  await embedder.embed(many(32));
  await embedder.embed(many(64));
  expect(sizesOf(asked)).toEqual([32, 64, 64]);
  expect(embedder.capacity.texts).toBe(32);
});

test('an endpoint that is asked too often is sent no less', async () => {
  const { embedder } = await openEndpoint([good, status(429, { 'retry-after': '0' })], quick);
  await embedder.embed(many(32));
  await embedder.embed(many(64));
  expect(embedder.capacity.texts).toBe(128);
});

test('queries are asked while an endpoint refuses the background as too much', async () => {
  const answer: Answer = (response, seen) => (seen.body.input[0] === 'q' ? good : status(429, { 'retry-after': '0' }))(response, seen);
  const { embedder } = await openEndpoint(answer, { breakAfter: 2 });
  const background = ['a', 'b', 'c', 'd'].map((text) => embedder.embed([text]).catch((error: Error) => error.message));
  for (const message of await Promise.all(background)) expect(message).toContain('answered 429');
  expect(embedder.gauges()).toMatchObject({ circuit_open: 0 });
  expect(await embedder.embed(['q'], { priority: 'query' })).toHaveLength(1);
});

test('answers are kept to a size', async () => {
  const { embedder, asked } = await openEndpoint([], { ...quick, maxAnswerBytes: 1_000 });
  await embedder.embed(many(32));
  await embedder.embed(many(200));
  expect(Math.max(...sizesOf(asked).slice(1))).toBeLessThanOrEqual(32);
  expect(embedder.capacity.texts).toBeLessThan(64);
});

test('vectors are asked for in base64', async () => {
  const { embedder, asked } = await openEndpoint(inBase64);
  expect(lengthsOf(await embedder.embed(['abc', 'x']))).toEqual([3, 1]);
  expect(embedder.dimensions).toBe(2);
  expect(asked.map(({ body }) => body.encoding_format)).toEqual(['base64']);
});

/** Knows numbers alone. */
const refusesBase64 =
  (code: number): Answer =>
  (response, asked) =>
    asked.body.encoding_format === 'base64' ? status(code)(response, asked) : good(response, asked);

test.for([400, 422])(
  'an endpoint that refuses base64 with %s is asked for numbers from then on, and no text is set aside',
  async (code) => {
    const { embedder, asked } = await openEndpoint(refusesBase64(code), quick);
    expect(lengthsOf(await embedder.embed(['abc', 'x']))).toEqual([3, 1]);
    expect(lengthsOf(await embedder.embed(['abcd']))).toEqual([4]);
    expect(asked.map(({ body }) => [body.input.length, body.encoding_format])).toEqual([
      [2, 'base64'],
      [1, 'base64'],
      [1, 'float'],
      [2, 'float'],
      [1, 'float'],
    ]);
    expect(embedder.capacity.texts).toBe(32);
  },
);

test('several requests that find base64 refused at once all come to numbers', async () => {
  const { embedder } = await openEndpoint(refusesBase64(400), quick);
  expect(lengthsOf(await embedder.embed(many(120)))).toEqual(many(120).map(({ length }) => length));
  expect(embedder.capacity.texts).toBeGreaterThanOrEqual(32);
});

test('an endpoint that fails at base64 is asked for numbers by the next try', async () => {
  const { embedder, asked } = await openEndpoint(refusesBase64(500));
  expect(lengthsOf(await embedder.embed(['abc']))).toEqual([3]);
  expect(lengthsOf(await embedder.embed(['abcd']))).toEqual([4]);
  expect(asked.map(({ body }) => body.encoding_format)).toEqual(['base64', 'float', 'float']);
});

test('an endpoint that has answered in base64 and fails later stays with it', async () => {
  const { embedder, asked } = await openEndpoint([inBase64, status(500), inBase64]);
  await embedder.embed(['abc']);
  await embedder.embed(['abcd']);
  expect(new Set(asked.map(({ body }) => body.encoding_format))).toEqual(new Set(['base64']));
});

test('a large answer is read in a thread, to the same vectors and failures', async () => {
  const dimensions = 4_000;
  const wide = (text: string) => Array.from({ length: dimensions }, (_, index) => (index === text.length ? 1 : 0.001));
  const answerOf = (texts: readonly string[]) => JSON.stringify({ data: texts.map((text) => ({ embedding: wide(text) })) });
  const answers: Answer[] = [
    (response, { body }) => response.end(answerOf(body.input)),
    (response, { body }) => response.end(answerOf([...body.input, 'x'])),
  ];
  const { embedder } = await openEndpoint(answers);
  const texts = many(16);
  expect(answerOf(texts).length).toBeGreaterThan(256 * 1024);
  const vectors = (await embedder.embed(texts)) as Float32Array[];
  expect(vectors.map((vector) => vector.indexOf(Math.max(...vector)))).toEqual(texts.map(({ length }) => length));
  await expect(embedder.embed(texts)).rejects.toThrow('answered 17 vectors for 16 texts');
});

test('a query has a place, however much of the background is under way', async () => {
  const { embedder, asked } = await openEndpoint((response, seen) => (seen.body.input[0] === 'q' ? good : silent)(response, seen), {
    maxRequests: 3,
  });
  const background = ['a', 'b', 'c', 'd'].map((text) => embedder.embed([text]).catch((error: Error) => error.message));
  await expect.poll(() => asked.length).toBe(2);
  expect(await embedder.embed(['q'], { priority: 'query' })).toHaveLength(1);
  expect(asked.map(({ body }) => body.input[0])).toEqual(['a', 'b', 'q']);
  expect(embedder.gauges()).toMatchObject({ requests: 2, waiting_batches: 2 });
  await embedder.close();
  expect(await Promise.all(background)).toEqual(Array(4).fill('The embedder is closed.'));
});
