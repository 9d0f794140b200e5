/** Finds who or what a clause is about. */

import { FAMILY, HOUSEHOLD, PETS } from '../words/nouns.ts';
import { ADVERBS } from '../words/phrases.ts';
import { wordSet } from '../words/sets.ts';
import { COMMON } from '../words/verbs.ts';
import type { Token } from './tokens.ts';

/** `user` is `I` or `we`; `own` is `my sister`; `both` is `my sister and I`; `other` is anything else. */
export type SubjectSort = 'user' | 'own' | 'both' | 'other';

export interface FoundSubject {
  readonly sort: SubjectSort;
  readonly from: number;
  readonly to: number;
  readonly plural: boolean;
}

/** `the first time I …`, not `the choir I sing in`. */
const TIMES_BEFORE = wordSet(
  'time day moment week month year night morning evening afternoon weekend summer winter spring autumn once days weeks months years minute second season',
);

export function findSubject(tokens: readonly Token[]): FoundSubject | undefined {
  const first = tokens[0];
  if (!first) return undefined;
  if (isUser(first)) return { sort: 'user', from: 0, to: 1, plural: first.lower === 'we' };
  if (first.lower === 'me' && tokens[1]?.lower === 'and') {
    const end = endOfNoun(tokens, 2);
    if (end > 2) return { sort: 'both', from: 0, to: end, plural: true };
  }
  const pronoun = tokens.findIndex((each, i) => i < 9 && isUser(each));
  const clause = pronoun > 0 && pronoun <= 4 ? endOfRelative(tokens, pronoun) : -1;
  if (clause !== -1) return { sort: 'other', from: 0, to: clause, plural: false };
  if (pronoun > 0) {
    const before = tokens.slice(0, pronoun);
    if (tokens[pronoun - 1]?.lower === 'and' && pronoun <= 6 && !before.some((each) => isVerbal(each) || each.tag === 'ADP'))
      return { sort: 'both', from: 0, to: pronoun + 1, plural: true };
    if (
      !before.some(isVerbal) &&
      (pronoun <= 2 || ['ADP', 'ADV', 'DET', 'NUM', 'SCONJ', 'ADJ', 'DATE'].includes(first.tag)) &&
      !isQuoting(before) &&
      !(/^(?:the|a|an)$/.test(first.lower) && tokens[pronoun - 1]?.tag === 'NOUN' && !TIMES_BEFORE.has(tokens[pronoun - 1]?.lower ?? ''))
    ) {
      return { sort: 'user', from: pronoun, to: pronoun + 1, plural: tokens[pronoun]?.lower === 'we' };
    }
  }
  const owned = tokens.findIndex(
    (each, i) =>
      i < 5 &&
      (each.lower === 'my' || each.lower === 'our' || isTheirs(tokens, i)) &&
      !tokens.slice(0, i).some(isVerbal) &&
      (i === 0 || ['ADP', 'ADV', 'NOUN', 'DET', 'NUM', 'ADJ', 'DATE'].includes(first.tag)) &&
      isAdjunct(tokens.slice(0, i)),
  );
  const part = owned === 1 && /^(?:half|all|most|both|many|some|none)$/.test(first.lower);
  const start = owned === -1 || part || (owned === 2 && tokens[1]?.lower === 'of') ? 0 : owned;
  const end = endOfNoun(tokens, start);
  if (end === -1 || end === start) return undefined;
  return { sort: owned === -1 ? 'other' : 'own', from: start, to: end, plural: /^(?:are|were|have)$/.test(tokens[end]?.lower ?? '') };
}

/** `everything I ship has to …`, `the only language I know is …`: the second verb is the main one. */
function endOfRelative(tokens: readonly Token[], pronoun: number): number {
  const first = tokens[0] as Token;
  const heads = /^(?:everything|anything|all|whatever|the|every|each)$/.test(first.lower) && tokens[pronoun - 1]?.text !== ',';
  if (!heads || tokens.slice(1, pronoun).some(({ tag }) => tag === 'ADP' || tag === 'VERB')) return -1;
  const at = tokens.findIndex(
    ({ tag, lower }, i) => i > pronoun + 1 && i < pronoun + 6 && tag === 'AUX' && /^(?:is|are|has|needs)$/.test(lower),
  );
  return at !== -1 && !tokens.slice(pronoun, at).some(({ text }) => text === ',') ? at : -1;
}

function isUser(token: Token): boolean {
  return token.text === 'I' || token.lower === 'we';
}

function isVerbal({ tag, lower }: Token): boolean {
  return (tag === 'VERB' && !lower.endsWith('ing')) || tag === 'AUX';
}

/** `the kids`, `the dog`: there is one family that is meant. */
function isTheirs(tokens: readonly Token[], i: number): boolean {
  if (tokens[i]?.lower !== 'the') return false;
  const [next, second] = [tokens[i + 1], tokens[i + 2]];
  const isKin = (each: Token | undefined) =>
    each !== undefined && (FAMILY.has(each.lower) || PETS.has(each.lower) || HOUSEHOLD.has(each.lower));
  return (
    (isKin(next) || ((next?.tag === 'ADJ' || next?.tag === 'NUM') && isKin(second))) && !/^(?:family|parent|child)$/.test(next?.lower ?? '')
  );
}

/** `yesterday`, `next year`, `at home`: ends before the noun phrase that follows it. */
function isAdjunct(tokens: readonly Token[]): boolean {
  if (tokens.length === 2 && tokens[1]?.lower === 'of')
    return tokens[0]?.tag === 'NUM' || /^(?:one|some|most|all|both|half)$/.test(tokens[0]?.lower ?? '');
  return tokens.length === 0 || tokens.at(-1)?.tag !== 'ADP';
}

function isQuoting(tokens: readonly Token[]): boolean {
  return tokens.some(
    ({ lower }) => lower === 'which' || lower === 'that' || lower === 'who' || lower === 'what' || lower === 'how' || lower === 'if',
  );
}

/** Where the verb of a noun phrase stands; -1 without one. */
function endOfNoun(tokens: readonly Token[], start: number): number {
  for (let i = start + 1; i < Math.min(tokens.length, start + 14); i++) {
    const [before, here, next] = [tokens[i - 1] as Token, tokens[i] as Token, tokens[i + 1]];
    if (here.text === ',' && next?.tag === 'PROPN') {
      const end = tokens.findIndex((each, at) => at > i && at < i + 7 && each.text === ',');
      if (end === -1) return -1;
      i = end;
      continue;
    }
    if (here.text === ',' || here.text === ':' || here.text === ';') return -1;
    if (here.tag === 'AUX' && here.lower !== 'be') return i;
    if (here.tag === 'VERB' && isFiniteVerb(here, before)) return adverbsBefore(tokens, i, start);
    const thirdPerson = here.lower.endsWith('s') && isCommonVerb(here.lower);
    const plain = COMMON.has(here.lower) && before.lower.endsWith('s');
    if (
      (thirdPerson || plain) &&
      ['NOUN', 'PROPN', 'NUM'].includes(before.tag) &&
      before.lower !== "'s" &&
      (!next || (next.tag !== 'AUX' && next.tag !== 'VERB'))
    )
      return adverbsBefore(tokens, i, start);
  }
  return -1;
}

function isFiniteVerb(here: Token, before: Token): boolean {
  if (here.lower.endsWith('ing') || before.lower === 'to' || ['DET', 'ADJ'].includes(before.tag) || before.tag === 'ADP') return false;
  if (before.lower === 'my' || before.lower === 'our' || before.lower === "'s") return false;
  return !(/^(?:called|named|based|born|written)$/.test(here.lower) && before.tag !== 'AUX');
}

function isCommonVerb(lower: string): boolean {
  return (
    COMMON.has(lower.slice(0, -1)) || COMMON.has(lower.slice(0, -2)) || (lower.endsWith('ies') && COMMON.has(`${lower.slice(0, -3)}y`))
  );
}

function adverbsBefore(tokens: readonly Token[], verb: number, start: number): number {
  let at = verb;
  while (at - 1 > start && ADVERBS.has(tokens[at - 1]?.lower ?? '')) at--;
  return at;
}
