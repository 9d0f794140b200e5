import { isOccupation, namesRelation } from '../sentences/people.ts';
import type { Statement } from '../sentences/statements.ts';
import type { Token } from '../sentences/tokens.ts';
import { NATIONALITIES } from '../words/adjectives.ts';
import { EVENTS, HOUSEHOLD, IDENTITY, PASSING_SUBJECTS, PEOPLE, SINGLE_MATTERS } from '../words/nouns.ts';
import { wordSet } from '../words/sets.ts';
import { DECISIONS, MENTAL, SAYING } from '../words/verbs.ts';
import { isPleasure, judgeGeneric, judgeNamed } from './generics.ts';
import { isMade, judgeMatter } from './possessions.ts';
import { isMomentary, judgeRelation, ownSlot } from './relations.ts';
import { nameOfThing, slotOf } from './slots.ts';
import { judgeSystem } from './systems.ts';
import { type Circumstances, hasAny, hasContent, headOf, isHabit, type Verdict, verdict } from './verdicts.ts';

const FAVOURITE = wordSet('favourite favorite favourites favorites go-to preferred');

const RESCHEDULING = wordSet('move reschedule postpone push shift extend delay');
const PLEASURES = wordSet('pleasure weakness hobby hobbies passion peeve peeves obsession pastime taste tastes style cup');
const HOME_OR_WORK = wordSet(
  'house home household family place office team company clinic school shop practice firm department lab hospital restaurant village town street building block area country studio store church club org organisation organization startup warehouse factory',
);
const GUESSED = wordSet('would should could might may');

export function judgeOwn(statement: Statement, circumstances: Circumstances): Verdict | undefined {
  const { subject, rest, verb, modal } = statement;
  const head = ownHead(subject.tokens);
  const place = subject.tokens.findIndex(({ tag, lower }) => tag === 'ADP' && lower !== 'of');
  const relation = namesRelation(place === -1 ? subject.tokens : subject.tokens.slice(0, place)) || isOccupation(head);
  if ((!hasContent(rest) && head !== 'pronouns' && !relation && statement.aspect !== 'progressive') || GUESSED.has(modal)) return undefined;
  const being = verb === 'be' || (statement.aspect === 'progressive' && statement.verbs.length === 2);
  if (being && verb !== 'be' && /^(?:job|work|profession|occupation|business|trade)$/.test(head)) return verdict('long_lived', 'job');
  if (hasAny(subject.tokens, PLEASURES))
    return being && statement.tense === 'present' ? verdict('preference', ownSlot(subject.tokens)) : undefined;
  if (hasAny(subject.tokens, FAVOURITE))
    return being && !hasAny(subject.tokens, wordSet('part bit section line version thing'))
      ? verdict('preference', slotOf('favourite', nameOfThing(subject.tokens.filter(({ lower }) => !FAVOURITE.has(lower)))))
      : undefined;
  const named = subject.tokens.some(({ lower }) => lower === "'s");
  if (
    (head === 'name' || head === 'names') &&
    (statement.negated || statement.tense === 'past' || rest[0]?.tag === 'ADJ' || rest[0]?.tag === 'ADV')
  )
    return undefined;
  if (verb === 'be' && rest[0]?.lower === 'more' && rest[1]?.lower === 'like') return undefined;
  if (NATIONALITIES.has(head) && verb === 'be' && subject.tokens.length <= 3)
    return isMomentary(rest) && rest.length < 2 && rest[0]?.lower === 'fine' ? undefined : verdict('long_lived');
  if (IDENTITY.has(head) && verb !== 'be' && circumstances.dated) return verdict('short_lived');
  if (IDENTITY.has(head) && (verb === 'be' || head === 'eyes' || head === 'hair') && !isMomentary(rest))
    return verdict('long_lived', SINGLE_MATTERS.has(head) || named ? ownSlot(subject.tokens) : undefined);
  if (EVENTS.has(head) && circumstances.dated)
    return statement.tense === 'past' && !/^(?:be|move|schedule)$/.test(verb)
      ? verdict('fact')
      : verdict('short_lived', eventSlot(subject.tokens));
  if (relation && !named) return judgeRelation(statement, circumstances);
  if (
    PASSING_SUBJECTS.has(head) &&
    !(
      /^(?:live|run)$/.test(verb) &&
      /^(?:in|on)$/.test(rest[0]?.lower ?? '') &&
      rest.slice(1).some(({ tag }) => tag === 'PROPN' || tag === 'DET')
    ) &&
    !isMade(statement) &&
    !(circumstances.dated && EVENTS.has(head))
  )
    return undefined;
  return judgeMatter(statement, head, circumstances);
}

export function judgeOther(statement: Statement, circumstances: Circumstances): Verdict | undefined {
  const { subject, verb, rest, tense, modal } = statement;
  const first = subject.tokens[0];
  if (!first) return undefined;
  const predicate = rest[0]?.lower === 'not' ? rest.slice(1) : rest;
  const ours = predicate[0]?.lower === 'my' || predicate[0]?.lower === 'our';
  if (ours && verb === 'be' && !hasAny(subject.tokens, wordSet('this that it these those here what'))) {
    if (hasAny(rest, FAVOURITE))
      return verdict('preference', slotOf('favourite', nameOfThing(rest.filter(({ lower }) => !FAVOURITE.has(lower)))));
    if (isPleasure(predicate) && tense === 'present') return verdict('preference');
    if (hasAny(rest, wordSet('language tongue name'))) return verdict('long_lived');
    return namesRelation(rest) ? verdict('long_lived') : undefined;
  }
  const generic = judgeGeneric(statement) ?? judgeNamed(statement);
  if (generic) return generic;
  if (!hasContent(rest)) return undefined;
  const head = headOf(subject.tokens);
  if (hasAny(subject.tokens, wordSet('mine ours')) && namesRelation(subject.tokens)) return judgeRelation(statement, circumstances);
  const event = hasAny(subject.tokens, EVENTS);
  const definite = first.lower === 'the' || first.lower === 'our' || ['NOUN', 'PROPN', 'ADJ', 'NUM'].includes(first.tag);
  if (event && circumstances.dated && definite && (tense !== 'past' || isMoved(statement)) && !/^(?:would|could|might|may)$/.test(modal))
    return verdict('short_lived', eventSlot(subject.tokens));
  if (event && tense === 'future' && verb === 'be' && /^(?:at|in)$/.test(rest[0]?.lower ?? '') && definite)
    return verdict('fact', eventSlot(subject.tokens));
  const team =
    first.lower === 'the' && hasAny(subject.tokens, wordSet('team board company committee landlord client management boss council group'));
  if (team && rest.length > 0 && ((DECISIONS.has(verb) && rest.length > 1) || verb === 'use')) return verdict('fact');
  if (
    verb === 'be' &&
    rest.slice(0, 2).some(({ tag }) => tag === 'DATE') &&
    !isMomentary(rest) &&
    tense === 'present' &&
    modal === '' &&
    ['NOUN', 'PROPN'].includes(first.tag) &&
    !head.endsWith('s')
  )
    return verdict('short_lived', eventSlot(subject.tokens));
  const prescribed = first.lower === 'the' && PEOPLE.has(head) && /^(?:put|diagnose|prescribe)$/.test(verb) && rest[0]?.lower === 'me';
  if (prescribed && rest.length > 2) return verdict('fact');
  if (event && isMoved(statement) && rest.some(({ text }) => /^\d{1,2}(?::\d\d|am|pm)/.test(text)))
    return verdict('fact', eventSlot(subject.tokens));
  const people = first.lower === 'the' && PEOPLE.has(head);
  if (people && /^(?:want|need|expect)$/.test(verb) && circumstances.dated) return verdict('short_lived');
  const helps =
    subject.tokens.length <= 2 &&
    subject.tokens.every(({ tag }) => tag === 'PROPN') &&
    tense === 'present' &&
    modal === '' &&
    statement.aspect === 'simple';
  if (
    helps &&
    !SAYING.has(verb) &&
    !MENTAL.has(verb) &&
    rest.length > 3 &&
    rest.at(-2)?.lower === 'for' &&
    /^(?:me|us)$/.test(rest.at(-1)?.lower ?? '')
  )
    return verdict('fact');
  if (first.lower === 'nothing' && (verb === 'beat' || (rest[0]?.lower === 'me' && rest[1]?.lower === 'like')))
    return verdict('preference');
  const system = judgeSystem(statement, head, event);
  if (system) return system;
  if (
    circumstances.dated &&
    tense !== 'past' &&
    /^(?:(?:has|have|needs?) to|must)?$/.test(modal) &&
    first.tag !== 'PRON' &&
    isScheduled(statement)
  )
    return verdict('short_lived', eventSlot(subject.tokens));
  if (verb === 'be' && rest[0] && isMomentary(rest)) return undefined;
  if ((isAtHome(rest) || isAtHome(subject.tokens)) && tense === 'present' && modal === '') return verdict('fact');
  if (/^(?:nearest|closest)$/.test(first.lower) && verb === 'be' && tense === 'present') return verdict('fact');
  const visits = first.lower === 'the' && (PEOPLE.has(head) || isOccupation(head)) && isHabit(statement) && tense === 'present';
  if (visits && !SAYING.has(verb)) return verdict('fact');
  const possessed = subject.tokens.some(({ lower }) => lower === 'our' || lower === 'my');
  if (possessed && verb === 'be' && tense === 'present')
    return namesRelation(subject.tokens) ? judgeRelation(statement, circumstances) : judgeMatter(statement, head, circumstances);
  const matter =
    first.lower === 'the' &&
    /^(?:budget|deadline|goal|target|plan|address|repo|repository|codename)$/.test(head) &&
    verb === 'be' &&
    tense === 'present';
  return matter && rest.some(({ tag }) => tag === 'NUM' || tag === 'PROPN')
    ? verdict('fact', slotOf('', nameOfThing(subject.tokens, ['for', 'of'])))
    : undefined;
}

/** `pizza night is Fridays at ours`, `Mondays are meatless in our house`. */
function isAtHome(tokens: readonly Token[]): boolean {
  return tokens.some(
    ({ lower }, i) =>
      (lower === 'ours' && /^(?:at|round)$/.test(tokens[i - 1]?.lower ?? '')) ||
      ((lower === 'our' || lower === 'my') &&
        /^(?:in|at|on)$/.test(tokens[i - 1]?.lower ?? '') &&
        (HOME_OR_WORK.has(tokens[i + 1]?.lower ?? '') || HOUSEHOLD.has(tokens[i + 1]?.lower ?? ''))),
  );
}

/** `new sofa gets delivered on Friday`, `the roofers come on the 3rd`. */
function isScheduled({ verb, rest, subject }: Statement): boolean {
  const passive = (verb === 'be' || verb === 'get') && rest.slice(0, 2).some(({ tag, lower }) => tag === 'VERB' && lower.endsWith('ed'));
  if (verb === 'be' && rest[0]?.lower === 'due') return true;
  return passive || (/^(?:arrive|come|deliver|land|expire|renew|start|begin|end)$/.test(verb) && subject.tokens.length <= 4);
}

/** `was moved to Friday` tells of a day to come. */
export function isMoved({ verb, rest }: Statement): boolean {
  return (
    RESCHEDULING.has(verb) ||
    ((verb === 'be' || verb === 'get') &&
      /^(?:moved|rescheduled|postponed|pushed|shifted|extended|delayed|scheduled)$/.test(rest[0]?.lower ?? ''))
  );
}

/** `my wife's name` is about a name, `my sister Ana` about a sister. */
function ownHead(tokens: readonly Token[]): string {
  let head = '';
  for (const { tag, lower } of tokens) {
    if (tag === 'ADP' && head !== '') break;
    if (
      (tag === 'NOUN' || tag === 'VERB' || tag === 'ADJ' || tag === 'X') &&
      lower !== 'my' &&
      lower !== 'our' &&
      (tag !== 'ADJ' || head === '')
    )
      head = lower;
    else if (tag === 'PROPN' && head === '') head = lower;
  }
  return head;
}

function eventSlot(tokens: readonly Token[]): string | undefined {
  return slotOf('', nameOfThing(tokens, ['with', 'for', 'to', 'at']));
}
