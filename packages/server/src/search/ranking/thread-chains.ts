/** The items of each thread one after the other, in their order. */

import { grown, reserved } from './arrays.ts';
import { NONE } from './none.ts';

/** Where an item stands in its thread: between these two. */
export interface ChainPlace {
  readonly previous: number;
  readonly next: number;
}

export class ThreadChains {
  /** By the number of a thread: its last item, and how many it has. */
  readonly #tails: number[] = [];
  readonly #sizes: number[] = [];
  /** Threads to which an item came that does not stand at the end. */
  readonly #unordered = new Set<number>();
  #previous = new Int32Array(0);
  #next = new Int32Array(0);

  get bytes(): number {
    return this.#previous.byteLength + this.#next.byteLength + (this.#tails.length + this.#sizes.length) * 8;
  }

  /** Of a thread that is new, with the next number. */
  addThread(): void {
    this.#tails.push(NONE);
    this.#sizes.push(0);
  }

  get threadCount(): number {
    return this.#tails.length;
  }

  reserve(slots: number): void {
    this.#previous = reserved(this.#previous, slots);
    this.#next = reserved(this.#next, slots);
  }

  sizeOf(thread: number): number {
    return this.#sizes[thread] as number;
  }

  /** In the order in which they came, or in their order once they are ordered. */
  slotsOf(thread: number): number[] {
    const slots: number[] = [];
    for (let slot = this.#tails[thread] as number; slot !== NONE; slot = this.#previous[slot] as number) slots.push(slot);
    return slots.reverse();
  }

  placeOf(slot: number): ChainPlace {
    return { previous: this.#previous[slot] as number, next: this.#next[slot] as number };
  }

  /** At the end, or at the place of one that went. */
  add(slot: number, thread: number, compare: (a: number, b: number) => number, place?: ChainPlace): void {
    this.#previous = grown(this.#previous, slot + 1);
    this.#next = grown(this.#next, slot + 1);
    this.#sizes[thread] = (this.#sizes[thread] as number) + 1;
    if (place && place.next !== NONE) this.#link(slot, place);
    else this.#append(slot, thread, compare);
  }

  #link(slot: number, { previous, next }: ChainPlace): void {
    this.#previous[slot] = previous;
    this.#next[slot] = next;
    this.#previous[next] = slot;
    if (previous !== NONE) this.#next[previous] = slot;
  }

  #append(slot: number, thread: number, compare: (a: number, b: number) => number): void {
    const tail = this.#tails[thread] as number;
    this.#previous[slot] = tail;
    this.#next[slot] = NONE;
    if (tail !== NONE) {
      this.#next[tail] = slot;
      if (compare(tail, slot) > 0) this.#unordered.add(thread);
    }
    this.#tails[thread] = slot;
  }

  remove(slot: number, thread: number): void {
    const { previous, next } = this.placeOf(slot);
    if (previous !== NONE) this.#next[previous] = next;
    if (next !== NONE) this.#previous[next] = previous;
    else this.#tails[thread] = previous;
    this.#sizes[thread] = (this.#sizes[thread] as number) - 1;
  }

  /** Puts all threads in order; whether any was not. */
  order(threads: Int32Array, slotCount: number, compare: (a: number, b: number) => number): boolean {
    if (this.#unordered.size === 0) return false;
    const slots: number[] = [];
    for (let slot = 0; slot < slotCount; slot++) if (this.#unordered.has(threads[slot] as number)) slots.push(slot);
    for (const thread of this.#unordered) this.#tails[thread] = NONE;
    this.#unordered.clear();
    slots.sort(compare);
    for (const slot of slots) this.#append(slot, threads[slot] as number, compare);
    return true;
  }
}
