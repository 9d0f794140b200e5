/** Searches that wait until what they need is read, by the scope that they are of. */

import type { SecondPass } from './judging/second-pass.ts';
import type { PagedSearch } from './paged-search.ts';

type WaitingSearch = PagedSearch | SecondPass;

/** Of one scope. One that nobody goes on with, since what it needs could not be read, makes room for others. */
const MOST_OF_SCOPE = 64;

export class WaitingSearches {
  readonly #ofScope = new Map<string, Map<number, WaitingSearch>>();
  #last = 0;

  /** Gives the number that it is known by. */
  add(scope: string, search: WaitingSearch): number {
    const searches = this.#ofScope.get(scope) ?? new Map<number, WaitingSearch>();
    this.#ofScope.set(scope, searches);
    searches.set(++this.#last, search);
    const [oldest] = searches.keys();
    if (searches.size > MOST_OF_SCOPE && oldest !== undefined) searches.delete(oldest);
    return this.#last;
  }

  take(scope: string, number: number): WaitingSearch | undefined {
    const searches = this.#ofScope.get(scope);
    const search = searches?.get(number);
    searches?.delete(number);
    return search;
  }

  drop(scope: string): void {
    this.#ofScope.delete(scope);
  }
}
