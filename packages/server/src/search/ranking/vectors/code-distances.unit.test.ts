import { expect, test } from 'vitest';
import { CodeDistances } from './code-distances.ts';

const ABSENT = 100;
const everyone = (count: number) => new Uint8Array(count).fill(1);

test('the nearest are those, equally near ones included, who may be answers and have a vector', () => {
  const distances = new CodeDistances(Int32Array.of(7, 3, ABSENT, 3, 9, 1), ABSENT, 6, 0);
  expect(distances.nearest(everyone(6), 2)).toEqual([1, 3, 5]);
  expect(distances.nearest(Uint8Array.of(1, 1, 1, 0, 1, 0), 1)).toEqual([1]);
  expect(distances.nearest(everyone(6), 50)).toEqual([0, 1, 3, 4, 5]);
});

test('of very many about as many are found as are asked for, and all where few may be answers', () => {
  const size = 300_000;
  const distances = new CodeDistances(
    Int32Array.from({ length: size }, (_, slot) => (slot * 7919) % 97),
    ABSENT,
    size,
    0,
  );
  const found = distances.nearest(everyone(size), 9_000).length;
  expect(found).toBeGreaterThanOrEqual(9_000);
  expect(found).toBeLessThan(9_000 + (2 * size) / 97);
  const few = new Uint8Array(size).fill(1, 1_000, 1_030);
  expect(distances.nearest(few, 2_000)).toEqual(Array.from({ length: 30 }, (_, n) => 1_000 + n));
});

test.for([0, 1])('of very many of whom every second may be an answer, about as many', (odd) => {
  const size = 300_000;
  const values = Int32Array.from({ length: size }, (_, slot) => (slot * 7919) % 97);
  const everySecond = Uint8Array.from({ length: size }, (_, slot) => (slot % 2 === odd ? 1 : 0));
  const found = new CodeDistances(values, ABSENT, size, 0).nearest(everySecond, 9_000).length;
  expect(found).toBeGreaterThanOrEqual(8_000);
  expect(found).toBeLessThan(9_000 + size / 97);
});

test('estimates are 1 for the same code, the mean at the mean distance, and no number without a vector', () => {
  const out = new Float64Array(4).fill(-1);
  new CodeDistances(Int32Array.of(0, 20, ABSENT, 10), ABSENT, 4, 0.2).estimate(Uint32Array.of(0, 2, 3), out);
  expect(out[0]).toBeCloseTo(1);
  expect(out[1]).toBe(-1);
  expect(out[2]).toBeNaN();
  expect(out[3]).toBeCloseTo(0.2);
});

test('what is known exactly is as far as its estimate tells', () => {
  const out = new Float64Array(5);
  const distances = new CodeDistances(Int32Array.of(400, 440, 360, 0, 0), 2_000, 3, 0.1);
  distances.set(3, 0.7);
  distances.set(4, undefined);
  distances.estimate(Uint32Array.of(3, 4), out);
  expect(out[3]).toBeCloseTo(0.7, 2);
  expect(out[4]).toBeNaN();
  expect(distances.nearest(everyone(5), 1)).toEqual([3]);
});
