/** Standing wishes to the assistant: `always answer in metric`, `call me Sam`, `no meetings before 10, ever`. */

import { LEFT_OUT } from '../excerpt.ts';
import { hasContent, verdict } from '../judgement/verdicts.ts';
import type { Clause } from '../sentences/clauses.ts';
import { contains, startsWith, withoutClosers } from '../sentences/phrases.ts';
import { isWord, type Token, textOf } from '../sentences/tokens.ts';
import { plainForm, thirdPerson } from '../wording/conjugation.ts';
import { inThirdPerson } from '../wording/third-person.ts';
import { ANSWER_VERBS, FOR_GOOD, STANDING, STYLE_WORDS } from '../words/phrases.ts';
import { wordSet } from '../words/sets.ts';
import { ORDERS } from '../words/verbs.ts';
import { everywhere, unwanted, type Wish } from './verbless.ts';

const CALLING = [
  ['call', 'me'],
  ['calls', 'me'],
  ['address', 'me', 'as'],
  ['refer', 'to', 'me', 'as'],
];
const LEADS = new Set([
  'we',
  'will',
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
  'at',
  'school',
  'work',
  'home',
  'usually',
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
const LANGUAGE_NAMES = wordSet(
  'english spanish french german italian portuguese dutch swedish polish russian japanese chinese korean arabic hindi turkish greek danish norwegian finnish czech ukrainian catalan',
);
const LANGUAGES = /^(?:answer|reply|respond|speak|talk|write)$/;

/** `condition` is what stands before it: `when you write code`; `lasting` if that was `from now on`. */
export function standingWish({ tokens: clause, sort, pressing }: Clause, condition: readonly Token[], lasting: boolean): Wish | undefined {
  if (clause.some(({ text }) => text.includes(LEFT_OUT))) return undefined;
  const tokens = withoutClosers(clause);
  const name = calledName(tokens);
  if (name !== undefined) return { ...verdict('preference', 'name'), content: `User wants to be called ${name}` };
  const none = unwanted(tokens, pressing) ?? everywhere(tokens, sort);
  if (none) return none;
  if (sort === 'question') return politelyAsked(tokens) ? wishOf(tokens, condition, lasting) : undefined;
  const led = ledOrder(tokens);
  if (led) return wishOf(led, condition, lasting);
  return sort === 'order' || asks(tokens) ? wishOf(tokens, condition, lasting) : undefined;
}

/** `from now on use …`, `I want you to …`, `you should always …`. */
function asks(tokens: readonly Token[]): boolean {
  const words = tokens.slice(0, 6).map(({ lower }) => lower);
  if (/^(?:i|we) (?:want|need|would like|would love|would prefer) you to /.test(`${words.join(' ')} `)) return true;
  return words[0] !== 'i' && words[0] !== 'we' && startsWith(tokens, 0, STANDING) > 0 && words[0] !== 'whenever' && words[0] !== 'when';
}

/** `can you always …`, `could we stick to Celsius from now on?`: with a word that makes it a rule. */
function politelyAsked(tokens: readonly Token[]): boolean {
  const [first, second] = tokens;
  return /^(?:can|could|will|would)$/.test(first?.lower ?? '') && /^(?:you|we)$/.test(second?.lower ?? '') && contains(tokens, FOR_GOOD);
}

/** `for code samples stick to Python, always`: what it is about stands first. */
function ledOrder(tokens: readonly Token[]): readonly Token[] | undefined {
  if (!/^(?:for|in)$/.test(tokens[0]?.lower ?? '') || !contains(tokens, FOR_GOOD)) return undefined;
  const at = tokens.findIndex(({ lower, tag }, i) => i > 1 && i < 6 && ORDERS.has(lower) && tag !== 'NOUN');
  const lead = tokens.slice(0, Math.max(0, at)).filter(isWord);
  if (at === -1 || lead.some(({ tag, text }) => tag === 'AUX' || text === 'I' || tag === 'PRON')) return undefined;
  const end = tokens.findIndex(({ text }, i) => i > at && text === ',');
  const [first, ...others] = lead as [Token, ...Token[]];
  return [
    ...tokens.slice(at, end === -1 ? undefined : end),
    { ...first, text: first.lower, space: true },
    ...others,
    ...(end === -1 ? [] : tokens.slice(end)),
  ];
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

function wishOf(tokens: readonly Token[], condition: readonly Token[], lasting: boolean): Wish | undefined {
  let at = 0;
  const before: Token[] = [];
  while (
    at < tokens.length &&
    (LEADS.has((tokens[at] as Token).lower) || ['always', 'never', 'ever', 'do', 'not', 'only'].includes((tokens[at] as Token).lower))
  )
    before.push(tokens[at++] as Token);
  const rest = tokens.slice(at);
  const verb = rest[0];
  const words = rest.map(({ lower }) => lower);
  if (
    !verb ||
    !/^[a-z]+$/i.test(verb.text) ||
    rest.length < 2 ||
    !(hasContent(rest.slice(1)) || (ANSWER_VERBS.has(verb.lower) && rest[1]?.tag === 'ADV')) ||
    mainPart(rest[1]?.lower === 'it' && contains(tokens, STANDING) ? rest.slice(2) : rest).some(
      ({ lower }) =>
        lower === 'this' || lower === 'it' || lower === 'that' || lower === 'these' || (lower === 'them' && condition.length === 0),
    )
  )
    return undefined;
  if (!(verb.tag === 'VERB' || verb.tag === 'AUX' || ORDERS.has(verb.lower) || words[1] === 'me')) return undefined;
  if (verb.lower === 'been' || plainForm(verb.lower, verb.lemma, verb.tag).past === true) return undefined;
  const negated = before.some(({ lower }) => lower === 'never' || lower === 'not');
  const standing = lasting || contains(tokens, STANDING) || isRule(condition);
  const back = words[1] === 'back' ? 2 : 1;
  const switched =
    /^(?:switch|change|go|stick)$/.test(verb.lower) &&
    words[back] === 'to' &&
    LANGUAGE_NAMES.has(words[back + 1] ?? '') &&
    rest.length <= back + 3;
  const language =
    switched ||
    (LANGUAGES.test(verb.lower) &&
      words[1] === 'in' &&
      /^\p{Lu}/u.test(rest[2]?.text ?? '') &&
      (rest.length <= 3 || startsWith(rest, 3, STANDING) > 0));
  const ofAll = words.some(
    (word, i) =>
      (word === 'every' || word === 'each') && /^(?:reply|answer|message|response|time|sentence|paragraph)$/.test(words[i + 1] ?? ''),
  );
  const inAll = words.some(
    (word, i) =>
      word === 'all' &&
      /^(?:in|for)$/.test(words[i - 1] ?? '') &&
      /^(?:examples|answers|replies|responses|snippets|code|samples)$/.test(
        words.slice(i + 1).find((each) => !/^(?:the|your|my|code)$/.test(each)) ?? '',
      ),
  );
  const inGeneral =
    (/^(?:things|stuff|concepts|ideas)$/.test(words[1] ?? '') && /^(?:to|for)$/.test(words[2] ?? '') && words[3] === 'me') ||
    (words[1] === 'everything' && words[2] === 'in');
  const plural = words.includes('your') && words.some((word) => /^(?:answers|replies|responses|explanations|messages)$/.test(word));
  const style =
    (negated || verb.lower === 'stop' || verb.lower === 'avoid' || verb.lower === 'use' || (verb.lower === 'give' && words[1] === 'me')) &&
    rest.length <= 5 &&
    words.slice(1).some((word) => STYLE_WORDS.has(word));
  const stopped =
    verb.lower === 'stop' && /ing$/.test(words[1] ?? '') && rest.length <= (words.at(-1) === 'me' ? 7 : 4) && words[2] !== 'the';
  const addressedSo = verb.lower === 'address' && words[1] === 'me' && rest[2]?.tag === 'ADV';
  if (addressedSo) return wishText(verb, rest, before, condition);
  const reached =
    /^(?:contact|email|call|text|phone|message|reach|ping)$/.test(verb.lower) &&
    words[1] === 'me' &&
    /^(?:by|via|through|on|in|at|after|before)$/.test(words[2] ?? '');
  const ruled = before.some(({ lower }) => lower === 'only' || lower === 'not' || lower === 'never' || lower === 'always');
  if (reached && (ruled || rest[3]?.tag === 'PROPN')) return wishText(verb, rest, before, condition);
  if (!standing && !ofAll && !inAll && !inGeneral && !language && !plural && !style && !stopped) return undefined;
  if (!standing && !switched && !ANSWER_VERBS.has(verb.lower)) return undefined;
  const wish = wishText(verb, rest, before, condition);
  return wish && language ? { ...wish, slot: 'answer language' } : wish;
}

/** An order as a wish, whether it is meant for good or not. */
export function orderedWish({ tokens }: Clause, condition: readonly Token[]): Wish | undefined {
  let at = 0;
  while (at < tokens.length && (LEADS.has(lowerAt(tokens, at)) || RULING.has(lowerAt(tokens, at)))) at++;
  const rest = withoutClosers(tokens.slice(at));
  const verb = rest[0];
  if (!verb || rest.length < 2 || !/^[a-z]+$/i.test(verb.text) || !(verb.tag === 'VERB' || verb.tag === 'AUX' || ORDERS.has(verb.lower)))
    return undefined;
  const pointing = mainPart(rest).some(({ lower }) => /^(?:this|it|that|these|those|them|above|below|following)$/.test(lower));
  return pointing || rest.some(({ text }) => text.includes(LEFT_OUT)) ? undefined : wishText(verb, rest, tokens.slice(0, at), condition);
}

const RULING = wordSet('always never ever do not only');

function lowerAt(tokens: readonly Token[], at: number): string {
  return (tokens[at] as Token).lower;
}

/** Without `whenever it is about finance`. */
function mainPart(rest: readonly Token[]): readonly Token[] {
  const end = rest.findIndex(({ lower }) => /^(?:when|whenever|if|unless|because|since)$/.test(lower));
  return end === -1 ? rest : rest.slice(0, end);
}

function wishText(verb: Token, rest: readonly Token[], before: readonly Token[], condition: readonly Token[]): Wish | undefined {
  const said = (word: string) => before.some(({ lower }) => lower === word);
  const adverb = said('never') || said('not') ? 'not to ' : 'to ';
  const always = said('always') ? 'always ' : said('only') ? 'only ' : '';
  const when = condition.length === 0 ? '' : ` when ${textOf(addressed(condition))}`;
  const content = `User wants the assistant ${adverb}${always}${textOf(addressed([{ ...verb, text: verb.lower }, ...rest.slice(1)])).replace(/, ?ever$/, '')}${when}`;
  return content.length > 200 ? undefined : { ...verdict('preference'), content };
}

/** `when you write code`, `whenever I ask for recipes`. */
function isRule(condition: readonly Token[]): boolean {
  return (
    condition.some(({ lower }) => lower === 'you') ||
    (condition[0]?.text === 'I' && /^(?:ask|say|send|paste|give|want|share|mention|request|tell)$/.test(condition[1]?.lower ?? ''))
  );
}

/** `you` is the assistant here. */
function addressed(tokens: readonly Token[]): Token[] {
  const its = tokens.map((each) => (each.lower === 'your' ? { ...each, text: 'its', lower: 'its' } : each));
  return inThirdPerson(its, 'their').map((each, i, all) => {
    if (each.lower === 'you') return { ...each, text: 'it' };
    return all[i - 1]?.lower === 'you' && (each.tag === 'VERB' || each.tag === 'AUX') ? { ...each, text: thirdPerson(each.text) } : each;
  });
}
