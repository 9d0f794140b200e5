/** What a segment knows of its items beside words and vectors: columns, as many items a page as `ITEMS_OF_PAGE`. */
import { ERASED } from '../ranking/id-codes.ts';
import { FRAME_BYTES, openPage, type Page, sealPage, UnusableSegment } from './pages.ts';

export const ITEMS_OF_PAGE = 4096;

/** By local slot. How ids are coded: `ranking/slot-ids.ts`. */
export interface ItemColumns {
  /** Milliseconds; NaN where there is none. */
  readonly times: Float64Array;
  /** Milliseconds; infinite where there is none. */
  readonly ends: Float64Array;
  readonly fingerprints: Float64Array;
  /** Four words an item. */
  readonly ids: Uint32Array;
  /** Places among the strings, for orders that follow from no id. */
  readonly orders: Uint32Array;
  /** Places among the names of threads. */
  readonly threads: Uint32Array;
  readonly versions: Uint32Array;
  readonly lengths: Uint32Array;
  /** Places among the names of speakers, from 1 on; 0 for none. */
  readonly speakers: Uint32Array;
  readonly idKinds: Uint8Array;
  readonly vectorStates: Uint8Array;
  readonly traits: Uint8Array;
}

/** Whether an item has a vector, has none and never will (its text was refused), or waits for one. */
export const NO_VECTOR = 0;
export const HAS_VECTOR = 1;
export const WAITS_FOR_VECTOR = 2;

/** Widest first, so that each stands at a multiple of its width. */
const COLUMNS = [
  ['times', Float64Array, 1],
  ['ends', Float64Array, 1],
  ['fingerprints', Float64Array, 1],
  ['ids', Uint32Array, 4],
  ['orders', Uint32Array, 1],
  ['threads', Uint32Array, 1],
  ['versions', Uint32Array, 1],
  ['lengths', Uint32Array, 1],
  ['speakers', Uint32Array, 1],
  ['idKinds', Uint8Array, 1],
  ['vectorStates', Uint8Array, 1],
  ['traits', Uint8Array, 1],
] as const;

const ITEM_BYTES = COLUMNS.reduce((sum, [, type, width]) => sum + type.BYTES_PER_ELEMENT * width, 0);

export function newItemColumns(count: number): ItemColumns {
  return Object.fromEntries(COLUMNS.map(([name, type, width]) => [name, new type(count * width)])) as unknown as ItemColumns;
}

export function itemPages(columns: ItemColumns): Page[] {
  const count = columns.times.length;
  const pages: Page[] = [];
  for (let first = 0; first < count; first += ITEMS_OF_PAGE) {
    const end = Math.min(count, first + ITEMS_OF_PAGE);
    const bytes = new Uint8Array(FRAME_BYTES + (end - first) * ITEM_BYTES);
    let at = FRAME_BYTES;
    for (const [name, , width] of COLUMNS) {
      const part = columns[name].subarray(first * width, end * width);
      bytes.set(new Uint8Array(part.buffer, part.byteOffset, part.byteLength), at);
      at += part.byteLength;
    }
    pages.push(sealPage('items', pages.length, bytes));
  }
  return pages;
}

export function readItemPage(page: Page): ItemColumns {
  const body = openPage(page);
  const count = body.length / ITEM_BYTES;
  if (!Number.isInteger(count)) throw new UnusableSegment('a page of items has another length');
  // Columns are read in place where the page came aligned.
  const aligned = body.byteOffset % 8 === 0 ? body : new Uint8Array(body);
  let at = aligned.byteOffset;
  return Object.fromEntries(
    COLUMNS.map(([name, type, width]) => {
      const column = new type(aligned.buffer as ArrayBuffer, at, count * width);
      at += column.byteLength;
      return [name, column];
    }),
  ) as unknown as ItemColumns;
}

export function joinItemColumns(parts: readonly ItemColumns[]): ItemColumns {
  const joined = newItemColumns(parts.reduce((sum, { times }) => sum + times.length, 0));
  let first = 0;
  for (const part of parts) {
    for (const [name, , width] of COLUMNS) joined[name].set(part[name], first * width);
    first += part.times.length;
  }
  return joined;
}

/** Its slot stays, and says nothing any more. */
export function eraseItem(columns: ItemColumns, slot: number): void {
  for (const [name, , width] of COLUMNS) columns[name].fill(0, slot * width, (slot + 1) * width);
  columns.idKinds[slot] = ERASED;
}

export function isErased({ idKinds }: ItemColumns, slot: number): boolean {
  return idKinds[slot] === ERASED;
}

/** Copies one item; what it says of threads, speakers and strings is the caller's to translate. */
export function copyItem(from: ItemColumns, slot: number, to: ItemColumns, toSlot: number): void {
  for (const [name, , width] of COLUMNS) {
    for (let i = 0; i < width; i++) to[name][toSlot * width + i] = from[name][slot * width + i] as number;
  }
}
