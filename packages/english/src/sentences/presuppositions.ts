/** What a sentence takes for granted before it comes to its point: `as a nurse, …`, `being diabetic, …`, `with two toddlers at home, …`. */

import { plainForm } from '../wording/conjugation.ts';
import { LASTING_STATES } from '../words/adjectives.ts';
import { BODY, HEALTH } from '../words/nouns.ts';
import { wordSet } from '../words/sets.ts';
import { articleFor } from './fragment-predicates.ts';
import { AM, HAVE, I } from './fragment-words.ts';
import { isKindOfPerson, namesFamily } from './people.ts';
import { type Token, token } from './tokens.ts';

export interface Presupposed {
  readonly said: readonly Token[];
  /** Where the rest of the sentence begins. */
  readonly end: number;
}

const LONGEST = 14;

export function presupposedAt(tokens: readonly Token[]): Presupposed | undefined {
  return advised(tokens) ?? talkingTo(tokens) ?? asSomeone(tokens) ?? adverbial(tokens);
}

const CARERS = wordSet(
  'doctor gp vet dentist physio therapist cardiologist dermatologist midwife nurse specialist surgeon dietitian optician paediatrician pediatrician oncologist',
);

/** `physio told me to avoid squats`, `my doctor says my iron is low`. */
function advised(tokens: readonly Token[]): Presupposed | undefined {
  const from = tokens[0]?.lower === 'my' || tokens[0]?.lower === 'the' || tokens[0]?.lower === 'our' ? 1 : 0;
  if (!CARERS.has(tokens[from]?.lower ?? '')) return undefined;
  const words = tokens.slice(from + 1, from + 6).map(({ lower }) => lower);
  const end = stopAfter(tokens, from + 3);
  if (/^(?:told|asked|wants|advised|ordered)$/.test(words[0] ?? '') && words[1] === 'me') {
    const not = words[2] === 'not' ? 1 : 0;
    if (words[2 + not] !== 'to') return undefined;
    return { said: [I, HAVE, token('to', 'PART'), ...(not ? [token('avoid', 'VERB')] : []), ...tokens.slice(from + 4 + not, end)], end };
  }
  const that = words[1] === 'that' ? 1 : 0;
  return /^(?:says|said|thinks)$/.test(words[0] ?? '') && /^(?:i|my)$/.test(words[1 + that] ?? '')
    ? { said: tokens.slice(from + 2 + that, end), end }
    : undefined;
}

/** `you're talking to a retired pilot`. */
function talkingTo(tokens: readonly Token[]): Presupposed | undefined {
  const words = tokens.slice(0, 4).map(({ lower }) => lower);
  const leads = words[0] === 'you' && words[1] === 'are' && /^(?:talking|speaking|chatting|dealing)$/.test(words[2] ?? '');
  const article = tokens[4];
  if (leads && article?.lower === 'someone' && tokens[5]?.lower === 'who') return someoneWho(tokens, 6);
  if (!leads || !/^(?:to|with)$/.test(words[3] ?? '') || (article?.lower !== 'a' && article?.lower !== 'an')) return undefined;
  const end = stopAfter(tokens, 4);
  return { said: [I, AM, ...tokens.slice(4, end)], end };
}

/** `as a nurse, I …`, `speaking as someone who is blind, …`. */
function asSomeone(tokens: readonly Token[]): Presupposed | undefined {
  const from = tokens[0]?.lower === 'speaking' || tokens[0]?.lower === 'talking' ? 1 : 0;
  if (tokens[from]?.lower !== 'as') return undefined;
  const noun = tokens.slice(from + 1);
  if (noun[0]?.lower === 'someone' && noun[1]?.lower === 'who') {
    return someoneWho(tokens, from + 3);
  }
  if ((noun[0]?.lower !== 'a' && noun[0]?.lower !== 'an') || isUserStory(tokens)) return undefined;
  const end = tokens.findIndex(({ text }, i) => i < LONGEST && (text === ',' || text === 'I'));
  const said = end === -1 ? [] : tokens.slice(from + 1, end);
  if (/^(?:child|kid|boy|girl|baby|teenager|teen|toddler)$/.test(said[1]?.lower ?? '')) return undefined;
  return isKindOfPerson(said.slice(1)) || said.some(({ lower }) => LASTING_STATES.has(lower)) ? { said: [I, AM, ...said], end } : undefined;
}

function someoneWho(tokens: readonly Token[], from: number): Presupposed | undefined {
  const end = stopAfter(tokens, from);
  const [verb, ...rest] = tokens.slice(from, end);
  if (!verb || rest.length === 0) return undefined;
  const past = plainForm(verb.lower, verb.lemma, verb.tag).past === true;
  return { said: [I, verb.lower === 'is' ? AM : past ? verb : { ...verb, text: verb.lemma, lower: verb.lemma }, ...rest], end };
}

/** `being diabetic, …`, `having had two operations, …`, `living in Oslo, …`, `with a toddler at home, …`: up to the comma. */
function adverbial(tokens: readonly Token[]): Presupposed | undefined {
  const first = tokens[0]?.lower ?? '';
  const end = tokens.findIndex(({ text, lower }, i) => i > 1 && i < LONGEST && (text === ',' || text === 'I' || lower === 'we'));
  if (end === -1) return undefined;
  const said = tokens.slice(1, end);
  if (first === 'being')
    return said.some(({ lower }) => LASTING_STATES.has(lower)) || isKindOfPerson(said) ? { said: [I, AM, ...said], end } : undefined;
  if (first === 'having')
    return said.length > 2 && ['VERB', 'AUX'].includes(said[0]?.tag ?? '') ? { said: [I, HAVE, ...said], end } : undefined;
  if (first === 'living' || first === 'working')
    return said[0]?.tag === 'ADP' ? { said: [I, AM, ...tokens.slice(0, end)], end } : undefined;
  if (first !== 'with') return undefined;
  const own = said[0]?.lower === 'my' || said[0]?.lower === 'our' ? said.slice(1) : said;
  const has = namesFamily(own) || own.some(({ lower }) => HEALTH.has(lower) || BODY.has(lower));
  return has && ['NUM', 'DET', 'ADJ'].includes(own[0]?.tag ?? '') && own[0]?.lower !== 'the'
    ? { said: [I, HAVE, ...(own[0]?.tag === 'ADJ' ? articleFor(own) : []), ...own], end }
    : undefined;
}

/** `As a user, I want to log in so that …` is written for developers. */
export function isUserStory(tokens: readonly Token[]): boolean {
  const words = tokens.map(({ lower }) => lower);
  const wants = words.findIndex((word, i) => word === 'i' && /^(?:want|need|can|would|should|am)$/.test(words[i + 1] ?? ''));
  const purpose = words.some((word, i) => word === 'so' && /^(?:that|i)$/.test(words[i + 1] ?? ''));
  return (
    words[0] === 'as' &&
    wants > 1 &&
    (purpose || /^(?:user|customer|admin|visitor|administrator|developer|buyer|shopper|guest)$/.test(words[2] ?? ''))
  );
}

function stopAfter(tokens: readonly Token[], from: number): number {
  const end = tokens.findIndex(({ text }, i) => i > from && /^[,.;:!]$/.test(text));
  return end === -1 ? tokens.length : end;
}
