/** A search of a scope whose words and vectors are at rest, in three steps: read pages of words, read the candidates' vectors, rank. */

import type { PagePlace, WordPage } from '../segments/pages.ts';
import { filterMask } from './filters.ts';
import type { IndexQuery } from './index-query.ts';
import type { HeldItem } from './items.ts';
import { makeShortlist, type Shortlist } from './judging/shortlist.ts';
import { NONE } from './none.ts';
import { keyOf, type PageCache } from './page-cache.ts';
import { queryTerms } from './queries.ts';
import { kept, narrowCandidates, type Proposal, propose, type RankParts, vectorsToRead } from './ranking.ts';
import type { Tags } from './tags.ts';
import { type PagedWords, pagesOf, type WordPlan, wordSource } from './words/paged-words.ts';
import type { Postings } from './words/postings.ts';
import type { JudgedWords } from './words/word-part.ts';

/** The scope as it is at each step: items may have come and gone since the last one, their slots stay. */
export interface PagedParts extends RankParts {
  readonly words: Postings;
  readonly tags: Tags;
  readonly pagedWords: PagedWords;
}

/** One who may be among the best, whatever slot it has by then. */
interface Candidate {
  readonly slot: number;
  readonly id: string;
}

export class PagedSearch {
  readonly query: IndexQuery;
  readonly #partsNow: () => PagedParts;
  readonly #cache: PageCache;
  readonly #plan: WordPlan;
  /** Of what was in memory when it began: what is left at rest meanwhile is not in the plan. */
  #heldWords: Postings | undefined;
  /** How much was at rest when its candidates were chosen. */
  #pagedSlots = 0;
  /** The pages of words, held until the candidates are chosen, whatever the cache has room for. */
  readonly #bodies = new Map<string, Uint8Array>();
  #proposal: { readonly ranked: Proposal; readonly candidates: readonly Candidate[] } | undefined;

  constructor(partsNow: () => PagedParts, query: IndexQuery, cache: PageCache) {
    this.query = query;
    this.#partsNow = partsNow;
    this.#cache = cache;
    const { pagedWords, words } = partsNow();
    this.#heldWords = words;
    this.#plan = pagedWords.plan(queryTerms(query.text), words);
  }

  /** Whether its candidates are not chosen yet. */
  get isWaitingForPages(): boolean {
    return this.#proposal === undefined;
  }

  /** Whether some of its candidates may have been left at rest since their vectors were asked for. */
  get isOutdated(): boolean {
    return !this.isWaitingForPages && this.#partsNow().vectors.pagedSlots !== this.#pagedSlots;
  }

  /** Those that are not in the cache. */
  pagesToRead(): PagePlace[] {
    return pagesOf(this.#plan).filter((place) => {
      const body = this.#cache.get(place);
      if (body) this.#bodies.set(keyOf(place), body);
      return !body;
    });
  }

  /** Throws `UnusableSegment` where one is damaged. */
  takePages(pages: readonly WordPage[]): void {
    for (const page of pages) this.#bodies.set(keyOf(page), this.#cache.add(page));
  }

  /** The items whose vectors are to be read; nothing where a page of words is not stored any more. */
  vectorsToRead(): Pick<HeldItem, 'id' | 'thread'>[] | undefined {
    const parts = this.#partsNow();
    const { items, tags } = parts;
    const words = wordSource(this.#plan, this.#heldWords ?? parts.words, this.#bodies);
    if (!words) return undefined;
    this.#heldWords = undefined;
    const { text, vector, filter, limit } = this.query;
    const proposal = propose({ ...parts, words, eligible: filterMask(filter, items, tags), text, vector });
    const ranked = kept(narrowCandidates(parts, proposal, limit));
    this.#bodies.clear();
    this.#proposal = { ranked, candidates: Array.from(ranked.candidates, (slot) => ({ slot, id: items.id(slot) })) };
    return this.vectorsOfCandidates();
  }

  /** Once candidates are chosen: those of them whose vectors are at rest by now. */
  vectorsOfCandidates(): Pick<HeldItem, 'id' | 'thread'>[] {
    const parts = this.#partsNow();
    const { items, vectors } = parts;
    if (!this.#proposal) throw new Error('Candidates come before their vectors');
    this.#pagedSlots = vectors.pagedSlots;
    return Array.from(vectorsToRead(parts, this.#proposal.ranked), (slot) => ({ id: items.id(slot), thread: items.thread(slot) }));
  }

  /** `read`: the vectors by the ids of their items. */
  rank(read: Iterable<readonly [id: string, vector: Uint8Array]>): Shortlist {
    const parts = this.#partsNow();
    const { items } = parts;
    if (!this.#proposal) throw new Error('Candidates come before their order');
    const { ranked, candidates } = this.#proposal;
    // What went meanwhile is no answer any more; what was taken in anew has another slot, and is judged by the words that it had.
    const slotsNow = new Map<number, number>();
    for (const { slot, id } of candidates) {
      const now = items.slotOf(id);
      if (now !== undefined) slotsNow.set(now, slot);
    }
    const bySlot = new Map<number, Uint8Array>();
    for (const [id, vector] of read) {
      const slot = items.slotOf(id);
      if (slot !== undefined) bySlot.set(slot, vector);
    }
    const words = wordsAt(ranked.words, slotsNow);
    return makeShortlist(parts, { ...ranked, words, candidates: Uint32Array.from(slotsNow.keys()) }, this.query, bySlot);
  }
}

/** `before[slot]`: what a slot was called when its words were judged. */
function wordsAt({ scoreEach, ownScore, passageScore, rareShare, ...rest }: JudgedWords, before: ReadonlyMap<number, number>): JudgedWords {
  const of = (judged: (slot: number) => number) => (slot: number) => judged(before.get(slot) ?? NONE);
  return {
    ...rest,
    scoreEach: (slots, out) =>
      scoreEach(
        Uint32Array.from(slots, (slot) => before.get(slot) ?? NONE),
        out,
      ),
    ownScore: of(ownScore),
    passageScore: of(passageScore),
    rareShare: of(rareShare),
  };
}
