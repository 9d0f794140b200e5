/** Vectors in memory: int8 rows in one matrix, and 1-bit codes of them for scopes too large to scan. */

import type { VectorRows } from '../../segments/vector-pages.ts';
import { VectorSums } from '../../segments/vector-sums.ts';
import type { Steps } from '../../slices.ts';
import { grown, reserved, unclean } from '../arrays.ts';
import { compareCodes, encodeRows, MOST_DIMENSIONS, multiply, multiplySome, QUERY_RANGE } from './kernel.ts';
import { encodeQuery, strideOf, thresholdsOf } from './vector-codes.ts';

const SCALE_BYTES = 4;
const ENCODED_AT_ONCE = 4096;

export interface VectorQuery {
  readonly components: Int16Array;
  readonly scale: number;
}

/** Nothing where it points nowhere. */
export function vectorQuery(vector: Float32Array): VectorQuery | undefined {
  let most = 0;
  for (const component of vector) most = Math.max(most, Math.abs(component));
  if (!(most > 0) || !Number.isFinite(most)) return undefined;
  const components = new Int16Array(strideOf(vector.length));
  for (let i = 0; i < vector.length; i++) components[i] = Math.round(((vector[i] as number) / most) * QUERY_RANGE);
  return { components, scale: most / QUERY_RANGE };
}

/** What a segment says of its vectors. */
export interface VectorTotals {
  readonly slots: number;
  readonly dimensions: number;
  readonly count: number;
  readonly sums: VectorSums;
}

export class Vectors {
  #dimensions = 0;
  #stride = 0;
  #rows = new Int8Array(0);
  #scales = new Float32Array(0);
  #count = 0;
  #expected = 0;
  #sums = new VectorSums(0);
  #codes = new Uint8Array(0);
  /** Those that the codes were made with; none before codes are first needed. */
  #thresholds: Int8Array | undefined;
  #staleCodes = new Set<number>();

  get count(): number {
    return this.#count;
  }

  /** 0 before the first. */
  get dimensions(): number {
    return this.#count === 0 ? 0 : this.#dimensions;
  }

  get bytes(): number {
    return this.#rows.byteLength + this.#scales.byteLength + this.#codes.byteLength + 2 * this.#sums.whole.byteLength;
  }

  has(slot: number): boolean {
    return (this.#scales[slot] ?? 0) > 0;
  }

  /** `bytes`: float32 scale, then int8 components. A vector of other dimensions than the scope's first is left out. */
  set(slot: number, bytes: Uint8Array | undefined): void {
    this.#clear(slot);
    if (!bytes || bytes.length <= SCALE_BYTES) return;
    const dimensions = bytes.length - SCALE_BYTES;
    if (this.#count === 0) this.#begin(dimensions);
    if (dimensions !== this.#dimensions) return;
    const scale = new DataView(bytes.buffer, bytes.byteOffset).getFloat32(0, true);
    if (!(scale > 0) || !Number.isFinite(scale)) return;
    this.#scales = grown(this.#scales, slot + 1);
    this.#rows = grown(this.#rows, (slot + 1) * this.#stride);
    this.#rows.set(new Int8Array(bytes.buffer, bytes.byteOffset + SCALE_BYTES, dimensions), slot * this.#stride);
    this.#scales[slot] = scale;
    this.#count++;
    this.#tally(slot, 1);
  }

  /** Those of a segment, page by page, from the slot `first` on; `sums` and `count` are of them all. Of other dimensions: left out. */
  *append(pages: Iterable<VectorRows>, { slots, dimensions, count, sums }: VectorTotals, first: number): Steps<void> {
    if (count === 0) return;
    if (this.#count === 0) this.#begin(dimensions);
    if (dimensions !== this.#dimensions) return;
    let slot = first;
    this.reserve(first + slots);
    for (const { scales, rows } of pages) {
      this.#scales = grown(this.#scales, slot + scales.length);
      this.#rows = grown(this.#rows, (slot + scales.length) * this.#stride);
      this.#scales.set(scales, slot);
      if (this.#stride === dimensions) this.#rows.set(rows, slot * dimensions);
      else {
        for (let i = 0; i < scales.length; i++)
          this.#rows.set(rows.subarray(i * dimensions, (i + 1) * dimensions), (slot + i) * this.#stride);
      }
      slot += scales.length;
      yield;
    }
    this.#count += count;
    this.#sums.addAll(sums);
    // All codes are made anew: more than a few are missing.
    this.#thresholds = undefined;
    this.#staleCodes.clear();
  }

  /** Some slots, as a segment has them. */
  rowsOf(slots: Uint32Array): VectorRows {
    const dimensions = slots.some((slot) => this.has(slot)) ? this.#dimensions : 0;
    const scales = new Float32Array(slots.length);
    const rows = new Int8Array(slots.length * dimensions);
    for (const [i, slot] of slots.entries()) {
      if (!this.has(slot)) continue;
      scales[i] = this.#scales[slot] as number;
      rows.set(this.#rows.subarray(slot * this.#stride, slot * this.#stride + dimensions), i * dimensions);
    }
    return { dimensions, scales, rows };
  }

  /** Room for so many slots, once their dimensions are known. */
  reserve(slots: number): void {
    this.#expected = Math.max(this.#expected, slots);
    if (this.#stride === 0) return;
    this.#scales = reserved(this.#scales, slots);
    this.#rows = reserved(this.#rows, slots * this.#stride);
  }

  #begin(dimensions: number): void {
    if (dimensions > MOST_DIMENSIONS) return;
    const stride = strideOf(dimensions);
    if (dimensions !== this.#dimensions) this.#rows = new Int8Array(0);
    this.#dimensions = dimensions;
    this.#stride = stride;
    this.#sums = new VectorSums(dimensions);
    this.#thresholds = undefined;
    this.reserve(this.#expected);
  }

  /** Slots that the matrix has room for. */
  get #rowCount(): number {
    return Math.min(this.#scales.length, Math.floor(this.#rows.length / this.#stride));
  }

  #clear(slot: number): void {
    if (!this.has(slot)) return;
    this.#tally(slot, -1);
    this.#scales[slot] = 0;
    this.#count--;
  }

  #tally(slot: number, sign: 1 | -1): void {
    this.#sums.add(this.#rows, slot * this.#stride, this.#scales[slot] as number, sign);
    if (this.#thresholds) this.#staleCodes.add(slot);
  }

  /** `newSlots[slot]`: where an item went, or −1 if it is gone. */
  compact(newSlots: Int32Array, size: number): void {
    const rows = new Int8Array(size * this.#stride);
    const scales = new Float32Array(size);
    for (let slot = 0; slot < newSlots.length; slot++) {
      const to = newSlots[slot] as number;
      if (to < 0 || !this.has(slot)) continue;
      rows.set(this.#rows.subarray(slot * this.#stride, (slot + 1) * this.#stride), to * this.#stride);
      scales[to] = this.#scales[slot] as number;
    }
    this.#rows = rows;
    this.#scales = scales;
    this.#thresholds = undefined;
    this.#staleCodes.clear();
  }

  /** The mean similarity of all items of the scope, without looking at one of them. */
  meanSimilarity({ components, scale }: VectorQuery): number {
    return this.#sums.mean(components, scale, this.#count);
  }

  /** Into `out` by slot, where there is a vector; of some slots only, or of all. */
  similarities({ components, scale }: VectorQuery, out: Float64Array, slots?: Uint32Array): void {
    const scales = this.#scales;
    if (slots) {
      const there = slots.filter((slot) => this.has(slot));
      const dots = new Int32Array(there.length);
      multiplySome(this.#rows, this.#stride, there, components, dots);
      for (let i = 0; i < there.length; i++) {
        const slot = there[i] as number;
        out[slot] = (dots[i] as number) * (scales[slot] as number) * scale;
      }
    } else if (this.#stride > 0) {
      const rows = Math.min(out.length, this.#rowCount);
      const dots = unclean('int32', 'dots', rows);
      multiply(this.#rows, this.#stride, rows, components, dots);
      for (let slot = 0; slot < rows; slot++) {
        const own = scales[slot] as number;
        if (own > 0) out[slot] = (dots[slot] as number) * own * scale;
      }
    }
  }

  /** By slot, how far its code is from the query's; `absent` where there is no vector. */
  distances({ components }: VectorQuery, out: Int32Array, absent: number): void {
    const rows = Math.min(out.length, this.#rowCount);
    const thresholds = this.#refreshCodes(rows);
    compareCodes(this.#codes, this.#stride / 8, rows, encodeQuery(components, this.#dimensions, thresholds).code, out);
    for (let slot = 0; slot < rows; slot++) if (this.#scales[slot] === 0) out[slot] = absent;
    out.fill(absent, rows);
  }

  /** What the first search after a large change would take long for: the codes of all, block by block. */
  *prepare(size: number): Steps<void> {
    if (this.#count === 0) return;
    const rows = Math.min(size, this.#rowCount);
    const thresholds = thresholdsOf(this.#sums, this.#count);
    if (this.#hasCodes(thresholds, rows)) return;
    this.#codes = grown(this.#codes, (rows * this.#stride) / 8);
    for (let first = 0; first < rows; first += ENCODED_AT_ONCE) {
      this.#encode(first, Math.min(rows, first + ENCODED_AT_ONCE), thresholds);
      yield;
    }
    this.#staleCodes.clear();
    this.#thresholds = thresholds;
  }

  /** Whether what is there needs a few at most to be those of the vectors. */
  #hasCodes(thresholds: Int8Array, rows: number): boolean {
    const isSame = this.#thresholds?.every((threshold, i) => threshold === thresholds[i]) ?? false;
    return isSame && this.#staleCodes.size <= rows / 10;
  }

  /** The codes are a function of the vectors that are there, whatever happened before. */
  #refreshCodes(rows: number): Int8Array {
    const thresholds = thresholdsOf(this.#sums, this.#count);
    this.#codes = grown(this.#codes, (rows * this.#stride) / 8);
    if (this.#hasCodes(thresholds, rows)) for (const slot of this.#staleCodes) this.#encode(slot, slot + 1, thresholds);
    else this.#encode(0, rows, thresholds);
    this.#staleCodes.clear();
    this.#thresholds = thresholds;
    return thresholds;
  }

  #encode(first: number, end: number, thresholds: Int8Array): void {
    const codeBytes = this.#stride / 8;
    const rows = this.#rows.subarray(first * this.#stride, end * this.#stride);
    encodeRows(rows, this.#stride, end - first, thresholds, this.#codes.subarray(first * codeBytes, end * codeBytes));
  }
}
