import { expect, test } from 'vitest';
import { LONGEST_KNOWN, UNKNOWN, Vocabulary } from './vocabulary.ts';

const unitsOf = (word: string) => Uint16Array.from(word, (letter) => letter.charCodeAt(0));

function keep(vocabulary: Vocabulary, word: string, hash: number, terms: readonly string[]): void {
  const numbers = terms.map((term) => vocabulary.numberOf(term));
  vocabulary.keep(unitsOf(word), 0, word.length, hash, numbers);
}

function find(vocabulary: Vocabulary, word: string, hash: number): string[] | undefined {
  const into = new Uint32Array(LONGEST_KNOWN);
  const end = vocabulary.copyTerms(unitsOf(word), 0, word.length, hash, into, 0);
  return end === UNKNOWN ? undefined : Array.from(into.subarray(0, end), (term) => vocabulary.textOf(term));
}

test('words that share a hash have each their own terms', () => {
  const vocabulary = new Vocabulary();
  keep(vocabulary, 'kettles', 7, ['kettl']);
  keep(vocabulary, 'cups', 7, ['cup']);
  keep(vocabulary, 'kettle', 7, ['kettl', 'more']);
  expect(find(vocabulary, 'kettles', 7)).toEqual(['kettl']);
  expect(find(vocabulary, 'cups', 7)).toEqual(['cup']);
  expect(find(vocabulary, 'kettle', 7)).toEqual(['kettl', 'more']);
  expect(find(vocabulary, 'saucer', 7)).toBeUndefined();
  expect(find(vocabulary, 'cups', 8)).toBeUndefined();
});

test('of very many words that share a hash only some are kept, so that nobody looks through all of them', () => {
  const vocabulary = new Vocabulary();
  const words = Array.from({ length: 1_000 }, (_, index) => `word${index}`);
  for (const word of words) keep(vocabulary, word, 7, [word]);
  const found = words.map((word) => find(vocabulary, word, 7));
  expect(found.filter((terms) => terms !== undefined)).toHaveLength(32);
  expect(found.every((terms, index) => terms === undefined || terms[0] === words[index])).toBe(true);
});

test('what is kept is bounded, and all of it is forgotten at once', () => {
  const vocabulary = new Vocabulary();
  const hashOf = (index: number) => Math.imul(index, 0x9e3779b1);
  const words = Array.from({ length: 40_000 }, (_, index) => `word${index}`);
  for (const [index, word] of words.entries()) keep(vocabulary, word, hashOf(index), [word]);
  expect(words.filter((word, index) => find(vocabulary, word, hashOf(index))?.[0] === word).length).toBeLessThanOrEqual(32_768);
  vocabulary.setId(0, 1, 5);
  expect(vocabulary.idOf(0, 1)).toBe(5);
  expect(vocabulary.idOf(0, 2)).toBeUndefined();
  vocabulary.forgetIfFull();
  expect(vocabulary.termCount).toBe(0);
  expect(words.some((word, index) => find(vocabulary, word, hashOf(index)))).toBe(false);
  expect(vocabulary.numberOf('anew')).toBe(0);
  expect(vocabulary.idOf(0, 1)).toBeUndefined();
  keep(vocabulary, 'word7', hashOf(7), ['seven']);
  expect(find(vocabulary, 'word7', hashOf(7))).toEqual(['seven']);
});

test('long words are not kept', () => {
  const vocabulary = new Vocabulary();
  keep(vocabulary, 'x'.repeat(LONGEST_KNOWN), 1, ['x']);
  keep(vocabulary, 'y'.repeat(LONGEST_KNOWN + 1), 2, ['y']);
  expect(find(vocabulary, 'x'.repeat(LONGEST_KNOWN), 1)).toEqual(['x']);
  expect(find(vocabulary, 'y'.repeat(LONGEST_KNOWN + 1), 2)).toBeUndefined();
});
