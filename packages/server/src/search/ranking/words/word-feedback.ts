/** Words that the best texts share: what is about a matter uses other words for it than the question does. */

import type { Items } from '../items.ts';
import type { Profile } from '../profiles.ts';
import { isFunctionTerm } from '../queries.ts';
import { MOST_WEIGHT, WEIGHT_BITS } from './postings.ts';
import { countTerms } from './term-counts.ts';
import { vocabulary } from './tokens.ts';
import { countThere, rarity, type WordSource } from './words.ts';

/** A text, with what stands above it. */
export interface FeedbackText {
  readonly prefix?: string | undefined;
  readonly text: string;
}

/** 12 and 30 are half a point and a quarter of one worse on abstracts. */
const MOST_TERMS = 20;
const LEAST_TERM = 2;
/** Words of more items than this tell none from another, and are not worth the time. */
const MOST_ENTRIES = 50_000;

/** The terms that make up most of the texts, each text alike, and how much of them each is. */
export function feedbackTerms(texts: readonly FeedbackText[], profile: Profile): ReadonlyMap<string, number> {
  const shares = new Map<string, number>();
  for (const { prefix = '', text } of texts) {
    const { terms, weights, length } = countTerms({ prefix, text, time: undefined }, profile);
    for (const number of terms) {
      const term = vocabulary.textOf(number);
      if (term.length < LEAST_TERM || isFunctionTerm(term)) continue;
      shares.set(term, (shares.get(term) ?? 0) + (weights[number] as number) / length);
    }
  }
  const most = [...shares].sort(([a, one], [b, other]) => other - one || (a < b ? -1 : 1)).slice(0, MOST_TERMS);
  const total = most.reduce((sum, [, share]) => sum + share, 0);
  return new Map(most.map(([term, share]) => [term, share / total]));
}

/** BM25 of some slots by these terms, relative to the best: 0 to 1. */
export function scoreFeedback(
  terms: ReadonlyMap<string, number>,
  slots: readonly number[],
  items: Items,
  words: WordSource,
  { k1, b }: Profile,
): Float64Array {
  const places = new Map(slots.map((slot, place) => [slot, place]));
  const scores = new Float64Array(slots.length);
  const byLength = (k1 * b * items.size) / (items.totalLength || 1);
  for (const [term, share] of terms) {
    const { entries } = words.entries(term);
    if (!entries || entries.length > MOST_ENTRIES) continue;
    const value = share * rarity(countThere(entries, items), items.size) * (k1 + 1);
    for (let i = 0; i < entries.length; i++) {
      const entry = entries[i] as number;
      const place = places.get(entry >>> WEIGHT_BITS);
      if (place === undefined) continue;
      const count = entry & MOST_WEIGHT;
      const length = items.lengths[entry >>> WEIGHT_BITS] as number;
      scores[place] = (scores[place] as number) + (value * count) / (count + k1 * (1 - b) + byLength * length);
    }
  }
  const most = scores.reduce((found, score) => Math.max(found, score), 0) || 1;
  return scores.map((score) => score / most);
}
