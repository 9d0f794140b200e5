/** `I live …`, `we use …`: what is so, and what is done as a rule. */

import { contains } from '../sentences/phrases.ts';
import type { Statement } from '../sentences/statements.ts';
import type { Token } from '../sentences/tokens.ts';
import { MOMENTARY, NATIONALITIES } from '../words/adjectives.ts';
import { DWELLINGS, HEALTH, STUDIES } from '../words/nouns.ts';
import { STANDING, STYLE_WORDS } from '../words/phrases.ts';
import { wordSet } from '../words/sets.ts';
import { ALONE, BODY_HABITS, DECISIONS, HABITUAL, HANDLING, PASSING } from '../words/verbs.ts';
import { nameOfThing, slotOf } from './slots.ts';
import { has, hasAny, hasContent, isAtHand, isHabit, type Verdict, verdict } from './verdicts.ts';
import { judgeWork } from './work.ts';

const LASTING_WORK = wordSet(
  `teach run coach manage lead employ head direct chair found supervise mentor volunteer freelance specialise specialize serve edit train handle maintain report represent oversee moderate curate look`,
);
/** Where one goes without an article, again and again. */
const REGULAR = wordSet(
  'church school uni university college work therapy mass temple mosque synagogue meeting meetings bed festivals gigs concerts raves',
);
/** Tell a stance. */
const PRINCIPLES = wordSet('boycott shun swear favour favor refuse root oppose');
const AIDS = wordSet('glasses wheelchair crutches insulin cane inhaler hearing contacts');
const WITH_TOOLS = wordSet(
  'use write code deploy host run own drive ride keep store track plot build ship charge bill pay buy prefer wear carry take skip need order get cost owe plan back monitor version lint pin target support tag name call sign cache query index start end finish turn',
);
/** With these, `the` does not point at something of the conversation. */
const WITH_ARTICLE = wordSet('play take use ride speak own attend');

export function judgePresent(statement: Statement, dated: boolean): Verdict | undefined {
  const habit = isHabit(statement);
  const idiom = judgeIdiom(statement, dated, habit);
  if (idiom !== undefined) return idiom === 'talk' ? undefined : idiom;
  return isTalk(statement, habit, dated) ? undefined : judgeGenerally(statement, dated, habit);
}

/** Verbs that mean something of their own with what follows them. */
function judgeIdiom(statement: Statement, dated: boolean, habit: boolean): Verdict | 'talk' | undefined {
  const { verb, rest, negated, adverbs } = statement;
  const first = rest[0]?.lower ?? '';
  if (rest.every(({ lower }) => lower === 'anymore' || lower === 'now' || lower === 'much'))
    return ALONE.has(verb) ? verdict('long_lived', slotOf('does', verb)) : 'talk';
  if (verb === 'live' && ['ADP', 'ADV', 'NUM'].includes(rest[0]?.tag ?? '')) {
    const place = rest.some(({ lower }) => /^(?:in|at|near|on)$/.test(lower));
    const alone = hasAny(rest, wordSet('with alone own'));
    return hasContent(rest) ? verdict('long_lived', alone ? 'household' : place ? 'home' : undefined) : 'talk';
  }
  if (verb === 'eat' && /^(?:everything|anything)$/.test(first)) return verdict('long_lived');
  if (verb === 'work' && rest.slice(0, 2).some(({ lower }) => /^(?:best|better)$/.test(lower)) && rest.length > 2)
    return verdict('preference');
  if (verb === 'work') return judgeWork(statement) ?? 'talk';
  if (verb === 'do' && negated && rest[0]?.tag === 'NOUN') return verdict('long_lived');
  if (verb === 'mind')
    return negated && hasContent(rest) && first !== 'the' ? verdict('preference', slotOf('likes', nameOfThing(rest))) : 'talk';
  if (verb === 'care' && negated && first === 'for') return hasContent(rest.slice(1)) ? verdict('preference') : 'talk';
  if (verb === 'find' && isFound(rest)) return verdict('preference');
  if (verb === 'take' && first === 'my' && /^(?:coffee|tea|steak|eggs|whisky|whiskey|martini)$/.test(rest[1]?.lower ?? ''))
    return verdict('preference');
  if (verb === 'keep' && first.endsWith('ing')) return 'talk';
  if (verb === 'keep' && /^(?:kosher|halal|vegan|vegetarian)$/.test(first)) return verdict('long_lived', 'diet');
  if (verb === 'talk' && NATIONALITIES.has(first)) return verdict('long_lived');
  if (verb === 'support' && rest[0]?.tag === 'PROPN') return verdict('preference');
  if (verb === 'use' && needsAid(rest)) return verdict('long_lived');
  if (verb === 'listen' && first === 'to' && ['NOUN', 'PROPN', 'ADJ'].includes(rest[1]?.tag ?? '') && (rest.length > 2 || adverbs.size > 0))
    return verdict('fact');
  if (verb === 'wake' && first === 'up' && rest.length > 1) return verdict('fact');
  if (verb === 'owe' && rest.some(({ tag }) => tag === 'NUM')) return verdict('short_lived');
  if (verb === 'hold' && NATIONALITIES.has(rest.find(({ lower }) => NATIONALITIES.has(lower))?.lower ?? '')) return verdict('long_lived');
  if (
    /^(?:read|watch|play|eat|drink|travel|do|cook|bake)$/.test(verb) &&
    /^a lot of|^lots of/.test(
      rest
        .slice(0, 3)
        .map(({ lower }) => lower)
        .join(' '),
    ) &&
    !isAtHand(rest)
  )
    return verdict('fact');
  if (rest.length <= 2 && rest.at(-1)?.lower === 'easily' && !PASSING.has(verb)) return verdict('long_lived');
  if (verb === 'identify' && first === 'as') return verdict('long_lived');
  if (verb === 'get' && first === 'by' && rest.some(({ lower }) => NATIONALITIES.has(lower))) return verdict('long_lived');
  if (verb === 'make' && first === 'a' && rest[1]?.lower === 'living') return verdict('long_lived');
  if (verb === 'walk' && needsAid(rest)) return verdict('long_lived');
  if (verb === 'steer' && first === 'clear') return verdict('long_lived');
  if (verb === 'get' && dated && first === 'my' && !habit) return verdict('short_lived');
  if (verb === 'get' && !dated && (hasAny(rest.slice(0, 2), HEALTH) || isQuality(rest[0]))) return verdict('long_lived');
  if (verb === 'get' && rest[0]?.tag === 'VERB' && /(?:ed|id)$/.test(first) && (dated || habit)) return verdict('fact');
  if (verb === 'read' && rest[0]?.lower === 'on') return verdict('fact');
  if (verb === 'see' && habit) return verdict('fact');
  if (verb === 'believe' && first === 'in' && rest.length > 1) return verdict('preference', slotOf('believes', nameOfThing(rest.slice(1))));
  if (PRINCIPLES.has(verb) && (verb !== 'swear' || first === 'by')) return verdict('preference');
  if (verb === 'want' || verb === 'need')
    return isStandingWant(statement) ? verdict('preference') : needsAid(rest) ? verdict('long_lived') : 'talk';
  if (verb === 'go' && first === 'by')
    return rest[1]?.tag === 'PROPN' || rest[1]?.text.includes('/') || (hasAny(rest, wordSet('name')) && rest.at(-1)?.tag === 'PROPN')
      ? verdict('long_lived', 'name')
      : 'talk';
  if (verb === 'understand' && rest[0]?.tag === 'PROPN' && rest.length <= 3) return verdict('long_lived');
  if (verb === 'know') return knowsSome(rest) ? verdict('long_lived') : 'talk';
  if (verb === 'look' && first === 'after') return hasContent(rest.slice(1)) ? verdict('fact') : 'talk';
  if (
    (!PASSING.has(verb) || verb === 'think') &&
    (first === 'best' || first === 'better' || adverbs.has('best') || adverbs.has('better')) &&
    rest.length > 1
  )
    return verdict('preference');
  if (DECISIONS.has(verb) && !habit && !dated) return 'talk';
  return undefined;
}

/** `I only want the code`, `I want no calls`, `I want all dates in ISO`. */
function isStandingWant({ verb, rest, adverbs, negated, lead }: Statement): boolean {
  const first = rest[0]?.lower ?? '';
  if (verb !== 'want' || rest.length < 2) return false;
  if ((negated && rest[0]?.tag === 'NOUN') || contains(lead, STANDING)) return true;
  if (/^(?:in|for|with|on)$/.test(lead[0]?.lower ?? '') && /^(?:my|our|all|any)$/.test(lead[1]?.lower ?? '')) return true;
  return (
    first === 'no' ||
    adverbs.has('only') ||
    adverbs.has('always') ||
    adverbs.has('never') ||
    (hasAny(rest, STYLE_WORDS) && /^(?:all|every|my|your)$/.test(first))
  );
}

/** `podcasts boring`, `crowds overwhelming`: things of a kind, and how they are. */
function isFound(rest: readonly Token[]): boolean {
  const [thing, quality] = rest;
  const generic = thing?.tag === 'NOUN' && (thing.lower.endsWith('s') || thing.lower.endsWith('ing'));
  return generic && rest.length <= 4 && ['ADJ', 'VERB'].includes(quality?.tag ?? '');
}

function needsAid(rest: readonly Token[]): boolean {
  return hasAny(rest, AIDS);
}

function knowsSome(rest: readonly Token[]): boolean {
  return (
    (rest[0]?.tag === 'PROPN' && rest.length <= 3) || /^(?:a bit of|a little|some|basic)\b/.test(rest.map(({ lower }) => lower).join(' '))
  );
}

/** What passes in the conversation, or is done to the thing at hand. */
function isTalk(statement: Statement, habit: boolean, dated: boolean): boolean {
  const { subject, verb, rest, negated } = statement;
  const first = rest[0]?.lower ?? '';
  const doubtful =
    PASSING.has(verb) &&
    !(HANDLING.has(verb) && !negated && isGeneral(rest)) &&
    !(HANDLING.has(verb) && dated && !negated && hasContent(rest)) &&
    !(HANDLING.has(verb) && subject.plural && rest.some(({ tag }) => tag === 'PROPN')) &&
    !(habit && (HABITUAL.has(verb) || (verb === 'get' && first === 'up'))) &&
    !(verb === 'keep' && (rest[0]?.tag === 'NUM' || rest[0]?.tag === 'NOUN' || first === 'a' || isPractice(statement))) &&
    !(verb === 'do' && hasContent(rest) && !negated && (first !== 'the' || isForOwn(rest))) &&
    !(verb === 'come' && first === 'from') &&
    !(verb === 'get' && first === 'up' && rest.length > 1) &&
    !(verb === 'make' && has(statement, 'own')) &&
    !(verb === 'follow' && hasAny(rest, wordSet('diet religion')));
  if (doubtful || first === 'one' || first === 'ones') return true;
  return hasContent(rest) && isAtHand(rest) && !habit && !rest.some(({ tag }) => tag === 'PROPN');
}

function judgeGenerally(statement: Statement, dated: boolean, habit: boolean): Verdict | undefined {
  const { verb, rest, adverbs } = statement;
  const first = rest[0]?.lower ?? '';
  if (!hasContent(rest)) return habit || first === 'alone' ? verdict('fact') : undefined;
  if (verb === 'come') return verdict('long_lived', 'origin');
  if (dated && !habit && !/^(?:use|own|drive|speak|study|teach|play)$/.test(verb)) return verdict('short_lived');
  if (
    first === 'the' &&
    !habit &&
    !WITH_ARTICLE.has(verb) &&
    !(HANDLING.has(verb) && statement.subject.plural) &&
    !LASTING_WORK.has(verb) &&
    !isForOwn(rest) &&
    !isPractice(statement)
  )
    return undefined;
  if (adverbs.has('always') || adverbs.has('never') || adverbs.has('only'))
    return verdict(/^(?:drink|smoke|eat|speak)$/.test(verb) ? 'long_lived' : 'preference');
  if (verb === 'study') return verdict('long_lived', 'studies');
  if (verb === 'speak') return rest[0]?.tag === 'ADP' ? undefined : verdict('long_lived', slotOf('speaks', nameOfThing(rest)));
  if (verb === 'run' && rest[0]?.tag === 'NOUN' && !/s$/.test(first) && !habit && rest.length <= 2) return undefined;
  if (verb === 'run' && !['DET', 'PRON', 'NUM'].includes(rest[0]?.tag ?? '') && !habit) return verdict('fact');
  if (verb === 'go' && first === 'to' && rest[1]?.tag === 'NOUN' && !habit && !REGULAR.has(rest[1].lower)) return undefined;
  if (/^(?:start|begin)$/.test(verb) && !habit) return undefined;
  if (verb === 'take' && /^(?:the|a|an)$/.test(first)) return verdict('fact');
  if (LASTING_WORK.has(verb) || BODY_HABITS.has(verb) || hasAny(rest, wordSet('living'))) return verdict('long_lived');
  if (
    !statement.subject.plural &&
    !HANDLING.has(verb) &&
    verb !== 'use' &&
    isForOwn(rest.filter(({ lower }) => lower !== 'in' && lower !== 'of'))
  )
    return verdict('long_lived');
  if (/^(?:share|rent|own)$/.test(verb) && hasAny(rest, DWELLINGS)) return verdict('long_lived');
  return verdict((/^(?:attend|go)$/.test(verb) && hasAny(rest, STUDIES)) || isCalling(statement, habit) ? 'long_lived' : 'fact');
}

/** `I guide walking tours`, `I restore paintings`: what one does, rather than what one does it with. */
function isCalling({ subject, verb, rest, negated }: Statement, habit: boolean): boolean {
  return (
    subject.sort === 'user' &&
    !subject.plural &&
    !negated &&
    !habit &&
    !WITH_TOOLS.has(verb) &&
    !PASSING.has(verb) &&
    rest.slice(0, 2).some(({ tag }) => tag === 'NOUN') &&
    !rest.slice(0, 2).some(({ tag, lower }) => tag === 'PROPN' || (tag === 'ADP' && lower !== 'for') || lower === 'the' || lower === 'my')
  );
}

/** `we host the wiki on a NAS`, `I keep the books for a choir`: how it is done. */
function isPractice({ subject, rest, verb }: Statement): boolean {
  return (
    (subject.plural || verb === 'keep') &&
    rest.some(({ tag }, i) => i > 1 && tag === 'ADP' && rest[i + 1] !== undefined && rest[i + 1]?.lower !== 'the')
  );
}

/** `I get carsick`, not `I get confused`. */
function isQuality(first: Token | undefined): boolean {
  return first?.tag === 'ADJ' && !MOMENTARY.has(first.lower) && !/(?:ed|ing)$/.test(first.lower);
}

/** `wedding videos`, `sourdough`, `on a Dvorak layout`: things of a kind, not the one at hand. */
function isGeneral(rest: readonly Token[]): boolean {
  const [first, second] = rest;
  if (!first || isAtHand(rest)) return false;
  const kind = ['NOUN', 'ADJ', 'PROPN'].includes(first.tag) || /^(?:my|our)$/.test(first.lower);
  const placed =
    first.tag === 'ADP' && (/^(?:a|an|my|our)$/.test(second?.lower ?? '') || second?.tag === 'PROPN' || second?.tag === 'NOUN');
  return (kind || placed) && rest.some(({ tag }) => tag === 'NOUN' || tag === 'PROPN');
}

/** `the accounts for our choir`. */
function isForOwn(rest: readonly Token[]): boolean {
  return rest.some(
    ({ lower }, i) => /^(?:for|at|in|of)$/.test(lower) && (/^(?:my|our)$/.test(rest[i + 1]?.lower ?? '') || rest[i + 1]?.tag === 'PROPN'),
  );
}
