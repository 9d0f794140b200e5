import { expect, test } from 'vitest';
import { normalize } from './embedder.ts';
import { dequantize, quantize, similarity } from './quantize.ts';

function unit(values: number[]): Float32Array {
  const vector = Float32Array.from(values);
  normalize(vector);
  return vector;
}

const one = unit(Array.from({ length: 384 }, (_, index) => Math.sin(index * 1.7)));
const other = unit(Array.from({ length: 384 }, (_, index) => Math.cos(index * 0.9) + Math.sin(index * 1.7)));

test('a blob is four bytes of scale and one for each component', () => {
  const blob = quantize(Float32Array.of(0.5, -1, 0, 1));
  expect(blob).toHaveLength(8);
  expect(new DataView(blob.buffer).getFloat32(0, true)).toBeCloseTo(1 / 127, 8);
  expect([...new Int8Array(blob.buffer, 4)]).toEqual([64, -127, 0, 127]);
});

test('a vector comes back to within half a step', () => {
  const step = Math.max(...one.map(Math.abs)) / 127;
  const back = dequantize(quantize(one));
  for (const [index, value] of back.entries()) expect(Math.abs(value - (one[index] as number))).toBeLessThanOrEqual(step / 2 + 1e-7);
});

test('the similarity is that of the whole vectors, nearly', () => {
  const exact = one.reduce((sum, value, index) => sum + value * (other[index] as number), 0);
  expect(exact).toBeGreaterThan(0.3);
  expect(Math.abs(similarity(one, quantize(other)) - exact)).toBeLessThan(0.002);
  expect(similarity(one, quantize(one))).toBeCloseTo(1, 3);
});

test('a blob may lie anywhere in a larger buffer', () => {
  const blob = quantize(one);
  const larger = new Uint8Array(blob.length + 11);
  larger.set(blob, 7);
  const view = larger.subarray(7, 7 + blob.length);
  expect(similarity(other, view)).toBe(similarity(other, blob));
  expect(dequantize(view)).toEqual(dequantize(blob));
});

test('zeros stay zeros', () => {
  expect([...dequantize(quantize(new Float32Array(3)))]).toEqual([0, 0, 0]);
  expect(similarity(Float32Array.of(1, 2, 3), quantize(new Float32Array(3)))).toBe(0);
});

test('vectors of different dimensions are not compared, nor is what is no vector', () => {
  expect(() => similarity(Float32Array.of(1, 0), quantize(one))).toThrow('384 dimensions was compared with one of 2');
  expect(() => dequantize(new Uint8Array(3))).toThrow('3 bytes is too short');
});
