/** Standing wishes to the assistant: `always answer in metric`, `call me Sam`, `no meetings before 10, ever`. */

import type { Clause } from './clauses.ts';
import { thirdPerson } from './conjugation.ts';
import { contains, startsWith, withoutClosers } from './phrases.ts';
import { inThirdPerson } from './rewriting.ts';
import { LEFT_OUT } from './segments.ts';
import { type Token, textOf } from './tokens.ts';
import { hasContent, type Verdict, verdict } from './verdicts.ts';
import { ANSWER_VERBS, STANDING, STYLE_WORDS } from './words/phrases.ts';
import { ORDERS } from './words/verbs.ts';

export interface Wish extends Verdict {
  readonly content: string;
}

const CALLING = [
  ['call', 'me'],
  ['address', 'me', 'as'],
  ['refer', 'to', 'me', 'as'],
];
const LEADS = new Set([
  'please',
  'can',
  'could',
  'would',
  'you',
  'just',
  'so',
  'and',
  'but',
  'from',
  'now',
  'on',
  'also',
  'kindly',
  'going',
  'forward',
  'in',
  'future',
  'the',
  ',',
  'everyone',
  'people',
  'friends',
  'to',
  'i',
  'want',
  'would',
  'like',
  'need',
  'may',
  'all',
]);
const LANGUAGES = /^(?:answer|reply|respond|speak|talk|write)$/;

/** `condition` is what stands before it: `when you write code`; `lasting` if that was `from now on`. */
export function standingWish({ tokens: clause, sort, pressing }: Clause, condition: readonly Token[], lasting: boolean): Wish | undefined {
  if (clause.some(({ text }) => text.includes(LEFT_OUT))) return undefined;
  const tokens = withoutClosers(clause);
  const name = calledName(tokens);
  if (name !== undefined) return { ...verdict('preference', 'name'), content: `User wants to be called ${name}` };
  const none = unwanted(tokens, pressing);
  if (none) return none;
  return sort === 'order' || asks(tokens) ? wishOf(tokens, condition, lasting) : undefined;
}

/** `from now on use …`, `I want you to …`, `you should always …`. */
function asks(tokens: readonly Token[]): boolean {
  const words = tokens.slice(0, 6).map(({ lower }) => lower);
  if (/^(?:i|we) (?:want|need|would like|would love|would prefer) you to /.test(`${words.join(' ')} `)) return true;
  return words[0] !== 'i' && words[0] !== 'we' && startsWith(tokens, 0, STANDING) > 0 && words[0] !== 'whenever' && words[0] !== 'when';
}

/** Nothing but `from now on` and the like. */
export function isLasting(tokens: readonly Token[]): boolean {
  return startsWith(tokens, 0, STANDING) === tokens.length;
}

function calledName(tokens: readonly Token[]): string | undefined {
  for (let i = 0; i < Math.min(tokens.length, 8); i++) {
    const phrase = CALLING.find((words) => words.every((word, k) => tokens[i + k]?.lower === word));
    if (phrase) {
      const name = tokens.slice(i + phrase.length, i + phrase.length + 3);
      const length = name.findIndex(({ text }) => !/^\p{Lu}/u.test(text));
      const own = length === -1 ? name : name.slice(0, length);
      return own.length > 0 && !['I', 'When', 'If'].includes(own[0]?.text ?? '') ? textOf(own) : undefined;
    }
    if (!LEADS.has(tokens[i]?.lower ?? '')) return undefined;
  }
  return undefined;
}

/** `no meetings before 10 please`: only with a word that makes it a wish. */
function unwanted(tokens: readonly Token[], pressing: boolean): Wish | undefined {
  if (tokens[0]?.lower !== 'no' || (tokens[1]?.tag !== 'NOUN' && tokens[1]?.tag !== 'ADJ') || tokens[1]?.lower === 'problem')
    return undefined;
  const wished = pressing || textOf(tokens).endsWith('for me');
  const end = tokens.findIndex(({ text }) => text === ',');
  const own = withoutClosers(tokens.slice(0, end === -1 ? undefined : end).filter(({ lower }) => lower !== 'ever'));
  return wished && hasContent(own) && own.length > 1
    ? { ...verdict('preference'), content: `User wants ${textOf(inThirdPerson(own, 'their'))}` }
    : undefined;
}

function wishOf(tokens: readonly Token[], condition: readonly Token[], lasting: boolean): Wish | undefined {
  let at = 0;
  const before: Token[] = [];
  while (
    at < tokens.length &&
    (LEADS.has((tokens[at] as Token).lower) || ['always', 'never', 'ever', 'do', 'not'].includes((tokens[at] as Token).lower))
  )
    before.push(tokens[at++] as Token);
  const rest = tokens.slice(at);
  const verb = rest[0];
  if (
    !verb ||
    !/^[a-z]+$/i.test(verb.text) ||
    rest.length < 2 ||
    !hasContent(rest.slice(1)) ||
    rest.some(({ lower }) => lower === 'this' || lower === 'it' || lower === 'that' || lower === 'these')
  )
    return undefined;
  if (!(verb.tag === 'VERB' || verb.tag === 'AUX' || ORDERS.has(verb.lower))) return undefined;
  const negated = before.some(({ lower }) => lower === 'never' || lower === 'not');
  const standing = lasting || contains(tokens, STANDING) || (condition.length > 0 && condition.some(({ lower }) => lower === 'you'));
  const words = rest.map(({ lower }) => lower);
  const language =
    LANGUAGES.test(verb.lower) &&
    words[1] === 'in' &&
    /^\p{Lu}/u.test(rest[2]?.text ?? '') &&
    (rest.length <= 3 || startsWith(rest, 3, STANDING) > 0);
  const plural = words.includes('your') && words.some((word) => /^(?:answers|replies|responses|explanations|messages)$/.test(word));
  const style =
    (negated || verb.lower === 'stop' || verb.lower === 'avoid' || verb.lower === 'use') &&
    rest.length <= 5 &&
    words.slice(1).some((word) => STYLE_WORDS.has(word));
  const stopped = verb.lower === 'stop' && /ing$/.test(words[1] ?? '') && rest.length <= 4 && words[2] !== 'the';
  if (!standing && !language && !plural && !style && !stopped) return undefined;
  if (!standing && !ANSWER_VERBS.has(verb.lower)) return undefined;
  const adverb = negated ? 'not to ' : 'to ';
  const always = before.some(({ lower }) => lower === 'always') ? 'always ' : '';
  const when = condition.length === 0 ? '' : ` when ${textOf(addressed(condition))}`;
  const content = `User wants the assistant ${adverb}${always}${textOf(addressed([{ ...verb, text: verb.lower }, ...rest.slice(1)])).replace(/, ?ever$/, '')}${when}`;
  return content.length > 200 ? undefined : { ...verdict('preference', language ? 'answer language' : undefined), content };
}

/** `you` is the assistant here. */
function addressed(tokens: readonly Token[]): Token[] {
  return inThirdPerson(tokens, 'their').map((each, i, all) => {
    if (each.lower === 'your') return { ...each, text: 'its' };
    if (each.lower === 'you') return { ...each, text: 'it' };
    return all[i - 1]?.lower === 'you' && (each.tag === 'VERB' || each.tag === 'AUX') ? { ...each, text: thirdPerson(each.text) } : each;
  });
}
