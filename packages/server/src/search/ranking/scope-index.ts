/** The index of one search scope, in memory: what is searched together, with word statistics of its own. */

import type { Steps } from '../slices.ts';
import { filterMask, type SearchFilter } from './filters.ts';
import { fingerprintOf, Items } from './items.ts';
import { type Passages, passagesOf } from './passages.ts';
import { MOST_SLOTS, Postings } from './postings.ts';
import { MOST_EMPTY_SHARE, type Profile, type ProfileName, profiles } from './profiles.ts';
import { type Ranked, rank } from './ranking.ts';
import { Speakers } from './speakers.ts';
import { termsOf, timeTerms } from './tokens.ts';
import { Vectors } from './vectors.ts';

export interface IndexItem {
  readonly id: string;
  /** Items of one thread are neighbours in this order. */
  readonly order: string;
  /** Session or document. */
  readonly thread: string;
  readonly text: string;
  /** Title and heading path of a chunk, speaker or role of a message. */
  readonly prefix?: string | undefined;
  /** float32 scale, then int8 components; value = scale × component. */
  readonly vector?: Uint8Array | undefined;
  readonly tags: readonly string[];
  /** Milliseconds. */
  readonly time?: number | undefined;
  /** When it ceases to be an answer to what holds at a moment. */
  readonly end?: number | undefined;
}

export interface IndexQuery {
  readonly text: string;
  /** Normalised. */
  readonly vector?: Float32Array | undefined;
  readonly limit: number;
  readonly filter?: SearchFilter | undefined;
  readonly minScore?: number | undefined;
  readonly explain?: boolean | undefined;
}

export interface Hit {
  readonly id: string;
  readonly score: number;
  /** The parts of the score: the item's own words, its own vector, and both read together with its neighbours. */
  readonly explain?: { readonly lexical: number; readonly vector: number; readonly neighbours: number };
}

export class ScopeIndex {
  readonly #profile: Profile;
  #items = new Items();
  #words = new Postings();
  #tags = new Postings();
  readonly #vectors = new Vectors();
  readonly #speakers = new Speakers();
  /** Worked out at the first search after a change. */
  #passages: Passages | undefined;

  constructor(profile: ProfileName) {
    this.#profile = profiles[profile];
  }

  get size(): number {
    return this.#items.size;
  }

  /** An estimate of the memory held. */
  get bytes(): number {
    return this.#items.bytes + this.#words.bytes + this.#tags.bytes + this.#vectors.bytes + this.#speakers.bytes;
  }

  /** Names with which texts of this scope begin, as in "Ann: hello". */
  get speakers(): string[] {
    return this.#speakers.names();
  }

  /** Each item is given whole: one without a vector has none from then on. Nothing else may be asked before the last step. */
  *upsert(items: Iterable<IndexItem>): Steps<void> {
    for (const item of items) {
      if (this.#items.slotCount >= MOST_SLOTS) yield* this.#compact();
      const fingerprint = fingerprintOf(JSON.stringify([item.order, item.thread, item.text, item.prefix, item.tags, item.time, item.end]));
      let slot = this.#items.slotOf(item.id);
      if (slot === undefined || this.#items.fingerprint(slot) !== fingerprint) {
        if (slot !== undefined) this.#remove(slot);
        slot = this.#add(item, fingerprint);
      }
      this.#vectors.set(slot, item.vector);
      yield;
    }
    yield* this.#compactIfWorth();
  }

  /** For what is there already. */
  setVector(id: string, vector: Uint8Array): void {
    const slot = this.#items.slotOf(id);
    if (slot !== undefined) this.#vectors.set(slot, vector);
  }

  *remove(ids: Iterable<string>): Steps<void> {
    for (const id of ids) {
      const slot = this.#items.slotOf(id);
      if (slot !== undefined) this.#remove(slot);
      yield;
    }
    yield* this.#compactIfWorth();
  }

  /** Best first; of equal ones the later in order, then by id. */
  search(query: IndexQuery): Hit[] {
    this.#passages ??= passagesOf(this.#items, this.#profile);
    const ranked = rank({
      profile: this.#profile,
      items: this.#items,
      words: this.#words,
      vectors: this.#vectors,
      passages: this.#passages,
      eligible: filterMask(query.filter, this.#items, this.#tags),
      text: query.text,
      vector: query.vector,
      limit: query.limit,
    });
    const hits = ranked.filter(({ score }) => score >= (query.minScore ?? 0));
    return hits.map((hit) => this.#hit(hit, query.explain ?? false));
  }

  #hit({ slot, score, lexical, vector, neighbours }: Ranked, explain: boolean): Hit {
    return { id: this.#items.id(slot), score, ...(explain && { explain: { lexical, vector, neighbours } }) };
  }

  #add({ id, order, thread, text, prefix = '', tags, time, end }: IndexItem, fingerprint: number): number {
    this.#passages = undefined;
    const counts = new Map<string, number>();
    let length = 0;
    const count = (terms: readonly string[], weight: number) => {
      for (const term of terms) counts.set(term, (counts.get(term) ?? 0) + weight);
      length += terms.length * weight;
    };
    count(termsOf(prefix), this.#profile.prefixWeight);
    count(termsOf(text), 1);
    if (this.#profile.timeAsWords && time !== undefined) count(timeTerms(time), 1);
    const slot = this.#items.add({ id, order, thread, time, end, fingerprint, length });
    for (const [term, weight] of counts) this.#words.add(term, slot, weight);
    for (const tag of new Set(tags)) this.#tags.add(tag, slot, 1);
    if (this.#profile.hasSpeakers) this.#speakers.add(slot, thread, text);
    return slot;
  }

  #remove(slot: number): void {
    this.#passages = undefined;
    this.#vectors.set(slot, undefined);
    this.#speakers.remove(slot);
    this.#items.remove(slot);
  }

  *#compactIfWorth(): Steps<void> {
    const empty = this.#items.slotCount - this.#items.size;
    if (empty > 16 && empty > this.#items.slotCount * MOST_EMPTY_SHARE) yield* this.#compact();
  }

  *#compact(): Steps<void> {
    this.#passages = undefined;
    const { items, newSlots } = yield* this.#items.compacted();
    const words = yield* this.#words.compacted(newSlots);
    const tags = yield* this.#tags.compacted(newSlots);
    this.#items = items;
    this.#words = words;
    this.#tags = tags;
    this.#vectors.compact(newSlots, items.slotCount);
    this.#speakers.compact(newSlots);
  }
}
