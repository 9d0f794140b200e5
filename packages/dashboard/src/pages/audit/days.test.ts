import { expect, test } from 'vitest';
import { endOfDay, startOfDay } from './days.ts';

test('a day begins at its midnight and ends at the next, also over the end of a month', () => {
  expect(new Date(startOfDay('2026-11-30')).getHours()).toBe(0);
  expect(endOfDay('2026-11-30')).toBe(startOfDay('2026-12-01'));
  expect(endOfDay('2026-12-31')).toBe(startOfDay('2027-01-01'));
  expect(Date.parse(startOfDay('2026-11-30'))).toBeLessThan(Date.parse(endOfDay('2026-11-30')));
});
