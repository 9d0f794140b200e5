/** Takes stored segments into an index: whole, or with their words and vectors left at rest. */

import { eraseItem, type ItemColumns, isErased, WAITS_FOR_VECTOR } from '../segments/item-pages.ts';
import type { PagedSegment, Segment } from '../segments/segment.ts';
import type { Steps } from '../slices.ts';
import type { IndexParts } from './index-parts.ts';
import type { Items } from './items.ts';
import type { PlacedTags } from './tags.ts';
import type { PagedWords } from './words/paged-words.ts';
import type { TermPages } from './words/stored-lists.ts';

export interface AppendedParts extends IndexParts {
  readonly pagedWords: PagedWords;
  readonly hasSpeakers: boolean;
}

/** None of its items may be there. `gone`: local slots that are there no more, whatever the segment says. */
export function* appendSegment(parts: AppendedParts, segment: Segment, id: string, gone: readonly number[]): Steps<void> {
  const { header } = segment;
  parts.passages?.noteAll();
  for (const slot of gone) eraseItem(segment.items, slot);
  const first = yield* parts.items.append(segment);
  parts.words.append(yield* segment.wordPages(), first);
  parts.tags.append({ pages: yield* segment.tagPages(), firstSlot: first, slotCount: header.itemCount });
  const { vectorCount: count, dimensions, sums } = header;
  yield* parts.vectors.append(segment.vectorPages(), { slots: header.itemCount, dimensions, count, sums }, first);
  for (const slot of gone) parts.vectors.set(first + slot, undefined);
  parts.stored.markRange(first, header.itemCount, { id, items: header.heldCount });
  yield* noteItems(parts, segment.items, segment.speakers, first);
}

/** Before any item that is in memory whole, and as above. */
export function* appendPagedSegment(parts: AppendedParts, segment: PagedSegment, id: string, gone: readonly number[]): Steps<void> {
  const { header, items, codes } = segment;
  parts.passages?.noteAll();
  for (const slot of gone) eraseItem(items, slot);
  const first = yield* parts.items.append(segment);
  parts.tags.append({ pages: yield* segment.tagPages(), firstSlot: first, slotCount: header.itemCount });
  parts.vectors.appendPaged(items, codes, header);
  parts.pagedWords.append(id, first, header);
  parts.stored.markPaged(first, header.itemCount, { id, items: header.heldCount }, gone);
  yield* noteItems(parts, items, segment.speakers, first);
}

/** One that is stored under this id. */
export interface PlacedSegment {
  readonly id: string;
  readonly segment: PagedSegment;
  /** Checked. */
  readonly tags: TermPages;
}

/** As they follow each other from the slot `first` on up to the last; nothing where they don't. */
export function inOrderOfSlots(items: Items, stored: readonly PlacedSegment[], first: number): PlacedSegment[] | undefined {
  const ordered: PlacedSegment[] = [];
  let next = first;
  while (ordered.length < stored.length) {
    const found = stored.find((placed) => !ordered.includes(placed) && items.isSegmentAt(next, placed.segment.items));
    if (!found) return undefined;
    ordered.push(found);
    next += found.segment.header.itemCount;
  }
  return next === items.slotCount ? ordered : undefined;
}

/** Its items are in memory from the slot `first` on, each as it is stored or gone since: words and vectors are left at rest. Gives its tags. */
export function restSegment(parts: AppendedParts, { id, segment, tags }: PlacedSegment, first: number): PlacedTags {
  const { header, items, codes } = segment;
  const gone: number[] = [];
  for (let i = 0; i < header.itemCount; i++) {
    if (!parts.items.isThere(first + i)) gone.push(i);
    // A vector that came since it was stored is taken in anew when it is asked for.
    else parts.vectorless.set(first + i, items.vectorStates[i] === WAITS_FOR_VECTOR);
  }
  for (const slot of gone) eraseItem(items, slot);
  parts.vectors.appendPaged(items, codes, header);
  parts.pagedWords.append(id, first, header);
  parts.stored.markPaged(first, header.itemCount, { id, items: header.heldCount }, gone);
  return { pages: tags, firstSlot: first, slotCount: header.itemCount };
}

function* noteItems(
  { items: all, speakers, vectorless, hasSpeakers }: AppendedParts,
  items: ItemColumns,
  names: readonly string[],
  first: number,
): Steps<void> {
  for (let i = 0; i < items.times.length; i++) {
    if (i % 1024 === 0) yield;
    if (isErased(items, i)) continue;
    if (items.vectorStates[i] === WAITS_FOR_VECTOR) vectorless.set(first + i, true);
    if (hasSpeakers) speakers.addNamed(first + i, all.threadNumber(first + i), names[(items.speakers[i] as number) - 1]);
  }
}
