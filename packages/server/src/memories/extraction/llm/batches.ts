/** Messages as they are shown to the model, in portions of one request. */
import type { Turn } from '@commonplace/english/extraction';
import { redactedExcerpt } from '@commonplace/english/redaction';
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
    const content = redactedExcerpt(message.content, Math.min(maxMessageCharacters, maxCharacters));
    if (content.trim() === '') continue;
    const before = turnBefore(message, Math.min(limits.maxBeforeCharacters, maxCharacters - content.length));
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

/** The end of what the assistant said: there it asks. */
function turnBefore({ before = [] }: SourceMessage, maxCharacters: number): ShownMessage['before'] {
  const turn = before.at(-1);
  if (turn?.role !== 'assistant' || maxCharacters <= 0) return undefined;
  const content = redactedExcerpt(turn.content, MAX_BEFORE_CHARACTERS_READ).slice(-maxCharacters).toWellFormed();
  return content.trim() === '' ? undefined : { id: turn.id, content };
}
