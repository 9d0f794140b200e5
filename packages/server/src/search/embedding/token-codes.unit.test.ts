import { expect, test } from 'vitest';
import { codeTokens, MOST_CODES, questionTokensOf } from './token-codes.ts';
import type { EncodedText } from './tokenizer.ts';

const DIMENSIONS = 16;
/** Of one bit each, so that a token is known by its place. */
const statesOf = (tokens: number) =>
  Float32Array.from({ length: tokens * DIMENSIONS }, (_, i) => (i % DIMENSIONS === Math.floor(i / DIMENSIONS) ? 0.5 : -0.25));
/** [CLS] the storm ##y night . [SEP] */
const text: EncodedText = { ids: [1, 10, 11, 12, 13, 14, 2], words: ['the', 'stormy', 'night', '.'], starts: [1, 2, 4, 5] };

test('each token of a word that says something has a code: a bit for each component above 0', () => {
  const codes = codeTokens(statesOf(7), text, DIMENSIONS);
  // Tokens 2 and 3 are "stormy", 4 is "night".
  expect([...codes]).toEqual([0b100, 0, 0b1000, 0, 0b10000, 0]);
});

test('words that were cut off have no code, nor has a text without any', () => {
  const cut: EncodedText = { ...text, ids: [1, 10, 11, 2] };
  expect([...codeTokens(statesOf(4), cut, DIMENSIONS)]).toEqual([0b100, 0]);
  expect(codeTokens(statesOf(2), { ids: [1, 2], words: [], starts: [] }, DIMENSIONS)).toHaveLength(0);
});

test('the tokens of a question are kept in figures, relative to the largest', () => {
  const { words, starts, components } = questionTokensOf(statesOf(7), text, DIMENSIONS);
  expect({ words, starts }).toEqual({ words: text.words, starts: text.starts });
  expect(components).toHaveLength(7 * DIMENSIONS);
  expect(components[2 * DIMENSIONS + 2]).toBe(127);
  expect(components[2 * DIMENSIONS + 3]).toBe(-63);
  expect([...questionTokensOf(new Float32Array(DIMENSIONS), { ids: [1], words: [], starts: [] }, DIMENSIONS).components]).toEqual(
    Array(DIMENSIONS).fill(0),
  );
});

test('a long text has no more codes than are worth it', () => {
  const words = Array.from({ length: 250 }, (_, i) => `word${i}`);
  const long: EncodedText = { ids: Array(252).fill(1), words, starts: words.map((_, i) => i + 1) };
  expect(codeTokens(statesOf(252), long, DIMENSIONS)).toHaveLength((MOST_CODES * DIMENSIONS) / 8);
});
