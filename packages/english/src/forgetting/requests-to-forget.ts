/** Recognises that a sentence asks for something to be forgotten, in its many wordings, and what is left of the sentence. */

import { sentencesOf, type Token } from '../sentences/tokens.ts';
import { wordSet } from '../words/sets.ts';
import { mayAskToForget } from './first-look.ts';
import { requestByVerb } from './request-verbs.ts';
import { requestByWish } from './request-wishes.ts';
import type { Target } from './targets.ts';
import { type FoundRequest, type PlainWord, plainWordsOf, textOfWords } from './words.ts';

export type { Target } from './targets.ts';

/** What a sentence says, in order: what it asks to forget, and what it says beside. */
export type SentencePart = { readonly forgets: Target } | { readonly says: readonly Token[] };

/** `… everything about me, including my address`. */
const GOES_ON = wordSet('including especially without which who such starting particularly namely');

/** Its parts, where it asks for something to be forgotten; undefined where it does not. */
export function partsOfRequest(sentence: readonly Token[]): readonly SentencePart[] | undefined {
  if (!mayAskToForget(sentence.map(({ lower }) => lower).join(' '))) return undefined;
  const words = plainWordsOf(sentence);
  const parts: SentencePart[] = [];
  let done = 0;
  for (let i = 0; i < words.length; i++) {
    const found = requestAt(words, i, done);
    if (!found) continue;
    const before = sentence.slice(words[done]?.index ?? 0, words[found.from]?.index ?? 0);
    if (done < found.from && before.length > 0) parts.push({ says: before });
    parts.push({ forgets: found.target });
    done = opensAfter(words, found.to);
    i = Math.max(i, done - 1);
  }
  if (parts.length === 0) return undefined;
  const rest = words[done];
  if (rest && !GOES_ON.has(rest.lower)) parts.push({ says: sentence.slice(rest.index) });
  return parts;
}

/** What a text asks to be forgotten, in order. */
export function targetsIn(text: string): Target[] {
  if (!mayAskToForget(text)) return [];
  return sentencesOf(text).flatMap((sentence) =>
    (partsOfRequest(sentence) ?? []).flatMap((part) => ('forgets' in part ? [part.forgets] : [])),
  );
}

function requestAt(words: readonly PlainWord[], i: number, done: number): FoundRequest | undefined {
  const found = anyRequestAt(words, i, done);
  // `scratch that, I prefer tea` puts right what was said.
  const isCorrection = found && isScratched(words, i) && found.target.what === 'last' && !found.target.isFirm && goesOn(words, found.to);
  return isCorrection ? undefined : found;
}

function anyRequestAt(words: readonly PlainWord[], i: number, done: number): FoundRequest | undefined {
  return requestByVerb(words, i, done) ?? (words[i]?.isStop ? undefined : requestByWish(words, i, done));
}

function isScratched(words: readonly PlainWord[], i: number): boolean {
  return /^(?:scratch|strike)$/.test(words[i]?.lower ?? '');
}

/** Something is said after it that is no request to forget, nor why. */
function goesOn(words: readonly PlainWord[], to: number): boolean {
  const next = opensAfter(words, to);
  if (next >= words.length) return false;
  const isReason = /^(?:it|that|this) is (?:private|personal|secret|nothing|nobody|none)\b/.test(textOfWords(words, next, next + 4));
  return !isReason && !words.slice(next, next + 6).some((_, k) => anyRequestAt(words, next + k, next));
}

/** What comes after: without the stops and the words that join it. */
function opensAfter(words: readonly PlainWord[], to: number): number {
  let at = to;
  while (at < words.length && (words[at]?.isStop || /^(?:and|but|so|or|then|because|cause|cos|since|as)$/.test(words[at]?.lower ?? '')))
    at++;
  return at;
}
