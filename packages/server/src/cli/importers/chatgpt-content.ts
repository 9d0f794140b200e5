/** What a message of ChatGPT says, as text. */
import { fieldOf, isObject, textField } from './items.ts';

/** Thoughts of a model, what a person said of themselves for all conversations, and what went wrong: no part of the conversation. */
const LEFT_OUT: ReadonlySet<unknown> = new Set([
  'thoughts',
  'reasoning_recap',
  'user_editable_context',
  'model_editable_context',
  'system_error',
]);

export function contentOf(content: unknown): string {
  if (LEFT_OUT.has(fieldOf(content, 'content_type'))) return '';
  const parts = fieldOf(content, 'parts');
  if (!Array.isArray(parts)) return textField(content, 'text', 'result') ?? '';
  return parts
    .map(textOfPart)
    .filter((text) => text !== '')
    .join('\n');
}

/** Of a picture or a recording that it was there; of speech, the words. */
export function textOfPart(part: unknown): string {
  if (typeof part === 'string') return part;
  if (!isObject(part)) return '';
  const type = textField(part, 'content_type', 'type') ?? '';
  const text = textField(part, 'text');
  if (text !== undefined) return text;
  for (const noun of ['image', 'audio', 'video']) if (type.includes(noun)) return `[${noun}]`;
  return '[attachment]';
}
