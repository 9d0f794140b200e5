/** Names of things in the text of a memory, so that two wordings have one. */

import { singular } from '../judgement/slots.ts';
import { memoOf } from '../memo.ts';
import { wordSet } from '../words/sets.ts';
import { numberOf } from '../words/times.ts';

const SMALL = wordSet(
  'a an the my our their his her its some any no very now new nowadays again all really too of currently actually mild mildly bad badly severe severely deadly serious seriously strong strongly raw also both certain most',
);
const ENDS = wordSet('in on at for with since from because so but as when who that which named called after before until during to via');
const LONGEST = 4;

/** `the two tabby cats in Leeds` → `tabby cat`. */
export const keyOf = memoOf(readKey, (text: string) => text, { most: 4_000, longest: 80 });

function readKey(text: string): string {
  const words: string[] = [];
  for (const word of wordsOf(text)) {
    if (words.length === LONGEST || (ENDS.has(word) && words.length > 0)) break;
    if (!SMALL.has(word) && !ENDS.has(word) && countOf(word) === undefined) words.push(singular(word));
  }
  return words.join(' ');
}

/** `peanuts, tree nuts and latex` are three. */
export function keysOf(text: string): string[] {
  const items = text.split(/\s*(?:,|&|\/|\band\b|\bor\b|\bplus\b)\s*/).map(keyOf);
  return [...new Set(items.filter((item) => item !== ''))].sort();
}

export function wordsOf(text: string): string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}'.-]*[\p{L}\p{N}]/gu) ?? [];
}

/** In figures or in words; `a` is none. */
export function countOf(word: string): number | undefined {
  return /^an?$/.test(word) ? undefined : numberOf(word);
}
