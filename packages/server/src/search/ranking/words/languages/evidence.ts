/** The language of a text, told by its function words and letters. Nothing where there is too little, or where it is English. */

import { grown } from '../../arrays.ts';
import type { Vocabulary } from '../vocabulary.ts';
import { splitWords, termOf } from '../word-terms.ts';
import { ALSO_ENGLISH, FUNCTION_WORDS, LANGUAGES, type Language } from './function-words.ts';
import type { StemmedLanguage } from './stemmers.ts';

/** So much of a text tells its language. */
const MOST_TERMS_LOOKED_AT = 64;
const MOST_UNITS_LOOKED_AT = 400;
/** So many words that other languages have too are in English texts. */
const MOST_STRAY_WORDS = 1;
/** A function word of one or two languages says most. One that is an English word too says little. */
const OF_FEW = 3;
const OF_SEVERAL = 2;
const WEAK = 1;
/** What it says for English. */
const SHARED_WITH_ENGLISH = 2;
/** What endings and letters may add. */
const MOST_BY_ENDINGS = 3;
const MOST_BY_LETTERS = 4;
/** What a text needs, and what for each of its words. */
const LEAST_POINTS = 4;
const LEAST_SHARE = 0.2;
const LEAST_POINTS_OF_QUESTION = 3;
/** And how much more than English has. */
const ABOVE_ENGLISH = 1.5;
/** Languages with nearly as much evidence as the best one. */
const NEARLY = 0.85;
const MOST_LANGUAGES = 3;

/** Of terms of four letters and more, which have lost their plurals and an `e` at the end. */
const ENDINGS: readonly (readonly [RegExp, number, readonly Language[]])[] = [
  [/(?:ung|ungen|keit|heit|lich|isch|schaft)$/, 2, ['german']],
  [/(?:tsch|sch[lmnrtw]|pf|tz$)/, 1, ['german']],
  [/(?:ij|heid|lijk|aa[^a]|uu[^u])/, 1, ['dutch']],
  [/[^aeiouw]en$/, 1, ['german', 'dutch']],
  [/(?:cao|coe|nho|nha|lho|lha)$/, 2, ['portuguese']],
  [/(?:cion|dad|ueno|uena|illo|illa|iendo)$/, 2, ['spanish']],
  [/(?:zion|zioni|tto|tta|tti|cchi|gli[aeo]|zzo|zza)$/, 2, ['italian']],
  [/[ao]$/, 1, ['spanish', 'portuguese', 'italian']],
  [/(?:eux|eur|aux|ais|ait|eau|ier|iqu|oir)$/, 1, ['french']],
];

/** Letters that English has in borrowed words at most. */
const LETTERS: Readonly<Partial<Record<Language, string>>> = {
  spanish: 'ñ¿¡áéíóú',
  german: 'ßäöü',
  french: 'çéèêëàâùûôîïœ',
  portuguese: 'ãõçáéíóúâêôà',
  italian: 'àèéìòù',
  dutch: 'ëï',
  swedish: 'åäö',
  danish: 'æøå',
  norwegian: 'æøå',
  finnish: 'äö',
  hungarian: 'áéíóöőúüű',
  romanian: 'ăâîșțşţ',
  turkish: 'çğıöşüİ',
};

const ASCII_END = 0x80;
const COUNT = LANGUAGES.length;
const ENGLISH = LANGUAGES.indexOf('english');
const NO_SIGN = 0;
/** Signs are numbered in this order: words of English, words that it has too, words of others alone, endings. */
let [firstWeak, firstForeign, firstEnding] = [0, 0, 0];
/** By sign: what each language gets. */
const pointsOfSign: number[][] = [new Array<number>(COUNT).fill(0)];
const signOfTerm = new Map<string, number>();
/** By unit: the languages that a letter is of. Latin letters are below. */
const LATIN_END = 0x250;
const [ACCENTS_START, ACCENTS_END] = [0x300, 0x370];
const lettersOf: (readonly number[] | undefined)[] = [];
const isLetter = new Uint8Array(LATIN_END);

function prepare(): void {
  const languagesOfTerm = new Map<string, Set<number>>();
  for (const [number, language] of LANGUAGES.entries()) {
    for (const word of splitWords(FUNCTION_WORDS[language])) {
      const term = termOf(word);
      // What is stemmed would be taken for other words with that stem.
      if (word.length > 1 && (number === ENGLISH || term === word))
        languagesOfTerm.set(term, (languagesOfTerm.get(term) ?? new Set()).add(number));
    }
  }
  const weak = new Set(ALSO_ENGLISH.split(/\s+/));
  const addSigns = (isMeant: (term: string, languages: Set<number>) => boolean) => {
    for (const [term, languages] of languagesOfTerm) {
      if (!isMeant(term, languages)) continue;
      const isShared = (languages.has(ENGLISH) && languages.size > 1) || weak.has(term);
      const sign = addSign([...languages], isShared ? WEAK : languages.size <= 2 ? OF_FEW : OF_SEVERAL);
      if (isShared && languages.has(ENGLISH)) (pointsOfSign[sign] as number[])[ENGLISH] = SHARED_WITH_ENGLISH;
      signOfTerm.set(term, sign);
    }
    return pointsOfSign.length;
  };
  firstWeak = addSigns((_, languages) => languages.has(ENGLISH));
  firstForeign = addSigns((term, languages) => !languages.has(ENGLISH) && weak.has(term));
  firstEnding = addSigns((term, languages) => !languages.has(ENGLISH) && !weak.has(term));
  for (const [, points, languages] of ENDINGS)
    addSign(
      languages.map((language) => LANGUAGES.indexOf(language)),
      points,
    );
  for (const [number, language] of LANGUAGES.entries()) {
    const letters = LETTERS[language] ?? '';
    for (const letter of new Set(letters + letters.toUpperCase())) {
      const unit = letter.charCodeAt(0);
      if (unit < ASCII_END) continue;
      lettersOf[unit] = [...(lettersOf[unit] ?? []), number];
      isLetter[unit] = 1;
    }
  }
}

function addSign(languages: readonly number[], points: number): number {
  return pointsOfSign.push(Array.from({ length: COUNT }, (_, language) => (languages.includes(language) ? points : 0))) - 1;
}

function signOf(term: string): number {
  const sign = signOfTerm.get(term);
  if (sign !== undefined) return sign;
  if (term.length < 4 || !/^[a-z]+$/.test(term)) return NO_SIGN;
  const ending = ENDINGS.findIndex(([pattern]) => pattern.test(term));
  return ending < 0 ? NO_SIGN : firstEnding + ending;
}

/** By the number of a term in the vocabulary: of so many of them, which it had when it was forgotten so often. */
let signs = new Uint16Array(0);
/** By the number of a term: how much it makes it likely that a text is not English. */
let marks = new Uint8Array(0);
let signed = 0;
let timesForgotten = -1;
const points = new Int32Array(COUNT);
const ofEndings = new Int32Array(COUNT);
const ofLetters = new Int32Array(COUNT);
/** A word that comes again says no more. */
const seen = new Set<number>();

type Languages = readonly StemmedLanguage[];
const NONE: Languages = [];

/** The best, and those with nearly the same evidence. */
export function languagesOfText(text: string, isAscii: boolean, terms: Uint32Array, count: number, vocabulary: Vocabulary): Languages {
  const looked = Math.min(count, MOST_TERMS_LOOKED_AT);
  signNew(vocabulary);
  const hasLetters = !isAscii && addLetters(text);
  if (!hasLetters && !mayBeForeign(terms, looked)) return NONE;
  addWords(terms, looked);
  return decide(Math.max(LEAST_POINTS, looked * LEAST_SHARE), hasLetters);
}

/** Of a question less evidence is enough. English where a word of it alone is there, and no other language has more. */
export function languagesOfQuestion(text: string, terms: Uint32Array, count: number, vocabulary: Vocabulary): readonly Language[] {
  signNew(vocabulary);
  const hasLetters = addLetters(text);
  addWords(terms, Math.min(count, MOST_TERMS_LOOKED_AT));
  const isEnglish = (points[ENGLISH] as number) >= OF_FEW;
  const languages = decide(LEAST_POINTS_OF_QUESTION, hasLetters);
  return languages.length === 0 && isEnglish ? ['english'] : languages;
}

function signNew(vocabulary: Vocabulary): void {
  const { termCount } = vocabulary;
  if (timesForgotten !== vocabulary.timesForgotten) signed = 0;
  else if (signed === termCount) return;
  timesForgotten = vocabulary.timesForgotten;
  if (signOfTerm.size === 0) prepare();
  signs = grown(signs, termCount);
  marks = grown(marks, termCount);
  for (; signed < termCount; signed++) {
    const sign = signOf(vocabulary.textOf(signed));
    signs[signed] = sign;
    marks[signed] = sign < firstWeak || sign >= firstEnding ? 0 : sign < firstForeign ? 1 : MOST_STRAY_WORDS + 1;
  }
}

/** What most English texts are told by, in no time: that they have no word of others alone, and hardly any that others have too. */
function mayBeForeign(terms: Uint32Array, count: number): boolean {
  let sum = 0;
  for (let i = 0; i < count; i++) sum += marks[terms[i] as number] as number;
  return sum > MOST_STRAY_WORDS;
}

function addWords(terms: Uint32Array, count: number): void {
  points.fill(0);
  ofEndings.fill(0);
  seen.clear();
  for (let i = 0; i < count; i++) {
    const term = terms[i] as number;
    const sign = signs[term] as number;
    if (sign === NO_SIGN || seen.has(term)) continue;
    seen.add(term);
    const into = sign >= firstEnding ? ofEndings : points;
    const each = pointsOfSign[sign] as number[];
    for (let language = 0; language < COUNT; language++) into[language] = (into[language] as number) + (each[language] as number);
  }
}

/** Whether there are any. Accents may be signs of their own. */
function addLetters(text: string, isComposed = false): boolean {
  const end = Math.min(text.length, MOST_UNITS_LOOKED_AT);
  let isAny = false;
  for (let at = 0; at < end; at++) {
    const unit = text.charCodeAt(at);
    if (unit >= ACCENTS_START && unit < ACCENTS_END && !isComposed)
      return addLetters(text.slice(0, MOST_UNITS_LOOKED_AT).normalize('NFC'), true);
    if (unit >= LATIN_END || isLetter[unit] === 0) continue;
    if (!isAny) ofLetters.fill(0);
    isAny = true;
    const languages = lettersOf[unit] as readonly number[];
    for (const language of languages) ofLetters[language] = (ofLetters[language] as number) + (languages.length <= 2 ? OF_SEVERAL : WEAK);
  }
  return isAny;
}

function decide(least: number, hasLetters: boolean): Languages {
  const english = points[ENGLISH] as number;
  let best = 0;
  for (let language = 0; language < COUNT; language++) {
    if (language === ENGLISH) continue;
    let all = points[language] as number;
    if (hasLetters) all += Math.min(ofLetters[language] as number, MOST_BY_LETTERS);
    // English has borrowed words too.
    if (all >= english) all += Math.min(ofEndings[language] as number, MOST_BY_ENDINGS);
    points[language] = all;
    best = Math.max(best, all);
  }
  if (best < least || best < english * ABOVE_ENGLISH) return NONE;
  const close = LANGUAGES.flatMap((language, number) =>
    language !== 'english' && (points[number] as number) >= best * NEARLY ? [{ language, points: points[number] as number }] : [],
  );
  return close
    .sort((one, other) => other.points - one.points)
    .slice(0, MOST_LANGUAGES)
    .map(({ language }) => language);
}
