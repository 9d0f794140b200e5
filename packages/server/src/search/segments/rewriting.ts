/** Segments without some of their items: pages in, pages out. Runs in a thread of its own. */
import { ID_WORDS, idKindOf, NUMBERED, UUID, writeUuid } from '../ranking/id-codes.ts';
import { type ErasedSegment, eraseSlots } from './erasing.ts';
import { isErased } from './item-pages.ts';
import { mergeSegments } from './merging.ts';
import type { Page } from './pages.ts';
import { decodeSegment, encodeSegment, readHeader, readItems, type SegmentItems } from './segment.ts';

/** What is to go: whole threads, and single items. */
export interface GoneItems {
  readonly threads: readonly string[];
  readonly ids: readonly string[];
  /** Of some of them the version that is there: what a segment has in that version stays. */
  readonly current?: readonly (readonly [id: string, version: number])[];
}

/** Whether a segment has any of them; its pages up to those of items are enough. */
export function holdsAny(pages: readonly Page[], gone: GoneItems): boolean {
  const segment = readItems(pages);
  return keptOf(segment, gone).some((isKept, slot) => isKept === 0 && !isErased(segment.items, slot));
}

/** The pages that change when they are erased in place, and `goneSlots` with them, of so many slots. */
export function eraseItems(
  pages: readonly Page[],
  gone: GoneItems,
  goneSlots: readonly number[] = [],
): ErasedSegment & { readonly slots: number } {
  const kept = keptOf(readItems(pages), gone, goneSlots);
  return { ...eraseSlots(pages, kept), slots: kept.length };
}

/** What is left: how many items, and their pages. */
export function withoutItems(pages: readonly Page[], gone: GoneItems, goneSlots: readonly number[] = []): { items: number; pages: Page[] } {
  const contents = decodeSegment(pages);
  const kept = keptOf(contents, gone, goneSlots);
  const left = finish(mergeSegments([{ contents, kept }]));
  const rewritten = finish(encodeSegment(left));
  return { items: readHeader(rewritten[0] as Page).heldCount, pages: rewritten };
}

function keptOf(segment: SegmentItems, { threads, ids, current = [] }: GoneItems, goneSlots: readonly number[] = []): Uint8Array {
  const [goneThreads, goneIds, currentOf] = [new Set(threads), new Set(ids), new Map(current)];
  const isGoneSlot = new Uint8Array(segment.items.times.length);
  for (const slot of goneSlots) isGoneSlot[slot] = 1;
  const isGoneThread = segment.threads.map((thread) => goneThreads.has(thread));
  return Uint8Array.from({ length: segment.items.times.length }, (_, slot) => {
    if (isErased(segment.items, slot) || isGoneSlot[slot] === 1) return 0;
    const isGoneWhole = isGoneThread[segment.items.threads[slot] as number];
    if (!isGoneWhole && goneIds.size === 0) return 1;
    const id = idAt(segment, slot);
    if (!isGoneWhole && !goneIds.has(id)) return 1;
    return currentOf.get(id) === segment.items.versions[slot] ? 1 : 0;
  });
}

function idAt({ items, threads, strings }: SegmentItems, slot: number): string {
  const at = slot * ID_WORDS;
  const kind = idKindOf(items.idKinds[slot] as number);
  if (kind === UUID) return writeUuid(items.ids, at);
  if (kind === NUMBERED) return `${threads[items.threads[slot] as number]}:${items.ids[at]}`;
  return strings[items.ids[at] as number] as string;
}

function finish<T>(steps: Generator<void, T, void>): T {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}
