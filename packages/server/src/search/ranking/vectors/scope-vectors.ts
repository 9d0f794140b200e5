/** All vectors of a scope: those of stored segments whose vectors stay at rest, and behind them those in memory. */

import type { VectorCodes } from '../../segments/code-pages.ts';
import type { ItemColumns } from '../../segments/item-pages.ts';
import type { SegmentHeader } from '../../segments/segment.ts';
import type { VectorRows } from '../../segments/vector-pages.ts';
import type { Steps } from '../../slices.ts';
import { unclean, zeroed } from '../arrays.ts';
import { CodeDistances } from './code-distances.ts';
import { MOST_QUERY_WEIGHT, multiply } from './kernel.ts';
import { PagedVectors } from './paged-vectors.ts';
import { type VectorQuery, Vectors, type VectorTotals, vectorQuery } from './vectors.ts';

/** Vectors that were read for one search, by slot: float32 scale, then int8 components. */
export type ReadVectors = ReadonlyMap<number, Uint8Array>;

const SCALE_BYTES = 4;

export class ScopeVectors {
  readonly #paged = new PagedVectors();
  #held = new Vectors();

  get count(): number {
    return this.#paged.count + this.#held.count;
  }

  get bytes(): number {
    return this.#paged.bytes + this.#held.bytes;
  }

  /** Slots below this one have their vectors at rest. */
  get pagedSlots(): number {
    return this.#paged.slots;
  }

  get #dimensions(): number {
    return this.#paged.dimensions || this.#held.dimensions;
  }

  has(slot: number): boolean {
    return slot < this.#paged.slots ? this.#paged.has(slot) : this.#held.has(slot - this.#paged.slots);
  }

  /** What is at rest stays as it is there, or goes. */
  set(slot: number, bytes: Uint8Array | undefined): void {
    if (slot < this.#paged.slots) {
      if (!bytes) this.#paged.clear(slot);
      return;
    }
    // One of other dimensions than those at rest is left out.
    const isOther = bytes && this.#paged.dimensions !== 0 && bytes.length !== this.#paged.dimensions + SCALE_BYTES;
    this.#held.set(slot - this.#paged.slots, isOther ? undefined : bytes);
  }

  *append(pages: Iterable<VectorRows>, totals: VectorTotals, first: number): Steps<void> {
    if (this.#paged.dimensions !== 0 && totals.dimensions !== this.#paged.dimensions) return;
    yield* this.#held.append(pages, totals, first - this.#paged.slots);
  }

  /** Before any is held, or where all that are held go next. */
  appendPaged(items: ItemColumns, codes: VectorCodes, header: SegmentHeader): void {
    this.#paged.append(items, codes, header);
  }

  /** All are at rest. */
  dropHeld(): void {
    this.#held = new Vectors();
  }

  /** Some slots whose vectors are held, as a segment has them. */
  rowsOf(slots: Uint32Array): VectorRows {
    const base = this.#paged.slots;
    return this.#held.rowsOf(base === 0 ? slots : slots.map((slot) => slot - base));
  }

  /** Room for so many that are held. */
  reserve(slots: number): void {
    this.#held.reserve(slots);
  }

  /** Where nothing is at rest. */
  compact(newSlots: Int32Array, size: number): void {
    this.#held.compact(newSlots, size);
  }

  /** What a search of a large scope needs that is in memory whole. */
  *prepare(size: number): Steps<void> {
    if (this.#paged.slots === 0) yield* this.#held.prepare(size);
  }

  /** Nothing if there is no vector to compare with, or none of the query's dimensions. */
  query(vector: Float32Array | undefined): VectorQuery | undefined {
    if (!vector || this.count === 0 || vector.length !== this.#dimensions) return undefined;
    return vectorQuery(vector);
  }

  /** The mean similarity of all items of the scope, without looking at one of them. */
  meanSimilarity(query: VectorQuery): number {
    const [paged, held] = [this.#paged.count, this.#held.count];
    if (paged === 0) return this.#held.meanSimilarity(query);
    const ofHeld = held === 0 ? 0 : held * this.#held.meanSimilarity(query);
    return (paged * this.#paged.meanSimilarity(query) + ofHeld) / (paged + held);
  }

  /** By slot, NaN where there is no vector; of some slots only, or of all. Those at rest are `read`. Lent until the next call. */
  similarities(query: VectorQuery, size: number, slots: Uint32Array | undefined, read: ReadVectors): Float64Array {
    const similarities = unclean('float64', 'similarities', size);
    if (slots) for (const slot of slots) similarities[slot] = this.has(slot) ? 0 : Number.NaN;
    else similarities.fill(Number.NaN);
    const base = this.#paged.slots;
    if (base === 0) {
      this.#held.similarities(query, similarities, slots);
      return similarities;
    }
    const held = slots?.filter((slot) => slot >= base).map((slot) => slot - base);
    this.#held.similarities(query, similarities.subarray(base), held);
    const stride = query.components.length;
    const there = [...read].filter(([slot, { length }]) => this.has(slot) && length === this.#dimensions + SCALE_BYTES);
    const rows = new Int8Array(there.length * stride);
    for (const [i, [, bytes]] of there.entries())
      rows.set(new Int8Array(bytes.buffer, bytes.byteOffset + SCALE_BYTES, bytes.length - SCALE_BYTES), i * stride);
    const dots = new Int32Array(there.length);
    multiply(rows, stride, there.length, query.components, dots);
    for (const [i, [slot, bytes]] of there.entries()) {
      const scale = new DataView(bytes.buffer, bytes.byteOffset).getFloat32(0, true);
      similarities[slot] = (dots[i] as number) * scale * query.scale;
    }
    return similarities;
  }

  /** About how similar some slots are, NaN where there is no vector. Lent as `similarities` are. */
  estimates(size: number, slots: Uint32Array, distances: CodeDistances): Float64Array {
    const estimates = unclean('float64', 'similarities', size);
    distances.estimate(slots, estimates);
    return estimates;
  }

  /** Those in memory beside others at rest are few, and compared exactly. Lent until the next call. */
  codeDistances(query: VectorQuery, size: number): CodeDistances {
    const absent = query.components.length * MOST_QUERY_WEIGHT + 1;
    const distances = unclean('int32', 'distances', size);
    const base = this.#paged.slots;
    if (base === 0) this.#held.distances(query, distances, absent);
    else this.#paged.distances(query, distances, absent);
    const found = new CodeDistances(distances, absent, base || size, this.meanSimilarity(query));
    if (base === 0) return found;
    const similarities = zeroed('float64', 'of held', size - base);
    this.#held.similarities(query, similarities);
    for (let i = 0; i < similarities.length; i++) found.set(base + i, this.#held.has(i) ? similarities[i] : undefined);
    return found;
  }
}
