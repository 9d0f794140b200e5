/** The vectors of stored segments: their codes in memory, the vectors themselves at rest. */

import type { VectorCodes } from '../../segments/code-pages.ts';
import type { ItemColumns } from '../../segments/item-pages.ts';
import { HAS_VECTOR } from '../../segments/item-pages.ts';
import type { SegmentHeader } from '../../segments/segment.ts';
import { VectorSums } from '../../segments/vector-sums.ts';
import { grown } from '../arrays.ts';
import { compareCodes } from './kernel.ts';
import { encodeQuery } from './vector-codes.ts';
import type { VectorQuery } from './vectors.ts';

/** One segment's, from the slot `first` on. */
interface Part extends VectorCodes {
  readonly first: number;
  readonly count: number;
}

export class PagedVectors {
  readonly #parts: Part[] = [];
  #sums = new VectorSums(0);
  /** Of the sums: what goes later is in them still, for it can't be taken out without its vector. */
  #summed = 0;
  #dimensions = 0;
  /** 1 for a slot with a vector. */
  #has = new Uint8Array(0);
  #slots = 0;
  #count = 0;

  /** Slots from 0 on, with a vector or without. */
  get slots(): number {
    return this.#slots;
  }

  get count(): number {
    return this.#count;
  }

  get dimensions(): number {
    return this.#dimensions;
  }

  get bytes(): number {
    return this.#parts.reduce((sum, { codes }) => sum + codes.byteLength, this.#has.byteLength);
  }

  has(slot: number): boolean {
    return this.#has[slot] === 1;
  }

  /** Behind those that are there. Of other dimensions: left out. */
  append(items: ItemColumns, { codes, thresholds }: VectorCodes, { dimensions, sums, vectorCount }: SegmentHeader): void {
    const first = this.#slots;
    const count = items.times.length;
    this.#slots += count;
    this.#has = grown(this.#has, this.#slots);
    if (dimensions === 0 || (this.#dimensions !== 0 && dimensions !== this.#dimensions)) return;
    if (this.#dimensions === 0) this.#sums = new VectorSums(dimensions);
    this.#dimensions = dimensions;
    this.#parts.push({ first, count, codes, thresholds });
    this.#sums.addAll(sums);
    this.#summed += vectorCount;
    for (let i = 0; i < count; i++) {
      if (items.vectorStates[i] !== HAS_VECTOR) continue;
      this.#has[first + i] = 1;
      this.#count++;
    }
  }

  clear(slot: number): void {
    if (!this.has(slot)) return;
    this.#has[slot] = 0;
    this.#count--;
  }

  meanSimilarity({ components, scale }: VectorQuery): number {
    return this.#summed === 0 ? 0 : this.#sums.mean(components, scale, this.#summed);
  }

  /** By slot, how far its code is from the query's; `absent` where there is no vector. */
  distances({ components }: VectorQuery, out: Int32Array, absent: number): void {
    out.fill(absent, 0, this.#slots);
    for (const { first, count, codes, thresholds } of this.#parts) {
      const own = out.subarray(first, first + count);
      compareCodes(codes, codes.length / count, count, encodeQuery(components, this.#dimensions, thresholds).code, own);
      if (this.#count < this.#slots) for (let i = 0; i < count; i++) if (this.#has[first + i] === 0) own[i] = absent;
    }
  }
}
