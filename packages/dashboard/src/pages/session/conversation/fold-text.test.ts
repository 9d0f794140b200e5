import { expect, test } from 'vitest';
import { foldText } from './fold-text.ts';

test('a short text is whole, a long one or one of many lines is folded', () => {
  expect(foldText('Hello')).toBeUndefined();
  expect(foldText('x'.repeat(3_000))).toBeUndefined();
  expect(foldText('x'.repeat(60_000))).toHaveLength(1_200);
  expect(foldText('\n'.repeat(300))?.split('\n').length).toBe(16);
});

test('a fold never cuts a character in two', () => {
  for (const before of ['', 'a']) expect(foldText(before + '🍞'.repeat(2_000))?.isWellFormed()).toBe(true);
});
