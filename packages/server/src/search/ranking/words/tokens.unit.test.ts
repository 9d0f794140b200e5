import fc from 'fast-check';
import { expect, test } from 'vitest';
import { queryTerms } from '../queries.ts';
import { MOST_STEMS, MOST_TERMS, readTerms, termsOf, timeTerms } from './tokens.ts';

const meet = (a: string, b: string) => expect(termsOf(a)).toEqual(termsOf(b));

test('case, accents, width and ligatures do not part words', () => {
  meet('CAFÉ', 'cafe');
  meet('ﬁle ＡＢＣ', 'file abc');
  meet('Straße', 'STRASSE');
  meet('İstanbul', 'istanbul');
  meet('ёлка', 'ЕЛКА');
  meet('العَرَبِيَّة', 'العربية');
});

test('letters that only look like accented ones stay apart', () => {
  expect(termsOf('война')).not.toEqual(termsOf('воина'));
  expect(termsOf('हिन्दी')).not.toEqual(termsOf('हन्द'));
});

test('forms of an English word meet', () => {
  meet('went', 'goes');
  meet('making', 'made');
  meet('running', 'ran');
  meet('studies', 'studied');
  meet('boxes', 'box');
  meet("Caroline's", 'Caroline');
  meet('children', 'child');
});

test('short words, and words of alphabets that have several languages, are not stemmed', () => {
  expect(termsOf('bus gas red שלום հայերեն')).toEqual(['bus', 'gas', 'red', 'שלום', 'հայերեն']);
});

test('names of code are kept whole and in parts', () => {
  expect(termsOf('foo_bar')).toEqual(['foo_bar', 'foo', 'bar']);
  expect(termsOf('os.path.join')).toEqual(['os.path.join', 'os', 'path', 'join']);
  expect(termsOf('getHTTPServer')).toEqual([...termsOf('gethttpserver'), 'get', 'http', 'server']);
  expect(termsOf('C++ and C#')).toEqual(['c++', 'c', 'and', 'c#', 'c']);
});

test('numbers and dates are kept', () => {
  expect(termsOf('1,250 3.14 2024-05-01 10:30 3rd')).toEqual(expect.arrayContaining(['1250', '3.14', '2024-05-01', '2024', '10:30', '3']));
  expect(timeTerms(Date.UTC(2023, 4, 8))).toEqual([...termsOf('May 8 2023')]);
  expect(timeTerms(Number.NaN)).toEqual([]);
});

test('scripts without spaces are cut in pairs, so that a part of a text finds it', () => {
  const inText = (part: string, text: string) => expect(termsOf(text)).toEqual(expect.arrayContaining(termsOf(part)));
  inText('超市', '今天我去了超市买牛奶');
  inText('猫', '我的猫很小');
  inText('タワー', '東京タワーに行きました');
  inText('한국어', '저는 한국어를 배웁니다');
  inText('ภาษา', 'ผมเรียนภาษาไทย');
  inText('node', 'Node入門');
});

test('emoji are terms, whatever their colour', () => {
  meet('❤️', '❤');
  meet('👍🏽', '👍');
  expect(termsOf('🇩🇪 ☕')).toEqual(['🇩🇪', '☕']);
});

test('any text gives terms of bounded length, the same each time', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string({ unit: 'binary' }), fc.string({ unit: 'grapheme' }), fc.string()), (text) => {
      const terms = termsOf(text);
      expect(terms.every((term) => term.length > 0 && term.length <= 96)).toBe(true);
      expect(termsOf(text)).toEqual(terms);
    }),
  );
  expect(termsOf('\ud800 x')).toContain('x');
  expect(termsOf('x'.repeat(100_000)).every((term) => term.length <= 48)).toBe(true);
  expect(termsOf('a.'.repeat(10_000))).toHaveLength(10_000);
});

const long: Record<string, string> = {
  'Chinese signs': Array.from({ length: 1_000_000 }, (_, index) => String.fromCodePoint(0x4e00 + ((index * 7919) % 20_000))).join(''),
  words: 'the kettle whistles '.repeat(50_000),
  'words that are all different': Array.from({ length: 200_000 }, (_, index) => `w${index.toString(36)}`).join(' '),
  'one word': 'x'.repeat(1_000_000),
  'one word of accents': 'é'.repeat(1_000_000),
  'signs that unfold to eighteen': 'ﷺ'.repeat(1_000_000),
  'names of code': 'a.'.repeat(500_000),
  underscores: `a${'_'.repeat(1_000_000)}`,
  marks: 'a\u0301'.repeat(500_000),
  'pairs of surrogates': '𠀀'.repeat(500_000),
  punctuation: '。'.repeat(1_000_000),
  'German words that are all different': Array.from(
    { length: 100_000 },
    (_, index) => `die Rechnungen${index.toString(36)}ungskarten`,
  ).join(' '),
  'words of many languages': Array.from({ length: 100_000 }, (_, index) => `de la en ${index.toString(36)}ñ`).join(' '),
};
/** Behind the terms the stems, in so many languages. */
const MOST_LANGUAGES = 3;

test.for(Object.keys(long))('a megabyte of %s gives a bounded number of terms at a bounded cost', (name) => {
  const text = long[name] as string;
  const before = process.threadCpuUsage();
  expect(termsOf(text).length).toBeLessThanOrEqual(MOST_TERMS + MOST_STEMS * MOST_LANGUAGES);
  expect(readTerms(text).length).toBeLessThanOrEqual(MOST_TERMS);
  const { content, minor } = queryTerms(text.slice(0, 10_000));
  expect(content.length + minor.length).toBeLessThanOrEqual(640);
  const { user, system } = process.threadCpuUsage(before);
  expect((user + system) / 1000).toBeLessThan(5_000);
});

test('a text that is read in pieces has the terms of the whole, up to the most that is indexed', () => {
  for (const words of ['The kettle whistles. ', 'foo_bar getHTTPServer ', 'Ärger im Café; ', '今天我去了超市买牛奶。', 'ผมเรียนภาษาไทย ']) {
    const times = Math.floor(20_000 / words.length);
    expect(termsOf(words.repeat(times))).toEqual(Array.from({ length: times }, () => termsOf(words)).flat());
  }
  expect(termsOf('kettle '.repeat(MOST_TERMS + 10))).toHaveLength(MOST_TERMS);
  expect(termsOf('one two three', 2)).toEqual(['one', 'two']);
});
