import { lineSchemas } from '@commonplace/contract/transfer';
import { expect, test } from 'vitest';
import { idAt, timelessId, timeOf } from './items.ts';

test('ids sort by time, then by index, and are of version 7', () => {
  const digest = Buffer.alloc(32, 0xff);
  const other = Buffer.alloc(32);
  const ids = [
    idAt(0, other),
    idAt(5, digest),
    idAt(5, other, 1),
    idAt(5, digest, 2 ** 20),
    idAt(5, other, 2 ** 31),
    idAt(6, other),
    idAt(2 ** 47, other),
  ];
  expect(ids.toSorted()).toEqual(ids);
  expect(timelessId(digest) < idAt(1, other)).toBe(true);
  for (const id of [...ids, timelessId(digest), timelessId(other)])
    expect(lineSchemas.end.safeParse({ of: 'session', id, lines: 0 }).success).toBe(true);
});

test('times in seconds, milliseconds and ISO 8601, and nothing else', () => {
  const nowMs = Date.parse('2026-01-01T00:00:00Z');
  const ms = Date.parse('2025-01-02T03:04:05.678Z');
  for (const value of [
    ms,
    ms / 1000,
    '2025-01-02T03:04:05.678Z',
    '2025-01-02T03:04:05.678999Z',
    '2025-01-02 03:04:05.678',
    '2025-01-02T05:04:05.678+02:00',
  ])
    expect(timeOf(value, nowMs), String(value)).toBe(ms);
  expect(timeOf('2025-01-02', nowMs)).toBe(Date.parse('2025-01-02T00:00:00Z'));
  for (const value of [-1, Number.NaN, nowMs + 1, '2025-13-02', 'yesterday', '', null, undefined, {}, true, '1'.repeat(100)])
    expect(timeOf(value, nowMs), String(value)).toBeUndefined();
});
