/** What a scope knows of each item beside its words and its vector. An item has a slot; a removed one's slot stays empty until compaction. */

import { type ItemColumns, isErased, newItemColumns } from '../segments/item-pages.ts';
import type { Steps } from '../slices.ts';
import { grown, reserved } from './arrays.ts';
import { ID_WORDS } from './id-codes.ts';
import { SlotIds } from './slot-ids.ts';
import { NumberedThreads } from './thread-names.ts';

export const NONE = -1;

export interface ItemFacts {
  readonly id: string;
  readonly order: string;
  readonly thread: string;
  readonly version: number;
  readonly time: number | undefined;
  /** When it ceases to be an answer; never where it is left out. */
  readonly end?: number | undefined;
  /** Of all that was indexed, the vector aside. */
  readonly fingerprint: number;
  readonly length: number;
}

/** An item, where it belongs, and which version of it is held. */
export type HeldItem = Pick<ItemFacts, 'id' | 'thread' | 'version'>;

/** Items of a segment with what their columns name by number. */
export interface CodedItems {
  readonly items: ItemColumns;
  readonly threads: readonly string[];
  readonly strings: readonly string[];
}

export class Items {
  readonly #threadNames = new NumberedThreads();
  readonly #ids = new SlotIds(this.#threadNames);
  #slotCount = 0;
  /** The last item of each thread, and how many it has. */
  #tails: number[] = [];
  readonly #sizes: number[] = [];
  /** Threads to which an item came that does not stand at the end. */
  #unordered = new Set<number>();
  /** 1 for a slot in use. */
  #there = new Uint8Array(0);
  #threads = new Int32Array(0);
  #previous = new Int32Array(0);
  #next = new Int32Array(0);
  #lengths = new Uint32Array(0);
  #versions = new Uint32Array(0);
  #times = new Float64Array(0);
  #ends = new Float64Array(0);
  #fingerprints = new Float64Array(0);
  #totalLength = 0;

  /** Items that are there. */
  get size(): number {
    return this.#ids.size;
  }

  /** Slots in use and empty ones. */
  get slotCount(): number {
    return this.#slotCount;
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
    const arrays = [this.#there, this.#threads, this.#previous, this.#next, this.#lengths, this.#versions, this.#times, this.#ends];
    const held = this.#ids.bytes + this.#threadNames.bytes + this.#fingerprints.byteLength;
    return arrays.reduce((sum, array) => sum + array.byteLength, held);
  }

  slotOf(id: string): number | undefined {
    return this.#ids.slotOf(id);
  }

  id(slot: number): string {
    return this.#ids.id(slot);
  }

  fingerprint(slot: number): number {
    return this.#fingerprints[slot] as number;
  }

  version(slot: number): number {
    return this.#versions[slot] as number;
  }

  setVersion(slot: number, version: number): void {
    this.#versions[slot] = version;
  }

  threadNumber(slot: number): number {
    return this.#threads[slot] as number;
  }

  thread(slot: number): string {
    return this.#threadNames.nameOf(this.#threads[slot] as number);
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

  sizeOfThread(thread: string): number {
    const number = this.#threadNames.numberOf(thread);
    return number === undefined ? 0 : (this.#sizes[number] as number);
  }

  /** Of a thread, in the order in which they came. */
  slotsOfThread(thread: string): number[] {
    const number = this.#threadNames.numberOf(thread);
    const slots: number[] = [];
    if (number === undefined) return slots;
    for (let slot = this.#tails[number] as number; slot !== NONE; slot = this.#previous[slot] as number) slots.push(slot);
    return slots.reverse();
  }

  add({ id, order, thread, version, time, end, fingerprint, length }: ItemFacts): number {
    const slot = this.#slotCount;
    this.#resize(slot + 1, grown);
    const number = this.#threadNumber(thread);
    this.#ids.set(slot, id, order, number);
    this.#times[slot] = time ?? Number.NaN;
    this.#ends[slot] = end ?? Number.POSITIVE_INFINITY;
    this.#fingerprints[slot] = fingerprint;
    this.#lengths[slot] = length;
    this.#versions[slot] = version;
    this.#enter(slot, number);
    return slot;
  }

  /** Those of a segment, in its order; none of them may be there already. Gives the slot of the first. */
  *append({ items, threads, strings }: CodedItems): Steps<number> {
    const first = this.#slotCount;
    const count = items.times.length;
    this.reserve(first + count);
    this.#times.set(items.times, first);
    this.#ends.set(items.ends, first);
    this.#fingerprints.set(items.fingerprints, first);
    this.#lengths.set(items.lengths, first);
    this.#versions.set(items.versions, first);
    const numbers = threads.map((thread) => this.#threadNumber(thread));
    for (let i = 0; i < count; i++) {
      if (i % 1024 === 0) yield;
      this.#slotCount = first + i + 1;
      this.#threads[first + i] = NONE;
      if (isErased(items, i)) continue;
      const thread = numbers[items.threads[i] as number] as number;
      this.#ids.setCoded(first + i, items.idKinds[i] as number, items.ids, i * ID_WORDS, items.orders[i] as number, strings, thread);
      this.#enter(first + i, thread);
    }
    return first;
  }

  /** Some slots, all of which are in use, as a segment has them. */
  columnsOf(slots: Uint32Array): { items: ItemColumns; threads: string[]; strings: string[] } {
    const items = newItemColumns(slots.length);
    const threads = new NumberedThreads();
    const strings: string[] = [];
    const placeOf = (text: string) => strings.push(text) - 1;
    for (const [i, slot] of slots.entries()) {
      items.times[i] = this.#times[slot] as number;
      items.ends[i] = this.#ends[slot] as number;
      items.fingerprints[i] = this.#fingerprints[slot] as number;
      items.lengths[i] = this.#lengths[slot] as number;
      items.versions[i] = this.#versions[slot] as number;
      items.threads[i] = threads.number(this.thread(slot));
      const { kind, order } = this.#ids.copyCoded(slot, items.ids, i * ID_WORDS, placeOf);
      items.idKinds[i] = kind;
      items.orders[i] = order;
    }
    return { items, threads: Array.from({ length: threads.count }, (_, number) => threads.nameOf(number)), strings };
  }

  /** Room for so many slots, made once where they are known beforehand. */
  reserve(slots: number): void {
    this.#resize(slots, reserved);
    this.#ids.reserve(slots);
  }

  #resize(size: number, grown: typeof reserved): void {
    this.#there = grown(this.#there, size);
    this.#threads = grown(this.#threads, size);
    this.#previous = grown(this.#previous, size);
    this.#next = grown(this.#next, size);
    this.#lengths = grown(this.#lengths, size);
    this.#versions = grown(this.#versions, size);
    this.#times = grown(this.#times, size);
    this.#ends = grown(this.#ends, size);
    this.#fingerprints = grown(this.#fingerprints, size);
  }

  #enter(slot: number, thread: number): void {
    this.#slotCount = slot + 1;
    this.#there[slot] = 1;
    this.#totalLength += this.#lengths[slot] as number;
    this.#sizes[thread] = (this.#sizes[thread] as number) + 1;
    this.#append(slot, thread);
  }

  #threadNumber(thread: string): number {
    const number = this.#threadNames.number(thread);
    if (number === this.#tails.length) {
      this.#tails.push(NONE);
      this.#sizes.push(0);
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
    const thread = this.#threads[slot] as number;
    this.#sizes[thread] = (this.#sizes[thread] as number) - 1;
    this.#ids.remove(slot);
    this.#totalLength -= this.#lengths[slot] as number;
    this.#threads[slot] = NONE;
    this.#there[slot] = 0;
  }

  /** By order, then by id, in code units: the same on every machine. */
  compare(a: number, b: number): number {
    return this.#ids.compare(a, b);
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
    for (let slot = 0; slot < this.slotCount; slot++) {
      if (!this.isThere(slot)) continue;
      newSlots[slot] = items.add({
        id: this.id(slot),
        order: this.#ids.order(slot),
        thread: this.thread(slot),
        version: this.version(slot),
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
