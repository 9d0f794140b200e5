/** `I live …`, `I bought …`, `I am writing …`: what the user does, did and will do. */

import { nameOfThing, slotOf } from './slots.ts';
import type { Statement } from './statements.ts';
import { type Circumstances, has, hasAny, hasContent, headOf, isHabit, type Verdict, verdict } from './verdicts.ts';
import { DWELLINGS, HEALTH, LONG_PROJECTS, PASSING_THINGS, STUDIES } from './words/nouns.ts';
import { STYLE_WORDS } from './words/phrases.ts';
import { wordSet } from './words/sets.ts';
import { ABILITIES, DECISIONS, ERRANDS, EVENTS, HABITUAL, PASSING, PASSING_PROGRESSIVE, PLANS, WORK } from './words/verbs.ts';

const GOALS =
  wordSet(`learn visit run travel move buy start quit lose save become retire marry study apply join improve switch open publish adopt found go conceive gain cut reduce eat drink sell pass graduate finish launch
  have write read build get climb migrate earn exercise sleep stop pay complete invest emigrate hike cycle swim play compete qualify raise`);
const SEARCHED = wordSet(
  'job apartment flat house place roommate flatmate internship position role nanny school daycare tenant cofounder co-founder work',
);
const LASTING_WORK = wordSet(
  'teach run coach manage lead employ head direct chair found supervise mentor volunteer freelance specialise specialize serve edit train',
);
const BODY_HABITS = wordSet('eat drink smoke vape take wear practise practice follow pray fast weigh suffer');
const ALONE = wordSet(
  'smoke drink drive snore meditate freelance surf ski climb paint garden knit cycle run swim sing dance cook bake hike fish code stutter stammer vape vote pray fast sail journal commute jog volunteer lift box',
);
const LIFE = wordSet('move relocate emigrate immigrate retire marry divorce graduate separate quit grow');
const DOUBTFUL = wordSet(
  'run build install open close replace drop start stop file submit fail write deploy release merge order pick turn raise finish complete pass book ship record design land',
);
const ENGAGED = wordSet('married engaged divorced promoted hired fired laid diagnosed accepted rejected pregnant separated sober');

export function judgeDoing(statement: Statement, circumstances: Circumstances): Verdict | undefined {
  const { verb, rest, modal, tense, aspect, adverbs } = statement;
  const { dated, contrasted } = circumstances;
  if (adverbs.has('rather') && modal === 'would') return hasContent(rest) || !PASSING.has(verb) ? verdict('preference') : undefined;
  if (modal === 'used to') return contrasted || PASSING.has(verb) || !hasContent(rest) ? undefined : verdict('fact');
  if (modal === 'can') return judgeAbility(statement);
  if (['would', 'could', 'should', 'might', 'may', 'shall'].includes(modal)) return undefined;
  if (/^(?:need|needs|have|has|got|supposed) to$|^must$|^due to$/.test(modal)) return judgeErrand(statement, dated);
  if (modal !== '') return judgeGoal(statement, dated);
  if (tense === 'future') return judgePlan(statement, dated);
  if (aspect === 'progressive') return tense === 'past' ? undefined : judgeProgressive(statement, dated);
  if (DECISIONS.has(verb))
    return rest.length > 1 && hasContent(rest) && (tense === 'past' || aspect === 'perfect')
      ? verdict('fact', decisionSlot(statement))
      : undefined;
  if (tense === 'past' || aspect === 'perfect') return judgePast(statement, circumstances);
  return judgePresent(statement, dated);
}

function judgeAbility({ verb, rest, negated }: Statement): Verdict | undefined {
  if (!ABILITIES.has(verb)) return undefined;
  if (/^(?:stand|bear|abide)$/.test(verb))
    return negated && hasContent(rest) ? verdict('preference', slotOf('likes', nameOfThing(rest))) : undefined;
  if (rest.length === 0) return ALONE.has(verb) ? verdict('long_lived') : undefined;
  return hasContent(rest) && !hasAny(rest.slice(0, 2), PASSING_THINGS) && rest[0]?.lower !== 'the' ? verdict('long_lived') : undefined;
}

function judgeErrand({ verb, rest, negated }: Statement, dated: boolean): Verdict | undefined {
  if (negated || !hasContent(rest) || hasAny(rest.slice(0, 3), PASSING_THINGS)) return undefined;
  if (verb === 'avoid' || verb === 'limit') return verdict('long_lived');
  return dated || (ERRANDS.has(verb) && !PASSING.has(verb)) ? verdict('short_lived') : undefined;
}

function judgeGoal({ verb, rest, modal, negated }: Statement, dated: boolean): Verdict | undefined {
  if (
    negated ||
    !hasContent(rest) ||
    hasAny(rest.slice(0, 3), PASSING_THINGS) ||
    (rest[0]?.lower === 'the' && !dated && !/^(?:learn|play|visit|climb)$/.test(verb))
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

function judgePlan({ verb, rest, negated, verbs }: Statement, dated: boolean): Verdict | undefined {
  if (!hasContent(rest)) return undefined;
  if (dated && (!PASSING.has(verb) || /^(?:make|give|send|show|become|put|do|meet|find|talk)$/.test(verb))) return verdict('short_lived');
  const firm = verbs.some(({ lower }) => lower === 'going');
  return firm && PLANS.has(verb) && !negated && rest[0]?.lower !== 'the' && !hasAny(rest.slice(0, 3), PASSING_THINGS)
    ? verdict('short_lived')
    : undefined;
}

function judgeProgressive(statement: Statement, dated: boolean): Verdict | undefined {
  const { verb, rest, verbs } = statement;
  const head = headOf(rest);
  if (!hasContent(rest) || (rest[0]?.tag === 'PRON' && !/^(?:my|our)$/.test(rest[0].lower))) return undefined;
  if (verb === 'get') return ENGAGED.has(rest[0]?.lower ?? '') ? verdict(dated ? 'short_lived' : 'long_lived') : undefined;
  if (verb === 'do') return hasAny(rest, STUDIES) ? verdict('long_lived', 'studies') : dated ? verdict('short_lived') : undefined;
  const since = verbs.some(({ lower }) => lower === 'been');
  if (verb === 'look')
    return rest[0]?.lower === 'for' && hasAny(rest, SEARCHED)
      ? verdict('short_lived')
      : rest[0]?.lower === 'after'
        ? verdict('short_lived')
        : undefined;
  if (verb === 'live') return dated && !since ? verdict('short_lived') : verdict('long_lived', 'home');
  if (verb === 'work' && rest[0]?.lower !== 'on') return judgeWork(statement) ?? verdict('short_lived');
  if (verb === 'go' && rest[0]?.lower === 'with') return rest.length > 1 ? verdict('fact') : undefined;
  if (verb === 'go' && rest[0]?.lower === 'to' && rest[1]?.tag === 'PROPN') return verdict('short_lived');
  if (verb === 'go' && rest[0]?.lower === 'through') return verdict('short_lived');
  if (dated && !since && !/^(?:wonder|think|try|get|say|mean|guess)$/.test(verb) && !hasAny(rest.slice(0, 3), PASSING_THINGS))
    return verdict('short_lived');
  if (verb === 'use' || verb === 'switch' || verb === 'run') return rest[0]?.lower === 'the' ? undefined : verdict('fact');
  if (verb === 'date' || verb === 'expect') return verdict('long_lived');
  if (verb === 'study' || verb === 'learn') return verdict('long_lived', verb === 'study' ? 'studies' : undefined);
  if (since && has(statement, 'for', 'since') && !/^(?:wonder|try|think|look|get|struggle|see|stare|sit|talk|wait)$/.test(verb))
    return verdict('fact');
  if (PASSING_PROGRESSIVE.has(verb)) return undefined;
  if (hasAny(rest.slice(0, 3), PASSING_THINGS) && !WORK.has(verb)) return undefined;
  if (since) return verdict('fact');
  const lasting =
    /^(?:build|develop|create|write|make|design|compose|produce|raise|found|run|start)$/.test(verb) &&
    (LONG_PROJECTS.has(head) || rest.slice(0, 5).some(({ lower }) => LONG_PROJECTS.has(lower)));
  return lasting ? verdict('fact') : verdict('short_lived');
}

function judgePast(statement: Statement, { dated }: Circumstances): Verdict | undefined {
  const { verb, rest, negated, aspect, verbs } = statement;
  const head = headOf(rest);
  const first = rest[0]?.lower ?? '';
  if (verb === 'get') return judgeGot(statement);
  if (verb === 'be') return undefined;
  if (negated && !verbs.some(({ lower }) => lower === 'never')) return dated && !PASSING.has(verb) ? verdict('fact') : undefined;
  if (!hasContent(rest) && !LIFE.has(verb)) return undefined;
  if ((verb === 'move' || verb === 'relocate' || verb === 'emigrate') && (rest.some(({ lower }) => lower === 'to') || head === '')) {
    return first === 'to' && rest[1]?.tag === 'DET' && !dated && headOf(rest.slice(2)) === '' ? undefined : verdict('long_lived', 'home');
  }
  if (PASSING.has(verb) && !EVENTS.has(verb))
    return dated && /^(?:make|see|give|become|do|find)$/.test(verb) && first !== 'the' ? verdict('fact') : undefined;
  if (verb === 'book' || verb === 'reserve') return verdict(dated ? 'short_lived' : 'fact');
  if (hasAny(rest.slice(0, 3), PASSING_THINGS)) return undefined;
  if ((verb === 'start' && hasAny(rest, wordSet('job position role'))) || verb === 'join')
    return hasAny(rest, wordSet('at as with')) || verb === 'join'
      ? verdict('long_lived', rest.some(({ tag }) => tag === 'PROPN') ? 'employer' : undefined)
      : undefined;
  if (/^(?:quit|leave|resign)$/.test(verb) && (head === 'job' || (rest[0]?.tag === 'PROPN' && rest.length <= 2)))
    return verdict('fact', 'employer');
  if (verb === 'live' || verb === 'work' || verb === 'study' || verb === 'teach')
    return aspect === 'perfect' ? (verb === 'live' ? verdict('long_lived', 'home') : verdict('long_lived')) : verdict('fact');
  if (LIFE.has(verb)) return verdict('long_lived');
  if (verb === 'stop' || verb === 'give') return rest[0]?.lower.endsWith('ing') || first === 'up' ? verdict('long_lived') : undefined;
  if (!EVENTS.has(verb))
    return dated && (first !== 'the' || (aspect === 'simple' && rest.length > 4))
      ? verdict('fact')
      : aspect === 'perfect' && verbs.some(({ lower }) => lower === 'never')
        ? verdict('fact')
        : undefined;
  const definite = first === 'the' && !/^(?:offer|job|house|flat|company|position|contract)$/.test(head);
  const bare = ['NOUN', 'PROPN', 'X'].includes(rest[0]?.tag ?? '') && !first.endsWith('ing') && rest[0]?.tag !== 'PROPN';
  if (DOUBTFUL.has(verb) && !dated && (definite || bare)) return undefined;
  return verdict('fact');
}

function judgeGot({ rest, aspect }: Statement): Verdict | undefined {
  const [first, second] = rest;
  if (!first) return undefined;
  if (ENGAGED.has(first.lower))
    return verdict(
      /^(?:married|engaged|divorced|separated)$/.test(first.lower) ? 'long_lived' : 'fact',
      /^(?:married|engaged|divorced|separated)$/.test(first.lower) ? 'marital status' : undefined,
    );
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

function judgePresent(statement: Statement, dated: boolean): Verdict | undefined {
  const { verb, rest, adverbs, negated } = statement;
  const first = rest[0]?.lower ?? '';
  const habit = isHabit(statement);
  if (rest.every(({ lower }) => lower === 'anymore' || lower === 'now' || lower === 'much'))
    return ALONE.has(verb) ? verdict('long_lived', slotOf('does', verb)) : undefined;
  if (verb === 'live' && (rest[0]?.tag === 'ADP' || rest[0]?.tag === 'ADV'))
    return hasContent(rest)
      ? verdict(
          'long_lived',
          rest.some(({ lower }) => lower === 'in' || lower === 'at' || lower === 'near' || lower === 'on') ? 'home' : undefined,
        )
      : undefined;
  if (verb === 'work') return judgeWork(statement);
  if (verb === 'mind')
    return negated && hasContent(rest) && first !== 'the' ? verdict('preference', slotOf('likes', nameOfThing(rest))) : undefined;
  if (verb === 'identify' && first === 'as') return verdict('long_lived');
  if (verb === 'get' && hasAny(rest.slice(0, 2), HEALTH)) return verdict('long_lived');
  if (verb === 'want' && hasAny(rest, STYLE_WORDS) && /^(?:all|every|my|your)$/.test(first)) return verdict('preference');
  if (verb === 'go' && first === 'by') return rest[1]?.tag === 'PROPN' ? verdict('long_lived', 'name') : undefined;
  if (verb === 'know')
    return (rest[0]?.tag === 'PROPN' && rest.length <= 3) ||
      /^(?:a bit of|a little|some|basic)\b/.test(rest.map(({ lower }) => lower).join(' '))
      ? verdict('long_lived')
      : undefined;
  if (verb === 'need' && hasAny(rest, wordSet('glasses wheelchair crutches insulin cane'))) return verdict('long_lived');
  if (
    PASSING.has(verb) &&
    !(habit && (HABITUAL.has(verb) || (verb === 'get' && first === 'up'))) &&
    !(verb === 'keep' && (rest[0]?.tag === 'NUM' || rest[0]?.tag === 'NOUN' || first === 'a')) &&
    !(verb === 'do' && hasContent(rest) && !negated && first !== 'the') &&
    !(verb === 'come' && first === 'from') &&
    !(verb === 'get' && first === 'up' && rest.length > 1) &&
    !(verb === 'make' && has(statement, 'own')) &&
    !(verb === 'follow' && hasAny(rest, wordSet('diet religion')))
  )
    return undefined;
  if (!hasContent(rest)) return habit || first === 'alone' ? verdict('fact') : undefined;
  if (first === 'one' || first === 'ones') return undefined;
  if (hasAny(rest.slice(0, 3), PASSING_THINGS) && !habit) return undefined;
  if (verb === 'come') return verdict('long_lived', 'origin');
  if (dated && !habit && !/^(?:use|own|drive|speak|study|teach|play)$/.test(verb)) return verdict('short_lived');
  const definite = first === 'the' && !habit && !/^(?:play|take|use|ride|speak|own|attend)$/.test(verb);
  if (definite) return undefined;
  if (adverbs.has('always') || adverbs.has('never') || adverbs.has('only'))
    return verdict(verb === 'drink' || verb === 'smoke' || verb === 'eat' ? 'long_lived' : 'preference');
  if (verb === 'study') return verdict('long_lived', 'studies');
  if (verb === 'speak' && rest[0]?.tag === 'ADP') return undefined;
  if (verb === 'run' && !['DET', 'PRON', 'NUM'].includes(rest[0]?.tag ?? '') && !habit) return verdict('fact');
  if (verb === 'speak') return verdict('long_lived', slotOf('speaks', nameOfThing(rest)));
  if (LASTING_WORK.has(verb) || BODY_HABITS.has(verb)) return verdict('long_lived');
  if (/^(?:share|rent|own)$/.test(verb) && hasAny(rest, DWELLINGS)) return verdict('long_lived');
  return verdict('fact');
}

function judgeWork({ rest }: Statement): Verdict | undefined {
  const at = rest.findIndex(({ lower }) => lower === 'at' || lower === 'for' || lower === 'with' || lower === 'in' || lower === 'as');
  const where = rest[at]?.lower;
  if (at === -1)
    return rest.some(({ tag, lower }) => tag === 'NOUN' || lower === 'remotely' || lower === 'full-time' || lower === 'part-time') &&
      rest[0]?.lower !== 'on'
      ? verdict('long_lived')
      : undefined;
  if (!hasContent(rest.slice(at + 1)) || rest[0]?.lower === 'on') return undefined;
  if (where === 'as' && at === 0 && !rest.some(({ lower }) => lower === 'at' || lower === 'for')) return verdict('long_lived', 'job');
  const employer = rest[at + 1]?.tag === 'PROPN' || where === 'at' || where === 'for' || where === 'as';
  return verdict('long_lived', employer ? 'employer' : undefined);
}

function decisionSlot({ rest }: Statement): string | undefined {
  const at = rest.findIndex(({ lower }) => lower === 'for');
  return at === -1 ? undefined : slotOf('decision', nameOfThing(rest.slice(at + 1)));
}
