/** The terms of one word, and one spelling for what readers take as the same. */

import { isFunctionWord } from './languages/function-words.ts';
import { type StemmedLanguage, stemByScript, stemIn } from './languages/stemmers.ts';
import { stem } from './stemming.ts';

/** Longer words (encoded data, mostly) are cut, so that one text can't fill the memory with its terms. */
export const LONGEST_TERM = 48;

/** Words, and words joined by signs: names of code (a_b, a.b), dates, times, versions, contractions; C++ and C#. Signs of feeling too. */
const ANY_WORD =
  /[\p{L}\p{N}\p{M}]+(?:(?:_+|['’.\-/:,])[\p{L}\p{N}\p{M}]+)*(?:\+\+|#(?![\p{L}\p{N}]))?|\p{RI}\p{RI}|\p{Extended_Pictographic}/gu;

const PLAIN_WORD = /^[a-z]+$/;
const CONTRACTION = /['’](?:s|m|d|re|ve|ll)$/;
const CASE_CHANGE = /(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])/;
const GROUPED_NUMBER = /^\d{1,3}(?:,\d{3})+(?:\.\d+)?$/;
const ORDINAL = /^(\d+)(?:st|nd|rd|th)$/;
/** Scripts that put no spaces between words, and Korean, whose words carry endings. */
const UNSPACED =
  /[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Hangul}\p{scx=Thai}\p{scx=Lao}\p{scx=Khmer}\p{scx=Myanmar}\p{scx=Tibetan}]+/gu;
const HAS_UNSPACED = new RegExp(UNSPACED.source, 'u');
const HAN = /\p{scx=Han}/u;
/** A sign with the marks that belong to it. */
const CLUSTER = /\P{M}\p{M}*/gu;

/**
 * Accents, Arabic and Hebrew points, and signs without width. The breve of й makes another letter and stays;
 * the vowel signs of other scripts are letters too.
 */
const FOLDED_MARKS =
  /(?<![иИ])\u0306|[\u0300-\u0305\u0307-\u036f\u0591-\u05bd\u05bf\u05c1\u05c2\u05c7\u0640\u064b-\u065f\u0670\u00ad\u200b-\u200f\u2060\ufeff]|[\ufe00-\ufe0f]/gu;
const INVISIBLE = /[\u00ad\u200b-\u200f\u2060\ufeff]/gu;
const UNDECOMPOSED = new Map(
  'ß ss,ẞ SS,æ ae,Æ AE,œ oe,Œ OE,ø o,Ø O,ł l,Ł L,đ d,Đ D,ı i,ς σ'.split(',').map((pair) => pair.split(' ') as [string, string]),
);
const UNDECOMPOSED_LETTER = /[ßẞæÆœŒøØłŁđĐıς]/gu;

/** The words of a text in any script, spelled alike where readers take them as the same: width, ligatures, accents. */
export function splitWords(text: string): readonly string[] {
  return folded(text).match(ANY_WORD) ?? [];
}

function folded(text: string): string {
  return text
    .normalize('NFKD')
    .replace(FOLDED_MARKS, '')
    .normalize('NFC')
    .replace(UNDECOMPOSED_LETTER, (letter) => UNDECOMPOSED.get(letter) as string);
}

/** With their accents, which stemmers go by. */
export function splitSpelledWords(text: string): readonly string[] {
  return text.normalize('NFKC').replace(INVISIBLE, '').match(ANY_WORD) ?? [];
}

/** The terms of words that are given with spaces between them. */
export function termsOfWords(words: string): string[] {
  const terms: string[] = [];
  for (const word of splitWords(words)) addWord(word, terms);
  return terms;
}

export function addWord(word: string, terms: string[]): void {
  const lower = word.toLowerCase();
  if (PLAIN_WORD.test(lower)) {
    addPart(word, lower, terms);
  } else if (HAS_UNSPACED.test(lower)) {
    addUnspaced(lower, terms);
  } else if (GROUPED_NUMBER.test(lower)) {
    terms.push(lower.replaceAll(',', ''));
  } else {
    addCompound(word, terms);
  }
}

/** A whole that is a name of its own (a_b, a.b.c, 2024-05-01, c++) is kept beside its parts. */
function addCompound(word: string, terms: string[]): void {
  const bare = word.replace(CONTRACTION, '');
  const parts = bare.split(/[^\p{L}\p{N}\p{M}]+/u).filter((part) => part !== '');
  if (parts.length === 0) terms.push(bare);
  const lower = bare.toLowerCase();
  const isName = parts.length > 1 ? /[_.]|\d[-/:]|[-/:]\d/.test(lower) && !lower.includes(',') : /[+#]$/.test(lower);
  if (isName && lower.length <= LONGEST_TERM) terms.push(lower);
  for (const part of parts) addPart(part, part.toLowerCase(), terms);
}

function addPart(part: string, lower: string, terms: string[]): void {
  const ordinal = ORDINAL.exec(lower);
  terms.push(ordinal ? (ordinal[1] as string) : termOf(lower));
  if (part === lower || part.length > LONGEST_TERM) return;
  const humps = part.split(CASE_CHANGE);
  if (humps.length > 1) for (const hump of humps) terms.push(termOf(hump.toLowerCase()));
}

/** Of a word in lower case that is not made of others. */
export function termOf(lower: string): string {
  const short = lower.length > LONGEST_TERM ? lower.slice(0, LONGEST_TERM) : lower;
  return PLAIN_WORD.test(short) ? stem(short) : stemByScript(short);
}

/** Before the stems of a language, so that none is taken for a word of another. */
export const STEM_MARK = '~';
const LEAST_STEMMED = 3;
const LATIN_PART = /[\p{Script=Latin}\p{M}]+/gu;
/** Where German and Dutch compounds are joined. */
const JOINTS: Readonly<Partial<Record<StemmedLanguage, RegExp>>> = {
  german: /^(.{2,}(?:ung|heit|keit|ion|tät|schaft|ling))s(.{3,})$/,
  dutch: /^(.{2,}(?:ing|heid|teit|schap))s(.{3,})$/,
};

/** The stems of a word with its accents, and of the parts of a compound. */
export function addStems(word: string, language: StemmedLanguage, terms: string[]): void {
  for (const [part] of word.toLowerCase().matchAll(LATIN_PART)) {
    if (part.length < LEAST_STEMMED || part.length > LONGEST_TERM || isFunctionWord(language, part)) continue;
    terms.push(`${STEM_MARK}${folded(stemIn(language, part) || part).slice(0, LONGEST_TERM)}`);
    const joint = JOINTS[language]?.exec(part);
    if (joint) for (const one of joint.slice(1)) addStems(one, language, terms);
  }
}

function addUnspaced(lower: string, terms: string[]): void {
  let end = 0;
  for (const match of lower.matchAll(UNSPACED)) {
    if (match.index > end) addWord(lower.slice(end, match.index), terms);
    end = match.index + match[0].length;
    for (const { term } of termsOfSigns(signsOf(match[0]))) terms.push(term);
  }
  if (end < lower.length) addWord(lower.slice(end), terms);
}

/** With the marks that belong to each. */
export function signsOf(text: string): readonly string[] {
  return text.match(CLUSTER) ?? [text];
}

/** Pairs of neighbouring signs: no dictionary, and a query is cut as the text was. Single Chinese signs are words too. */
export function* termsOfSigns(signs: readonly string[]): Generator<{ term: string; first: number; last: number }, void, void> {
  for (const [at, sign] of signs.entries()) {
    if (signs.length === 1 || HAN.test(sign)) yield { term: sign, first: at, last: at };
    if (at > 0) yield { term: `${signs[at - 1]}${sign}`, first: at - 1, last: at };
  }
}

/** What stands in a text without spaces between its words, spelled as in its terms. */
export function foldedRuns(text: string): readonly string[] {
  return HAS_UNSPACED.test(text) ? splitWords(text).flatMap((word) => word.toLowerCase().match(UNSPACED) ?? []) : [];
}
