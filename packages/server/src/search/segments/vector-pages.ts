/** The int8 vectors of a segment, by local slot: on each page the scales (0 where there is no vector), then the rows without padding. */
import { FRAME_BYTES, MOST_PAGE_BYTES, openPage, type Page, sealPage, UnusableSegment } from './pages.ts';

export interface VectorRows {
  readonly dimensions: number;
  /** By slot. */
  readonly scales: Float32Array;
  /** `dimensions` components for each slot. */
  readonly rows: Int8Array;
}

const SCALE_BYTES = 4;

/** A power of two, so that the page of a slot is found by its bits. */
export function rowsOfPage(dimensions: number): number {
  return 2 ** Math.floor(Math.log2((MOST_PAGE_BYTES - FRAME_BYTES) / (dimensions + SCALE_BYTES)));
}

export function vectorPages({ dimensions, scales, rows }: VectorRows): Page[] {
  const pages: Page[] = [];
  if (dimensions === 0) return pages;
  const step = rowsOfPage(dimensions);
  for (let first = 0; first < scales.length; first += step) {
    const end = Math.min(scales.length, first + step);
    const some = { dimensions, scales: scales.subarray(first, end), rows: rows.subarray(first * dimensions, end * dimensions) };
    pages.push(vectorPageOf(pages.length, some));
  }
  return pages;
}

export function vectorPageOf(number: number, { dimensions, scales, rows }: VectorRows): Page {
  const count = scales.length;
  const bytes = new Uint8Array(FRAME_BYTES + count * (SCALE_BYTES + dimensions));
  new Float32Array(bytes.buffer, FRAME_BYTES, count).set(scales);
  new Int8Array(bytes.buffer, FRAME_BYTES + count * SCALE_BYTES).set(rows);
  return sealPage('vectors', number, bytes);
}

/** Views of the page where it came aligned. */
export function readVectorPage(page: Page, dimensions: number): VectorRows {
  const body = openPage(page);
  const count = body.length / (SCALE_BYTES + dimensions);
  if (!Number.isInteger(count)) throw new UnusableSegment('a page of vectors has another length');
  const aligned = body.byteOffset % SCALE_BYTES === 0 ? body : new Uint8Array(body);
  const { buffer, byteOffset } = aligned;
  return {
    dimensions,
    scales: new Float32Array(buffer as ArrayBuffer, byteOffset, count),
    rows: new Int8Array(buffer as ArrayBuffer, byteOffset + count * SCALE_BYTES, count * dimensions),
  };
}
