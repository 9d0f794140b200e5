/** Which words of an English text say something by themselves. */

import { FUNCTION_WORDS } from '../ranking/words/languages/function-words.ts';

const functionWords = new Set(FUNCTION_WORDS.english.split(/\s+/));
const HAS_LETTER = /[\p{L}\p{N}]/u;

/** `word`: in lower case. */
export function isSaying(word: string): boolean {
  return !functionWords.has(word) && HAS_LETTER.test(word);
}
