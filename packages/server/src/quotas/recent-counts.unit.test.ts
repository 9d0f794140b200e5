import { expect, test } from 'vitest';
import { RecentCounts } from './recent-counts.ts';
import { noCounts } from './rules.ts';

test('a count is kept for two seconds, or for fifty times what it took, also where it failed', async () => {
  const scene = { nowMs: 0, counted: 0, tookMs: 0, fails: false };
  const clock = { nowMs: () => scene.nowMs, monotonicMs: () => scene.nowMs };
  const counts = new RecentCounts(clock, async () => {
    scene.counted++;
    scene.nowMs += scene.tookMs;
    if (scene.fails) throw new Error('the database is away');
    return { ...noCounts, messages: scene.counted };
  });
  const find = async () => (await counts.find('w')).messages;
  expect(await Promise.all([find(), find()])).toEqual([1, 1]);
  scene.nowMs += 1_999;
  expect(await find()).toBe(1);
  scene.nowMs += 1;
  scene.tookMs = 1_000;
  expect(await find()).toBe(2);
  scene.nowMs += 49_999;
  expect(await find()).toBe(2);
  scene.nowMs += 1;
  Object.assign(scene, { tookMs: 0, fails: true });
  for (let times = 0; times < 3; times++) await expect(find()).rejects.toThrow('away');
  expect(scene.counted).toBe(3);
  Object.assign(scene, { nowMs: scene.nowMs + 2_000, fails: false });
  expect(await find()).toBe(4);
});
