/** How often an item has each of its terms. */

import { grown } from '../arrays.ts';
import type { Profile } from '../profiles.ts';
import type { StemmedLanguage } from './languages/stemmers.ts';
import { languagesOfRead, readStems, readTerms, timeTerms, vocabulary } from './tokens.ts';

export interface TermCounts {
  /** By their numbers in the vocabulary, each once, in the order of the text. Lent until the next call, as are the weights. */
  readonly terms: Uint32Array;
  /** By the number of a term. */
  readonly weights: Uint32Array;
  /** Of all terms, with repetitions. */
  readonly length: number;
}

let distinct = new Uint32Array(64);
let distinctCount = 0;
/** 0 for those that are not among the distinct ones. */
let weights = new Uint32Array(64);

export function countTerms(
  { prefix, text, time }: { prefix: string; text: string; time: number | undefined },
  { prefixWeight, timeAsWords }: Profile,
): TermCounts {
  for (let i = 0; i < distinctCount; i++) weights[distinct[i] as number] = 0;
  distinctCount = 0;
  vocabulary.forgetIfFull();
  let length = count(readTerms(prefix), prefixWeight) + count(readTerms(text), 1);
  // A title seldom tells its language.
  const languages = languagesOfRead(text);
  for (let i = 0; i < languages.length; i++) {
    const language = languages[i] as StemmedLanguage;
    length += count(readStems(prefix, language), prefixWeight) + count(readStems(text, language), 1);
  }
  if (timeAsWords && time !== undefined)
    length += count(
      timeTerms(time).map((term) => vocabulary.numberOf(term)),
      1,
    );
  return { terms: distinct.subarray(0, distinctCount), weights, length };
}

/** How much that is. */
function count(terms: ArrayLike<number>, weight: number): number {
  const { length } = terms;
  weights = grown(weights, vocabulary.termCount);
  distinct = grown(distinct, distinctCount + length);
  for (let i = 0; i < length; i++) {
    const term = terms[i] as number;
    const before = weights[term] as number;
    if (before === 0) distinct[distinctCount++] = term;
    weights[term] = before + weight;
  }
  return length * weight;
}
