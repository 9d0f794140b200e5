/** Who a clause is about, and what it says of them. */

import { plainForm } from '../wording/conjugation.ts';
import { ADVERBS } from '../words/phrases.ts';
import { ALONE, COMMON } from '../words/verbs.ts';
import { findSubject, type SubjectSort } from './subjects.ts';
import { isWord, type Token } from './tokens.ts';

export interface Statement {
  readonly subject: { readonly sort: SubjectSort; readonly tokens: readonly Token[]; readonly plural: boolean };
  /** Words before the subject: `Yesterday`, `After the review`. */
  readonly lead: readonly Token[];
  /** From behind the subject to the main verb, with adverbs and negation. */
  readonly verbs: readonly Token[];
  /** Of the main verb; `be` for a copula. */
  readonly verb: string;
  readonly tense: 'present' | 'past' | 'future';
  readonly aspect: 'simple' | 'progressive' | 'perfect';
  /** `can`, `would`, and also `need to`, `want to`, `used to`. */
  readonly modal: string;
  readonly negated: boolean;
  readonly adverbs: ReadonlySet<string>;
  readonly rest: readonly Token[];
}

const MODALS = new Set(['will', 'would', 'can', 'could', 'shall', 'should', 'must', 'might', 'may']);
const BE = new Set(['am', 'is', 'are', 'was', 'were', 'be', 'been', 'being']);
const HAVE = new Set(['have', 'has', 'had', 'having']);
const NO_VERB = new Set(['ADP', 'DET', 'PUNCT', 'CCONJ', 'DATE']);
const DO = new Set(['do', 'does', 'did']);
/** With `to` and a verb behind them they only colour that verb. */
const SEMI_MODALS = new Set([
  'need',
  'want',
  'have',
  'has',
  'had',
  'got',
  'plan',
  'going',
  'planning',
  'hoping',
  'hope',
  'used',
  'intend',
  'aim',
  'aiming',
  'supposed',
  'trying',
  'about',
  'looking',
  'wants',
  'needs',
  'plans',
  'intending',
  'meaning',
  'due',
  'try',
]);

export function statementOf(said: readonly Token[]): Statement | undefined {
  const found = findSubject(said);
  if (!found) return undefined;
  const tokens = withCompoundVerb(said, found.to);
  const { sort, from, to, plural } = found;
  const verbs = readVerbs(tokens, to);
  if (!verbs) return undefined;
  return { subject: { sort, tokens: tokens.slice(from, to), plural }, lead: tokens.slice(0, from), ...verbs };
}

/** `I meal prep on Sundays`, `I scuba dive`: the verb is the second of the two. */
function withCompoundVerb(tokens: readonly Token[], at: number): readonly Token[] {
  const [first, second, third] = [tokens[at], tokens[at + 1], tokens[at + 2]];
  const both = first?.tag === 'VERB' && second?.tag === 'VERB' && second.lower === second.lemma && first.lower === 'batch';
  if ((first?.tag !== 'NOUN' && !both) || !first || !second || !['NOUN', 'VERB'].includes(second.tag) || COMMON.has(first.lower))
    return tokens;
  if (/(?:s|ing|ed)$/.test(second.lower) || (third && !['ADP', 'ADV', 'PUNCT', 'CCONJ', 'DET', 'DATE'].includes(third.tag))) return tokens;
  return [...tokens.slice(0, at), { ...first, tag: 'ADV' }, { ...second, tag: 'VERB', lemma: second.lower }, ...tokens.slice(at + 2)];
}

type Verbs = Pick<Statement, 'verbs' | 'verb' | 'tense' | 'aspect' | 'modal' | 'negated' | 'adverbs' | 'rest'>;

function readVerbs(tokens: readonly Token[], from: number): Verbs | undefined {
  const adverbs = new Set<string>();
  let [negated, perfect, done, progressive, modal, past, future] = [false, false, false, false, '', false, false];
  let at = from;
  const result = (verb: string, end: number): Verbs => ({
    verbs: tokens.slice(from, end),
    verb,
    tense: future ? 'future' : past ? 'past' : 'present',
    aspect: progressive ? 'progressive' : perfect ? 'perfect' : 'simple',
    modal,
    negated,
    adverbs,
    rest: tokens.slice(end),
  });
  for (; at < tokens.length; at++) {
    const { lower, tag } = tokens[at] as Token;
    const next = nextWord(tokens, at + 1);
    if (!isWord(tokens[at])) return undefined;
    if (lower === 'not' || lower === 'never') negated = true;
    if (lower === 'no' && next?.lower === 'longer') {
      negated = true;
      adverbs.add('no longer');
      at++;
    } else if (
      lower === 'not' ||
      lower === 'neither' ||
      ADVERBS.has(lower) ||
      (tag === 'ADV' && next !== undefined && lower !== 'there' && lower !== 'here' && lower !== 'home' && !done)
    )
      adverbs.add(lower);
    else if (MODALS.has(lower)) {
      if (lower === 'will' || lower === 'shall') future = true;
      else modal = lower;
    } else if (DO.has(lower) && (tokens[at + 1]?.lower === 'not' || isWordVerb(next))) past ||= lower === 'did';
    else if (HAVE.has(lower) && next && isParticiple(next)) {
      perfect = true;
      past ||= lower === 'had';
    } else if (BE.has(lower)) {
      if (lower === 'was' || lower === 'were') past = true;
      if (tokens[at + 1]?.lower === 'not') negated = true;
      if (!next?.lower.endsWith('ing') || next.tag === 'ADJ' || next.lower === 'during') return result('be', at + 1);
      progressive = true;
    } else if (SEMI_MODALS.has(lower) && tokens[at + 1]?.lower === 'to' && next && isInfinitive(tokens, at + 2)) {
      if (lower === 'going' || lower === 'about') {
        future = true;
        progressive = false;
      } else {
        modal = `${lower} to`;
        if (lower === 'had') past = true;
        if (progressive) progressive = false;
      }
      at++;
    } else if (NO_VERB.has(tag) && at > from && ALONE.has((tokens[at - 1] as Token).lower)) {
      // `I fast during Ramadan`: the verb was taken for an adverb.
      const verb = tokens[at - 1] as Token;
      return { ...result(verb.lower, at), verbs: [...tokens.slice(from, at - 1), { ...verb, tag: 'VERB' }] };
    } else if (tag === 'ADP' && !COMMON.has(lower)) return undefined;
    else {
      done = true;
      const form = progressive
        ? { lemma: (tokens[at] as Token).lemma, past: false }
        : perfect
          ? { lemma: participleLemma(tokens[at] as Token), past: false }
          : modal !== '' || future
            ? { lemma: lower, past: false }
            : plainForm(lower, (tokens[at] as Token).lemma, tag);
      if (
        form.past === true ||
        (form.past === 'maybe' && tokens.some(({ lower: word }) => word === 'ago' || word === 'last' || word === 'yesterday'))
      )
        past = true;
      const lemma =
        progressive && form.lemma === lower
          ? stemOfGerund(lower)
          : form.lemma === lower && lower.endsWith('s') && from > 0
            ? (tokens[at] as Token).lemma
            : form.lemma;
      return result(lemma, at + 1);
    }
  }
  return undefined;
}

function nextWord(tokens: readonly Token[], from: number): Token | undefined {
  for (let i = from; i < tokens.length; i++) {
    const each = tokens[i] as Token;
    if (!ADVERBS.has(each.lower) && each.lower !== 'not') return each;
  }
  return undefined;
}

function isWordVerb(token: Token | undefined): boolean {
  return token?.tag === 'VERB' && token.lower === token.lemma;
}

const IRREGULAR_PARTICIPLES = new Set(
  'been had done gone got gotten made become begun bought sold broken left lost won met taken given come grown found told known seen heard felt kept held written spoken chosen driven flown ridden run swum sung drunk eaten slept woken taught built spent sent paid fallen caught brought quit put set read cut moved led'.split(
    ' ',
  ),
);

function isParticiple({ lower, tag }: Token): boolean {
  return IRREGULAR_PARTICIPLES.has(lower) || (lower.endsWith('ed') && (tag === 'VERB' || tag === 'ADJ'));
}

const PARTICIPLE_LEMMAS: Readonly<Record<string, string>> = { got: 'have', gotten: 'get', been: 'be' };

function participleLemma({ lower, lemma }: Token): string {
  return Object.hasOwn(PARTICIPLE_LEMMAS, lower)
    ? (PARTICIPLE_LEMMAS[lower] as string)
    : lemma === lower
      ? plainForm(lower, lemma).lemma
      : lemma;
}

function isInfinitive(tokens: readonly Token[], at: number): boolean {
  const next = nextWord(tokens, at);
  return (
    next !== undefined &&
    (next.tag === 'VERB' || next.tag === 'AUX' || (next.tag === 'NOUN' && next.lower === next.lemma)) &&
    !next.lower.endsWith('ing')
  );
}

function stemOfGerund(lower: string): string {
  return lower.replace(/ing$/, '');
}
