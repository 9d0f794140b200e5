/** Which items of a thread are read together, and how long that makes them; kept up with each change of a few items. */

import type { Steps } from '../slices.ts';
import { grown } from './arrays.ts';
import type { Items } from './items.ts';
import { NONE } from './none.ts';
import type { Profile } from './profiles.ts';

/** From this share of all on it is as much work to begin anew. */
const MOST_STALE_SHARE = 0.25;
const SLOTS_OF_STEP = 4096;

export class Passages {
  readonly #reach: number;
  readonly #pauseMs: number;
  #before = new Int32Array(0);
  #after = new Int32Array(0);
  #lengths = new Uint32Array(0);
  #totalLength = 0;
  /** Slots that have other neighbours since they were last looked at; all of them where they are not known. */
  #stale: Set<number> | undefined;

  constructor({ wordReach, pauseMs }: Profile) {
    this.#reach = wordReach;
    this.#pauseMs = pauseMs;
  }

  /** By slot: the neighbour on this side, or NONE. */
  get before(): Int32Array {
    return this.#before;
  }

  get after(): Int32Array {
    return this.#after;
  }

  /** By slot: the words of the item and of those up to `wordReach` away on both sides. */
  get lengths(): Uint32Array {
    return this.#lengths;
  }

  get totalLength(): number {
    return this.#totalLength;
  }

  get bytes(): number {
    return this.#before.byteLength + this.#after.byteLength + this.#lengths.byteLength;
  }

  /** It is there. */
  noteAdded(items: Items, slot: number): void {
    this.#stale?.add(slot);
    this.#noteBeside(items, slot);
  }

  /** It is about to go. */
  noteRemoving(items: Items, slot: number): void {
    this.#noteBeside(items, slot);
    this.#stale?.delete(slot);
    this.#totalLength -= this.#lengths[slot] ?? 0;
    if (slot < this.#lengths.length) this.#lengths[slot] = 0;
  }

  /** Many came, or slots mean other items. */
  noteAll(): void {
    this.#stale = undefined;
  }

  #noteBeside(items: Items, slot: number): void {
    const stale = this.#stale;
    if (!stale) return;
    let { previous, next } = items.placeOf(slot);
    for (let step = 0; step < this.#reach && previous !== NONE; step++, { previous } = items.placeOf(previous)) stale.add(previous);
    for (let step = 0; step < this.#reach && next !== NONE; step++, { next } = items.placeOf(next)) stale.add(next);
    if (stale.size > items.slotCount * MOST_STALE_SHARE) this.#stale = undefined;
  }

  /** As they are now; nothing may change between the steps. */
  *refresh(items: Items): Steps<void> {
    if (items.orderThreads()) this.#stale = undefined;
    if (this.#stale?.size === 0) return;
    const size = items.slotCount;
    this.#before = grown(this.#before, size);
    this.#after = grown(this.#after, size);
    this.#lengths = grown(this.#lengths, size);
    if (!this.#stale) {
      this.#totalLength = 0;
      this.#lengths.fill(0);
    }
    const stale = this.#stale;
    yield* eachSlot(size, stale, (slot) => this.#link(items, slot));
    yield* eachSlot(size, stale, (slot) => this.#measure(items, slot));
    this.#stale = new Set();
  }

  #link(items: Items, slot: number): void {
    this.#before[slot] = NONE;
    this.#after[slot] = NONE;
    if (!items.isThere(slot)) return;
    const { previous, next } = items.placeOf(slot);
    if (previous !== NONE && !(items.time(slot) - items.time(previous) > this.#pauseMs)) this.#before[slot] = previous;
    if (next !== NONE && !(items.time(next) - items.time(slot) > this.#pauseMs)) this.#after[slot] = next;
  }

  #measure(items: Items, slot: number): void {
    if (!items.isThere(slot)) return;
    let length = items.lengths[slot] as number;
    for (const side of [this.#before, this.#after]) {
      for (let step = 0, at = side[slot] as number; step < this.#reach && at !== NONE; step++, at = side[at] as number)
        length += items.lengths[at] as number;
    }
    this.#totalLength += length - (this.#lengths[slot] as number);
    this.#lengths[slot] = length;
  }
}

/** Those up to `reach` away from a slot, on both sides. */
export function visitBeside({ before, after }: Passages, slot: number, reach: number, visit: (beside: number) => void): void {
  for (let step = 0, at = before[slot] as number; step < reach && at !== NONE; step++, at = before[at] as number) visit(at);
  for (let step = 0, at = after[slot] as number; step < reach && at !== NONE; step++, at = after[at] as number) visit(at);
}

function* eachSlot(size: number, some: ReadonlySet<number> | undefined, work: (slot: number) => void): Steps<void> {
  if (some) {
    for (const slot of some) work(slot);
    return;
  }
  for (let slot = 0; slot < size; slot++) {
    work(slot);
    if (slot % SLOTS_OF_STEP === 0) yield;
  }
}
