/** What the main thread asks an embedding thread. */
import type { Priority } from './embedder.ts';
import type { GuardCells } from './native-guard.ts';

export interface EmbeddingData {
  /** Absent: that of the package. */
  readonly modelDir: string | undefined;
  readonly guard: GuardCells;
}

export type EmbeddingQuestions = {
  /** The vectors of a group one after the other, in the order of its texts. */
  embed: (group: Group) => Float32Array;
};

export interface Group {
  readonly id: number;
  readonly priority: Priority;
  readonly texts: readonly string[];
}

export type GroupReply = { readonly id: number; readonly vectors: Float32Array } | { readonly id: number; readonly failure: string };
