/** What an index is asked for, and what it answers. */

import type { QuestionTokens } from '../embedding/embedder.ts';
import type { SearchFilter } from './filters.ts';

export interface IndexQuery {
  readonly text: string;
  /** Normalised. */
  readonly vector?: Float32Array | undefined;
  /** Of the same text, where the model tells them. */
  readonly tokens?: QuestionTokens | undefined;
  readonly limit: number;
  readonly filter?: SearchFilter | undefined;
  readonly minScore?: number | undefined;
  readonly explain?: boolean | undefined;
  /** Milliseconds: what "last week" is told from. */
  readonly askedAt?: number | undefined;
}

/** The parts of a score, which add up to it. */
export interface Explanation {
  /** The item's own words, its own vector, its own tokens. */
  readonly lexical: number;
  readonly vector: number;
  readonly tokens: number;
  /** What it has read together with those before and after it. */
  readonly neighbours: number;
  /** By the name of the signal, where it says something. */
  readonly signals: Readonly<Record<string, number>>;
}

export interface Hit {
  readonly id: string;
  readonly score: number;
  readonly explain?: Explanation;
}
