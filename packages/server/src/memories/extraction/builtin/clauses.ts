/** Sentences into clauses: the statements, questions and orders that it joins. */

import { withoutClosers, withoutOpeners } from './phrases.ts';
import { isWord, type Token } from './tokens.ts';
import { ADVERBS, ATTACHED, CONDITIONS, COORDINATORS, QUESTION_VERBS, QUESTION_WORDS, REASONS } from './words/phrases.ts';
import { COMMON } from './words/verbs.ts';

export type ClauseSort = 'statement' | 'question' | 'order' | 'condition';

export interface Clause {
  readonly sort: ClauseSort;
  readonly tokens: readonly Token[];
  /** The word that joins it to what is before it. */
  readonly connector: string;
  /** Has no subject of its own but that of the clause before. */
  readonly shared: boolean;
  readonly remembered: boolean;
}

type Opening = ClauseSort | 'shared' | undefined;

const PUNCTUATION = /^[,;:—–()!.?…]$|^-+$/;
const FOLLOWING_VERB = new Set(['ADP', 'DET', 'PRON', 'ADV', 'NUM', 'PROPN', 'NOUN', 'ADJ']);

export function clausesOf(sentence: readonly Token[]): Clause[] {
  const asks = sentence.slice(-4).some(({ text }) => text.startsWith('?'));
  const { tokens, remembered } = withoutOpeners(sentence);
  const clauses: Clause[] = [];
  let start = 0;
  let sort: ClauseSort = firstSort(tokens);
  let [connector, shared] = [sort === 'condition' || REASONS.has(tokens[0]?.lower ?? '') ? (tokens[0]?.lower ?? '') : '', false];
  if (connector !== '') start = tokens[1]?.lower === 'that' ? 2 : 1;
  const push = (end: number) => {
    const own = withoutClosers(withoutOpeners(tokens.slice(start, end)).tokens);
    if (own.some(isWord)) clauses.push({ sort, tokens: own, connector, shared, remembered });
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
  if (CONDITIONS.has(first) || ((first === 'when' || first === 'whenever' || first === 'while') && tokens[1]?.tag === 'PRON')) return 'condition';
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
  if (!stops && !joins) return afterSubordinate && opensMain(tokens, i) ? { sort: openingAt(tokens, i, ',') === 'question' ? 'question' : 'statement', start: i, connector: '', shared: false } : undefined;
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
  if (opening === undefined || !hasVerb(tokens, from, i)) return undefined;
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

/** What a clause that starts here is, going by its first words; `after` is what joins it. */
function openingAt(tokens: readonly Token[], start: number, after: string): Opening {
  let at = start;
  while (ADVERBS.has(tokens[at]?.lower ?? '') || tokens[at]?.lower === 'no' || tokens[at]?.lower === 'longer') at++;
  const [first, next] = [tokens[at], tokens[at + 1]];
  if (!first) return undefined;
  if (ATTACHED.has(first.lower) && !(first.lower === 'when' && next?.tag === 'AUX') && first.lower !== 'that') return undefined;
  if (subjectAt(tokens, at)) return 'statement';
  if (isQuestion(first, next)) return 'question';
  const standing = tokens.slice(start, at).some(({ lower }) => lower === 'always' || lower === 'never');
  if (first.lower === 'please' || (first.lower === 'do' && next?.lower === 'not') || (first.lower === 'let' && next?.tag === 'PRON')) return 'order';
  if (isBaseVerb(first, next) && (after === 'start' || after === ',' || after === 'so' || (after === 'but' && standing))) return 'order';
  if ((after === 'and' || after === 'but' || after === 'or') && isFiniteVerb(first, next)) return 'shared';
  return undefined;
}

function isQuestion(first: Token, next: Token | undefined): boolean {
  if (first.lower === 'which') return next?.tag !== 'AUX' && next?.tag !== 'VERB';
  if (first.lower === 'any') return true;
  if (QUESTION_WORDS.has(first.lower)) return true;
  return QUESTION_VERBS.has(first.lower) && next !== undefined && ['PRON', 'DET', 'PROPN', 'NOUN'].includes(next.tag) && !(/^ha[vds]/.test(first.lower) && next.tag !== 'PRON');
}

function isBaseVerb(first: Token, next: Token | undefined): boolean {
  if (first.tag === 'VERB' && first.lower === first.lemma) return true;
  return first.lower === 'be' || (first.tag === 'NOUN' && (next?.tag === 'DET' || next?.lower === 'me' || next?.lower === 'my') && first.lower === first.lemma);
}

function isFiniteVerb(first: Token, next: Token | undefined): boolean {
  if (first.tag === 'AUX') return next !== undefined && next.tag !== 'PRON';
  if (first.tag === 'VERB') return !first.lower.endsWith('ing');
  return COMMON.has(first.lower) && next !== undefined && FOLLOWING_VERB.has(next.tag) && first.tag !== 'ADJ';
}

const PRONOUNS = new Set(['i', 'we', 'you', 'he', 'she', 'they', 'it', 'this', 'that', 'there', 'everyone', 'everything', 'nobody', 'people']);

/** Whether a subject and its verb start here. */
function subjectAt(tokens: readonly Token[], at: number): boolean {
  const first = tokens[at];
  if (!first) return false;
  if (PRONOUNS.has(first.lower)) {
    let verb = at + 1;
    while (ADVERBS.has(tokens[verb]?.lower ?? '') || tokens[verb]?.tag === 'ADV') verb++;
    const next = tokens[verb];
    return next !== undefined && (first.text === 'I' || first.lower === 'we' ? isWord(next) : next.tag === 'AUX' || next.tag === 'VERB');
  }
  if (!['DET', 'PRON', 'PROPN', 'NOUN', 'ADJ', 'NUM'].includes(first.tag) || first.lower === 'no') return false;
  for (let i = at + 1; i < Math.min(tokens.length, at + 9); i++) {
    const { tag, lower, text } = tokens[i] as Token;
    if (PUNCTUATION.test(text) || tag === 'SCONJ' || lower === 'that' || lower === 'who') return false;
    if (tag === 'AUX' && lower !== 'be' && lower !== 'been') return true;
    if (tag === 'VERB' && !lower.endsWith('ing') && tokens[i - 1]?.lower !== 'to' && tokens[i - 1]?.tag !== 'DET' && !/^(?:called|named|required|needed)$/.test(lower)) return first.tag !== 'ADJ' || lower !== tokens[i]?.lemma;
    if (first.tag === 'PRON' && i > at + 1 && COMMON.has(lower.replace(/s$/, '')) && lower.endsWith('s') && tokens[i + 1]?.tag === 'ADP') return true;
  }
  return false;
}

function hasVerb(tokens: readonly Token[], from: number, to: number): boolean {
  return tokens.slice(from, to).some(({ tag, lower }) => tag === 'VERB' || tag === 'AUX' || lower === 'fan') || (to - from === 1 && tokens[from]?.tag === 'ADV') || to - from <= 3;
}

/** `I like to cook and bake`: the second verb belongs to `like to`, not to `I`. */
function sharesSubject(tokens: readonly Token[], from: number, to: number): boolean {
  const before = tokens.slice(from, to);
  const infinitive = before.some(({ lower, tag }, i) => (lower === 'to' && before[i + 1]?.tag === 'VERB') || (tag === 'AUX' && /^(?:can|could|will|would|should|must|might|may)$/.test(lower)));
  return !infinitive && !before.some(({ lower }) => lower === 'who' || lower === 'which');
}
