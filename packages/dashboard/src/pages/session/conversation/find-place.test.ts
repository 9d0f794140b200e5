import { expect, test } from 'vitest';
import { findPlace } from './find-place.ts';

const DIGITS = 12;

/** As the service makes them: the time first. */
function idAt(timeMs: number, serial: number): string {
  const time = timeMs.toString(16).padStart(DIGITS, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}-7000-8000-${serial.toString(16).padStart(DIGITS, '0')}`;
}

function listOf(times: readonly number[]) {
  const ids = times.map(idAt);
  let reads = 0;
  const read = async (offset: number) => {
    reads++;
    return ids.slice(offset, offset + 100).map((id) => ({ id }));
  };
  return { ids, read, reads: () => reads };
}

const evenly = Array.from({ length: 100_000 }, (_, at) => 1_700_000_000_000 + at * 60_000);
/** Nearly all within one second, after years of silence. */
const crowded = evenly.map((_, at) => (at < 10 ? at : 1_700_000_000_000 + Math.floor(at / 100)));

test.each([
  ['evenly spread', evenly],
  ['crowded', crowded],
])('finds every message among 100,000 that are %s, with few questions', async (_, times) => {
  const { ids, read, reads } = listOf(times);
  const known = [0, 99_999].map((at) => ({ at, id: ids[at] as string }));
  for (const place of [0, 1, 99, 100, 31_337, 50_000, 99_998, 99_999]) {
    const before = reads();
    expect(await findPlace(ids[place] as string, { total: ids.length, known, read })).toBe(place);
    expect(reads() - before).toBeLessThanOrEqual(20);
  }
});

test('a message that is not there is at no place, wherever it would be', async () => {
  const { ids, read } = listOf(evenly.slice(0, 1_000));
  for (const timeMs of [0, evenly[500] as number, evenly[999] as number])
    expect(await findPlace(idAt(timeMs, 77_777), { total: ids.length, known: [], read })).toBe(-1);
  expect(await findPlace(idAt(1, 1), { total: 0, known: [], read: async () => [] })).toBe(-1);
});

test('a list that others shortened meanwhile ends the search', async () => {
  const { ids, read } = listOf(evenly.slice(0, 300));
  expect(await findPlace(ids[299] as string, { total: 10_000, known: [], read })).toBe(299);
  expect(await findPlace(idAt(evenly[299] as number, 9_999), { total: 10_000, known: [], read })).toBe(-1);
});
