/** What of a line is English, run by run of words: `I'm a nurse, tengo asma desde niño, and I live in Leeds`. */

import { memoOfWords } from '../memo.ts';
import { DOUBTFUL, ENGLISH, SHARED, SMALL, TELLING } from './function-words.ts';

/** How much a word speaks for English (above zero) or against it. */
const OWN = 1;
const TELLS = -2;
const TELLS_PERHAPS = -1;
const HINTS = -0.5;
/** What changing the language costs: least between sentences, most in the middle of a clause. */
const COST_WITHIN = 2.5;
const COST_AT_COMMA = 0.75;
const COST_AT_STOP = 0.4;
/** What less than this speaks for is a name or a dish. */
const LEAST_FOREIGN = 1.5;

interface Word {
  readonly text: string;
  readonly from: number;
  readonly to: number;
  /** What it costs to change the language before it. */
  readonly cost: number;
}

/** Of a line that is for the most part English nearly all is left. */
const LEAST_ENGLISH = 0.8;

export function isEnglish(line: string): boolean {
  return line.trim() !== '' && englishOf(line).length >= LEAST_ENGLISH * line.trim().length;
}

/** The line without what is not English. */
export function englishOf(line: string): string {
  if (!/\p{L}/u.test(line)) return '';
  const words = wordsOf(line);
  const scores = words.map((_, i) => scoreOf(words, i));
  if (scores.every((score) => score >= 0)) return line;
  const foreign = foreignRuns(words, scores);
  if (foreign.length === 0) return line;
  let kept = '';
  let at = 0;
  for (const [first, last] of foreign) {
    kept = joined(kept, line.slice(at, words[first]?.from));
    at = words[last + 1]?.from ?? line.length;
  }
  return joined(kept, line.slice(at)).trim();
}

/** What stood before and after a run that was left out; the stop behind it was its own. */
function joined(before: string, after: string): string {
  if (before.trim() === '') return after.replace(/^\W+/u, '').trimStart();
  const rest = after.trimStart();
  return rest === '' ? before.replace(/[\s,;:(–—-]+$/u, '') : `${before.trimEnd()} ${rest}`;
}

function wordsOf(line: string): Word[] {
  const words: Word[] = [];
  let end = 0;
  for (const match of line.matchAll(/[\p{L}\p{M}]+(?:['’][\p{L}]+)*/gu)) {
    const between = line.slice(end, match.index);
    const cost = /[.!?。！？…](?:\s|$)|[。！？\n]/u.test(between)
      ? COST_AT_STOP
      : /[,;:()–—/"“”¿¡=]|\s-/u.test(between)
        ? COST_AT_COMMA
        : COST_WITHIN;
    end = match.index + match[0].length;
    words.push({ text: match[0], from: match.index, to: end, cost });
  }
  return words;
}

function scoreOf(words: readonly Word[], i: number): number {
  const { text, cost } = words[i] as Word;
  const { alone, word, capital } = traitsOf(text);
  if (alone !== undefined) return alone;
  const opens = i === 0 || cost !== COST_WITHIN;
  const named = capital && isInName(words, i);
  if (named && !(opens && TELLING.has(word))) return 0;
  if (ENGLISH.has(word)) return OWN;
  if (TELLING.has(word)) return named || DOUBTFUL.has(word) ? TELLS_PERHAPS : TELLS;
  if (SMALL.has(word)) return isInName(words, i) ? 0 : HINTS;
  if (/^(?:j|qu|n|c|m|t)'\p{L}{2}/u.test(word)) return TELLS;
  return /[^a-z']/.test(word) && !capital ? HINTS : 0;
}

interface Traits {
  /** In lower case. */
  readonly word: string;
  readonly capital: boolean;
  /** How much it speaks for English, where that does not depend on what stands around it. */
  readonly alone: number | undefined;
}

const traitsOf = memoOfWords((text): Traits => {
  const word = text.toLowerCase().replace(/’/g, "'");
  const capital = /^\p{Lu}/u.test(text);
  const known = { word, capital };
  if (!/^[\p{Script=Latin}\p{M}']+$/u.test(word)) return { ...known, alone: TELLS };
  if (text === 'I') return { ...known, alone: OWN };
  if (SHARED.has(word)) return { ...known, alone: SMALL.has(word) || TELLING.has(word) ? 0 : OWN / 2 };
  if (/^\p{Lu}{2,}$/u.test(text)) return { ...known, alone: 0 };
  return { ...known, alone: ENGLISH.has(word) && !capital ? OWN : undefined };
});

/** `Rua das Flores`, `Piet de Vries`, `Los Angeles`: small words between names are part of them. */
function isInName(words: readonly Word[], i: number): boolean {
  const isName = (at: number): boolean => /^\p{Lu}/u.test(words[at]?.text ?? '') && !ENGLISH.has((words[at]?.text ?? '').toLowerCase());
  const adjoins = (at: number): boolean => words[at]?.cost === COST_WITHIN;
  const after =
    (adjoins(i + 1) && isName(i + 1)) ||
    (adjoins(i + 1) && adjoins(i + 2) && SMALL.has(words[i + 1]?.text.toLowerCase() ?? '') && isName(i + 2));
  if (/^\p{Lu}/u.test(words[i]?.text ?? '')) return after || (adjoins(i) && isName(i - 1));
  const before = adjoins(i) && (isName(i - 1) || (adjoins(i - 1) && SMALL.has(words[i - 1]?.text.toLowerCase() ?? '') && isName(i - 2)));
  return before && after;
}

/** The cheapest way to read the words as runs of English and of something else; the others, by their first and last word. */
function foreignRuns(words: readonly Word[], scores: readonly number[]): [number, number][] {
  let english = 0;
  let other = 0;
  /** Whether the word before was English, if this one is, and if it is not. */
  const before: [boolean, boolean][] = [];
  for (const [i, score] of scores.entries()) {
    const cost = i === 0 ? 0 : (words[i] as Word).cost;
    const [stays, goes] = [english <= other + cost, english + cost < other];
    before.push([stays, goes]);
    [english, other] = [(stays ? english : other + cost) + Math.max(0, -score), (goes ? english + cost : other) + Math.max(0, score)];
  }
  const runs: [number, number][] = [];
  let isEnglish = english <= other;
  for (let i = words.length - 1; i >= 0; i--) {
    const last = runs.at(-1);
    if (!isEnglish && last && last[0] === i + 1) last[0] = i;
    else if (!isEnglish) runs.push([i, i]);
    isEnglish = (before[i] as [boolean, boolean])[isEnglish ? 0 : 1];
  }
  return runs.reverse().filter(([first, last]) => scores.slice(first, last + 1).reduce((sum, score) => sum - score, 0) >= LEAST_FOREIGN);
}
