import { expect, test } from 'vitest';
import { LaneLimiter } from './lane-limiter.ts';
import { LaneQueue } from './lane-queue.ts';

test('lanes take turns, and the items of a lane keep their order', () => {
  const queue = new LaneQueue<string>();
  for (const item of ['a1', 'a2', 'a3', 'a4', 'b1', 'c1', 'b2']) queue.push(item.slice(0, 1), item);
  expect([queue.size, queue.sizeOf('a'), queue.peek()]).toEqual([7, 4, 'a1']);
  const taken = Array.from({ length: 3 }, () => queue.shift());
  // Who comes late waits for one turn of each, not for all that was lined up.
  queue.push('d', 'd1');
  while (queue.size > 0) taken.push(queue.shift());
  expect(taken).toEqual(['a1', 'b1', 'c1', 'a2', 'b2', 'd1', 'a3', 'a4']);
  expect(queue.shift()).toBeUndefined();
});

test('what is put back comes first in its lane; what is dropped is gone', () => {
  const queue = new LaneQueue<string>();
  for (const item of ['a1', 'a2', 'b1']) queue.push(item.slice(0, 1), item);
  queue.putBack('a', 'a0');
  queue.putBack('c', 'c0');
  queue.drop((item) => item === 'b1' || item === 'a1');
  expect(queue.size).toBe(3);
  expect([queue.shift((lane) => lane !== 'a'), queue.shift(), queue.shift(), queue.shift()]).toEqual(['c0', 'a0', 'a2', undefined]);
});

/** Work that ends when it is told to. */
function work(limiter: LaneLimiter, log: string[]) {
  const ends = new Map<string, () => void>();
  const begin = (name: string) => {
    const run = async () => {
      log.push(name);
      await new Promise<void>((end) => ends.set(name, end));
    };
    return limiter.run(name.slice(0, 1), run);
  };
  const end = async (name: string) => {
    ends.get(name)?.();
    await new Promise(setImmediate);
  };
  return { begin, end };
}

test('a lane has so many places, and another lane has its own', async () => {
  const limiter = new LaneLimiter({ inFlightOfLane: 2, waitingOfLane: 2, refusal: () => new Error('full') });
  const log: string[] = [];
  const { begin, end } = work(limiter, log);
  const all = ['a1', 'a2', 'a3', 'a4'].map(begin);
  await expect(begin('a5')).rejects.toThrow('full');
  all.push(begin('b1'));
  expect(log).toEqual(['a1', 'a2', 'b1']);
  await end('a2');
  expect(log).toEqual(['a1', 'a2', 'b1', 'a3']);
  for (const name of ['a1', 'a3', 'b1', 'a4']) await end(name);
  await Promise.all(all);
  expect(limiter.waiting).toBe(0);
});

test('where all places are taken, the lanes that wait take turns; a failure gives its place back', async () => {
  const limiter = new LaneLimiter({ inFlight: 1, inFlightOfLane: 1 });
  const log: string[] = [];
  const { begin, end } = work(limiter, log);
  const failing = limiter.run('a', async () => {
    throw new Error('broken');
  });
  const all = ['a1', 'a2', 'a3', 'b1', 'c1'].map(begin);
  await expect(failing).rejects.toThrow('broken');
  for (const name of ['a1', 'b1', 'c1', 'a2', 'a3']) {
    await new Promise(setImmediate);
    await end(name);
  }
  await Promise.all(all);
  expect(log).toEqual(['a1', 'b1', 'c1', 'a2', 'a3']);
});
