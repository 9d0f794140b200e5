/** What every extractor takes and gives. */
import { MemoryKind } from '@commonplace/contract/memories';

/** A message of the user, in the order of its session. */
export interface SourceMessage {
  readonly id: string;
  readonly content: string;
  readonly createdAt: string;
}

/** What the session holds to be true so far. */
export interface KnownMemory {
  readonly id: string;
  readonly kind: MemoryKind;
  readonly content: string;
  readonly slot: string | null;
}

/** A summary is made of a session, not found in a message. */
export const ExtractedKind = MemoryKind.exclude(['summary']);
export type ExtractedKind = ReturnType<typeof ExtractedKind.parse>;

export interface ExtractedMemory {
  /** Names it within the answer, so that a later one can take its place. */
  readonly ref: string;
  readonly messageId: string;
  readonly kind: ExtractedKind;
  /** One short sentence in the third person: `User prefers aisle seats`. */
  readonly content: string;
  /**
   * What this is the value of, where there is one value at a time: `home`, `name`, `likes coffee`. A newer one of the same slot
   * takes the older one's place. One without a slot stands beside all others.
   */
  readonly slot?: string | undefined;
  /** Others that it takes the place of: ids of known memories, or refs of this answer. */
  readonly replaces?: readonly string[] | undefined;
  /** Those of them that it can't be understood without: `no, I meant Thursday` says nothing by itself. */
  readonly restsOn?: readonly string[] | undefined;
}

/** Something that is no longer true, or that the user wants forgotten, with nothing in its place. */
export interface Withdrawal {
  readonly messageId: string;
  /** The id of a known memory, or a ref of this answer. */
  readonly memory: string;
}

export interface Extraction {
  /** In the order in which they were said. */
  readonly memories: readonly ExtractedMemory[];
  readonly withdrawn: readonly Withdrawal[];
  /** How many statements were left out because they looked like a secret. */
  readonly secrets: number;
  /** What it used of a language model's tokens. */
  readonly tokens?: number | undefined;
}

export interface Extractor {
  /** Stands in `meta.extractor` of what it made. */
  readonly name: string;
  /** `messages` in order; `known` newest first. */
  extract(messages: readonly SourceMessage[], known: readonly KnownMemory[], signal: AbortSignal): Promise<Extraction>;
}
