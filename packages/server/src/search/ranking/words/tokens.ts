/** Text to lexical terms, in every language. Never throws; the same text always gives the same terms. */

import { grown } from '../arrays.ts';
import { languagesOfQuestion, languagesOfText } from './languages/evidence.ts';
import type { Language } from './languages/function-words.ts';
import { STEMMED_LANGUAGES, type StemmedLanguage } from './languages/stemmers.ts';
import { TextUnits } from './text-units.ts';
import { FIRST_HASH, LONGEST_KNOWN, nextHash, UNKNOWN, Vocabulary } from './vocabulary.ts';
import { addStems, addWord, splitSpelledWords, splitWords, termOf } from './word-terms.ts';

/** What is indexed of one text: about 300 kB of English, 25,000 Chinese signs. What follows is stored, and not found by its words. */
export const MOST_TERMS = 50_000;
/** And of those that have stems: a text that is longer than a book's chapter has said its words by then. */
export const MOST_STEMS = 5_000;

/** A text is read in pieces of about this many characters, so that one that is not read to its end costs nothing beyond. */
const PIECE_CHARACTERS = 16_384;
/** How far back from the end of a piece a place between words is looked for. */
const LONGEST_LOOK_BACK = 256;
const BETWEEN_WORDS = [/\s(?=\S*$)/, /[^\p{L}\p{N}\p{M}](?=[\p{L}\p{N}\p{M}]*$)/u];

const SPACE = 0x20;
const ASCII_END = 0x80;
const UNDERSCORE = 0x5f;
const PLUS = 0x2b;
const HASH_SIGN = 0x23;
/** What an ASCII character may be in a word. */
const LETTER = 1;
const JOINER = 2;
const kinds = new Uint8Array(ASCII_END);
for (const letter of 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789') kinds[letter.charCodeAt(0)] = LETTER;
for (const joiner of "_'.-/:,") kinds[joiner.charCodeAt(0)] = JOINER;

/** What this thread has read lately. */
export const vocabulary = new Vocabulary();

/** In the order of the text, with repetitions, the first `most` of them; then as many stems in its language, where that is known. */
export function termsOf(text: string, most = MOST_TERMS): string[] {
  vocabulary.forgetIfFull();
  const found = Array.from(readTerms(text, most), textOf);
  for (const one of languagesOfRead(text)) found.push(...Array.from(readStems(text, one, Math.min(most, MOST_STEMS)), textOf));
  return found;
}

/** What a question may mean. */
export interface QuestionTerms {
  /** In the order of the text, with repetitions. */
  readonly terms: readonly string[];
  /** Those that it may be of; none where that can't be told. */
  readonly languages: readonly Language[];
  /** In those languages, each once; of a short question whose language can't be told, in all of them. */
  readonly stems: readonly string[];
}

/** Longer questions tell their language, or are no sentences. */
const MOST_UNTOLD_TERMS = 16;

export function questionTerms(text: string, most: number): QuestionTerms {
  vocabulary.forgetIfFull();
  const found = Array.from(readTerms(text, most), textOf);
  const languages = languagesOfQuestion(text, terms, termCount, vocabulary);
  const isUntold = languages.length === 0 && found.length <= MOST_UNTOLD_TERMS;
  const stems = new Set<string>();
  for (const one of isUntold ? STEMMED_LANGUAGES : languages) {
    if (one !== 'english') for (const term of readStems(text, one, most)) stems.add(textOf(term));
  }
  return { terms: found, languages, stems: [...stems] };
}

const textOf = (term: number) => vocabulary.textOf(term);

/** The characters of the piece that is read, and the terms of the text so far. */
const written = new TextUnits(PIECE_CHARACTERS + 1);
const { units } = written;
let terms = new Uint32Array(4 * LONGEST_KNOWN);
let termCount = 0;
let isAscii = true;
/** What is read of words: their terms, or their stems in a language. A word is known by another hash for each. */
let language: StemmedLanguage | undefined;
let firstHash = FIRST_HASH;

/** The terms of a text without stems, by their numbers in the vocabulary; lent until the next call. */
export function readTerms(text: string, most = MOST_TERMS): Uint32Array {
  isAscii = true;
  return readPieces(text, most);
}

/** Of the text whose terms were read last. */
export function languagesOfRead(text: string): readonly StemmedLanguage[] {
  return languagesOfText(text, isAscii, terms, termCount, vocabulary);
}

/** As `readTerms`, the stems in a language. */
export function readStems(text: string, inLanguage: StemmedLanguage, most = MOST_STEMS): Uint32Array {
  language = inLanguage;
  firstHash = FIRST_HASH + 1 + STEMMED_LANGUAGES.indexOf(inLanguage);
  try {
    return readPieces(text, most);
  } finally {
    language = undefined;
    firstHash = FIRST_HASH;
  }
}

function readPieces(text: string, most: number): Uint32Array {
  termCount = 0;
  for (let start = 0; start < text.length && termCount < most; ) {
    const end = pieceEnd(text, start);
    readPiece(start === 0 && end === text.length ? text : text.slice(start, end), most);
    start = end;
  }
  if (termCount > most) termCount = most;
  return terms.subarray(0, termCount);
}

/** What stands between two spaces does not depend on what stands beyond them: unfolding and joining of signs end there. */
function readPiece(piece: string, most: number): void {
  written.write(piece);
  const end = piece.length;
  for (let at = 0; at < end && termCount < most; ) {
    const start = at;
    let bits = 0;
    for (; at < end && (units[at] as number) > SPACE; at++) bits |= units[at] as number;
    if (start === at) at++;
    else if (bits < ASCII_END) readAscii(piece, start, at);
    else readStretch(piece, start, at);
  }
}

/** Letters and digits, also those joined by a sign or by underscores; `++` or `#` may follow, as in C++ and C#. */
function readAscii(piece: string, from: number, end: number): void {
  for (let at = from; at < end; ) {
    if (kinds[units[at] as number] !== LETTER) {
      at++;
      continue;
    }
    const start = at;
    let hash = firstHash;
    for (;;) {
      for (; at < end && kinds[units[at] as number] === LETTER; at++) hash = nextHash(hash, units[at] as number);
      const next = endOfJoiner(at, end);
      if (next === at) break;
      for (; at < next; at++) hash = nextHash(hash, units[at] as number);
    }
    for (const last = endOfSuffix(at, end); at < last; at++) hash = nextHash(hash, units[at] as number);
    if (!addKnown(start, at, hash)) addNew([piece.slice(start, at)], start, at, hash);
  }
}

/** The same place where none is that a letter follows. */
function endOfJoiner(start: number, end: number): number {
  if (start >= end || kinds[units[start] as number] !== JOINER) return start;
  let at = start + 1;
  if (units[start] === UNDERSCORE) while (at < end && units[at] === UNDERSCORE) at++;
  return at < end && kinds[units[at] as number] === LETTER ? at : start;
}

function endOfSuffix(at: number, end: number): number {
  if (at >= end) return at;
  if (units[at] === PLUS) return at + 1 < end && units[at + 1] === PLUS ? at + 2 : at;
  const isLast = at + 1 === end || kinds[units[at + 1] as number] !== LETTER;
  return units[at] === HASH_SIGN && isLast ? at + 1 : at;
}

/** In any script. */
function readStretch(piece: string, start: number, end: number): void {
  isAscii = false;
  let hash = firstHash;
  if (end - start <= LONGEST_KNOWN) {
    for (let at = start; at < end; at++) hash = nextHash(hash, units[at] as number);
    if (addKnown(start, end, hash)) return;
  }
  const stretch = piece.slice(start, end);
  addNew(language ? splitSpelledWords(stretch) : splitWords(stretch), start, end, hash);
}

function addKnown(start: number, end: number, hash: number): boolean {
  terms = grown(terms, termCount + LONGEST_KNOWN);
  const count = vocabulary.copyTerms(units, start, end, hash, terms, termCount);
  if (count === UNKNOWN) return false;
  termCount = count;
  return true;
}

function addNew(words: readonly string[], start: number, end: number, hash: number): void {
  const made: string[] = [];
  for (const word of words) {
    if (language) addStems(word, language, made);
    else addWord(word, made);
  }
  const numbers = made.map((term) => vocabulary.numberOf(term));
  vocabulary.keep(units, start, end, hash, numbers);
  terms = grown(terms, termCount + numbers.length);
  terms.set(numbers, termCount);
  termCount += numbers.length;
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

const MONTHS = ['january', 'february', 'march', 'april', 'may', 'june', 'july', 'august', 'september', 'october', 'november', 'december'];

/** A time as the words with which one asks for it: "What happened in May 2023?" */
export function timeTerms(time: number): string[] {
  const date = new Date(time);
  if (Number.isNaN(date.getTime())) return [];
  return [termOf(MONTHS[date.getUTCMonth()] as string), `${date.getUTCDate()}`, `${date.getUTCFullYear()}`];
}
