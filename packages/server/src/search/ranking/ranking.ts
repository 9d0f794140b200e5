/** Words and vectors of a scope fused into one order. */

import { boundOfBest, nthLargest, SlotList, unclean } from './arrays.ts';
import { type Items, NONE } from './items.ts';
import type { Passages } from './passages.ts';
import type { Postings } from './postings.ts';
import { EXACT_SCAN_ITEMS, NEAREST_CANDIDATES, type Profile, WORD_CANDIDATES } from './profiles.ts';
import { queryTerms } from './queries.ts';
import { vectorPart } from './vector-part.ts';
import type { VectorQuery, Vectors } from './vectors.ts';
import { type WordPart, wordPart } from './word-part.ts';
import { scoreWords } from './words.ts';

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

/** Best first, scores above 0 only. An item without a vector is judged by its words alone. */
export function rank(request: RankRequest): Ranked[] {
  const { profile, items, vectors, passages, eligible, limit } = request;
  const wordScores = scoreWords(queryTerms(request.text), items, request.words, passages, profile);
  const words = wordPart(wordScores, eligible, profile);
  const query = vectors.query(request.vector);
  const isLarge = query !== undefined && vectors.count > EXACT_SCAN_ITEMS;
  const candidates = isLarge ? proposed(request, query, words) : slotsOf(eligible);
  const similar = query && vectorPart(request, query, candidates, isLarge && candidates.length <= EXACT_SCAN_ITEMS);

  const share = similar ? profile.vectorShare : 0;
  const confidence = (1 - share) * words.coverage + (similar ? share * Math.max(0, Math.min(1, similar.best)) : 0);
  const shareOf = (slot: number) => (vectors.has(slot) ? share : 0);
  const fusedAt = (i: number) => {
    const slot = candidates[i] as number;
    const vectorShare = shareOf(slot);
    const vectorScore = similar && vectorShare > 0 ? vectorShare * (similar.scores[i] as number) : 0;
    return (1 - vectorShare) * words.score(slot) + vectorScore;
  };
  // What has the one rare word that is asked for comes before what is only about the common ones beside it.
  const scale = confidence / (1 + words.mostRareShare);
  const scores = unclean('float64', 'scores', candidates.length);
  for (let i = 0; i < candidates.length; i++) {
    // Scores within an answer are relative to the best of each signal; scaled by how good that is in itself, a hopeless question gets low ones.
    scores[i] = Math.min(1, scale * (fusedAt(i) + words.rareShare(candidates[i] as number)));
  }

  const least = Math.max(nthLargest(scores, limit), Number.MIN_VALUE);
  const best: number[] = [];
  for (let i = 0; i < scores.length; i++) if ((scores[i] as number) >= least) best.push(i);
  const slotAt = (i: number) => candidates[i] as number;
  best.sort((a, b) => (scores[b] as number) - (scores[a] as number) || items.compare(slotAt(b), slotAt(a)));
  return best.slice(0, limit).map((i) => {
    const slot = slotAt(i);
    const score = scores[i] as number;
    const lexical = Math.min(score, scale * ((1 - shareOf(slot)) * words.ownScore(slot) + words.rareShare(slot)));
    const vector = similar ? Math.min(score - lexical, scale * shareOf(slot) * similar.ownScore(slot)) : 0;
    return { slot, score, lexical, vector, neighbours: passages ? score - lexical - vector : 0 };
  });
}

function slotsOf(mask: Uint8Array): Uint32Array {
  const slots = unclean('uint32', 'candidates', mask.length);
  let count = 0;
  for (let slot = 0; slot < mask.length; slot++) if (mask[slot] === 1) slots[count++] = slot;
  return slots.subarray(0, count);
}

/** In a large scope: the best by words, the nearest by code, and the neighbours of both. */
function proposed({ items, vectors, eligible, passages }: RankRequest, query: VectorQuery, words: WordPart): Uint32Array {
  const chosen = new SlotList('chosen', items.slotCount);
  const choose = (slot: number) => {
    chosen.add(slot);
    if (!passages) return;
    const before = passages.before[slot] as number;
    const after = passages.after[slot] as number;
    if (before !== NONE && eligible[before] === 1) chosen.add(before);
    if (after !== NONE && eligible[after] === 1) chosen.add(after);
  };
  for (const slot of vectors.nearest(query, items.slotCount, eligible, NEAREST_CANDIDATES)) choose(slot);
  const least = boundOfBest(words.raw, words.slots, words.most, WORD_CANDIDATES);
  for (const slot of words.slots) if ((words.raw[slot] as number) >= least) choose(slot);
  return chosen.all();
}
