import { expect, test } from 'vitest';
import { endAfter } from './ends.ts';

test.for([
  ['2026-03-31', '2026-03-10T23:00:00.000Z', '2026-04-01T00:00:00.000Z'],
  ['2026-03-10', '2026-03-10T23:00:00.000Z', '2026-03-11T00:00:00.000Z'],
  ['2028-02-29', '2026-03-10T00:00:00.000Z', '2028-03-01T00:00:00.000Z'],
  ['2126-01-01', '2026-03-10T00:00:00.000Z', '2126-01-02T00:00:00.000Z'],
  ['2026-03-09', '2026-03-10T00:00:00.000Z', undefined],
  ['2027-02-29', '2026-03-10T00:00:00.000Z', undefined],
  ['2026-13-01', '2026-03-10T00:00:00.000Z', undefined],
  ['9999-12-31', '2026-03-10T00:00:00.000Z', undefined],
  ['31 March', '2026-03-10T00:00:00.000Z', undefined],
  ['2026-03-31', 'once', undefined],
] as const)('what holds until %s, said at %s, ends at %s', ([lastDay, saidAt, end]) => {
  expect(endAfter(lastDay, saidAt)).toBe(end);
});
