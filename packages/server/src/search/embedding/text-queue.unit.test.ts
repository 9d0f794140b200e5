import { expect, test } from 'vitest';
import { EmbedCall, TextQueue } from './text-queue.ts';

function call(lane: string, count: number, text = 'x'): EmbedCall {
  return new EmbedCall(
    Array.from({ length: count }, (_, index) => `${lane}${index}${text}`),
    'background',
    lane,
  );
}
const textsOf = (items: readonly { text: string }[]) => items.map(({ text }) => text);

test('text by text the workspaces take turns, within a long document too', () => {
  const queue = new TextQueue();
  queue.add(call('a', 100).items);
  expect(textsOf(queue.take(2, 1_000))).toEqual(['a0x', 'a1x']);
  queue.add(call('b', 1).items);
  queue.add(call('c', 2).items);
  expect(textsOf(queue.take(6, 1_000))).toEqual(['a2x', 'b0x', 'c0x', 'a3x', 'c1x', 'a4x']);
  expect([queue.size, queue.sizeOf('a'), queue.sizeOf('b')]).toEqual([95, 95, 0]);
  expect(queue.characters).toBe(textsOf(queue.take(1_000, 1_000_000)).join('').length);
  expect(queue.characters).toBe(0);
});

test('a group ends at its number of characters, and has one text at least', () => {
  const queue = new TextQueue();
  queue.add(call('a', 3, 'y'.repeat(100)).items);
  expect(queue.take(16, 10)).toHaveLength(1);
  expect(queue.take(16, 204)).toHaveLength(2);
});

test('what failed goes first in its lane and alone; what is settled is dropped', () => {
  const queue = new TextQueue();
  const [failed, given] = [call('a', 2), call('a', 5)];
  queue.add(given.items);
  for (const item of failed.items) item.failures++;
  queue.putBack(failed.items);
  expect(textsOf(queue.take(16, 1_000))).toEqual(['a0x']);
  given.embedded.catch(() => undefined);
  given.fail(new Error('given up'));
  queue.dropSettled();
  expect(textsOf(queue.take(16, 1_000))).toEqual(['a1x']);
  expect([queue.size, queue.characters]).toEqual([0, 0]);
});
