/** Words and vectors of a scope fused into one order: who may be an answer. `scoring.ts` judges the best of them once more. */

import { nthLargest, unclean } from './arrays.ts';
import { chooseCandidates, withNeighbours } from './candidates.ts';
import type { Items } from './items.ts';
import type { Passages } from './passages.ts';
import { EXACT_SCAN_ITEMS, type Profile, READ_CANDIDATES, READ_FOR_EACH } from './profiles.ts';
import { queryTerms } from './queries.ts';
import type { Speakers } from './speakers.ts';
import type { CodeDistances } from './vectors/code-distances.ts';
import type { ReadVectors, ScopeVectors } from './vectors/scope-vectors.ts';
import { type VectorPart, vectorPart } from './vectors/vector-part.ts';
import type { VectorQuery } from './vectors/vectors.ts';
import { markPassages, scorePassages } from './words/passage-words.ts';
import { type JudgedWords, wordPart, wordsOf } from './words/word-part.ts';
import { addClosedWords, scoreWords, type WordSource } from './words/words.ts';

/** What an order is made of. */
export interface RankParts {
  readonly profile: Profile;
  readonly items: Items;
  readonly vectors: ScopeVectors;
  readonly passages: Passages | undefined;
  readonly speakers: Speakers;
}

export interface RankRequest extends RankParts {
  readonly words: WordSource;
  /** 1 for each slot that may be an answer. */
  readonly eligible: Uint8Array;
  readonly text: string;
  readonly vector: Float32Array | undefined;
}

/** Who may be among the best, judged by words. Lent until the next search, unless `kept` made a copy. */
export interface Proposal {
  readonly candidates: Uint32Array;
  readonly words: JudgedWords;
  readonly query: VectorQuery | undefined;
  /** By content word of the question: how much it says. */
  readonly values: ReadonlyMap<string, number>;
  /** Of a large scope. */
  readonly distances: CodeDistances | undefined;
  /** Whether comparing the candidates one by one is cheaper than comparing all, or the only way. */
  readonly onlyCandidates: boolean;
}

/** The best by words and vectors, best first, with what is known of each. */
export interface Fused {
  readonly slots: readonly number[];
  readonly scores: readonly number[];
  readonly words: JudgedWords;
  readonly similar: VectorPart | undefined;
  readonly hasVector: (slot: number) => boolean;
  /** What its own vector is of a slot's part by vectors, which its neighbours share in. */
  readonly vectorScore: (slot: number) => number;
}

export function propose(request: RankRequest): Proposal {
  const { profile, items, vectors, passages, eligible } = request;
  const isPaged = vectors.pagedSlots > 0;
  const isLarge = isPaged || items.size > EXACT_SCAN_ITEMS;
  const scores = scoreWords(queryTerms(request.text), items, request.words, isLarge ? eligible : undefined, profile);
  const query = vectors.query(request.vector);
  const distances = isLarge && query ? vectors.codeDistances(query, items.slotCount) : undefined;
  const candidates = isLarge ? chooseCandidates(distances, scores, eligible, passages, profile) : slotsOf(eligible);
  addClosedWords(scores, candidates, items, profile);
  const ofPassages =
    isLarge && passages ? markPassages(candidates, passages, profile, items.slotCount) : { wanted: eligible, sources: items.there };
  const inPassages = passages && scorePassages(scores.lists, ofPassages, items, passages, profile);
  const words = wordPart(scores, inPassages, candidates, eligible, profile);
  const { values } = scores;
  return { candidates, words, query, values, distances, onlyCandidates: isPaged || (isLarge && candidates.length <= EXACT_SCAN_ITEMS) };
}

/** Those who are the best by what is in memory: the others' vectors need not be read. */
export function narrowCandidates(parts: RankParts, proposal: Proposal, limit: number): Proposal {
  const { candidates, distances } = proposal;
  const most = Math.max(READ_CANDIDATES, READ_FOR_EACH * limit);
  if (candidates.length <= most) return proposal;
  const { items, vectors, passages } = parts;
  const size = items.slotCount;
  const estimates = distances && vectors.estimates(size, withNeighbours(candidates, passages, size), distances);
  const best = new Set(fuse(parts, proposal, most, estimates).slots);
  // Those whom nothing speaks for may yet be better than their codes.
  const rest = distances && best.size < most ? candidates.filter((slot) => !best.has(slot)) : undefined;
  rest?.sort((a, b) => (distances?.at(a) ?? 0) - (distances?.at(b) ?? 0));
  return { ...proposal, candidates: Uint32Array.from([...best, ...(rest?.subarray(0, most - best.size) ?? [])]) };
}

/** The same in memory of its own. */
export function kept({ candidates, words, query, values, onlyCandidates }: Proposal): Proposal {
  const own = candidates.slice();
  return { candidates: own, words: wordsOf(own, words), query, values, distances: undefined, onlyCandidates };
}

/** The slots whose vectors must be read for a proposal. */
export function vectorsToRead({ vectors, passages, items }: RankParts, { candidates, query }: Proposal): Uint32Array {
  if (!query) return new Uint32Array(0);
  return withNeighbours(candidates, passages, items.slotCount).filter((slot) => slot < vectors.pagedSlots && vectors.has(slot));
}

/** Scores above 0 only. An item without a vector is judged by its words alone. `read`: vectors that are not in memory. */
export function fuseBest(parts: RankParts, proposal: Proposal, most: number, read: ReadVectors): Fused {
  const { items, vectors, passages } = parts;
  const { candidates, query, onlyCandidates } = proposal;
  const size = items.slotCount;
  const slots = onlyCandidates ? withNeighbours(candidates, passages, size) : undefined;
  return fuse(parts, proposal, most, query && vectors.similarities(query, size, slots, read));
}

/** `similarities`: by slot, NaN without a vector, at least of the candidates and their neighbours. */
function fuse(parts: RankParts, { candidates, words, query }: Proposal, most: number, similarities: Float64Array | undefined): Fused {
  const { profile, items } = parts;
  const similar = query && similarities && vectorPart(parts, query, candidates, similarities);
  const share = similar ? profile.vectorShare : 0;
  const hasVector = (slot: number) => share > 0 && similarities !== undefined && !Number.isNaN(similarities[slot]);
  const scores = unclean('float64', 'scores', candidates.length);
  words.scoreEach(candidates, scores);
  for (let i = 0; i < candidates.length; i++) {
    const slot = candidates[i] as number;
    const vectorShare = hasVector(slot) ? share : 0;
    const ofVector = similar && vectorShare > 0 ? vectorShare * (similar.scores[i] as number) : 0;
    // What has the one rare word that is asked for comes before what is only about the common ones beside it.
    const rareShare = words.mostRareShare > 0 ? words.rareShare(slot) : 0;
    scores[i] = (1 - vectorShare) * (scores[i] as number) + ofVector + rareShare;
  }
  const least = Math.max(nthLargest(scores, most), Number.MIN_VALUE);
  const best: number[] = [];
  for (let i = 0; i < scores.length; i++) if ((scores[i] as number) >= least) best.push(i);
  const slotAt = (i: number) => candidates[i] as number;
  best.sort((a, b) => (scores[b] as number) - (scores[a] as number) || items.compare(slotAt(b), slotAt(a)));
  const chosen = best.slice(0, most);
  const vectorScores = new Map(similar ? chosen.map((i) => [slotAt(i), similar.scores[i] as number]) : []);
  return {
    slots: chosen.map(slotAt),
    scores: chosen.map((i) => scores[i] as number),
    words,
    similar,
    hasVector,
    vectorScore: (slot) => vectorScores.get(slot) ?? 0,
  };
}

function slotsOf(mask: Uint8Array): Uint32Array {
  const slots = unclean('uint32', 'candidates', mask.length);
  let count = 0;
  for (let slot = 0; slot < mask.length; slot++) if (mask[slot] === 1) slots[count++] = slot;
  return slots.subarray(0, count);
}
