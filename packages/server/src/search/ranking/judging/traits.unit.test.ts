import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ASKS, BY_ASSISTANT, BY_USER, TELLS_NUMBER, TELLS_TIME, traitsOf } from './traits.ts';

const has = (trait: number) => (text: string) => (traitsOf(text, []) & trait) !== 0;
const [asks, tellsTime, tellsNumber] = [has(ASKS), has(TELLS_TIME), has(TELLS_NUMBER)];

test.for([
  'Is it yours?',
  'Is it yours? ',
  'You said "is it yours?"',
  '**Is it yours?**',
  'Is it yours?!',
  'Is it yours???',
  'Is it yours?…',
  'Is it yours? 😀',
  'Is it yours? 👩🏽‍🚀❤️',
  'Is it yours? 🇫🇷',
  'Is it yours? :)',
  'Is it yours? ;-) :D',
  'Is it yours? [shares a picture]',
  'Is it yours? [a picture] (and a song) 😀',
  'Is it yours? (just asking)',
  'Is it yours (the red one?)',
  'Nice [shares a picture]. Is it yours?',
  'これはあなたのものですか？',
  'これはあなたのものですか？（笑）',
  'هل هذا لك؟',
  'Really⁉️',
  'Coming❓',
  `${'a'.repeat(1_000_000)}?`,
])('it asks: %#', (text) => {
  expect(asks(text)).toBe(true);
});

test.for([
  '',
  ' ',
  ']',
  ')',
  '😀',
  'Is it yours? It is mine.',
  'It is mine. [is it yours?]',
  'It is mine :)',
  'I asked whether it is yours (who would not?), and went.',
  'see https://example.com/?q=1',
  `Is it yours? ${'a'.repeat(1_000_000)}`,
])('it does not ask: %#', (text) => {
  expect(asks(text)).toBe(false);
});

test.for([
  'We met yesterday',
  'We met on Monday',
  'We met last week',
  'We met the other day',
  'We met two days ago',
  'We met in May',
  'We met on 5 May',
  'We met May 5',
  'We met last March',
  'It was in the fall',
  'It was this spring',
  'It was that summer in Rome',
  'It was 2019',
  'It was at 5pm',
  'It was at 17:30',
  'It was on 2023-05-08',
  'It was on 5/8/23',
  'It took 30 seconds',
  'Ann: in June',
])('it tells a time: %s', (text) => {
  expect(tellsTime(text)).toBe(true);
});

test.for([
  '',
  'May I come?',
  'That may be',
  'This may take long',
  'One may say so',
  'They march on',
  'The march was long',
  'I fall asleep',
  'People that fall asleep',
  'Many fall ill',
  'A spring in the mattress',
  'On second thoughts, no',
  'The second thing',
  'a day-dream',
  'It costs 300',
  'version 1.2',
  'June: hello there',
  'April May: hello there',
])('it tells no time: %s', (text) => {
  expect(tellsTime(text)).toBe(false);
});

test.for(['I have one dog', 'We are three', '42', 'It costs $3.50', 'twice', 'a dozen eggs', 'one hundred', 'the 1st'])(
  'it tells a number: %s',
  (text) => {
    expect(tellsNumber(text)).toBe(true);
  },
);

test.for([
  '',
  'I have one',
  'I have one, and it is red',
  'This one is red',
  'No one came',
  'one of them',
  'One can say',
  'someone',
  'tenor',
])('it tells no number: %s', (text) => {
  expect(tellsNumber(text)).toBe(false);
});

test('what stands far within a long text is not looked for', () => {
  expect(traitsOf(`${'word '.repeat(300_000)} yesterday 42`, [])).toBe(0);
  expect(traitsOf(`yesterday 42 ${'word '.repeat(300_000)}`, [])).toBe(TELLS_TIME | TELLS_NUMBER);
});

test('roles are told by the tags, whatever the text', () => {
  expect(traitsOf('', ['role:user'])).toBe(BY_USER);
  expect(traitsOf('', ['label:a=1', 'role:assistant'])).toBe(BY_ASSISTANT);
  expect(traitsOf('role:user', ['role:tool', 'role:users', 'kind:role:user'])).toBe(0);
});

const anyText = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.string(),
  fc.array(fc.constantFrom(...'?!.:)([] \ud83d\ude00😀️aI5'.split(''))).map((all) => all.join('')),
);

test('whatever the text, its traits are one byte, and the same again', () => {
  fc.assert(
    fc.property(anyText, fc.array(fc.string()), (text, tags) => {
      const traits = traitsOf(text, tags);
      expect(traits).toBe(traits & 31);
      expect(traitsOf(text, tags)).toBe(traits);
    }),
  );
});

test('the end of every short text is found, whatever brackets and smiles it is made of', () => {
  const signs = ['?', ')', '(', ']', '[', ':', ' ', 'a', '😀'];
  let texts = [''];
  for (let length = 1; length <= 5; length++) {
    texts = texts.flatMap((text) => signs.map((sign) => text + sign));
    for (const text of texts)
      if (!text.includes('?')) expect(asks(text)).toBe(false);
      else if (/\?\)*$/.test(text)) expect([text, asks(text)]).toEqual([text, true]);
      else asks(text);
  }
});

test('a question stays one with a remark, a smile or a space behind it, and another sentence ends it', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: 'grapheme', maxLength: 30 }),
      fc.array(fc.constantFrom(' ', '😀', '[sends a picture]', '(laughs)', ':)', '"', '❤️'), { maxLength: 8 }),
      (text, behind) => {
        expect(asks(`${text}? ${behind.join(' ')}`)).toBe(true);
        expect(asks(`${text}? It is. ${behind.join(' ')}`)).toBe(false);
      },
    ),
  );
});
