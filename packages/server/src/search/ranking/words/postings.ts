/** Which items carry a term, and how often: all lists of a scope in one typed array. */

import type { Steps } from '../../slices.ts';
import { grown, reserved } from '../arrays.ts';
import { StoredLists, type TermPages } from './stored-lists.ts';
import { vocabulary } from './tokens.ts';

/** An entry is slot × 256 + weight. */
export const WEIGHT_BITS = 8;
export const MOST_WEIGHT = 255;
export const MOST_SLOTS = 2 ** (32 - WEIGHT_BITS);

const NO_ENTRIES = new Uint32Array(0);
/** What a term takes beside its entries: its string, its place in the map, start and count. */
const TERM_BYTES = 96;

let lastNumber = 0;

export class Postings {
  /** No other has it. */
  readonly #number = ++lastNumber;
  #ids = new Map<string, number>();
  #starts = new Uint32Array(16);
  #counts = new Uint32Array(16);
  #heap = new Uint32Array(64);
  #heapEnd = 0;
  /** Starts of abandoned places, by the binary logarithm of their size. */
  #free: number[][] = [];
  /** Lists that are not read yet, in the order of their slots; another array with each change. */
  #stored: readonly StoredLists[] = [];
  /** By the number of a term: of how many of those its entries are in the heap. */
  #taken = new Uint32Array(16);
  /** Pages that were searched for terms of new items. */
  #searched = 0;

  get bytes(): number {
    const arrays = [this.#starts, this.#counts, this.#taken, this.#heap];
    const held = arrays.reduce((sum, { byteLength }) => sum + byteLength, this.#ids.size * TERM_BYTES);
    return this.#stored.reduce((sum, { bytes }) => sum + bytes, held);
  }

  /** Whether some lists are on pages still. */
  get hasStored(): boolean {
    return this.#stored.length > 0;
  }

  /** The slots of an item that comes later are behind those of the pages. */
  append(pages: TermPages, firstSlot: number): void {
    if (pages.pages.length > 0) this.#stored = [...this.#stored, new StoredLists(pages, firstSlot)];
  }

  /** Reads all stored lists where terms were looked for so often that it is as much work. */
  *takeIfWorth(): Steps<void> {
    if (this.#searched > this.#stored.reduce((sum, { pageCount }) => sum + pageCount, 0)) yield* this.takeAll();
  }

  /** Reads all stored lists. What is asked for between two steps is answered as ever. */
  *takeAll(): Steps<void> {
    while (this.#stored.length > 0) yield* this.#takeEach(this.#stored);
  }

  *#takeEach(all: readonly StoredLists[]): Steps<void> {
    // About one and a half bytes are an entry, and lists have room to spare.
    this.#heap = reserved(this.#heap, this.#heapEnd + all.reduce((sum, { bytes }) => sum + bytes, 0));
    for (const [number, stored] of all.entries()) {
      for (const { term, count, list } of stored.all()) {
        const id = this.#idOf(term);
        if ((this.#taken[id] as number) <= number) {
          this.#addList(id, count, list, stored.firstSlot);
          this.#taken[id] = number + 1;
        }
        yield;
        // Somebody else came to the end of it, or there is more.
        if (this.#stored !== all) return;
      }
    }
    this.#stored = [];
    this.#taken.fill(0);
    this.#searched = 0;
  }

  /** The lists of a term that are not in the heap yet. */
  #untaken(term: string, taken: number): { readonly count: number; readonly list: Uint8Array; readonly firstSlot: number }[] {
    const coded = Buffer.from(term);
    return this.#stored.slice(taken).flatMap((stored) => {
      const found = stored.find(term, coded);
      return found ? [{ ...found, firstSlot: stored.firstSlot }] : [];
    });
  }

  /** Its number once all of its entries are in the heap; nothing where it has none. */
  #complete(term: string): number | undefined {
    const known = this.#ids.get(term);
    const taken = known === undefined ? 0 : (this.#taken[known] as number);
    if (taken === this.#stored.length) return known;
    const lists = this.#untaken(term, taken);
    if (known === undefined && lists.length === 0) return undefined;
    const id = this.#idOf(term);
    for (const { count, list, firstSlot } of lists) this.#addList(id, count, list, firstSlot);
    this.#taken[id] = this.#stored.length;
    return id;
  }

  add(term: string, slot: number, weight: number): void {
    this.#addEntry(this.#idOf(term), term, slot, weight);
  }

  /** `term`: its number in the vocabulary. */
  addTerm(term: number, slot: number, weight: number): void {
    const text = vocabulary.textOf(term);
    let id = vocabulary.idOf(term, this.#number);
    if (id === undefined) {
      id = this.#idOf(text);
      vocabulary.setId(term, this.#number, id);
    }
    this.#addEntry(id, text, slot, weight);
  }

  #addEntry(id: number, term: string, slot: number, weight: number): void {
    if ((this.#taken[id] as number) < this.#stored.length) {
      this.#searched += this.#stored.length;
      this.#complete(term);
    }
    const count = this.#counts[id] as number;
    // A list has room for the next power of two, so it is full when its length is one.
    if ((count & (count - 1)) === 0) this.#starts[id] = this.#movedTo(this.#starts[id] as number, count, count === 0 ? 1 : count * 2);
    this.#heap[(this.#starts[id] as number) + count] = ((slot << WEIGHT_BITS) | Math.min(weight, MOST_WEIGHT)) >>> 0;
    this.#counts[id] = count + 1;
  }

  /** Entries of removed items are among them until the next compaction. Valid until the next change. */
  entries(term: string): Uint32Array {
    const id = this.#complete(term);
    if (id === undefined) return NO_ENTRIES;
    const start = this.#starts[id] as number;
    return this.#heap.subarray(start, start + (this.#counts[id] as number));
  }

  /** The list of a segment (`segments/term-pages.ts`), read behind what is there; its slots count from `first` on. */
  #addList(id: number, count: number, list: Uint8Array, first: number): void {
    const before = this.#counts[id] as number;
    if (roomFor(before + count) > roomFor(before))
      this.#starts[id] = this.#movedTo(this.#starts[id] as number, before, roomFor(before + count));
    this.#counts[id] = before + count;
    decodeEntries(list, first, this.#heap, (this.#starts[id] as number) + before);
  }

  /** The terms of which a slot from `from` up to `end` has one, in the order of code units. */
  *termsBetween(from: number, end: number): Steps<string[]> {
    yield* this.takeAll();
    const found: string[] = [];
    let walked = 0;
    for (const term of this.#ids.keys()) {
      if (this.entriesBetween(term, from, end).length > 0) found.push(term);
      if (++walked % 64 === 0) yield;
    }
    return yield* sortTerms(found);
  }

  /** As `entries`, of the slots from `from` up to `end` only. */
  entriesBetween(term: string, from: number, end: number): Uint32Array {
    const entries = this.entries(term);
    return entries.subarray(placeOfSlot(entries, from), placeOfSlot(entries, end));
  }

  /** `newSlots[slot]`: where an item went, or −1 if it is gone. */
  *compacted(newSlots: Int32Array): Steps<Postings> {
    const fresh = new Postings();
    yield* this.takeAll();
    for (const term of this.#ids.keys()) {
      for (const entry of this.entries(term)) {
        const slot = newSlots[entry >>> WEIGHT_BITS] as number;
        if (slot >= 0) fresh.add(term, slot, entry & MOST_WEIGHT);
      }
      yield;
    }
    return fresh;
  }

  #idOf(term: string): number {
    let id = this.#ids.get(term);
    if (id === undefined) {
      id = this.#ids.size;
      this.#ids.set(term, id);
      this.#starts = grown(this.#starts, id + 1);
      this.#counts = grown(this.#counts, id + 1);
      this.#taken = grown(this.#taken, id + 1);
      this.#counts[id] = 0;
    }
    return id;
  }

  /** A place of another size for a list of `count` entries. */
  #movedTo(from: number, count: number, size: number): number {
    let to = this.#free[Math.log2(size)]?.pop();
    if (to === undefined) {
      to = this.#heapEnd;
      this.#heapEnd += size;
      this.#heap = grown(this.#heap, this.#heapEnd);
    }
    if (count > 0) {
      this.#heap.copyWithin(to, from, from + count);
      const freed = Math.log2(roomFor(count));
      const sameSize = this.#free[freed];
      if (sameSize) sameSize.push(from);
      else this.#free[freed] = [from];
    }
    return to;
  }
}

/** In the order of code units. Sorted by their beginnings, so that no step sorts all of them. */
export function* sortTerms(terms: Iterable<string>): Steps<string[]> {
  const byBeginning = new Map<string, string[]>();
  let walked = 0;
  for (const term of terms) {
    const beginning = term.slice(0, 2);
    const alike = byBeginning.get(beginning);
    if (alike) alike.push(term);
    else byBeginning.set(beginning, [term]);
    if (++walked % 64 === 0) yield;
  }
  const sorted: string[] = [];
  for (const beginning of [...byBeginning.keys()].sort()) {
    for (const term of (byBeginning.get(beginning) as string[]).sort()) sorted.push(term);
    yield;
  }
  return sorted;
}

/** The list of a segment into `entries`, from the place `to` on; its slots count from `first` on. Gives the place behind them. */
export function decodeEntries(list: Uint8Array, first: number, entries: Uint32Array, to: number): number {
  let place = to;
  let slot = first - 1;
  // As `readEntries` does; a call for each entry would take longer than the rest of loading.
  for (let at = 0; at < list.length; ) {
    let coded = list[at++] as number;
    if (coded > 127) {
      coded = (coded & 127) | ((list[at++] as number) << 7);
      if (coded > 16_383) coded = (coded & 16_383) | ((list[at++] as number) << 14);
    }
    slot += (coded >>> 1) + 1;
    entries[place++] = ((slot << WEIGHT_BITS) | (coded & 1 ? (list[at++] as number) : 1)) >>> 0;
  }
  return place;
}

/** A list has room for the next power of two. */
function roomFor(count: number): number {
  return count <= 1 ? count : 2 ** (32 - Math.clz32(count - 1));
}

/** Where the entries of a slot and of those behind it begin. */
function placeOfSlot(entries: Uint32Array, slot: number): number {
  let [low, high] = [0, entries.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((entries[middle] as number) >>> WEIGHT_BITS < slot) low = middle + 1;
    else high = middle;
  }
  return low;
}
