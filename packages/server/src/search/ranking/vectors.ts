/** The vectors of a scope: int8 rows in one matrix, and 1-bit codes of them for scopes too large to scan. */

import type { VectorRows } from '../segments/vector-pages.ts';
import { VectorSums } from '../segments/vector-sums.ts';
import type { Steps } from '../slices.ts';
import { grown, reserved, unclean, zeroed } from './arrays.ts';
import {
  compareCodes,
  DIMENSION_STEP,
  encodeRows,
  MOST_DIMENSIONS,
  MOST_QUERY_WEIGHT,
  multiply,
  multiplySome,
  QUERY_CODE_STEP,
  QUERY_RANGE,
} from './kernel.ts';

const SCALE_BYTES = 4;
/** The thresholds of codes move in steps, so that a few new items seldom mean new codes for all. */
const THRESHOLD_STEP = 4;
/** Of a query's component one standard deviation from the centre: 7, the most, is for 2.3 and more. */
const WEIGHT_OF_DEVIATION = 3;
const ENCODED_AT_ONCE = 4096;

export interface VectorQuery {
  readonly components: Int16Array;
  readonly scale: number;
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
    const stride = Math.ceil(dimensions / DIMENSION_STEP) * DIMENSION_STEP;
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

  /** Nothing if there is no vector to compare with, or none of the query's dimensions. */
  query(vector: Float32Array | undefined): VectorQuery | undefined {
    if (!vector || this.#count === 0 || vector.length !== this.#dimensions) return undefined;
    let most = 0;
    for (const component of vector) most = Math.max(most, Math.abs(component));
    if (!(most > 0) || !Number.isFinite(most)) return undefined;
    const components = new Int16Array(this.#stride);
    for (let i = 0; i < vector.length; i++) components[i] = Math.round(((vector[i] as number) / most) * QUERY_RANGE);
    return { components, scale: most / QUERY_RANGE };
  }

  /** The mean similarity of all items of the scope, without looking at one of them. */
  meanSimilarity({ components, scale }: VectorQuery): number {
    return this.#sums.mean(components, scale, this.#count);
  }

  /** By slot, 0 where there is no vector; of the given slots only, or of all. Lent until the next call. */
  similarities({ components, scale }: VectorQuery, size: number, slots?: Uint32Array): Float64Array {
    const similarities = zeroed('float64', 'similarities', size);
    const scales = this.#scales;
    if (slots) {
      const there = slots.filter((slot) => this.has(slot));
      const dots = new Int32Array(there.length);
      multiplySome(this.#rows, this.#stride, there, components, dots);
      for (let i = 0; i < there.length; i++) {
        const slot = there[i] as number;
        similarities[slot] = (dots[i] as number) * (scales[slot] as number) * scale;
      }
    } else {
      const rows = Math.min(size, this.#rowCount);
      const dots = unclean('int32', 'dots', rows);
      multiply(this.#rows, this.#stride, rows, components, dots);
      // An empty slot has the scale 0.
      for (let slot = 0; slot < rows; slot++) similarities[slot] = (dots[slot] as number) * (scales[slot] as number) * scale;
    }
    return similarities;
  }

  /** About `count` slots whose codes are nearest to the query's; more where several are equally near. */
  nearest({ components }: VectorQuery, size: number, eligible: Uint8Array, count: number): number[] {
    const codeBytes = this.#stride / 8;
    const rows = Math.min(size, this.#rowCount);
    const thresholds = this.#refreshCodes(rows);
    const distances = unclean('int32', 'dots', rows);
    compareCodes(this.#codes, codeBytes, rows, this.#queryCode(components, thresholds), distances);

    const scales = this.#scales;
    const farthestOfAll = this.#stride * MOST_QUERY_WEIGHT;
    const atDistance = new Uint32Array(farthestOfAll + 1);
    for (let slot = 0; slot < rows; slot++) {
      if (eligible[slot] === 0 || scales[slot] === 0) continue;
      const distance = distances[slot] as number;
      atDistance[distance] = (atDistance[distance] as number) + 1;
    }
    let farthest = 0;
    for (let found = 0; farthest < farthestOfAll; farthest++) {
      found += atDistance[farthest] as number;
      if (found >= count) break;
    }
    const slots: number[] = [];
    for (let slot = 0; slot < rows; slot++) {
      if ((distances[slot] as number) <= farthest && eligible[slot] === 1 && scales[slot] !== 0) slots.push(slot);
    }
    return slots;
  }

  /** A component of the query weighs by how far it is from the centre: far better than plain bits where nothing is near. */
  #queryCode(components: Int16Array, thresholds: Int8Array): Uint8Array {
    const centred = Float64Array.from(components, (component, i) => (component * 127) / QUERY_RANGE - (thresholds[i] as number));
    const deviation = Math.sqrt(centred.reduce((sum, component) => sum + component * component, 0) / this.#dimensions) || 1;
    const code = new Uint8Array((this.#stride / DIMENSION_STEP) * QUERY_CODE_STEP);
    for (let i = 0; i < this.#dimensions; i++) {
      const component = centred[i] as number;
      const weight = Math.min(MOST_QUERY_WEIGHT, Math.round((Math.abs(component) / deviation) * WEIGHT_OF_DEVIATION));
      const at = Math.floor(i / DIMENSION_STEP) * QUERY_CODE_STEP + ((i % DIMENSION_STEP) >> 3);
      const bits = [component > 0 ? 1 : 0, weight & 1, (weight >> 1) & 1, weight >> 2];
      for (const [plane, bit] of bits.entries()) (code[at + 8 * plane] as number) |= bit << (i & 7);
    }
    return code;
  }

  /** What the first search after a large change would take long for: the codes of all, block by block. */
  *prepare(size: number, least: number): Steps<void> {
    if (this.#count <= least) return;
    const rows = Math.min(size, this.#rowCount);
    const thresholds = this.#thresholdsNow();
    if (this.#hasCodes(thresholds, rows)) return;
    this.#codes = grown(this.#codes, (rows * this.#stride) / 8);
    for (let first = 0; first < rows; first += ENCODED_AT_ONCE) {
      this.#encode(first, Math.min(rows, first + ENCODED_AT_ONCE), thresholds);
      yield;
    }
    this.#staleCodes.clear();
    this.#thresholds = thresholds;
  }

  #thresholdsNow(): Int8Array {
    const thresholds = new Int8Array(this.#stride);
    for (let i = 0; i < this.#dimensions; i++)
      thresholds[i] = Math.round((this.#sums.whole[i] as number) / this.#count / THRESHOLD_STEP) * THRESHOLD_STEP;
    return thresholds;
  }

  /** Whether what is there needs a few at most to be those of the vectors. */
  #hasCodes(thresholds: Int8Array, rows: number): boolean {
    const isSame = this.#thresholds?.every((threshold, i) => threshold === thresholds[i]) ?? false;
    return isSame && this.#staleCodes.size <= rows / 10;
  }

  /** The codes are a function of the vectors that are there, whatever happened before. */
  #refreshCodes(rows: number): Int8Array {
    const thresholds = this.#thresholdsNow();
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
