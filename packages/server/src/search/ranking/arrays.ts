/** Typed arrays that grow. */

type TypedArray = Uint8Array | Int8Array | Uint32Array | Int32Array | Float32Array | Float64Array;

/** The same array if it has room for `length`, else a copy a half larger than that. */
export function grown<T extends TypedArray>(array: T, length: number): T {
  if (length <= array.length) return array;
  const larger = new (array.constructor as new (length: number) => T)(Math.ceil(length * 1.5));
  larger.set(array);
  return larger;
}

/** The `count`-th largest of `values`; −Infinity if there are fewer. NaN counts as absent. */
export function nthLargest(values: Float64Array, count: number): number {
  if (count <= 0) return Number.POSITIVE_INFINITY;
  const heap = new Float64Array(count).fill(Number.NEGATIVE_INFINITY);
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
