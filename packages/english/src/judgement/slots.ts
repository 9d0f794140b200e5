/** Names of what a memory is the value of. */

import { DATE } from '../dates/dates.ts';
import { isWord, type Token } from '../sentences/tokens.ts';
import { ADVERBS } from '../words/phrases.ts';

const SKIPPED = new Set([
  'a',
  'an',
  'the',
  'my',
  'our',
  'their',
  'some',
  'any',
  'no',
  'very',
  'anymore',
  'again',
  'now',
  'nowadays',
  'more',
  'much',
  'to',
  "'s",
  'new',
  'all',
  'really',
  'it',
  'so',
  'too',
  'with',
  'for',
  'of',
]);
const LONGEST = 4;

/** The words that tell a thing from others: `a dog named Rex` and `any dogs` are both `dog`. */
export function nameOfThing(tokens: readonly Token[], through: readonly string[] = []): string {
  const words: string[] = [];
  for (const each of tokens) {
    const { lower, tag } = each;
    if (tag === DATE || words.length === LONGEST) break;
    if (!isWord(each)) {
      if (words.length > 0) break;
      continue;
    }
    const ends = ['ADP', 'SCONJ', 'CCONJ'].includes(tag) && !through.includes(lower) && words.length > 0;
    if (ends || lower === 'called' || lower === 'named' || lower === 'that' || lower === 'who' || lower === 'anymore') break;
    if (SKIPPED.has(lower) || ADVERBS.has(lower) || tag === 'NUM' || tag === 'ADP') continue;
    words.push(singular(lower));
  }
  return words.join(' ');
}

export function slotOf(prefix: string, name: string): string | undefined {
  const slot = `${prefix} ${name}`.trim();
  return name === '' ? undefined : slot;
}

export function singular(word: string): string {
  if (/^(?:children|kids?|childs)$/.test(word)) return 'child';
  if (word.length < 4 || /(?:ss|us|is)$/.test(word)) return word;
  return word.replace(/ies?$/, 'y').replace(/(?:(?<=[sxz]|[cs]h)es|s)$/, '');
}
