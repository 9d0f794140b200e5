/**
 * Which items have a tag. There may be more tags than items, so those of segments stay on their pages as they are stored: a list is read
 * when it is asked for.
 */
import { readEntries } from '../segments/term-pages.ts';
import type { Steps } from '../slices.ts';
import { decodeEntries, Postings, sortTerms, WEIGHT_BITS } from './words/postings.ts';
import { StoredLists, type TermPages } from './words/stored-lists.ts';

interface StoredTags {
  readonly lists: StoredLists;
  /** Behind its last slot. */
  readonly end: number;
}

/** A segment's tags, and where its slots begin. */
export interface PlacedTags {
  readonly pages: TermPages;
  readonly firstSlot: number;
  readonly slotCount: number;
}

/** A tag and its slots, in rising order. */
export interface TaggedSlots {
  readonly tag: string;
  readonly slots: readonly number[];
}

/** Entries: reading so many takes longer than finding them, and what many items have is asked for again and again. */
const LONG_LIST = 1_000;

export class Tags {
  /** Of items that came one by one. */
  readonly #held = new Postings();
  #stored: readonly StoredTags[];
  /** Lists of segments that were read for searches: the long ones, and those of the last search. */
  #read = new Map<string, Uint32Array>();

  constructor(stored: readonly StoredTags[] = []) {
    this.#stored = stored;
  }

  get bytes(): number {
    const read = this.#read.values().reduce((sum, entries) => sum + entries.byteLength, this.#held.bytes);
    return this.#stored.reduce((sum, { lists }) => sum + lists.bytes, read);
  }

  add(tag: string, slot: number): void {
    this.#held.add(tag, slot, 1);
  }

  append(placed: PlacedTags): void {
    this.#stored = [...this.#stored, ...storedTags([placed])];
    this.#read = new Map();
  }

  /** Those of segments in which all items from the slot `first` on are, instead of what was held of them. */
  atRest(placed: readonly PlacedTags[], first: number): Tags {
    return new Tags([...this.#stored.filter(({ end }) => end <= first), ...storedTags(placed)]);
  }

  /** Reads what a search asks for, a list at a step. */
  *prepare(tags: Iterable<string>): Steps<void> {
    if (this.#stored.length === 0) return;
    const asked = new Set(tags);
    for (const [tag, { length }] of this.#read) if (length < LONG_LIST && !asked.has(tag)) this.#read.delete(tag);
    for (const tag of asked) {
      if (!this.#read.has(tag)) this.#read.set(tag, readStored(this.#stored, tag));
      yield;
    }
  }

  /** As `Postings` has them, in no order; also those of removed items, until the next compaction. Valid until the next change. */
  entriesOf(tag: string): readonly Uint32Array[] {
    return [this.#read.get(tag) ?? readStored(this.#stored, tag), this.#held.entries(tag)];
  }

  /** The tags of the slots from `from` up to `end`, in the order of code units. */
  *between(from: number, end: number): Steps<TaggedSlots[]> {
    const found = new Map<string, number[]>();
    const note = (tag: string, slot: number) => {
      if (slot < from || slot >= end) return;
      const slots = found.get(tag);
      if (slots) slots.push(slot);
      else found.set(tag, [slot]);
    };
    for (const { lists, end: endOfLists } of this.#stored) {
      if (lists.firstSlot >= end || endOfLists <= from) continue;
      for (const { term, list } of lists.all()) {
        readEntries(list, (slot) => note(term, lists.firstSlot + slot));
        yield;
      }
    }
    for (const tag of yield* this.#held.termsBetween(from, end)) {
      for (const entry of this.#held.entriesBetween(tag, from, end)) note(tag, entry >>> WEIGHT_BITS);
      yield;
    }
    const sorted: TaggedSlots[] = [];
    for (const tag of yield* sortTerms(found.keys())) {
      const slots = found.get(tag) as number[];
      // A segment may have come behind items that came alone.
      if (slots.some((slot, i) => i > 0 && (slots[i - 1] as number) > slot)) slots.sort((a, b) => a - b);
      sorted.push({ tag, slots });
      yield;
    }
    return sorted;
  }

  /** `newSlots[slot]`: where an item went, or −1 if it is gone. */
  *compacted(newSlots: Int32Array): Steps<Tags> {
    const fresh = new Tags();
    for (const { tag, slots } of yield* this.between(0, newSlots.length)) {
      for (const slot of slots) {
        const to = newSlots[slot] as number;
        if (to >= 0) fresh.add(tag, to);
      }
      yield;
    }
    return fresh;
  }
}

function storedTags(placed: readonly PlacedTags[]): StoredTags[] {
  return placed
    .filter(({ pages }) => pages.pages.length > 0)
    .map(({ pages, firstSlot, slotCount }) => ({ lists: new StoredLists(pages, firstSlot), end: firstSlot + slotCount }));
}

/** As `Postings` has them. */
function readStored(stored: readonly StoredTags[], tag: string): Uint32Array {
  const coded = Buffer.from(tag);
  const found = stored.flatMap(({ lists }) => {
    const list = lists.find(tag, coded);
    return list ? [{ ...list, firstSlot: lists.firstSlot }] : [];
  });
  const entries = new Uint32Array(found.reduce((sum, { count }) => sum + count, 0));
  let end = 0;
  for (const { list, firstSlot } of found) end = decodeEntries(list, firstSlot, entries, end);
  return entries;
}
