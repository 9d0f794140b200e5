/** What a context is made of: the words for it and its colour. */
import type { ContextPiece, OmittedPiece } from '@commonplace/client';
import type { ContextPart } from './search-params.ts';

export type PieceType = ContextPiece['type'];

export const pieceTypes: readonly {
  readonly type: PieceType;
  readonly part: ContextPart;
  readonly one: string;
  readonly many: string;
  readonly look: string;
}[] = [
  { type: 'prompt', part: 'prompt', one: 'Prompt', many: 'Prompt', look: 's0' },
  { type: 'summary', part: 'summary', one: 'Summary', many: 'Summary', look: 's4' },
  { type: 'memory', part: 'memories', one: 'Memory', many: 'Memories', look: 's3' },
  { type: 'knowledge', part: 'knowledge', one: 'Knowledge', many: 'Knowledge', look: 's2' },
  { type: 'message', part: 'messages', one: 'Message', many: 'Messages', look: 's1' },
];

export const lookOf = (type: PieceType): string => pieceTypes.find((known) => known.type === type)?.look ?? 's0';
export const nameOf = (type: PieceType): string => pieceTypes.find((known) => known.type === type)?.one ?? type;

export const reasons: Readonly<Record<OmittedPiece['reason'], string>> = {
  over_budget: 'Over the budget: others were worth more.',
  too_large: 'Too large: it alone is more than what was left.',
  said_in_message: 'Said already in a message that is in.',
  said_in_summary: 'Said already in the summary.',
  same_text: 'Another piece says the same.',
  low_score: 'It hardly bears on the question.',
};
