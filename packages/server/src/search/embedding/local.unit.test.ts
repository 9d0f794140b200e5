import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, onTestFinished, test } from 'vitest';
import { createEmbedder } from './create.ts';
import { EmbedderUnusable } from './embedder.ts';
import { LocalEmbedder } from './local.ts';
import { findModelDir } from './model-files.ts';

const embedder = new LocalEmbedder();
afterAll(() => embedder.close());

function cosine(one: Float32Array, other: Float32Array): number {
  return one.reduce((sum, value, index) => sum + value * (other[index] as number), 0);
}

/** The texts of a list from the nearest to the farthest. */
async function ranked(question: string, texts: string[]): Promise<string[]> {
  const [query, ...vectors] = (await embedder.embed([question, ...texts])) as [Float32Array, ...Float32Array[]];
  const scores = new Map(texts.map((text, index) => [text, cosine(query, vectors[index] as Float32Array)]));
  return texts.toSorted((one, other) => (scores.get(other) as number) - (scores.get(one) as number));
}

test('what means the same is nearer than what shares its words or nothing', async () => {
  const meal = ['Someone is having a meal.', 'The shares of the company fell on Monday.'];
  expect(await ranked('A man is eating food.', meal)).toEqual(meal);
  const bank = ['The boat lies at the side of the river.', 'Our bank account has a low interest rate.'];
  expect(await ranked('They moored on the bank of the stream.', bank)).toEqual(bank);
  const password = [
    'Use "Forgot password" on the sign-in page to set a new one.',
    'Our office is closed on Sunday.',
    'Bananas are rich in potassium.',
  ];
  expect((await ranked('How do I reset my password?', password))[0]).toBe(password[0]);
});

test('sentences that differ in one word are alike and not the same', async () => {
  const [one, other] = (await embedder.embed(['That is a happy person', 'That is a happy dog'])) as [Float32Array, Float32Array];
  expect(cosine(one, other)).toBeGreaterThan(0.62);
  expect(cosine(one, other)).toBeLessThan(0.77);
  expect(one).toHaveLength(embedder.dimensions);
  expect(embedder.model).toBe('all-MiniLM-L6-v2-int8');
});

test('a text has the same vector to the last bit, alone, in company, in any thread', async () => {
  const texts = Array.from({ length: 60 }, (_, index) => `Sentence ${index}: ${'some more words of it '.repeat(index % 7)}`);
  const together = await embedder.embed(texts);
  expect(embedder.gauges()).toMatchObject({ threads: Math.min(2, navigator.hardwareConcurrency) });
  expect(await embedder.embed(texts.toReversed())).toEqual(together.toReversed());
  for (const index of [0, 13, 59]) expect(await embedder.embed([texts[index] as string], { priority: 'query' })).toEqual([together[index]]);
  const fresh = new LocalEmbedder();
  onTestFinished(() => fresh.close());
  expect(await fresh.embed([texts[13] as string])).toEqual([together[13]]);
});

test('vectors come in the order of their texts, whatever their lengths', async () => {
  const texts = ['long '.repeat(200), 'a', 'middle of the road '.repeat(10), 'b', '', 'c'.repeat(40)];
  const together = await embedder.embed(texts);
  for (const [index, text] of texts.entries()) expect([text, await embedder.embed([text])]).toEqual([text, [together[index]]]);
});

test('any text has a vector of length 1', async () => {
  const strange = [
    '',
    ' ',
    '\n\t',
    '😀',
    '👨‍👩‍👧‍👦🏳️‍🌈',
    '\0\u0001',
    '\ud800',
    'ﷺ',
    '日本語',
    'x'.repeat(10_000),
    'a b '.repeat(2_500),
    '😀'.repeat(5_000),
    'é'.repeat(1_000_000),
  ];
  const vectors = await embedder.embed(strange);
  expect(vectors).toHaveLength(strange.length);
  for (const vector of vectors) expect(Math.sqrt(cosine(vector, vector))).toBeCloseTo(1, 5);
});

test('what follows the first 256 tokens changes nothing; what comes before does', async () => {
  const start = 'The lighthouse keeper counts the ships that pass at night. '.repeat(30);
  const [one, other, changed] = (await embedder.embed([
    start,
    `${start} And then something else.`,
    `Not at all. ${start}`,
  ])) as Float32Array[];
  expect(other).toEqual(one);
  expect(changed).not.toEqual(one);
});

test('the event loop turns while a text is computed', async () => {
  await embedder.ready();
  let turns = 0;
  let turning = true;
  const turn = () => {
    turns++;
    if (turning) setImmediate(turn);
  };
  turn();
  const before = embedder.gauges().texts_total;
  await embedder.embed(['an evening by the sea '.repeat(60)]);
  turning = false;
  expect(embedder.gauges().texts_total).toBe((before ?? 0) + 1);
  expect(turns).toBeGreaterThan(20);
});

test('no text, no work', async () => {
  const idle = new LocalEmbedder();
  onTestFinished(() => idle.close());
  expect(await idle.embed([])).toEqual([]);
  expect(idle.gauges()).toMatchObject({ threads: 0 });
});

test.for(['onnx/model_quantized.onnx', 'tokenizer.json'])('a model with one bit flipped in %s is refused', async (name) => {
  const dir = mkdtempSync(join(tmpdir(), 'commonplace-model-'));
  onTestFinished(() => rmSync(dir, { recursive: true }));
  cpSync(findModelDir(), dir, { recursive: true });
  const intact = new LocalEmbedder({ modelDir: dir });
  await intact.ready();
  await intact.close();
  const bytes = readFileSync(join(dir, name));
  bytes[1_000] = (bytes[1_000] as number) ^ 1;
  writeFileSync(join(dir, name), bytes);
  const broken = new LocalEmbedder({ modelDir: dir });
  onTestFinished(() => broken.close());
  await expect(broken.ready()).rejects.toThrow(EmbedderUnusable);
  await expect(broken.embed(['text'])).rejects.toThrow(`${join(dir, name)} is not the one this version works with (SHA-256 `);
  expect(broken.gauges()).toMatchObject({ threads: 0, waiting_texts: 0 });
});

test('a folder without the model is refused with its name', async () => {
  const nowhere = new LocalEmbedder({ modelDir: '/nowhere' });
  onTestFinished(() => nowhere.close());
  await expect(nowhere.ready()).rejects.toThrow("file /nowhere/onnx/model_quantized.onnx can't be read; reinstall the service");
});

test('without settings the embedder is this model, with a cache for queries', async () => {
  const made = createEmbedder({});
  onTestFinished(() => made.close());
  expect(made.gauges()).toMatchObject({ threads: 0 });
  const first = await made.embed(['again and again'], { priority: 'query' });
  expect(await made.embed(['again and again'], { priority: 'query' })).toEqual(first);
  expect(made.gauges()).toMatchObject({ threads: 1, texts_total: 1, cache_hits_total: 1 });
  expect(made.model).toBe('all-MiniLM-L6-v2-int8+tokens');
  expect(createEmbedder({ tokenVectors: false }).model).toBe('all-MiniLM-L6-v2-int8');
});
