/**
 * A segment: an immutable part of one scope's index, at most `MOST_ITEMS` items, as pages (`pages.ts`) that are stored one a row.
 *
 * - `encodeSegment` makes the pages of what `ScopeIndex.contents` gives (a range of slots) or `mergeSegments` (`merging.ts`: several
 *   segments as one, without some of their items). Both go in steps, as all work on the thread of the indexes does.
 * - `readHeader` reads the first page alone: how many pages of each kind there are, the sums of the vectors, and the first term of each page
 *   of words and of tags. `pageOfTerm(header.firstWords, term)` tells which page has a term's list, `readTerm` reads it. The page of items
 *   of a slot is `slot / ITEMS_OF_PAGE`, of vectors `slot / rowsOfPage(header.dimensions)`.
 * - `decodeSegment` takes all pages and gives what was encoded; `ScopeIndex.append` takes it into an index.
 * - Whatever reads a page throws `UnusableSegment` where its checksum, format or kind is not what it should be: drop the snapshot, build anew.
 * - Pages of another kind are added to `PAGE_KINDS` behind the others; what this file does not know of it leaves alone.
 */
import type { ProfileName } from '../ranking/profiles.ts';
import type { TermPages } from '../ranking/words/stored-lists.ts';
import type { Steps } from '../slices.ts';
import { ByteReader, ByteWriter } from './byte-writer.ts';
import { codePages, joinCodes, type VectorCodes } from './code-pages.ts';
import { type ItemColumns, itemPages, joinItemColumns, readItemPage } from './item-pages.ts';
import { openPage, type Page, type PageKind, sealPage, UnusableSegment } from './pages.ts';
import { readStrings, stringPages } from './string-pages.ts';
import { readEntries, TermPageWriter, termsOfPage } from './term-pages.ts';
import { readVectorPage, rowsOfPage, type VectorRows, vectorPages } from './vector-pages.ts';
import { VectorSums } from './vector-sums.ts';

/** A word of so many items of a segment, and of this part of them, is common. */
const LEAST_COMMON = 64;
const COMMON_PART = 64;

/** Local slots have 16 bits. */
export const MOST_ITEMS = 65_536;

export interface SegmentFacts {
  readonly profile: ProfileName;
  /** Whose vectors they are. */
  readonly model: string;
}

/** A term and its entries, in the order of the slots. */
export interface TermEntries {
  readonly term: string;
  each(take: (slot: number, weight: number) => void): void;
}

export interface SegmentContents extends SegmentFacts {
  readonly items: ItemColumns;
  /** What the columns name by number. */
  readonly threads: readonly string[];
  readonly speakers: readonly string[];
  readonly strings: readonly string[];
  readonly vectors: VectorRows;
  /** In the order of the terms, by code units. */
  words(): Iterable<TermEntries>;
  tags(): Iterable<TermEntries>;
}

export interface SegmentHeader extends SegmentFacts {
  /** Slots: items, and what was erased. */
  readonly itemCount: number;
  /** Items that are there. */
  readonly heldCount: number;
  readonly vectorCount: number;
  /** Of words, over all items. */
  readonly totalLength: number;
  /** 0 where there is no vector. */
  readonly dimensions: number;
  /** How many pages of each kind follow. */
  readonly pages: Readonly<Record<Exclude<PageKind, 'header'>, number>>;
  readonly firstWords: readonly string[];
  readonly firstTags: readonly string[];
  /** The words of many items, and of how many: which lists to read is decided without them. */
  readonly commonWords: readonly (readonly [term: string, items: number])[];
  readonly sums: VectorSums;
}

/** What was read; pages of words and vectors are opened when they are asked for. */
export interface Segment extends SegmentContents {
  readonly header: SegmentHeader;
  /** With checked pages, a step for each. */
  wordPages(): Steps<TermPages>;
  tagPages(): Steps<TermPages>;
  /** In the order of the slots. */
  vectorPages(): Iterable<VectorRows>;
}

/** The header's page is the first one. */
export function* encodeSegment(contents: SegmentContents): Steps<Page[]> {
  const { items, vectors } = contents;
  const itemCount = items.times.length;
  if (itemCount > MOST_ITEMS) throw new RangeError(`A segment holds ${MOST_ITEMS} items at most`);
  const words = yield* termPages('words', contents.words(), Math.max(LEAST_COMMON, itemCount / COMMON_PART));
  const tags = yield* termPages('tags', contents.tags(), Number.POSITIVE_INFINITY);
  const sums = new VectorSums(vectors.dimensions);
  for (let slot = 0; slot < itemCount; slot++) {
    sums.add(vectors.rows, slot * vectors.dimensions, vectors.scales[slot] ?? 0, 1);
    if (slot % 256 === 0) yield;
  }
  const named = {
    threads: stringPages('threads', contents.threads),
    speakers: stringPages('speakers', contents.speakers),
    strings: stringPages('strings', contents.strings),
  };
  const vectorCount = vectors.scales.reduce((count, scale) => count + (scale > 0 ? 1 : 0), 0);
  const codes = codePages(vectors, sums, vectorCount);
  yield;
  const paged = { ...named, items: itemPages(items), tags: tags.pages, codes, vectors: vectorPages(vectors), words: words.pages };
  const header: SegmentHeader = {
    profile: contents.profile,
    model: contents.model,
    itemCount,
    heldCount: itemCount,
    vectorCount,
    totalLength: items.lengths.reduce((sum, length) => sum + length, 0),
    dimensions: vectors.dimensions,
    pages: Object.fromEntries(Object.entries(paged).map(([kind, pages]) => [kind, pages.length])) as SegmentHeader['pages'],
    firstWords: words.firstTerms,
    firstTags: tags.firstTerms,
    commonWords: words.commonTerms,
    sums,
  };
  return [encodeHeader(header), ...Object.values(paged).flat()];
}

export function encodeHeader({ sums, ...facts }: SegmentHeader): Page {
  const writer = new ByteWriter();
  writer.string(JSON.stringify(facts));
  writer.bytes(new Uint8Array(sums.whole.buffer));
  writer.bytes(new Uint8Array(sums.scaled.buffer));
  return sealPage('header', 0, writer.take());
}

function* termPages(kind: PageKind, terms: Iterable<TermEntries>, leastCommon: number) {
  const writer = new TermPageWriter(kind);
  const commonTerms: [term: string, items: number][] = [];
  for (const { term, each } of terms) {
    each((slot, weight) => writer.addEntry(slot, weight));
    const count = writer.endTerm(term);
    if (count >= leastCommon) commonTerms.push([term, count]);
    yield;
  }
  return { ...writer.finish(), commonTerms };
}

export function readHeader(page: Page): SegmentHeader {
  const reader = new ByteReader(openPage(page));
  const facts = JSON.parse(reader.string()) as Omit<SegmentHeader, 'sums'>;
  const sumsOf = () => new Float64Array(new Uint8Array(reader.bytes(facts.dimensions * 8)).buffer);
  return { ...facts, sums: new VectorSums(facts.dimensions, sumsOf(), sumsOf()) };
}

/** Items with what their columns name by number. */
export type SegmentItems = Pick<SegmentContents, 'items' | 'threads' | 'strings'>;

/** Of a segment's pages those up to the items are enough. */
export function readItems(pages: readonly Page[]): SegmentItems {
  const { ofKind } = pagesByKind(pages);
  return {
    items: joinItemColumns(ofKind('items').map(readItemPage)),
    threads: readStrings(ofKind('threads')),
    strings: readStrings(ofKind('strings')),
  };
}

/** In the order of their numbers; throws where some are missing. */
function pagesByKind(pages: readonly Page[]) {
  const byKind = Map.groupBy(pages, ({ kind }) => kind);
  const [first] = byKind.get('header') ?? [];
  if (!first) throw new UnusableSegment('its header is missing');
  const header = readHeader(first);
  const ofKind = (kind: Exclude<PageKind, 'header'>) => {
    const found = (byKind.get(kind) ?? []).toSorted((a, b) => a.number - b.number);
    if (found.length !== header.pages[kind] || found.some(({ number }, index) => number !== index))
      throw new UnusableSegment(`pages of ${kind} are missing`);
    return found;
  };
  return { header, ofKind };
}

/** What is in memory of a segment whose words and vectors are read when a search needs them. */
export interface PagedSegment extends SegmentItems {
  readonly header: SegmentHeader;
  readonly speakers: readonly string[];
  readonly codes: VectorCodes;
  tagPages(): Steps<TermPages>;
}

/** The pages of `PAGED_KINDS`, in any order. */
export function decodePaged(pages: readonly Page[]): PagedSegment {
  const { header, ofKind } = pagesByKind(pages);
  const items = joinItemColumns(ofKind('items').map(readItemPage));
  if (items.times.length !== header.itemCount) throw new UnusableSegment('items are missing');
  const tags = ofKind('tags');
  return {
    header,
    items,
    threads: readStrings(ofKind('threads')),
    strings: readStrings(ofKind('strings')),
    speakers: readStrings(ofKind('speakers')),
    codes: joinCodes(ofKind('codes'), header.itemCount, header.dimensions),
    tagPages: () => checked(tags, header.firstTags),
  };
}

/** The pages of `HELD_KINDS`, in any order. */
export function decodeSegment(pages: readonly Page[]): Segment {
  const { header, ofKind } = pagesByKind(pages);
  const items = joinItemColumns(ofKind('items').map(readItemPage));
  if (items.times.length !== header.itemCount) throw new UnusableSegment('items are missing');
  const [words, tags, vectors] = [ofKind('words'), ofKind('tags'), ofKind('vectors')];
  let joined: VectorRows | undefined;
  return {
    profile: header.profile,
    model: header.model,
    header,
    items,
    threads: readStrings(ofKind('threads')),
    speakers: readStrings(ofKind('speakers')),
    strings: readStrings(ofKind('strings')),
    get vectors() {
      joined ??= joinVectors(vectors, header);
      return joined;
    },
    *vectorPages() {
      for (const page of vectors) yield readVectorPage(page, header.dimensions);
    },
    wordPages: () => checked(words, header.firstWords),
    tagPages: () => checked(tags, header.firstTags),
    words: () => entriesOf(words),
    tags: () => entriesOf(tags),
  };
}

function joinVectors(pages: readonly Page[], { itemCount, dimensions }: SegmentHeader): VectorRows {
  const scales = new Float32Array(itemCount);
  const rows = new Int8Array(itemCount * dimensions);
  const step = rowsOfPage(dimensions);
  for (const page of pages) {
    const read = readVectorPage(page, dimensions);
    scales.set(read.scales, page.number * step);
    rows.set(read.rows, page.number * step * dimensions);
  }
  return { dimensions, scales, rows };
}

function* checked(pages: readonly Page[], firstTerms: readonly string[]): Steps<TermPages> {
  const bodies: Uint8Array[] = [];
  for (const page of pages) {
    bodies.push(openPage(page));
    yield;
  }
  return { pages: bodies, firstTerms };
}

function* entriesOf(pages: readonly Page[]): Generator<TermEntries, void, void> {
  for (const page of pages) for (const { term, list } of termsOfPage(page)) yield { term, each: (take) => readEntries(list, take) };
}
