import { describe, expect, test } from 'vitest';
import { rfc3339, types } from './types.ts';

describe('times', () => {
  test.each([
    ['2026-11-15 02:24:50+00', '2026-11-15T02:24:50.000Z'],
    ['2026-11-15 02:24:50.1+00', '2026-11-15T02:24:50.100Z'],
    ['2026-11-15 02:24:50.12+00', '2026-11-15T02:24:50.120Z'],
    ['2026-11-15 02:24:50.123+00', '2026-11-15T02:24:50.123Z'],
    ['2026-11-15 02:24:50.123999+00', '2026-11-15T02:24:50.123Z'],
    ['infinity', 'infinity'],
    ['12026-11-15 02:24:50+00', '12026-11-15 02:24:50+00'],
  ])('%s becomes %s', (stored, expected) => {
    expect(rfc3339(stored)).toBe(expected);
  });
});

test('numbers become numbers, JSON and days stay text, bytes become bytes', () => {
  const parse = (oid: number, stored: string) => types.getTypeParser(oid, 'text')(stored);
  expect(parse(20, '9007199254740991')).toBe(9007199254740991);
  expect(parse(1700, '1.25')).toBe(1.25);
  expect(parse(114, '{"b":1,"a":2}')).toBe('{"b":1,"a":2}');
  expect(parse(3802, '{"a": 2}')).toBe('{"a": 2}');
  expect(parse(1082, '2026-11-15')).toBe('2026-11-15');
  expect(parse(17, '\\x00ff')).toStrictEqual(Buffer.from([0, 255]));
  expect(parse(16, 't')).toBe(true);
});

test('in binary form whole numbers become numbers, and bytes stay as they are', () => {
  const parse = (oid: number, stored: Buffer) => types.getTypeParser(oid, 'binary')(stored as never) as unknown;
  expect(parse(20, Buffer.from('001fffffffffffff', 'hex'))).toBe(Number.MAX_SAFE_INTEGER);
  expect(parse(20, Buffer.from('fffffffffffffff9', 'hex'))).toBe(-7);
  expect(parse(23, Buffer.from('0000002a', 'hex'))).toBe(42);
  expect(parse(21, Buffer.from('fffe', 'hex'))).toBe(-2);
  const bytes = Buffer.from([0, 255, 128]);
  expect(parse(17, bytes)).toBe(bytes);
});
