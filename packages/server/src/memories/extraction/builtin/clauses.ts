/** Sentences into clauses: the statements, questions and orders that it joins. */

import { isOccupation } from './people.ts';
import { type ClauseSort, openingAt, PUNCTUATION, subjectAt } from './openings.ts';
import { withoutClosers, withoutOpeners } from './phrases.ts';
import { isWord, type Token, token } from './tokens.ts';
import { headOf } from './verdicts.ts';
import { LASTING_STATES } from './words/adjectives.ts';
import { FAMILY } from './words/nouns.ts';
import { CONDITIONS, COORDINATORS, QUESTION_VERBS, REASONS } from './words/phrases.ts';
import { COMMON } from './words/verbs.ts';

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
  const { tokens, remembered } = withoutOpeners(sentence);
  const aboutUser = sentence.slice(0, sentence.length - tokens.length).some(({ lower }) => lower === 'me');
  const clauses: Clause[] = [];
  let start = 0;
  let sort: ClauseSort = firstSort(tokens);
  let [connector, shared] = [sort === 'condition' || startsReason(tokens) ? (tokens[0]?.lower ?? '') : '', false];
  if (connector !== '') start = tokens[1]?.lower === 'that' ? 2 : 1;
  const role = roleAt(tokens);
  if (role) {
    clauses.push({ sort: 'statement', tokens: role, connector: 'as', shared: false, remembered: false, aboutUser, pressing: false });
    start = role.length;
  }
  const push = (end: number) => {
    const own = withoutClosers(withoutOpeners(tokens.slice(start, end)).tokens);
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
  return asks ? withQuestion(clauses) : clauses;
}

/** `As a nurse, I …` says that the user is one. */
function roleAt(tokens: readonly Token[]): Token[] | undefined {
  if (tokens[0]?.lower !== 'as' || (tokens[1]?.lower !== 'a' && tokens[1]?.lower !== 'an')) return undefined;
  const end = tokens.findIndex(({ text }, i) => i < 12 && (text === ',' || text === 'I'));
  const noun = end === -1 ? [] : tokens.slice(1, end);
  const head = headOf(noun.slice(1));
  const says = isOccupation(head) || LASTING_STATES.has(head) || FAMILY.has(head) || noun.some(({ lower }) => LASTING_STATES.has(lower));
  return says ? [token('I', 'PRON'), token('am', 'AUX', 'be'), ...noun] : undefined;
}

/** `since I live in Oslo`, not `since 2019`. */
function startsReason(tokens: readonly Token[]): boolean {
  return REASONS.has(tokens[0]?.lower ?? '') && (tokens[1]?.lower === 'that' || subjectAt(tokens, 1));
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
  if (CONDITIONS.has(connector)) return subjectAt(tokens, start) ? { sort: 'condition', start, connector, shared: false } : undefined;
  const opening = openingAt(tokens, start, stops && connector === '' ? ',' : connector);
  // Only a thanks or the like follows.
  if (skipped === 0 && stops) return { sort: 'order', start: tokens.length, connector: '', shared: false };
  // `my brother and I`: two who do one thing.
  if (connector === 'and' && opening === 'statement' && !tokens.slice(from, i).some(isVerbal)) return undefined;
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
    tokens.slice(from, to).some(({ tag, lower }) => tag === 'VERB' || tag === 'AUX' || lower === 'fan') ||
    (to - from === 1 && tokens[from]?.tag === 'ADV') ||
    to - from <= 3
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
