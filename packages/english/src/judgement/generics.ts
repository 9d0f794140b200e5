/** What the user says about kinds of things, with themselves in it: `tree nuts send me to hospital`, `cruises are my idea of hell`. */

import { isKindOfPerson } from '../sentences/people.ts';
import type { Statement } from '../sentences/statements.ts';
import type { Token } from '../sentences/tokens.ts';
import { FAMILY, PETS } from '../words/nouns.ts';
import { STYLE_WORDS } from '../words/phrases.ts';
import { wordSet } from '../words/sets.ts';
import { hasAny, type Verdict, verdict } from './verdicts.ts';

/** `X is my …`: what the user likes, or does for pleasure. */
const PLEASURES = wordSet(
  'thing jam hobby hobbies passion weakness pleasure peeve peeves obsession comfort kryptonite nemesis addiction vice bag cup pastime poison style speed default nightmare enemy guilty dream idea heaven hell',
);
const FEELINGS = wordSet(
  'drain bore stress annoy irritate exhaust relax scare terrify overwhelm fascinate calm disgust frighten bother upset depress energise energize soothe',
);
const SYMPTOMS = wordSet(
  'sick ill bloated itch itchy sneeze wheeze swell drowsy dizzy queasy nauseous faint cough breathe hives vomit sleepy',
);
const BY_NATURE = wordSet('make give send trigger cause upset kill bloat wreck ruin knock keep land put');

/** `hostels`, `spicy food`, `watching sport`: no article, no owner. */
export function isGeneric(tokens: readonly Token[]): boolean {
  const [first] = tokens;
  return (
    first !== undefined &&
    ['NOUN', 'ADJ', 'VERB', 'PROPN'].includes(first.tag) &&
    !tokens.some(({ tag, lower }) => tag === 'DET' || tag === 'PRON' || tag === 'NUM' || lower === "'s")
  );
}

/** `anything with sesame`. */
function isAnyWith(tokens: readonly Token[]): boolean {
  return /^(?:anything|everything|any)$/.test(tokens[0]?.lower ?? '') && tokens.length > 1 && !hasAny(tokens, wordSet('this that i you'));
}

export function isPleasure(rest: readonly Token[]): boolean {
  return hasAny(rest.slice(1, 4), PLEASURES);
}

export function judgeGeneric({ subject, verb, rest, tense, aspect, modal, negated }: Statement): Verdict | undefined {
  if (tense !== 'present' || aspect !== 'simple' || modal !== '' || !(isGeneric(subject.tokens) || isAnyWith(subject.tokens)))
    return undefined;
  const me = rest.findIndex(({ lower }) => lower === 'me' || lower === 'us');
  const mine = rest.some(({ lower }, i) => lower === 'my' && rest[i - 1]?.lower === 'to');
  if (subject.tokens.some(({ tag }) => tag === 'DATE')) return undefined;
  if (me === 0 && rest.length === 1) return FEELINGS.has(verb) && !negated ? verdict('preference') : undefined;
  if (me === 0 && verb === 'make' && !hasAny(rest, SYMPTOMS)) return verdict('preference');
  if (me === 0 && hasAny(subject.tokens, STYLE_WORDS)) return verdict('preference');
  if (me === 0) return BY_NATURE.has(verb) && rest.length > 1 ? verdict('long_lived') : rest.length > 1 ? verdict('preference') : undefined;
  const related = me > 0 && /^(?:for|to|with|on)$/.test(rest[me - 1]?.lower ?? '') && me === rest.length - 1;
  if (related && verb === 'be' && rest.length <= 3 && rest[me - 1]?.lower === 'for') return verdict('preference');
  if (related && verb === 'agree') return verdict('preference');
  if (!related && !mine) return undefined;
  const says =
    verb === 'be' ? rest.some(({ tag }) => tag === 'NOUN' || tag === 'DET') || mine : /^(?:taste|smell|do|feel|work)$/.test(verb);
  return says ? verdict('preference') : undefined;
}

/** `Pickles is a round beagle`: a name that is told with what it belongs to. */
export function judgeNamed({ subject, verb, rest, tense }: Statement): Verdict | undefined {
  const name = subject.tokens.length <= 2 && subject.tokens.every(({ tag, text }) => tag === 'PROPN' || /^\p{Lu}/u.test(text));
  const says =
    rest.some(({ lower }) => PETS.has(lower)) || (isKindOfPerson(rest) && rest.some(({ lower }) => FAMILY.has(lower) && lower !== 'kid'));
  return name && verb === 'be' && tense === 'present' && /^an?$/.test(rest[0]?.lower ?? '') && says ? verdict('fact') : undefined;
}
