/** What the judgement of a statement comes to. */

import type { ExtractedKind } from '../extraction.ts';
import type { Statement } from '../sentences/statements.ts';
import type { Token } from '../sentences/tokens.ts';
import { PASSING_THINGS } from '../words/nouns.ts';
import { HABIT, PERIODS } from '../words/times.ts';

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
  /** A `when` stands before it. */
  readonly recurs?: boolean;
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

export function isHabit({ rest, adverbs, lead }: Statement): boolean {
  return hasHabit(rest) || hasHabit(lead) || [...adverbs].some((adverb) => HABIT.has(adverb));
}

/** `every day`, `on Sundays`, `most mornings`, `20 hours a week`, `in the winter`. */
export function hasHabit(tokens: readonly Token[]): boolean {
  return tokens.some(({ lower, tag }, i) => {
    if (HABIT.has(lower)) return true;
    const before = tokens[i - 1];
    if (PERIODS.has(lower) && before && (before.lower === 'a' || before.lower === 'per' || before.lower === 'most'))
      return !isFirstTime(tokens, i);
    return (
      lower === 'most' && tag === 'ADJ' && /s$/.test(tokens[i + 1]?.lower ?? '') && PERIODS.has((tokens[i + 1]?.lower ?? '').slice(0, -1))
    );
  });
}

/** `in a week`, `for a year`: one span of time, no habit. */
function isFirstTime(tokens: readonly Token[], i: number): boolean {
  return (
    /^(?:in|for|after|within|about|of|over|take|takes|took|spent|only|just)$/.test(tokens[i - 2]?.lower ?? '') ||
    tokens[i + 1]?.lower === 'ago'
  );
}

/** Nouns and names, the material of a statement. */
export function hasContent(tokens: readonly Token[]): boolean {
  return tokens.some(
    ({ tag, lower }) =>
      /^(?:north|south|east|west|abroad|nearby|alone|together|remotely)$/.test(lower) ||
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

/** The object is something of the conversation or its material: `a function`, `two columns`; not `a screen reader`. */
export function isAtHand(rest: readonly Token[]): boolean {
  if (/^[b-hj-z]$/.test(rest[0]?.text ?? '')) return true;
  return rest.slice(0, 3).some(({ lower }, i) => {
    if (!PASSING_THINGS.has(lower)) return false;
    const next = rest[i + 1];
    // `a pottery class`, `a lot of editing`
    if (lower === 'class' && rest[i - 1]?.tag === 'NOUN') return false;
    if (/^lots?$/.test(lower) && next?.lower === 'of') return PASSING_THINGS.has(rest[i + 2]?.lower ?? '');
    return !['NOUN', 'PROPN'].includes(next?.tag ?? '') || (next?.text.length ?? 0) <= 2;
  });
}
