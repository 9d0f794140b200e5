/** Which items of a scope go into which segment when it is saved. */

import { MOST_ITEMS } from '../segments/segment.ts';
import type { Steps } from '../slices.ts';
import { grown, reserved } from './arrays.ts';
import type { Items } from './items.ts';
import { NONE } from './none.ts';
import type { SlotMarks } from './slot-marks.ts';

/** A thread of which not all is saved: what is, up to which id. */
export interface PartlySaved {
  readonly thread: string;
  readonly count: number;
  readonly lastId: string | undefined;
  /** Whether something behind that is saved too: what lies between is found only by comparing. */
  readonly isTorn: boolean;
}

/** One that is stored, and how many items it has there. */
export interface AvailableSegment {
  readonly id: string;
  readonly items: number;
}

/** One that stays stored; `gone`: local slots of what is at rest in it and is there no more. */
export interface KeptSegment {
  readonly id: string;
  readonly isAtRest: boolean;
  readonly gone: readonly number[];
}

/** A segment whose words and vectors are at rest: the slots that it has here, and those of them that are gone. */
interface PagedRange {
  readonly id: string;
  /** That it has where it is stored. */
  readonly items: number;
  readonly first: number;
  readonly count: number;
  readonly gone: Set<number>;
}

export interface SavePlan {
  /** Slots of each new segment. */
  readonly parts: readonly Uint32Array[];
  /** The segments that stay as they are stored. */
  readonly kept: readonly KeptSegment[];
  readonly partly: readonly PartlySaved[];
  /** What slots mean when they are next asked for. */
  readonly compactions: number;
}

/** A segment that is smaller than what is new becomes one with it, times this. */
const ABSORBED = 2;
const NOT_STORED = 0;

/** In which stored segment each slot is. */
export class StoredSlots {
  #numbers = new Uint16Array(0);
  readonly #segments = new Map<number, AvailableSegment>();
  /** Those of the last plan that changed since it was made: what is written of them may be what they were. */
  #changed = new Set<number>();
  #planned = 0;
  readonly #paged: PagedRange[] = [];
  /** Slots below this one are at rest. */
  #pagedSlots = 0;

  get bytes(): number {
    return this.#numbers.byteLength;
  }

  mark(slots: Uint32Array, id: string): void {
    const number = this.#numberFor({ id, items: slots.length });
    for (const slot of slots) {
      this.#numbers = grown(this.#numbers, slot + 1);
      if (!this.#changed.has(slot)) this.#numbers[slot] = number;
    }
  }

  #numberFor(segment: AvailableSegment): number {
    let number = 1;
    while (this.#segments.has(number)) number++;
    this.#segments.set(number, segment);
    return number;
  }

  /** `count` slots, some of which may be empty. */
  markRange(first: number, count: number, segment: AvailableSegment): void {
    this.#numbers = grown(this.#numbers, first + count);
    this.#numbers.fill(this.#numberFor(segment), first, first + count);
  }

  /** Behind those that are at rest already, and before all others. */
  markPaged(first: number, count: number, { id, items }: AvailableSegment, gone: readonly number[]): void {
    this.#paged.push({ id, items, first, count, gone: new Set(gone) });
    this.#pagedSlots = first + count;
  }

  #pagedAt(slot: number): PagedRange | undefined {
    if (slot >= this.#pagedSlots) return undefined;
    return this.#paged.find(({ first, count }) => slot >= first && slot < first + count);
  }

  reserve(slots: number): void {
    this.#numbers = reserved(this.#numbers, slots);
  }

  has(slot: number): boolean {
    const paged = this.#pagedAt(slot);
    if (paged) return !paged.gone.has(slot - paged.first);
    return (this.#numbers[slot] ?? NOT_STORED) !== NOT_STORED;
  }

  clear(slot: number): void {
    const paged = this.#pagedAt(slot);
    if (paged) {
      paged.gone.add(slot - paged.first);
      return;
    }
    if (slot < this.#numbers.length) this.#numbers[slot] = NOT_STORED;
    if (slot < this.#planned) this.#changed.add(slot);
  }

  /** Only these are stored any more. */
  keep(kept: readonly KeptSegment[]): void {
    const ids = new Set(kept.map(({ id }) => id));
    for (const [number, { id }] of this.#segments) {
      if (ids.has(id)) continue;
      this.#segments.delete(number);
      for (let slot = 0; slot < this.#numbers.length; slot++) if (this.#numbers[slot] === number) this.#numbers[slot] = NOT_STORED;
    }
  }

  compact(newSlots: Int32Array, size: number): void {
    const numbers = new Uint16Array(size);
    for (let slot = 0; slot < newSlots.length; slot++) {
      const to = newSlots[slot] as number;
      if (to >= 0) numbers[to] = this.#numbers[slot] ?? NOT_STORED;
    }
    this.#numbers = numbers;
    // Slots of the last plan mean other items now: it is not carried out.
    this.#changed = new Set();
    this.#planned = 0;
  }

  /**
   * `available`: the segments that are stored still; nothing where what is at rest is not. What waits for its vector, and what comes behind
   * it in its thread, is left for later, unless all is to be stored so that it need not be in memory.
   */
  *plan(
    items: Items,
    vectorless: SlotMarks,
    available: readonly AvailableSegment[],
    { compactions, isWhole }: { compactions: number; isWhole: boolean },
  ): Steps<SavePlan | undefined> {
    const stored = new Map(available.map(({ id, items }) => [id, items]));
    // Something was erased from it meanwhile, or it was replaced: what is here may be of what was.
    if (this.#paged.some(({ id, items }) => stored.get(id) !== items)) return undefined;
    this.#changed = new Set();
    this.#planned = items.slotCount;
    const gaps = isWhole ? new Map<number, number>() : firstGaps(items, vectorless);
    const counts = new Map<number, number>();
    const partly = new Map<number, { count: number; last: number; isTorn: boolean }>();
    for (const thread of gaps.keys()) partly.set(thread, { count: 0, last: NONE, isTorn: false });
    const slots: number[] = [];
    for (let slot = this.#pagedSlots; slot < items.slotCount; slot++) {
      if (slot % 4096 === 0) yield;
      if (!items.isThere(slot)) continue;
      const number = this.#numbers[slot] ?? NOT_STORED;
      const gap = gaps.get(items.threadNumber(slot));
      const state = gap === undefined ? undefined : partly.get(items.threadNumber(slot));
      const isBehind = gap !== undefined && items.compare(slot, gap) >= 0;
      if (isBehind && state && number !== NOT_STORED) state.isTorn = true;
      if (isBehind && number === NOT_STORED) continue;
      if (state) state.count++;
      if (state && (state.last === NONE || items.compare(slot, state.last) > 0)) state.last = slot;
      slots.push(slot);
      counts.set(number, (counts.get(number) ?? 0) + 1);
    }
    const kept = this.#keptNumbers(counts, stored);
    const written = slots.filter((slot) => !kept.has(this.#numbers[slot] ?? NOT_STORED));
    const parts: Uint32Array[] = [];
    for (let from = 0; from < written.length; from += MOST_ITEMS) parts.push(Uint32Array.from(written.slice(from, from + MOST_ITEMS)));
    return {
      parts,
      kept: [
        ...this.#paged.map(({ id, gone }) => ({ id, isAtRest: true, gone: [...gone] })),
        ...[...kept].map((number) => ({ id: this.#segments.get(number)?.id as string, isAtRest: false, gone: [] })),
      ],
      partly: [...partly].map(([thread, { count, last, isTorn }]) => ({
        thread: items.thread(gaps.get(thread) as number),
        count,
        lastId: last === NONE ? undefined : items.id(last),
        isTorn,
      })),
      compactions,
    };
  }

  /** Those of which nothing is gone, here or where they are stored, and that are not small beside what is new. */
  #keptNumbers(counts: ReadonlyMap<number, number>, available: ReadonlyMap<string, number>): Set<number> {
    const whole = [...this.#segments].filter(([number, { id, items }]) => available.get(id) === items && counts.get(number) === items);
    const kept = new Set(whole.map(([number]) => number));
    let written = 0;
    for (const [number, count] of counts) if (!kept.has(number)) written += count;
    for (const [number, { items }] of whole.toSorted(([, a], [, b]) => a.items - b.items)) {
      if (items * 2 > MOST_ITEMS || items > written * ABSORBED) break;
      kept.delete(number);
      written += items;
    }
    return kept;
  }
}

/** By thread: the first of its items that waits for a vector. */
function firstGaps(items: Items, vectorless: SlotMarks): Map<number, number> {
  const gaps = new Map<number, number>();
  for (const slot of vectorless.first(Number.POSITIVE_INFINITY)) {
    const thread = items.threadNumber(slot);
    const first = gaps.get(thread);
    if (first === undefined || items.compare(slot, first) < 0) gaps.set(thread, slot);
  }
  return gaps;
}
