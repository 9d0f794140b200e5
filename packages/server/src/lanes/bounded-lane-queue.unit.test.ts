import fc from 'fast-check';
import { expect, test } from 'vitest';
import { BoundedLaneQueue } from './bounded-lane-queue.ts';

const roomy = { maxItems: 1_000, maxItemsOfLane: 1_000 };

function takeAllOneByOne<T>(queue: BoundedLaneQueue<T>): T[] {
  const taken: T[] = [];
  for (let item = queue.take(); item !== undefined; item = queue.take()) taken.push(item);
  return taken;
}

test('lanes are served in turn, and each in its own order', () => {
  const queue = new BoundedLaneQueue<string>(roomy);
  for (const name of ['a1', 'a2', 'a3', 'b1', 'b2', 'c1']) queue.add(name.charAt(0), name);
  expect(queue).toMatchObject({ length: 6, laneCount: 3 });
  expect(takeAllOneByOne(queue)).toEqual(['a1', 'b1', 'c1', 'a2', 'b2', 'a3']);
  expect(queue).toMatchObject({ length: 0, laneCount: 0 });
});

test('who comes late to a crowd of another lane waits for one of them at most', () => {
  const queue = new BoundedLaneQueue<string>(roomy);
  for (let index = 0; index < 500; index++) queue.add('crowd', `crowd ${index}`);
  queue.take();
  queue.add('neighbour', 'neighbour');
  expect([queue.take(), queue.take(), queue.take()]).toEqual(['crowd 1', 'neighbour', 'crowd 2']);
});

test('looking takes nothing, and shows what is taken next', () => {
  const queue = new BoundedLaneQueue<string>(roomy);
  expect(queue.peek()).toBeUndefined();
  queue.add('a', 'a1');
  queue.add('b', 'b1');
  expect([queue.peek(), queue.peek(), queue.take(), queue.peek()]).toEqual(['a1', 'a1', 'a1', 'b1']);
});

test('a lane that has its share is refused, and others are not', () => {
  const queue = new BoundedLaneQueue<string>({ maxItems: 100, maxItemsOfLane: 2 });
  expect(['a1', 'a2', 'a3'].map((name) => queue.add('a', name))).toEqual([[], [], ['a3']]);
  expect(queue.add('b', 'b1')).toEqual([]);
  expect(queue.refusedTotal).toBe(1);
});

test('when all is full, the last of the longest lane makes room for a shorter one', () => {
  const queue = new BoundedLaneQueue<string>({ maxItems: 6, maxItemsOfLane: 4 });
  for (const name of ['a1', 'a2', 'a3', 'b1', 'b2']) queue.add(name.charAt(0), name);
  expect(queue.add('c', 'c1')).toEqual([]);
  expect(queue.add('d', 'd1')).toEqual(['a3']);
  expect(queue.length).toBe(6);
  expect(queue.add('a', 'a4')).toEqual(['a4']);
  expect(takeAllOneByOne(queue)).toEqual(['a1', 'b1', 'c1', 'd1', 'a2', 'b2']);
});

test('who waits no longer leaves no gap', () => {
  const queue = new BoundedLaneQueue<string>({ maxItems: 3, maxItemsOfLane: 2 });
  for (const name of ['a1', 'a2', 'b1']) queue.add(name.charAt(0), name);
  queue.remove('a', 'a1');
  queue.remove('b', 'b1');
  queue.remove('b', 'b1');
  queue.remove('a', 'not there');
  expect(queue).toMatchObject({ length: 1, laneCount: 1 });
  expect(queue.add('a', 'a3')).toEqual([]);
  expect(takeAllOneByOne(queue)).toEqual(['a2', 'a3']);
});

test('bytes are shared out too, and one alone in its lane may be large', () => {
  const queue = new BoundedLaneQueue<string>({ ...roomy, maxBytes: 100, maxBytesOfLane: 40 });
  expect(queue.add('a', 'a1', 70)).toEqual([]);
  expect(queue.add('a', 'a2', 1)).toEqual(['a2']);
  expect(queue.add('b', 'b1', 20)).toEqual([]);
  expect(queue.add('b', 'b2', 20)).toEqual(['a1']);
  expect(queue.add('c', 'c1', 200)).toEqual(['c1']);
  expect(takeAllOneByOne(queue)).toEqual(['b1', 'b2']);
  expect(queue.add('c', 'c1', 200)).toEqual([]);
});

test('nothing is lost, and no lane waits longer than one turn of every other', () => {
  const steps = fc.array(fc.oneof(fc.constantFrom('a', 'b', 'c', 'd'), fc.constant('take')), { maxLength: 300 });
  fc.assert(
    fc.property(steps, (actions) => {
      const queue = new BoundedLaneQueue<{ lane: string; place: number }>({ maxItems: 20, maxItemsOfLane: 8 });
      const waiting = new Map<string, number[]>();
      const passedOver = new Map<string, number>();
      actions.forEach((action, place) => {
        if (action === 'take') {
          const taken = queue.take();
          if (!taken) return;
          expect(waiting.get(taken.lane)?.shift()).toBe(taken.place);
          passedOver.set(taken.lane, 0);
          for (const [lane, places] of waiting) {
            if (lane === taken.lane || places.length === 0) continue;
            passedOver.set(lane, (passedOver.get(lane) ?? 0) + 1);
            expect(passedOver.get(lane)).toBeLessThanOrEqual(3);
          }
          return;
        }
        waiting.set(action, [...(waiting.get(action) ?? []), place]);
        if (waiting.get(action)?.length === 1) passedOver.set(action, 0);
        for (const refused of queue.add(action, { lane: action, place })) expect(waiting.get(refused.lane)?.pop()).toBe(refused.place);
        expect(queue.length).toBe([...waiting.values()].reduce((sum, places) => sum + places.length, 0));
      });
    }),
    { seed: 1 },
  );
});
