/** The words of a sentence as requests to forget are read: without fillers, the verbs that matter spelled rightly. */

import { isWord, type Token } from '../sentences/tokens.ts';
import { wordSet } from '../words/sets.ts';
import type { Target } from './targets.ts';

/** A word or a stop, with its place in the sentence. */
export interface PlainWord {
  readonly lower: string;
  readonly tag: string;
  readonly index: number;
  readonly isStop: boolean;
  /** `please` stands right before it. */
  readonly isPleaded: boolean;
}

/** A request to forget, and where it stands. */
export interface FoundRequest {
  readonly target: Target;
  /** The first word of it, and the first behind it. */
  readonly from: number;
  readonly to: number;
}

/** Said in between without changing what is asked for. */
const FILLERS =
  wordSet(`please just kindly um uh uhm er erm actually really simply maybe also completely entirely totally altogether immediately
  honestly ever lol haha ok okay thx thanks sorry hey hi oh btw perhaps instead straight permanently now immediately plz pls safely`);
const PLEAS = wordSet('please kindly plz pls just');
/** Verbs that are asked for often enough to be misspelled. */
const MISSPELLED = ['forget', 'delete', 'erase', 'remember', 'everything', 'disregard'];
const SWAPPED: Readonly<Record<string, string>> = {
  taht: 'that',
  thta: 'that',
  waht: 'what',
  wat: 'what',
  teh: 'the',
  everthing: 'everything',
};
/** Other forms, and other words that come close. */
const SPELLED = wordSet('forgot forge forges forget deplete ease remote renumber eraser december forgets forged forger delate remember');

export function plainWordsOf(sentence: readonly Token[]): PlainWord[] {
  const words: PlainWord[] = [];
  let isPleaded = false;
  for (const [index, each] of sentence.entries()) {
    const isStop = !isWord(each);
    if (isStop ? !STOPS.test(each.text) : isFiller(sentence, index)) {
      isPleaded ||= PLEAS.has(each.lower);
      continue;
    }
    if (each.text === ':' && words.at(-1)?.lower === 're') continue;
    const lower = isStop ? (EMOJI.test(each.text) ? '.' : each.text) : spelledRightly(each.lower);
    if (lower !== words.at(-1)?.lower) words.push({ lower, tag: each.tag, index, isStop, isPleaded });
    isPleaded = false;
  }
  return words;
}

const EMOJI = /^\p{Extended_Pictographic}/u;
const STOPS = /^(?:[,.;:!?()–—&…]|-|\.{2,}|\p{Extended_Pictographic}.*)$/u;

/** `don't like save any of this`: `like` is one where a verb follows. */
function isFiller(sentence: readonly Token[], index: number): boolean {
  const { lower } = sentence[index] as Token;
  if (lower === 'like')
    return /^(?:save|store|keep|wipe|delete|forget|unlearn|erase|remember|remove)$/.test(sentence[index + 1]?.lower ?? '');
  return FILLERS.has(lower) || /^ac\w{2,5}ly$/.test(lower);
}

function spelledRightly(word: string): string {
  if (word === 'nvm' || word === 'nevermind') return 'nevermind';
  if (/^un-|^unrem|^unknow$/.test(word)) return 'unremember';
  const swapped = SWAPPED[word];
  if (swapped !== undefined) return swapped;
  if (word === 'abuot' || word === 'abt' || word === 'bout') return 'about';
  if (word.length < 5 || SPELLED.has(word) || /(?:s|ed|ing|er|ion|or)$/.test(word.replace(/b?er$/, ''))) return word;
  return MISSPELLED.find((verb) => verb[0] === word[0] && distance(word, verb) <= (verb.length > 7 ? 2 : 1)) ?? word;
}

/** How many letters were left out, put in, put wrong or swapped. */
export function distance(a: string, b: string): number {
  if (Math.abs(a.length - b.length) > 2 || a.length > 30 || b.length > 30) return 3;
  let [before, row] = [[] as number[], Array.from({ length: b.length + 1 }, (_, i) => i)];
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let k = 1; k <= b.length; k++) {
      const put = (row[k - 1] as number) + Number(a[i - 1] !== b[k - 1]);
      const swapped = i > 1 && k > 1 && a[i - 1] === b[k - 2] && a[i - 2] === b[k - 1] ? (before[k - 2] as number) + 1 : put;
      next.push(Math.min((row[k] as number) + 1, (next[k - 1] as number) + 1, put, swapped));
    }
    [before, row] = [row, next];
  }
  return row[b.length] as number;
}

export function textOfWords(words: readonly PlainWord[], from: number, to: number): string {
  return words
    .slice(from, to)
    .map(({ lower }) => lower)
    .join(' ');
}

/** The word behind so many characters of `textOfWords`. */
export function wordAfter(words: readonly PlainWord[], from: number, length: number): number {
  let at = from;
  for (let end = -1; at < words.length; at++) {
    end += 1 + (words[at] as PlainWord).lower.length;
    if (end > length) break;
  }
  return at;
}

/** So many words after a verb are read. */
export const MOST_WORDS = 30;
