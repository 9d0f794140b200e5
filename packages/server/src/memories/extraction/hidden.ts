/** A text as a language model may see it. */
import { looksSecret } from './builtin/secrets.ts';

const SENTENCE_OR_LINE = /[^\n.!?]*(?:[.!?](?!\s)[^\n.!?]*)*(?:[.!?]+\s?|\n|$)/g;
const HIDDEN = '[a secret was left out] ';

/** Without the sentences and lines that look like a secret. */
export function hideSecrets(text: string): string {
  return text.replace(SENTENCE_OR_LINE, (piece) => (piece !== '' && looksSecret(piece) ? HIDDEN : piece));
}
