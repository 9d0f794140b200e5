/** The tokens of a text as a model sees them, small enough to be kept: a bit for each component. */

import type { QuestionTokens } from './embedder.ts';
import { isSaying } from './saying-words.ts';
import type { EncodedText } from './tokenizer.ts';

const LARGEST = 127;
/** Of one text: 6 kB. A chunk has about 90. */
export const MOST_CODES = 128;

/** One code after the other, of the words that say something: signs and function words are met by nothing that one looks for. */
export function codeTokens(states: Float32Array, { ids, words, starts }: EncodedText, dimensions: number): Uint8Array {
  const places = words.flatMap((word, i) => (isSaying(word) ? placesOf(starts, i, ids.length) : [])).slice(0, MOST_CODES);
  const stride = dimensions >> 3;
  const codes = new Uint8Array(places.length * stride);
  for (const [row, place] of places.entries()) {
    const from = place * dimensions;
    for (let i = 0; i < dimensions; i++) {
      if ((states[from + i] as number) > 0) codes[row * stride + (i >> 3)] = (codes[row * stride + (i >> 3)] as number) | (1 << (i & 7));
    }
  }
  return codes;
}

export function questionTokensOf(states: Float32Array, { words, starts }: EncodedText, dimensions: number): QuestionTokens {
  const components = new Int8Array(states.length);
  for (let from = 0; from < states.length; from += dimensions) {
    let most = 0;
    for (let i = from; i < from + dimensions; i++) most = Math.max(most, Math.abs(states[i] as number));
    for (let i = from; i < from + dimensions; i++) components[i] = most > 0 ? Math.round(((states[i] as number) / most) * LARGEST) : 0;
  }
  return { words, starts, components };
}

/** Of a text that was cut the last words have none. */
function placesOf(starts: readonly number[], word: number, count: number): number[] {
  const [start, end] = [starts[word] as number, Math.min(starts[word + 1] ?? count - 1, count - 1)];
  return Array.from({ length: Math.max(0, end - start) }, (_, i) => start + i);
}
