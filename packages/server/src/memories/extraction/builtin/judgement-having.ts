/** `I have …` and `I like …`. */

import { nameOfThing, slotOf } from './slots.ts';
import type { Statement } from './statements.ts';
import { type Circumstances, hasAny, hasContent, headOf, isHabit, type Verdict, verdict } from './verdicts.ts';
import { EVENTS, FAMILY, HEALTH, PASSING_THINGS, PETS, STUDIES } from './words/nouns.ts';
import { DEMONSTRATIVES, THIRD_PERSON_PRONOUNS } from './words/phrases.ts';
import { wordSet } from './words/sets.ts';

const AILMENTS = wordSet('flu covid cold infection pneumonia injury sprain concussion fever measles chickenpox');
const MOMENTARY = wordSet('headache hangover toothache sore-throat cough hiccups crush');

export function judgeHaving(statement: Statement, { dated }: Circumstances): Verdict | undefined {
  const { rest, tense, modal, aspect } = statement;
  const head = headOf(rest);
  const first = rest[0];
  if (!first || head === '' || THIRD_PERSON_PRONOUNS.has(first.lower) || DEMONSTRATIVES.has(first.lower)) return undefined;
  if (
    rest.some(({ lower }) => lower === 'minutes') ||
    PASSING_THINGS.has(head) ||
    MOMENTARY.has(head) ||
    (first.lower === 'no' && PASSING_THINGS.has(rest[1]?.lower ?? ''))
  )
    return undefined;
  const event = EVENTS.has(head) || rest.some(({ lower, tag }, i) => i < 5 && tag === 'NOUN' && EVENTS.has(lower));
  if (AILMENTS.has(head)) return tense === 'present' ? verdict('short_lived') : undefined;
  if (modal === 'can') return statement.negated && hasContent(rest) ? verdict('long_lived') : undefined;
  if (modal !== '') return undefined;
  if (aspect === 'progressive')
    return dated ? verdict('short_lived') : /^(?:baby|twins|child)$/.test(head) ? verdict('long_lived') : undefined;
  if (hasAny(rest, HEALTH) || hasAny(rest, FAMILY) || hasAny(rest, PETS) || (hasAny(rest, STUDIES) && !event)) {
    if (!(event && dated)) return tense === 'past' && !dated ? undefined : verdict('long_lived', slotOf('has', nameOfThing(rest)));
  }
  if (tense === 'past') return dated ? verdict('fact') : undefined;
  if (isHabit(statement)) return verdict('fact');
  if (dated && (event || tense === 'future' || !first || first.lower !== 'the'))
    return verdict('short_lived', slotOf('', nameOfThing(rest, ['with', 'for', 'to', 'at'])));
  if (event && first.lower !== 'the') return verdict('short_lived', slotOf('', nameOfThing(rest, ['with', 'for', 'to'])));
  if (first.lower === 'the' || tense === 'future') return undefined;
  return verdict('fact', slotOf('has', nameOfThing(rest)));
}

const ANSWERS =
  wordSet(`version draft idea answer approach style tone option one ones way sound suggestion design title ending paragraph intro first second third fourth last previous latest former latter other
  original result results direction look wording part second sentence line bit choice example format layout outline plan flow structure concept`);

export function judgeLiking(statement: Statement, { dated }: Circumstances): Verdict | undefined {
  const { rest, modal, tense, aspect, verb, subject } = statement;
  const first = rest[0];
  if (!first || !hasContent(rest) || aspect === 'progressive' || tense !== 'present') return undefined;
  if (modal === 'would' ? verb !== 'prefer' : modal !== '' && modal !== 'can') return undefined;
  if (
    THIRD_PERSON_PRONOUNS.has(first.lower) ||
    DEMONSTRATIVES.has(first.lower) ||
    ['how', 'what', 'where', 'when', 'if', 'seeing'].includes(first.lower)
  )
    return undefined;
  const head = headOf(rest);
  const definite = first.lower === 'the' || first.tag === 'ADJ' || first.tag === 'NUM' || first.tag === 'ADV';
  if (definite && rest.slice(0, 4).some(({ lower }) => ANSWERS.has(lower)) && (first.lower === 'the' || ANSWERS.has(head)))
    return undefined;
  if (dated || subject.sort === 'own') return verdict(subject.sort === 'own' ? 'fact' : 'preference');
  return verdict('preference', slotOf('likes', nameOfThing(rest)));
}
