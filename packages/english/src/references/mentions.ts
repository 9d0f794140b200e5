/** Whom and what a sentence names that `she`, `they` or `it` can mean in the next. */

import { isOccupation } from '../sentences/people.ts';
import { isWord, type Token, token } from '../sentences/tokens.ts';
import { NATIONALITIES } from '../words/adjectives.ts';
import { BODY, FAMILY, HOUSEHOLD, OWN_MATTERS, PEOPLE, PETS } from '../words/nouns.ts';
import { wordSet } from '../words/sets.ts';
import { monthOf, PERIODS, weekdayOf } from '../words/times.ts';

export interface Mention {
  /** `my sister Paula`; nothing for someone or something that is not the user's. */
  readonly tokens: readonly Token[];
  readonly sort: 'person' | 'animal' | 'thing';
  readonly gender: 'male' | 'female' | undefined;
  readonly plural: boolean;
  /** In lower case. */
  readonly name: string | undefined;
  /** Where in the sentence it begins and ends. */
  readonly from: number;
  readonly to: number;
  /** The earlier messages that it was named in. */
  readonly heardIn?: readonly string[] | undefined;
}

const MALE = wordSet(
  `father dad daddy brother son husband boyfriend fiance fiancé grandfather grandpa uncle nephew father-in-law brother-in-law stepson stepfather stepdad stepbrother godfather godson grandad granddad
  nonno opa abuelo hubby papa grandson landlord man guy boy gentleman lad`,
);
const FEMALE = wordSet(
  `mother mom mum mommy mummy sister daughter wife girlfriend fiancee fiancée grandmother grandma granny nana aunt auntie niece mother-in-law sister-in-law stepdaughter stepmother stepmom stepsister
  godmother goddaughter gran nan nonna oma abuela missus mam mama granddaughter landlady woman girl lady midwife`,
);
const SOMEONE = wordSet('man woman guy girl boy lady gentleman lad someone somebody person anyone kid');
const OWNING = wordSet('have has got adopted own keep bought foster fostered rescued raise breed drive ride');
/** Several without an ending that says so. */
const PLURALS = wordSet('children parents people folks in-laws bees sheep mice kids twins family staff crew');
/** Before the name of a place. */
const PLACING = wordSet('in at from near to on around via outside');

export function mentionsIn(tokens: readonly Token[]): Mention[] {
  const found: Mention[] = [];
  for (let i = 0; i < tokens.length; i++) {
    const mention = ownedAt(tokens, i) ?? acquiredAt(tokens, i) ?? strangerAt(tokens, i);
    if (!mention) continue;
    found.push(mention);
    i = Math.max(i, mention.to - 1);
  }
  return found;
}

/** `my sister Paula`, `our two cats`, `my dad's boat`, `Paula, my sister`. */
function ownedAt(tokens: readonly Token[], i: number): Mention | undefined {
  const named = nameBefore(tokens, i);
  const start = i + named.length + (named.length > 0 ? 1 : 0);
  const owner = tokens[start];
  if (!owner || !/^(?:my|our)$/.test(owner.lower)) return undefined;
  const head = headAt(tokens, start + 1);
  const noun = tokens[head];
  if (!noun) return undefined;
  const of = tokens[head + 1]?.lower === "'s" ? tokens[head + 2] : undefined;
  if (of && isKin(of)) {
    const end = nameEnd(tokens, head + 3);
    return { ...describe(tokens.slice(start, end), of, tokens.slice(head + 3, end)[0]?.lower), from: i, to: end };
  }
  const end = lowerNameEnd(tokens, head + 1) ?? nameEnd(tokens, head + 1);
  // `my dog food`
  if (end === head + 1 && isCompound(tokens, end)) return undefined;
  const name = named.length > 0 ? named : tokens.slice(head + 1, end);
  const own = [...tokens.slice(start, head + 1), ...name].filter(({ tag, lower }) => tag !== 'NUM' && lower !== 'new');
  const mention = { ...describe(own, noun, name[0]?.lower), from: i, to: end };
  // Of things, only what the sentence is about.
  return mention.sort === 'thing' && (i > 1 || BODY.has(noun.lower)) ? { ...mention, tokens: [] } : mention;
}

/** `my sister gudrun she …`: a name in small letters, as the pronoun behind it tells. */
function lowerNameEnd(tokens: readonly Token[], at: number): number | undefined {
  return /^(?:NOUN|ADJ|VERB)$/.test(tokens[at]?.tag ?? '') && /^(?:he|she)$/.test(tokens[at + 1]?.lower ?? '') && isKin(tokens[at - 1])
    ? at + 1
    : undefined;
}

/** `Paula, my sister`: the name. */
function nameBefore(tokens: readonly Token[], i: number): readonly Token[] {
  const end = isName(tokens[i]) ? nameEnd(tokens, i) : i;
  return end > i && tokens[end]?.text === ',' && /^(?:my|our)$/.test(tokens[end + 1]?.lower ?? '') ? tokens.slice(i, end) : [];
}

/** `I have two rats`, `we adopted a greyhound called Olive`. */
function acquiredAt(tokens: readonly Token[], i: number): Mention | undefined {
  if (!OWNING.has(tokens[i]?.lower ?? '') || !tokens.slice(Math.max(0, i - 4), i).some(({ text, lower }) => text === 'I' || lower === 'we'))
    return undefined;
  let at = i + 1;
  if (tokens[at]?.lower === 'got') at++;
  const [article] = tokens.slice(at, at + 1);
  if (!article || !(article.tag === 'NUM' || /^(?:a|an|some|another)$/.test(article.lower))) return undefined;
  if (article.tag !== 'NUM') at++;
  const head = headAt(tokens, at);
  const noun = tokens[head];
  if (!noun) return undefined;
  const called = /^(?:called|named)$/.test(tokens[head + 1]?.lower ?? '') || tokens[head + 1]?.text === ',';
  const from = called ? head + 2 : head + 1;
  const end = nameEnd(tokens, from);
  if (!called && tokens[end]?.tag === 'NOUN') return undefined;
  const listed = /^(?:and|\+|&)$/.test(tokens[end]?.lower ?? '') && isName(tokens[end + 1]);
  const words = tokens.slice(at, head + 1).filter(({ tag, lower }) => tag !== 'NUM' && !/^(?:new|more|other|little)$/.test(lower));
  const name = listed || end === from ? [] : tokens.slice(from, end);
  const mention = describe([token('my', 'PRON'), ...words, ...name], noun, name[0]?.lower);
  return { ...mention, from: i, to: listed ? nameEnd(tokens, end + 1) : end === from ? head + 1 : end };
}

/** Someone else whom a pronoun may mean: `Anna`, `a friend`; not what someone is said to be, `is a vet`. */
function strangerAt(tokens: readonly Token[], i: number): Mention | undefined {
  const [before, here] = [tokens[i - 1], tokens[i] as Token];
  const stranger = { tokens: [], gender: undefined, plural: false, name: undefined, from: i, to: i + 1 } as const;
  if (isName(here)) {
    if (isPredicate(tokens, i)) return undefined;
    const end = nameEnd(tokens, i);
    const place = PLACING.has(before?.lower ?? '') || before?.tag === 'DET' || before?.tag === 'ADJ' || before?.tag === 'NOUN';
    return { ...stranger, sort: place ? 'thing' : 'person', name: here.lower, to: end };
  }
  if (here.tag !== 'NOUN' && here.tag !== 'PRON') return undefined;
  const { lower } = here;
  const person = isKin(here) || SOMEONE.has(lower) || PEOPLE.has(lower) || (isOccupation(lower) && before?.tag === 'DET');
  if (here.tag === 'PRON' && !SOMEONE.has(lower)) return undefined;
  if (person && isPredicate(tokens, i)) return undefined;
  const plural = isPlural(lower);
  if (person) return { ...stranger, sort: PETS.has(lower) ? 'animal' : 'person', gender: genderOf(lower), plural };
  if (plural && PERIODS.has(lower.replace(/s$/, ''))) return undefined;
  return isPredicate(tokens, i) || !(plural || before?.tag === 'DET') ? undefined : { ...stranger, sort: 'thing', plural };
}

function describe(tokens: readonly Token[], head: Token, name: string | undefined): Omit<Mention, 'from' | 'to'> {
  const lower = kinWord(tokens, head.lower);
  const sort = PETS.has(lower) || PETS.has(lower.replace(/s$/, '')) ? 'animal' : isPersonal(lower) ? 'person' : 'thing';
  const own = tokens.map((each, i) => ({
    ...each,
    text: i === 0 ? each.lower : each.text,
    space: each.lower !== "'s",
  }));
  return { tokens: own, sort, gender: genderOf(lower), plural: isPlural(lower), name };
}

/** `mother in law` is told by its first word. */
function kinWord(tokens: readonly Token[], head: string): string {
  const law = tokens.findIndex(({ lower }, i) => lower === 'law' && tokens[i - 1]?.lower === 'in');
  return law > 1 ? (tokens[law - 2]?.lower ?? head) : head;
}

/** Where the head of a noun phrase is that begins there: a relative, an animal, or a thing of the household. */
function headAt(tokens: readonly Token[], start: number): number {
  let last = -1;
  for (let i = start; i < Math.min(tokens.length, start + 6); i++) {
    const { tag, lower } = tokens[i] as Token;
    if (lower === 'in' && tokens[i + 1]?.lower === 'law' && last !== -1) return i + 1;
    if (tag === 'PROPN' && last !== -1) break;
    if (!['ADJ', 'NOUN', 'NUM', 'PROPN'].includes(tag) && !(tag === 'VERB' && lower.endsWith('ed') && last === -1)) break;
    if (isPersonal(lower) || isKin(tokens[i]) || HOUSEHOLD.has(lower) || OWN_MATTERS.has(lower)) last = i;
    else if (isCompound(tokens, i) && last !== -1) return lowerNameEnd(tokens, i) === undefined ? -1 : last;
  }
  return tokens[last + 1]?.lower === 'in' && tokens[last + 2]?.lower === 'law' && last !== -1 ? last + 2 : last;
}

/** `my dog food`; not `my dishwasher stops`, where the tagger is wrong. */
function isCompound(tokens: readonly Token[], i: number): boolean {
  const [here, next] = [tokens[i], tokens[i + 1]];
  return here?.tag === 'NOUN' && !(/[^s]s$/.test(here.lower) && (!next || !['AUX', 'VERB', 'NOUN', 'PROPN'].includes(next.tag)));
}

function nameEnd(tokens: readonly Token[], from: number): number {
  let end = from;
  while (end < from + 4 && isName(tokens[end])) end++;
  return end;
}

function isName(word: Token | undefined): boolean {
  return (
    word !== undefined &&
    word.tag === 'PROPN' &&
    /^\p{Lu}\p{Ll}+/u.test(word.text) &&
    !NATIONALITIES.has(word.lower) &&
    weekdayOf(word.lower, true) === undefined &&
    monthOf(word.text, true) === undefined &&
    !/^(?:christmas|easter)$/.test(word.lower)
  );
}

/** `is a vet`, `works as a nurse`, `became our coach`. */
function isPredicate(tokens: readonly Token[], i: number): boolean {
  let at = i - 1;
  while (at >= 0 && ['DET', 'ADJ', 'NOUN', 'NUM', 'ADV', 'CCONJ'].includes((tokens[at] as Token).tag)) at--;
  const { lower = '', lemma = '' } = tokens[at] ?? {};
  return lemma === 'be' || /^(?:am|is|are|was|were|been|as|became|become|becoming|not)$/.test(lower);
}

function isPersonal(lower: string): boolean {
  return FAMILY.has(lower) || PEOPLE.has(lower) || FAMILY.has(lower.replace(/s$/, ''));
}

function isKin(word: Token | undefined): boolean {
  return isWord(word) && [word?.lower ?? '', (word?.lower ?? '').replace(/s$/, '')].some((each) => FAMILY.has(each) || PETS.has(each));
}

function genderOf(lower: string): Mention['gender'] {
  return MALE.has(lower) ? 'male' : FEMALE.has(lower) ? 'female' : undefined;
}

function isPlural(lower: string): boolean {
  return PLURALS.has(lower) || /[^siu]s$/.test(lower);
}
