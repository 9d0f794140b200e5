/** `my sister …`, `our vet …`: what is said of people and animals that belong to the user. */

import { namesFamily } from '../sentences/people.ts';
import type { Statement } from '../sentences/statements.ts';
import type { Token } from '../sentences/tokens.ts';
import { MOMENTARY } from '../words/adjectives.ts';
import { HEALTH } from '../words/nouns.ts';
import { wordSet } from '../words/sets.ts';
import { LIKING, MENTAL, SAYING } from '../words/verbs.ts';
import { judgeBeing } from './being.ts';
import { judgeDoing } from './doing.ts';
import { judgeHaving, judgeLiking } from './having.ts';
import { nameOfThing, slotOf } from './slots.ts';
import { type Circumstances, hasAny, hasContent, isHabit, type Verdict, verdict } from './verdicts.ts';

/** Of what one perceives, what is seen from outside. */
const VISIBLE = wordSet('swear die wake watch listen cry panic accept laugh');

export function isMomentary([first, second]: readonly Token[]): boolean {
  return first !== undefined && MOMENTARY.has(first.lower) && second?.tag !== 'NOUN';
}

export function judgeRelation(statement: Statement, circumstances: Circumstances): Verdict | undefined {
  const { subject, verb, rest } = statement;
  const family = namesFamily(subject.tokens);
  if (/^(?:want|need|expect)$/.test(verb) && circumstances.dated && hasContent(rest)) return verdict('short_lived');
  if (verb === 'insist' && rest[0]?.lower === 'on' && hasContent(rest.slice(1))) return verdict('fact');
  if (/^(?:need|want)$/.test(verb) && hasContent(rest) && (isHabit(statement) || hasAny(rest, HEALTH))) return verdict('fact');
  if (SAYING.has(verb) && !circumstances.dated) return verb === 'keep' && rest[0]?.lower.endsWith('ing') ? verdict('fact') : undefined;
  if (verb === 'be') {
    const [first] = rest;
    const named = first?.lower === 'called' || first?.lower === 'named';
    const judged =
      named || first?.tag === 'PROPN'
        ? verdict('long_lived')
        : (judgeBeing(statement, circumstances) ?? judgeThem(statement, circumstances));
    if (!judged) return circumstances.dated && statement.tense !== 'past' && hasContent(rest) ? verdict('short_lived') : undefined;
    const what = named || first?.tag === 'PROPN' ? 'name' : (judged.slot ?? '');
    return verdict(
      judged.kind === 'preference' || (judged.kind === 'long_lived' && !family) ? 'fact' : judged.kind,
      what === '' ? undefined : ownSlot(subject.tokens, what),
    );
  }
  const judged = LIKING.has(verb)
    ? judgeLiking(statement, circumstances)
    : verb === 'have'
      ? judgeHaving(statement, circumstances)
      : (judgeDoing(statement, circumstances) ?? judgeTheirs(statement, circumstances));
  if (!judged) return undefined;
  const lasting =
    judged.kind === 'fact' &&
    !circumstances.dated &&
    family &&
    statement.tense === 'present' &&
    statement.aspect === 'simple' &&
    !LIKING.has(verb);
  return verdict(
    lasting ? 'long_lived' : judged.kind === 'long_lived' && !family ? 'fact' : judged.kind,
    judged.slot === undefined ? undefined : ownSlot(subject.tokens, judged.slot),
  );
}

/** What others are is told because it lasts, but for moods. */
function judgeThem({ rest, tense, modal }: Statement, { dated }: Circumstances): Verdict | undefined {
  const [first, second] = rest;
  if (!first || tense !== 'present' || modal !== '' || isMomentary(rest) || dated) return undefined;
  if (first.tag === 'NUM') return verdict('long_lived', second === undefined || second.tag !== 'NOUN' ? 'age' : undefined);
  if (first.tag === 'ADP') return second && second.lower !== 'me' && hasContent(rest.slice(1)) ? verdict('fact') : undefined;
  if (first.tag === 'VERB') return first.lower.endsWith('ed') && hasContent(rest.slice(1)) ? verdict('fact') : undefined;
  return first.tag === 'ADJ' && !/(?:ed|ing)$/.test(first.lower) ? verdict('long_lived') : undefined;
}

/** The same of what they do. */
function judgeTheirs(statement: Statement, { dated }: Circumstances): Verdict | undefined {
  const { verb, rest, tense, aspect, modal } = statement;
  if (tense === 'future' && statement.negated && modal === '' && !dated)
    return MENTAL.has(verb) || !hasContent(rest) ? undefined : verdict('fact');
  if (modal !== '' || tense === 'future' || aspect === 'progressive') return undefined;
  if (dated && tense === 'present' && aspect === 'simple' && /^(?:arrive|come|leave|land|return|visit|start|go|fly)$/.test(verb))
    return verdict('short_lived');
  if (tense === 'past' || aspect === 'perfect') return /^(?:die|pass|put|diagnose)$/.test(verb) || dated ? verdict('fact') : undefined;
  return MENTAL.has(verb) && !VISIBLE.has(verb) && !isHabit(statement) && !(verb === 'get' && rest[0]?.tag === 'ADJ')
    ? undefined
    : verdict('fact');
}

export function ownSlot(tokens: readonly Token[], what = ''): string | undefined {
  return slotOf('', `${nameOfThing(tokens)} ${what}`.trim());
}
