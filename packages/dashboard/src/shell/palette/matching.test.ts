import { expect, test } from 'vitest';
import { bestMatches, matchScore } from './matching.ts';

const names = (typed: string, labels: string[]) =>
  bestMatches(
    typed,
    labels.map((label) => ({ label })),
  ).map(({ label }) => label);

test('letters in their order match, and others do not', () => {
  expect(matchScore('cak', 'Create access key')).toBeGreaterThan(0);
  expect(matchScore('kca', 'Create access key')).toBeUndefined();
  expect(matchScore('', 'anything')).toBe(0);
  expect(matchScore('crk', 'Background work'), 'letters that happen to be there').toBeUndefined();
});

test.each([
  ['ses', ['Access keys', 'Sessions'], 'Sessions'],
  ['key', ['Monkey business', 'Access keys'], 'Access keys'],
  ['np', ['Background jump', 'New prompt'], 'New prompt'],
  ['KNOW', ['Unknown', 'Knowledge'], 'Knowledge'],
])('%j finds the best of %j', (typed, labels, best) => {
  expect(names(typed, labels)[0]).toBe(best);
});

test('other words for a command find it, after those that are called so', () => {
  const items = [{ label: 'Switch theme', words: 'dark light' }, { label: 'Dark rye order' }];
  expect(bestMatches('dark', items).map(({ label }) => label)).toEqual(['Dark rye order', 'Switch theme']);
});
