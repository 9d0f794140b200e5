/** The vectors' part of each candidate's score: how far its similarity is above the scope's mean, relative to the best. */

import { zeroed } from '../arrays.ts';
import { NONE } from '../none.ts';
import { FLOOR_ITEMS } from '../profiles.ts';
import type { RankParts } from '../ranking.ts';
import type { VectorQuery } from './vectors.ts';

export interface VectorPart {
  /** By place among the candidates, 0 to 1. */
  readonly scores: Float64Array;
  /** The highest similarity of a candidate. */
  readonly best: number;
  /** Of any slot whose similarity is known, 0 to 1: its own vector alone, relative to the best of those. */
  ownScore(slot: number): number;
  /** How much of a score its own vector is. */
  readonly ownShare: number;
}

/** `similarities`: by slot, NaN without a vector, at least of the candidates and their neighbours. */
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
  const [before, after] = [passages?.before, passages?.after];
  for (let i = 0; i < candidates.length; i++) {
    const slot = candidates[i] as number;
    const own = similarities[slot] as number;
    if (Number.isNaN(own)) continue;
    let mixed = own;
    if (before && after) {
      let sum = own;
      let count = 1;
      const previous = before[slot] as number;
      const next = after[slot] as number;
      if (previous !== NONE && !Number.isNaN(similarities[previous])) {
        sum += similarities[previous] as number;
        count++;
      }
      if (next !== NONE && !Number.isNaN(similarities[next])) {
        sum += similarities[next] as number;
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
  const ownFactor = best > floor ? 1 / (best - floor) : 0;
  const ownScore = (slot: number) => {
    const own = similarities[slot] as number;
    return own > floor ? Math.min(1, (own - floor) * ownFactor) : 0;
  };
  return { scores, best, ownScore, ownShare: 1 - share };
}
