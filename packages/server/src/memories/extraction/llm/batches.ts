/** Messages as they are shown to the model, in portions of one request. */
import { redactedExcerpt } from '@commonplace/english/redaction';
import type { SourceMessage } from '../extractor.ts';
import type { LlmLimits } from './limits.ts';

type BatchLimits = Pick<LlmLimits, 'maxMessages' | 'maxCharacters' | 'maxMessageCharacters'>;

/**
 * In order, each when it is asked for: what a request needs is all that the thread of requests works at once. Messages without
 * any text are left out.
 */
export function* batchMessages(
  messages: readonly SourceMessage[],
  { maxMessages, maxCharacters, maxMessageCharacters }: BatchLimits,
): Generator<SourceMessage[]> {
  let batch: SourceMessage[] = [];
  let characters = 0;
  for (const message of messages) {
    const content = redactedExcerpt(message.content, Math.min(maxMessageCharacters, maxCharacters));
    if (content.trim() === '') continue;
    if (batch.length >= maxMessages || (batch.length > 0 && characters + content.length > maxCharacters)) {
      yield batch;
      batch = [];
      characters = 0;
    }
    batch.push({ ...message, content });
    characters += content.length;
  }
  if (batch.length > 0) yield batch;
}
