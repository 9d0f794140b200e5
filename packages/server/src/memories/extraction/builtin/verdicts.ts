/** What the judgement of a statement comes to. */

import type { ExtractedKind } from '../extractor.ts';
import type { Statement } from './statements.ts';
import type { Token } from './tokens.ts';

export interface Verdict {
  readonly kind: ExtractedKind;
  readonly slot?: string | undefined;
}

export interface Circumstances {
  /** A date stands in it. */
  readonly dated: boolean;
  /** The user asked for it to be kept. */
  readonly remembered: boolean;
  /** What comes next says that it is over: `I used to smoke but now …`. */
  readonly contrasted: boolean;
}

export const verdict = (kind: ExtractedKind, slot?: string): Verdict => ({ kind, slot });

export function headOf(tokens: readonly Token[]): string {
  let head = '';
  for (const { lower, tag, text } of tokens) {
    if (tag === 'ADP' && lower !== 'of' && head !== '') break;
    if (['SCONJ', 'PUNCT', 'VERB', 'AUX', 'DATE'].includes(tag) && head !== '' && text !== "'s") break;
    if (lower === 'of' && head !== '') break;
    if (lower === 'and' && head !== '') break;
    if (tag === 'NOUN' || tag === 'PROPN' || (tag === 'ADJ' && head === '') || tag === 'X') head = lower;
  }
  return head;
}

export function hasAny(tokens: readonly Token[], words: ReadonlySet<string>): boolean {
  return tokens.some(({ lower }) => words.has(lower));
}

export function has(statement: Statement, ...words: readonly string[]): boolean {
  return statement.rest.some(({ lower }) => words.includes(lower)) || words.some((word) => statement.adverbs.has(word));
}

const HABIT = new Set([
  'every',
  'each',
  'usually',
  'always',
  'often',
  'never',
  'regularly',
  'daily',
  'weekly',
  'sometimes',
  'mostly',
  'weekends',
  'weekdays',
  'mornings',
  'evenings',
  'nights',
  'typically',
  'normally',
  'twice',
  'mondays',
  'tuesdays',
  'wednesdays',
  'thursdays',
  'fridays',
  'saturdays',
  'sundays',
  'rarely',
  'only',
  'nightly',
  'monthly',
]);

export function isHabit({ rest, adverbs, lead }: Statement): boolean {
  return hasAny(rest, HABIT) || hasAny(lead, HABIT) || [...adverbs].some((adverb) => HABIT.has(adverb));
}

/** Nouns and names, the material of a statement. */
export function hasContent(tokens: readonly Token[]): boolean {
  return tokens.some(
    ({ tag, lower }) =>
      /^(?:abroad|nearby|alone|together|remotely)$/.test(lower) ||
      tag === 'NOUN' ||
      tag === 'PROPN' ||
      tag === 'NUM' ||
      tag === 'ADJ' ||
      tag === 'VERB' ||
      tag === 'X' ||
      tag === 'SYM' ||
      tag === 'DATE',
  );
}
