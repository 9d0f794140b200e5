/** `I bought …`, `I have seen …`: what happened. */

import { nameOfThing, slotOf } from './slots.ts';
import type { Statement } from './statements.ts';
import type { Token } from './tokens.ts';
import { type Circumstances, hasAny, hasContent, headOf, isAtHand, type Verdict, verdict } from './verdicts.ts';
import { PASSING_THINGS } from './words/nouns.ts';
import { wordSet } from './words/sets.ts';
import { ENGAGED, EVENTS, HANDLING, MENTAL, PASSING } from './words/verbs.ts';

const NO_EVENT = wordSet('fed used rid carried confused distracted stuck lost tired bored excited lucky started done involved interested');
const LIFE = wordSet('move relocate emigrate immigrate retire marry divorce graduate separate quit grow');
const DOUBTFUL = wordSet(
  'run build install open close replace drop start stop file submit fail write deploy release merge order pick turn raise finish complete pass book ship record design land',
);

export function judgePast(statement: Statement, { dated }: Circumstances): Verdict | undefined {
  const { verb, rest, negated, aspect, verbs } = statement;
  const head = headOf(rest);
  const first = rest[0]?.lower ?? '';
  if (verb === 'get') return judgeGot(statement);
  if (verb === 'turn' && rest[0]?.tag === 'NUM' && statement.subject.sort === 'user') return verdict('long_lived', 'age');
  if (verb === 'end' && first === 'up')
    return rest.some(({ tag }) => tag === 'PROPN') && rest[1]?.tag === 'ADP' ? verdict('long_lived', 'home') : undefined;
  if (verb === 'be' || (isAtHand(rest) && !dated && !rest.some(({ tag }) => tag === 'PROPN'))) return undefined;
  if (verb === 'move' && rest[0]?.tag === 'DET') return dated ? verdict('fact') : undefined;
  if (negated && !verbs.some(({ lower }) => lower === 'never')) return dated && !PASSING.has(verb) ? verdict('fact') : undefined;
  if (!hasContent(rest) && !LIFE.has(verb)) return undefined;
  if ((verb === 'move' || verb === 'relocate' || verb === 'emigrate') && (rest.some(({ lower }) => lower === 'to') || head === '')) {
    return first === 'to' && rest[1]?.tag === 'DET' && !dated && headOf(rest.slice(2)) === '' ? undefined : verdict('long_lived', 'home');
  }
  if (PASSING.has(verb) && !EVENTS.has(verb) && !(HANDLING.has(verb) && dated && !isAtHand(rest)))
    return dated && /^(?:make|see|give|become|do|find)$/.test(verb) && first !== 'the' && rest[0]?.tag !== 'ADP'
      ? verdict('fact')
      : undefined;
  if (/^(?:book|reserve|register|enrol|enroll|enter|schedule|sign)$/.test(verb) && (dated || verb !== 'sign'))
    return verdict(dated ? 'short_lived' : 'fact');
  if (isAtHand(rest)) return undefined;
  if ((verb === 'start' && hasAny(rest, wordSet('job position role'))) || verb === 'join')
    return hasAny(rest, wordSet('at as with')) || verb === 'join'
      ? verdict('long_lived', rest.some(({ tag }) => tag === 'PROPN') ? 'employer' : undefined)
      : undefined;
  if (/^(?:quit|leave|resign)$/.test(verb) && (head === 'job' || (rest[0]?.tag === 'PROPN' && rest.length <= 2)))
    return verdict('fact', 'employer');
  if (verb === 'work' && first === 'like') return undefined;
  if (verb === 'live' || verb === 'work' || verb === 'study' || verb === 'teach')
    return aspect === 'perfect' ? (verb === 'live' ? verdict('long_lived', 'home') : verdict('long_lived')) : verdict('fact');
  if (LIFE.has(verb)) return verdict('long_lived');
  if (verb === 'stop' || verb === 'give') return rest[0]?.lower.endsWith('ing') || first === 'up' ? verdict('long_lived') : undefined;
  if (!EVENTS.has(verb)) {
    if (dated) return first !== 'the' || (aspect === 'simple' && rest.length > 4) ? verdict('fact') : undefined;
    if (aspect === 'perfect' && verbs.some(({ lower }) => lower === 'never')) return verdict('fact');
    return isSpecific(rest) ? verdict('fact') : undefined;
  }
  const definite = first === 'the' && !/^(?:offer|job|house|flat|company|position|contract)$/.test(head);
  const bare = ['NOUN', 'PROPN', 'X'].includes(rest[0]?.tag ?? '') && !first.endsWith('ing') && rest[0]?.tag !== 'PROPN';
  const counted = hasAny(rest, wordSet('twice once times'));
  if (DOUBTFUL.has(verb) && !dated && !counted && (definite || bare)) return undefined;
  return verdict('fact');
}

/** Says which: `my boiler`, `a cargo bike`, `Madame Bovary`, `three marathons`. */
function isSpecific(rest: readonly Token[]): boolean {
  const at = rest.findIndex(({ tag }) => tag !== 'ADP' && tag !== 'ADV');
  const first = rest[at];
  if (!first) return false;
  return /^(?:my|our|a|an)$/.test(first.lower) || first.tag === 'PROPN' || first.tag === 'NUM';
}

function judgeGot({ rest, aspect }: Statement): Verdict | undefined {
  const [first, second] = rest;
  if (!first) return undefined;
  if (first.lower === 'promoted' && !second) return undefined;
  if (ENGAGED.has(first.lower))
    return verdict(
      /^(?:married|engaged|divorced|separated)$/.test(first.lower) ? 'long_lived' : 'fact',
      /^(?:married|engaged|divorced|separated)$/.test(first.lower) ? 'marital status' : undefined,
    );
  if (first.lower === 'rid') return second?.lower === 'of' && hasContent(rest.slice(2)) ? verdict('fact') : undefined;
  if (first.lower === 'into') return second?.tag === 'PROPN' ? verdict('fact') : undefined;
  if (first.lower === 'made') return second?.tag === 'ADJ' || second?.tag === 'NOUN' ? verdict('fact') : undefined;
  if (NO_EVENT.has(first.lower)) return undefined;
  if (first.tag === 'VERB' && /(?:ed|en)$/.test(first.lower))
    return MENTAL.has(first.lemma) || HANDLING.has(first.lemma) ? undefined : verdict('fact');
  if (aspect === 'perfect' || !['a', 'an', 'my', 'our', 'two', 'three'].includes(first.lower) || !second) return undefined;
  const head = headOf(rest);
  if (
    PASSING_THINGS.has(head) ||
    (head === 'job' && rest.length <= 3) ||
    /^(?:response|reply|message|warning|notification|failure|exception|timeout)$/.test(head)
  )
    return undefined;
  return verdict('fact', first.lower === 'a' ? slotOf('has', nameOfThing(rest)) : undefined);
}
