import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { LARGE_BYTES } from '../lanes/loop-turns.ts';
import { isLong, writePieces } from './answer-pieces.ts';

const PIECE = 64 * 1024;

describe('pieces', () => {
  test('are together what JSON.stringify makes of any answer', () => {
    const values = fc.oneof(fc.jsonValue(), fc.array(fc.jsonValue()), fc.constant(undefined));
    const answers = fc.dictionary(fc.string(), values, { noNullPrototype: true });
    fc.assert(fc.property(answers, (answer) => [...writePieces(answer)].join('') === JSON.stringify(answer)));
  });

  test('of a long list are short, and there is no empty one', () => {
    const answer = {
      messages: Array.from({ length: 500 }, (_, number) => ({ number, content: 'ü'.repeat(5_000) })),
      _meta: { total: 500 },
    };
    const pieces = [...writePieces(answer)];
    expect(pieces.join('')).toBe(JSON.stringify(answer));
    expect(pieces.length).toBeGreaterThan(30);
    for (const { length } of pieces) {
      expect(length).toBeGreaterThan(0);
      expect(length).toBeLessThan(PIECE + 5_100);
    }
  });

  test('are one where the answer is short', () => {
    expect([...writePieces({})]).toEqual(['{}']);
    expect([...writePieces({ items: [], of: undefined, name: 'x' })]).toEqual(['{"items":[],"name":"x"}']);
  });
});

test.for([
  [undefined, false],
  [null, false],
  ['x'.repeat(2 * LARGE_BYTES), false],
  [{ content: 'x'.repeat(2 * LARGE_BYTES) }, false],
  [{ labels: ['x', 'y'], items: [null, 1] }, false],
  [{ items: [{ content: 'x'.repeat(LARGE_BYTES) }] }, false],
  [{ items: [{ content: 'x'.repeat(LARGE_BYTES) }, { content: 'y' }] }, true],
  [{ _meta: {}, none: [], items: [{ content: 'x'.repeat(LARGE_BYTES + 1) }] }, true],
] as const)('which answers are long (%#)', ([answer, expected]) => {
  expect(isLong(answer)).toBe(expected);
});
