/** The words' part of each score. */

import type { Profile } from './profiles.ts';
import type { WordScores } from './words.ts';

export interface WordPart {
  /** By slot, 0 to 1; 0 where an item is not eligible. */
  readonly scores: Float64Array;
  /** How much of the question's words the best item or passage has, 0 to 1. */
  readonly coverage: number;
  /** What the item's own words add to its score. */
  ownScore(slot: number): number;
}

export function wordPart({ own, passage, ideal }: WordScores, eligible: Uint8Array, profile: Profile): WordPart {
  const share = passage === own ? 0 : profile.neighbourWordShare;
  const mostOwn = most(own, eligible);
  const mostPassage = share > 0 ? most(passage, eligible) : 0;
  const ownFactor = mostOwn > 0 ? (1 - share) / mostOwn : 0;
  const passageFactor = mostPassage > 0 ? share / mostPassage : 0;
  const scores = new Float64Array(own.length);
  for (let slot = 0; slot < scores.length; slot++) {
    if (eligible[slot] === 0) continue;
    scores[slot] = ownFactor * (own[slot] as number) + (share > 0 ? passageFactor * (passage[slot] as number) : 0);
  }
  const best = most(scores, eligible) || 1;
  for (let slot = 0; slot < scores.length; slot++) scores[slot] = (scores[slot] as number) / best;
  return {
    scores,
    coverage: ideal > 0 ? Math.min(1, Math.max(mostOwn, mostPassage) / ideal) : 0,
    ownScore: (slot) => (ownFactor * (own[slot] as number)) / best,
  };
}

function most(values: Float64Array, eligible: Uint8Array): number {
  let found = 0;
  for (let slot = 0; slot < values.length; slot++) {
    const value = values[slot] as number;
    if (value > found && eligible[slot] === 1) found = value;
  }
  return found;
}
