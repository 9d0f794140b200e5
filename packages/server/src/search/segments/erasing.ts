/** Takes items out of a segment in place: only the pages that said something of them change, and the others keep their slots. */
import { ID_WORDS, idKindOf, OTHER_ID, OTHER_ORDER, orderKindOf } from '../ranking/id-codes.ts';
import { codesOfPage, withoutCodes } from './code-pages.ts';
import { eraseItem, isErased, itemPages, readItemPage } from './item-pages.ts';
import type { Page, PageKind } from './pages.ts';
import { decodeSegment, encodeHeader, type Segment, type SegmentHeader } from './segment.ts';
import { blankStrings } from './string-pages.ts';
import { withoutSlots } from './term-pages.ts';
import { readVectorPage, rowsOfPage, vectorPageOf } from './vector-pages.ts';
import { VectorSums } from './vector-sums.ts';

/** What is left: how many items, bytes of all pages, and the pages that are others now. */
export interface ErasedSegment {
  readonly items: number;
  readonly bytes: number;
  readonly changed: Page[];
}

/** `kept`: 1 for each slot that stays, 0 for one that goes or is erased already. All pages of the segment. */
export function eraseSlots(pages: readonly Page[], kept: Uint8Array): ErasedSegment {
  const segment = decodeSegment(pages);
  const { header } = segment;
  const gone = new Uint8Array(kept.length);
  for (let slot = 0; slot < kept.length; slot++) if (kept[slot] === 0 && !isErased(segment.items, slot)) gone[slot] = 1;
  const changed: Page[] = [...eraseFacts(pages, gone)];
  const sums = new VectorSums(header.dimensions, header.sums.whole.slice(), header.sums.scaled.slice());
  const vectors = eraseVectors(pages, header, gone, sums);
  const words = eraseTerms(pages, 'words', header.firstWords, gone);
  const tags = eraseTerms(pages, 'tags', header.firstTags, gone);
  changed.push(
    ...blankUnused(pages, segment, gone),
    ...vectors.changed,
    ...eraseCodes(pages, header, gone),
    ...words.changed,
    ...tags.changed,
  );
  let [items, length] = [0, 0];
  for (const [slot, isGone] of gone.entries()) {
    if (isGone === 1 || isErased(segment.items, slot)) continue;
    items++;
    length += segment.items.lengths[slot] as number;
  }
  const left: SegmentHeader = {
    ...header,
    heldCount: items,
    totalLength: length,
    vectorCount: header.vectorCount - vectors.count,
    firstWords: words.firstTerms,
    firstTags: tags.firstTerms,
    commonWords: header.commonWords.flatMap(([term, count]) => {
      const left = words.counts.get(term) ?? count;
      return left > 0 ? [[term, left] as const] : [];
    }),
    sums,
  };
  changed.push(encodeHeader(left));
  const sizes = new Map(pages.map(({ kind, number, bytes }) => [`${kind} ${number}`, bytes.length]));
  for (const { kind, number, bytes } of changed) sizes.set(`${kind} ${number}`, bytes.length);
  const bytes = sizes.values().reduce((sum, size) => sum + size, 0);
  return { items, bytes, changed };
}

const ofKind = (pages: readonly Page[], kind: PageKind) =>
  pages.filter((page) => page.kind === kind).toSorted((a, b) => a.number - b.number);

function* eraseFacts(pages: readonly Page[], gone: Uint8Array): Generator<Page, void, void> {
  let first = 0;
  for (const page of ofKind(pages, 'items')) {
    // A copy: what was read is looked at still.
    const columns = readItemPage({ ...page, bytes: new Uint8Array(page.bytes) });
    const count = columns.times.length;
    const here = gone.subarray(first, first + count);
    first += count;
    if (!here.includes(1)) continue;
    for (const [slot, isGone] of here.entries()) if (isGone === 1) eraseItem(columns, slot);
    yield { ...(itemPages(columns)[0] as Page), number: page.number };
  }
}

/** Names that no item has any more are left empty, so that the others keep their places. */
function blankUnused(pages: readonly Page[], { items, threads, speakers, strings }: Segment, gone: Uint8Array): Page[] {
  const used = {
    threads: new Uint8Array(threads.length),
    speakers: new Uint8Array(speakers.length),
    strings: new Uint8Array(strings.length),
  };
  for (const [slot, isGone] of gone.entries()) {
    if (isGone === 1 || isErased(items, slot)) continue;
    used.threads[items.threads[slot] as number] = 1;
    const speaker = items.speakers[slot] as number;
    if (speaker > 0) used.speakers[speaker - 1] = 1;
    const kind = items.idKinds[slot] as number;
    if (idKindOf(kind) === OTHER_ID) used.strings[items.ids[slot * ID_WORDS] as number] = 1;
    if (orderKindOf(kind) === OTHER_ORDER) used.strings[items.orders[slot] as number] = 1;
  }
  return (['threads', 'speakers', 'strings'] as const).flatMap((kind) => blankStrings(ofKind(pages, kind), used[kind]));
}

function eraseVectors(pages: readonly Page[], { dimensions }: SegmentHeader, gone: Uint8Array, sums: VectorSums) {
  const changed: Page[] = [];
  let count = 0;
  const step = dimensions === 0 ? 0 : rowsOfPage(dimensions);
  for (const page of ofKind(pages, 'vectors')) {
    const first = page.number * step;
    if (!gone.subarray(first, first + step).includes(1)) continue;
    const { scales, rows } = readVectorPage({ ...page, bytes: new Uint8Array(page.bytes) }, dimensions);
    for (let i = 0; i < scales.length; i++) {
      if (gone[first + i] !== 1 || scales[i] === 0) continue;
      count++;
      sums.add(rows, i * dimensions, scales[i] as number, -1);
      scales[i] = 0;
      rows.fill(0, i * dimensions, (i + 1) * dimensions);
    }
    changed.push(vectorPageOf(page.number, { dimensions, scales, rows }));
  }
  return { changed, count };
}

function eraseCodes(pages: readonly Page[], { dimensions }: SegmentHeader, gone: Uint8Array): Page[] {
  const step = dimensions === 0 ? 0 : codesOfPage(dimensions);
  return ofKind(pages, 'codes').flatMap((page) => {
    const here = gone.subarray(page.number * step, (page.number + 1) * step);
    return here.includes(1) ? [withoutCodes(page, dimensions, here)] : [];
  });
}

/** After the first terms of all pages. */
const BEYOND = '\u{10ffff}';

function eraseTerms(pages: readonly Page[], kind: 'words' | 'tags', firstTerms: readonly string[], gone: Uint8Array) {
  const changed: Page[] = [];
  /** Of the terms on pages that change: how many entries are left. */
  const counts = new Map<string, number>();
  const first = [...firstTerms];
  let next = BEYOND;
  for (const page of ofKind(pages, kind).reverse()) {
    const left = withoutSlots(page, gone);
    for (const [term, count] of left?.counts ?? []) counts.set(term, count);
    if (left) {
      changed.push(left.page);
      // A page without any term is found by nobody: it begins where the next one does.
      first[page.number] = left.firstTerm ?? next;
    }
    next = first[page.number] as string;
  }
  return { changed, counts, firstTerms: first };
}
