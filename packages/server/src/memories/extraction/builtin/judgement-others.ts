/** `my sister …`, `our office …`, `the deadline …`: statements about others that belong to the user. */

import { judgeBeing } from './judgement-being.ts';
import { judgeDoing } from './judgement-doing.ts';
import { judgeHaving, judgeLiking } from './judgement-having.ts';
import { nameOfThing, slotOf } from './slots.ts';
import type { Statement } from './statements.ts';
import type { Token } from './tokens.ts';
import { type Circumstances, hasAny, hasContent, headOf, type Verdict, verdict } from './verdicts.ts';
import { EVENTS, FAMILY, OWN_MATTERS, PASSING_SUBJECTS, PEOPLE, PETS, SINGLE_MATTERS } from './words/nouns.ts';
import { wordSet } from './words/sets.ts';
import { DECISIONS, LIKING, SAYING } from './words/verbs.ts';

const IDENTITY =
  wordSet(`name names surname nickname age birthday birthdate email address hometown home house job profession occupation employer pronouns timezone zone language tongue size weight height type diet religion faith
  major degree blood heritage ethnicity nationality citizenship sign zodiac star hair eyes initials allergy condition username handle`);
const FAVOURITE = wordSet('favourite favorite favourites favorites go-to preferred');

const MADE = wordSet('called named written based hosted located due built made powered deployed capped stored');
const RESCHEDULING = wordSet('move reschedule postpone push shift extend delay');
/** What a business or a thing of one's own does as a rule. */
const LASTING_DEEDS = wordSet('use run have sell make offer employ speak support require start end open close');

export function judgeOwn(statement: Statement, circumstances: Circumstances): Verdict | undefined {
  const { subject, rest, verb, modal } = statement;
  const head = ownHead(subject.tokens);
  if (
    (!hasContent(rest) && head !== 'pronouns') ||
    modal === 'would' ||
    modal === 'should' ||
    modal === 'could' ||
    modal === 'might' ||
    modal === 'may'
  )
    return undefined;
  if (hasAny(subject.tokens, FAVOURITE))
    return verb === 'be' && !hasAny(subject.tokens, wordSet('part bit section line version thing'))
      ? verdict('preference', slotOf('favourite', nameOfThing(subject.tokens.filter(({ lower }) => !FAVOURITE.has(lower)))))
      : undefined;
  const named = subject.tokens.some(({ lower }) => lower === "'s");
  const relation = subject.tokens.some(({ lower }) => FAMILY.has(lower) || PETS.has(lower) || PEOPLE.has(lower));
  if (
    (head === 'name' || head === 'names') &&
    (statement.negated || statement.tense === 'past' || rest[0]?.tag === 'ADJ' || rest[0]?.tag === 'ADV')
  )
    return undefined;
  if (IDENTITY.has(head) && verb !== 'be' && circumstances.dated) return verdict('short_lived');
  if (IDENTITY.has(head))
    return verb === 'be' || head === 'eyes' || head === 'hair'
      ? verdict('long_lived', SINGLE_MATTERS.has(head) || named ? ownSlot(subject.tokens) : undefined)
      : undefined;
  if (EVENTS.has(head) && circumstances.dated)
    return statement.tense === 'past' && !/^(?:be|move|schedule)$/.test(verb)
      ? verdict('fact')
      : verdict('short_lived', eventSlot(subject.tokens));
  if (relation && !named) return judgeRelation(statement, circumstances);
  const made = verb === 'be' && MADE.has(rest[0]?.lower ?? '');
  if (PASSING_SUBJECTS.has(head) && !made && !(circumstances.dated && EVENTS.has(head))) return undefined;
  if (verb === 'be') return judgeMatter(statement, head, circumstances);
  if (OWN_MATTERS.has(head) && circumstances.dated && statement.tense === 'past') return verdict('fact');
  return (OWN_MATTERS.has(head) || LASTING_DEEDS.has(verb)) &&
    !SAYING.has(verb) &&
    statement.aspect === 'simple' &&
    statement.tense === 'present' &&
    !statement.negated &&
    modal === '' &&
    !/^(?:work|break|crash|fail|hurt|freeze)$/.test(verb)
    ? verdict('fact')
    : undefined;
}

function judgeMatter(statement: Statement, head: string, { dated }: Circumstances): Verdict | undefined {
  const { rest, subject, tense } = statement;
  const [first, second] = rest as [Token, Token | undefined];
  if (tense === 'past') return undefined;
  const slot = SINGLE_MATTERS.has(head) ? ownSlot(subject.tokens) : undefined;
  if (OWN_MATTERS.has(head)) {
    const plain = first.tag === 'ADJ' && !second;
    return plain && !/^(?:halal|kosher|vegan|vegetarian)$/.test(first.lower) ? undefined : verdict(dated ? 'short_lived' : 'fact', slot);
  }
  const says =
    MADE.has(first.lower) ||
    ['NUM', 'PROPN'].includes(first.tag) ||
    (first.lower === 'in' && second?.tag === 'PROPN') ||
    (first.lower === 'at' && second?.tag === 'PROPN');
  if (says) return verdict(dated ? 'short_lived' : 'fact', slot);
  return (first.lower === 'a' || first.lower === 'an') && !/^(?:mess|bit|problem|nightmare|disaster|pain)$/.test(headOf(rest))
    ? verdict('fact')
    : undefined;
}

function judgeRelation(statement: Statement, circumstances: Circumstances): Verdict | undefined {
  const { subject, verb, rest } = statement;
  const family = hasAny(subject.tokens, FAMILY) || hasAny(subject.tokens, PETS);
  if (SAYING.has(verb) && !circumstances.dated) return undefined;
  if (verb === 'be') {
    const [first] = rest;
    const named = first?.lower === 'called' || first?.lower === 'named';
    const judged =
      named || first?.tag === 'PROPN'
        ? verdict('long_lived')
        : (judgeBeing(statement, circumstances) ?? (first?.tag === 'NUM' && !circumstances.dated ? verdict('long_lived') : undefined));
    if (!judged) return circumstances.dated && statement.tense !== 'past' ? verdict('short_lived') : undefined;
    const what = named || first?.tag === 'PROPN' ? 'name' : (judged.slot ?? '');
    return verdict(judged.kind === 'long_lived' && !family ? 'fact' : judged.kind, what === '' ? undefined : ownSlot(subject.tokens, what));
  }
  const judged = LIKING.has(verb)
    ? judgeLiking(statement, circumstances)
    : verb === 'have'
      ? judgeHaving(statement, circumstances)
      : judgeDoing(statement, circumstances);
  if (!judged) return undefined;
  const lasting = judged.kind === 'fact' && family && statement.tense === 'present' && statement.aspect === 'simple' && !LIKING.has(verb);
  return verdict(
    lasting ? 'long_lived' : judged.kind === 'long_lived' && !family ? 'fact' : judged.kind,
    judged.slot === undefined ? undefined : ownSlot(subject.tokens, judged.slot),
  );
}

export function judgeOther(statement: Statement, circumstances: Circumstances): Verdict | undefined {
  const { subject, verb, rest, tense, modal } = statement;
  const first = subject.tokens[0];
  if (!first) return undefined;
  const ours = rest[0]?.lower === 'my' || rest[0]?.lower === 'our';
  if (ours && verb === 'be' && !hasAny(subject.tokens, wordSet('this that it these those here what'))) {
    if (hasAny(rest, FAVOURITE))
      return verdict('preference', slotOf('favourite', nameOfThing(rest.filter(({ lower }) => !FAVOURITE.has(lower)))));
    if (hasAny(rest, wordSet('language tongue name'))) return verdict('long_lived');
    return hasAny(rest, FAMILY) || hasAny(rest, PEOPLE) || hasAny(rest, PETS) ? verdict('long_lived') : undefined;
  }
  if (!hasContent(rest)) return undefined;
  const head = headOf(subject.tokens);
  const event = hasAny(subject.tokens, EVENTS);
  const definite = first.lower === 'the' || first.lower === 'our' || first.tag === 'NOUN' || first.tag === 'PROPN';
  if (event && circumstances.dated && definite && (tense !== 'past' || isMoved(statement)) && !/^(?:would|could|might|may)$/.test(modal))
    return verdict('short_lived', eventSlot(subject.tokens));
  const team =
    first.lower === 'the' && hasAny(subject.tokens, wordSet('team board company committee landlord client management boss council group'));
  if (team && rest.length > 0 && ((DECISIONS.has(verb) && rest.length > 1) || verb === 'use')) return verdict('fact');
  const possessed = subject.tokens.some(({ lower }) => lower === 'our' || lower === 'my');
  if (possessed && verb === 'be' && tense === 'present') return judgeMatter(statement, head, circumstances);
  const matter =
    first.lower === 'the' &&
    /^(?:budget|deadline|goal|target|plan|address|repo|repository|codename)$/.test(head) &&
    verb === 'be' &&
    tense === 'present';
  return matter && rest.some(({ tag }) => tag === 'NUM' || tag === 'PROPN')
    ? verdict('fact', slotOf('', nameOfThing(subject.tokens, ['for', 'of'])))
    : undefined;
}

/** `was moved to Friday` tells of a day to come. */
export function isMoved({ verb, rest }: Statement): boolean {
  return (
    RESCHEDULING.has(verb) ||
    (verb === 'be' && /^(?:moved|rescheduled|postponed|pushed|shifted|extended|delayed|scheduled)$/.test(rest[0]?.lower ?? ''))
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

function ownSlot(tokens: readonly Token[], what = ''): string | undefined {
  return slotOf('', `${nameOfThing(tokens)} ${what}`.trim());
}

function eventSlot(tokens: readonly Token[]): string | undefined {
  return slotOf('', nameOfThing(tokens, ['with', 'for', 'to', 'at']));
}
