import { expect, test } from 'vitest';
import { processorMsOf } from '../../test/processor-time.ts';
import { renderTemplate, variablesOf } from './templates.ts';

const text = (content: string) => ({ type: 'text', content }) as const;
const chat = (content: string) => ({ type: 'chat', content }) as const;
const MB = 1_000_000;

test('variables are named once each, in the order of their first use', () => {
  const [many, none, empty] = variablesOf([
    text('{{b}} {{ a }} {{b}} {{größe}} {{user.name}} {{x-y}} {{_1}}'),
    text('{a} {{}} {{ }} {{a b}} {{{c}}} {{#if}} {{-x}}'),
    text(''),
  ]);
  expect(many).toEqual(['b', 'a', 'größe', 'user.name', 'x-y', '_1']);
  expect(none).toEqual(['c']);
  expect(empty).toEqual([]);
});

test('variables of a chat are those of its contents, however its JSON is escaped', () => {
  const escaped = '[{"role":"user","content":"{{gr\\u00f6\\u00dfe}} {{a}}"},{"role":"{{who}}","content":"\\u007b\\u007bb}}"}]';
  expect(variablesOf([chat(escaped), chat('no chat at all: {{a}}'), text(escaped)])).toEqual([['größe', 'a', 'b'], ['a'], ['a', 'who']]);
});

test('values fill placeholders and nothing else, once', () => {
  const values = { a: '{{b}} $& $1', b: 0, c: false };
  expect(renderTemplate(text('{{a}}|{{ b }}|{{c}}|{x}|{{}}'), values)).toEqual({ text: '{{b}} $& $1|0|false|{x}|{{}}' });
  const said = '[{"role":"{{a}}","content":"{{a}}","name":"x"},{"role":"user","content":""}]';
  expect(renderTemplate(chat(said), { a: 1 })).toEqual({
    messages: [
      { role: '{{a}}', content: '1' },
      { role: 'user', content: '' },
    ],
  });
});

test.for([
  '',
  'text',
  '{}',
  '[1]',
  '[null]',
  '[{"role":"user"}]',
  '[{"content":"x"}]',
  '[{"role":1,"content":"x"}]',
  '[{"role":"user","content":"x"}',
])('%j is no chat', (content) => {
  expect(renderTemplate(chat(content), {})).toEqual({ refused: 'not-a-chat' });
});

test('values that do not match are named, twenty at most, and cut short', () => {
  const refusal = (content: string, values: Record<string, string>) => renderTemplate(text(content), values);
  const few = (...names: string[]) => ({ names, more: 0 });
  expect(refusal('{{a}}{{b}}{{c}}', { b: '', x: '' })).toEqual({ refused: 'values', missing: few('a', 'c'), unknown: few('x') });
  expect(refusal('{{constructor}}', {})).toEqual({ refused: 'values', missing: few('constructor'), unknown: few() });
  const names = Array.from({ length: 25 }, (_, index) => `v${index}`);
  expect(refusal(names.map((name) => `{{${name}}}`).join(''), {})).toMatchObject({ missing: { names: names.slice(0, 20), more: 5 } });
  expect(refusal(`{{${'a'.repeat(MB)}}}`, {})).toMatchObject({ missing: few(`${'a'.repeat(100)}…`) });
});

test('what is rendered has at most a million characters, of all messages together', () => {
  const value = 'x'.repeat(1000);
  const last = MB - 999 * 1000;
  const exactly = `${'{{a}}'.repeat(999)}${'y'.repeat(last)}`;
  expect(renderTemplate(text(exactly), { a: value })).toMatchObject({ text: expect.stringMatching(/^x{1000}/) });
  expect(renderTemplate(text(`${exactly}y`), { a: value })).toEqual({ refused: 'too-long' });
  const messages = (count: number) => JSON.stringify(Array.from({ length: count }, () => ({ role: 'user', content: '{{a}}' })));
  expect(renderTemplate(chat(messages(1000)), { a: value })).toHaveProperty('messages.999');
  expect(renderTemplate(chat(messages(1001)), { a: value })).toEqual({ refused: 'too-long' });
});

test('a size beyond all memory is refused before anything is built', () => {
  expect(renderTemplate(text('{{a}}'.repeat(200_000)), { a: 'x'.repeat(10 * MB) })).toEqual({ refused: 'too-long' });
});

const largest: [string, Parameters<typeof variablesOf>[0][number]][] = [
  ['one placeholder again and again', text('{{a}}'.repeat(MB / 5))],
  ['placeholders that all differ', text(Array.from({ length: MB / 10 }, (_, index) => `{{${index}}} `).join(''))],
  ['openings without an end', text('{{a '.repeat(MB / 4))],
  ['a name without an end', text(`{{${'a'.repeat(MB)}`)],
  ['spaces without an end', text(`{{a${' '.repeat(MB)}`)],
  ['an array of anything', chat(`[${'{},'.repeat(MB / 3)}{}]`)],
  ['an array in an array', chat('['.repeat(MB))],
];
test.for(largest)('variables of 1 MB take less than a second: %s', ([, template]) => {
  expect(processorMsOf(() => variablesOf([template]))).toBeLessThan(4_000);
});

test('30,000 values against 30,000 other variables take less than a second', () => {
  const names = Array.from({ length: 30_000 }, (_, index) => `name_${index}`);
  const content = names.map((name) => `{{${name}}}`).join('');
  const values = Object.fromEntries(names.map((name) => [`other_${name}`, '']));
  expect(processorMsOf(() => renderTemplate(text(content), values))).toBeLessThan(4_000);
});
