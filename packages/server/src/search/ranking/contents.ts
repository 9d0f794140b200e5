/** Some items of an index as a segment has them. */

import type { SegmentContents, SegmentFacts, TermEntries } from '../segments/segment.ts';
import type { Steps } from '../slices.ts';
import { type Items, NONE } from './items.ts';
import { MOST_WEIGHT, type Postings, WEIGHT_BITS } from './postings.ts';
import type { Speakers } from './speakers.ts';
import type { Vectors } from './vectors.ts';

export interface IndexParts {
  readonly items: Items;
  readonly words: Postings;
  readonly tags: Postings;
  readonly vectors: Vectors;
  readonly speakers: Speakers;
}

/** Slots in rising order, all in use. Items may come and go while the contents are read, slots must stay. */
export function* contentsOf(
  { items: all, words, tags, vectors, speakers }: IndexParts,
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
    const name = speakers.nameOf(slot);
    if (name === undefined) continue;
    if (!numbers.has(name)) numbers.set(name, numbers.size + 1);
    items.speakers[i] = numbers.get(name) as number;
  }
  yield;
  const wordTerms = yield* words.termsBetween(from, end);
  const tagTerms = yield* tags.termsBetween(from, end);
  const entriesOf = function* (terms: readonly string[], postings: Postings): Generator<TermEntries, void, void> {
    for (const term of terms) {
      const each = (take: (slot: number, weight: number) => void) => {
        for (const entry of postings.entriesBetween(term, from, end)) {
          const slot = local[(entry >>> WEIGHT_BITS) - from] as number;
          if (slot !== NONE) take(slot, entry & MOST_WEIGHT);
        }
      };
      yield { term, each };
    }
  };
  return {
    ...facts,
    items,
    threads,
    speakers: [...numbers.keys()],
    strings,
    vectors: rows,
    words: () => entriesOf(wordTerms, words),
    tags: () => entriesOf(tagTerms, tags),
  };
}
