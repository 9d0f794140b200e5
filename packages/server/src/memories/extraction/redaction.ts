/** A text as a language model may see it. */
import { looksSecret } from '@commonplace/english/secrets';

const KEY_BLOCK = /-----BEGIN [^\n]{0,80}\n(?:[^-]|-(?!----END))*(?:-----END[^\n]*)?/g;
const SENTENCE = /[^.!?]*(?:[.!?](?!\s)[^.!?]*)*(?:[.!?]+\s?|$)/g;
const HIDDEN = '[a secret was left out]';

/**
 * Without what looks like a secret: from the first sentence of a line that does to the end of the line, and lines that do so
 * only together with the one before.
 */
export function redactSecrets(text: string): string {
  const lines = text.replace(KEY_BLOCK, HIDDEN).split('\n');
  const shown: string[] = [];
  for (const [index, line] of lines.entries()) {
    const before = lines[index - 1];
    const isSecretTogether = before !== undefined && !looksSecret(before) && looksSecret(`${before} ${line}`);
    shown.push(isSecretTogether ? HIDDEN : looksSecret(line) ? beforeSecret(line) : line);
  }
  return shown.join('\n');
}

function beforeSecret(line: string): string {
  const sentences = line.match(SENTENCE) ?? [];
  let kept = '';
  for (const [index, sentence] of sentences.entries()) {
    const next = sentences[index + 1] ?? '';
    // A sentence may only name it, and the next one tell it.
    if (looksSecret(sentence) || (!looksSecret(next) && looksSecret(sentence + next))) break;
    kept += sentence;
  }
  return `${kept}${HIDDEN}`;
}
