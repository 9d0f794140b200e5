/** Some items of an index as a segment has them. */

import { HAS_VECTOR, NO_VECTOR, WAITS_FOR_VECTOR } from '../segments/item-pages.ts';
import type { SegmentContents, SegmentFacts, TermEntries } from '../segments/segment.ts';
import type { Steps } from '../slices.ts';
import type { IndexParts } from './index-parts.ts';
import { NONE } from './none.ts';
import { MOST_WEIGHT, WEIGHT_BITS } from './words/postings.ts';

/** Slots in rising order, all in use. Items may come and go while the contents are read, slots must stay. */
export function* contentsOf(
  { items: all, words, tags, vectors, speakers, vectorless }: IndexParts,
  slots: Uint32Array,
  facts: SegmentFacts,
): Steps<SegmentContents> {
  const [from, end] = [slots[0] ?? 0, (slots.at(-1) ?? -1) + 1];
  const local = new Int32Array(Math.max(0, end - from)).fill(NONE);
  for (const [i, slot] of slots.entries()) local[slot - from] = i;
  const numbers = new Map<string, number>();
  const { items, threads, strings } = all.columnsOf(slots);
  yield;
  const rows = vectors.rowsOf(slots);
  yield;
  for (const [i, slot] of slots.entries()) {
    items.vectorStates[i] = vectors.has(slot) ? HAS_VECTOR : vectorless.has(slot) ? WAITS_FOR_VECTOR : NO_VECTOR;
    const name = speakers.nameOf(slot);
    if (name === undefined) continue;
    if (!numbers.has(name)) numbers.set(name, numbers.size + 1);
    items.speakers[i] = numbers.get(name) as number;
  }
  yield;
  const wordTerms = yield* words.termsBetween(from, end);
  const tagged = yield* tags.between(from, end);
  const wordEntries = function* (): Generator<TermEntries, void, void> {
    for (const term of wordTerms) {
      const each: TermEntries['each'] = (take) => {
        for (const entry of words.entriesBetween(term, from, end)) {
          const slot = local[(entry >>> WEIGHT_BITS) - from] as number;
          if (slot !== NONE) take(slot, entry & MOST_WEIGHT);
        }
      };
      yield { term, each };
    }
  };
  const tagEntries = function* (): Generator<TermEntries, void, void> {
    for (const { tag, slots: slotsOfTag } of tagged) {
      const each: TermEntries['each'] = (take) => {
        for (const slot of slotsOfTag) if (local[slot - from] !== NONE) take(local[slot - from] as number, 1);
      };
      yield { term: tag, each };
    }
  };
  return {
    ...facts,
    items,
    threads,
    speakers: [...numbers.keys()],
    strings,
    vectors: rows,
    words: wordEntries,
    tags: tagEntries,
  };
}
