/** Candidates with what they cost and what they are worth. */
import type { ContextPiece } from '@commonplace/contract/contexts';
import type { ChunkCandidate, MemoryCandidate, MessageCandidate, PackingTask, SummaryCandidate } from './candidates.ts';
import { meaningfulTerms, normalized, sentencesOf } from './repetition.ts';
import type { Unit, UnitType } from './selection.ts';
import { documentElement, memoryLine, type Quoted, summarySection, systemMessageOf } from './system-message.ts';
import { jsonBytesOf } from './tokens/cutting.ts';
import type { TokenCounter } from './tokens/token-counter.ts';
import type { Weights } from './weights.ts';

/** What a model reads around each message, and before it answers. */
export const TOKENS_AROUND_MESSAGE = 4;
export const TOKENS_BEFORE_ANSWER = 3;

/** Names and numbers around a piece in the answer. */
const BYTES_AROUND_PIECE = 400;
/** A line end more or less where two parts meet. */
const TOKENS_BETWEEN_PARTS = 2;

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
  message({ id, sessionId, role, text, createdAt, score, neighbourScore }: MessageCandidate): Unit {
    const known = this.#messages.get(id);
    if (known) return known;
    const { kinds, neighbour } = this.#weights;
    const tokens = this.#counter.count(text, this.#tokenBudget);
    const unit = unitOf({
      type: 'message',
      value: kinds.message.value * Math.max(score ?? 0, neighbour * (neighbourScore ?? 0)),
      tokens: tokens + TOKENS_AROUND_MESSAGE,
      piece: { type: 'message', id, text, tokens, ...(score !== undefined && { score }), sessionId, role, createdAt },
    });
    this.#messages.set(id, unit);
    return unit;
  }

  /** The tags around the first of a type, and the message that they stand in where there is no prompt. */
  firstTokens(hasPrompt: boolean): Readonly<Record<UnitType, number>> {
    const none = { prompt: hasPrompt ? 'x' : '', summaries: [], memories: [], knowledge: [] };
    const nothing: Quoted = { text: '' };
    const added = (parts: object) =>
      this.#counter.count(systemMessageOf({ ...none, ...parts })) + TOKENS_BETWEEN_PARTS + (hasPrompt ? 0 : TOKENS_AROUND_MESSAGE);
    return { summary: added({}), memory: added({ memories: [nothing] }), knowledge: added({ knowledge: [nothing] }), message: 0 };
  }

  #summary({ id, sessionId, text, createdAt }: SummaryCandidate, index: number): Unit {
    const { tokens, added } = this.#counted(text, summarySection({ text }));
    return unitOf({
      type: 'summary',
      // Of a session that is over, its summary is of less use.
      value: this.#weights.kinds.summary.value / (index + 1),
      tokens: added,
      piece: { type: 'summary', id, text, tokens, sessionId, createdAt, kind: 'summary' },
      statements: sentencesOf(text).map(meaningfulTerms),
    });
  }

  #memory({ id, sessionId, kind, text, createdAt, score, causes }: MemoryCandidate): Unit {
    const { tokens, added } = this.#counted(text, memoryLine({ text }));
    return unitOf({
      type: 'memory',
      value: this.#weights.kinds.memory.value * (score ?? 0.5),
      tokens: added,
      piece: { type: 'memory', id, text, tokens, ...(score !== undefined && { score }), sessionId, createdAt, kind },
      statements: [meaningfulTerms(text)],
      causes,
    });
  }

  #chunk({ id, documentId, title, shownTitle, text, score }: ChunkCandidate): Unit {
    const { tokens, added } = this.#counted(text, documentElement({ text, title: shownTitle }));
    return unitOf({
      type: 'knowledge',
      value: this.#weights.kinds.knowledge.value * score,
      tokens: added,
      piece: { type: 'knowledge', id, text, tokens, score, documentId, title },
      statements: [meaningfulTerms(text)],
      shownTitle,
    });
  }

  #counted(text: string, shown: string): { tokens: number; added: number } {
    const most = this.#tokenBudget;
    return { tokens: this.#counter.count(text, most), added: this.#counter.count(shown, most) + TOKENS_BETWEEN_PARTS };
  }
}

function unitOf(given: Pick<Unit, 'type' | 'value' | 'tokens' | 'piece'> & Partial<Unit>): Unit {
  const piece: ContextPiece = given.piece;
  return {
    key: `${given.type} ${piece.id}`,
    bytes: 2 * jsonBytesOf(piece.text) + BYTES_AROUND_PIECE,
    statements: [],
    causes: [],
    shownTitle: '',
    isRequired: false,
    textKey: given.type === 'message' ? `${piece.role} ${normalized(piece.text)}` : ` ${normalized(piece.text)}`,
    ...given,
  };
}
