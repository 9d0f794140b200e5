import { expect, test } from 'vitest';
import {
  chatMessagesOf,
  commitHashOf,
  diffOf,
  promptHandleOf,
  render,
  requireMatchingValues,
  variablesOf,
  versionSelectorOf,
} from './rules.ts';

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

test('variables are named once each, in the order of their first use', () => {
  expect(variablesOf('text', '{{b}} {{ a }} {{b}} {{größe}} {{user.name}} {{x-y}} {{_1}}')).toEqual([
    'b',
    'a',
    'größe',
    'user.name',
    'x-y',
    '_1',
  ]);
  expect(variablesOf('text', '{a} {{}} {{ }} {{a b}} {{{c}}} {{#if}} {{-x}}')).toEqual(['c']);
  expect(variablesOf('text', '')).toEqual([]);
});

test('variables of a chat are those of its contents, however its JSON is escaped', () => {
  const escaped = '[{"role":"user","content":"{{gr\\u00f6\\u00dfe}} {{a}}"},{"role":"{{who}}","content":"\\u007b\\u007bb}}"}]';
  expect(variablesOf('chat', escaped)).toEqual(['größe', 'a', 'b']);
  expect(variablesOf('chat', 'no chat at all: {{a}}')).toEqual(['a']);
  expect(variablesOf('text', escaped)).toEqual(['a', 'who']);
});

test('values fill placeholders and nothing else, once', () => {
  const values = { a: '{{b}} $& $1', b: 0, c: false };
  expect(render('{{a}}|{{ b }}|{{c}}|{x}|{{}}', values)).toBe('{{b}} $& $1|0|false|{x}|{{}}');
});

test('missing and unknown values are all named', () => {
  const check = (variables: string[], values: Record<string, string>) => () => requireMatchingValues(variables, values);
  expect(check(['a', 'b'], { a: '', b: '' })).not.toThrow();
  expect(check(['a', 'b', 'c'], { b: '' })).toThrow('Variables do not match the prompt; missing: a, c');
  expect(check([], { x: '', y: '' })).toThrow('Variables do not match the prompt; unknown: x, y');
  expect(check(['a'], { x: '' })).toThrow('Variables do not match the prompt; missing: a; unknown: x');
  expect(check(['constructor', 'toString'], {})).toThrow('missing: constructor, toString');
});

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

test.for([
  '',
  'text',
  '{}',
  '[1]',
  '[{"role":"user"}]',
  '[{"content":"x"}]',
  '[{"role":1,"content":"x"}]',
  '[{"role":"user","content":"x"}',
])('%j is no chat', (content) => {
  expect(() => chatMessagesOf(content)).toThrow('A chat prompt must be a JSON array of {role, content} to be rendered');
});

test('a diff has the lines that went, came and stayed', () => {
  const { unified, changes } = diffOf({ name: 'p v1', content: 'one\ntwo\nthree\n' }, { name: 'p v2', content: 'one\n2\nthree\nfour\n' });
  expect(changes).toEqual([
    { kind: 'same', text: 'one\n' },
    { kind: 'removed', text: 'two\n' },
    { kind: 'added', text: '2\n' },
    { kind: 'same', text: 'three\n' },
    { kind: 'added', text: 'four\n' },
  ]);
  expect(unified.split('\n').slice(1)).toEqual(['--- p v1', '+++ p v2', '@@ -1,3 +1,4 @@', ' one', '-two', '+2', ' three', '+four', '']);
  expect(diffOf({ name: 'a', content: 'x' }, { name: 'b', content: 'x' })).toEqual({ unified: '', changes: [{ kind: 'same', text: 'x' }] });
});
