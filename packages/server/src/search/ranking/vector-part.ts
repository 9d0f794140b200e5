/** The vectors' part of each candidate's score: how far its similarity is above the scope's mean, relative to the best. */

import { zeroed } from './arrays.ts';
import { NONE } from './none.ts';
import { FLOOR_ITEMS } from './profiles.ts';
import type { RankParts } from './ranking.ts';
import type { VectorQuery } from './vectors.ts';

export interface VectorPart {
  /** By place among the candidates, 0 to 1. */
  readonly scores: Float64Array;
  /** The highest similarity of a candidate. */
  readonly best: number;
  /** What the item's own vector adds to its score. */
  ownScore(slot: number): number;
}

/** `similarities`: by slot, at least of the candidates and their neighbours. */
export function vectorPart(
  { vectors, passages, profile }: RankParts,
  query: VectorQuery,
  candidates: Uint32Array,
  similarities: Float64Array,
): VectorPart {
  const share = passages ? profile.neighbourVectorShare : 0;
  // The mean over the scope is the same whoever is a candidate, and suits models whose similarities are all high.
  const floor = (vectors.meanSimilarity(query) * vectors.count) / (vectors.count + FLOOR_ITEMS);
  const scores = zeroed('float64', 'vectors', candidates.length);
  let [best, most] = [-1, floor];
  for (let i = 0; i < candidates.length; i++) {
    const slot = candidates[i] as number;
    if (!vectors.has(slot)) continue;
    const own = similarities[slot] as number;
    let mixed = own;
    if (passages) {
      let sum = own;
      let count = 1;
      const before = passages.before[slot] as number;
      const after = passages.after[slot] as number;
      if (before !== NONE && vectors.has(before)) {
        sum += similarities[before] as number;
        count++;
      }
      if (after !== NONE && vectors.has(after)) {
        sum += similarities[after] as number;
        count++;
      }
      mixed = (1 - share) * own + (share * sum) / count;
    }
    scores[i] = mixed;
    if (own > best) best = own;
    if (mixed > most) most = mixed;
  }
  const factor = most > floor ? 1 / (most - floor) : 0;
  for (let i = 0; i < scores.length; i++) scores[i] = Math.max(0, ((scores[i] as number) - floor) * factor);
  return { scores, best, ownScore: (slot) => Math.max(0, (1 - share) * ((similarities[slot] as number) - floor) * factor) };
}
