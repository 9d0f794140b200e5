/** Typed arrays: some that grow, some that are lent for a search. */

type TypedArray = Uint8Array | Int8Array | Uint16Array | Uint32Array | Int32Array | Float32Array | Float64Array;

const LARGE = 2 ** 20;

/** The same array if it has room for `length`, else a copy with room to spare: half as much again, less where that is much. */
export function grown<T extends TypedArray>(array: T, length: number): T {
  if (length <= array.length) return array;
  const larger = new (array.constructor as new (length: number) => T)(Math.ceil(length * (length < LARGE ? 1.5 : 1.2)));
  larger.set(array);
  return larger;
}

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
    array = new kinds[kind](Math.ceil(length * 1.5)) as Kinds[Kind];
    lent.set(key, array);
  }
  return array.subarray(0, length) as Kinds[Kind];
}

export function zeroed<Kind extends keyof Kinds>(kind: Kind, use: string, length: number): Kinds[Kind] {
  return unclean(kind, use, length).fill(0) as Kinds[Kind];
}

/** A set of slots, lent for one search. */
export class SlotList {
  readonly #has: Uint8Array;
  readonly #slots: Uint32Array;
  #count = 0;

  constructor(use: string, size: number) {
    this.#has = zeroed('uint8', use, size);
    this.#slots = unclean('uint32', use, size);
  }

  add(slot: number): void {
    if (this.#has[slot] === 1) return;
    this.#has[slot] = 1;
    this.#slots[this.#count++] = slot;
  }

  all(): Uint32Array {
    return this.#slots.subarray(0, this.#count);
  }
}

/** A bound that about `count` of the values at `slots` are not below, a few more rather than fewer; `most` is the largest. Never 0. */
export function boundOfBest(values: Float64Array, slots: Uint32Array, most: number, count: number): number {
  const steps = 4096;
  const factor = (steps - 1) / most;
  const found = zeroed('uint32', 'steps', steps);
  for (let i = 0; i < slots.length; i++) {
    const step = ((values[slots[i] as number] as number) * factor) | 0;
    found[step] = (found[step] as number) + 1;
  }
  let step = steps - 1;
  for (let sum = found[step] as number; sum < count && step > 0; sum += found[step] as number) step--;
  return Math.max(step / factor, Number.MIN_VALUE);
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
