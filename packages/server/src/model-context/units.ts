/** Candidates with what they cost and what they are worth. */
import type { ContextPiece } from '@commonplace/contract/contexts';
import type { ChunkCandidate, MemoryCandidate, MessageCandidate, PackingTask, SummaryCandidate } from './candidates.ts';
import { meaningfulTerms, normalized, sentencesOf } from './repetition.ts';
import { documentElement, memoryLine, summarySection, systemMessageParts } from './system-message.ts';
import { jsonBytesOf } from './tokens/cutting.ts';
import { estimateTokens, type TokenCounter } from './tokens/token-counter.ts';
import { valueOfMessage, type Weights } from './weights.ts';

/** What a model reads around each message, and before it answers. */
export const TOKENS_AROUND_MESSAGE = 4;
export const TOKENS_BEFORE_ANSWER = 3;

/** Names and numbers around a piece in the answer. */
const BYTES_AROUND_PIECE = 400;
/** A line end more or less where two sections meet. */
const TOKENS_BETWEEN_SECTIONS = 2;

export type UnitType = 'summary' | 'memory' | 'knowledge' | 'message';

/** A piece that is in or out as a whole. What takes time to know is found out when it is first asked for: most candidates stay out. */
export interface Unit {
  /** Names it among all, and decides between equals. */
  readonly key: string;
  readonly type: UnitType;
  readonly value: number;
  /** By the length of the text. What it is worth goes by this, so that nothing is counted that does not come near. */
  readonly roughTokens: number;
  readonly piece: Omit<ContextPiece, 'tokens'>;
  /** Of the text alone. */
  readonly textTokens: () => number;
  /** What it adds to the messages. */
  readonly tokens: () => number;
  /** What it adds to the answer. */
  readonly bytes: () => number;
  /** Of each statement in it, for those that repeat one. */
  readonly statements: () => readonly ReadonlySet<string>[];
  /** Equal for what says the same word for word. */
  readonly textKey: () => string;
  /** Of a memory or a summary: the messages that say it. */
  readonly causes: readonly (readonly string[])[];
  /** Of a chunk: its document and the headings above it. */
  readonly shownTitle: string;
  /** In whatever else is. */
  readonly isRequired: boolean;
}

export class Units {
  readonly #counter: TokenCounter;
  readonly #weights: Weights;
  readonly #tokenBudget: number;
  readonly #messages = new Map<string, Unit>();

  constructor(counter: TokenCounter, weights: Weights, tokenBudget: number) {
    this.#counter = counter;
    this.#weights = weights;
    this.#tokenBudget = tokenBudget;
  }

  /** All that may be chosen by what it is worth. */
  all({ summaries, memories, chunks, found }: PackingTask): Unit[] {
    return [
      ...summaries.map((summary, index) => this.#summary(summary, index)),
      ...memories.map((memory) => this.#memory(memory)),
      ...chunks.map((chunk) => this.#chunk(chunk)),
      ...found.map((message) => this.message(message)),
    ];
  }

  /** The same for the same message, whether it was found or is among the latest. */
  message(candidate: MessageCandidate): Unit {
    const { id, sessionId, role, text, createdAt, score } = candidate;
    const known = this.#messages.get(id);
    if (known) return known;
    const piece = { type: 'message' as const, id, text, ...(score !== undefined && { score }), sessionId, role, createdAt };
    const unit = this.#unit({ type: 'message', value: valueOfMessage(candidate, this.#weights), piece });
    this.#messages.set(id, unit);
    return unit;
  }

  /** The tags around the first of a type, and the message that they stand in where there is no prompt. */
  firstTokens(hasPrompt: boolean): Readonly<Record<UnitType, number>> {
    const none = { prompt: '', summaries: [], memories: [], knowledge: [] };
    const around = TOKENS_BETWEEN_SECTIONS + (hasPrompt ? 0 : TOKENS_AROUND_MESSAGE);
    const tagsOf = (type: 'memories' | 'knowledge') => {
      const [opening = '', , closing = ''] = systemMessageParts({ ...none, [type]: [{ text: '' }] });
      return this.#counter.count(opening) + this.#counter.count(closing) + around;
    };
    return { summary: around, memory: tagsOf('memories'), knowledge: tagsOf('knowledge'), message: 0 };
  }

  #summary({ id, sessionId, text, createdAt, causes }: SummaryCandidate, index: number): Unit {
    return this.#unit({
      type: 'summary',
      // Of a session that is over, its summary is of less use.
      value: this.#weights.unscored / (index + 1),
      piece: { type: 'summary', id, text, sessionId, createdAt, kind: 'summary' },
      shown: () => `${summarySection({ text })}\n\n`,
      statements: () => sentencesOf(text).map(meaningfulTerms),
      causes,
    });
  }

  #memory({ id, sessionId, kind, text, createdAt, score, causes }: MemoryCandidate): Unit {
    return this.#unit({
      type: 'memory',
      value: score ?? this.#weights.unscored,
      piece: { type: 'memory', id, text, ...(score !== undefined && { score }), sessionId, createdAt, kind },
      shown: () => memoryLine({ text }),
      statements: () => [meaningfulTerms(text)],
      causes,
    });
  }

  #chunk({ id, documentId, title, shownTitle, text, score }: ChunkCandidate): Unit {
    return this.#unit({
      type: 'knowledge',
      value: score,
      piece: { type: 'knowledge', id, text, score, documentId, title },
      shown: () => documentElement({ text, title: shownTitle }),
      statements: () => [meaningfulTerms(text)],
      shownTitle,
    });
  }

  #unit(
    given: Pick<Unit, 'type' | 'value' | 'piece'> &
      Partial<Pick<Unit, 'statements' | 'causes' | 'shownTitle'>> & { readonly shown?: () => string },
  ): Unit {
    const { type, value, piece, shown, statements = () => [], causes = [], shownTitle = '' } = given;
    const count = (text: string) => this.#counter.count(text, this.#tokenBudget);
    const textTokens = lazily(() => count(piece.text));
    return {
      key: `${type} ${piece.id}`,
      type,
      value,
      roughTokens: estimateTokens(piece.text) + TOKENS_AROUND_MESSAGE,
      piece,
      textTokens,
      tokens: lazily(() => (shown ? count(shown()) : textTokens() + TOKENS_AROUND_MESSAGE)),
      bytes: lazily(() => 2 * jsonBytesOf(piece.text) + BYTES_AROUND_PIECE),
      statements: lazily(statements),
      textKey: lazily(() => normalized(piece.text)),
      causes,
      shownTitle,
      isRequired: false,
    };
  }
}

function lazily<Value>(compute: () => Value): () => Value {
  let known: { readonly value: Value } | undefined;
  return () => {
    known ??= { value: compute() };
    return known.value;
  };
}
