/** BM25 over a scope, of each item alone and of each item together with its neighbours. */

import { SlotList, unclean, zeroed } from './arrays.ts';
import { type Items, NONE } from './items.ts';
import type { Passages } from './passages.ts';
import { MOST_WEIGHT, type Postings, WEIGHT_BITS } from './postings.ts';
import { MINOR_WORD_ITEMS, MINOR_WORD_WEIGHT, MOST_ENTRIES_READ, type Profile, RARE_WORD_ITEMS, RARE_WORD_SHARE } from './profiles.ts';
import type { QueryTerms } from './queries.ts';

export interface WordScores {
  /** By slot. */
  readonly own: Float64Array;
  /** By slot, of the passage around each; the same as `own` where neighbours do not count. */
  readonly passage: Float64Array;
  /** The slots with a score, in no order. */
  readonly touched: SlotList;
  /** By slot, for the few that have them: what of `ideal` is in the item's own rare words. */
  readonly rare: ReadonlyMap<number, number>;
  /** About what an item reaches that has every content word of the question. */
  readonly ideal: number;
  /** Whether any item has a content word of the question at all. */
  readonly isFound: boolean;
}

export function scoreWords(terms: QueryTerms, items: Items, words: Postings, passages: Passages | undefined, profile: Profile): WordScores {
  const size = items.slotCount;
  const own = zeroed('float64', 'own', size);
  const passage = passages ? zeroed('float64', 'passage', size) : own;
  const touched = new SlotList('scored', size);
  const addPassages = passages && passageAdder(passage, touched, items, passages, profile);
  const mostOfRare = Math.min(RARE_WORD_ITEMS, items.size * RARE_WORD_SHARE);
  const rare = new Map<number, number>();
  let ideal = 0;
  let isFound = false;
  let read = 0;
  // The rarest first: they say most, and what a page pasted as a question costs is bounded.
  const lists = terms.content.map((term) => words.entries(term)).sort((a, b) => a.length - b.length);
  for (const entries of lists) {
    const found = countThere(entries, items);
    const value = rarity(found, items.size);
    ideal += value;
    read += entries.length;
    if (found === 0 || (isFound && read > MOST_ENTRIES_READ)) continue;
    isFound = true;
    addOwn(own, touched, entries, value, items, profile);
    addPassages?.(entries, value);
    if (found <= mostOfRare) addRare(rare, entries, value, items);
  }
  for (const term of terms.minor) {
    const entries = words.entries(term);
    const found = countThere(entries, items);
    if (found > 0 && found <= MINOR_WORD_ITEMS) {
      addOwn(own, touched, entries, MINOR_WORD_WEIGHT * rarity(found, items.size), items, profile);
    }
  }
  return { own, passage, touched, rare, ideal, isFound };
}

/** The inverse document frequency of BM25 that is never negative. */
function rarity(found: number, size: number): number {
  return Math.log(1 + (size - found + 0.5) / (found + 0.5));
}

function countThere(entries: Uint32Array, items: Items): number {
  if (items.size === items.slotCount) return entries.length;
  const { there } = items;
  let count = 0;
  for (let i = 0; i < entries.length; i++) count += there[(entries[i] as number) >>> WEIGHT_BITS] as number;
  return count;
}

function addOwn(own: Float64Array, touched: SlotList, entries: Uint32Array, value: number, items: Items, { k1, b }: Profile): void {
  const { lengths } = items;
  const always = k1 * (1 - b);
  const byLength = (k1 * b * items.size) / (items.totalLength || 1);
  const most = value * (k1 + 1);
  for (let i = 0; i < entries.length; i++) {
    const entry = entries[i] as number;
    const slot = entry >>> WEIGHT_BITS;
    const count = entry & MOST_WEIGHT;
    touched.add(slot);
    own[slot] = (own[slot] as number) + (most * count) / (count + always + byLength * (lengths[slot] as number));
  }
}

function addRare(rare: Map<number, number>, entries: Uint32Array, value: number, items: Items): void {
  for (const entry of entries) {
    const slot = entry >>> WEIGHT_BITS;
    if (items.isThere(slot)) rare.set(slot, (rare.get(slot) ?? 0) + value);
  }
}

/** Counts of an item go to its own passage and to those of the items around it. */
function passageAdder(
  passage: Float64Array,
  touched: SlotList,
  items: Items,
  { before, after, lengths, totalLength }: Passages,
  { k1, b, wordReach }: Profile,
): (entries: Uint32Array, value: number) => void {
  const always = k1 * (1 - b);
  const byLength = (k1 * b * items.size) / (totalLength || 1);
  const counts = zeroed('uint32', 'counts', items.slotCount);
  const counted = unclean('uint32', 'counted', items.slotCount);
  const { there } = items;
  return (entries, value) => {
    let countedSlots = 0;
    const add = (slot: number, count: number) => {
      if (counts[slot] === 0) counted[countedSlots++] = slot;
      counts[slot] = (counts[slot] as number) + count;
    };
    for (let i = 0; i < entries.length; i++) {
      const entry = entries[i] as number;
      const slot = entry >>> WEIGHT_BITS;
      if (there[slot] === 0) continue;
      const count = entry & MOST_WEIGHT;
      add(slot, count);
      for (let step = 0, at = before[slot] as number; step < wordReach && at !== NONE; step++, at = before[at] as number) add(at, count);
      for (let step = 0, at = after[slot] as number; step < wordReach && at !== NONE; step++, at = after[at] as number) add(at, count);
    }
    const most = value * (k1 + 1);
    for (let i = 0; i < countedSlots; i++) {
      const slot = counted[i] as number;
      touched.add(slot);
      const count = counts[slot] as number;
      passage[slot] = (passage[slot] as number) + (most * count) / (count + always + byLength * (lengths[slot] as number));
      counts[slot] = 0;
    }
  };
}
