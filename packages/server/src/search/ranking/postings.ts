/** Which items carry a term, and how often: all lists of a scope in one typed array. */

import type { Steps } from '../slices.ts';
import { grown } from './arrays.ts';

/** An entry is slot × 256 + weight. */
export const WEIGHT_BITS = 8;
export const MOST_WEIGHT = 255;
export const MOST_SLOTS = 2 ** (32 - WEIGHT_BITS);

const NO_ENTRIES = new Uint32Array(0);
/** What a term takes beside its entries: its string, its place in the map, start and count. */
const TERM_BYTES = 96;

export class Postings {
  #ids = new Map<string, number>();
  #starts = new Uint32Array(16);
  #counts = new Uint32Array(16);
  #heap = new Uint32Array(64);
  #heapEnd = 0;
  /** Starts of abandoned places, by the binary logarithm of their size. */
  #free: number[][] = [];

  get bytes(): number {
    return this.#ids.size * TERM_BYTES + this.#starts.byteLength + this.#counts.byteLength + this.#heap.byteLength;
  }

  add(term: string, slot: number, weight: number): void {
    let id = this.#ids.get(term);
    if (id === undefined) {
      id = this.#ids.size;
      this.#ids.set(term, id);
      this.#starts = grown(this.#starts, id + 1);
      this.#counts = grown(this.#counts, id + 1);
      this.#counts[id] = 0;
    }
    const count = this.#counts[id] as number;
    // A list has room for the next power of two, so it is full when its length is one.
    if ((count & (count - 1)) === 0) this.#starts[id] = this.#moved(this.#starts[id] as number, count);
    this.#heap[(this.#starts[id] as number) + count] = ((slot << WEIGHT_BITS) | Math.min(weight, MOST_WEIGHT)) >>> 0;
    this.#counts[id] = count + 1;
  }

  /** Entries of removed items are among them until the next compaction. Valid until the next change. */
  entries(term: string): Uint32Array {
    const id = this.#ids.get(term);
    if (id === undefined) return NO_ENTRIES;
    const start = this.#starts[id] as number;
    return this.#heap.subarray(start, start + (this.#counts[id] as number));
  }

  /** `newSlots[slot]`: where an item went, or −1 if it is gone. */
  *compacted(newSlots: Int32Array): Steps<Postings> {
    const fresh = new Postings();
    for (const term of this.#ids.keys()) {
      for (const entry of this.entries(term)) {
        const slot = newSlots[entry >>> WEIGHT_BITS] as number;
        if (slot >= 0) fresh.add(term, slot, entry & MOST_WEIGHT);
      }
      yield;
    }
    return fresh;
  }

  /** A place of twice the size for a full list of `count` entries. */
  #moved(from: number, count: number): number {
    const size = count === 0 ? 1 : count * 2;
    let to = this.#free[Math.log2(size)]?.pop();
    if (to === undefined) {
      to = this.#heapEnd;
      this.#heapEnd += size;
      this.#heap = grown(this.#heap, this.#heapEnd);
    }
    if (count > 0) {
      this.#heap.copyWithin(to, from, from + count);
      const sameSize = this.#free[Math.log2(count)];
      if (sameSize) sameSize.push(from);
      else this.#free[Math.log2(count)] = [from];
    }
    return to;
  }
}
