import { expect, test } from 'vitest';
import { areaPath, barPaths, labelledSteps, linePath, scaleTo } from './chart-scale.ts';

test.each([
  [0, true, [1, 0]],
  [1, true, [1, 0]],
  [3, true, [3, 2, 1, 0]],
  [4, true, [4, 3, 2, 1, 0]],
  [7, true, [8, 6, 4, 2, 0]],
  [130, true, [150, 100, 50, 0]],
  [8_806, true, [10_000, 7_500, 5_000, 2_500, 0]],
  [0.9, false, [1, 0.75, 0.5, 0.25, 0]],
])('up to %d (whole: %s) the ticks are %j', (most, whole, ticks) => expect(scaleTo(most, whole).ticks).toEqual(ticks));

test('a scale holds what it is for, and has few ticks', () => {
  for (let most = 1; most < 100_000; most = Math.ceil(most * 1.37)) {
    const { top, ticks } = scaleTo(most, true);
    expect(top).toBeGreaterThanOrEqual(most);
    expect(ticks.length).toBeLessThanOrEqual(6);
    for (const tick of ticks) expect(Number.isInteger(tick)).toBe(true);
  }
});

const scale = scaleTo(4, true);

test('a line has a gap where nothing was measured, and a dot for what stands alone', () => {
  expect(linePath([0, 4, null, 2, null], scale)).toBe('M0 100L25 0M75 50h0.01');
  expect(linePath([null, null], scale)).toBe('');
  expect(areaPath([0, 4, null], scale)).toBe('M0 100L0 100L50 0L50 100Z');
});

test('bars lie on top of each other', () => {
  expect(
    barPaths(
      [
        [2, null],
        [2, 4],
      ],
      scale,
    ),
  ).toEqual(['M7 50h36V100h-36Z', 'M7 0h36V50h-36ZM57 0h36V100h-36Z']);
});

test.each([
  [1, [0]],
  [5, [0, 1, 2, 3, 4]],
  [7, [0, 2, 4, 6]],
  [30, [5, 13, 21, 29]],
])('of %d steps these are named: %j', (count, named) => expect(labelledSteps(count, 5)).toEqual(named));
