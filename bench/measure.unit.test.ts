import { expect, test } from 'vitest';
import { dealOut } from './dealing.ts';
import { type Measure, ratioSpread, spreadOf } from './measure.ts';
import { amount, range, ratio } from './rates.ts';
import { measureOnce } from './rounds.ts';

test('a spread is the median with the lowest and the highest', () => {
  expect(spreadOf([30, 10, 20])).toEqual({ median: 20, lowest: 10, highest: 30 });
  expect(spreadOf([1, 4])).toEqual({ median: 2.5, lowest: 1, highest: 4 });
});

test('a ratio is taken within each round, not between the medians', () => {
  // A round in which the machine was slow for both sides changes nothing.
  const spread = ratioSpread([100, 10, 60], [200, 40, 100], (value) => value);
  expect(spread).toEqual({ median: 0.5, lowest: 0.25, highest: 0.6 });
});

test('a ratio of unlike numbers of rounds is refused', () => {
  expect(() => ratioSpread([1, 2], [1], (value) => value)).toThrow('as many rounds');
});

test('processor time is given for one of what the rate counts', async () => {
  const measure: Measure = { seconds: 2, perSecond: 50, p50Ms: 1, p99Ms: 2 };
  const clock = [1, 4];
  const cpuSeconds = () => clock.shift();
  const round = await measureOnce({ name: 'batches', each: 100, cpuSeconds, run: async () => measure }, 2);
  expect(round.perSecond).toBe(5_000);
  expect(round.cpuMicros).toBeCloseTo(300);
});

test('processor time that the system does not tell is not a number', async () => {
  const measure: Measure = { seconds: 1, perSecond: 10, p50Ms: 1, p99Ms: 2 };
  const round = await measureOnce({ name: 'one', cpuSeconds: () => undefined, run: async () => measure }, 1);
  expect(round.cpuMicros).toBeNaN();
});

test('with as many requests as callers, each caller repeats its own', () => {
  expect(dealOut(['a', 'b', 'c'], 3)).toEqual([['a'], ['b'], ['c']]);
});

test('more requests than callers are dealt out, and none is left over', () => {
  expect(dealOut(['a', 'b', 'c', 'd', 'e'], 2)).toEqual([
    ['a', 'c', 'e'],
    ['b', 'd'],
  ]);
});

test('callers share where there are fewer requests', () => {
  expect(dealOut(['a', 'b'], 3)).toEqual([['a'], ['b'], ['a']]);
});

test('figures are shown with the digits that say something', () => {
  expect([amount(12_345.6), amount(3.14), amount(Number.NaN)]).toEqual(['12,346', '3.1', '–']);
  expect([ratio(0.336), ratio(12.34), ratio(480.4), ratio(Number.POSITIVE_INFINITY)]).toEqual(['0.34', '12.3', '480', '–']);
  expect(range({ median: 2, lowest: 1, highest: 3 }, ratio)).toBe('1.00–3.00');
});
