/** The stems of words by language, of the algorithms of the Snowball project. */

import { stemmer as danish } from '@orama/stemmers/danish';
import { stemmer as dutch } from '@orama/stemmers/dutch';
import { stemmer as finnish } from '@orama/stemmers/finnish';
import { stemmer as french } from '@orama/stemmers/french';
import { stemmer as german } from '@orama/stemmers/german';
import { stemmer as greek } from '@orama/stemmers/greek';
import { stemmer as hungarian } from '@orama/stemmers/hungarian';
import { stemmer as hindi } from '@orama/stemmers/indian';
import { stemmer as italian } from '@orama/stemmers/italian';
import { stemmer as norwegian } from '@orama/stemmers/norwegian';
import { stemmer as portuguese } from '@orama/stemmers/portuguese';
import { stemmer as romanian } from '@orama/stemmers/romanian';
import { stemmer as russian } from '@orama/stemmers/russian';
import { stemmer as spanish } from '@orama/stemmers/spanish';
import { stemmer as swedish } from '@orama/stemmers/swedish';
import { stemmer as turkish } from '@orama/stemmers/turkish';
import type { Language } from './function-words.ts';

type Stemmer = (word: string) => string;

/** English has a stemmer of its own. */
export type StemmedLanguage = Exclude<Language, 'english'>;

/** Of words in lower case, with their accents. */
const stemmers: Readonly<Record<StemmedLanguage, Stemmer>> = {
  // People leave accents out, and the algorithm goes by them.
  spanish: (word) => spanish(word.replace(/([au])cion$/, '$1ción')),
  // Women and men who do the same thing are looked for by one word.
  german: (word) => german(word.replace(/(..er)in(?:nen)?$/, '$1')),
  // "genoux", "bijoux".
  french: (word) => french(word.replace(/oux$/, 'ou')),
  // Plurals that the algorithm leaves.
  portuguese: (word) => portuguese(word.replace(/(?:ões|oes|ães|aes)$/, 'ão').replace(/cao$/, 'ção')),
  italian,
  dutch,
  swedish,
  danish,
  norwegian,
  finnish,
  hungarian,
  romanian,
  turkish,
};

export const STEMMED_LANGUAGES = Object.keys(stemmers) as StemmedLanguage[];

export function stemIn(language: StemmedLanguage, word: string): string {
  return stemmers[language](word);
}

/** Articles and prepositions before a word, and the commonest endings; what is left has three letters at least. */
function lightArabic(word: string): string {
  let base = word.replaceAll('ى', 'ي');
  if (/^و.{3,}/.test(base)) base = base.slice(1);
  base = base.replace(/^(?:ال|بال|كال|فال|لل)(?=.{2,})/, '');
  for (let i = 0; i < 2; i++) base = base.replace(/(?<=.{3})(?:ها|نا|هم|هن|كم|ان|ات|ون|ين|تين|ته|تي|ية|يه|ه|ة|ي|ا)$/, '');
  return base;
}

const BY_SCRIPT: readonly (readonly [RegExp, Stemmer])[] = [
  [/^\p{Script=Cyrillic}+$/u, russian],
  [/^\p{Script=Arabic}+$/u, lightArabic],
  [/^\p{Script=Greek}+$/u, greek],
  [/^[\p{Script=Devanagari}\p{M}]+$/u, hindi],
];

/** Of a word whose script tells a language, or one whose endings are alike; the word itself in other scripts. */
export function stemByScript(word: string): string {
  for (const [script, stemmer] of BY_SCRIPT) if (script.test(word)) return stemmer(word) || word;
  return word;
}
