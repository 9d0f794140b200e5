import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { runInLane } from './current-lane.ts';
import { LoopTurns } from './loop-turns.ts';

test('each has a turn of the event loop of its own, and the lanes take turns', async () => {
  const turns = new LoopTurns();
  const order: string[] = [];
  let turn = 0;
  const turnsTaken: number[] = [];
  const takeIn = (lane: string) =>
    runInLane(lane, () => turns.take()).then(() => {
      order.push(lane);
      turnsTaken.push(turn);
    });
  const all = [takeIn('crowd'), takeIn('crowd'), takeIn('crowd'), takeIn('neighbour')];
  while (order.length < all.length) {
    turn++;
    await nextTurn();
  }
  await Promise.all(all);
  expect(order).toEqual(['crowd', 'neighbour', 'crowd', 'crowd']);
  expect(new Set(turnsTaken).size).toBe(all.length);
});
