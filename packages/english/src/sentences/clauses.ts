/** Sentences into clauses: the statements, questions and orders that it joins. */

import { IDENTITY } from '../words/nouns.ts';
import { CONDITIONS, COORDINATORS, QUESTION_VERBS, REASONS, SECOND_PERSON } from '../words/phrases.ts';
import { wordSet } from '../words/sets.ts';
import { COMMON } from '../words/verbs.ts';
import { type ClauseSort, openingAt, PUNCTUATION, subjectAt } from './openings.ts';
import { withoutClosers, withoutOpeners } from './phrases.ts';
import { presupposedAt } from './presuppositions.ts';
import { isWord, type Token, token } from './tokens.ts';

const ASKED_FOR = wordSet('ideas tips suggestions recommendations advice recs thoughts');

export interface Clause {
  readonly sort: ClauseSort;
  readonly tokens: readonly Token[];
  /** The word that joins it to what is before it. */
  readonly connector: string;
  /** Has no subject of its own but that of the clause before. */
  readonly shared: boolean;
  readonly remembered: boolean;
  /** Announced as a description of the user: `About me: …`. */
  readonly aboutUser: boolean;
  /** `please` or `ever` stands with it. */
  readonly pressing: boolean;
}

export function clausesOf(sentence: readonly Token[]): Clause[] {
  const asks = sentence.slice(-4).some(({ text }) => text.startsWith('?'));
  const { tokens: said, remembered } = withoutOpeners(sentence);
  const label = labelAt(said);
  const tokens = withColonAsIs(said.slice(label));
  const aboutUser = sentence.slice(0, sentence.length - tokens.length).some(({ lower }) => /^(?:me|intro|introduction)$/.test(lower));
  const clauses: Clause[] = [];
  let start = 0;
  let sort: ClauseSort = firstSort(tokens);
  let [connector, shared] = [sort === 'condition' || startsReason(tokens) ? (tokens[0]?.lower ?? '') : '', false];
  if (connector !== '') start = tokens[1]?.lower === 'that' ? 2 : 1;
  const before = presupposedAt(tokens);
  if (before) {
    clauses.push({ sort: 'statement', tokens: before.said, connector: 'as', shared: false, remembered: false, aboutUser, pressing: false });
    start = before.end;
  }
  const push = (end: number) => {
    const own = withoutClosers(withoutAsides(withoutOpeners(tokens.slice(start, end)).tokens, asks));
    const pressing = sentence.some(({ lower }) => lower === 'please' || lower === 'ever');
    if (own.some(isWord)) clauses.push({ sort, tokens: own, connector, shared, remembered, aboutUser, pressing });
  };
  for (let i = start + 1; i < tokens.length; i++) {
    const boundary = boundaryAt(tokens, start, i, connector !== '' && clauses.length === 0);
    if (!boundary) continue;
    push(i);
    ({ start, connector, shared } = boundary);
    sort = boundary.sort;
    i = start;
  }
  push(tokens.length);
  return asks ? withQuestion(withTail(clauses)) : clauses;
}

/** Without `(he is a pilot)` in the middle and `, gift ideas under 50 euros` at the end. */
function withoutAsides(tokens: readonly Token[], asked: boolean): readonly Token[] {
  const open = tokens.findIndex(({ text }) => text === '(');
  const close = open === -1 ? -1 : tokens.findIndex(({ text }, i) => i > open && text === ')');
  const aside = tokens.slice(open + 1, close).some(({ tag }) => tag === 'AUX' || tag === 'VERB');
  const own = close > open && open > 0 && aside ? [...tokens.slice(0, open), ...tokens.slice(close + 1)] : tokens;
  const comma = own.findLastIndex(({ text }) => text === ',');
  const tail = comma < 2 ? [] : own.slice(comma + 1);
  const asks = !asked && tail.some(({ lower }) => ASKED_FOR.has(lower)) && !tail.some(({ tag, text }) => tag === 'AUX' || text === 'I');
  return asks && tail.length <= 7 ? own.slice(0, comma) : own;
}

/** `My taste in furniture: mid-century`. */
function withColonAsIs(tokens: readonly Token[]): readonly Token[] {
  const colon = tokens.findIndex(({ text }, i) => i < 7 && text === ':');
  const own =
    tokens[0]?.lower === 'my' || tokens[0]?.lower === 'our' || (colon > 0 && colon <= 3 && IDENTITY.has(tokens[colon - 1]?.lower ?? ''));
  if (!own || colon < 1 || !isWord(tokens[colon + 1]) || tokens.slice(0, colon).some(({ tag }) => tag === 'VERB' || tag === 'AUX'))
    return tokens;
  return [...tokens.slice(0, colon), token('is', 'AUX', 'be'), ...tokens.slice(colon + 1)];
}

/** `me in a nutshell: …`, `a few things about me: …`. */
function labelAt(tokens: readonly Token[]): number {
  const colon = tokens.findIndex(({ text }, i) => i < 8 && text === ':');
  const label = tokens.slice(0, Math.max(0, colon));
  return label.some(({ lower }) => /^(?:me|myself|intro|introduction|introductions)$/.test(lower)) &&
    !label.some(({ tag }) => tag === 'VERB' || tag === 'AUX')
    ? colon + 1
    : 0;
}

/** `since I live in Oslo`, not `since 2019`. */
function startsReason(tokens: readonly Token[]): boolean {
  return REASONS.has(tokens[0]?.lower ?? '') && (tokens[1]?.lower === 'that' || subjectAt(tokens, 1));
}

/** `getting my teeth out on Thursday, soup ideas?`: only what follows the last comma is asked. */
function withTail(clauses: readonly Clause[]): readonly Clause[] {
  const last = clauses.at(-1);
  const comma = last?.sort === 'statement' ? last.tokens.findLastIndex(({ text }) => /^[,–—-]$/.test(text)) : -1;
  if (!last || comma < 2) return clauses;
  const tail = last.tokens.slice(comma + 1);
  if (tail.length > 6 || tail.some(({ tag }) => tag === 'AUX')) return clauses;
  return [...clauses.slice(0, -1), { ...last, tokens: last.tokens.slice(0, comma) }, { ...last, sort: 'question', tokens: tail }];
}

/** In a sentence that ends as a question the last clause is one; after a question only reasons are stated. */
function withQuestion(clauses: readonly Clause[]): Clause[] {
  const asked = clauses.findIndex(({ sort }) => sort === 'question');
  return clauses.map((clause, i) => {
    const reason = REASONS.has(clause.connector) && clause.sort === 'statement' && clauses.length > 1;
    if (reason) return clause;
    return i === clauses.length - 1 || (asked !== -1 && i >= asked) ? { ...clause, sort: 'question' } : clause;
  });
}

function firstSort(tokens: readonly Token[]): ClauseSort {
  const first = tokens[0]?.lower ?? '';
  if (CONDITIONS.has(first) || ((first === 'when' || first === 'whenever' || first === 'while') && tokens[1]?.tag === 'PRON'))
    return 'condition';
  const opening = openingAt(tokens, 0, 'start');
  return opening === 'question' || opening === 'order' ? opening : 'statement';
}

interface Boundary {
  readonly sort: ClauseSort;
  readonly start: number;
  readonly connector: string;
  readonly shared: boolean;
}

function boundaryAt(tokens: readonly Token[], from: number, i: number, afterSubordinate: boolean): Boundary | undefined {
  const here = tokens[i] as Token;
  const stops = PUNCTUATION.test(here.text);
  const joins = COORDINATORS.has(here.lower) || REASONS.has(here.lower) || CONDITIONS.has(here.lower);
  if (here.lower === 'help' && tokens[i + 1]?.lower === 'me' && ['NOUN', 'PROPN', 'NUM'].includes(tokens[i - 1]?.tag ?? ''))
    return { sort: 'order', start: i, connector: '', shared: false };
  if (!stops && !joins)
    return afterSubordinate && opensMain(tokens, i)
      ? { sort: openingAt(tokens, i, ',') === 'question' ? 'question' : 'statement', start: i, connector: '', shared: false }
      : undefined;
  if (here.text === '(' || (here.text === '.' && !isWord(tokens[i + 1]))) return undefined;
  let at = i;
  let connector = '';
  while (at < tokens.length && (PUNCTUATION.test((tokens[at] as Token).text) || joinsAt(tokens, at))) {
    const { lower } = tokens[at] as Token;
    if (!PUNCTUATION.test(lower)) connector = lower;
    at++;
  }
  if (REASONS.has(connector) && tokens[at]?.lower === 'that') at++;
  const skipped = withoutOpeners(tokens.slice(at)).tokens.length;
  const start = skipped > 0 ? tokens.length - skipped : at;
  if (tokens[i]?.text === ',' && tokens[i + 1]?.lower === 'in' && tokens[i + 2]?.lower === 'case')
    return { sort: 'condition', start: i + 3, connector: 'if', shared: false };
  if (CONDITIONS.has(connector)) return subjectAt(tokens, start) ? { sort: 'condition', start, connector, shared: false } : undefined;
  const opening = openingAt(tokens, start, stops && connector === '' ? ',' : connector);
  // Only a thanks or the like follows.
  if (skipped === 0 && stops) return { sort: 'order', start: tokens.length, connector: '', shared: false };
  // `my brother and I`: two who do one thing.
  if (connector === 'and' && opening === 'statement' && !tokens.slice(from, i).some(isVerbal)) return undefined;
  // `…, so no ladders in your suggestions`
  if (
    opening === undefined &&
    connector === 'so' &&
    stops &&
    hasVerb(tokens, from, i) &&
    tokens.slice(start).some(({ lower }) => SECOND_PERSON.has(lower) || lower === 'that' || lower === 'this')
  )
    return { sort: 'order', start, connector, shared: false };
  if (opening === undefined || (opening !== 'order' && opening !== 'question' && !hasVerb(tokens, from, i))) return undefined;
  if (connector === 'since' && /^(?:was|were|turned|started|moved|became)$/.test(tokens[start + 1]?.lower ?? '')) return undefined;
  if (opening === 'shared') return sharesSubject(tokens, from, i) ? { sort: 'statement', start, connector, shared: true } : undefined;
  return { sort: opening, start, connector, shared: false };
}

function joinsAt(tokens: readonly Token[], at: number): boolean {
  const { lower } = tokens[at] as Token;
  return COORDINATORS.has(lower) || REASONS.has(lower) || CONDITIONS.has(lower);
}

function opensMain(tokens: readonly Token[], i: number): boolean {
  const [here, next] = [tokens[i] as Token, tokens[i + 1]];
  const pronoun = here.text === 'I' || here.lower === 'we';
  return (pronoun && next !== undefined) || (QUESTION_VERBS.has(here.lower) && next?.tag === 'PRON');
}

function isVerbal({ tag, lower }: Token): boolean {
  return tag === 'VERB' || tag === 'AUX' || (COMMON.has(lower) && tag !== 'ADJ');
}

function hasVerb(tokens: readonly Token[], from: number, to: number): boolean {
  return (
    tokens
      .slice(from, to)
      .some(
        (each, i) =>
          each.tag === 'VERB' ||
          each.tag === 'AUX' ||
          each.lower === 'fan' ||
          (i === 2 && COMMON.has(each.lower) && tokens[from]?.tag === 'PRON'),
      ) ||
    (to - from === 1 && tokens[from]?.tag === 'ADV') ||
    isVerbless(tokens.slice(from, to)) ||
    to - from <= 3
  );
}

/** `type hints everywhere`, `night shifts this week`: says something without a verb, and is no time or place for what follows. */
function isVerbless(tokens: readonly Token[]): boolean {
  const first = tokens[0];
  return (
    ['NOUN', 'ADJ', 'PROPN'].includes(first?.tag ?? '') &&
    !/^(?:last|next|yesterday|today|tomorrow|tonight|first|now)$/.test(first?.lower ?? '') &&
    !tokens.some(({ text }) => text === ',')
  );
}

/** `I like to cook and bake`: the second verb belongs to `like to`, not to `I`. */
function sharesSubject(tokens: readonly Token[], from: number, to: number): boolean {
  const before = tokens.slice(from, to);
  const infinitive = before.some(
    ({ lower, tag }, i) =>
      (lower === 'to' && before[i + 1]?.tag === 'VERB') ||
      (tag === 'AUX' && /^(?:can|could|will|would|should|must|might|may)$/.test(lower)),
  );
  return !infinitive && !before.some(({ lower }) => lower === 'who' || lower === 'which');
}
