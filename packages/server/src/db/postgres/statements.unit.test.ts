import { expect, test } from 'vitest';
import { StatementNames } from './statements.ts';

const used = (names: StatementNames, text: string) => {
  names.nameOf(text);
  return names.nameOf(text);
};

test('a text has a name from its second use on, always the same, and another text another', () => {
  const names = new StatementNames();
  expect(names.nameOf('select 1')).toBeUndefined();
  const name = names.nameOf('select 1');
  expect(name).toMatch(/^\w[\w-]{10,40}$/);
  expect(names.nameOf('select 1')).toBe(name);
  expect(used(names, 'select 2')).not.toBe(name);
});

test('the number of names is bounded, and those given stay', () => {
  const names = new StatementNames();
  const first = used(names, 'select 0');
  const given = Array.from({ length: 1_000 }, (_, n) => used(names, `select ${n}`)).filter((name) => name !== undefined);
  expect(given).toHaveLength(500);
  expect(names.nameOf('select 0')).toBe(first);
  expect(names.nameOf('select 999')).toBeUndefined();
});

test('texts used once take no name from those used often', () => {
  const names = new StatementNames();
  for (let n = 0; n < 10_000; n++) names.nameOf(`select ${n}`);
  expect(used(names, 'select often')).toBeDefined();
});

test('renewed names differ from those before', () => {
  const names = new StatementNames();
  const before = used(names, 'select 1');
  names.renew();
  const after = used(names, 'select 1');
  expect(after).toBeDefined();
  expect(after).not.toBe(before);
});
