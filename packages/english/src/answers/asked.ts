/** The questions at the end of what the assistant said. */

import { isEnglish } from '../prose/language.ts';
import { proseOf } from '../prose/segments.ts';
import { startsWith, withoutClosers } from '../sentences/phrases.ts';
import { isWord, sentencesOf, type Token } from '../sentences/tokens.ts';
import { phraseList } from '../words/sets.ts';

/** No more than this of the end is read. */
const LONGEST = 600;
const LAST_SENTENCES = 5;
const POLITE =
  phraseList(`may i ask | can i ask | could i ask | could you tell me | can you tell me | would you tell me | remind me | tell me | if i may ask | if you do not mind me asking | just to check
by the way | out of curiosity | quick question`);
const STARTS =
  /^(?:what|which|who|where|when|how|why|any|do|does|did|are|is|was|were|have|has|can|could|would|shall|should|will|may|got|you|want|need|your)$/;
const SUFFIXES = phraseList(
  `i should know about | i should know | i should be aware of | i should keep in mind | to keep in mind | to be aware of | to consider | to mention | if i may ask | exactly | right | at all | correct`,
);

/** Each without what stands before it and without its mark, in order. */
export function askedIn(content: string): readonly (readonly Token[])[] {
  const end = content.slice(-LONGEST);
  if (!end.includes('?')) return [];
  const sentences = proseOf(end)
    .filter(isEnglish)
    .flatMap((line) => sentencesOf(line))
    .slice(-LAST_SENTENCES);
  return sentences.filter((sentence) => sentence.at(-1)?.text.startsWith('?')).flatMap((sentence) => questionsIn(sentence));
}

function questionsIn(sentence: readonly Token[]): (readonly Token[])[] {
  const tokens = sentence.filter((each) => !/^[?!]+$/.test(each.text));
  const starts = tokens.flatMap((_, i) => (startsAt(tokens, i) ? [i] : []));
  const politeAt = starts.length === 0 ? -1 : (starts[0] as number);
  if (politeAt === -1) return [];
  return starts.map((start, i) => tidied(tokens.slice(start, starts[i + 1]))).filter((question, i) => i === 0 || question.length > 1);
}

/** At the beginning, or behind a stop or `and`; with a preposition before it, `in which`. */
function startsAt(tokens: readonly Token[], i: number): boolean {
  const [before, here, next] = [tokens[i - 1], tokens[i] as Token, tokens[i + 1]];
  const first =
    STARTS.test(here.lower) ||
    (here.tag === 'ADP' && /^(?:what|which|how|whom)$/.test(next?.lower ?? '')) ||
    startsWith(tokens, i, POLITE) > 0;
  if (!first) return false;
  if (here.lower === 'your' && !(i <= 1 && tokens.length - i <= 4)) return false;
  if (before === undefined || !isWord(before)) return true;
  // `May I ask which medication?`
  return /^(?:and|but|so|okay|ok|great|nice|or|cool|hi)$/.test(before.lower);
}

function tidied(tokens: readonly Token[]): readonly Token[] {
  let own: readonly Token[] = withoutClosers(tokens);
  const polite = startsWith(own, 0, POLITE);
  if (polite > 0) own = own.slice(polite).filter((each, i) => i > 0 || isWord(each));
  while (own.length > 0 && /^(?:and|but|or|,)$/.test(own.at(-1)?.lower ?? '')) own = own.slice(0, -1);
  const suffix = own.findIndex((_, i) => i > 0 && startsWith(own, i, SUFFIXES) === own.length - i);
  own = suffix > 0 ? own.slice(0, suffix) : own;
  return own.at(-1)?.text === ',' ? own.slice(0, -1) : own;
}
