/** `my garden …`, `our backend …`: what is said of things that belong to the user. */

import type { Statement } from '../sentences/statements.ts';
import type { Token } from '../sentences/tokens.ts';
import { MOMENTARY } from '../words/adjectives.ts';
import { BODY, DWELLINGS, HEALTH, HOUSEHOLD, OWN_MATTERS, SINGLE_MATTERS, WORTHLESS } from '../words/nouns.ts';
import { ADVERBS } from '../words/phrases.ts';
import { wordSet } from '../words/sets.ts';
import { weekdayOf } from '../words/times.ts';
import { EVENTS, MALFUNCTIONS, OPERATIONS, SAYING } from '../words/verbs.ts';
import { nameOfThing, slotOf } from './slots.ts';
import { type Circumstances, hasAny, hasContent, headOf, isHabit, type Verdict, verdict } from './verdicts.ts';

const MADE = wordSet('called named written based hosted located due built made powered deployed capped stored scheduled booked');
/** Said of a thing only in jest. */
const PERCEIVING = wordSet('see hear think know want wonder believe laugh cry judge watch listen stare hate love');
const OUTCOMES = wordSet(
  'accepted rejected cancelled canceled approved published stolen denied granted shortlisted nominated delayed postponed',
);
const DAMAGED = wordSet('broken stuck gone messed screwed failing shot ruined lost fried toast fucked ready done finished fixed');
const SIZES = wordSet(
  'small big tiny huge old new wide narrow short low high flat bad weak dry oily sensitive terrible awful poor weird full cold hot quiet loud dirty slow',
);
const NO_PLACE = wordSet('fire trouble danger way point order pieces mess tears need front case up down out of');

/** `slot` names the thing where there is one at a time. */
export function judgeMatter(statement: Statement, head: string, circumstances: Circumstances): Verdict | undefined {
  const place = /^(?:in|on|at|with)$/.test(statement.rest[0]?.lower ?? '') && statement.verb === 'be' ? ' place' : '';
  const dwelling =
    DWELLINGS.has(head) && place !== '' && statement.subject.tokens.length <= 2 && statement.rest.some(({ tag }) => tag === 'PROPN');
  const slot = dwelling
    ? 'home'
    : SINGLE_MATTERS.has(head) || place !== ''
      ? slotOf('', `${nameOfThing(statement.subject.tokens)}${SINGLE_MATTERS.has(head) ? '' : place}`)
      : undefined;
  if (dwelling && statement.tense === 'present' && !circumstances.dated) return verdict('long_lived', slot);
  return statement.verb === 'be' ? judgeState(statement, head, circumstances, slot) : judgeDeed(statement, head, circumstances);
}

export function isMade({ verb, rest }: Statement): boolean {
  return verb === 'be' && MADE.has(rest[0]?.lower ?? '');
}

function judgeState(statement: Statement, head: string, { dated }: Circumstances, slot: string | undefined): Verdict | undefined {
  const rest = withoutAdverbs(statement.rest);
  const [first, second] = rest;
  if (!first) return undefined;
  const kept = () => verdict(dated ? 'short_lived' : 'fact', slot);
  if (statement.tense === 'past' && OUTCOMES.has(first.lower)) return verdict('fact');
  if (statement.tense === 'past') return rest.some(({ tag }) => tag === 'PROPN') && statement.modal === '' ? verdict('fact') : undefined;
  if (statement.modal !== '' && statement.modal !== 'can')
    return dated ? verdict('short_lived') : isRequired(statement) && second ? verdict('fact') : undefined;
  if (MADE.has(first.lower)) return second ? kept() : undefined;
  if (['NUM', 'PROPN', 'X', 'SYM', 'DATE'].includes(first.tag)) return kept();
  if (first.lower === 'to') return hasContent(rest.slice(2)) ? kept() : undefined;
  if (first.lower === 'at' && second?.text.endsWith('%')) return undefined;
  if (first.tag === 'ADP') return second && !NO_PLACE.has(second.lower) && hasContent(rest.slice(1)) ? kept() : undefined;
  if (first.tag === 'DET') return WORTHLESS.has(headOf(rest)) || first.lower === 'the' ? theOne(rest, kept) : kept();
  const near = HOUSEHOLD.has(head) || BODY.has(head) || HEALTH.has(head);
  if (first.tag === 'VERB') {
    if (first.lower.endsWith('ing') && !dated) return undefined;
    if (first.lower.includes('-')) return kept();
    if (DAMAGED.has(first.lower)) return BODY.has(head) ? kept() : undefined;
    return dated || near || OWN_MATTERS.has(head) ? kept() : undefined;
  }
  if (first.lower === 'open' && rest.some(({ lower }) => weekdayOf(lower, true) !== undefined || /^\d/.test(lower))) return verdict('fact');
  if (first.tag === 'ADJ' && second?.tag !== 'NOUN') return judgeQuality(first, near, dated, slot);
  return first.tag === 'PRON' || WORTHLESS.has(headOf(rest)) ? undefined : kept();
}

/** `my boss is the CTO`, not `my favourite is the first one`. */
function theOne(rest: readonly Token[], kept: () => Verdict): Verdict | undefined {
  return rest[0]?.lower === 'the' && rest.some(({ tag }) => tag === 'PROPN') ? kept() : undefined;
}

/** `my kitchen is tiny`, `our soil is acidic`; not `my code is slow`. */
function judgeQuality(first: Token, near: boolean, dated: boolean, slot: string | undefined): Verdict | undefined {
  if (MOMENTARY.has(first.lower))
    return near && SIZES.has(first.lower) ? verdict('fact', slot) : dated ? verdict('short_lived') : undefined;
  if (/(?:ed|ing)$/.test(first.lower) && !first.lower.includes('-')) return near ? verdict('fact', slot) : undefined;
  return verdict(dated ? 'short_lived' : 'fact', slot);
}

function judgeDeed(statement: Statement, head: string, { dated }: Circumstances): Verdict | undefined {
  const { verb, tense, aspect, modal, rest } = statement;
  if (verb === 'get' && rest[0]?.tag === 'VERB' && /(?:ed|en)$/.test(rest[0].lower) && tense === 'past')
    return rest.length > 1 ? verdict('fact') : undefined;
  if (verb === 'sound' || verb === 'sounds' || verb === 'read') return undefined;
  if (SAYING.has(verb) || (PERCEIVING.has(verb) && !BODY.has(head))) return undefined;
  const habit = isHabit(statement);
  if (MALFUNCTIONS.has(verb) && !habit && !(dated && (EVENTS.has(verb) || tense === 'past'))) return undefined;
  if (OPERATIONS.has(verb) && (statement.negated || !hasContent(rest))) return undefined;
  if (modal === 'can') return statement.negated ? verdict(BODY.has(head) ? 'long_lived' : 'fact') : undefined;
  if (modal !== '') return dated ? verdict('short_lived') : isRequired(statement) && hasContent(rest) ? verdict('fact') : undefined;
  if (tense === 'past' || aspect === 'perfect') return dated || (EVENTS.has(verb) && hasContent(rest)) ? verdict('fact') : undefined;
  if (tense === 'future' || aspect === 'progressive') return dated ? verdict('short_lived') : undefined;
  if (BODY.has(head) && /^(?:hurt|ache)$/.test(verb) && hasAny(rest, wordSet('when whenever after'))) return verdict('fact');
  if (BODY.has(head) && /^(?:hurt|ache|kill|itch|burn|throb|spin)$/.test(verb) && !habit) return undefined;
  if (verb === 'get' && MOMENTARY.has(rest[0]?.lower ?? '') && !habit) return undefined;
  if (verb === 'get' && HOUSEHOLD.has(head) && hasContent(rest)) return verdict('fact');
  if (verb === 'mean' || verb === 'get' || verb === 'come') return habit ? verdict('fact') : undefined;
  return dated && !habit && verb !== 'have' ? verdict('short_lived') : verdict('fact');
}

/** `our site has to be accessible`. */
function isRequired({ modal, negated }: Statement): boolean {
  return /^(?:has|have|needs?) to$|^must$/.test(modal) && !negated;
}

function withoutAdverbs(tokens: readonly Token[]): readonly Token[] {
  let at = 0;
  while (at < tokens.length - 1 && (ADVERBS.has(tokens[at]?.lower ?? '') || tokens[at]?.tag === 'ADV' || tokens[at]?.lower === 'not')) at++;
  return tokens.slice(at);
}
