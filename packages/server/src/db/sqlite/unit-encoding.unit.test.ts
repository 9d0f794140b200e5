import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Unit } from './protocol.ts';
import { UnitDecoder, UnitEncoder } from './unit-encoding.ts';

const anyParam = fc.oneof(fc.string(), fc.double({ noNaN: true }), fc.constant(null), fc.bigInt({ min: -5n, max: 5n }), fc.uint8Array());
const anyCall = fc.tuple(fc.constantFrom('select 1', 'select 2', 'insert'), fc.array(anyParam, { maxLength: 4 }), fc.boolean());
const anyUnits = fc.array(fc.array(anyCall, { maxLength: 3 }), { maxLength: 4 });

/** As the main thread sends them: whole numbers as numbers. */
const sent = (units: Unit[]): Unit[] =>
  units.map((unit) =>
    unit.map(([text, params, guarded]) => [text, params.map((param) => (typeof param === 'bigint' ? Number(param) : param)), guarded]),
  );
/** As SQLite takes them. */
const stored = (units: Unit[]): Unit[] =>
  units.map((unit) =>
    unit.map(([text, params, guarded]) => [
      text,
      params.map((param) => (typeof param === 'number' && Number.isSafeInteger(param) ? BigInt(param) : param)),
      guarded,
    ]),
  );

test('what is decoded is what was encoded, whichever answers came in between', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(anyUnits, fc.boolean()), { maxLength: 6 }), (groups) => {
      const encoder = new UnitEncoder();
      const decoder = new UnitDecoder();
      for (const [units, isAnswered] of groups as [Unit[], boolean][]) {
        const encoded = encoder.encode(sent(units));
        expect(decoder.decode(structuredClone(encoded.flat))).toEqual(stored(units));
        if (isAnswered) encoder.confirm(encoded);
      }
    }),
  );
});

test('a text is sent until the writer has answered, and then no more', () => {
  const encoder = new UnitEncoder();
  const units: Unit[] = [[['select 1', [], false]]];
  const first = encoder.encode(units);
  expect(first.flat).toContain('select 1');
  expect(encoder.encode(units).flat).toContain('select 1');
  encoder.confirm(first);
  expect(encoder.encode(units).flat).not.toContain('select 1');
});

test('no more than a thousand texts are numbered, and none that is very long', () => {
  const encoder = new UnitEncoder();
  const decoder = new UnitDecoder();
  const long: Unit[] = [[[`select '${'x'.repeat(40_000)}'`, [], false]]];
  for (let number = 0; number < 1_200; number++) {
    const units: Unit[] = [[[`select ${number}`, [], false]], ...long];
    const encoded = encoder.encode(units);
    expect(decoder.decode(encoded.flat)).toEqual(units);
    encoder.confirm(encoded);
  }
  const isTold = (number: number) => typeof encoder.encode([[[`select ${number}`, [], false]]]).flat[2] === 'string';
  expect([isTold(0), isTold(999), isTold(1_000), isTold(1_199)]).toEqual([false, false, true, true]);
  expect(encoder.encode(long).flat).toContain(long[0]?.[0]?.[0]);
});
