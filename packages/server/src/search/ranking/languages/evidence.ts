/** The language of a text, told by its function words and letters. Nothing where there is too little, or where it is English. */

import { grown } from '../arrays.ts';
import { splitWords, termOf } from '../word-terms.ts';
import { ALSO_ENGLISH, FUNCTION_WORDS, LANGUAGES, type Language } from './function-words.ts';
import type { StemmedLanguage } from './stemmers.ts';

/** So much of a text tells its language. */
const MOST_TERMS_LOOKED_AT = 64;
const MOST_UNITS_LOOKED_AT = 400;
/** From so many English words on, and hardly any of others, a text is taken as English. */
const SURELY_ENGLISH = 6;
const MOST_STRAY_WORDS = 1;
/** A function word of one or two languages says most. One that is an English word too says little. */
const OF_FEW = 3;
const OF_SEVERAL = 2;
const WEAK = 1;
/** What endings and letters may add. */
const MOST_BY_ENDINGS = 3;
const MOST_BY_LETTERS = 4;
/** What a text needs, and what for each of its words. */
const LEAST_POINTS = Number(process.env.LEAST ?? 4);
const LEAST_SHARE = Number(process.env.SHARE ?? 0.2);
const LEAST_POINTS_OF_QUESTION = Number(process.env.LEASTQ ?? 3);
/** And how much more than English has. */
const ABOVE_ENGLISH = 1.5;
/** Languages with nearly as much evidence as the best one. */
const NEARLY = Number(process.env.NEARLY ?? 0.85);

/** Of terms of four letters and more, which have lost their plurals and an `e` at the end. */
const ENDINGS: readonly (readonly [RegExp, number, readonly Language[]])[] = [
  [/(?:ung|ungen|keit|heit|lich|isch|schaft)$/, 2, ['german']],
  [/(?:tsch|sch[lmnrtw]|pf|tz$)/, 1, ['german']],
  [/(?:ij|heid|lijk|aa[^a]|uu[^u])/, 1, ['dutch']],
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

const LEAST = Number(process.env.LEAST ?? 5), SHARE = Number(process.env.SHARE ?? 0.35), LEASTQ = Number(process.env.LEASTQ ?? 2);

const COUNT = LANGUAGES.length;
const ENGLISH = LANGUAGES.indexOf('english');
const NO_SIGN = 0;
/** Signs are numbered in this order: words of English, words that it has too, words of others alone, endings. */
let [firstWeak, firstForeign, firstEnding] = [0, 0, 0];
/** By sign: what each language gets. */
const pointsOfSign: number[][] = [new Array<number>(COUNT).fill(0)];
const signOfTerm = new Map<string, number>();
const lettersOf = new Map<number, readonly number[]>();

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
      const isEnglish = languages.has(ENGLISH);
      const points = (isEnglish && languages.size > 1) || weak.has(term) ? WEAK : languages.size <= 2 ? OF_FEW : OF_SEVERAL;
      signOfTerm.set(term, addSign([...languages], points));
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
    for (const letter of LETTERS[language] ?? '') lettersOf.set(letter.charCodeAt(0), [...(lettersOf.get(letter.charCodeAt(0)) ?? []), number]);
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

/** By the number of a term in the vocabulary. */
let signs = new Uint16Array(0);
let signed = 0;
const points = new Int32Array(COUNT);
const ofEndings = new Int32Array(COUNT);
const ofLetters = new Int32Array(COUNT);
/** A word that comes again says no more. */
const seen = new Set<number>();

/** What terms are called, by their numbers. */
export interface TermTexts {
  readonly termCount: number;
  textOf(term: number): string;
}

/** As many as have nearly the same evidence; of a question, with less of it. */
export function languagesOf(
  terms: Uint32Array,
  text: string,
  isAscii: boolean,
  vocabulary: TermTexts,
  isQuestion: boolean,
): readonly StemmedLanguage[] {
  if (signOfTerm.size === 0) prepare();
  signAll(vocabulary);
  const count = Math.min(terms.length, MOST_TERMS_LOOKED_AT);
  if (isAscii && !isQuestion && !mayBeForeign(terms, count)) return [];
  addWords(terms, count);
  ofLetters.fill(0);
  if (!isAscii) addLetters(text);
  return decide(count, isQuestion);
}

/** The vocabulary may have been forgotten since. */
function signAll(vocabulary: TermTexts): void {
  if (vocabulary.termCount < signed) signed = 0;
  if (signed === vocabulary.termCount) return;
  signs = grown(signs, vocabulary.termCount);
  for (; signed < vocabulary.termCount; signed++) signs[signed] = signOf(vocabulary.textOf(signed));
}

/** What most English texts are told by, in no time. */
function mayBeForeign(terms: Uint32Array, count: number): boolean {
  let [english, others] = [0, 0];
  for (let i = 0; i < count; i++) {
    const sign = signs[terms[i] as number] as number;
    if (sign === NO_SIGN || sign >= firstEnding) continue;
    if (sign >= firstForeign || (sign >= firstWeak && ++others > MOST_STRAY_WORDS)) return true;
    if (sign < firstWeak && ++english === SURELY_ENGLISH) return false;
  }
  return false;
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

function addLetters(text: string): void {
  const end = Math.min(text.length, MOST_UNITS_LOOKED_AT);
  for (let at = 0; at < end; at++) {
    const unit = text.charCodeAt(at);
    if (unit < 0x80) continue;
    const languages = lettersOf.get(unit) ?? lettersOf.get((text[at] as string).toLowerCase().charCodeAt(0));
    if (!languages) continue;
    for (const language of languages) ofLetters[language] = (ofLetters[language] as number) + (languages.length <= 2 ? OF_SEVERAL : WEAK);
  }
}

function decide(count: number, isQuestion: boolean): readonly StemmedLanguage[] {
  let best = 0;
  for (let language = 0; language < COUNT; language++) {
    const added = Math.min(ofEndings[language] as number, MOST_BY_ENDINGS) + Math.min(ofLetters[language] as number, MOST_BY_LETTERS);
    points[language] = (points[language] as number) + added;
    if (language !== ENGLISH) best = Math.max(best, points[language] as number);
  }
  const least = isQuestion ? LEAST_POINTS_OF_QUESTION : Math.max(LEAST_POINTS, count * LEAST_SHARE);
  if (best < least || best < (points[ENGLISH] as number) * ABOVE_ENGLISH) return [];
  return LANGUAGES.filter(
    (language, number): language is StemmedLanguage => language !== 'english' && (points[number] as number) >= best * NEARLY,
  );
}
