/** Roundabout ways of saying something into the plain one. */

import { NATIONALITIES } from '../words/adjectives.ts';
import { wordSet } from '../words/sets.ts';
import { weekdayOf } from '../words/times.ts';
import { LIKING, PASSING } from '../words/verbs.ts';
import { HAVE, I, IS } from './fragment-words.ts';
import { namesFamily } from './people.ts';
import { isWord, type Token, token } from './tokens.ts';

const POINTING = wordSet('this that it which what these those here there who');

export function straightened(tokens: readonly Token[]): readonly Token[] {
  return inTheMiddle(tokens) ?? theOneWho(tokens) ?? bigInto(tokens) ?? cleft(tokens) ?? dayFirst(tokens) ?? mine(tokens) ?? tokens;
}

/** `we are in the middle of moving …`. */
function inTheMiddle(tokens: readonly Token[]): readonly Token[] | undefined {
  const words = tokens.slice(0, 7).map(({ lower }) => lower);
  const going =
    /^(?:am|are)$/.test(words[1] ?? '') &&
    /^in the (?:middle|process|midst) of$/.test(words.slice(2, 6).join(' ')) &&
    words[6]?.endsWith('ing');
  return going ? [...tokens.slice(0, 2), ...tokens.slice(6)] : undefined;
}

/** `I am the one who looks after …`. */
function theOneWho(tokens: readonly Token[]): readonly Token[] | undefined {
  const words = tokens.slice(0, 5).map(({ lower }) => lower);
  if (!/^i am the (?:one|person|guy|girl) who$/.test(words.join(' '))) return undefined;
  const [verb, ...rest] = tokens.slice(5);
  return verb && [tokens[0] as Token, { ...verb, text: verb.lemma, lower: verb.lemma }, ...rest];
}

/** `I am big into co-op games`. */
function bigInto(tokens: readonly Token[]): readonly Token[] | undefined {
  const into = tokens[1]?.lower === 'am' && /^(?:big|super|heavily|well|massively|hugely|deep)$/.test(tokens[2]?.lower ?? '');
  return into && tokens[3]?.lower === 'into' ? [...tokens.slice(0, 2), ...tokens.slice(3)] : undefined;
}

/** `jazz is what I listen to`, `dahlias are the flowers I love most`. */
function cleft(tokens: readonly Token[]): readonly Token[] | undefined {
  const is = tokens.findIndex(({ lower }, i) => i > 0 && i < 8 && /^(?:is|are)$/.test(lower));
  const thing = tokens.slice(0, Math.max(0, is));
  if (is === -1 || POINTING.has(thing[0]?.lower ?? '') || thing.some((each) => ['AUX', 'PRON'].includes(each.tag) || !isWord(each)))
    return undefined;
  const user = tokens.findIndex(({ text, lower }, i) => i > is + 1 && i < is + 6 && (text === 'I' || lower === 'we'));
  const verb = tokens[user + 1];
  if (user === -1 || !verb || tokens.slice(is + 1, user).some(({ tag }) => tag === 'VERB' || tag === 'AUX')) return undefined;
  const what =
    tokens[is + 1]?.lower === 'what' &&
    user === is + 2 &&
    verb.tag === 'VERB' &&
    (!PASSING.has(verb.lower) || NATIONALITIES.has(thing[0]?.lower ?? ''));
  const which = tokens[is + 1]?.lower === 'the' && LIKING.has(verb.lower);
  if (!what && !which) return undefined;
  const [first, ...others] = thing as [Token, ...Token[]];
  const own = first.tag === 'PROPN' ? first : { ...first, text: first.lower };
  return [I, verb, { ...own, space: true }, ...others, ...tokens.slice(user + 2)];
}

/** `tonight is the blood drive`: said of the drive. */
function dayFirst(tokens: readonly Token[]): readonly Token[] | undefined {
  const [first, second, third] = tokens;
  const day = first !== undefined && (/^(?:tonight|tomorrow|today)$/.test(first.lower) || weekdayOf(first.lower, false) !== undefined);
  if (!day || second?.lower !== 'is' || !third || !/^(?:the|my|our)$/.test(third.lower)) return undefined;
  const end = tokens.findIndex(({ text }, i) => i > 3 && /^[,;]$/.test(text));
  const on = weekdayOf(first.lower, false) === undefined ? [] : [token('on', 'ADP')];
  return [...tokens.slice(2, end === -1 ? undefined : end), second, ...on, { ...first, space: true }];
}

/** `mine is a Brother HL-2350`. */
function mine(tokens: readonly Token[]): readonly Token[] | undefined {
  const [first, second, third] = tokens;
  if (first?.lower !== 'mine' || second?.lower !== 'is' || !third || !/^(?:a|an|the)$/.test(third.lower)) return undefined;
  if (third.lower === 'the' && tokens[3]?.tag !== 'PROPN') return undefined;
  return [I, HAVE, third.lower === 'the' ? { ...third, text: 'a', lower: 'a' } : third, ...tokens.slice(3)];
}

/** `Pickle, our tortoise, …`, `our tortoise Pickle …` as `our tortoise is called Pickle`. */
export function namedInApposition(tokens: readonly Token[]): readonly Token[] | undefined {
  const own = tokens.findIndex(({ lower }, i) => i < 3 && (lower === 'my' || lower === 'our'));
  if (own === -1) return undefined;
  const comma = tokens.findIndex(({ text }, i) => i > own && i < own + 5 && text === ',');
  const before = own === 2 && tokens[1]?.text === ',' && comma !== -1 ? tokens[0] : undefined;
  const after = own === 0 && comma !== -1 && tokens[comma + 2]?.text === ',' ? tokens[comma + 1] : undefined;
  const name = before ?? after ?? (own === 0 ? tokens[2] : undefined);
  const noun = before || after ? tokens.slice(own + 1, comma) : tokens.slice(own + 1, own + 2);
  if (!namesFamily(noun.slice(-1))) return undefined;
  const isName = name?.tag === 'PROPN' && /^\p{Lu}\p{Ll}/u.test(name.text);
  return isName
    ? [{ ...(tokens[own] as Token), text: 'my', lower: 'my' }, ...noun, IS, token('called', 'VERB', 'call'), { ...name, space: true }]
    : undefined;
}
