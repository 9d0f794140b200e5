/** `I have …` and `I like …`. */

import type { Statement } from '../sentences/statements.ts';
import type { Token } from '../sentences/tokens.ts';
import { ANSWERS, BODY, EVENTS, FAMILY, HEALTH, PASSING_THINGS, PETS, STUDIES } from '../words/nouns.ts';
import { DEMONSTRATIVES, THIRD_PERSON_PRONOUNS } from '../words/phrases.ts';
import { wordSet } from '../words/sets.ts';
import { PASSING } from '../words/verbs.ts';
import { nameOfThing, slotOf } from './slots.ts';
import { type Circumstances, hasAny, hasContent, headOf, isAtHand, isHabit, type Verdict, verdict } from './verdicts.ts';

const AILMENTS = wordSet('flu covid cold infection pneumonia injury sprain concussion fever measles chickenpox');
/** Had once, and to be remembered. */
const BIRTHS = wordSet('baby twins triplets stroke surgery operation miscarriage transplant bypass accident');
const CITIZENSHIP = wordSet('citizenship passport nationality residency');
const MOMENTARY = wordSet('headache hangover toothache sore-throat cough hiccups crush');

export function judgeHaving(statement: Statement, { dated }: Circumstances): Verdict | undefined {
  const { rest, tense, modal, aspect } = statement;
  const head = headOf(rest);
  const first = rest[0];
  if (!first || head === '' || THIRD_PERSON_PRONOUNS.has(first.lower) || DEMONSTRATIVES.has(first.lower)) return undefined;
  if (
    head === 'trouble' &&
    /^(?:sleeping|walking|hearing|breathing|seeing|swallowing|concentrating|focusing|climbing|standing)$/.test(rest[1]?.lower ?? '')
  )
    return tense === 'present' ? verdict('long_lived') : undefined;
  if (isTaste(rest)) return tense === 'present' ? verdict('preference') : undefined;
  if (
    rest.some(({ lower }) => lower === 'minutes') ||
    PASSING_THINGS.has(head) ||
    isAtHand(rest) ||
    MOMENTARY.has(head) ||
    (first.lower === 'no' && PASSING_THINGS.has(rest[1]?.lower ?? ''))
  )
    return undefined;
  const event = EVENTS.has(head) || rest.some(({ lower, tag }, i) => i < 5 && tag === 'NOUN' && EVENTS.has(lower));
  if (AILMENTS.has(head)) return tense === 'present' ? verdict('short_lived') : undefined;
  if (modal === 'can') return statement.negated && hasContent(rest) ? verdict('long_lived') : undefined;
  if (/^(?:want|wants|hope|hoping|plan|planning) to$/.test(modal) && !statement.negated)
    return hasAny(rest, FAMILY) || hasAny(rest, PETS) ? verdict('fact') : undefined;
  if (modal !== '') return undefined;
  if (aspect === 'progressive')
    return dated ? verdict('short_lived') : /^(?:baby|twins|child)$/.test(head) ? verdict('long_lived') : undefined;
  if (
    hasAny(rest, HEALTH) ||
    hasAny(rest, BODY) ||
    hasAny(rest, CITIZENSHIP) ||
    (hasKin(rest) && !hasAny(rest.slice(0, 3), wordSet('photo photos'))) ||
    (hasAny(rest, STUDIES) && !(event && dated))
  ) {
    if (!(event && dated) && !BIRTHS.has(head))
      return tense === 'past' && !dated ? undefined : verdict('long_lived', slotOf('has', nameOfThing(rest)));
  }
  // `I have Crohn's`
  if (rest.length === 2 && first.tag === 'PROPN' && rest[1]?.lower === "'s") return verdict('long_lived');
  if (tense === 'past') return dated || BIRTHS.has(head) ? verdict('fact') : undefined;
  if (isHabit(statement)) return verdict('fact');
  const comes = rest.some(({ lower }) => /^(?:coming|visiting|arriving|staying)$/.test(lower));
  if (dated && (event || comes || tense === 'future' || first.lower !== 'the'))
    return verdict('short_lived', slotOf('', nameOfThing(rest, ['with', 'for', 'to', 'at'])));
  if (event && first.lower !== 'the') return verdict('short_lived', slotOf('', nameOfThing(rest, ['with', 'for', 'to'])));
  if (first.lower === 'the' || tense === 'future') return undefined;
  return verdict('fact', slotOf('has', nameOfThing(rest)));
}

/** A sister, not a sister's watch. */
function hasKin(rest: readonly Token[]): boolean {
  return rest.some(
    ({ lower, text }, i) =>
      (FAMILY.has(lower) || PETS.has(lower)) && !(i > 0 && /^\p{Lu}\p{Ll}/u.test(text)) && rest[i + 1]?.lower !== "'s",
  );
}

/** `a sweet tooth`, `a soft spot for tractors`, `a thing for maps`. */
function isTaste(rest: readonly Token[]): boolean {
  const words = rest
    .slice(0, 5)
    .map(({ lower }) => lower)
    .join(' ');
  return (
    /^(?:a|an|quite a|such a) (?:\w+ )?(?:sweet tooth|soft spot|thing|weakness|passion|fondness|aversion|love)\b/.test(words) &&
    (rest.length > 3 || words.includes('tooth'))
  );
}

export function judgeLiking(statement: Statement, { dated }: Circumstances): Verdict | undefined {
  const { rest, modal, tense, aspect, verb, subject } = statement;
  const first = rest[0];
  const never = statement.verbs.some(({ lower }) => lower === 'never');
  if (!first || !hasContent(rest) || aspect === 'progressive' || (tense !== 'present' && !never)) return undefined;
  if (modal === 'would' && verb === 'like' && first.lower === 'to' && dated && !PASSING.has(rest[1]?.lower ?? ''))
    return verdict('short_lived');
  if (modal === 'would' ? verb !== 'prefer' : modal !== '' && modal !== 'can') return undefined;
  if (
    THIRD_PERSON_PRONOUNS.has(first.lower) ||
    DEMONSTRATIVES.has(first.lower) ||
    ['how', 'what', 'where', 'when', 'if', 'seeing'].includes(first.lower)
  )
    return undefined;
  const head = headOf(rest);
  const definite = first.lower === 'the' || first.tag === 'ADJ' || first.tag === 'NUM' || first.tag === 'ADV';
  if (ANSWERS.has(first.lower) && first.tag === 'NOUN' && rest.length <= 2) return undefined;
  if (definite && rest.slice(0, 4).some(({ lower }) => ANSWERS.has(lower)) && (first.lower === 'the' || ANSWERS.has(head)))
    return undefined;
  if (dated || subject.sort === 'own') return verdict(subject.sort === 'own' ? 'fact' : 'preference');
  return verdict('preference', slotOf('likes', nameOfThing(rest)));
}
