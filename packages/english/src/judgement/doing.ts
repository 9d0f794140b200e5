/** `I live …`, `I bought …`, `I am writing …`: what the user does, did and will do. */

import type { Statement } from '../sentences/statements.ts';
import type { Token } from '../sentences/tokens.ts';
import { ANSWERS } from '../words/nouns.ts';
import { wordSet } from '../words/sets.ts';
import { ABILITIES, ALONE, BODY_HABITS, DECISIONS, ERRANDS, HANDLING, MENTAL, PASSING, PLANS } from '../words/verbs.ts';
import { judgePast } from './past.ts';
import { judgePresent } from './present.ts';
import { judgeProgressive } from './progressive.ts';
import { nameOfThing, slotOf } from './slots.ts';
import { type Circumstances, hasAny, hasContent, isAtHand, type Verdict, verdict } from './verdicts.ts';

const GOALS =
  wordSet(`learn visit run travel move buy start quit lose save become retire marry study apply join improve switch open publish adopt found go conceive gain cut reduce eat drink sell pass graduate finish launch
  have write read build get climb migrate earn exercise sleep stop pay complete invest emigrate hike cycle swim play compete qualify raise`);

export function judgeDoing(statement: Statement, circumstances: Circumstances): Verdict | undefined {
  const { verb, rest, modal, tense, aspect, adverbs } = statement;
  const { dated, contrasted } = circumstances;
  if (adverbs.has('rather') && modal === 'would') return hasContent(rest) || !PASSING.has(verb) ? verdict('preference') : undefined;
  if (modal === 'used to') return contrasted || PASSING.has(verb) || !hasContent(rest) ? undefined : verdict('fact');
  if (modal === 'can') return judgeAbility(statement, dated);
  if (modal === 'would' && /^(?:take|choose|pick|go)$/.test(verb) && rest.some(({ lower }) => lower === 'over'))
    return verdict('preference');
  if (modal === 'could' && verb === 'live' && /^(?:on|off)$/.test(rest[0]?.lower ?? '') && hasContent(rest)) return verdict('preference');
  if (modal === 'could' && /^(?:eat|drink|watch|read|listen)$/.test(verb) && hasContent(rest) && hasAny(rest, wordSet('every all')))
    return verdict('preference');
  if (['would', 'could', 'should', 'might', 'may', 'shall'].includes(modal)) return undefined;
  if (/^(?:need|needs|have|has|got|supposed) to$|^must$|^due to$/.test(modal))
    return judgeErrand(statement, dated) ?? judgeRequirement(statement);
  if (modal !== '') return judgeGoal(statement, dated);
  if (tense === 'future') return judgePlan(statement, dated);
  if (aspect === 'progressive') return tense === 'past' ? undefined : judgeProgressive(statement, dated);
  if (DECISIONS.has(verb) && (tense === 'past' || aspect === 'perfect') && rest[0]?.lower !== 'up')
    return !isOneOfAnswers(rest) && (rest.length > 1 || rest[0]?.tag === 'PROPN') && hasContent(rest)
      ? verdict('fact', decisionSlot(statement))
      : undefined;
  if (tense === 'past' || aspect === 'perfect') return judgePast(statement, circumstances);
  if (circumstances.recurs && verb === 'want' && hasContent(rest)) return verdict('preference');
  return judgePresent(statement, dated);
}

function judgeAbility({ verb, rest, negated, adverbs }: Statement, dated: boolean): Verdict | undefined {
  if (/^(?:stand|bear|abide)$/.test(verb))
    return negated && hasContent(rest) ? verdict('preference', slotOf('likes', nameOfThing(rest))) : undefined;
  if (dated) return negated && hasContent(rest) && !MENTAL.has(verb) ? verdict('short_lived') : undefined;
  if (rest.length === 0) return ALONE.has(verb) ? verdict('long_lived') : undefined;
  if (!hasContent(rest) || isAtHand(rest) || rest[0]?.lower === 'the') return undefined;
  if (negated && /^(?:get|live|go|do)$/.test(verb) && hasAny(rest.slice(0, 1), wordSet('enough without'))) return verdict('preference');
  if (ABILITIES.has(verb)) return verdict('long_lived');
  if (adverbs.has('only') || hasAny(rest, wordSet('only'))) return MENTAL.has(verb) ? undefined : verdict('preference');
  const onOwn = rest.some(({ lower }, i) => /^(?:on|in|at|from)$/.test(lower) && /^(?:my|our|this)$/.test(rest[i + 1]?.lower ?? ''));
  return negated && !MENTAL.has(verb) && (verb === 'do' || onOwn || !HANDLING.has(verb))
    ? verdict(onOwn ? 'fact' : 'long_lived')
    : undefined;
}

function judgeErrand({ verb, rest, negated }: Statement, dated: boolean): Verdict | undefined {
  if (negated || !hasContent(rest) || isAtHand(rest)) return undefined;
  const watched =
    verb === 'watch' && rest[0]?.lower === 'my' && hasAny(rest, wordSet('cholesterol weight sugar salt pressure iron diet intake carbs'));
  if (watched) return verdict('long_lived');
  if (verb === 'avoid' || verb === 'limit') return verdict('long_lived');
  if (BODY_HABITS.has(verb) && rest[0]?.lower !== 'the') return verdict('long_lived');
  const own = rest[0]?.lower === 'my' || rest[0]?.lower === 'our';
  return dated || (ERRANDS.has(verb) && !PASSING.has(verb)) || (own && !PASSING.has(verb)) ? verdict('short_lived') : undefined;
}

/** `we need to support Safari 14`. */
function judgeRequirement({ subject, verb, rest, negated }: Statement): Verdict | undefined {
  return subject.plural && !negated && !PASSING.has(verb) && rest[0]?.tag === 'PROPN' ? verdict('fact') : undefined;
}

function judgeGoal({ verb, rest, modal, negated }: Statement, dated: boolean): Verdict | undefined {
  if (
    negated ||
    !hasContent(rest) ||
    isAtHand(rest) ||
    (rest[0]?.lower === 'the' && !dated && rest[1]?.tag !== 'PROPN' && !/^(?:learn|play|visit|climb)$/.test(verb))
  )
    return undefined;
  if (
    /^(?:see|know|understand|ask|make|be|do|say|check|try|find|figure|look|talk|discuss|add|use)$/.test(verb) &&
    !(dated && verb === 'see')
  )
    return undefined;
  const firm = /^(?:plan|plans|planning|intend|intending|aim|aiming|hope|hoping) to$/.test(modal);
  return firm || dated || GOALS.has(verb) ? verdict(dated ? 'short_lived' : 'fact') : undefined;
}

function judgePlan({ verb, rest, negated, verbs, lead }: Statement, dated: boolean): Verdict | undefined {
  if (!hasContent(rest)) return undefined;
  if (dated && (!PASSING.has(verb) || /^(?:make|give|send|show|become|put|do|meet|find|talk)$/.test(verb))) return verdict('short_lived');
  if (!negated && (!PASSING.has(verb) || PLANS.has(verb)) && lead.length === 2 && lead[0]?.lower === 'one' && lead[1]?.lower === 'day')
    return verdict('fact');
  const firm = verbs.some(({ lower }) => lower === 'going' || lower === 'about');
  return firm && PLANS.has(verb) && !negated && rest[0]?.lower !== 'the' && !isAtHand(rest) ? verdict('short_lived') : undefined;
}

/** `I chose B`, `I picked the second one`, `I decided to ignore the warning`. */
function isOneOfAnswers(rest: readonly Token[]): boolean {
  if (/^(?:[a-z]|\d)$/.test(rest[0]?.lower ?? '') && rest.length === 1) return true;
  if (rest[0]?.lower === 'to')
    return PASSING.has(rest[1]?.lower ?? '') && rest[2]?.lower === 'the' && !rest.some(({ tag }) => tag === 'PROPN');
  return rest[0]?.lower === 'the' && hasAny(rest.slice(1, 3), ANSWERS) && rest.length <= 3;
}

function decisionSlot({ rest }: Statement): string | undefined {
  const at = rest.findIndex(({ lower }) => lower === 'for');
  return at === -1 ? undefined : slotOf('decision', nameOfThing(rest.slice(at + 1)));
}
