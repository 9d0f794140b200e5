import { expect, test } from 'vitest';
import { retryAfterMs } from './post.ts';

test('a Retry-After is a number of seconds or a date', () => {
  const nowMs = Date.parse('2026-11-15T10:00:00Z');
  expect(retryAfterMs('2', nowMs)).toBe(2_000);
  expect(retryAfterMs('Sun, 15 Nov 2026 10:00:07 GMT', nowMs)).toBe(7_000);
  expect(retryAfterMs('Sun, 15 Nov 2026 09:00:00 GMT', nowMs)).toBe(0);
  expect(retryAfterMs('soon', nowMs)).toBeUndefined();
  expect(retryAfterMs(null, nowMs)).toBeUndefined();
});
