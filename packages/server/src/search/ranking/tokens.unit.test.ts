import fc from 'fast-check';
import { expect, test } from 'vitest';
import { termsOf, timeTerms } from './tokens.ts';

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
  expect(termsOf('мой')).not.toEqual(termsOf('мои'));
  expect(termsOf('हिन्दी')).toEqual(['हिन्दी']);
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

test('short words and words of other alphabets are not stemmed', () => {
  expect(termsOf('bus gas red быстрые Ελλάδες')).toEqual(['bus', 'gas', 'red', 'быстрые', 'ελλαδεσ']);
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
