/** The words' part of each score. */

import { type Profile, RARE_WORDS_DECIDE } from './profiles.ts';
import type { WordScores } from './words.ts';

/** How items are judged by their words. */
export interface JudgedWords {
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

/** Of some slots, in memory of its own. */
export function wordsOf(slots: Uint32Array, { coverage, mostRareShare, ...words }: JudgedWords): JudgedWords {
  const of = new Map(Array.from(slots, (slot) => [slot, [words.score(slot), words.ownScore(slot), words.rareShare(slot)] as const]));
  return {
    coverage,
    mostRareShare,
    score: (slot) => of.get(slot)?.[0] ?? 0,
    ownScore: (slot) => of.get(slot)?.[1] ?? 0,
    rareShare: (slot) => of.get(slot)?.[2] ?? 0,
  };
}

/** `passages`: by slot, where neighbours count. Of the candidates only. */
export function wordPart(
  { own: { scores: own }, rare, ideal, isFound }: WordScores,
  passages: Float32Array | undefined,
  candidates: Uint32Array,
  eligible: Uint8Array,
  profile: Profile,
): JudgedWords {
  const mostOwn = largest(candidates, (slot) => own[slot] as number);
  const mostPassage = passages ? largest(candidates, (slot) => passages[slot] as number) : mostOwn;
  const ownFactor = passages ? (1 - profile.neighbourWordShare) / (mostOwn || 1) : 1;
  const passageFactor = profile.neighbourWordShare / (mostPassage || 1);
  const raw = (slot: number) => ownFactor * (own[slot] as number) + (passages ? passageFactor * (passages[slot] as number) : 0);
  const most = passages ? largest(candidates, raw) : mostOwn;
  const coverage = ideal > 0 ? Math.min(1, Math.max(mostOwn, mostPassage) / ideal) : 0;
  // An item is the best by words for having one of them that says nothing: then words say little.
  const factor = (isFound ? 1 : coverage) / (most || 1);
  const rareShares = new Map<number, number>();
  for (const [slot, value] of rare) if (eligible[slot] === 1 && value >= ideal * RARE_WORDS_DECIDE) rareShares.set(slot, value / ideal);
  return {
    coverage,
    score: (slot) => factor * raw(slot),
    ownScore: (slot) => factor * ownFactor * (own[slot] as number),
    rareShare: (slot) => rareShares.get(slot) ?? 0,
    mostRareShare: Math.max(0, ...rareShares.values()),
  };
}

function largest(slots: Uint32Array, value: (slot: number) => number): number {
  let found = 0;
  for (let i = 0; i < slots.length; i++) found = Math.max(found, value(slots[i] as number));
  return found;
}
