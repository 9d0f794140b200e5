import { expect, test } from 'vitest';
import { normalize } from './embedder.ts';
import { quantize } from './quantize.ts';

const one = Float32Array.from({ length: 384 }, (_, index) => Math.sin(index * 1.7));
normalize(one);

function valuesOf(blob: Uint8Array): Float32Array {
  const scale = new DataView(blob.buffer).getFloat32(0, true);
  return Float32Array.from(new Int8Array(blob.buffer, 4), (component) => component * scale);
}

test('a blob is four bytes of scale and one for each component', () => {
  const blob = quantize(Float32Array.of(0.5, -1, 0, 1));
  expect(blob).toHaveLength(8);
  expect(new DataView(blob.buffer).getFloat32(0, true)).toBeCloseTo(1 / 127, 8);
  expect([...new Int8Array(blob.buffer, 4)]).toEqual([64, -127, 0, 127]);
});

test('a vector is kept to within half a step', () => {
  const step = Math.max(...one.map(Math.abs)) / 127;
  for (const [index, value] of valuesOf(quantize(one)).entries())
    expect(Math.abs(value - (one[index] as number))).toBeLessThanOrEqual(step / 2 + 1e-7);
});

test('zeros stay zeros', () => {
  expect([...valuesOf(quantize(new Float32Array(3)))]).toEqual([0, 0, 0]);
});
