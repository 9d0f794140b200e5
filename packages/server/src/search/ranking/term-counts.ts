/** How often an item has each of its terms. */

import type { Profile } from './profiles.ts';
import { termsOf, timeTerms } from './tokens.ts';

export interface TermCounts {
  readonly counts: ReadonlyMap<string, number>;
  /** Of all terms, with repetitions. */
  readonly length: number;
}

export function countTerms(
  { prefix, text, time }: { prefix: string; text: string; time: number | undefined },
  { prefixWeight, timeAsWords }: Profile,
): TermCounts {
  const counts = new Map<string, number>();
  let length = 0;
  const count = (terms: readonly string[], weight: number) => {
    for (const term of terms) counts.set(term, (counts.get(term) ?? 0) + weight);
    length += terms.length * weight;
  };
  count(termsOf(prefix), prefixWeight);
  count(termsOf(text), 1);
  if (timeAsWords && time !== undefined) count(timeTerms(time), 1);
  return { counts, length };
}
