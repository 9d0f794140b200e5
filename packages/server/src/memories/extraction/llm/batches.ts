/** Messages as they are shown to the model, in portions of one request. */
import type { SourceMessage } from '../extractor.ts';
import type { LlmLimits } from './limits.ts';

type BatchLimits = Pick<LlmLimits, 'maxMessages' | 'maxCharacters' | 'maxMessageCharacters'>;

/** In order. Messages without any text are left out. */
export function batchMessages(
  messages: readonly SourceMessage[],
  redactSecrets: (text: string) => string,
  { maxMessages, maxCharacters, maxMessageCharacters }: BatchLimits,
): SourceMessage[][] {
  const batches: SourceMessage[][] = [];
  let batch: SourceMessage[] = [];
  let characters = 0;
  for (const message of messages) {
    // Hidden before it is shortened: half of a secret does not look like one.
    const content = shorten(redactSecrets(message.content), Math.min(maxMessageCharacters, maxCharacters));
    if (content.trim() === '') continue;
    if (batch.length === 0 || batch.length >= maxMessages || characters + content.length > maxCharacters) {
      batch = [];
      batches.push(batch);
      characters = 0;
    }
    batch.push({ ...message, content });
    characters += content.length;
  }
  return batches;
}

const GAP = '\n[…]\n';

/** What people say of themselves stands before or after what they paste. */
function shorten(text: string, maxCharacters: number): string {
  if (text.length <= maxCharacters) return text.toWellFormed();
  const kept = Math.max(0, maxCharacters - GAP.length);
  const atEnd = Math.floor(kept / 4);
  return (text.slice(0, kept - atEnd) + GAP + text.slice(text.length - atEnd)).toWellFormed();
}
