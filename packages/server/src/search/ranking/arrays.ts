/** Typed arrays: some that grow, some that are lent for a search. */

type TypedArray = Uint8Array | Int8Array | Uint16Array | Uint32Array | Int32Array | Float32Array | Float64Array;

const LARGE = 2 ** 20;

/** The same array if it has room for `length`, else a copy with room to spare: half as much again, less where that is much. */
export function grown<T extends TypedArray>(array: T, length: number): T {
  if (length <= array.length) return array;
  const larger = new (array.constructor as new (length: number) => T)(roomFor(length));
  larger.set(array);
  return larger;
}

const roomFor = (length: number) => Math.ceil(length * (length < LARGE ? 1.5 : 1.2));

/** With room for exactly so much, where it has less: what is known beforehand needs none to spare. */
export function reserved<T extends TypedArray>(array: T, length: number): T {
  if (length <= array.length) return array;
  const larger = new (array.constructor as new (length: number) => T)(length);
  larger.set(array);
  return larger;
}

const kinds = { uint8: Uint8Array, uint32: Uint32Array, int32: Int32Array, float64: Float64Array };
type Kinds = { [Kind in keyof typeof kinds]: InstanceType<(typeof kinds)[Kind]> };
const lent = new Map<string, TypedArray>();

/**
 * Memory for the length of one search, the same for each `use`: to allocate and collect it would cost more than the search itself. A search
 * runs to its end without a pause, so no two of them meet here. Holds what the last search left.
 */
export function unclean<Kind extends keyof Kinds>(kind: Kind, use: string, length: number): Kinds[Kind] {
  const key = `${kind} ${use}`;
  let array = lent.get(key) as Kinds[Kind] | undefined;
  if (!array || array.length < length) {
    array = new kinds[kind](roomFor(length)) as Kinds[Kind];
    lent.set(key, array);
  }
  return array.subarray(0, length) as Kinds[Kind];
}

export function zeroed<Kind extends keyof Kinds>(kind: Kind, use: string, length: number): Kinds[Kind] {
  return unclean(kind, use, length).fill(0) as Kinds[Kind];
}

const lentLists = new Map<string, SlotList>();
/** Where more than this part of all slots are in a list, going through all is sooner than going from one to the next. */
const DENSE_PART = 16;

/** A set of slots with scores, lent for one search. What the last search left is cleared slot by slot: it is little of a large scope. */
export class SlotList {
  readonly #size: number;
  readonly #has: Uint8Array;
  readonly #slots: Uint32Array;
  #scores: Float32Array | undefined;
  #count = 0;

  constructor(use: string, size: number) {
    const last = lentLists.get(use);
    this.#size = size;
    if (last && last.#has.length >= size) {
      last.#clear();
      this.#has = last.#has;
      this.#slots = last.#slots;
      this.#scores = last.#scores;
    } else {
      const room = roomFor(size);
      this.#has = new Uint8Array(room);
      this.#slots = new Uint32Array(room);
    }
    lentLists.set(use, this);
  }

  get count(): number {
    return this.#count;
  }

  add(slot: number): void {
    if (this.#has[slot] === 1) return;
    this.#has[slot] = 1;
    this.#slots[this.#count++] = slot;
  }

  /** 1 for each of them. */
  get marks(): Uint8Array {
    return this.#has;
  }

  /** By slot; to be written for those of the list only. */
  get scores(): Float32Array {
    this.#scores ??= new Float32Array(this.#has.length);
    return this.#scores;
  }

  all(): Uint32Array {
    return this.#slots.subarray(0, this.#count);
  }

  /** Where to look for those with a score: at the slots named, or at so many from the first on, which is sooner where they are many. */
  slotsToScan(): { readonly slots: Uint32Array | undefined; readonly count: number } {
    const isDense = this.#count > this.#size / DENSE_PART;
    return isDense ? { slots: undefined, count: this.#size } : { slots: this.all(), count: this.#count };
  }

  #clear(): void {
    for (let i = 0; i < this.#count; i++) {
      const slot = this.#slots[i] as number;
      this.#has[slot] = 0;
      if (this.#scores) this.#scores[slot] = 0;
    }
    this.#count = 0;
  }
}

/** Who are the best `count`: none below `least`, which is never 0, and all from `sure` on; between the two are too many for the rest. */
export interface BestBounds {
  readonly least: number;
  readonly sure: number;
}

/** Of the eligible ones of a list. */
export function boundOfBest(list: SlotList, eligible: Uint8Array, count: number): BestBounds {
  const { scores } = list;
  const { slots, count: looked } = list.slotsToScan();
  let most = 0;
  for (let i = 0; i < looked; i++) {
    const slot = slots ? (slots[i] as number) : i;
    if ((scores[slot] as number) > most && eligible[slot] === 1) most = scores[slot] as number;
  }
  if (most === 0) return { least: Number.MIN_VALUE, sure: Number.MIN_VALUE };
  const steps = 4096;
  const factor = (steps - 1) / most;
  const found = zeroed('uint32', 'steps', steps);
  for (let i = 0; i < looked; i++) {
    const slot = slots ? (slots[i] as number) : i;
    if (scores[slot] === 0 || eligible[slot] === 0) continue;
    const step = ((scores[slot] as number) * factor) | 0;
    found[step] = (found[step] as number) + 1;
  }
  let step = steps - 1;
  for (let sum = found[step] as number; sum < count && step > 0; sum += found[step] as number) step--;
  return { least: Math.max(step / factor, Number.MIN_VALUE), sure: (step + 1) / factor };
}

/** The `count`-th largest of the positive `values`; 0 if there are fewer. */
export function nthLargest(values: Float64Array, count: number): number {
  if (count <= 0) return Number.POSITIVE_INFINITY;
  const heap = new Float64Array(count);
  for (let i = 0; i < values.length; i++) {
    const value = values[i] as number;
    if (value > (heap[0] as number)) replaceLeast(heap, value);
  }
  return heap[0] as number;
}

function replaceLeast(heap: Float64Array, value: number): void {
  let at = 0;
  for (;;) {
    let child = 2 * at + 1;
    if (child >= heap.length) break;
    if (child + 1 < heap.length && (heap[child + 1] as number) < (heap[child] as number)) child++;
    if ((heap[child] as number) >= value) break;
    heap[at] = heap[child] as number;
    at = child;
  }
  heap[at] = value;
}
