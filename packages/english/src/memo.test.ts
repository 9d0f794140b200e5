import { expect, test, vi } from 'vitest';
import { memoOf, memoOfWords } from './memo.ts';

test('what was computed is not computed again, nor is nothing', () => {
  const compute = vi.fn((word: string) => (word === 'tea' ? word.length : undefined));
  const kept = memoOfWords(compute);
  expect([kept('tea'), kept('tea'), kept('oak'), kept('oak')]).toEqual([3, 3, undefined, undefined]);
  expect(compute).toHaveBeenCalledTimes(2);
});

test('long words are not kept', () => {
  const compute = vi.fn((word: string) => word.length);
  const kept = memoOfWords(compute);
  expect([kept('incomprehensible'), kept('incomprehensible')]).toEqual([16, 16]);
  expect(compute).toHaveBeenCalledTimes(2);
});

test('no more than so many results are kept, and none of a longer key', () => {
  const compute = vi.fn((text: string) => text.length);
  const kept = memoOf(compute, (text: string) => text, { most: 2, longest: 3 });
  for (const text of ['a', 'b', 'c', 'c', 'a', 'long', 'long']) expect(kept(text)).toBe(text.length);
  // With `c` there were too many: `a` was gone.
  expect(compute.mock.calls.flat()).toEqual(['a', 'b', 'c', 'a', 'long', 'long']);
});
