/** Text to lexical terms, in every language. Never throws; the same text always gives the same terms. */

import { stem } from './stemming.ts';

/** Longer words (encoded data, mostly) are cut, so that one text can't fill the memory with its terms. */
const LONGEST_TERM = 48;

const ASCII_ONLY = /^[\0-\x7f]*$/;
/** Words, and words joined by signs: names of code (a_b, a.b), dates, times, versions, contractions; C++ and C#. */
const ASCII_WORD = /[A-Za-z0-9]+(?:(?:_+|['.\-/:,])[A-Za-z0-9]+)*(?:\+\+|#(?![A-Za-z0-9]))?/g;
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
const UNDECOMPOSED = new Map(
  'ß ss,ẞ SS,æ ae,Æ AE,œ oe,Œ OE,ø o,Ø O,ł l,Ł L,đ d,Đ D,ı i,ς σ'.split(',').map((pair) => pair.split(' ') as [string, string]),
);
const UNDECOMPOSED_LETTER = /[ßẞæÆœŒøØłŁđĐıς]/gu;

/** What is indexed of one text: about 300 kB of English, 25,000 Chinese signs. What follows is stored, and not found by its words. */
export const MOST_TERMS = 50_000;

/** A text is read in pieces of about this many characters, so that one that is not read to its end costs nothing beyond. */
const PIECE_CHARACTERS = 16_384;
/** How far back from the end of a piece a place between words is looked for. */
const LONGEST_LOOK_BACK = 256;
const BETWEEN_WORDS = [/\s(?=\S*$)/, /[^\p{L}\p{N}\p{M}](?=[\p{L}\p{N}\p{M}]*$)/u];

/** Most words of a text were seen before: what became of them is kept, and all forgotten when it grows too large. */
const KEPT_WORDS = 50_000;
const termsOfWord = new Map<string, readonly string[]>();

/** In the order of the text, with repetitions; the first `most` of them. */
export function termsOf(text: string, most = MOST_TERMS): string[] {
  const terms: string[] = [];
  for (let start = 0; start < text.length && terms.length < most; ) {
    const end = pieceEnd(text, start);
    addTerms(text.slice(start, end), terms, most);
    start = end;
  }
  if (terms.length > most) terms.length = most;
  return terms;
}

function addTerms(piece: string, terms: string[], most: number): void {
  const words = ASCII_ONLY.test(piece) ? piece.match(ASCII_WORD) : folded(piece).match(ANY_WORD);
  for (const word of words ?? []) {
    let found = termsOfWord.get(word);
    if (!found) {
      found = wordTerms(word);
      if (termsOfWord.size >= KEPT_WORDS) termsOfWord.clear();
      if (word.length <= LONGEST_TERM) termsOfWord.set(word, found);
    }
    for (const term of found) terms.push(term);
    if (terms.length >= most) return;
  }
}

/** Behind a space where there is one near, else between words, and never within a character. */
function pieceEnd(text: string, start: number): number {
  const end = start + PIECE_CHARACTERS;
  if (end >= text.length) return text.length;
  const from = end - LONGEST_LOOK_BACK;
  const tail = text.slice(from, end);
  for (const pattern of BETWEEN_WORDS) {
    const at = tail.search(pattern);
    if (at >= 0) return from + at + 1;
  }
  return text.codePointAt(end - 1) === text.charCodeAt(end - 1) ? end : end + 1;
}

function wordTerms(word: string): string[] {
  const terms: string[] = [];
  addWord(word, terms);
  return terms;
}

/** One spelling for what readers take as the same: width, ligatures, accents. */
function folded(text: string): string {
  return text
    .normalize('NFKD')
    .replace(FOLDED_MARKS, '')
    .normalize('NFC')
    .replace(UNDECOMPOSED_LETTER, (letter) => UNDECOMPOSED.get(letter) as string);
}

function addWord(word: string, terms: string[]): void {
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

function termOf(lower: string): string {
  const short = lower.length > LONGEST_TERM ? lower.slice(0, LONGEST_TERM) : lower;
  return PLAIN_WORD.test(short) ? stem(short) : short;
}

/** Pairs of neighbouring signs: no dictionary, and a query is cut as the text was. Single Chinese signs are words too. */
function addUnspaced(lower: string, terms: string[]): void {
  let end = 0;
  for (const match of lower.matchAll(UNSPACED)) {
    if (match.index > end) addWord(lower.slice(end, match.index), terms);
    end = match.index + match[0].length;
    const signs = match[0].match(CLUSTER) ?? [match[0]];
    for (const [at, sign] of signs.entries()) {
      if (signs.length === 1 || HAN.test(sign)) terms.push(sign);
      if (at > 0) terms.push(`${signs[at - 1]}${sign}`);
    }
  }
  if (end < lower.length) addWord(lower.slice(end), terms);
}

const MONTHS = ['january', 'february', 'march', 'april', 'may', 'june', 'july', 'august', 'september', 'october', 'november', 'december'];

/** A time as the words with which one asks for it: "What happened in May 2023?" */
export function timeTerms(time: number): string[] {
  const date = new Date(time);
  if (Number.isNaN(date.getTime())) return [];
  return [termOf(MONTHS[date.getUTCMonth()] as string), `${date.getUTCDate()}`, `${date.getUTCFullYear()}`];
}
