import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { assemble } from './assemble-for-test.ts';
import { compareCodes, encodeRows, KERNEL_BYTES, multiply, multiplySome, QUERY_CODE_STEP } from './kernel.ts';

const STRIDE = 128;
const component = fc.integer({ min: -128, max: 127 });
const rowsOf = (count: number) => fc.int8Array({ minLength: count * STRIDE, maxLength: count * STRIDE });

test('products are those of plain arithmetic', () => {
  const query = fc.array(fc.integer({ min: -1023, max: 1023 }), { minLength: STRIDE, maxLength: STRIDE });
  fc.assert(
    fc.property(rowsOf(5), query, (rows, components) => {
      const expected = [0, 1, 2, 3, 4].map((row) =>
        components.reduce((sum, value, i) => sum + value * (rows[row * STRIDE + i] as number), 0),
      );
      const out = new Int32Array(5);
      multiply(rows, STRIDE, 5, Int16Array.from(components), out);
      expect([...out]).toEqual(expected);
      const some = new Int32Array(2);
      multiplySome(rows, STRIDE, Uint32Array.of(4, 1), Int16Array.from(components), some);
      expect([...some]).toEqual([expected[4], expected[1]]);
    }),
  );
});

test('more rows than a block has room for', () => {
  const count = 5_000;
  const rows = new Int8Array(count * STRIDE).map((_, i) => (i * 31) % 127);
  const out = new Int32Array(count);
  multiply(rows, STRIDE, count, new Int16Array(STRIDE).fill(1), out);
  const last = rows.subarray((count - 1) * STRIDE).reduce((sum, value) => sum + value, 0);
  expect(out[count - 1]).toBe(last);
});

test('a code has a bit for each component above its threshold', () => {
  const thresholds = fc.array(component, { minLength: STRIDE, maxLength: STRIDE });
  fc.assert(
    fc.property(rowsOf(3), thresholds, (rows, bounds) => {
      const codes = new Uint8Array((3 * STRIDE) / 8);
      encodeRows(rows, STRIDE, 3, Int8Array.from(bounds), codes);
      rows.forEach((value, i) => {
        expect(((codes[i >> 3] as number) >> (i & 7)) & 1).toBe(value > (bounds[i % STRIDE] as number) ? 1 : 0);
      });
    }),
  );
});

test('a distance is the weight of the differing bits', () => {
  const query = new Uint8Array(2 * QUERY_CODE_STEP);
  query[0] = 0b0001; // code
  query[8] = 0b0011; // weights: 1 + 4, 1, 2, 0
  query[16] = 0b0100;
  query[24] = 0b0001;
  const out = new Int32Array(3);
  const codes = new Uint8Array(48);
  codes[0] = 0b0001;
  codes[16] = 0b1110;
  compareCodes(codes, 16, 3, query, out);
  expect([...out]).toEqual([0, 8, 5]);
});

test('the module is what its text says', () => {
  const text = readFileSync(new URL('./kernel.wat', import.meta.url), 'utf8');
  expect(assemble(text)).toEqual(KERNEL_BYTES);
  expect(assemble(text.replace('i32.const 8', 'i32.const 16'))).not.toEqual(KERNEL_BYTES);
});
