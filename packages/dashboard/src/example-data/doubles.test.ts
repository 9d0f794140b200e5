import { expect, test } from 'vitest';
import { doublesOf, removeDoubles } from './doubles.ts';
import { markedBy } from './marks.ts';

const piece = (id: string, mark?: string) => ({ id, meta: mark === undefined ? {} : markedBy(mark) });

test('of each piece the one with the lowest id stays, in whatever order they come', () => {
  const pieces = [piece('3', 'a'), piece('1', 'a'), piece('2', 'b'), piece('4', 'a'), piece('5', 'b')];
  const ids = ['3', '4', '5'];
  expect(doublesOf(pieces).map(({ id }) => id)).toEqual(ids);
  expect(doublesOf(pieces.toReversed()).map(({ id }) => id)).toEqual(ids.toReversed());
});

test('what has no mark is never a double: people wrote it', async () => {
  const removed: string[] = [];
  const pieces = [piece('1', 'a'), piece('2'), piece('3'), { id: '4', meta: null }, { id: '5', meta: { example: 7 } }, piece('6', 'a')];
  await removeDoubles(pieces, async (id) => void removed.push(id));
  expect(removed).toEqual(['6']);
});
