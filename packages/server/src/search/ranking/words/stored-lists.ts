/** The lists of a segment that was taken in, on its pages as they are stored: one is read when its term is first asked for. */

import { findList, pageOfTerm, type TermList, termsOf } from '../../segments/term-pages.ts';

/** What a segment has of words or of tags. */
export interface TermPages {
  /** The bodies of the pages, checked. */
  readonly pages: readonly Uint8Array[];
  readonly firstTerms: readonly string[];
}

export class StoredLists {
  /** Where its slots begin in the scope. */
  readonly firstSlot: number;
  readonly bytes: number;
  readonly #pages: readonly Uint8Array[];
  readonly #firstTerms: readonly string[];

  constructor({ pages, firstTerms }: TermPages, firstSlot: number) {
    this.firstSlot = firstSlot;
    this.bytes = pages.reduce((sum, page) => sum + page.length, 0);
    this.#pages = pages;
    this.#firstTerms = firstTerms;
  }

  get pageCount(): number {
    return this.#pages.length;
  }

  /** `coded`: the term in UTF-8. */
  find(term: string, coded: Uint8Array): Pick<TermList, 'count' | 'list'> | undefined {
    const number = pageOfTerm(this.#firstTerms, term);
    return number === undefined ? undefined : findList(this.#pages[number] as Uint8Array, coded);
  }

  *all(): Generator<TermList, void, void> {
    for (const page of this.#pages) yield* termsOf(page);
  }
}
