/** BM25 over a scope, of each item alone. */

import { boundOfBest, SlotList } from '../arrays.ts';
import type { Items } from '../items.ts';
import {
  MINOR_WORD_ITEMS,
  MINOR_WORD_WEIGHT,
  MOST_ENTRIES_READ,
  type Profile,
  RARE_WORD_ITEMS,
  RARE_WORD_SHARE,
  WORD_CANDIDATES,
} from '../profiles.ts';
import type { QueryTerms } from '../queries.ts';
import { MOST_WEIGHT, type Postings, WEIGHT_BITS } from './postings.ts';

export interface WordScores {
  /** The slots of items with words of the question, and how many points each has. */
  readonly own: SlotList;
  /** By slot, for the few that have them: what of `ideal` is in the item's own rare words. */
  readonly rare: ReadonlyMap<number, number>;
  /** About what an item reaches that has every content word of the question. */
  readonly ideal: number;
  /** Whether any item has a content word of the question at all. */
  readonly isFound: boolean;
  /** Whether it is a few words to look up, and no sentence. */
  readonly isLookUp: boolean;
  /** By content word: how much it says. */
  readonly values: ReadonlyMap<string, number>;
  /** The content words that count. */
  readonly lists: readonly ScoredList[];
  /** Those words that count only for items with others. */
  readonly closed: readonly ScoredList[];
}

/** The entries of one word, and how much it says. */
export interface ScoredList {
  readonly entries: Uint32Array;
  /** What an item of mean length that has it once gets. */
  readonly value: number;
}

interface CountedList extends ScoredList {
  /** In how many items it is. */
  readonly there: number;
}

/** So many items are looked through in the time that one is scored in. */
const SCANNED_PER_SCORED = 4;

/** The entries of a term; of one that so many items have that they tell none from another, only how many. */
export interface WordEntries {
  readonly total: number;
  readonly entries: Uint32Array | undefined;
}

export interface WordSource {
  entries(term: string): WordEntries;
}

/** Words that are all in memory. */
export function heldWords(words: Postings): WordSource {
  return {
    entries: (term) => {
      const entries = words.entries(term);
      return { total: entries.length, entries };
    },
  };
}

/** Of a large scope, of whose items some are `eligible`: only those that may be among their best `WORD_CANDIDATES` are found. */
export function scoreWords(
  terms: QueryTerms,
  items: Items,
  words: WordSource,
  eligible: Uint8Array | undefined,
  profile: Profile,
): WordScores {
  const own = new SlotList('own', items.slotCount);
  const mostOfRare = Math.min(RARE_WORD_ITEMS, items.size * RARE_WORD_SHARE);
  const rare = new Map<number, number>();
  const { lists, ideal, values } = countWords(terms.content, items, words);
  const minor = minorWords(terms.minor, items, words);
  const closed: ScoredList[] = [];
  const mostLeft = sumMostLeft([...lists, ...minor], profile);
  for (const [i, list] of [...lists, ...minor].entries()) {
    // What has none but the more common words that are left can't be among the best any more.
    const isClosed = closed.length > 0 || (eligible !== undefined && hasAllCandidates(own, eligible, list, mostLeft[i] as number));
    if (isClosed) closed.push(list);
    addOwn(own, list, items, profile, isClosed ? own.marks : undefined);
    if (i < lists.length && list.there <= mostOfRare) addRare(rare, list, items);
  }
  return { own, rare, ideal, isFound: lists.length > 0, isLookUp: terms.isLookUp, values, lists, closed };
}

/** What the words that came last add to some items that have none of the others. */
export function addClosedWords({ own, closed }: WordScores, slots: Uint32Array, items: Items, profile: Profile): void {
  if (closed.length === 0) return;
  const late = new SlotList('late', items.slotCount);
  for (const slot of slots) if (own.marks[slot] === 0) late.add(slot);
  for (const slot of late.all()) own.add(slot);
  for (const list of closed) addOwn(own, list, items, profile, late.marks);
}

/** By list: the most that an item can have which has this one and those behind it, and none before it. */
function sumMostLeft(lists: readonly ScoredList[], { k1 }: Profile): number[] {
  const most: number[] = [];
  for (const { value } of lists.toReversed()) most.unshift((most[0] ?? 0) + value * (k1 + 1));
  return most;
}

/** Looked at only where that takes less time than it may save. */
function hasAllCandidates(own: SlotList, eligible: Uint8Array, { entries }: ScoredList, mostLeft: number): boolean {
  if (own.count <= WORD_CANDIDATES || own.count > entries.length * SCANNED_PER_SCORED) return false;
  return mostLeft < boundOfBest(own, eligible, WORD_CANDIDATES).least;
}

/** The rarest first: they say most, and what a page pasted as a question costs is bounded. */
function countWords(
  terms: readonly string[],
  items: Items,
  words: WordSource,
): { lists: CountedList[]; ideal: number; values: Map<string, number> } {
  const values = new Map<string, number>();
  const lists: CountedList[] = [];
  let ideal = 0;
  let read = 0;
  const counted = terms.map((term) => {
    const { total, entries } = words.entries(term);
    return { term, total, entries, there: entries ? countThere(entries, items) : Math.min(total, items.size) };
  });
  for (const { term, total, entries, there } of counted.sort((a, b) => a.there - b.there)) {
    const value = rarity(there, items.size);
    ideal += value;
    values.set(term, value);
    read += entries ? there : total;
    if (entries && there > 0 && (lists.length === 0 || read <= MOST_ENTRIES_READ)) lists.push({ entries, value, there });
  }
  return { lists, ideal, values };
}

function minorWords(terms: readonly string[], items: Items, words: WordSource): CountedList[] {
  return terms.flatMap((term) => {
    const { entries } = words.entries(term);
    const there = entries ? countThere(entries, items) : 0;
    if (!entries || there === 0 || there > MINOR_WORD_ITEMS) return [];
    return [{ entries, there, value: MINOR_WORD_WEIGHT * rarity(there, items.size) }];
  });
}

/** The inverse document frequency of BM25 that is never negative. */
export function rarity(found: number, size: number): number {
  return Math.log(1 + (size - found + 0.5) / (found + 0.5));
}

/** Of entries: those of items that are there still. */
export function countThere(entries: Uint32Array, items: Items): number {
  if (items.size === items.slotCount) return entries.length;
  const { there } = items;
  let count = 0;
  for (let i = 0; i < entries.length; i++) count += there[(entries[i] as number) >>> WEIGHT_BITS] as number;
  return count;
}

/** `only`: to those who are marked. */
function addOwn(own: SlotList, { entries, value }: ScoredList, items: Items, { k1, b }: Profile, only: Uint8Array | undefined): void {
  const { lengths } = items;
  const { scores, marks } = own;
  const always = k1 * (1 - b);
  const byLength = (k1 * b * items.size) / (items.totalLength || 1);
  const most = value * (k1 + 1);
  for (let i = 0; i < entries.length; i++) {
    const entry = entries[i] as number;
    const slot = entry >>> WEIGHT_BITS;
    const count = entry & MOST_WEIGHT;
    if (only !== undefined) {
      if (only[slot] === 0) continue;
    } else if (marks[slot] === 0) own.add(slot);
    scores[slot] = (scores[slot] as number) + (most * count) / (count + always + byLength * (lengths[slot] as number));
  }
}

function addRare(rare: Map<number, number>, { entries, value }: ScoredList, items: Items): void {
  for (const entry of entries) {
    const slot = entry >>> WEIGHT_BITS;
    if (items.isThere(slot)) rare.set(slot, (rare.get(slot) ?? 0) + value);
  }
}
