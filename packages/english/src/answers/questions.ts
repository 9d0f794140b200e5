/** What the assistant asked the user about themselves, so that a few words make a statement of it. */

import type { Mention } from '../references/mentions.ts';
import type { Named } from '../references/pronouns.ts';
import { type Token, textOf } from '../sentences/tokens.ts';
import { plainForm, thirdPerson } from '../wording/conjugation.ts';
import { ABILITIES, EVENTS } from '../words/verbs.ts';
import { type AskedSubject, agreeing, subjectAt } from './asked-subjects.ts';
import { isLastingState, isPassing, isPassingVerb } from './passing-questions.ts';
import { wantedOf, whichOf } from './value-questions.ts';

/** `yes` makes `positive` of it, `no` makes `negative`; `alternatives` are what it offers to choose from. */
export interface PolarQuestion {
  readonly sort: 'polar';
  readonly subject: string;
  readonly positive: string;
  readonly negative: string;
  /** What the user is asked to have, in its own words. */
  readonly had?: readonly Token[] | undefined;
  /** What stands behind the verb. */
  readonly rest: readonly Token[];
  /** The statement up to there. */
  readonly start: string;
}

/** `Any allergies?` */
export interface AnyQuestion {
  readonly sort: 'any';
  readonly what: readonly Token[];
}

export type Expected = 'thing' | 'place' | 'time' | 'count' | 'age' | 'frequency' | 'duration' | 'job' | 'kind' | 'name' | 'manner';

/** The answer stands between `before` and `after`. */
export interface ValueQuestion {
  readonly sort: 'value';
  readonly expects: Expected;
  readonly before: string;
  readonly after: string;
  /** What it asks which one of: `which plan`. */
  readonly noun: readonly Token[];
}

export type Question = (PolarQuestion | AnyQuestion | ValueQuestion) & {
  /** Whom it asks about, if the user named them before. */
  readonly about?: Mention | undefined;
};

const QUESTION_WORD = /^(?:what|which|who|where|when|how)$/;

/** `tokens` is one question, without what stands before it and without its mark. */
export function questionOf(tokens: readonly Token[], named: Named): Question | undefined {
  if (isPassing(tokens)) return undefined;
  const [first, second] = tokens;
  if (!first) return undefined;
  if (first.lower === 'any' || (/^(?:is|are)$/.test(first.lower) && second?.lower === 'there') || first.lower === 'got')
    return anyOf(tokens);
  if (first.tag === 'ADP' && second && /^(?:what|which|how)$/.test(second.lower))
    return wantedOf(tokens.slice(1), [{ ...first, text: first.lower }], named);
  if (QUESTION_WORD.test(first.lower)) return wantedOf(tokens, [], named);
  if (first.lower === 'you') return declaredOf(tokens);
  if (first.lower === 'your') return whichOf(tokens.slice(1), named);
  return polarOf(tokens, named);
}

function anyOf(tokens: readonly Token[]): Question | undefined {
  const at = tokens.findIndex(({ lower }) => lower === 'any');
  const what = at === -1 ? [] : nounFrom(tokens, at + 1);
  const own = what.filter(({ lower }) => lower !== 'other');
  return own.length === 0 || at > 2 || at + 1 + what.length < tokens.length ? undefined : { sort: 'any', what: own };
}

function nounFrom(tokens: readonly Token[], from: number): readonly Token[] {
  let end = from;
  while (end < tokens.length && ['ADJ', 'NOUN', 'PROPN'].includes((tokens[end] as Token).tag)) end++;
  return tokens.slice(from, end);
}

/** `you live in Leeds now` */
function declaredOf([, verb, ...rest]: readonly Token[]): Question | undefined {
  if (!verb) return undefined;
  return verb.lower === 'are' ? being({ text: 'I', sort: 'user' }, rest) : doing({ text: 'I', sort: 'user' }, [verb, ...rest]);
}

function polarOf([aux, ...tokens]: readonly Token[], named: Named): Question | undefined {
  const subject = subjectAt(tokens, named);
  if (!aux || !subject) return undefined;
  const rest = tokens.slice(subject.length);
  const about = subject.mention;
  // What a thing does is asked for the task at hand.
  const question = about?.sort === 'thing' ? undefined : polarWith(aux.lower, subject, rest);
  return question && { ...question, about };
}

function polarWith(aux: string, subject: AskedSubject, rest: readonly Token[]): PolarQuestion | undefined {
  const [verb, ...behind] = rest;
  if (!verb) return undefined;
  if (/^(?:is|are)$/.test(aux)) return being(subject, rest);
  if (aux === 'do' || aux === 'does') return doing(subject, rest);
  if (aux === 'can' && subject.sort === 'user' && ABILITIES.has(verb.lower)) return polar(subject, 'can', 'can not', [verb, ...behind]);
  if (!/^ha(?:ve|s)$/.test(aux)) return undefined;
  if (verb.lower === 'got') return doing(subject, [{ ...verb, text: 'have', lower: 'have', lemma: 'have' }, ...behind]);
  const lasting = EVENTS.has(plainForm(verb.lower, verb.lemma).lemma) || EVENTS.has(verb.lemma) || verb.lower === 'been';
  return lasting && !behind.some(({ lower }) => lower === 'ever')
    ? polar(subject, agreeing('have', subject), agreeing('have', subject, true), rest)
    : undefined;
}

function being(subject: AskedSubject, rest: readonly Token[]): PolarQuestion | undefined {
  return isLastingState(rest) ? polar(subject, agreeing('be', subject), agreeing('be', subject, true), rest) : undefined;
}

function doing(subject: AskedSubject, said: readonly Token[]): PolarQuestion | undefined {
  const tokens = /^(?:also|still|usually|already|currently|often|ever)$/.test(said[0]?.lower ?? '') ? said.slice(1) : said;
  const [verb, ...behind] = tokens;
  const rest = behind.filter(({ lower }) => !/^(?:already|too|also|now|yet)$/.test(lower));
  if (!verb || isPassingVerb(verb) || (verb.lower === 'have' && rest[0]?.lower === 'the')) return undefined;
  const positive = subject.sort === 'user' || subject.plural ? verb.lower : thirdPerson(verb.lower);
  const question = polar(subject, positive, `${agreeing('do', subject, true)} ${verb.lower}`, rest);
  return verb.lower === 'have' ? { ...question, had: rest } : question;
}

function polar({ text }: AskedSubject, positive: string, negative: string, rest: readonly Token[]): PolarQuestion {
  const said = textOf(rest.filter(({ lower }) => lower !== 'any'));
  return {
    sort: 'polar',
    subject: text,
    positive: `${text} ${positive} ${said}`,
    negative: `${text} ${negative} ${said}`,
    rest,
    start: `${text} ${positive}`,
  };
}
