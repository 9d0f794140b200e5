/** Messages as they are shown to the model, in portions of one request. */
import type { Turn } from '@commonplace/english/extraction';
import { redactAnswer, redactedExcerpt } from '@commonplace/english/redaction';
import type { SourceMessage } from '../extractor.ts';
import type { LlmLimits } from './limits.ts';

/** Its text as it is shown, with what it may answer. */
export interface ShownMessage extends Omit<SourceMessage, 'before'> {
  /** What the assistant said right before it, where it did. */
  readonly before?: Pick<Turn, 'id' | 'content'> | undefined;
}

type BatchLimits = Pick<LlmLimits, 'maxMessages' | 'maxCharacters' | 'maxMessageCharacters' | 'maxBeforeCharacters'>;

/** More than is shown, so that what is secret is recognized. */
const MAX_BEFORE_CHARACTERS_READ = 2_500;

/**
 * In order, each when it is asked for: what a request needs is all that the thread of requests works at once. Messages without
 * any text are left out.
 */
export function* batchMessages(messages: readonly SourceMessage[], limits: BatchLimits): Generator<ShownMessage[]> {
  const { maxMessages, maxCharacters, maxMessageCharacters } = limits;
  let batch: ShownMessage[] = [];
  let characters = 0;
  for (const message of messages) {
    const mostCharacters = Math.min(maxMessageCharacters, maxCharacters);
    const answer = redactedExcerpt(message.content, mostCharacters);
    if (answer.trim() === '') continue;
    const turn = turnBefore(message);
    const content = redactAnswer(turn?.content ?? '', answer).slice(0, mostCharacters);
    const before = turn && endOf(turn, Math.min(limits.maxBeforeCharacters, maxCharacters - content.length));
    const size = content.length + (before?.content.length ?? 0);
    if (batch.length >= maxMessages || (batch.length > 0 && characters + size > maxCharacters)) {
      yield batch;
      batch = [];
      characters = 0;
    }
    batch.push({ ...message, content, before });
    characters += size;
  }
  if (batch.length > 0) yield batch;
}

/** What the assistant said. */
function turnBefore({ before = [] }: SourceMessage): ShownMessage['before'] {
  const turn = before.at(-1);
  if (turn?.role !== 'assistant' || turn.content.trim() === '') return undefined;
  return { id: turn.id, content: redactedExcerpt(turn.content, MAX_BEFORE_CHARACTERS_READ) };
}

/** There the assistant asks. */
function endOf({ id, content }: Pick<Turn, 'id' | 'content'>, maxCharacters: number): ShownMessage['before'] {
  return maxCharacters > 0 ? { id, content: content.slice(-maxCharacters).toWellFormed() } : undefined;
}
