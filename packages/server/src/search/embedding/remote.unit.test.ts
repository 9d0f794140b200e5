import { expect, onTestFinished, test } from 'vitest';
import { type Answer, openEndpoint as endpoint, good, KEY, silent, status, vectorOf } from '../../../test/embeddings-answers.ts';
import { createEmbedder } from './create.ts';
import { EmbedderUnavailable, EmbedderUnusable, RefusedText } from './embedder.ts';
import { RemoteEmbedder } from './remote.ts';

const data =
  (...items: unknown[]): Answer =>
  (response) =>
    response.end(JSON.stringify({ data: items }));

test('texts are sent as OpenAI wants them and come back in order, with length 1', async () => {
  const shuffled: Answer = (response, { body }) =>
    response.end(JSON.stringify({ data: body.input.map((text, index) => ({ index, embedding: vectorOf(text) })).toReversed() }));
  const { embedder, asked, port } = await endpoint([shuffled]);
  expect(embedder.model).toBe(`small@127.0.0.1:${port}`);
  expect(embedder.dimensions).toBe(0);
  const vectors = (await embedder.embed(['abc', '', 'x'])) as Float32Array[];
  expect(vectors.map(([first, second]) => Math.round((first as number) / (second as number)))).toEqual([3, 1, 1]);
  for (const vector of vectors) expect(Math.hypot(...vector)).toBeCloseTo(1, 6);
  expect(embedder.dimensions).toBe(2);
  const body = { model: 'small', input: ['abc', ' ', 'x'], encoding_format: 'base64' };
  expect(asked).toEqual([{ path: '/v1/embeddings', authorization: `Bearer ${KEY}`, body }]);
});

test('many texts go in batches, bounded by number and by size, a few at once', async () => {
  let atOnce = 0;
  let most = 0;
  const allowed = Promise.withResolvers<void>();
  const counted: Answer = async (response, asked) => {
    most = Math.max(most, ++atOnce);
    // None is answered before as many have come as may.
    if (atOnce === 4) allowed.resolve();
    await allowed.promise;
    setTimeout(() => {
      atOnce--;
      good(response, asked);
    }, 5);
  };
  const { embedder, asked } = await endpoint(Array(50).fill(counted), { maxBatchCharacters: 1_000, maxTextCharacters: 600 });
  const texts = [...Array.from({ length: 1_500 }, (_, index) => String(index)), 'x'.repeat(5_000), 'y'.repeat(5_000)];
  const vectors = (await embedder.embed(texts)) as Float32Array[];
  const ratios = vectors.map(([first, second]) => Math.round((first as number) / (second as number)));
  expect(ratios).toEqual(texts.map((text) => Math.min(600, text.length)));
  expect(Math.max(...asked.map(({ body }) => body.input.length))).toBe(32);
  expect(Math.max(...asked.map(({ body }) => body.input.join('').length))).toBeLessThanOrEqual(1_000);
  expect(most).toBe(4);
});

/** Refuses each batch with a text that begins with "bad". */
const picky =
  (code: number): Answer =>
  (response, asked) =>
    asked.body.input.some((text) => text.startsWith('bad')) ? status(code)(response, asked) : good(response, asked);

test.for([400, 413, 422])('a text that is refused (%s) is found out alone, and the others have their vectors', async (code) => {
  const { embedder, asked } = await endpoint(Array(100).fill(picky(code)));
  const texts = Array.from({ length: 64 }, (_, index) => ([7, 40].includes(index) ? `bad ${index}` : 'x'.repeat(index + 1)));
  const answers = await embedder.embed(texts);
  for (const [index, answer] of answers.entries()) {
    if (index === 7 || index === 40) expect(answer).toEqual(new RefusedText(`The embeddings endpoint answered ${code}.`));
    else expect(Math.round(((answer as Float32Array)[0] as number) / ((answer as Float32Array)[1] as number))).toBe(index + 1);
  }
  // The batch, whether it is the endpoint's fault, and two halves at each of six steps for each of the two.
  expect(asked.length).toBeLessThanOrEqual(2 + 2 * 6 * 2);
  expect(embedder.gauges()).toMatchObject({ circuit_open: 0 });
});

test('texts that are all refused cost a bounded number of requests', async () => {
  const { embedder, asked } = await endpoint(Array(200).fill(picky(400)));
  const answers = await embedder.embed(Array.from({ length: 32 }, (_, index) => `bad ${index}`));
  expect(answers.every((answer) => answer instanceof RefusedText)).toBe(true);
  expect(asked).toHaveLength(1 + 1 + 62);
});

test('an endpoint that takes no text at all is at fault itself, and is not asked for each text', async () => {
  const { embedder, asked } = await endpoint(Array(100).fill(status(400)));
  await expect(embedder.embed(Array.from({ length: 32 }, String))).rejects.toThrow(EmbedderUnusable);
  // The batch, and one text in either encoding.
  expect(asked.map(({ body }) => [body.input.length, body.encoding_format])).toEqual([
    [32, 'base64'],
    [1, 'base64'],
    [1, 'float'],
  ]);
  await expect(embedder.ready()).rejects.toThrow('The embeddings endpoint answered 400');
});

test('batches of different workspaces wait in turn', async () => {
  const { embedder, asked } = await endpoint([], { maxRequests: 1 });
  const texts = (name: string, count: number) => Array.from({ length: count }, (_, index) => name.repeat(index + 1));
  await Promise.all([
    ...texts('a', 4).map((text) => embedder.embed([text], { lane: 'one' })),
    embedder.embed(['b'], { lane: 'two' }),
    embedder.embed(['c'], { lane: 'three' }),
  ]);
  expect(asked.map(({ body }) => body.input[0])).toEqual(['a', 'aa', 'b', 'c', 'aaa', 'aaaa']);
});

test('queries overtake batches that wait', async () => {
  const { embedder, asked } = await endpoint([], { maxRequests: 1 });
  await Promise.all([embedder.embed(['b1']), embedder.embed(['b2']), embedder.embed(['q'], { priority: 'query' })]);
  expect(asked.map(({ body }) => body.input[0])).toEqual(['b1', 'q', 'b2']);
});

test('more batches than may wait are refused', async () => {
  const { embedder } = await endpoint([], { maxRequests: 1, maxWaiting: 1 });
  const calls = await Promise.allSettled([embedder.embed(['a']), embedder.embed(['b']), embedder.embed(['c'])]);
  expect(calls.map((call) => call.status)).toEqual(['fulfilled', 'fulfilled', 'rejected']);
});

test.for([
  ['500', status(500)],
  ['429', status(429, { 'retry-after': '0' })],
  ['a broken connection', ((response) => response.destroy()) as Answer],
  ['broken JSON', ((response) => response.end('{"data": [{"ind')) as Answer],
] as const)('after %s the texts are sent again', async ([, fault]) => {
  const { embedder, asked } = await endpoint([fault, fault]);
  expect(await embedder.embed(['abc'])).toHaveLength(1);
  expect(asked).toHaveLength(3);
  expect(embedder.gauges()).toMatchObject({ failed_tries_total: 2, texts_total: 1, requests: 0, waiting_batches: 0 });
});

test('tries are limited, for queries more than for the rest', async () => {
  const { embedder, asked } = await endpoint(Array(20).fill(status(503)));
  await expect(embedder.embed(['x'], { priority: 'query' })).rejects.toThrow('answered 503 (tried 2 times)');
  expect(asked).toHaveLength(2);
  await expect(embedder.embed(['x'])).rejects.toThrow('answered 503 (tried 4 times)');
  expect(asked).toHaveLength(6);
});

test('a Retry-After is honoured, and one that is too long is passed on at once', async () => {
  const { embedder, asked } = await endpoint([status(429, { 'retry-after': '0.05' }), status(429, { 'retry-after': '3600' })]);
  const startedAt = performance.now();
  const failure = await embedder.embed(['x']).catch((error: unknown) => error);
  expect(performance.now() - startedAt).toBeGreaterThanOrEqual(49);
  expect(failure).toBeInstanceOf(EmbedderUnavailable);
  expect(failure).toMatchObject({ retryAfterSeconds: 3600 });
  expect(asked).toHaveLength(2);
});

test('a try without an answer is given up and repeated', async () => {
  const { embedder, asked } = await endpoint([silent], { timeoutMs: 2_000 });
  expect(await embedder.embed(['x'])).toHaveLength(1);
  expect(asked.length).toBeGreaterThanOrEqual(2);
});

test('tries without an answer end with the time of the whole', async () => {
  const { embedder } = await endpoint(Array(50).fill(silent), {
    timeoutMs: 100,
    maxTries: { query: 50, background: 50 },
    totalMs: { query: 250.5, background: 60_000 },
  });
  await expect(embedder.embed(['x'], { priority: 'query' })).rejects.toThrow(EmbedderUnavailable);
  expect(embedder.gauges().failed_tries_total).toBeLessThan(50);
});

test('a dead endpoint is unavailable', async () => {
  const { embedder, stop } = await endpoint();
  await stop();
  await expect(embedder.embed(['x'])).rejects.toThrow('could not be reached (tried 4 times)');
});

test.for([
  ['too few vectors', data({ index: 0, embedding: [1, 2] }), 'answered 1 vectors for 2 texts'],
  ['an index twice', data({ index: 0, embedding: [1, 2] }, { index: 0, embedding: [1, 2] }), 'indexes do not match'],
  ['an index too large', data({ index: 0, embedding: [1, 2] }, { index: 2, embedding: [1, 2] }), 'indexes do not match'],
  ['other dimensions', data({ embedding: [1, 2, 3] }, { embedding: [1, 2, 3] }), 'answered 3 dimensions where it had answered 2'],
  ['two kinds of dimensions', data({ embedding: [1, 2] }, { embedding: [1, 2, 3] }), 'answered 3 dimensions where it had answered 2'],
  ['something that is no number', data({ embedding: [1, null] }, { embedding: [1, 2] }), 'not a list of numbers'],
  ['numbers too large', data({ embedding: [1, 1e300] }, { embedding: [1, 2] }), 'without a direction'],
  ['zeros', data({ embedding: [0, 0] }, { embedding: [1, 2] }), 'without a direction'],
  ['no list', ((response) => response.end('{"error":"x"}')) as Answer, 'without a list called "data"'],
  ['null', ((response) => response.end('null')) as Answer, 'without a list called "data"'],
  ['401', status(401), 'answered 401; check COMMONPLACE_EMBEDDINGS_API_KEY'],
  ['404', status(404), 'answered 404; check COMMONPLACE_EMBEDDINGS_URL'],
] as const)('%s is an error that no other try repairs', async ([, fault, message]) => {
  const { embedder, asked } = await endpoint([good, fault]);
  await embedder.ready();
  await expect(embedder.embed(['x', 'y'])).rejects.toThrow(message);
  expect(asked).toHaveLength(2);
  expect(await embedder.embed(['x'])).toHaveLength(1);
});

test('a redirect is not followed: the key stays here', async () => {
  const { embedder, asked } = await endpoint([status(307, { location: '/elsewhere' })], { maxTries: { query: 1, background: 1 } });
  await expect(embedder.embed(['x'])).rejects.toThrow('could not be reached');
  expect(asked.map(({ path }) => path)).toEqual(['/v1/embeddings']);
});

test('after failures in a row nobody is asked for a while, then one first', async () => {
  const faults = Array(4).fill(status(500)) as Answer[];
  const { embedder, asked, logged } = await endpoint(faults, { breakAfter: 3, pauseMs: 1_000, maxTries: { query: 1, background: 3 } });
  await expect(embedder.embed(['x'])).rejects.toThrow('answered 500');
  expect(embedder.gauges()).toMatchObject({ circuit_open: 1 });
  const refused = await embedder.embed(['x'], { priority: 'query' }).catch((error: unknown) => error);
  expect(refused).toMatchObject({ name: 'EmbedderUnavailable', message: expect.stringContaining('not asked'), retryAfterSeconds: 1 });
  expect(asked).toHaveLength(3);
  await expect.poll(() => embedder.gauges().circuit_open).toBe(0);
  // One goes first and fails: the pause begins again. The other is not sent.
  const both = await Promise.allSettled([embedder.embed(['y'], { priority: 'query' }), embedder.embed(['z'], { priority: 'query' })]);
  expect(both.map(({ status: outcome }) => outcome)).toEqual(['rejected', 'rejected']);
  expect(asked).toHaveLength(4);
  await expect.poll(() => embedder.gauges().circuit_open).toBe(0);
  expect(await embedder.embed(['x'])).toHaveLength(1);
  expect(await Promise.all([embedder.embed(['x']), embedder.embed(['y'])])).toHaveLength(2);
  expect(logged).toHaveLength(2);
});

test('a caller that gives up is heard at once, while it waits and while it is served', async () => {
  const { embedder, asked } = await endpoint([silent], { maxRequests: 1 });
  const controller = new AbortController();
  const served = embedder.embed(['a'], { signal: controller.signal });
  const waiting = embedder.embed(['b'], { signal: controller.signal });
  await expect.poll(() => asked.length).toBe(1);
  controller.abort(new Error('gone'));
  await expect(served).rejects.toThrow('gone');
  await expect(waiting).rejects.toThrow('gone');
  expect(embedder.gauges()).toMatchObject({ failed_tries_total: 0, requests: 0, waiting_batches: 0 });
  expect(await embedder.embed(['c'])).toHaveLength(1);
});

test('callers who give up because of the time open the circuit', async () => {
  const { embedder } = await endpoint([silent, silent], { breakAfter: 2 });
  for (const text of ['a', 'b']) await expect(embedder.embed([text], { signal: AbortSignal.timeout(30) })).rejects.toThrow('timeout');
  await expect(embedder.embed(['c'])).rejects.toThrow('not asked');
});

test('closing ends what is under way and refuses the rest', async () => {
  const { embedder, asked } = await endpoint([silent]);
  const call = embedder.embed(['a']);
  call.catch(() => {});
  await expect.poll(() => asked.length).toBe(1);
  await embedder.close();
  await expect(call).rejects.toThrow('closed');
  await expect(embedder.embed(['b'])).rejects.toThrow('closed');
});

test('neither the key nor a text stands in an error, in the log or in the name', async () => {
  const echo: Answer = (response, { authorization, body }) => response.writeHead(500).end(`${authorization} ${body.input.join()}`);
  const broken: Answer = (response, { authorization, body }) => response.end(`${authorization} ${body.input.join()}`);
  const { embedder, logged } = await endpoint([echo, broken, echo, broken], { breakAfter: 1, pauseMs: 0 });
  const failure = await embedder.embed(['a private text']).catch((error: unknown) => error);
  expect(logged.length).toBeGreaterThan(0);
  const all: string[] = [embedder.model];
  const collect = (value: unknown): void => {
    if (value instanceof Error) all.push(value.message, value.stack ?? '');
    if (value && typeof value === 'object') for (const name of Object.getOwnPropertyNames(value)) collect(Reflect.get(value, name));
    else all.push(String(value));
  };
  collect([failure, logged]);
  expect(all.join('\n')).toContain('broken JSON');
  expect(all.join('\n')).not.toMatch(/very-secret|private text/);
});

test('settings that fetch would quote in its errors are refused without quoting them', () => {
  const make = (url: string, apiKey: string) => () => new RemoteEmbedder({ url, model: 'm', apiKey });
  expect(make('http://user:hunter2@localhost', KEY)).toThrow(EmbedderUnusable);
  expect(make('http://user:hunter2@localhost', KEY)).not.toThrow('hunter2');
  expect(make('http://localhost', 'hunter2\n')).toThrow('characters that a header can not carry');
});

test('with an address in the settings the embedder is the endpoint, with a cache for queries', async () => {
  const { port, asked } = await endpoint();
  const made = createEmbedder({ embeddings: { url: `http://127.0.0.1:${port}/v1`, model: 'small' } });
  onTestFinished(() => made.close());
  await made.embed(['q'], { priority: 'query' });
  await made.embed(['q'], { priority: 'query' });
  expect(asked).toMatchObject([{ authorization: undefined, path: '/v1/embeddings' }]);
  expect(made.dimensions).toBe(2);
});
