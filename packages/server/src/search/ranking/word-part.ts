/** The words' part of each score. */

import { unclean } from './arrays.ts';
import type { Profile } from './profiles.ts';
import type { WordScores } from './words.ts';

export interface WordPart {
  /** By slot, up to `most`; 0 where an item is not eligible. */
  readonly raw: Float64Array;
  readonly most: number;
  /** How much of the question's words the best item or passage has, 0 to 1. */
  readonly coverage: number;
  /** 0 to 1. */
  score(slot: number): number;
  /** What the item's own words add to it. */
  ownScore(slot: number): number;
}

/** `everyone`: whether all slots are eligible. */
export function wordPart({ own, passage, ideal }: WordScores, eligible: Uint8Array, everyone: boolean, profile: Profile): WordPart {
  const isAlone = passage === own;
  if (!everyone) {
    clear(own, eligible);
    if (!isAlone) clear(passage, eligible);
  }
  const mostOwn = largest(own);
  const mostPassage = isAlone ? mostOwn : largest(passage);
  const raw = isAlone ? own : unclean('float64', 'words', own.length);
  const ownFactor = isAlone ? 1 : (1 - profile.neighbourWordShare) / (mostOwn || 1);
  if (!isAlone) {
    const passageFactor = profile.neighbourWordShare / (mostPassage || 1);
    for (let slot = 0; slot < raw.length; slot++) raw[slot] = ownFactor * (own[slot] as number) + passageFactor * (passage[slot] as number);
  }
  const most = isAlone ? mostOwn : largest(raw);
  return {
    raw,
    most,
    coverage: ideal > 0 ? Math.min(1, Math.max(mostOwn, mostPassage) / ideal) : 0,
    score: (slot) => (raw[slot] as number) / (most || 1),
    ownScore: (slot) => (ownFactor * (own[slot] as number)) / (most || 1),
  };
}

function clear(values: Float64Array, eligible: Uint8Array): void {
  for (let slot = 0; slot < values.length; slot++) if (eligible[slot] === 0) values[slot] = 0;
}

function largest(values: Float64Array): number {
  let found = 0;
  for (let i = 0; i < values.length; i++) if ((values[i] as number) > found) found = values[i] as number;
  return found;
}
