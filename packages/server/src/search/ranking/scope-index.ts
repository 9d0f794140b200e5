/** The index of one search scope, in memory: what is searched together, with word statistics of its own. */

import type { PagedSegment, Segment, SegmentContents } from '../segments/segment.ts';
import type { Steps } from '../slices.ts';
import { type AppendedParts, appendPagedSegment, appendSegment, inOrderOfSlots, type PlacedSegment, restSegment } from './appending.ts';
import { contentsOf } from './contents.ts';
import { type SearchFilter, tagsOf } from './filters.ts';
import { fingerprintOf } from './fingerprints.ts';
import type { IndexItem } from './index-item.ts';
import { addItem, compacted, type IndexParts, newParts, removeItem } from './index-parts.ts';
import type { IndexQuery } from './index-query.ts';
import type { HeldItem } from './items.ts';
import { NONE } from './none.ts';
import { EXACT_SCAN_ITEMS, MOST_EMPTY_SHARE, type Profile, type ProfileName, profiles } from './profiles.ts';
import { queryTerms } from './queries.ts';
import type { AvailableSegment, SavePlan } from './saving.ts';
import { ScopeFull } from './scope-full.ts';
import { ScopeSearcher } from './scope-searcher.ts';
import { PagedWords } from './words/paged-words.ts';
import { MOST_SLOTS, Postings } from './words/postings.ts';

export class ScopeIndex {
  readonly #profileName: ProfileName;
  readonly #profile: Profile;
  #parts: IndexParts;
  readonly #pagedWords = new PagedWords();
  #compactions = 0;
  readonly searcher: ScopeSearcher;

  constructor(profile: ProfileName) {
    this.#profileName = profile;
    this.#profile = profiles[profile];
    this.#parts = newParts(this.#profile);
    this.searcher = new ScopeSearcher(this.#profile, () => ({ ...this.#parts, pagedWords: this.#pagedWords }));
  }

  get size(): number {
    return this.#parts.items.size;
  }

  /** Whether words and vectors of stored segments are at rest. */
  get isPaged(): boolean {
    return this.#parts.vectors.pagedSlots > 0;
  }

  /** An estimate of the memory held. */
  get bytes(): number {
    return Object.values(this.#parts).reduce((sum, part) => sum + (part?.bytes ?? 0), this.#pagedWords.bytes);
  }

  /** Names with which texts of this scope begin, as in "Ann: hello". */
  get speakers(): string[] {
    return this.#parts.speakers.names();
  }

  /**
   * Each item is given whole: one without a vector has none from then on. `isAnew`: also those that are at rest as they are given. Nothing
   * else may be asked before the last step.
   */
  *upsert(items: Iterable<IndexItem>, isAnew = false): Steps<void> {
    for (const item of items) {
      if (this.#parts.items.slotCount >= MOST_SLOTS && !this.isPaged) yield* this.#compact();
      if (this.#parts.items.slotCount >= MOST_SLOTS) throw new ScopeFull();
      yield* this.#parts.words.takeIfWorth();
      const { order, thread, text, prefix, tags, time, end, meta } = item;
      const fingerprint = fingerprintOf(
        JSON.stringify([order, thread, text, prefix, tags, time, end, ...(meta === undefined ? [] : [meta])]),
      );
      let slot = this.#parts.items.slotOf(item.id);
      const version = item.version ?? 0;
      if (slot === undefined || this.#parts.items.fingerprint(slot) !== fingerprint || this.#isOtherAtRest(slot, version, item, isAnew)) {
        // What is edited stays where it was.
        const place = slot !== undefined && this.#parts.items.isAt(slot, item) ? this.#parts.items.placeOf(slot) : undefined;
        if (slot !== undefined) removeItem(this.#parts, this.#profile, slot);
        slot = addItem(this.#parts, this.#profile, item, fingerprint, place);
      }
      // What is stored of it says otherwise.
      if (this.#parts.items.version(slot) !== version || this.#parts.vectors.has(slot) !== (item.vector !== undefined))
        this.#parts.stored.clear(slot);
      this.#parts.items.setVersion(slot, version);
      this.#parts.vectors.set(slot, item.vector);
      this.#parts.vectorless.set(slot, !item.vector && !item.isRefused);
      yield;
    }
    yield* this.#compactIfWorth();
  }

  /** What is at rest does not change: in another form the item is taken in anew. */
  #isOtherAtRest(slot: number, version: number, { vector, isRefused = false }: IndexItem, isAnew: boolean): boolean {
    if (slot >= this.#parts.vectors.pagedSlots) return false;
    if (isAnew) return true;
    const isWaiting = !vector && !isRefused;
    return (
      this.#parts.items.version(slot) !== version ||
      this.#parts.vectors.has(slot) !== (vector !== undefined) ||
      this.#parts.vectorless.has(slot) !== isWaiting
    );
  }

  /** Whether the item is at rest without its vector: to have it, it must be taken in anew. */
  isAtRest(id: string): boolean {
    return (this.#parts.items.slotOf(id) ?? Number.POSITIVE_INFINITY) < this.#parts.vectors.pagedSlots;
  }

  /** For an item that is still held in that version; without a vector it does not wait for one any more. */
  setVector(id: string, version: number, vector: Uint8Array | undefined): void {
    const slot = this.#parts.items.slotOf(id);
    // Edited or deleted since: the vector is of a text that is no more.
    if (slot === undefined || slot < this.#parts.vectors.pagedSlots || this.#parts.items.version(slot) !== version) return;
    if (vector && !this.#parts.vectors.has(slot)) this.#parts.stored.clear(slot);
    if (vector) this.#parts.vectors.set(slot, vector);
    this.#parts.vectorless.set(slot, false);
  }

  held(id: string): HeldItem | undefined {
    const slot = this.#parts.items.slotOf(id);
    return slot === undefined ? undefined : this.#heldAt(slot);
  }

  /** Those of some items that are in a stored segment as they are held. */
  storedAmong(ids: readonly string[]): string[] {
    return ids.filter((id) => this.#parts.stored.has(this.#parts.items.slotOf(id) ?? NONE));
  }

  /** The ids of a thread, in the order in which they came. */
  idsOfThread(thread: string): string[] {
    return this.#parts.items.slotsOfThread(thread).map((slot) => this.#parts.items.id(slot));
  }

  countOfThread(thread: string): number {
    return this.#parts.items.sizeOfThread(thread);
  }

  get vectorlessCount(): number {
    return this.#parts.vectorless.count;
  }

  /** Of those that wait for a vector, the first to come, in that order. */
  oldestVectorless(limit: number): HeldItem[] {
    return this.#parts.vectorless.first(limit).map((slot) => this.#heldAt(slot));
  }

  newestVectorless(limit: number): HeldItem[] {
    return this.#parts.vectorless.last(limit).map((slot) => this.#heldAt(slot));
  }

  #heldAt(slot: number): HeldItem {
    return { id: this.#parts.items.id(slot), thread: this.#parts.items.thread(slot), version: this.#parts.items.version(slot) };
  }

  /** Room for so many items that are about to be appended, and of them for so many whose vectors are held. */
  reserve(items: number, held: number): void {
    this.#parts.items.reserve(items);
    this.#parts.vectors.reserve(held);
    if (held === items) this.#parts.stored.reserve(items);
  }

  /** Takes in a stored part, none of whose items may be there. Nothing else may be asked before the last step. */
  *append(segment: Segment, id = '', gone: readonly number[] = []): Steps<void> {
    if (this.#parts.items.slotCount + segment.header.itemCount > MOST_SLOTS && !this.isPaged) yield* this.#compact();
    if (this.#parts.items.slotCount + segment.header.itemCount > MOST_SLOTS) throw new ScopeFull();
    yield* appendSegment(this.#appendedParts(), segment, id, gone);
  }

  /** The same with its words and vectors left at rest, before anything else is there. */
  *appendPaged(segment: PagedSegment, id: string, gone: readonly number[]): Steps<void> {
    if (this.#parts.items.slotCount > this.#parts.vectors.pagedSlots) throw new Error('What is at rest comes first');
    if (this.#parts.items.slotCount + segment.header.itemCount > MOST_SLOTS) throw new ScopeFull();
    yield* appendPagedSegment(this.#appendedParts(), segment, id, gone);
  }

  /** Where all that is in memory whole is stored as these segments, slot by slot, it is at rest from now on; whether it is. */
  leaveAtRest(stored: readonly PlacedSegment[]): boolean {
    const { items, vectors } = this.#parts;
    const ordered = inOrderOfSlots(items, stored, vectors.pagedSlots);
    if (!ordered) return false;
    const firstSlot = vectors.pagedSlots;
    const placedTags = ordered.map((placed) => restSegment(this.#appendedParts(), placed, vectors.pagedSlots));
    const tags = this.#parts.tags.atRest(placedTags, firstSlot);
    vectors.dropHeld();
    // Searches under way go on with the words that were.
    this.#parts = { ...this.#parts, words: new Postings(), tags };
    return true;
  }

  #appendedParts(): AppendedParts {
    return { ...this.#parts, pagedWords: this.#pagedWords, hasSpeakers: this.#profile.hasSpeakers };
  }

  /**
   * What is to be written so that all settled items are stored, or all there are; `available`: the segments that are stored still. Nothing
   * where what is at rest is not among them.
   */
  planSave(available: readonly AvailableSegment[], isWhole = this.isPaged): Steps<SavePlan | undefined> {
    return this.#parts.stored.plan(this.#parts.items, this.#parts.vectorless, available, { compactions: this.#compactions, isWhole });
  }

  /** Whether slots mean what they meant when the plan was made. */
  isCurrent({ compactions }: SavePlan): boolean {
    return compactions === this.#compactions;
  }

  /** One part of a plan, without what went meanwhile; nothing where slots mean other items by now. */
  *planned({ parts, compactions }: SavePlan, part: number, model: string): Steps<SegmentContents | undefined> {
    const slots = parts[part];
    if (!slots || compactions !== this.#compactions) return undefined;
    const there = slots.filter((slot) => this.#parts.items.isThere(slot));
    return yield* this.contents(there, model);
  }

  /** The parts of a plan are stored under these ids, and beside them only what was kept. */
  noteSaved({ parts, kept, compactions }: SavePlan, ids: readonly string[]): void {
    if (compactions !== this.#compactions) return;
    this.#parts.stored.keep(kept);
    for (const [part, id] of ids.entries()) this.#parts.stored.mark(parts[part] ?? new Uint32Array(), id);
  }

  /** Some slots, in rising order and in use, as a segment. Valid until the next compaction. */
  contents(slots: Uint32Array, model: string): Steps<SegmentContents> {
    return contentsOf(this.#parts, slots, { profile: this.#profileName, model });
  }

  *remove(ids: Iterable<string>): Steps<void> {
    for (const id of ids) {
      const slot = this.#parts.items.slotOf(id);
      if (slot !== undefined) removeItem(this.#parts, this.#profile, slot);
      yield;
    }
    yield* this.#compactIfWorth();
  }

  /** What the first search after a large change, or with these words, would take long for, in steps. */
  *prepare({ text, filter }: Pick<IndexQuery, 'text' | 'filter'>): Steps<void> {
    const { items, vectors } = this.#parts;
    yield* this.prepareFilter(filter);
    if (items.size > EXACT_SCAN_ITEMS) yield* vectors.prepare(items.slotCount);
    if (this.#parts.words.hasStored) yield* this.#takeTerms(text);
    if (this.#parts.passages) yield* this.#parts.passages.refresh(this.#parts.items);
  }

  /** Before what a search has left is done in one step. */
  prepareFilter(filter: SearchFilter | undefined): Steps<void> {
    return this.#parts.tags.prepare(tagsOf(filter));
  }

  *#takeTerms(text: string): Steps<void> {
    const { content, minor } = queryTerms(text);
    for (const term of [...content, ...minor]) {
      this.#parts.words.entries(term);
      yield;
    }
  }

  *#compactIfWorth(): Steps<void> {
    // Slots of what is at rest stay: it is written anew when much of it is gone.
    if (this.isPaged) return;
    const empty = this.#parts.items.slotCount - this.#parts.items.size;
    if (empty > 16 && empty > this.#parts.items.slotCount * MOST_EMPTY_SHARE) yield* this.#compact();
  }

  *#compact(): Steps<void> {
    this.#parts = yield* compacted(this.#parts, this.#profile);
    this.#compactions++;
  }
}
