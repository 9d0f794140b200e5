import { expect, test } from 'vitest';
import type { QuestionTokens } from '../../embedding/embedder.ts';
import { sequence } from '../index-for-test.ts';
import { TokenSimilarities, tokenQuery } from './token-part.ts';

const DIMENSIONS = 384;
const next = sequence(7);
const direction = () => Float64Array.from({ length: DIMENSIONS }, () => next() + next() + next() - 1.5);
const near = (vector: Float64Array, noise: number) => vector.map((component) => component + noise * (next() - 0.5));

function codesOf(...vectors: Float64Array[]): Uint8Array {
  const codes = new Uint8Array((vectors.length * DIMENSIONS) / 8);
  for (const [row, vector] of vectors.entries())
    for (const [i, component] of vector.entries())
      if (component > 0) codes[(row * DIMENSIONS + i) >> 3] = (codes[(row * DIMENSIONS + i) >> 3] as number) | (1 << (i & 7));
  return codes;
}

/** A word for each vector, between two tokens that are of none. */
function questionOf(words: readonly string[], vectors: readonly Float64Array[]): QuestionTokens {
  const components = new Int8Array((vectors.length + 2) * DIMENSIONS);
  for (const [row, vector] of vectors.entries()) {
    const most = Math.max(...vector.map(Math.abs));
    for (const [i, component] of vector.entries()) components[(row + 1) * DIMENSIONS + i] = Math.round((component / most) * 127);
  }
  return { words, starts: words.map((_, i) => i + 1), components };
}

const [tea, night, stone] = [direction(), direction(), direction()];
const values: Readonly<Record<string, number>> = { tea: 4, night: 1 };
const weightOfTerm = (term: string) => values[term] ?? 0;

function similarities(question: QuestionTokens, items: readonly Uint8Array[]): TokenSimilarities {
  const query = tokenQuery(question, DIMENSIONS, weightOfTerm);
  if (!query) throw new Error('No token counts');
  return new TokenSimilarities(query, items);
}

test('a token is met by the most similar one of an item, as far as bits tell', () => {
  const found = similarities(questionOf(['tea'], [tea]), [
    codesOf(stone, near(tea, 0.1), night),
    codesOf(stone, night),
    codesOf(near(tea, 2)),
  ]);
  expect(found.of([0])).toBeGreaterThan(0.7);
  expect(Math.abs(found.of([1]))).toBeLessThan(0.2);
  expect(found.of([2])).toBeGreaterThan(found.of([1]));
  expect(found.of([2])).toBeLessThan(found.of([0]));
});

test('it comes near to the cosine of what the question has in figures and the item in signs', () => {
  for (let round = 0; round < 20; round++) {
    const [asked, said] = [direction(), near(tea, 3 * next())];
    const signs = said.map((component) => (component > 0 ? 1 : -1));
    const exact =
      asked.reduce((sum, component, i) => sum + component * (signs[i] as number), 0) / Math.hypot(...asked) / Math.sqrt(DIMENSIONS);
    expect(Math.abs(similarities(questionOf(['tea'], [asked]), [codesOf(said)]).of([0]) - exact)).toBeLessThan(0.05);
  }
});

test('a word counts by how much it says, and one that says nothing not at all', () => {
  const items = [codesOf(tea), codesOf(night), codesOf(stone)];
  const found = similarities(questionOf(['tea', 'night', 'stone'], [tea, night, stone]), items);
  expect(found.of([0])).toBeGreaterThan(3 * found.of([1]));
  expect(Math.abs(found.of([2]))).toBeLessThan(0.2);
  expect(tokenQuery(questionOf(['stone'], [stone]), DIMENSIONS, weightOfTerm)).toBeUndefined();
});

test('a word that the model reads as several tokens counts once', () => {
  const [first, second] = [direction(), direction()];
  const together: QuestionTokens = { ...questionOf(['tea', 'night'], [first, second, night]), starts: [1, 3] };
  const weights = tokenQuery(together, DIMENSIONS, () => 4)?.tokens.map(({ weight }) => weight);
  expect(weights).toEqual([4, 2, 2]);
});

test('items that are read together have the best of both; one without tokens has nothing', () => {
  const found = similarities(questionOf(['tea', 'night'], [tea, night]), [codesOf(tea), codesOf(night), new Uint8Array(0)]);
  expect(found.of([0, 1])).toBeGreaterThan(Math.max(found.of([0]), found.of([1])));
  expect(found.of([2])).toBe(-1);
  expect(found.of([0, 2])).toBe(found.of([0]));
});

test('a pasted page costs no more than the tokens that say most', () => {
  const words = Array.from({ length: 300 }, (_, i) => (i % 2 ? 'night' : 'tea'));
  const query = tokenQuery(
    questionOf(
      words,
      words.map((word) => (word === 'tea' ? tea : night)),
    ),
    DIMENSIONS,
    weightOfTerm,
  );
  expect(query?.tokens).toHaveLength(48);
  expect(new Set(query?.tokens.map(({ weight }) => weight))).toEqual(new Set([4]));
});
