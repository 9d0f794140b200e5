/** The words' part of each score. */

import { zeroed } from './arrays.ts';
import { type Profile, RARE_WORDS_DECIDE } from './profiles.ts';
import type { WordScores } from './words.ts';

export interface WordPart {
  /** By slot, up to `most`; 0 where an item is not eligible. */
  readonly raw: Float64Array;
  /** The slots with a score, and perhaps some that are not eligible. */
  readonly slots: Uint32Array;
  readonly most: number;
  /** How much of the question's words the best item or passage has, 0 to 1. */
  readonly coverage: number;
  /** 0 to 1. */
  score(slot: number): number;
  /** What the item's own words add to it. */
  ownScore(slot: number): number;
  /** How much of the question the item's rare words are, 0 to 1; 0 where that is too little to decide anything. */
  rareShare(slot: number): number;
  /** The largest of an eligible item. */
  readonly mostRareShare: number;
}

export function wordPart(scores: WordScores, eligible: Uint8Array, profile: Profile): WordPart {
  const { own, passage, rare, ideal, isFound } = scores;
  const slots = scores.touched.all();
  const isAlone = passage === own;
  clear(own, slots, eligible);
  if (!isAlone) clear(passage, slots, eligible);
  const mostOwn = largest(own, slots);
  const mostPassage = isAlone ? mostOwn : largest(passage, slots);
  const raw = isAlone ? own : zeroed('float64', 'words', own.length);
  const ownFactor = isAlone ? 1 : (1 - profile.neighbourWordShare) / (mostOwn || 1);
  if (!isAlone) {
    const passageFactor = profile.neighbourWordShare / (mostPassage || 1);
    for (const slot of slots) raw[slot] = ownFactor * (own[slot] as number) + passageFactor * (passage[slot] as number);
  }
  const most = isAlone ? mostOwn : largest(raw, slots);
  const coverage = ideal > 0 ? Math.min(1, Math.max(mostOwn, mostPassage) / ideal) : 0;
  // An item is the best by words for having one of them that says nothing: then words say little.
  const factor = (isFound ? 1 : coverage) / (most || 1);
  const rareShares = new Map<number, number>();
  for (const [slot, value] of rare) if (eligible[slot] === 1 && value >= ideal * RARE_WORDS_DECIDE) rareShares.set(slot, value / ideal);
  return {
    raw,
    slots,
    most,
    coverage,
    score: (slot) => factor * (raw[slot] as number),
    ownScore: (slot) => factor * ownFactor * (own[slot] as number),
    rareShare: (slot) => rareShares.get(slot) ?? 0,
    mostRareShare: Math.max(0, ...rareShares.values()),
  };
}

function clear(values: Float64Array, slots: Uint32Array, eligible: Uint8Array): void {
  for (const slot of slots) if (eligible[slot] === 0) values[slot] = 0;
}

function largest(values: Float64Array, slots: Uint32Array): number {
  let found = 0;
  for (let i = 0; i < slots.length; i++) {
    const value = values[slots[i] as number] as number;
    if (value > found) found = value;
  }
  return found;
}
