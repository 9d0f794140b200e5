/** What the main thread asks an embedding thread. */
import type { Priority, QuestionTokens } from './embedder.ts';
import type { GuardCells } from './native-guard.ts';

export interface EmbeddingData {
  /** Absent: that of the package. */
  readonly modelDir: string | undefined;
  readonly guard: GuardCells;
  /** Whether tokens are told too. */
  readonly hasTokens: boolean;
}

export type EmbeddingQuestions = {
  embed: (group: Group) => EmbeddedGroup;
};

/** In the order of the texts. */
export interface EmbeddedGroup {
  /** One after the other. */
  readonly vectors: Float32Array;
  /** Nothing where tokens are not told. */
  readonly tokenCodes: readonly Uint8Array[];
  /** Of queries. */
  readonly questionTokens: readonly QuestionTokens[];
}

export interface Group {
  readonly id: number;
  readonly priority: Priority;
  readonly texts: readonly string[];
}

export type GroupReply = { readonly id: number; readonly embedded: EmbeddedGroup } | { readonly id: number; readonly failure: string };
