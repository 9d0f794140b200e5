/**
 * Terms with their posting lists, in the order of the terms by code units. A list says which local slots have the term and how often: the
 * gap to the slot before times two, plus one where a byte with the weight follows; without it the weight is 1. A list is never cut in two.
 */
import { ByteReader, ByteWriter } from './byte-writer.ts';
import { FRAME_BYTES, openPage, type Page, type PageKind, sealPage, TERM_PAGE_BYTES } from './pages.ts';

/** The list of a term, as it is stored. */
export interface TermList {
  readonly term: string;
  /** Of entries. */
  readonly count: number;
  readonly list: Uint8Array;
}

export class TermPageWriter {
  readonly #kind: PageKind;
  readonly #mostBytes: number;
  readonly #page = new ByteWriter();
  readonly #list = new ByteWriter();
  #pages: Page[] = [];
  #firstTerms: string[] = [];
  #isEmpty = true;
  #count = 0;
  #lastSlot = -1;

  constructor(kind: PageKind, mostBytes = TERM_PAGE_BYTES) {
    this.#kind = kind;
    this.#mostBytes = mostBytes;
  }

  /** To the list of the term that `endTerm` names. */
  addEntry(slot: number, weight: number): void {
    const gap = slot - this.#lastSlot - 1;
    this.#lastSlot = slot;
    this.#count++;
    this.#list.varint(weight === 1 ? gap * 2 : gap * 2 + 1);
    if (weight !== 1) this.#list.byte(weight);
  }

  /** Terms in their order; one without entries is left out. Gives how many it has. */
  endTerm(term: string): number {
    const count = this.#count;
    if (count === 0) return 0;
    if (this.#isEmpty) this.#firstTerms.push(term);
    this.#isEmpty = false;
    const list = this.#list.takeBody();
    this.#page.string(term);
    this.#page.varint(count);
    this.#page.varint(list.length);
    this.#page.bytes(list);
    this.#count = 0;
    this.#lastSlot = -1;
    if (this.#page.size >= this.#mostBytes) this.#endPage();
    return count;
  }

  /** The pages, and the first term of each. */
  finish(): { pages: Page[]; firstTerms: string[] } {
    if (!this.#isEmpty) this.#endPage();
    return { pages: this.#pages, firstTerms: this.#firstTerms };
  }

  #endPage(): void {
    this.#pages.push(sealPage(this.#kind, this.#pages.length, this.#page.take()));
    this.#isEmpty = true;
  }
}

/** All terms of a page in their order, with lists that are valid as long as the page is. */
export function termsOfPage(page: Pick<Page, 'kind' | 'bytes'>): Generator<TermList, void, void> {
  return termsOf(openPage(page));
}

/** As `termsOfPage`, of the body of a page that was checked. */
export function* termsOf(body: Uint8Array): Generator<TermList, void, void> {
  const reader = new ByteReader(body);
  while (!reader.isAtEnd) {
    const term = reader.string();
    const count = reader.varint();
    yield { term, count, list: reader.bytes(reader.varint()) };
  }
}

/** The list of one term (in UTF-8) on the body of a page that was checked; the others are passed over, and no string is made of them. */
export function findList(body: Uint8Array, term: Uint8Array): Pick<TermList, 'count' | 'list'> | undefined {
  let at = 0;
  const varint = () => {
    let value = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = body[at++] as number;
      value |= (byte & 127) << shift;
      if (byte < 128) return value;
    }
  };
  while (at < body.length) {
    const length = varint();
    let same = length === term.length ? 0 : -1;
    while (same >= 0 && same < length && body[at + same] === term[same]) same++;
    at += length;
    const count = varint();
    const listLength = varint();
    if (same === length) return { count, list: body.subarray(at, at + listLength) };
    at += listLength;
  }
  return undefined;
}

/** A page without the entries of some slots (1 in `gone`), and without the terms that have no other; nothing where it has none of them. */
export function withoutSlots(
  page: Page,
  gone: Uint8Array,
): { page: Page; firstTerm: string | undefined; counts: [term: string, entries: number][] } | undefined {
  const writer = new TermPageWriter(page.kind, Number.POSITIVE_INFINITY);
  let hasGone = false;
  const counts: [term: string, entries: number][] = [];
  for (const { term, list } of termsOfPage(page)) {
    readEntries(list, (slot, weight) => {
      if (gone[slot] === 1) hasGone = true;
      else writer.addEntry(slot, weight);
    });
    counts.push([term, writer.endTerm(term)]);
  }
  if (!hasGone) return undefined;
  const { pages, firstTerms } = writer.finish();
  const left = pages[0] ?? sealPage(page.kind, 0, new Uint8Array(FRAME_BYTES));
  return { page: { ...left, number: page.number }, firstTerm: firstTerms[0], counts };
}

/** Calls `take` for each entry, in the order of the slots. */
export function readEntries(list: Uint8Array, take: (slot: number, weight: number) => void): void {
  let slot = -1;
  for (let at = 0; at < list.length; ) {
    let coded = list[at++] as number;
    if (coded > 127) {
      coded = (coded & 127) | ((list[at++] as number) << 7);
      if (coded > 16_383) coded = (coded & 16_383) | ((list[at++] as number) << 14);
    }
    slot += (coded >>> 1) + 1;
    take(slot, coded & 1 ? (list[at++] as number) : 1);
  }
}

/** Which of a segment's pages has the term, if any has it; `firstTerms` stands in the header. */
export function pageOfTerm(firstTerms: readonly string[], term: string): number | undefined {
  let [low, high] = [0, firstTerms.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((firstTerms[middle] as string) <= term) low = middle + 1;
    else high = middle;
  }
  return low === 0 ? undefined : low - 1;
}
