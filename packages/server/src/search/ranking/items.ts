/** What a scope knows of each item beside its words and its vector. An item has a slot; a removed one's slot stays empty until compaction. */

import type { Steps } from '../slices.ts';
import { grown } from './arrays.ts';

export const NONE = -1;
/** A string of an id or an order, and its place in a map or an array. */
const STRING_BYTES = 64;

export interface ItemFacts {
  readonly id: string;
  readonly order: string;
  readonly thread: string;
  readonly time: number | undefined;
  /** When it ceases to be an answer; never where it is left out. */
  readonly end?: number | undefined;
  /** Of all that was indexed, the vector aside. */
  readonly fingerprint: number;
  readonly length: number;
}

export class Items {
  #slots = new Map<string, number>();
  #ids: string[] = [];
  #orders: string[] = [];
  #threadNumbers = new Map<string, number>();
  /** The last item of each thread. */
  #tails: number[] = [];
  /** Threads to which an item came that does not stand at the end. */
  #unordered = new Set<number>();
  /** 1 for a slot in use. */
  #there = new Uint8Array(0);
  #threads = new Int32Array(0);
  #previous = new Int32Array(0);
  #next = new Int32Array(0);
  #lengths = new Uint32Array(0);
  #times = new Float64Array(0);
  #ends = new Float64Array(0);
  #fingerprints = new Float64Array(0);
  #totalLength = 0;

  /** Items that are there. */
  get size(): number {
    return this.#slots.size;
  }

  /** Slots in use and empty ones. */
  get slotCount(): number {
    return this.#ids.length;
  }

  /** 1 for a slot in use; may be longer than there are slots. */
  get there(): Uint8Array {
    return this.#there;
  }

  get lengths(): Uint32Array {
    return this.#lengths;
  }

  get totalLength(): number {
    return this.#totalLength;
  }

  get bytes(): number {
    const arrays = [this.#there, this.#threads, this.#previous, this.#next, this.#lengths, this.#times, this.#ends, this.#fingerprints];
    return arrays.reduce((sum, array) => sum + array.byteLength, this.#ids.length * (2 * STRING_BYTES + 16));
  }

  slotOf(id: string): number | undefined {
    return this.#slots.get(id);
  }

  id(slot: number): string {
    return this.#ids[slot] as string;
  }

  fingerprint(slot: number): number {
    return this.#fingerprints[slot] as number;
  }

  time(slot: number): number {
    return this.#times[slot] as number;
  }

  end(slot: number): number {
    return this.#ends[slot] as number;
  }

  isThere(slot: number): boolean {
    return this.#there[slot] === 1;
  }

  add({ id, order, thread, time, end, fingerprint, length }: ItemFacts): number {
    const slot = this.#ids.length;
    const size = slot + 1;
    this.#there = grown(this.#there, size);
    this.#threads = grown(this.#threads, size);
    this.#previous = grown(this.#previous, size);
    this.#next = grown(this.#next, size);
    this.#lengths = grown(this.#lengths, size);
    this.#times = grown(this.#times, size);
    this.#ends = grown(this.#ends, size);
    this.#fingerprints = grown(this.#fingerprints, size);
    this.#there[slot] = 1;
    this.#slots.set(id, slot);
    this.#ids.push(id);
    this.#orders.push(order === id ? id : order);
    this.#lengths[slot] = length;
    this.#totalLength += length;
    this.#times[slot] = time ?? Number.NaN;
    this.#ends[slot] = end ?? Number.POSITIVE_INFINITY;
    this.#fingerprints[slot] = fingerprint;
    this.#append(slot, this.#threadNumber(thread));
    return slot;
  }

  #threadNumber(thread: string): number {
    let number = this.#threadNumbers.get(thread);
    if (number === undefined) {
      number = this.#tails.length;
      this.#threadNumbers.set(thread, number);
      this.#tails.push(NONE);
    }
    return number;
  }

  #append(slot: number, thread: number): void {
    const tail = this.#tails[thread] as number;
    this.#threads[slot] = thread;
    this.#previous[slot] = tail;
    this.#next[slot] = NONE;
    if (tail !== NONE) {
      this.#next[tail] = slot;
      if (this.compare(tail, slot) > 0) this.#unordered.add(thread);
    }
    this.#tails[thread] = slot;
  }

  remove(slot: number): void {
    const [previous, next] = [this.#previous[slot] as number, this.#next[slot] as number];
    if (previous !== NONE) this.#next[previous] = next;
    if (next !== NONE) this.#previous[next] = previous;
    else this.#tails[this.#threads[slot] as number] = previous;
    this.#slots.delete(this.id(slot));
    this.#totalLength -= this.#lengths[slot] as number;
    this.#threads[slot] = NONE;
    this.#there[slot] = 0;
    this.#ids[slot] = '';
    this.#orders[slot] = '';
  }

  /** By order, then by id, in code units: the same on every machine. */
  compare(a: number, b: number): number {
    const [orderA, orderB] = [this.#orders[a] as string, this.#orders[b] as string];
    if (orderA !== orderB) return orderA < orderB ? -1 : 1;
    const [idA, idB] = [this.id(a), this.id(b)];
    return idA < idB ? -1 : idA > idB ? 1 : 0;
  }

  /** For each slot the items before and after it in its thread, or NONE. */
  neighbours(): { previous: Int32Array; next: Int32Array } {
    if (this.#unordered.size > 0) this.#reorder();
    return { previous: this.#previous, next: this.#next };
  }

  #reorder(): void {
    const slots: number[] = [];
    for (let slot = 0; slot < this.slotCount; slot++) {
      if (this.#unordered.has(this.#threads[slot] as number)) slots.push(slot);
    }
    for (const thread of this.#unordered) this.#tails[thread] = NONE;
    this.#unordered.clear();
    slots.sort((a, b) => this.compare(a, b));
    for (const slot of slots) this.#append(slot, this.#threads[slot] as number);
  }

  /** The items without the empty slots, and for each old slot the new one or NONE. */
  *compacted(): Steps<{ items: Items; newSlots: Int32Array }> {
    const items = new Items();
    const newSlots = new Int32Array(this.slotCount).fill(NONE);
    const names = [...this.#threadNumbers.keys()];
    for (let slot = 0; slot < this.slotCount; slot++) {
      if (!this.isThere(slot)) continue;
      newSlots[slot] = items.add({
        id: this.id(slot),
        order: this.#orders[slot] as string,
        thread: names[this.#threads[slot] as number] as string,
        time: this.time(slot),
        end: this.end(slot),
        fingerprint: this.fingerprint(slot),
        length: this.#lengths[slot] as number,
      });
      yield;
    }
    return { items, newSlots };
  }
}

/** 53 bits of a text (cyrb53): enough to see that an item is the one already indexed. */
export function fingerprintOf(text: string): number {
  let high = 0xdeadbeef;
  let low = 0x41c6ce57;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    high = Math.imul(high ^ unit, 2654435761);
    low = Math.imul(low ^ unit, 1597334677);
  }
  high = Math.imul(high ^ (high >>> 16), 2246822507) ^ Math.imul(low ^ (low >>> 13), 3266489909);
  low = Math.imul(low ^ (low >>> 16), 2246822507) ^ Math.imul(high ^ (high >>> 13), 3266489909);
  return 4294967296 * (2097151 & low) + (high >>> 0);
}
