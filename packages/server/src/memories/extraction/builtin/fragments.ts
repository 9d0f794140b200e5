/** Clauses without their subject, as people type them: `just moved to Lisbon`, `allergic to cats`, `fav color is teal`. */

import { DATE } from './dates.ts';
import { isWord, type Token, token } from './tokens.ts';
import { LASTING_STATES } from './words/adjectives.ts';
import { EVENTS as EVENT_NOUNS } from './words/nouns.ts';
import { ADVERBS } from './words/phrases.ts';
import { EVENTS, LIKING } from './words/verbs.ts';

const I = token('I', 'PRON');
const AM = token('am', 'AUX', 'be');
const MY = token('my', 'PRON');
const IS = token('is', 'AUX', 'be');
const BARE_STATES = new Set([
  'half',
  'part',
  'native',
  'single',
  'straight',
  'called',
  'named',
  'colour',
  'color',
  'tall',
  'gluten',
  'sensitive',
  'liberal',
  'conservative',
  'orthodox',
  'based',
]);

/** The same with the subject that was meant, if it is plain which. */
export function withSubject(tokens: readonly Token[]): readonly Token[] {
  const meant = meantBy(tokens);
  return meant === tokens ? tokens : meant.map((each) => (each === tokens[0] ? inside(each) : each));
}

/** As it is written in the middle of a sentence. */
function inside(first: Token): Token {
  return { ...first, text: first.tag === 'PROPN' && !LASTING_STATES.has(first.lower) ? first.text : first.lower, space: true };
}

function meantBy(tokens: readonly Token[]): readonly Token[] {
  let at = 0;
  while (ADVERBS.has(tokens[at]?.lower ?? '') && tokens[at]?.lower !== 'both') at++;
  const [adverbs, rest] = [tokens.slice(0, at), tokens.slice(at)];
  const [first, second] = rest;
  if (!first || rest.length < 2)
    return first && LASTING_STATES.has(first.lower) && !BARE_STATES.has(first.lower) && tokens.length === 1 ? [I, AM, first] : tokens;
  if (first.lower === 'both' && second?.lower === 'my') return rest.slice(1);
  if (first.lower === 'it' && second?.lower === 'is' && rest[2]?.lower === 'my') return itIsMy(rest) ?? tokens;
  if (first.lower === 'favourite' || first.lower === 'favorite') return [MY, ...rest];
  if (first.lower === 'the' && second?.lower === 'name' && rest[2]?.lower === 'is' && rest.length <= 5) return [MY, ...rest.slice(1)];
  if ((first.lower === 'name' || first.lower === 'home') && second?.lower === 'is') return [MY, ...rest];
  if (
    first.lower === 'names' &&
    rest.length <= 3 &&
    second &&
    (second.tag === 'PROPN' || second.tag === 'NOUN' || second.tag === 'ADJ' || second.tag === 'VERB')
  )
    return [MY, token('name', 'NOUN'), IS, { ...second, text: capital(second.text), tag: 'PROPN' }];
  if (second?.lower === 'here' && rest.length === 2 && isWord(first)) return [I, AM, first];
  if (isOngoing(rest)) return [I, AM, ...tokens];
  if (first.lower === 'got' && (second?.tag === 'DET' || second?.tag === 'NUM') && !['PRON'].includes(second.tag))
    return [I, token('have', 'AUX'), ...adverbs, ...rest.slice(1)];
  if (isEvent(first) && second && ['ADP', 'DET', 'NOUN', 'PROPN', 'PRON', 'VERB', 'ADJ', 'PART'].includes(second.tag))
    return [I, ...tokens];
  if (
    LIKING.has(first.lower) &&
    second &&
    ['NOUN', 'PROPN', 'VERB', 'ADJ', 'DET', 'PRON', 'ADP'].includes(second.tag) &&
    first.lower !== 'like' &&
    first.lower !== 'appreciate'
  )
    return [I, ...tokens];
  if (
    (LASTING_STATES.has(first.lower) &&
      !BARE_STATES.has(first.lower) &&
      ['ADP', 'CCONJ', 'PUNCT', 'SCONJ', 'ADV'].includes(second?.tag ?? '')) ||
    (first.lower === 'based' && second?.lower === 'in')
  )
    return [I, AM, ...tokens];
  if (first.lower === 'not' && rest.slice(1, 5).some(({ lower }) => lower === 'fan')) return [I, AM, ...tokens];
  return tokens;
}

/** `it is my birthday on Saturday` is about the birthday. */
function itIsMy(rest: readonly Token[]): readonly Token[] | undefined {
  const end = rest.findIndex(
    ({ tag, lower }, i) => i > 3 && (tag === 'ADP' || tag === DATE || ['today', 'tomorrow', 'next', 'this', 'tonight'].includes(lower)),
  );
  const noun = rest.slice(3, end);
  return end !== -1 && noun.some(({ lower }) => EVENT_NOUNS.has(lower)) ? [MY, ...noun, IS, ...rest.slice(end)] : undefined;
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** `flying to Madrid`, not `flying is fun`. */
function isOngoing(rest: readonly Token[]): boolean {
  const [first, second] = rest as [Token, Token];
  if (
    !/^[a-z]{2,}ing$/.test(first.lower) ||
    [
      'thing',
      'nothing',
      'something',
      'anything',
      'everything',
      'morning',
      'evening',
      'king',
      'ring',
      'during',
      'string',
      'building',
      'according',
      'regarding',
      'including',
      'assuming',
      'considering',
      'asking',
      'speaking',
      'being',
      'having',
      'getting',
      'missing',
      'sing',
      'bring',
      'spring',
    ].includes(first.lower)
  )
    return false;
  if (!['ADP', 'DET', 'PRON', 'PART', 'ADJ', 'NOUN', 'PROPN', 'NUM', DATE].includes(second.tag)) return false;
  return !rest.slice(1).some(({ tag, lower }) => tag === 'AUX' && lower !== 'be');
}

function isEvent({ lower, lemma, tag }: Token): boolean {
  return tag === 'VERB' && lower !== lemma && !lower.endsWith('ing') && EVENTS.has(lemma);
}

/** `mom's birthday dinner tonight at 8`: something that happens, and when. */
export function isAnnouncement(tokens: readonly Token[]): boolean {
  const date = tokens.findIndex(({ tag }) => tag === DATE);
  if (date < 1 || date > 8) return false;
  const before = tokens.slice(0, date);
  const verbless = !tokens.some(({ tag, lower }) => tag === 'AUX' || (tag === 'VERB' && !EVENT_NOUNS.has(lower)));
  return (
    verbless &&
    before.some(({ lower }) => EVENT_NOUNS.has(lower)) &&
    !['what', 'how', 'any', 'which', 'no'].includes(tokens[0]?.lower ?? '')
  );
}

export function announced(tokens: readonly Token[]): Token[] {
  return [I, token('have', 'AUX'), ...tokens.slice(0, 1).map(inside), ...tokens.slice(1)];
}
