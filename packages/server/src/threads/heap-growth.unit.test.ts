import { expect, onTestFinished, test } from 'vitest';
import { HeapGrowth } from './heap-growth.ts';

test('heaps grow slowly while the main one is large, and freely again afterwards', () => {
  const growth = new HeapGrowth();
  onTestFinished(() => growth.stop());
  const isSlowAt = (megabytes: number) => {
    growth.adjust(megabytes * 1024 * 1024);
    return growth.isSlow;
  };
  expect([100, 144, 145, 1_000, 100].map(isSlowAt)).toEqual([false, false, true, true, false]);
  growth.adjust(2 ** 30);
  growth.stop();
  expect(growth.isSlow).toBe(false);
});
