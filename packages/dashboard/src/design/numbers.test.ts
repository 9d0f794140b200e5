import { expect, test } from 'vitest';
import { formatBytes } from './numbers.ts';
import { formatMonth } from './time.tsx';

test.each([
  [0, '0 B'],
  [999, '999 B'],
  [1_000, '1 kB'],
  [1_450, '1.4 kB'],
  [65_536, '65 kB'],
  [999_999, '999 kB'],
  [1_000_000, '1 MB'],
  [1_990_000, '1.9 MB'],
  [2_097_152, '2 MB'],
  [10_900_000, '10 MB'],
  [5_000_000_000, '5 GB'],
  [5_000_000_000_000, '5000 GB'],
  [1_234.5, '1.2 kB'],
])('%d bytes are %s', (bytes, said) => expect(formatBytes(bytes)).toBe(said));

test('a month has a name, whatever the time zone', () => {
  expect(formatMonth('2026-11')).toBe('November 2026');
  expect(formatMonth('2026-01')).toBe('January 2026');
});
