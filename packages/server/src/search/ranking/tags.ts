/**
 * Which items have a tag. There may be more tags than items, so those of segments stay on their pages as they are stored: a list is read
 * when it is asked for.
 */
import { readEntries } from '../segments/term-pages.ts';
import type { Steps } from '../slices.ts';
import { decodeEntries, Postings, sortTerms, WEIGHT_BITS } from './postings.ts';
import { StoredLists, type TermPages } from './stored-lists.ts';

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

export class Tags {
  /** Of items that came one by one. */
  readonly #held = new Postings();
  #stored: readonly StoredTags[];
  /** Lists that were read for the search that is next, each until it is used. */
  #prepared: { readonly stored: readonly StoredTags[]; readonly entries: Map<string, Uint32Array> } | undefined;

  constructor(stored: readonly StoredTags[] = []) {
    this.#stored = stored;
  }

  get bytes(): number {
    return this.#stored.reduce((sum, { lists }) => sum + lists.bytes, this.#held.bytes);
  }

  add(tag: string, slot: number): void {
    this.#held.add(tag, slot, 1);
  }

  append(placed: PlacedTags): void {
    this.#stored = [...this.#stored, ...storedTags([placed])];
  }

  /** Those of segments in which all items from the slot `first` on are, instead of what was held of them. */
  atRest(placed: readonly PlacedTags[], first: number): Tags {
    return new Tags([...this.#stored.filter(({ end }) => end <= first), ...storedTags(placed)]);
  }

  /** Reads what a search asks for, a list at a step. */
  *prepare(tags: Iterable<string>): Steps<void> {
    const stored = this.#stored;
    const entries = new Map<string, Uint32Array>();
    if (stored.length > 0) {
      for (const tag of new Set(tags)) {
        entries.set(tag, readStored(stored, tag));
        yield;
      }
    }
    this.#prepared = { stored, entries };
  }

  /** Also those of removed items, until the next compaction. */
  eachSlot(tag: string, take: (slot: number) => void): void {
    const prepared = this.#prepared?.stored === this.#stored ? this.#prepared.entries.get(tag) : undefined;
    this.#prepared?.entries.delete(tag);
    for (const entry of prepared ?? readStored(this.#stored, tag)) take(entry >>> WEIGHT_BITS);
    for (const entry of this.#held.entries(tag)) take(entry >>> WEIGHT_BITS);
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
