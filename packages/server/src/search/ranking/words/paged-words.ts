/** The words of stored segments: which pages have the lists of a question is known in memory, the lists themselves are at rest. */

import type { PagePlace } from '../../segments/pages.ts';
import type { SegmentHeader } from '../../segments/segment.ts';
import { findList, pageOfTerm, type TermList } from '../../segments/term-pages.ts';
import { unclean } from '../arrays.ts';
import { keyOf } from '../page-cache.ts';
import { MINOR_WORD_ITEMS, MOST_ENTRIES_READ } from '../profiles.ts';
import type { QueryTerms } from '../queries.ts';
import { decodeEntries, type Postings } from './postings.ts';
import type { WordEntries, WordSource } from './words.ts';

/** One segment's, whose slots count from `first` on. */
interface Part {
  readonly segmentId: string;
  readonly first: number;
  readonly firstWords: readonly string[];
  readonly common: ReadonlyMap<string, number>;
}

/** A term that is looked up, and the pages that may have its lists. */
interface WantedTerm {
  readonly term: string;
  readonly pages: readonly { readonly part: Part; readonly number: number }[];
}

/** Pages that one question reads; terms beyond count as if they were common. */
const MOST_PAGES = 1024;

/** What is read for a question. */
export interface WordPlan {
  readonly wanted: readonly WantedTerm[];
  /** Terms of so many items that their lists are not read: about how many. */
  readonly skipped: ReadonlyMap<string, number>;
}

/** A first word with its place. */
const WORD_BYTES = 64;

export class PagedWords {
  readonly #parts: Part[] = [];
  #words = 0;

  get bytes(): number {
    return this.#words * WORD_BYTES;
  }

  append(segmentId: string, first: number, { firstWords, commonWords }: SegmentHeader): void {
    this.#parts.push({ segmentId, first, firstWords, common: new Map(commonWords) });
    this.#words += firstWords.length + commonWords.length;
  }

  /** The rarest terms first, as far as a search reads; `held`: the words of what is in memory. */
  plan({ content, minor }: QueryTerms, held: Postings): WordPlan {
    const counted = content.map((term) => ({ term, items: this.#commonItems(term, held) })).sort((a, b) => a.items - b.items);
    const skipped = new Map<string, number>();
    const wanted: WantedTerm[] = [];
    let [read, pages] = [0, 0];
    const want = (term: string, items: number, isTooMuch: boolean) => {
      pages += this.#parts.length;
      if (isTooMuch || (wanted.length > 0 && pages > MOST_PAGES)) skipped.set(term, Math.max(items, this.#parts.length));
      else wanted.push(this.#wantedTerm(term));
    };
    for (const { term, items } of counted) {
      read += items;
      want(term, items, wanted.length > 0 && read > MOST_ENTRIES_READ);
    }
    for (const term of minor) {
      const items = this.#commonItems(term, held);
      want(term, items, items > MINOR_WORD_ITEMS);
    }
    return { wanted, skipped };
  }

  /** Of a term that is common nowhere: only those in memory. */
  #commonItems(term: string, held: Postings): number {
    return this.#parts.reduce((sum, { common }) => sum + (common.get(term) ?? 0), held.entries(term).length);
  }

  #wantedTerm(term: string): WantedTerm {
    const pages = this.#parts.flatMap((part) => {
      const number = pageOfTerm(part.firstWords, term);
      return number === undefined ? [] : [{ part, number }];
    });
    return { term, pages };
  }
}

/** The pages of a plan, each once. */
export function pagesOf({ wanted }: WordPlan): PagePlace[] {
  const places = new Map<string, PagePlace>();
  for (const { pages } of wanted) {
    for (const { part, number } of pages) {
      const place = { segmentId: part.segmentId, number };
      places.set(keyOf(place), place);
    }
  }
  return [...places.values()];
}

/** `bodies`: of the pages, by `keyOf`. Nothing where one is not there. Lent until the next call. */
export function wordSource({ wanted, skipped }: WordPlan, held: Postings, bodies: ReadonlyMap<string, Uint8Array>): WordSource | undefined {
  const found: FoundTerm[] = [];
  for (const { term, pages } of wanted) {
    const coded = Buffer.from(term);
    const lists: PlacedList[] = [];
    for (const { part, number } of pages) {
      const body = bodies.get(keyOf({ segmentId: part.segmentId, number }));
      if (!body) return undefined;
      const list = findList(body, coded);
      if (list) lists.push({ ...list, first: part.first });
    }
    const tail = held.entries(term);
    found.push({ term, lists, tail, total: lists.reduce((sum, { count }) => sum + count, tail.length) });
  }
  const read = decodeLists(found);
  const nothing: WordEntries = { total: 0, entries: new Uint32Array(0) };
  return {
    entries: (term) => {
      const items = skipped.get(term);
      return items === undefined ? (read.get(term) ?? nothing) : { total: items, entries: undefined };
    },
  };
}

/** A list of one segment, whose slots count from `first` on. */
interface PlacedList extends Pick<TermList, 'count' | 'list'> {
  readonly first: number;
}

interface FoundTerm {
  readonly term: string;
  readonly lists: readonly PlacedList[];
  readonly tail: Uint32Array;
  readonly total: number;
}

function decodeLists(found: readonly FoundTerm[]): Map<string, WordEntries> {
  const all = unclean(
    'uint32',
    'entries',
    found.reduce((sum, { total }) => sum + total, 0),
  );
  const read = new Map<string, WordEntries>();
  let from = 0;
  for (const { term, lists, tail, total } of found) {
    const entries = all.subarray(from, from + total);
    let at = 0;
    for (const { list, first } of lists) at = decodeEntries(list, first, entries, at);
    // What is in memory came later, and has the higher slots.
    entries.set(tail, at);
    read.set(term, { total, entries });
    from += total;
  }
  return read;
}
