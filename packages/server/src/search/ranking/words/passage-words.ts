/** BM25 of each item together with its neighbours: an answer seldom repeats the words of its question. */

import { SlotList, unclean, zeroed } from '../arrays.ts';
import type { Items } from '../items.ts';
import { NONE } from '../none.ts';
import { type Passages, visitBeside } from '../passages.ts';
import type { Profile } from '../profiles.ts';
import { MOST_WEIGHT, WEIGHT_BITS } from './postings.ts';
import type { ScoredList } from './words.ts';

/** Whose passages are scored, 1 for each slot, and whose words may be in them. */
export interface PassageScope {
  readonly wanted: Uint8Array;
  readonly sources: Uint8Array;
}

/** Of some slots. Lent until the next call. */
export function markPassages(slots: Uint32Array, passages: Passages, { wordReach }: Profile, size: number): PassageScope {
  const wanted = new SlotList('passages wanted', size);
  const sources = new SlotList('passage sources', size);
  for (const slot of slots) {
    wanted.add(slot);
    sources.add(slot);
    visitBeside(passages, slot, wordReach, (beside) => sources.add(beside));
  }
  return { wanted: wanted.marks, sources: sources.marks };
}

/** By slot, 0 where a passage has none of the words. Lent until the next call. */
export function scorePassages(
  lists: readonly ScoredList[],
  { wanted, sources }: PassageScope,
  items: Items,
  { before, after, lengths, totalLength }: Passages,
  { k1, b, wordReach }: Profile,
): Float32Array {
  const always = k1 * (1 - b);
  const byLength = (k1 * b * items.size) / (totalLength || 1);
  const scored = new SlotList('passages', items.slotCount);
  const { scores, marks } = scored;
  const counts = zeroed('uint32', 'counts', items.slotCount);
  const touched = unclean('uint32', 'counted', items.slotCount);
  for (const { entries, value } of lists) {
    let countedSlots = 0;
    for (let i = 0; i < entries.length; i++) {
      const entry = entries[i] as number;
      const slot = entry >>> WEIGHT_BITS;
      if (sources[slot] === 0) continue;
      const count = entry & MOST_WEIGHT;
      // From the first that it belongs to on to the last: who comes before one comes after the other.
      let [at, left] = [slot, wordReach + 1];
      for (let step = 0; step < wordReach && before[at] !== NONE; step++, left++) at = before[at] as number;
      for (; left > 0 && at !== NONE; left--, at = after[at] as number) {
        if (wanted[at] === 0) continue;
        const counted = counts[at] as number;
        if (counted === 0) touched[countedSlots++] = at;
        counts[at] = counted + count;
      }
    }
    const most = value * (k1 + 1);
    for (let i = 0; i < countedSlots; i++) {
      const slot = touched[i] as number;
      if (marks[slot] === 0) scored.add(slot);
      const count = counts[slot] as number;
      scores[slot] = (scores[slot] as number) + (most * count) / (count + always + byLength * (lengths[slot] as number));
      counts[slot] = 0;
    }
  }
  return scores;
}
