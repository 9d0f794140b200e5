/** The 1-bit codes of a segment's vectors, by local slot: on each page the thresholds that they were made with, then the codes. */
import { encodeRows } from '../ranking/vectors/kernel.ts';
import { strideOf, thresholdsOf } from '../ranking/vectors/vector-codes.ts';
import { FRAME_BYTES, MOST_PAGE_BYTES, openPage, type Page, sealPage, UnusableSegment } from './pages.ts';
import type { VectorRows } from './vector-pages.ts';
import type { VectorSums } from './vector-sums.ts';

export interface VectorCodes {
  readonly thresholds: Int8Array;
  /** By slot, an eighth of the stride each. */
  readonly codes: Uint8Array;
}

/** A power of two, so that the page of a slot is found by its bits. */
export function codesOfPage(dimensions: number): number {
  const stride = strideOf(dimensions);
  return 2 ** Math.floor(Math.log2((MOST_PAGE_BYTES - FRAME_BYTES - stride) / (stride / 8)));
}

/** `sums` and `count` are of all of the vectors. */
export function codePages({ dimensions, scales, rows }: VectorRows, sums: VectorSums, count: number): Page[] {
  if (dimensions === 0) return [];
  const stride = strideOf(dimensions);
  const thresholds = thresholdsOf(sums, count);
  const pages: Page[] = [];
  const step = codesOfPage(dimensions);
  for (let first = 0; first < scales.length; first += step) {
    const end = Math.min(scales.length, first + step);
    const bytes = new Uint8Array(FRAME_BYTES + stride + ((end - first) * stride) / 8);
    bytes.set(new Uint8Array(thresholds.buffer), FRAME_BYTES);
    const some = paddedRows(rows.subarray(first * dimensions, end * dimensions), dimensions, stride);
    encodeRows(some, stride, end - first, thresholds, bytes.subarray(FRAME_BYTES + stride));
    pages.push(sealPage('codes', pages.length, bytes));
  }
  return pages;
}

function paddedRows(rows: Int8Array, dimensions: number, stride: number): Int8Array {
  if (dimensions === stride) return rows;
  const count = rows.length / dimensions;
  const padded = new Int8Array(count * stride);
  for (let i = 0; i < count; i++) padded.set(rows.subarray(i * dimensions, (i + 1) * dimensions), i * stride);
  return padded;
}

/** The codes of all slots as one array. */
export function joinCodes(pages: readonly Page[], itemCount: number, dimensions: number): VectorCodes {
  const stride = strideOf(dimensions);
  const codes = new Uint8Array((itemCount * stride) / 8);
  let thresholds = new Int8Array(stride);
  let at = 0;
  for (const page of pages) {
    const body = openPage(page);
    thresholds = new Int8Array(body.slice(0, stride).buffer);
    if (at + body.length - stride > codes.length) throw new UnusableSegment('there are more codes than items');
    codes.set(body.subarray(stride), at);
    at += body.length - stride;
  }
  if (pages.length > 0 && at !== codes.length) throw new UnusableSegment('codes are missing');
  return { thresholds, codes };
}

/** A page without the codes of some slots (1 in `gone`, which begins with the first slot of the page). */
export function withoutCodes(page: Page, dimensions: number, gone: Uint8Array): Page {
  const stride = strideOf(dimensions);
  const bytes = new Uint8Array(FRAME_BYTES + openPage(page).length);
  bytes.set(openPage(page), FRAME_BYTES);
  for (const [i, isGone] of gone.entries()) {
    const at = FRAME_BYTES + stride + (i * stride) / 8;
    if (isGone === 1) bytes.fill(0, at, at + stride / 8);
  }
  return sealPage('codes', page.number, bytes);
}
