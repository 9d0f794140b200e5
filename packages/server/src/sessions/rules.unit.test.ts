import { expect, test } from 'vitest';
import { labelsKey, selectorOf, unnamedLabels } from './rules.ts';

test('a label set has one key, whatever the order, and no other set has it', () => {
  expect(labelsKey({ a: '1', b: '2' })).toBe(labelsKey({ b: '2', a: '1' }));
  const sets = [
    {},
    { a: '1' },
    { a: '2' },
    { b: '1' },
    { a: '1', b: '2' },
    { a: '2', b: '1' },
    { 'a":"1': '' },
    { a: '', b: '' },
    { ab: '' },
  ];
  expect(new Set(sets.map(labelsKey)).size).toBe(sets.length);
});

test('only a session made without an id, and with labels, holds its label set against others', () => {
  expect(unnamedLabels(false, { a: '1' })).toBe(labelsKey({ a: '1' }));
  expect(unnamedLabels(true, { a: '1' })).toBe(null);
  expect(unnamedLabels(false, {})).toBe(null);
});

test.for([
  [
    { id: 'x', limit: '1', offset: '2', customer: '42' },
    { externalId: 'x', labels: { customer: '42' } },
  ],
  [
    { id: ['first', 'second'], a: ['1', '2'] },
    { externalId: 'first', labels: { a: '1' } },
  ],
  [{ id: '' }, { externalId: undefined, labels: {} }],
  [
    { '': 'no key', a: '' },
    { externalId: undefined, labels: { a: '' } },
  ],
  [undefined, { externalId: undefined, labels: {} }],
])('the query %j selects %j', ([query, selector]) => {
  expect(selectorOf(query)).toEqual(selector);
});
