/** A page: what is stored of a segment in one row. Begins with a checksum, the number of the format and the kind of the page. */
import { crc32 } from 'node:zlib';

/** Another number for every change of what pages hold: what an earlier program wrote is thrown away, and built anew. */
export const SEGMENT_FORMAT = 3;

/** Pages of terms are closed at this size, so that reading one list reads little beside it. */
export const TERM_PAGE_BYTES = 32 * 1024;
/** No page is larger, except by one term's list or one string. */
export const MOST_PAGE_BYTES = 256 * 1024;

/** In the order in which they are stored, and may be read in bulk. */
export const PAGE_KINDS = ['header', 'threads', 'speakers', 'strings', 'items', 'tags', 'codes', 'vectors', 'words'] as const;
export type PageKind = (typeof PAGE_KINDS)[number];
/** What an index is made of that holds all of its words and vectors: codes are made of the vectors. */
export const HELD_KINDS: readonly PageKind[] = PAGE_KINDS.filter((kind) => kind !== 'codes');
/** What is in memory of an index whose words and vectors are read when a search needs them. */
export const PAGED_KINDS: readonly PageKind[] = PAGE_KINDS.slice(0, PAGE_KINDS.indexOf('codes') + 1);
/** What tells which items a segment has. */
export const ITEM_KINDS: readonly PageKind[] = PAGE_KINDS.slice(0, PAGE_KINDS.indexOf('items') + 1);

export interface Page {
  readonly kind: PageKind;
  /** From 0 on among those of its kind. */
  readonly number: number;
  readonly bytes: Uint8Array;
}

/** One page of words. */
export interface PagePlace {
  readonly segmentId: string;
  readonly number: number;
}

export interface WordPage extends Page, PagePlace {}

/** Checksum, format and kind; what follows stands at a multiple of eight bytes. */
export const FRAME_BYTES = 8;

/** What is stored is not what this program writes, or was damaged: it is of no use. */
export class UnusableSegment extends Error {
  constructor(reason: string) {
    super(`A stored part of a search index can't be used: ${reason}`);
    this.name = 'UnusableSegment';
  }
}

/** `bytes`: FRAME_BYTES that are free, and then the body. */
export function sealPage(kind: PageKind, number: number, bytes: Uint8Array): Page {
  const view = new DataView(bytes.buffer, bytes.byteOffset);
  view.setUint16(4, SEGMENT_FORMAT, true);
  view.setUint16(6, PAGE_KINDS.indexOf(kind), true);
  view.setUint32(0, crc32(bytes.subarray(4)), true);
  return { kind, number, bytes };
}

/** Throws `UnusableSegment`; gives the body. */
export function openPage({ kind, bytes }: Pick<Page, 'kind' | 'bytes'>): Uint8Array {
  if (bytes.length < FRAME_BYTES) throw new UnusableSegment('a page is too short');
  const view = new DataView(bytes.buffer, bytes.byteOffset);
  if (view.getUint16(4, true) !== SEGMENT_FORMAT) throw new UnusableSegment('it has another format');
  if (view.getUint16(6, true) !== PAGE_KINDS.indexOf(kind)) throw new UnusableSegment('a page is of another kind');
  if (view.getUint32(0, true) !== crc32(bytes.subarray(4))) throw new UnusableSegment('a checksum does not match');
  return bytes.subarray(FRAME_BYTES);
}
