/** The words' part of each score. */

import { type Profile, RARE_WORDS_DECIDE } from '../profiles.ts';
import type { WordScores } from './words.ts';

/** How items are judged by their words. */
export interface JudgedWords {
  /** How much of the question's words the best item or passage has, 0 to 1. */
  readonly coverage: number;
  /** Of each of some slots, 0 to 1, into `out`: its own words and those of its passage. */
  scoreEach(slots: Uint32Array, out: Float64Array): void;
  /** Its own words alone, and those of its passage alone, relative to the best: 0 to 1. */
  ownScore(slot: number): number;
  passageScore(slot: number): number;
  /** How much of the question the item's rare words are, 0 to 1; 0 where that is too little to decide anything. */
  rareShare(slot: number): number;
  /** The largest of an eligible item. */
  readonly mostRareShare: number;
  /** Whether it is a few words to look up, and no sentence. */
  readonly isLookUp: boolean;
}

/** Of some slots, in memory of its own. */
export function wordsOf(slots: Uint32Array, { coverage, mostRareShare, isLookUp, ...words }: JudgedWords): JudgedWords {
  const scores = new Float64Array(slots.length);
  words.scoreEach(slots, scores);
  const judged = Array.from(slots, (slot, i) => {
    const [own, passage, rare] = [words.ownScore(slot), words.passageScore(slot), words.rareShare(slot)];
    return [slot, { score: scores[i] as number, own, passage, rare }] as const;
  });
  const of = new Map(judged);
  return {
    coverage,
    mostRareShare,
    isLookUp,
    scoreEach: (some, out) => {
      for (const [i, slot] of some.entries()) out[i] = of.get(slot)?.score ?? 0;
    },
    ownScore: (slot) => of.get(slot)?.own ?? 0,
    passageScore: (slot) => of.get(slot)?.passage ?? 0,
    rareShare: (slot) => of.get(slot)?.rare ?? 0,
  };
}

/** `passages`: by slot, where neighbours count. Of the candidates only. */
export function wordPart(
  { own: { scores: own }, rare, ideal, isFound, isLookUp }: WordScores,
  passages: Float32Array | undefined,
  candidates: Uint32Array,
  eligible: Uint8Array,
  profile: Profile,
): JudgedWords {
  const mostOwn = largest(candidates, own);
  const mostPassage = passages ? largest(candidates, passages) : mostOwn;
  const ownFactor = passages ? (1 - profile.neighbourWordShare) / (mostOwn || 1) : 1;
  const passageFactor = profile.neighbourWordShare / (mostPassage || 1);
  const most = passages ? largestSum(candidates, own, ownFactor, passages, passageFactor) : mostOwn;
  const coverage = ideal > 0 ? Math.min(1, Math.max(mostOwn, mostPassage) / ideal) : 0;
  // An item is the best by words for having one of them that says nothing: then words say little.
  const certainty = isFound ? 1 : coverage;
  const factor = certainty / (most || 1);
  const rareShares = new Map<number, number>();
  for (const [slot, value] of rare) if (eligible[slot] === 1 && value >= ideal * RARE_WORDS_DECIDE) rareShares.set(slot, value / ideal);
  return {
    coverage,
    scoreEach: (slots, out) => {
      for (let i = 0; i < slots.length; i++) {
        const slot = slots[i] as number;
        const ofPassage = passages ? passageFactor * (passages[slot] as number) : 0;
        out[i] = factor * (ownFactor * (own[slot] as number) + ofPassage);
      }
    },
    ownScore: (slot) => (certainty * (own[slot] as number)) / (mostOwn || 1),
    passageScore: (slot) => (passages ? (certainty * (passages[slot] as number)) / (mostPassage || 1) : 0),
    rareShare: (slot) => rareShares.get(slot) ?? 0,
    mostRareShare: Math.max(0, ...rareShares.values()),
    isLookUp,
  };
}

function largest(slots: Uint32Array, values: Float32Array): number {
  let found = 0;
  for (let i = 0; i < slots.length; i++) {
    const value = values[slots[i] as number] as number;
    if (value > found) found = value;
  }
  return found;
}

function largestSum(slots: Uint32Array, some: Float32Array, factor: number, others: Float32Array, otherFactor: number): number {
  let found = 0;
  for (let i = 0; i < slots.length; i++) {
    const slot = slots[i] as number;
    const value = factor * (some[slot] as number) + otherFactor * (others[slot] as number);
    if (value > found) found = value;
  }
  return found;
}
