/** `I bought …`, `I have seen …`: what happened. */

import type { Statement } from '../sentences/statements.ts';
import type { Token } from '../sentences/tokens.ts';
import { ANSWERS, PASSING_THINGS, STUDIES } from '../words/nouns.ts';
import { wordSet } from '../words/sets.ts';
import { ENGAGED, EVENTS, HANDLING, MENTAL, PASSING } from '../words/verbs.ts';
import { nameOfThing, slotOf } from './slots.ts';
import { type Circumstances, hasAny, hasContent, headOf, isAtHand, type Verdict, verdict } from './verdicts.ts';

const NO_EVENT = wordSet('fed used rid carried confused distracted stuck lost tired bored excited lucky started done involved interested');
const LIFE = wordSet('move relocate emigrate immigrate retire marry divorce graduate separate quit grow');
const CONSUMED = wordSet(
  'smoking drinking eating vaping gambling cigarettes nicotine alcohol booze wine beer meat fish dairy gluten sugar caffeine coffee bread carbs cheese chocolate soda weed cannabis',
);
const DOUBTFUL = wordSet(
  'run build install open close replace drop start stop file submit fail write deploy release merge order pick turn raise finish complete pass book ship record design land',
);

export function judgePast(statement: Statement, { dated }: Circumstances): Verdict | undefined {
  const { verb, rest, negated, aspect, verbs } = statement;
  const head = headOf(rest);
  const first = rest[0]?.lower ?? '';
  if (verb === 'get') return judgeGot(statement);
  if (verb === 'turn' && rest[0]?.tag === 'NUM') return verdict('long_lived', 'age');
  if (verb === 'end' && first === 'up')
    return rest.some(({ tag }) => tag === 'PROPN') && rest[1]?.tag === 'ADP' ? verdict('long_lived', 'home') : undefined;
  if (verb === 'be' || (isAtHand(rest) && !dated && !rest.some(({ tag }) => tag === 'PROPN'))) return undefined;
  if (verb === 'move' && rest[0]?.tag === 'DET') return dated ? verdict('fact') : undefined;
  if (negated && !verbs.some(({ lower }) => lower === 'never')) return dated && !PASSING.has(verb) ? verdict('fact') : undefined;
  if (!hasContent(rest) && !LIFE.has(verb)) return undefined;
  if ((verb === 'move' || verb === 'relocate' || verb === 'emigrate') && (rest.some(({ lower }) => lower === 'to') || head === '')) {
    if (first === 'to' && rest[1]?.tag === 'NUM' && !rest.some(({ tag }) => tag === 'PROPN')) return undefined;
    return first === 'to' && rest[1]?.tag === 'DET' && !dated && headOf(rest.slice(2)) === '' ? undefined : verdict('long_lived', 'home');
  }
  if (verb === 'support' && rest[0]?.tag === 'PROPN') return verdict('preference');
  if (verb === 'do' && (hasAny(rest, STUDIES) || hasAny(rest, wordSet('master'))) && rest[0]?.lower !== 'the') return verdict('long_lived');
  if (verb === 'go' && first === 'off' && aspect === 'perfect' && ['NOUN', 'PROPN', 'ADJ'].includes(rest[1]?.tag ?? ''))
    return verdict('preference', slotOf('likes', nameOfThing(rest.slice(1))));
  if (verb === 'go' && first === 'with' && /^(?:the|a|an|our)$/.test(rest[1]?.lower ?? '') && !isAtHand(rest) && !hasAny(rest, ANSWERS))
    return verdict('fact');
  if (verb === 'pull' && first === 'out' && rest[1]?.lower === 'of') return verdict('fact');
  if (verb === 'give' && first === 'up' && rest[1]?.lower === 'on') return undefined;
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
  if (verb === 'quit' && !hasAny(rest, CONSUMED)) return verdict('fact');
  if (LIFE.has(verb)) return verdict('long_lived');
  if (verb === 'stop' || verb === 'give')
    return rest[0]?.lower.endsWith('ing') || first === 'up' ? verdict(hasAny(rest, CONSUMED) ? 'long_lived' : 'fact') : undefined;
  if (!EVENTS.has(verb)) {
    if (dated && !rest.some(({ tag, lower }) => ['NOUN', 'PROPN', 'NUM', 'X'].includes(tag) || /^(?:abroad|out)$/.test(lower)))
      return undefined;
    if (dated) return first !== 'the' || (aspect === 'simple' && rest.length > 4) ? verdict('fact') : undefined;
    if (verbs.some(({ lower }) => lower === 'never') && (aspect === 'perfect' || /^(?:go|learn|finish|study)$/.test(verb)))
      return verdict('fact');
    return isSpecific(rest) ? verdict('fact') : undefined;
  }
  if (
    /^(?:win|lose)$/.test(verb) &&
    !dated &&
    (!rest.some(({ tag }) => tag === 'NOUN' || tag === 'PROPN') || /^(?:game|match|bet|argument|round|point)$/.test(head))
  )
    return undefined;
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
  return (
    /^(?:my|our|a|an)$/.test(first.lower) ||
    first.tag === 'PROPN' ||
    (first.tag === 'NUM' && ['NOUN', 'ADJ', 'PROPN'].includes(rest[at + 1]?.tag ?? ''))
  );
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
  if (first.lower === 'into') return second?.tag === 'PROPN' || hasAny(rest, STUDIES) ? verdict('fact') : undefined;
  if (first.lower === 'made') return second?.tag === 'ADJ' || second?.tag === 'NOUN' ? verdict('fact') : undefined;
  if (NO_EVENT.has(first.lower)) return undefined;
  if (first.tag === 'VERB' && /(?:ed|en)$/.test(first.lower))
    return MENTAL.has(first.lemma) || HANDLING.has(first.lemma) ? undefined : verdict('fact');
  if (aspect === 'perfect' || !['a', 'an', 'my', 'our', 'two', 'three', 'his', 'her', 'their'].includes(first.lower) || !second)
    return undefined;
  const head = headOf(rest);
  if (head === 'job' && hasAny(rest, wordSet('at with'))) return verdict('long_lived', 'employer');
  if (
    PASSING_THINGS.has(head) ||
    (head === 'job' && rest.length <= 3) ||
    /^(?:response|reply|message|warning|notification|failure|exception|timeout)$/.test(head)
  )
    return undefined;
  return verdict('fact', first.lower === 'a' ? slotOf('has', nameOfThing(rest)) : undefined);
}
