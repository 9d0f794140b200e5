/** The index of one search scope, in memory: what is searched together, with word statistics of its own. */

import { isErased } from '../segments/item-pages.ts';
import type { Segment, SegmentContents } from '../segments/segment.ts';
import type { Steps } from '../slices.ts';
import { contentsOf } from './contents.ts';
import { filterMask, type SearchFilter } from './filters.ts';
import { fingerprintOf } from './fingerprints.ts';
import type { IndexItem } from './index-item.ts';
import { type HeldItem, Items, NONE } from './items.ts';
import { type Passages, passagesOf } from './passages.ts';
import { MOST_SLOTS, Postings } from './postings.ts';
import { EXACT_SCAN_ITEMS, MOST_EMPTY_SHARE, type Profile, type ProfileName, profiles } from './profiles.ts';
import { rank } from './ranking.ts';
import { type AvailableSegment, type SavePlan, StoredSlots } from './saving.ts';
import { SlotMarks } from './slot-marks.ts';
import { Speakers } from './speakers.ts';
import { countTerms } from './term-counts.ts';
import { Vectors } from './vectors.ts';

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

/** Neighbours and the length, by slot. */
const PASSAGE_BYTES = 16;

export class ScopeIndex {
  readonly #profileName: ProfileName;
  readonly #profile: Profile;
  #items = new Items();
  #words = new Postings();
  #tags = new Postings();
  readonly #vectors = new Vectors();
  #speakers = new Speakers();
  /** Items that wait for their vector. */
  #vectorless = new SlotMarks();
  readonly #stored = new StoredSlots();
  #compactions = 0;
  /** Worked out at the first search after a change. */
  #passages: Passages | undefined;

  constructor(profile: ProfileName) {
    this.#profileName = profile;
    this.#profile = profiles[profile];
  }

  get size(): number {
    return this.#items.size;
  }

  /** An estimate of the memory held. */
  get bytes(): number {
    const parts = [this.#items, this.#words, this.#tags, this.#vectors, this.#speakers, this.#vectorless, this.#stored];
    return parts.reduce((sum, { bytes }) => sum + bytes, 0) + (this.#passages ? this.#items.slotCount * PASSAGE_BYTES : 0);
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
      const version = item.version ?? 0;
      // What is stored of it says otherwise.
      if (this.#items.version(slot) !== version || this.#vectors.has(slot) !== (item.vector !== undefined)) this.#stored.clear(slot);
      this.#items.setVersion(slot, version);
      this.#vectors.set(slot, item.vector);
      this.#vectorless.set(slot, !item.vector && !item.isRefused);
      yield;
    }
    yield* this.#compactIfWorth();
  }

  /** For an item that is still held in that version; without a vector it does not wait for one any more. */
  setVector(id: string, version: number, vector: Uint8Array | undefined): void {
    const slot = this.#items.slotOf(id);
    // Edited or deleted since: the vector is of a text that is no more.
    if (slot === undefined || this.#items.version(slot) !== version) return;
    if (vector && !this.#vectors.has(slot)) this.#stored.clear(slot);
    if (vector) this.#vectors.set(slot, vector);
    this.#vectorless.set(slot, false);
  }

  held(id: string): HeldItem | undefined {
    const slot = this.#items.slotOf(id);
    return slot === undefined ? undefined : this.#heldAt(slot);
  }

  /** Those of some items that are in a stored segment as they are held. */
  storedAmong(ids: readonly string[]): string[] {
    return ids.filter((id) => this.#stored.has(this.#items.slotOf(id) ?? NONE));
  }

  /** The ids of a thread, in the order in which they came. */
  idsOfThread(thread: string): string[] {
    return this.#items.slotsOfThread(thread).map((slot) => this.#items.id(slot));
  }

  countOfThread(thread: string): number {
    return this.#items.sizeOfThread(thread);
  }

  get vectorlessCount(): number {
    return this.#vectorless.count;
  }

  /** Of those that wait for a vector, the first to come, in that order. */
  oldestVectorless(limit: number): HeldItem[] {
    return this.#vectorless.first(limit).map((slot) => this.#heldAt(slot));
  }

  newestVectorless(limit: number): HeldItem[] {
    return this.#vectorless.last(limit).map((slot) => this.#heldAt(slot));
  }

  #heldAt(slot: number): HeldItem {
    return { id: this.#items.id(slot), thread: this.#items.thread(slot), version: this.#items.version(slot) };
  }

  /** Room for what is about to be appended: so many items, and entries of their words. */
  reserve(items: number, entries: number): void {
    this.#items.reserve(items);
    this.#vectors.reserve(items);
    this.#words.reserve(entries);
    this.#stored.reserve(items);
  }

  /** Takes in a stored part, none of whose items may be there. Nothing else may be asked before the last step. */
  *append(segment: Segment, id = ''): Steps<void> {
    const { header } = segment;
    if (this.#items.slotCount + header.itemCount > MOST_SLOTS) yield* this.#compact();
    this.#passages = undefined;
    const first = yield* this.#items.append(segment);
    for (const { term, count, list } of segment.wordLists()) {
      this.#words.addList(term, count, list, first);
      yield;
    }
    for (const { term, count, list } of segment.tagLists()) {
      this.#tags.addList(term, count, list, first);
      yield;
    }
    const { vectorCount: count, dimensions, sums } = header;
    yield* this.#vectors.append(segment.vectorPages(), { slots: header.itemCount, dimensions, count, sums }, first);
    this.#stored.markRange(first, header.itemCount, { id, items: header.heldCount });
    if (!this.#profile.hasSpeakers) return;
    for (let i = 0; i < header.itemCount; i++) {
      if (isErased(segment.items, i)) continue;
      const speaker = segment.items.speakers[i] as number;
      this.#speakers.addNamed(first + i, this.#items.threadNumber(first + i), segment.speakers[speaker - 1]);
      if (i % 1024 === 0) yield;
    }
  }

  /** What is to be written so that all settled items are stored; `available`: the segments that are stored still. */
  planSave(available: readonly AvailableSegment[]): Steps<SavePlan> {
    return this.#stored.plan(this.#items, this.#vectorless, available, this.#compactions);
  }

  /** Whether slots mean what they meant when the plan was made. */
  isCurrent({ compactions }: SavePlan): boolean {
    return compactions === this.#compactions;
  }

  /** One part of a plan, without what went meanwhile; nothing where slots mean other items by now. */
  *planned({ parts, compactions }: SavePlan, part: number, model: string): Steps<SegmentContents | undefined> {
    const slots = parts[part];
    if (!slots || compactions !== this.#compactions) return undefined;
    const there = slots.filter((slot) => this.#items.isThere(slot));
    return yield* this.contents(there, model);
  }

  /** The parts of a plan are stored under these ids, and beside them only what was kept. */
  noteSaved({ parts, kept, compactions }: SavePlan, ids: readonly string[]): void {
    if (compactions !== this.#compactions) return;
    this.#stored.keep(kept);
    for (const [part, id] of ids.entries()) this.#stored.mark(parts[part] ?? new Uint32Array(), id);
  }

  /** Some slots, in rising order and in use, as a segment. Valid until the next compaction. */
  contents(slots: Uint32Array, model: string): Steps<SegmentContents> {
    const [items, words, tags, vectors, speakers] = [this.#items, this.#words, this.#tags, this.#vectors, this.#speakers];
    return contentsOf({ items, words, tags, vectors, speakers }, slots, { profile: this.#profileName, model });
  }

  *remove(ids: Iterable<string>): Steps<void> {
    for (const id of ids) {
      const slot = this.#items.slotOf(id);
      if (slot !== undefined) this.#remove(slot);
      yield;
    }
    yield* this.#compactIfWorth();
  }

  /** What the first search after a large change would take long for, in steps. */
  *prepare(): Steps<void> {
    yield* this.#vectors.prepare(this.#items.slotCount, EXACT_SCAN_ITEMS);
    this.#passages ??= passagesOf(this.#items, this.#profile);
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
    return hits.map(({ slot, score, lexical, vector, neighbours }) => ({
      id: this.#items.id(slot),
      score,
      ...(query.explain && { explain: { lexical, vector, neighbours } }),
    }));
  }

  #add({ id, order, thread, version = 0, text, prefix = '', tags, time, end }: IndexItem, fingerprint: number): number {
    this.#passages = undefined;
    const { counts, length } = countTerms({ prefix, text, time }, this.#profile);
    const slot = this.#items.add({ id, order, thread, version, time, end, fingerprint, length });
    for (const [term, weight] of counts) this.#words.add(term, slot, weight);
    for (const tag of new Set(tags)) this.#tags.add(tag, slot, 1);
    if (this.#profile.hasSpeakers) this.#speakers.add(slot, this.#items.threadNumber(slot), text);
    return slot;
  }

  #remove(slot: number): void {
    this.#passages = undefined;
    this.#vectors.set(slot, undefined);
    if (this.#profile.hasSpeakers) this.#speakers.remove(slot, this.#items.threadNumber(slot));
    this.#vectorless.set(slot, false);
    this.#stored.clear(slot);
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
    this.#speakers = this.#profile.hasSpeakers ? this.#speakers.compacted(newSlots, (slot) => items.threadNumber(slot)) : this.#speakers;
    this.#vectorless = this.#vectorless.compacted(newSlots);
    this.#stored.compact(newSlots, items.slotCount);
    this.#compactions++;
  }
}
