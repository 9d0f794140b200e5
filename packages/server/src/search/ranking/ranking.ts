/** Words and vectors of a scope fused into one order. */

import { nthLargest } from './arrays.ts';
import { type Items, NONE } from './items.ts';
import type { Passages } from './passages.ts';
import type { Postings } from './postings.ts';
import { CANDIDATES, EXACT_SCAN_ITEMS, FLOOR_ITEMS, type Profile } from './profiles.ts';
import { queryTerms } from './queries.ts';
import type { VectorQuery, Vectors } from './vectors.ts';
import { scoreWords, type WordScores } from './words.ts';

export interface RankRequest {
  readonly profile: Profile;
  readonly items: Items;
  readonly words: Postings;
  readonly vectors: Vectors;
  readonly passages: Passages | undefined;
  /** 1 for each slot that may be an answer. */
  readonly eligible: Uint8Array;
  readonly text: string;
  readonly vector: Float32Array | undefined;
  readonly limit: number;
}

export interface Ranked {
  readonly slot: number;
  readonly score: number;
  readonly lexical: number;
  readonly vector: number;
  readonly neighbours: number;
}

/** Best first, scores above 0 only. */
export function rank(request: RankRequest): Ranked[] {
  const { profile, items, words, vectors, eligible, limit } = request;
  const wordScores = scoreWords(queryTerms(request.text), items, words, request.passages, profile);
  const wordParts = new WordParts(wordScores, eligible, profile);
  const query = vectors.query(request.vector);
  const candidates = query && vectors.count > EXACT_SCAN_ITEMS ? proposed(request, query, wordParts) : allOf(eligible);
  const vectorParts = query && new VectorParts(request, query, candidates);

  const confidence = confidenceOf(wordParts, vectorParts, profile);
  const scores = new Float64Array(candidates.length);
  for (let i = 0; i < candidates.length; i++) {
    const slot = candidates[i] as number;
    const share = vectorParts?.has(slot) ? profile.vectorShare : 0;
    scores[i] = confidence * ((1 - share) * wordParts.score(slot) + (share > 0 ? share * (vectorParts as VectorParts).score(slot) : 0));
  }
  const least = Math.max(nthLargest(scores, limit), Number.MIN_VALUE);
  const best: { slot: number; score: number }[] = [];
  for (const [i, score] of scores.entries()) if (score >= least) best.push({ slot: candidates[i] as number, score });
  best.sort((a, b) => b.score - a.score || items.compare(b.slot, a.slot));
  return best.slice(0, limit).map(({ slot, score }) => {
    const share = vectorParts?.has(slot) ? profile.vectorShare : 0;
    const lexical = confidence * (1 - share) * wordParts.ownShare(slot);
    const vector = vectorParts && share > 0 ? confidence * share * vectorParts.ownShare(slot) : 0;
    return { slot, score, lexical, vector, neighbours: Math.max(0, score - lexical - vector) };
  });
}

/**
 * Within one answer scores are relative to the best of each signal, so the best hit of a hopeless question would shine as bright as that of a
 * good one. All scores are scaled by how good the best evidence is in itself: the share of the question's words, the similarity.
 */
function confidenceOf(words: WordParts, vectors: VectorParts | undefined, { vectorShare }: Profile): number {
  if (!vectors) return words.coverage;
  return (1 - vectorShare) * words.coverage + vectorShare * Math.min(1, Math.max(0, vectors.best));
}

function allOf(eligible: Uint8Array): Uint32Array {
  const slots = new Uint32Array(eligible.length);
  let count = 0;
  for (let slot = 0; slot < eligible.length; slot++) if (eligible[slot] === 1) slots[count++] = slot;
  return slots.subarray(0, count);
}

/** In a large scope: the best by words, the nearest by code, and the neighbours of both. */
function proposed({ items, vectors, eligible, passages }: RankRequest, query: VectorQuery, words: WordParts): Uint32Array {
  const chosen = new Set(vectors.nearest(query, items.slotCount, eligible, CANDIDATES));
  for (const slot of words.best(CANDIDATES)) chosen.add(slot);
  if (passages) {
    for (const slot of [...chosen]) {
      for (const beside of [passages.before[slot] as number, passages.after[slot] as number]) {
        if (beside !== NONE && eligible[beside] === 1) chosen.add(beside);
      }
    }
  }
  return Uint32Array.from(chosen);
}

/** The words' part of each score, 0 to 1. */
class WordParts {
  /** How much of the question's words the best item has, 0 to 1. */
  readonly coverage: number;
  readonly #scores: Float64Array;
  readonly #own: Float64Array;
  readonly #ownFactor: number;
  readonly #most: number;

  constructor({ own, passage, ideal }: WordScores, eligible: Uint8Array, { neighbourWordShare: share }: Profile) {
    const size = own.length;
    let [mostOwn, mostPassage] = [0, 0];
    for (let slot = 0; slot < size; slot++) {
      if (eligible[slot] === 0) continue;
      if ((own[slot] as number) > mostOwn) mostOwn = own[slot] as number;
      if ((passage[slot] as number) > mostPassage) mostPassage = passage[slot] as number;
    }
    this.#own = own;
    this.#ownFactor = mostOwn > 0 ? (1 - share) / mostOwn : 0;
    const passageFactor = mostPassage > 0 ? share / mostPassage : 0;
    this.#scores = new Float64Array(size);
    let most = 0;
    for (let slot = 0; slot < size; slot++) {
      if (eligible[slot] === 0) continue;
      const score = this.#ownFactor * (own[slot] as number) + passageFactor * (passage[slot] as number);
      this.#scores[slot] = score;
      if (score > most) most = score;
    }
    this.#most = most || 1;
    this.coverage = ideal > 0 ? Math.min(1, Math.max(mostOwn, mostPassage) / ideal) : 0;
  }

  score(slot: number): number {
    return (this.#scores[slot] as number) / this.#most;
  }

  ownShare(slot: number): number {
    return (this.#ownFactor * (this.#own[slot] as number)) / this.#most;
  }

  *best(count: number): Generator<number> {
    const least = Math.max(nthLargest(this.#scores, count), Number.MIN_VALUE);
    for (let slot = 0; slot < this.#scores.length; slot++) if ((this.#scores[slot] as number) >= least) yield slot;
  }
}

/** The vectors' part of each candidate's score, 0 to 1: how far it is above the scope's mean similarity, relative to the best. */
class VectorParts {
  /** The highest similarity of a candidate. */
  readonly best: number;
  readonly #similarities: Float64Array;
  readonly #mixed: Float64Array;
  readonly #floor: number;
  readonly #range: number;
  readonly #ownPart: number;

  constructor({ items, vectors, passages, profile }: RankRequest, query: VectorQuery, candidates: Uint32Array) {
    const size = items.slotCount;
    const share = profile.neighbourVectorShare;
    // When so many were proposed that all are as soon compared.
    const isScan = vectors.count <= EXACT_SCAN_ITEMS || candidates.length > EXACT_SCAN_ITEMS;
    const similarities = isScan ? vectors.similarities(query, size) : new Float64Array(size).fill(Number.NaN);
    const known = (slot: number) => {
      if (!isScan && Number.isNaN(similarities[slot])) similarities[slot] = vectors.similarity(query, slot);
      return similarities[slot] as number;
    };
    this.#similarities = similarities;
    this.#mixed = passages ? new Float64Array(size) : similarities;
    this.#ownPart = 1 - share;
    let [best, most] = [-1, -1];
    for (const slot of candidates) {
      const own = known(slot);
      if (!(own >= -1)) continue;
      if (own > best) best = own;
      let mixed = own;
      if (passages) {
        let [sum, count] = [own, 1];
        for (const beside of [passages.before[slot] as number, passages.after[slot] as number]) {
          const similarity = beside === NONE ? Number.NaN : known(beside);
          if (Number.isNaN(similarity)) continue;
          sum += similarity;
          count++;
        }
        mixed = (1 - share) * own + (share * sum) / count;
        this.#mixed[slot] = mixed;
      }
      if (mixed > most) most = mixed;
    }
    this.best = best;
    this.#floor = (vectors.meanSimilarity(query) * vectors.count) / (vectors.count + FLOOR_ITEMS);
    this.#range = most - this.#floor;
  }

  has(slot: number): boolean {
    return !Number.isNaN(this.#similarities[slot]);
  }

  score(slot: number): number {
    if (!(this.#range > 0)) return 0;
    return Math.max(0, ((this.#mixed[slot] as number) - this.#floor) / this.#range);
  }

  /** What the item's own vector adds to it. */
  ownShare(slot: number): number {
    if (!(this.#range > 0)) return 0;
    const own = (this.#ownPart * ((this.#similarities[slot] as number) - this.#floor)) / this.#range;
    return Math.min(this.score(slot), Math.max(0, own));
  }
}
