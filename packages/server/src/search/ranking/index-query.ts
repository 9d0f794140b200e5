/** What an index is asked for, and what it answers. */

import type { SearchFilter } from './filters.ts';

export interface IndexQuery {
  readonly text: string;
  /** Normalised. */
  readonly vector?: Float32Array | undefined;
  readonly limit: number;
  readonly filter?: SearchFilter | undefined;
  readonly minScore?: number | undefined;
  readonly explain?: boolean | undefined;
}

export interface Hit {
  readonly id: string;
  readonly score: number;
  /** The parts of the score: the item's own words, its own vector, and both read together with its neighbours. */
  readonly explain?: { readonly lexical: number; readonly vector: number; readonly neighbours: number };
}
