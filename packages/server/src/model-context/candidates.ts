/** What may go into a context, as it is handed to whoever packs it. */
import type { OmittedPiece, Tokenizer } from '@commonplace/contract/contexts';
import type { MemoryKind } from '@commonplace/contract/memories';
import type { MessageRole } from '@commonplace/contract/messages';
import type { MessageScores } from './weights.ts';

export interface PromptCandidate {
  /** Of the version. */
  readonly id: string;
  /** One of `system` for a text prompt; whatever a chat prompt says otherwise. */
  readonly messages: readonly { readonly role: string; readonly content: string }[];
}

export interface SummaryCandidate {
  readonly id: string;
  readonly sessionId: string;
  readonly text: string;
  readonly createdAt: string;
  /** As of a memory. */
  readonly causes: readonly (readonly string[])[];
}

export interface MemoryCandidate {
  readonly id: string;
  readonly sessionId: string;
  readonly kind: MemoryKind;
  readonly text: string;
  readonly createdAt: string;
  /** Absent where there was nothing to search for. */
  readonly score?: number | undefined;
  /** The messages that say it: all of one cause together, any one cause will do. */
  readonly causes: readonly (readonly string[])[];
}

export interface ChunkCandidate {
  readonly id: string;
  readonly documentId: string;
  readonly title: string;
  /** With the headings above it. */
  readonly shownTitle: string;
  readonly text: string;
  readonly score: number;
}

export interface MessageCandidate extends MessageScores {
  readonly id: string;
  readonly sessionId: string;
  readonly role: MessageRole;
  readonly text: string;
  readonly createdAt: string;
}

export interface PackingTask {
  readonly tokenBudget: number;
  readonly tokenizer: Tokenizer;
  readonly explain: boolean;
  readonly prompt: PromptCandidate | undefined;
  /** Of the session last active first. */
  readonly summaries: readonly SummaryCandidate[];
  readonly memories: readonly MemoryCandidate[];
  readonly chunks: readonly ChunkCandidate[];
  /** The end of the conversation, newest first and without a gap. The first is always in. */
  readonly latest: readonly MessageCandidate[];
  /** Those that bear on the query, with their neighbours. */
  readonly found: readonly MessageCandidate[];
  /** What was too large to be read. */
  readonly unread: readonly OmittedPiece[];
}
