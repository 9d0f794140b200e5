import { expect, test } from 'vitest';
import { delayMs, LONGEST_RETRY_AFTER_MS, retryAfterMs } from './retries.ts';

const nowMs = Date.parse('2026-11-15T09:30:00Z');
const after = (value: string) => retryAfterMs(new Headers({ 'retry-after': value }), nowMs);

test.for([
  ['2', 2000],
  ['0', 0],
  ['0.5', 500],
  ['Sun, 15 Nov 2026 09:30:03 GMT', 3000],
  ['Sun, 15 Nov 2026 09:29:00 GMT', 0],
  ['soon', undefined],
  ['', undefined],
] as const)('Retry-After “%s” is %s ms', ([value, ms]) => {
  expect(after(value)).toBe(ms);
});

test('the delay is anything up to a bound that doubles, to a most', () => {
  const bounds = [0, 1, 2, 3, 4, 5, 6, 7].map((retry) => delayMs(retry, undefined, () => 1));
  expect(bounds).toEqual([250, 500, 1000, 2000, 4000, 8000, 8000, 8000]);
  expect(delayMs(5, undefined, () => 0)).toBe(0);
});

test('nobody comes before Retry-After, and not all at once after it', () => {
  expect(delayMs(0, 5000, () => 0)).toBe(5000);
  expect(delayMs(0, 5000, () => 1)).toBe(5250);
});

test('who is asked to wait for longer than a minute is told so', () => {
  expect(delayMs(0, LONGEST_RETRY_AFTER_MS, () => 0)).toBe(60_000);
  expect(delayMs(0, LONGEST_RETRY_AFTER_MS + 1, () => 0)).toBeUndefined();
});
