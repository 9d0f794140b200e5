/** What a scope knows of each item beside its words and its vector. An item has a slot; a removed one's slot stays empty until compaction. */

import { type ItemColumns, isErased, newItemColumns } from '../segments/item-pages.ts';
import type { Steps } from '../slices.ts';
import { grown, reserved } from './arrays.ts';
import { ID_WORDS } from './id-codes.ts';
import { NONE } from './none.ts';
import { SlotIds } from './slot-ids.ts';
import { type ChainPlace, ThreadChains } from './thread-chains.ts';
import { NumberedThreads } from './thread-names.ts';

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
  /** As `traits.ts` has them; none where they are left out. */
  readonly traits?: number | undefined;
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
  readonly #chains = new ThreadChains();
  /** 1 for a slot in use. */
  #there = new Uint8Array(0);
  #threads = new Int32Array(0);
  #lengths = new Uint32Array(0);
  #versions = new Uint32Array(0);
  #times = new Float64Array(0);
  #ends = new Float64Array(0);
  #fingerprints = new Float64Array(0);
  #traits = new Uint8Array(0);
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
    const arrays = [this.#there, this.#traits, this.#threads, this.#lengths, this.#versions, this.#times, this.#ends];
    const held = this.#ids.bytes + this.#threadNames.bytes + this.#chains.bytes + this.#fingerprints.byteLength;
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

  traits(slot: number): number {
    return this.#traits[slot] as number;
  }

  isThere(slot: number): boolean {
    return this.#there[slot] === 1;
  }

  sizeOfThread(thread: string): number {
    const number = this.#threadNames.numberOf(thread);
    return number === undefined ? 0 : this.#chains.sizeOf(number);
  }

  /** Of a thread, in the order in which they came. */
  slotsOfThread(thread: string): number[] {
    const number = this.#threadNames.numberOf(thread);
    return number === undefined ? [] : this.#chains.slotsOf(number);
  }

  /** `place`: of one with the same order that went, in its stead. */
  add({ id, order, thread, version, time, end, fingerprint, length, traits = 0 }: ItemFacts, place?: ChainPlace): number {
    const slot = this.#slotCount;
    this.#resize(slot + 1, grown);
    const number = this.#threadNumber(thread);
    this.#ids.set(slot, id, order, number);
    this.#times[slot] = time ?? Number.NaN;
    this.#ends[slot] = end ?? Number.POSITIVE_INFINITY;
    this.#fingerprints[slot] = fingerprint;
    this.#lengths[slot] = length;
    this.#traits[slot] = traits;
    this.#versions[slot] = version;
    this.#enter(slot, number, place);
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
    this.#traits.set(items.traits, first);
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

  /** Whether the slots from `first` on are those of a segment, each as it is there or gone since. */
  isSegmentAt(first: number, items: ItemColumns): boolean {
    const count = items.times.length;
    if (first + count > this.#slotCount) return false;
    for (let i = 0; i < count; i++) {
      if (!this.isThere(first + i)) continue;
      const isSame = this.#fingerprints[first + i] === items.fingerprints[i] && this.#versions[first + i] === items.versions[i];
      if (isErased(items, i) || !isSame) return false;
    }
    return true;
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
      items.traits[i] = this.#traits[slot] as number;
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
    this.#chains.reserve(slots);
    this.#ids.reserve(slots);
  }

  #resize(size: number, grown: typeof reserved): void {
    this.#there = grown(this.#there, size);
    this.#threads = grown(this.#threads, size);
    this.#lengths = grown(this.#lengths, size);
    this.#versions = grown(this.#versions, size);
    this.#traits = grown(this.#traits, size);
    this.#times = grown(this.#times, size);
    this.#ends = grown(this.#ends, size);
    this.#fingerprints = grown(this.#fingerprints, size);
  }

  #enter(slot: number, thread: number, place?: ChainPlace): void {
    this.#slotCount = slot + 1;
    this.#there[slot] = 1;
    this.#totalLength += this.#lengths[slot] as number;
    this.#threads[slot] = thread;
    this.#chains.add(slot, thread, this.#compare, place);
  }

  #threadNumber(thread: string): number {
    const number = this.#threadNames.number(thread);
    if (number === this.#chains.threadCount) this.#chains.addThread();
    return number;
  }

  remove(slot: number): void {
    this.#chains.remove(slot, this.#threads[slot] as number);
    this.#ids.remove(slot);
    this.#totalLength -= this.#lengths[slot] as number;
    this.#threads[slot] = NONE;
    this.#there[slot] = 0;
  }

  /** By order, then by id, in code units: the same on every machine. */
  compare(a: number, b: number): number {
    return this.#ids.compare(a, b);
  }

  readonly #compare = (a: number, b: number) => this.#ids.compare(a, b);

  /** The items before and after it in its thread, once threads are in order. */
  placeOf(slot: number): ChainPlace {
    return this.#chains.placeOf(slot);
  }

  /** Whether an item stands where another would that came in its stead. */
  isAt(slot: number, { order, thread }: Pick<ItemFacts, 'order' | 'thread'>): boolean {
    return this.thread(slot) === thread && this.#ids.order(slot) === order;
  }

  /** Puts the items of each thread in order; whether some were not. */
  orderThreads(): boolean {
    return this.#chains.order(this.#threads, this.#slotCount, this.#compare);
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
        traits: this.traits(slot),
      });
      yield;
    }
    return { items, newSlots };
  }
}
