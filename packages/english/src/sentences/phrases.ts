/** Set phrases at the ends of a run of words. */

import { CLOSERS, OPENERS, REMEMBER } from '../words/phrases.ts';
import type { PhraseList } from '../words/sets.ts';
import { isWord, type Token } from './tokens.ts';

/** How many words of a phrase stand there; 0 if none does. */
export function startsWith(tokens: readonly Token[], from: number, { byFirst }: PhraseList): number {
  const found = byFirst.get(tokens[from]?.lower ?? '')?.find((phrase) => phrase.every((word, i) => tokens[from + i]?.lower === word));
  return found?.length ?? 0;
}

function endsWith(tokens: readonly Token[], end: number, { byLast }: PhraseList): number {
  const phrases = byLast.get(tokens[end - 1]?.lower ?? '');
  const found = phrases?.find(
    (phrase) => phrase.length < end && phrase.every((word, i) => tokens[end - phrase.length + i]?.lower === word),
  );
  return found?.length ?? 0;
}

export function contains(tokens: readonly Token[], phrases: PhraseList): boolean {
  return tokens.some((_, i) => startsWith(tokens, i, phrases) > 0);
}

/** Without greetings and the like before it; `remembered` if it is said in order to be kept. */
export function withoutOpeners(tokens: readonly Token[]): { tokens: Token[]; remembered: boolean } {
  let at = 0;
  let remembered = false;
  while (at < tokens.length) {
    if (!isWord(tokens[at])) {
      at++;
      continue;
    }
    const remember = startsWith(tokens, at, REMEMBER);
    const opener = remember || startsWith(tokens, at, OPENERS);
    if (opener === 0 || isContent(tokens, at, opener)) break;
    at += opener;
    if (!remember) continue;
    remembered = true;
    if (tokens[at]?.lower === 'that' && tokens[at + 1]?.tag !== 'AUX') at++;
  }
  return { tokens: tokens.slice(at), remembered };
}

/** `first day is Monday`, `so much`, `right knee`: the word is part of what is said. */
function isContent(tokens: readonly Token[], at: number, length: number): boolean {
  // `I see, …` is an opener, `I see errors` is not.
  if (length === 2 && tokens[at]?.lower === 'i') return isWord(tokens[at + 2]);
  if (length > 1) return false;
  const [word, next] = [tokens[at] as Token, tokens[at + 1]];
  if (word.lower === 'there' || word.lower === 'all' || word.lower === 'man') return next?.tag === 'AUX' || next?.tag === 'NOUN';
  const describes = [
    'first',
    'second',
    'right',
    'great',
    'nice',
    'perfect',
    'cool',
    'important',
    'morning',
    'evening',
    'remember',
  ].includes(word.lower);
  return describes && (next?.tag === 'NOUN' || next?.tag === 'ADJ') && next.lower !== 'my';
}

export function withoutClosers(tokens: readonly Token[]): Token[] {
  let end = tokens.length;
  while (end > 0) {
    const last = tokens[end - 1] as Token;
    const closer = endsWith(tokens, end, CLOSERS);
    if (closer > 0) end -= closer;
    else if (!isWord(last) && last.text !== ')' && last.text !== "'" && last.text !== '%') end--;
    else break;
  }
  return tokens.slice(0, end);
}
