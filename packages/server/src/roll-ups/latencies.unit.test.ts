import fc from 'fast-check';
import { expect, test } from 'vitest';
import { bucketOf, percentileOf } from './latencies.ts';

function histogramOf(...nodes: number[][]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const ms of nodes.flat()) counts.set(bucketOf(ms), (counts.get(bucketOf(ms)) ?? 0) + 1);
  return counts;
}

test('a time is in the bucket that ends at it or next above it', () => {
  expect([0, 1, 1.01, 7.5, 100, 60_000, 60_001].map(bucketOf)).toEqual(['1', '1', '2', '8', '100', '60000', 'longer']);
});

test('a percentile is that of all the times, of whichever node they are', () => {
  const [quick, slow] = [Array<number>(95).fill(10), Array<number>(5).fill(900)];
  const all = histogramOf(quick, slow);
  expect(percentileOf(all, 0.5)).toBeCloseTo(9.1, 1);
  expect(percentileOf(all, 0.95)).toBe(10);
  expect(percentileOf(all, 0.96)).toBeGreaterThan(800);
  expect(percentileOf(new Map(), 0.5)).toBeNull();
  expect(percentileOf(histogramOf([90_000]), 0.95)).toBe(60_000);
});

test('it is never off by more than the bucket that the true one lies in, which is a third of it at most above 3 ms', () => {
  fc.assert(
    fc.property(fc.array(fc.double({ min: 3, max: 60_000, noNaN: true }), { minLength: 1, maxLength: 200 }), (times) => {
      const sorted = times.toSorted((a, b) => a - b);
      for (const fraction of [0.5, 0.95]) {
        const exact = sorted[Math.ceil(fraction * sorted.length) - 1] as number;
        const estimate = percentileOf(histogramOf(times), fraction) as number;
        expect(
          bucketOf(estimate - 0.05) === bucketOf(exact) ||
            bucketOf(estimate + 0.05) === bucketOf(exact) ||
            bucketOf(estimate) === bucketOf(exact),
        ).toBe(true);
      }
    }),
  );
});
