/** Metas and filters on them, made at random so that many match, and what a filter means in plain JavaScript. */
import { isStorable } from '@commonplace/contract/lengths';
import type { Where, WhereScalar } from '@commonplace/contract/where';
import fc from 'fast-check';

/** Keys that a statement, a path or an object could take for something else. */
const KEYS = [
  'a',
  'b',
  'a.b',
  '$',
  '$.a',
  '"a"',
  "a'b",
  'a\\',
  'é',
  '🙂',
  ' ',
  '[0]',
  '0',
  '__proto__',
  'constructor',
  'a\nb',
  '%',
  'key',
  'values',
  'null',
];
const TEXTS = [
  '',
  '1',
  'x',
  "it's",
  '"x"',
  '\\',
  '\\u0000',
  '\\ud800',
  'é',
  'e\u0301',
  '🙂',
  '\ue000',
  'true',
  'null',
  'x'.repeat(300),
  'a\nb\u0001',
];
/** PostgreSQL has no such texts, and nobody can ask for them. */
const UNSTORABLE = ['\0', 'x\0', 'x\0y', '\ud800', '\udc00x', '\\\0', '\\\\\ud83d', '\0\0', '\0\\u0000'];
const NUMBERS = [0, -0, 1, -1, 1.5, 0.1, 1e21, 1e-7, 1e308, 5e-324, 2 ** 53, 123_456_789_012_345_680_000];

const anyKey = fc.constantFrom(...KEYS.slice(0, 2), ...KEYS);
const anyScalar = fc.oneof(fc.constantFrom(...TEXTS), fc.constantFrom(...NUMBERS), fc.boolean(), fc.constant(null));
const anyStored = fc.oneof({ arbitrary: anyScalar, weight: 6 }, { arbitrary: fc.constantFrom(...UNSTORABLE), weight: 1 });
const anyNested = fc.oneof(
  fc.dictionary(anyKey, anyStored, { maxKeys: 2 }),
  fc.array(fc.array(anyStored, { maxLength: 2 }), { maxLength: 2 }),
);
const anyStoredKey = fc.oneof({ arbitrary: anyKey, weight: 9 }, { arbitrary: fc.constantFrom(...UNSTORABLE), weight: 1 });

/** As it may be stored. */
export const anyMetaObject: fc.Arbitrary<object> = fc
  .array(
    fc.tuple(
      anyStoredKey,
      fc.oneof(
        { arbitrary: anyStored, weight: 4 },
        { arbitrary: fc.array(fc.oneof(anyStored, anyNested), { maxLength: 4 }), weight: 3 },
        anyNested,
      ),
    ),
    { maxLength: 5 },
  )
  .map((entries) => Object.fromEntries(entries));

export const anyWhere: fc.Arbitrary<Where> = fc
  .array(fc.tuple(anyKey, fc.oneof(anyScalar, fc.array(anyScalar, { minLength: 1, maxLength: 6 }))), { maxLength: 2 })
  .map((entries) => Object.fromEntries(entries));

export function matchesWhere(meta: unknown, where: Where): boolean {
  return Object.entries(where).every(([key, asked]) => {
    if (typeof meta !== 'object' || meta === null || !Object.hasOwn(meta, key)) return false;
    const held = (meta as Record<string, unknown>)[key];
    const wanted: WhereScalar[] = Array.isArray(asked) ? asked : [asked];
    return (Array.isArray(held) ? held : [held]).some((value) => wanted.some((scalar) => scalar === value));
  });
}

/** One that the meta matches, unless it has nothing that can be asked for. */
export function whereOf(meta: object): Where {
  const entries = Object.entries(meta).flatMap(([key, held]) =>
    (Array.isArray(held) ? held : [held]).map((value) => [key, value] as const),
  );
  const [asked] = entries.filter(([key, value]) => isStorable(key) && (typeof value === 'string' ? isStorable(value) : !isObject(value)));
  return asked ? { [asked[0]]: [asked[1] as WhereScalar, 'or another'] } : {};
}

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null;
}
