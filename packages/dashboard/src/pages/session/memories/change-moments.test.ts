import { expect, test } from 'vitest';
import { momentsOf, readEverHeld, stopAt, stopsOf } from './change-moments.ts';

const at = (minute: number) => new Date(minute * 60_000).toISOString();
const ms = (minute: number) => minute * 60_000;
const memory = (id: string, from: number, until?: number, meta: unknown = {}) => ({
  id,
  createdAt: at(from),
  ...(until !== undefined && { supersededAt: at(until) }),
  meta,
});

test('what is made, replaced or over is a moment, once; what is still to expire is none', () => {
  const memories = [
    memory('porto', 5),
    memory('lisbon', 1, 5),
    { ...memory('truck', 2), expiresAt: at(7) },
    { ...memory('rye', 3), expiresAt: at(90) },
  ];
  expect(momentsOf(memories, ms(60))).toEqual([1, 2, 3, 5, 7].map(ms));
});

test('the first stop is before the first change, however early that is', () => {
  expect(stopsOf([ms(1), ms(5)], ms(1))).toEqual([ms(1) - 1, ms(1), ms(5)]);
  expect(stopsOf([ms(5)], ms(1))).toEqual([ms(1), ms(5)]);
  expect(stopsOf([], ms(1))).toEqual([ms(1)]);
});

test('a time stands at the change before it', () => {
  const stops = [ms(1), ms(5), ms(9)];
  expect([0, 1, 4, 5, 8, 9, 99].map((minute) => stopAt(stops, ms(minute)))).toEqual([0, 0, 0, 1, 1, 2, 2]);
});

test('what was replaced is found behind what replaced it, with few looks', async () => {
  const all = [
    memory('lisbon', 1, 3),
    memory('madrid', 3, 5, { history: [{ id: 'lisbon' }] }),
    memory('porto', 5, undefined, { history: [{ id: 'madrid' }, { id: 'lisbon' }] }),
    ...Array.from({ length: 50 }, (_, index) => memory(`fact ${index}`, 10 + index)),
  ];
  const looks: string[] = [];
  const listAt = async (time: string) => {
    looks.push(time);
    return all.filter((one) => one.createdAt <= time && (one.supersededAt === undefined || one.supersededAt > time));
  };
  const now = all.filter(({ supersededAt }) => supersededAt === undefined);
  const found = await readEverHeld(now, 4, listAt);
  expect(found.map(({ id }) => id)).toEqual(expect.arrayContaining(['lisbon', 'madrid', 'porto']));
  expect(looks.length).toBe(4);
  expect(await readEverHeld([], 4, listAt)).toEqual([]);
  expect(looks.length).toBe(4);
});
