/** What every extractor takes and gives. */
import { MemoryKind } from '@commonplace/contract/memories';
import type { Extraction as Reading, ExtractedMemory as ReadMemory, SourceMessage, Withdrawal } from '@commonplace/english/extraction';

export type { SourceMessage, Withdrawal };

/** What the session holds to be true so far. */
export interface KnownMemory {
  readonly id: string;
  readonly kind: MemoryKind;
  readonly content: string;
  readonly slot: string | null;
  /** The newest message that says it, where one is known. */
  readonly saidIn?: string | undefined;
}

/** A summary is made of a session, not found in a message. */
export const ExtractedKind = MemoryKind.exclude(['summary']);
export type ExtractedKind = ReturnType<typeof ExtractedKind.parse>;

/** A newer one of the same slot takes the older one's place; one without a slot stands beside all others. */
export interface ExtractedMemory extends Omit<ReadMemory, 'kind'> {
  readonly kind: ExtractedKind;
}

/** What came of some messages, whoever read them. */
export interface ExtractionResult extends Omit<Reading, 'memories'> {
  /** In the order in which they were said. */
  readonly memories: readonly ExtractedMemory[];
  /** What it used of a language model's tokens. */
  readonly tokens?: number | undefined;
}

export interface Extractor {
  /** Stands in `meta.extractor` of what it made. */
  readonly name: string;
  /** `messages` in order; `known` newest first. */
  extract(messages: readonly SourceMessage[], known: readonly KnownMemory[], signal: AbortSignal): Promise<ExtractionResult>;
}
