import { expect, test } from 'vitest';
import { commitHashOf, promptHandleOf, renderRefusal, versionSelectorOf } from './rules.ts';

test.for([
  ['Greeting', 'greeting'],
  ['  Hello,   World! ', 'hello-world'],
  ['Grüße & Küsse', 'grüße-küsse'],
  ['日本語プロンプト v2', '日本語プロンプト-v2'],
  ['ПРИВЕТ', 'привет'],
  ['٣ أسئلة', '٣-أسئلة'],
  ['e\u0301te\u0301', 'été'],
  ['a_b.c/d', 'a-b-c-d'],
  ['🙂 ok 🙂', 'ok'],
  ['A'.repeat(150), 'a'.repeat(100)],
  [`${'a'.repeat(99)} bcd`, 'a'.repeat(99)],
  ['𝒜'.repeat(120), '𝒜'.repeat(100)],
] as const)('the handle of %j is %j', ([name, handle]) => {
  expect(promptHandleOf(name)).toBe(handle);
});

test.for(['???', '🙂', '- _ -', ''])('%j has no letter or digit, and so no handle', (name) => {
  expect(() => promptHandleOf(name)).toThrow('Name must contain a letter or a digit');
});

test.for([
  [undefined, 'latest'],
  ['', 'latest'],
  ['LATEST', 'latest'],
  ['Production', 'production'],
  ['3', 3],
  ['v3', 3],
  ['V3', 3],
  ['999999999', 999_999_999],
] as const)('version %j selects %j', ([text, selector]) => {
  expect(versionSelectorOf(text)).toBe(selector);
});

test.for(['0', 'v0', '-1', '1.5', '3x', 'vv3', 'v', 'newest', '1e3', '0x1', '99999999999999999999', 'latest,production'])(
  'version %j is refused',
  (text) => {
    expect(() => versionSelectorOf(text)).toThrow('Version must be latest, production or a number such as 3 or v3');
  },
);

test('a commit hash is of type, content, config and parent, and of nothing else', () => {
  const hashes = [
    commitHashOf('text', 'a', {}, null),
    commitHashOf('chat', 'a', {}, null),
    commitHashOf('text', 'b', {}, null),
    commitHashOf('text', 'a', { t: 1 }, null),
    commitHashOf('text', 'a', {}, 'abcdef012345'),
  ];
  expect(new Set(hashes).size).toBe(hashes.length);
  for (const hash of hashes) expect(hash).toMatch(/^[0-9a-f]{12}$/);
  expect(commitHashOf('text', 'a', {}, null)).toBe(hashes[0]);
});

test('a refusal names what is missing and what is unknown, and counts the rest', () => {
  const few = (names: string[], more = 0) => ({ names, more });
  const message = (missing: string[], unknown: string[], more = 0) =>
    renderRefusal({ refused: 'values', missing: few(missing, more), unknown: few(unknown) }).message;
  expect(message(['a', 'c'], [])).toBe('Variables do not match the prompt; missing: a, c');
  expect(message([], ['x', 'y'])).toBe('Variables do not match the prompt; unknown: x, y');
  expect(message(['a'], ['x'])).toBe('Variables do not match the prompt; missing: a; unknown: x');
  expect(message(['a'], ['x'], 7)).toBe('Variables do not match the prompt; missing: a and 7 more; unknown: x');
  const names = Array.from({ length: 20 }, (_, index) => `v${index}`);
  expect(renderRefusal({ refused: 'values', missing: few(names), unknown: few(names) }).details).toHaveLength(20);
});
