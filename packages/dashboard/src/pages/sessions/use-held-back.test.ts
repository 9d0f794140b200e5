import type { Session } from '@commonplace/client';
import { expect, test } from 'vitest';
import { parseLabel } from '../session/details/parse-label.ts';
import { countNewRows } from './use-held-back.ts';

const pageOf = (...rows: readonly (readonly [id: string, lastActivityAt: string])[]) => ({
  total: rows.length,
  sessions: rows.map(([id, lastActivityAt]) => ({ id, lastActivityAt }) as Session),
});

test('rows that are new, or active again, count; those that only moved down do not', () => {
  const shown = pageOf(['b', '2'], ['a', '1']);
  expect(countNewRows(shown, shown)).toBe(0);
  expect(countNewRows(shown, pageOf(['c', '3'], ['b', '2'], ['a', '1']))).toBe(1);
  expect(countNewRows(shown, pageOf(['a', '4'], ['c', '3'], ['b', '2']))).toBe(2);
});

test('a label is a key and a value, which may have an equals sign', () => {
  expect(parseLabel('customer=42')).toEqual({ name: 'customer', value: '42' });
  expect(parseLabel(' query = a=b ')).toEqual({ name: 'query', value: 'a=b' });
  expect(parseLabel('empty=')).toEqual({ name: 'empty', value: '' });
  for (const text of ['customer', '=42', '']) expect(parseLabel(text)).toBeUndefined();
});
