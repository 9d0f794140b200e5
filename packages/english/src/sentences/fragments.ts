/** Clauses without their subject, as people type them: `just moved to Lisbon`, `allergic to cats`, `fav color is teal`. */

import { DATE } from '../dates/dates.ts';
import { hasHabit, headOf } from '../judgement/verdicts.ts';
import { plainForm } from '../wording/conjugation.ts';
import { BODY, EVENTS as EVENT_NOUNS, FAMILY, HEALTH, HOUSEHOLD, IDENTITY, NOT_ONGOING, PEOPLE, PETS, SYSTEMS } from '../words/nouns.ts';
import { ADVERBS } from '../words/phrases.ts';
import { wordSet } from '../words/sets.ts';
import { weekdayOf } from '../words/times.ts';
import { LIKING, PERSONAL } from '../words/verbs.ts';
import { articleFor, predicateMeant } from './fragment-predicates.ts';
import { AM, I, IS, inside, MY } from './fragment-words.ts';
import { withoutOpeners } from './phrases.ts';
import { findSubject } from './subjects.ts';
import { isWord, type Token, token } from './tokens.ts';

/** The same with the subject that was meant, if it is plain which. */
export function withSubject(tokens: readonly Token[]): readonly Token[] {
  const days = tokens[0]?.lower === 'these' && tokens[1]?.lower === 'days' && tokens[2]?.lower === 'home';
  const meant = meantBy(days ? [...tokens.slice(2), ...tokens.slice(0, 2).map(inside)] : tokens);
  return meant === tokens ? tokens : meant.map((each) => (each === tokens[0] ? inside(each) : each));
}

function meantBy(tokens: readonly Token[]): readonly Token[] {
  let at = 0;
  while (ADVERBS.has(tokens[at]?.lower ?? '') && tokens[at]?.lower !== 'both') at++;
  const [adverbs, rest] = [tokens.slice(0, at), tokens.slice(at)];
  const [first, second] = rest;
  if (!first) return tokens;
  return (
    ownNoun(rest) ??
    (second ? startingWithVerb(tokens, adverbs, rest) : undefined) ??
    predicateMeant(adverbs, rest) ??
    (startsNoun(rest) ? bareNoun(tokens) : undefined) ??
    tokens
  );
}

/** `name is Bo`, `fav color is teal`, `both my kids …`. */
function ownNoun(rest: readonly Token[]): readonly Token[] | undefined {
  const [first, second] = rest as [Token, Token | undefined];
  if (!second) return undefined;
  if (first.lower === 'home' && second.lower === 'for' && rest[2]?.lower === 'me' && rest[3]?.lower === 'is')
    return [MY, inside(first), ...rest.slice(3)];
  if (first.lower === 'both' && second.lower === 'my') return rest.slice(1);
  if (first.lower === 'it' && second.lower === 'is' && /^(?:my|our)$/.test(rest[2]?.lower ?? '')) return itIsMy(rest);
  const done =
    first.lower === 'they' &&
    rest[2]?.lower === 'me' &&
    /^(?:made|promoted|hired|fired|moved|transferred|offered|gave|laid|accepted|rejected|diagnosed|put)$/.test(second.lower);
  if (done) return [I, token('was', 'AUX', 'be'), { ...second, text: second.lower === 'gave' ? 'given' : second.lower }, ...rest.slice(3)];
  const us = first.lower === 'there' ? rest.findIndex(({ lower }, i) => i < 6 && lower === 'us' && rest[i - 1]?.lower === 'of') : -1;
  const count = rest[us - 2];
  if (count) return [I, AM, token('one', 'NUM'), token('of', 'ADP'), count, ...rest.slice(us + 1)];
  const mine = rest.findIndex(({ lower }, i) => i > 2 && i < 9 && (lower === 'my' || lower === 'our') && rest[i - 1]?.tag === 'ADP');
  if (
    first.lower === 'there' &&
    /^(?:is|are)$/.test(second.lower) &&
    mine > 0 &&
    rest.slice(mine + 1, mine + 3).some(({ lower }) => HOUSEHOLD.has(lower))
  )
    return [I, token('have', 'AUX'), ...rest.slice(2)];
  if (first.lower === 'favourite' || first.lower === 'favorite') return [MY, ...rest];
  if (first.lower === 'the' && second.lower === 'name' && rest[2]?.lower === 'is' && rest.length <= 5) return [MY, ...rest.slice(1)];
  const named = first.lower === 'names' && rest.length <= 3 && ['PROPN', 'NOUN', 'ADJ', 'VERB'].includes(second.tag);
  return named ? [MY, token('name', 'NOUN'), IS, { ...second, text: capital(second.text), tag: 'PROPN' }] : undefined;
}

/** `it is my birthday on Saturday` is about the birthday. */
function itIsMy(rest: readonly Token[]): readonly Token[] | undefined {
  const end = rest.findIndex(
    ({ tag, lower }, i) => i > 3 && (tag === 'ADP' || tag === DATE || ['today', 'tomorrow', 'next', 'this', 'tonight'].includes(lower)),
  );
  const noun = rest.slice(3, end);
  return end !== -1 && noun.some(({ lower }) => EVENT_NOUNS.has(lower)) ? [MY, ...noun, IS, ...rest.slice(end)] : undefined;
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

const HELPERS = wordSet('can could will would did have has had was must should');

/** A verb stands where its subject should. */
function startingWithVerb(tokens: readonly Token[], adverbs: readonly Token[], rest: readonly Token[]): readonly Token[] | undefined {
  const [first, second] = rest as [Token, Token];
  const third = rest[2];
  if (isOngoing(rest)) return [I, AM, ...tokens];
  if (first.lower === 'been' && isTimePassed(rest)) return undefined;
  if (first.lower === 'been') return [I, token('have', 'AUX'), ...adverbs, ...rest];
  if (first.lower === 'got' && (second.tag === 'DET' || second.tag === 'NUM') && third)
    return [I, token('have', 'AUX'), ...adverbs, ...rest.slice(1)];
  if (first.lower === 'got' && HEALTH.has(second.lower)) return [I, token('have', 'AUX'), ...adverbs, ...rest.slice(1)];
  const ahead = rest.some(({ lower }) => /^(?:tomorrow|tonight|next|today)$/.test(lower) || weekdayOf(lower, true) !== undefined);
  if (
    first.lower === 'got' &&
    /^(?:my|our|the)$/.test(second.lower) &&
    ahead &&
    rest.slice(2, 6).some(({ lower }) => EVENT_NOUNS.has(lower))
  )
    return [I, token('have', 'AUX'), ...adverbs, ...rest.slice(1)];
  if (first.lower === 'used' && second.lower === 'to' && third) return [I, ...tokens];
  if (HELPERS.has(first.lower) && second.lower === 'not' && third && third.tag !== 'PRON') return [I, ...tokens];
  if (first.lower === 'do' && second.lower === 'not' && third && (PERSONAL.has(third.lower) || LIKING.has(third.lower)))
    return [I, ...tokens];
  if (/^(?:will|would)$/.test(first.lower) && (second.lower === 'be' || second.lower === 'rather')) return [I, ...tokens];
  if (/^(?:need|have|hoping|planning|plan)$/.test(first.lower) && second.lower === 'to' && third) return [I, ...tokens];
  if (first.lower === 'have' && (second.tag === 'NUM' || (second.tag === 'DET' && rest.slice(2, 8).some(isOwnThing))))
    return [I, ...tokens];
  if (first.lower === 'had' && ['PRON', 'DET', 'NUM', 'ADJ', 'NOUN'].includes(second.tag) && second.lower !== 'you') return [I, ...tokens];
  if (/^(?:diagnosed|promoted|hired|fired)$/.test(first.lower) && second.tag === 'ADP') return [I, token('was', 'AUX', 'be'), ...tokens];
  if (isPast(first) && ['ADP', 'DET', 'NOUN', 'PROPN', 'PRON', 'VERB', 'ADJ', 'PART', 'ADV', 'NUM', 'CCONJ'].includes(second.tag))
    return hasOtherVerb(rest) ? undefined : [I, ...tokens];
  const follows = ['NOUN', 'PROPN', 'VERB', 'ADJ', 'DET', 'PRON', 'ADP', 'NUM'].includes(second.tag);
  if (LIKING.has(first.lower) && follows && first.lower !== 'like' && first.lower !== 'favour') return [I, ...tokens];
  if (/^(?:live|work|commute|suffer|identify)$/.test(first.lower) && ['ADP', 'NOUN', 'ADV'].includes(second.tag)) return [I, ...tokens];
  // `walk the beach most mornings` is no order.
  const act = first.tag === 'VERB' && first.lower === first.lemma && follows;
  return act && hasHabit(rest) && !rest.some(({ lower }) => lower === 'me' || lower === 'your') && !standing(tokens)
    ? [I, ...tokens]
    : undefined;
}

function standing(tokens: readonly Token[]): boolean {
  return tokens.some(
    ({ lower }, i) =>
      /^(?:always|never|only)$/.test(lower) || (lower === 'every' && /^(?:time|reply|answer|message)$/.test(tokens[i + 1]?.lower ?? '')),
  );
}

function isOwnThing({ lower }: Token): boolean {
  return FAMILY.has(lower) || PETS.has(lower) || HOUSEHOLD.has(lower);
}

/** `been a while`, `been a busy week`: it has been, not the user. */
function isTimePassed(rest: readonly Token[]): boolean {
  const end = rest.findIndex((each, i) => i > 0 && !isWord(each));
  const said = rest.slice(1, Math.min(end === -1 ? rest.length : end, 6));
  return (
    said.some(({ lower }) => /^(?:while|ages|forever|days?|weeks?|months?|years?|time|minute)$/.test(lower)) &&
    !said.some(({ tag }) => tag === 'ADP' || tag === 'VERB')
  );
}

/** `Making a difference and raising awareness is rewarding`: what one does is the subject. */
export function hasGerundSubject(sentence: readonly Token[]): boolean {
  const tokens = withoutOpeners(sentence).tokens;
  const is = tokens.findIndex(({ lower }) => /^(?:is|are|was|were)$/.test(lower));
  return (
    is > 1 &&
    /^[a-z]{3,}ing$/.test(tokens[0]?.lower ?? '') &&
    !tokens
      .slice(0, is)
      .some(({ text, lower }) => text === ',' || text === 'I' || /^(?:we|you|he|she|it|they|that|which|who|what|there|this)$/.test(lower))
  );
}

/** `flying to Madrid`, not `flying is fun`. */
function isOngoing(rest: readonly Token[]): boolean {
  const [first, second] = rest as [Token, Token];
  if (!/^[a-z]{2,}ing$/.test(first.lower) || NOT_ONGOING.has(first.lower)) return false;
  const leaves = second.tag === 'ADV' && rest.some(({ lower }) => lower === 'tomorrow' || weekdayOf(lower, false) !== undefined);
  if (!leaves && !['ADP', 'DET', 'PRON', 'PART', 'ADJ', 'NOUN', 'PROPN', 'NUM', DATE].includes(second.tag)) return false;
  if (EVENT_NOUNS.has(first.lower) && second.tag === 'NOUN') return false;
  return !hasOtherVerb(rest) && !hasPredicate(rest);
}

const TOLD_OF_ACTS = /^(?:felt|hurt|meant|taught|gave|became|seemed|ruined|saved|took|cost|changed|helped|broke|turned)$/;

/** `living in Paris costs a fortune`: what starts like a verb is the subject of another. */
function hasPredicate(rest: readonly Token[]): boolean {
  const told = rest.findIndex(
    ({ lower }, i) => i > 1 && (TOLD_OF_ACTS.test(lower) || (lower === 'made' && /^(?:me|us|my|it)$/.test(rest[i + 1]?.lower ?? ''))),
  );
  if (
    told !== -1 &&
    !rest
      .slice(0, told)
      .some(({ text, lower }) => text === ',' || text === 'I' || /^(?:that|which|who|and|we|since|because|to)$/.test(lower))
  )
    return true;
  return rest.some(({ lower, tag }, i) => {
    const before = rest[i - 1];
    if (
      i < 1 ||
      !before ||
      !['NOUN', 'PROPN'].includes(before.tag) ||
      rest.slice(0, i).some(({ lower: word }) => /^(?:that|which|who|where|,)$/.test(word))
    )
      return false;
    return (tag === 'VERB' && /[^s]s$/.test(lower)) || /^(?:costs?|takes|makes|needs|means|seems|feels|helps)$/.test(lower);
  });
}

/** Another verb, whose subject this would be. */
function hasOtherVerb(rest: readonly Token[]): boolean {
  const end = rest.findIndex(({ tag, text }) => text === ',' || tag === 'CCONJ' || tag === 'SCONJ');
  return rest.slice(1, end === -1 ? undefined : end).some(({ tag, lower }) => tag === 'AUX' && lower !== 'be');
}

function isPast({ lower, lemma, tag }: Token): boolean {
  return (tag === 'VERB' || tag === 'AUX') && plainForm(lower, lemma, tag).past === true && !/^(?:was|were|did|had|thought)$/.test(lower);
}

function startsNoun([first]: readonly Token[]): boolean {
  return first?.tag === 'NOUN' || first?.tag === 'ADJ' || first?.tag === 'PROPN';
}

/** Asked for, with a day or without. */
const SOUGHT_AFTER = wordSet(
  'cheap best good weather news forecast price prices ideas idea tips recipe recipes outfit gift gifts flights hotels plan plans options list menu',
);
const ALWAYS_OWN = wordSet('in-laws parents grandparents folks hubby');

/** `car is booked in`, `grandad passed away`: a single thing of the home or the family without its article is the user's. */
function bareNoun(tokens: readonly Token[]): readonly Token[] | undefined {
  const found = findSubject(tokens);
  if (found?.sort !== 'other' || found.from !== 0) return undefined;
  const subject = tokens.slice(0, found.to);
  const end = subject.findIndex(({ tag }) => tag === 'ADP');
  const noun = end === -1 ? subject : subject.slice(0, end);
  if (noun.some(({ tag }) => tag === 'DET' || tag === 'PRON')) return undefined;
  const head = headOf(subject);
  const single = !head.endsWith('s') && !subject.some(({ lower }) => lower === 'and');
  if (noun[1]?.lower === "'s" && FAMILY.has(noun[0]?.lower ?? '')) return [MY, ...tokens];
  const own =
    SYSTEMS.has(head) ||
    FAMILY.has(head) ||
    PETS.has(head) ||
    PEOPLE.has(head) ||
    HOUSEHOLD.has(head) ||
    BODY.has(head) ||
    IDENTITY.has(head);
  return (own && single && !/^(?:data|documentation|infrastructure|network|children|kids|fish|people|sheep|staff|family)$/.test(head)) ||
    ALWAYS_OWN.has(head)
    ? [MY, ...tokens]
    : undefined;
}

/** `mom's birthday dinner tonight at 8`: something that happens, and when. */
export function isAnnouncement(tokens: readonly Token[]): boolean {
  const date = tokens.findIndex(({ tag }) => tag === DATE);
  if (date < 1 || date > 8) return false;
  const before = tokens.slice(0, date);
  const verbless = !findSubject(tokens) && !tokens.some(({ tag, lower }) => tag === 'AUX' || (tag === 'VERB' && !EVENT_NOUNS.has(lower)));
  return (
    verbless &&
    !before.some(({ lower }) => SOUGHT_AFTER.has(lower)) &&
    (before.some(({ lower }) => EVENT_NOUNS.has(lower) || EVENT_NOUNS.has(lower.replace(/s$/, ''))) || isOwnEvent(before)) &&
    !['what', 'how', 'any', 'which', 'no'].includes(tokens[0]?.lower ?? '')
  );
}

/** `1:1 with my manager`, `nine hour layover in Doha`: one's own, or measured. */
function isOwnEvent(before: readonly Token[]): boolean {
  if (before.length < 2 || before.some(({ lower }) => SOUGHT_AFTER.has(lower))) return false;
  const own = before.some(({ lower }, i) => (lower === 'my' || lower === 'our') && i > 0);
  return own || (before[0]?.tag === 'NUM' && before[1]?.tag === 'NOUN' && ['NOUN', 'PROPN'].includes(before[2]?.tag ?? ''));
}

export function announced(tokens: readonly Token[]): Token[] {
  const [first, second] = tokens;
  const article = first?.tag === 'ADJ' && second?.tag === 'NOUN' ? articleFor(tokens.slice(0, 2)) : [];
  return [
    I,
    token('have', 'AUX'),
    ...article,
    ...tokens.slice(0, 1).map((each) => (each.tag === 'ADJ' ? { ...each, text: each.lower, space: true } : inside(each))),
    ...tokens.slice(1),
  ];
}

/** Fragments side by side: `retired teacher, living in Cork, so …`. */
export function partsOf(tokens: readonly Token[]): readonly (readonly Token[])[] {
  const parts: Token[][] = [[]];
  for (const each of tokens) {
    const stops = (!isWord(each) && /^[,;(–—:-]+$/.test(each.text)) || each.lower === 'so' || each.lower === 'because';
    if (stops && parts.at(-1)?.length !== 0) parts.push([]);
    else if (!stops) parts.at(-1)?.push(each);
  }
  return parts.filter((part) => part.length > 0);
}
