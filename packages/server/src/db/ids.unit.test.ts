import { afterEach, expect, test, vi } from 'vitest';
import { isId, newId, newIdAt } from './ids.ts';

const version7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const momentOf = (id: string) => Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16);

afterEach(() => void vi.useRealTimers());

test('ids are UUIDs version 7 of now, each its own, and sort in the order of their making', () => {
  const before = Date.now();
  const ids = Array.from({ length: 50_000 }, newId);
  expect(ids.filter((id) => !version7.test(id))).toEqual([]);
  expect(new Set(ids).size).toBe(ids.length);
  expect(ids.toSorted()).toEqual(ids);
  expect(momentOf(ids[0] as string)).toBeGreaterThanOrEqual(before);
});

test('ids for a moment are UUIDs version 7 of that moment, as early and as late as they can be', () => {
  for (const ms of [0, 1, Date.parse('1999-12-31T23:59:59.999Z'), Date.now(), Date.parse('9999-12-31T23:59:59.999Z')]) {
    const id = newIdAt(ms);
    expect(id).toMatch(version7);
    expect(momentOf(id)).toBe(ms);
  }
});

test('ids for moments sort by the moment first, whenever they were made', () => {
  const moments = Array.from({ length: 2000 }, (_, index) => 1_600_000_000_000 + ((index * 7919) % 2000));
  const ids = moments.map(newIdAt);
  expect(ids.toSorted().map(momentOf)).toEqual(moments.toSorted((one, other) => one - other));
});

test('ids for one past moment sort in the order of their making', () => {
  const ids = Array.from({ length: 20_000 }, () => newIdAt(1_600_000_000_000));
  expect(ids.toSorted()).toEqual(ids);
});

test('ids for one moment sort in the order of their making, though the clock moves on meanwhile', () => {
  const startMs = Date.now() + 60_000;
  for (let round = 0; round < 200; round++) {
    const ms = startMs + round * 10;
    const ids: string[] = [];
    // As a batch does that begins within a millisecond and ends in the next, or a message brought along later for a time that is taken.
    for (const laterMs of [0, 1, 2, 8]) {
      vi.useFakeTimers({ now: ms + laterMs });
      ids.push(newIdAt(ms), newIdAt(ms), newIdAt(ms));
    }
    expect(ids.toSorted(), `round ${round}`).toEqual(ids);
  }
});

test.for([
  ['0199a7c4-3b1e-7c52-9d6f-2f4f0f6f1c11', true],
  ['0199A7C4-3B1E-7C52-9D6F-2F4F0F6F1C11', true],
  ['0199a7c43b1e7c529d6f2f4f0f6f1c11', false],
  ['{0199a7c4-3b1e-7c52-9d6f-2f4f0f6f1c11}', false],
  ['0199a7c4-3b1e-7c52-9d6f-2f4f0f6f1c1g', false],
  [' 0199a7c4-3b1e-7c52-9d6f-2f4f0f6f1c11', false],
  ['0199a7c4-3b1e-7c52-9d6f-2f4f0f6f1c11\n', false],
  ['', false],
] as const)('%j is an id: %s', ([text, expected]) => {
  expect(isId(text)).toBe(expected);
});
