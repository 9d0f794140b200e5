import fc from 'fast-check';
import { expect, test } from 'vitest';
import { fingerprintOf } from '../fingerprints.ts';
import { profiles } from '../profiles.ts';
import { STEMMED_LANGUAGES, type StemmedLanguage } from './languages/stemmers.ts';
import { Postings, WEIGHT_BITS } from './postings.ts';
import { countTerms } from './term-counts.ts';
import { languagesOfRead, MOST_STEMS, MOST_TERMS, readStems, readTerms, termsOf, timeTerms, vocabulary } from './tokens.ts';
import { addStems, addWord, splitSpelledWords } from './word-terms.ts';

/*
 * The rule: a text is cut into pieces; each is spelled in one way; what matches is a word; the words give their terms. Indexes hold terms
 * that were made so, and what is read in one pass, by a memory of words, must give the same. Where the language is told, the stems of what
 * stands between spaces follow.
 */
const WORD =
  /[\p{L}\p{N}\p{M}]+(?:(?:_+|['’.\-/:,])[\p{L}\p{N}\p{M}]+)*(?:\+\+|#(?![\p{L}\p{N}]))?|\p{RI}\p{RI}|\p{Extended_Pictographic}/gu;
const WITHOUT_MEANING =
  /(?<![иИ])\u0306|[\u0300-\u0305\u0307-\u036f\u0591-\u05bd\u05bf\u05c1\u05c2\u05c7\u0640\u064b-\u065f\u0670\u00ad\u200b-\u200f\u2060\ufeff]|[\ufe00-\ufe0f]/gu;
const OTHER_SPELLING: Readonly<Record<string, string>> = {
  ...{ ß: 'ss', ẞ: 'SS', æ: 'ae', Æ: 'AE', œ: 'oe', Œ: 'OE', ø: 'o', Ø: 'O' },
  ...{ ł: 'l', Ł: 'L', đ: 'd', Đ: 'D', ı: 'i', ς: 'σ' },
};

function termsByRule(text: string, most = MOST_TERMS): string[] {
  const terms: string[] = [];
  for (const piece of pieces(text)) {
    const spelled = piece.normalize('NFKD').replace(WITHOUT_MEANING, '').normalize('NFC');
    for (const word of spelled.replace(/./gu, (sign) => OTHER_SPELLING[sign] ?? sign).match(WORD) ?? []) addWord(word, terms);
  }
  return terms.slice(0, most);
}

function stemsByRule(text: string, language: StemmedLanguage, most = MOST_STEMS): string[] {
  const stems: string[] = [];
  for (const stretch of pieces(text).flatMap((piece) => piece.split(/[\0-\x20]+/)))
    for (const word of splitSpelledWords(stretch)) addStems(word, language, stems);
  return stems.slice(0, most);
}

function languagesOf(text: string, most?: number): readonly StemmedLanguage[] {
  vocabulary.forgetIfFull();
  readTerms(text, most);
  return languagesOfRead(text);
}

const allByRule = (text: string, most?: number) => [
  ...termsByRule(text, most),
  ...languagesOf(text, most).flatMap((language) => stemsByRule(text, language, most)),
];

/** Of 16,384 units, or up to 256 less where a space is among these, else where a word ends; no character is cut in two. */
function pieces(text: string): string[] {
  if (text.length <= 16_384) return text === '' ? [] : [text];
  const tail = text.slice(16_128, 16_384);
  const [space, sign] = [tail.search(/\s(?=\S*$)/), tail.search(/[^\p{L}\p{N}\p{M}](?=[\p{L}\p{N}\p{M}]*$)/u)];
  const isCut = (text.codePointAt(16_383) as number) > 0xffff;
  const end = space >= 0 ? 16_129 + space : sign >= 0 ? 16_129 + sign : isCut ? 16_385 : 16_384;
  return [text.slice(0, end), ...pieces(text.slice(end))];
}

function countsByRule(prefix: string, text: string, time: number | undefined, name: keyof typeof profiles): [string, number][] {
  const { prefixWeight, timeAsWords } = profiles[name];
  const counts = new Map<string, number>();
  const add = (terms: readonly string[], weight: number) => {
    for (const term of terms) counts.set(term, (counts.get(term) ?? 0) + weight);
  };
  add(termsByRule(prefix), prefixWeight);
  add(termsByRule(text), 1);
  for (const language of languagesOf(text)) {
    add(stemsByRule(prefix, language), prefixWeight);
    add(stemsByRule(text, language), 1);
  }
  if (timeAsWords && time !== undefined) add(timeTerms(time), 1);
  return [...counts];
}

const fragments =
  `a b Ab aB running studies foo Bar C++ C# c++d #x 1,250 3.14 2024-05-01 10:30 3rd 21st _ __ ' ’ . - / : , + ++ # ( ) " “ ” — …
  Die und nicht Rechnungen Versicherungskarte wäre größer el para reuniones años también nous avons réservé che della valigie niet zijn
  < = > é É ﬁ ß İ ς ё й и 超市 今天 タワー ｶﾞ 한국어 ภาษา ลา ❤️ 👍🏽 🇩🇪 🇩 ½ ² ① ﷺ Ⅷ हिन्दी العَرَبِيَّة ế ㌔ ǆ Ａ`.split(/\s+/);
const invisible = [
  ...'\u00a0\u3000\u2028\u0301\u0306\u0338\u3099\u309b\u200d\u200b\u00ad\u00b4\u00a8\u0345\u20d7\0\x7f\x85\x1f',
  '\ud83c',
  '\udc00',
];
const fragment = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(...fragments) },
  { weight: 3, arbitrary: fc.constantFrom(...invisible) },
  { weight: 6, arbitrary: fc.constantFrom(' ', '\n', '\t', '\r\n', '\f') },
  { weight: 2, arbitrary: fc.string({ maxLength: 8 }) },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 6 }) },
  { weight: 1, arbitrary: fc.string({ unit: 'grapheme', maxLength: 6 }) },
);
const anyText = fc.array(fragment, { maxLength: 40 }).map((all) => all.join(''));
const longText = fc
  .tuple(anyText, fc.integer({ min: 100, max: 1_000 }), anyText)
  .map(([some, times, rest]) => `${some}x`.repeat(times) + rest);

test('a text has the terms of the rule', () => {
  fc.assert(
    fc.property(anyText, fc.option(fc.integer({ min: 0, max: 20 }), { nil: undefined }), (text, most) => {
      expect(termsOf(text, most)).toEqual(allByRule(text, most));
    }),
    { numRuns: 5_000 },
  );
});

test('a text has the stems of the rule in each language', () => {
  fc.assert(
    fc.property(fc.oneof(anyText, longText), fc.constantFrom(...STEMMED_LANGUAGES), (text, language) => {
      vocabulary.forgetIfFull();
      // As they are beside the terms of the same words.
      readTerms(text);
      expect(Array.from(readStems(text, language), (term) => vocabulary.textOf(term))).toEqual(stemsByRule(text, language));
      expect(Array.from(readTerms(text), (term) => vocabulary.textOf(term))).toEqual(termsByRule(text));
    }),
    { numRuns: 1_000 },
  );
});

test('a text that is read in pieces has the terms of the rule', () => {
  fc.assert(
    fc.property(longText, (text) => {
      expect(termsOf(text)).toEqual(allByRule(text));
    }),
    { numRuns: 50 },
  );
});

test('more different words than are remembered have the terms of the rule', () => {
  for (const letter of ['w', 'é', '超'])
    for (let start = 0; start < 80_000; start += 40_000) {
      const text = Array.from({ length: 40_000 }, (_, index) => `${letter}${(start + index).toString(36)}`).join(' ');
      expect(termsOf(text).join()).toBe(allByRule(text).join());
    }
});

test('terms are counted by the rule', () => {
  const time = fc.option(fc.integer({ min: -1e12, max: 4e12 }), { nil: undefined });
  fc.assert(
    fc.property(anyText, anyText, time, fc.constantFrom('messages', 'memories', 'chunks'), (prefix, text, at, name) => {
      const { terms, weights, length } = countTerms({ prefix, text, time: at }, profiles[name]);
      const expected = countsByRule(prefix, text, at, name);
      expect(Array.from(terms, (term) => [vocabulary.textOf(term), weights[term]])).toEqual(expected);
      expect(length).toBe(expected.reduce((sum, [, weight]) => sum + weight, 0));
    }),
    { numRuns: 2_000 },
  );
});

test('postings that take terms in turn have each their own, also after the words were forgotten', () => {
  const both = [new Postings(), new Postings()] as const;
  const words = Array.from({ length: 50_000 }, (_, index) => `w${(index * 7919) % 30_000}`);
  for (let slot = 0; slot < 100; slot++) {
    const text = words.slice(slot * 500, (slot + 1) * 500).join(' ');
    // What is read between the two makes the memory of words begin anew now and then.
    for (const postings of slot % 2 ? both : both.toReversed()) {
      termsOf(Array.from({ length: 2_000 }, (_, index) => `${postings === both[0]}${slot}x${index}`).join(' '));
      const { terms, weights } = countTerms({ prefix: '', text, time: undefined }, profiles.memories);
      for (const term of terms) postings.addTerm(term, slot, weights[term] as number);
    }
  }
  const slotsOf = Map.groupBy(words.keys(), (index) => words[index] as string);
  const wrong = [...slotsOf].filter(([word, places]) => {
    const expected = [...new Set(places.map((index) => Math.floor(index / 500)))].join();
    return both.some((postings) => Array.from(postings.entries(word), (entry) => entry >>> WEIGHT_BITS).join() !== expected);
  });
  expect(wrong).toEqual([]);
  expect(both.map((postings) => postings.entries('true0x1').length)).toEqual([0, 0]);
});

test('a fingerprint is that of the units of the whole text', () => {
  const byRule = (text: string) => {
    let [high, low] = [0xdeadbeef, 0x41c6ce57];
    for (let i = 0; i < text.length; i++) {
      high = Math.imul(high ^ text.charCodeAt(i), 2654435761);
      low = Math.imul(low ^ text.charCodeAt(i), 1597334677);
    }
    high = Math.imul(high ^ (high >>> 16), 2246822507) ^ Math.imul(low ^ (low >>> 13), 3266489909);
    low = Math.imul(low ^ (low >>> 16), 2246822507) ^ Math.imul(high ^ (high >>> 13), 3266489909);
    return 4294967296 * (2097151 & low) + (high >>> 0);
  };
  fc.assert(
    fc.property(fc.oneof(anyText, longText), (text) => {
      expect(fingerprintOf(text)).toBe(byRule(text));
    }),
  );
  for (const length of [0, 1, 4_095, 4_096, 4_097, 8_192, 12_289])
    expect(fingerprintOf('é'.repeat(length))).toBe(byRule('é'.repeat(length)));
});
