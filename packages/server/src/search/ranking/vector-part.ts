/** The vectors' part of each candidate's score: how far its similarity is above the scope's mean, relative to the best. */

import { SlotList, zeroed } from './arrays.ts';
import { NONE } from './items.ts';
import type { Passages } from './passages.ts';
import { FLOOR_ITEMS } from './profiles.ts';
import type { RankRequest } from './ranking.ts';
import type { VectorQuery } from './vectors.ts';

export interface VectorPart {
  /** By place among the candidates, 0 to 1. */
  readonly scores: Float64Array;
  /** The highest similarity of a candidate. */
  readonly best: number;
  /** What the item's own vector adds to its score. */
  ownScore(slot: number): number;
}

type Request = Pick<RankRequest, 'items' | 'vectors' | 'passages' | 'profile'>;

/** `onlyCandidates`: whether comparing the candidates one by one is cheaper than comparing all. */
export function vectorPart(request: Request, query: VectorQuery, candidates: Uint32Array, onlyCandidates: boolean): VectorPart {
  const { items, vectors, passages, profile } = request;
  const size = items.slotCount;
  const similarities = vectors.similarities(query, size, onlyCandidates ? withNeighbours(candidates, passages, size) : undefined);
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

function withNeighbours(candidates: Uint32Array, passages: Passages | undefined, size: number): Uint32Array {
  if (!passages) return candidates;
  const wanted = new SlotList('wanted', size);
  for (const slot of candidates) {
    wanted.add(slot);
    for (const beside of [passages.before[slot] as number, passages.after[slot] as number]) if (beside !== NONE) wanted.add(beside);
  }
  return wanted.all();
}
