/** Packs a context: what must be in, then what is worth most, never above the budget. Pure, and run in a thread. */
import type { ContextMessage, ContextPiece, OmittedPiece } from '@commonplace/contract/contexts';
import type { MessageRole } from '@commonplace/contract/messages';
import { LARGEST_ANSWER_BYTES } from '../answer-size.ts';
import type { MessageCandidate, PackingTask } from './candidates.ts';
import { withoutOverlap } from './repetition.ts';
import { type FittedPrompt, fitRequired } from './required.ts';
import { type Latest, Selection } from './selection.ts';
import { systemMessageParts } from './system-message.ts';
import { countParts, loadTokenCounter, type TokenCounter } from './tokens/token-counter.ts';
import { TOKENS_AROUND_MESSAGE, TOKENS_BEFORE_ANSWER, type Unit, Units } from './units.ts';
import { weights as tuned, type Weights } from './weights.ts';

const MOST_OMITTED = 50;
const OMITTED_CHARACTERS = 200;
/** Of the answer: what is left for `omitted` and for what stands around the pieces. */
const ROOM_BYTES = LARGEST_ANSWER_BYTES - 200_000;

export interface PackedContext {
  readonly tokens: number;
  readonly pieces: ContextPiece[];
  readonly messages: ContextMessage[];
  readonly omitted: OmittedPiece[];
}

export async function packContext(task: PackingTask): Promise<PackedContext> {
  return packWith(task, await loadTokenCounter(task.tokenizer));
}

export function packWith(task: PackingTask, counter: TokenCounter, weights: Weights = tuned): PackedContext {
  const { tokenBudget } = task;
  const { prompt, newest } = fitRequired(task, counter);
  const units = new Units(counter, weights, tokenBudget);
  const first = newest && units.message(newest);
  const tokens = tokenBudget - TOKENS_BEFORE_ANSWER - (prompt?.tokens ?? 0) - (first?.tokens() ?? 0);
  const bytes = ROOM_BYTES - (prompt?.bytes ?? 0) - (first?.bytes() ?? 0);
  const hasSystem = prompt !== undefined && prompt.system !== '';
  const selection = new Selection({ tokenBudget, weights, room: { tokens, bytes }, firstTokens: units.firstTokens(hasSystem) });
  if (first) selection.require(first);
  const latest = latestOf(task.latest.slice(1), units);
  selection.fillLatest(latest, Math.floor(tokens * weights.latestShare));
  selection.fill(units.all(task), latest);
  const packed = composeWithin(tokenBudget, selection, prompt, counter);
  return { ...packed, omitted: task.explain ? omittedOf(selection, task.unread, tokens) : [] };
}

function latestOf(candidates: readonly MessageCandidate[], units: Units): Latest {
  let at = 0;
  return {
    peek: () => {
      const candidate = candidates[at];
      return candidate && units.message(candidate);
    },
    advance: () => {
      at++;
    },
  };
}

type Packed = Omit<PackedContext, 'omitted'>;

/** A whole is seldom longer than its parts, which were counted one by one; where it is, what came in last goes first. */
function composeWithin(tokenBudget: number, selection: Selection, prompt: FittedPrompt | undefined, counter: TokenCounter): Packed {
  for (;;) {
    const composed = compose([...selection.chosen.values()], prompt, counter);
    if (composed.tokens <= tokenBudget) return composed;
    const removable = [...selection.chosen.values()].filter((unit) => !unit.isRequired);
    const last = removable.findLast(({ type }) => type !== 'message') ?? removable.at(-1);
    if (!last) throw new Error('What must be in a context does not fit');
    selection.drop(last, 'over_budget');
  }
}

function compose(chosen: readonly Unit[], prompt: FittedPrompt | undefined, counter: TokenCounter): Packed {
  const of = (type: Unit['type']) => chosen.filter((unit) => unit.type === type);
  const summaries = of('summary').map(pieceOf);
  const memories = of('memory').sort(byScore).map(pieceOf);
  const knowledge = inDocumentOrder(of('knowledge'), counter);
  const said = of('message')
    .map(pieceOf)
    .sort((a, b) => compare(a.id, b.id));
  const system = systemMessageParts({
    prompt: prompt?.system ?? '',
    summaries,
    memories,
    knowledge: knowledge.map(({ piece, shownTitle }) => ({ text: piece.text, title: shownTitle })),
  });
  const examples = prompt?.examples ?? [];
  const messages: ContextMessage[] = [
    ...(system.length === 0 ? [] : [{ role: 'system' as const, content: system.join('') }]),
    ...examples,
    ...said.map(({ role, text }) => ({ role: role as MessageRole, content: text })),
  ];
  // Each was counted when it was chosen, and is not counted again.
  const counted = [
    countParts(counter, system),
    ...examples.map(({ content }) => counter.count(content)),
    ...said.map(({ tokens }) => tokens),
  ];
  const around = messages.length === 0 ? 0 : messages.length * TOKENS_AROUND_MESSAGE + TOKENS_BEFORE_ANSWER;
  return {
    tokens: counted.reduce((sum, tokens) => sum + tokens, around),
    pieces: [...(prompt ? [promptPiece(prompt, counter)] : []), ...summaries, ...memories, ...knowledge.map(({ piece }) => piece), ...said],
    messages,
  };
}

function pieceOf({ piece, textTokens }: Unit): ContextPiece {
  return { ...piece, tokens: textTokens() };
}

function promptPiece({ id, system, examples }: FittedPrompt, counter: TokenCounter): ContextPiece {
  const text = [system, ...examples.map(({ content }) => content)].filter((content) => content !== '').join('\n\n');
  return { type: 'prompt', id, text, tokens: counter.count(text) };
}

/** Documents by their best chunk, the chunks of one in their order and without what they share. */
function inDocumentOrder(chunks: readonly Unit[], counter: TokenCounter): { piece: ContextPiece; shownTitle: string }[] {
  const documents = Map.groupBy(chunks.toSorted(byScore), ({ piece }) => piece.documentId);
  return [...documents.values()].flatMap((ofDocument) => {
    const ordered = ofDocument.toSorted((a, b) => positionOf(a) - positionOf(b));
    return ordered.map((unit, index) => {
      const [piece, before] = [pieceOf(unit), ordered[index - 1]];
      const follows = before && positionOf(before) + 1 === positionOf(unit);
      const text = follows ? withoutOverlap(before.piece.text, piece.text) : piece.text;
      return { piece: text === piece.text ? piece : { ...piece, text, tokens: counter.count(text) }, shownTitle: unit.shownTitle };
    });
  });
}

/** The id of a chunk ends in its place. */
function positionOf({ piece: { id } }: Unit): number {
  return Number(id.slice(id.lastIndexOf(':') + 1));
}

function omittedOf(selection: Selection, unread: readonly OmittedPiece[], room: number): OmittedPiece[] {
  const told = [...selection.leftOut()].map(({ unit, reason }) => ({ piece: unit.piece, unit, reason }));
  return [...told, ...unread.map((piece) => ({ piece, unit: undefined, reason: piece.reason }))]
    .sort(
      (a, b) => (b.piece.score ?? 0) - (a.piece.score ?? 0) || compare(`${a.piece.type} ${a.piece.id}`, `${b.piece.type} ${b.piece.id}`),
    )
    .slice(0, MOST_OMITTED)
    .map(({ piece, unit, reason }) => ({
      ...piece,
      text: piece.text.slice(0, OMITTED_CHARACTERS).toWellFormed(),
      ...(unit && { tokens: unit.textTokens() }),
      reason: reason === 'over_budget' && unit && unit.tokens() > room ? 'too_large' : reason,
    }));
}

function byScore(a: Unit, b: Unit): number {
  return (b.piece.score ?? 0) - (a.piece.score ?? 0) || compare(a.key, b.key);
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
