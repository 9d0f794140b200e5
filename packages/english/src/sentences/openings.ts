/** What the first words of a clause make of it. */

import { ADVERBS, ATTACHED, QUESTION_VERBS, QUESTION_WORDS } from '../words/phrases.ts';
import { ALONE, COMMON, LIKING, ORDERS } from '../words/verbs.ts';
import { isWord, type Token } from './tokens.ts';

export type ClauseSort = 'statement' | 'question' | 'order' | 'condition';

export type Opening = ClauseSort | 'shared' | undefined;

export const PUNCTUATION = /^[,;:—–()!.?…]$|^-+$/;
const FOLLOWING_VERB = new Set(['ADP', 'DET', 'PRON', 'ADV', 'NUM', 'PROPN', 'NOUN', 'ADJ']);

/** What a clause that starts here is, going by its first words; `after` is what joins it. */
export function openingAt(tokens: readonly Token[], start: number, after: string): Opening {
  let at = start;
  while (ADVERBS.has(tokens[at]?.lower ?? '') || tokens[at]?.lower === 'no' || tokens[at]?.lower === 'longer') at++;
  const [first, next] = [tokens[at], tokens[at + 1]];
  if (!first) return undefined;
  if (
    ATTACHED.has(first.lower) &&
    !(/^(?:when|where|who)$/.test(first.lower) && next?.tag === 'AUX') &&
    first.lower !== 'that' &&
    !(after === 'so' && /^(?:who|where|when)$/.test(first.lower))
  )
    return undefined;
  if (subjectAt(tokens, at)) return 'statement';
  if (isQuestion(first, next, after === 'start')) return 'question';
  const standing = tokens.slice(start, at).some(({ lower }) => lower === 'always' || lower === 'never');
  if (first.lower === 'please' || (first.lower === 'do' && next?.lower === 'not') || (first.lower === 'let' && next?.tag === 'PRON'))
    return 'order';
  if (isBaseVerb(first, next) && (after === 'start' || after === ',' || after === 'so' || (after === 'but' && standing))) return 'order';
  if (after === ',' && /^(?:got|have)$/.test(first.lower) && next && (next.tag === 'DET' || next.tag === 'NUM')) return 'shared';
  if ((after === 'and' || after === 'but' || after === 'or') && isFiniteVerb(first, next)) return 'shared';
  return undefined;
}

function isQuestion(first: Token, next: Token | undefined, atStart: boolean): boolean {
  if (first.lower === 'which') return next?.tag !== 'AUX' && next?.tag !== 'VERB';
  if (first.lower === 'any') return true;
  if (QUESTION_WORDS.has(first.lower)) return true;
  return (
    QUESTION_VERBS.has(first.lower) &&
    next !== undefined &&
    (atStart ? ['PRON', 'DET', 'PROPN', 'NOUN', 'SCONJ'] : ['PRON', 'DET', 'PROPN']).includes(next.tag) &&
    !(/^ha[vds]/.test(first.lower) && !/^(?:i|you|we|they|he|she|it|anyone|someone)$/.test(next.lower))
  );
}

function isBaseVerb(first: Token, next: Token | undefined): boolean {
  // `love hiking`, `working on it`: the user means `I`.
  if (LIKING.has(first.lower) || first.lower.endsWith('ing') || /\d{3}/.test(next?.text ?? '')) return false;
  if (first.tag === 'VERB' && first.lower === first.lemma) return true;
  if (
    ORDERS.has(first.lower) &&
    next !== undefined &&
    ['DET', 'PROPN', 'NOUN', 'ADJ', 'PRON', 'NUM', 'ADP'].includes(next.tag) &&
    first.tag !== 'ADP'
  )
    return true;
  return (
    first.lower === 'be' ||
    (['NOUN', 'ADJ', 'PROPN'].includes(first.tag) &&
      (next?.lower === 'me' || (first.tag === 'NOUN' && (next?.tag === 'DET' || next?.lower === 'my'))) &&
      first.lower === first.lemma)
  );
}

function isFiniteVerb(first: Token, next: Token | undefined): boolean {
  if (/^\p{Lu}\p{Ll}/u.test(first.text)) return false;
  if (first.tag === 'AUX') return next !== undefined && next.tag !== 'PRON';
  if (first.tag === 'VERB') return !first.lower.endsWith('ing') || COMMON.has(first.lower);
  if (ALONE.has(first.lower) && first.tag === 'NOUN') return next?.tag === 'ADP' || next?.tag === 'ADV';
  return COMMON.has(first.lower) && next !== undefined && FOLLOWING_VERB.has(next.tag) && first.tag !== 'ADJ';
}

const PRONOUNS = new Set([
  'i',
  'we',
  'you',
  'he',
  'she',
  'they',
  'it',
  'this',
  'that',
  'there',
  'everyone',
  'everything',
  'nobody',
  'people',
]);

const TIME_WORDS = new Set([
  'last',
  'next',
  'this',
  'these',
  'currently',
  'yesterday',
  'today',
  'tomorrow',
  'tonight',
  'now',
  'nowadays',
  'two',
  'three',
  'the',
]);

/** `for the last few years I …`, `last year we …`. */
function adjunctAt(tokens: readonly Token[], at: number): boolean {
  const first = tokens[at] as Token;
  if (first.tag !== 'ADP' && !TIME_WORDS.has(first.lower)) return false;
  for (let i = at + 1; i < Math.min(tokens.length - 1, at + 7); i++) {
    const { text, lower, tag } = tokens[i] as Token;
    if (text === 'I' || lower === 'we') return true;
    if (tag === 'VERB' || tag === 'AUX' || tag === 'PUNCT' || tag === 'SCONJ' || tag === 'CCONJ' || tag === 'PRON') return false;
  }
  return false;
}

/** Whether a subject and its verb start here. */
export function subjectAt(tokens: readonly Token[], at: number): boolean {
  const first = tokens[at];
  if (!first) return false;
  if (PRONOUNS.has(first.lower)) {
    if (/^(?:this|that)$/.test(first.lower) && tokens[at + 1]?.tag === 'NOUN')
      return tokens.slice(at + 2, at + 4).some(({ tag }) => tag === 'AUX' || tag === 'VERB');
    let verb = at + 1;
    while (ADVERBS.has(tokens[verb]?.lower ?? '') || tokens[verb]?.tag === 'ADV') verb++;
    const next = tokens[verb];
    return next !== undefined && (first.text === 'I' || first.lower === 'we' ? isWord(next) : next.tag === 'AUX' || next.tag === 'VERB');
  }
  if (first.lower === 'me') return tokens[at + 1]?.lower === 'and';
  if (adjunctAt(tokens, at)) return true;
  if (!['DET', 'PRON', 'PROPN', 'NOUN', 'ADJ', 'NUM'].includes(first.tag) || first.lower === 'no') return false;
  for (let i = at + 1; i < Math.min(tokens.length, at + 9); i++) {
    const { tag, lower, text } = tokens[i] as Token;
    if (text === 'I' || lower === 'we' || PUNCTUATION.test(text) || tag === 'SCONJ' || lower === 'that' || lower === 'who') return false;
    if (tag === 'AUX' && lower !== 'be' && lower !== 'been') return true;
    if (
      tag === 'VERB' &&
      !lower.endsWith('ing') &&
      tokens[i - 1]?.lower !== 'to' &&
      tokens[i - 1]?.tag !== 'DET' &&
      !/^(?:called|named|required|needed)$/.test(lower)
    )
      return first.tag !== 'ADJ' || lower !== tokens[i]?.lemma;
  }
  return false;
}
