import { expect, test } from 'vitest';
import { ScopeMemory } from './scope-memory.ts';

test('those that were used least recently make room, of whatever thread they are', () => {
  const memory = new ScopeMemory(100);
  expect(memory.note('a', 40)).toEqual([]);
  expect(memory.note('b', 40)).toEqual([]);
  expect(memory.note('a', 50)).toEqual([]);
  expect(memory.note('c', 30)).toEqual(['b']);
  expect(memory.total).toBe(80);
  expect(memory.note('d', 90)).toEqual(['a', 'c']);
});

test('the one that grows is never dropped for itself, and one that is held fast for no one', () => {
  const memory = new ScopeMemory(100);
  memory.pin('a#');
  memory.note('a#1', 60);
  memory.note('b#1', 30);
  expect(memory.note('c#1', 200)).toEqual(['b#1']);
  memory.pin(undefined);
  expect(memory.note('c#1', 200)).toEqual(['a#1']);
});

test('what went with its thread counts no more', () => {
  const memory = new ScopeMemory(100);
  memory.note('a', 60);
  memory.note('b', 30);
  memory.forgetAll((name) => name === 'a');
  expect(memory.total).toBe(30);
  memory.forget('b');
  memory.forget('b');
  expect(memory.total).toBe(0);
});
