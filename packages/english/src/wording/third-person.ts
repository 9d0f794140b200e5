/** Statements in the first person into sentences about the user. */

import { DATE } from '../dates/dates.ts';
import { namesFamily } from '../sentences/people.ts';
import { withoutClosers } from '../sentences/phrases.ts';
import type { Statement } from '../sentences/statements.ts';
import { isWord, type Token, textOf, token } from '../sentences/tokens.ts';
import { GROUPS } from '../words/nouns.ts';
import { ALONE } from '../words/verbs.ts';
import { thirdPerson } from './conjugation.ts';

const LONGEST = 200;
const OBJECTS: Readonly<Record<string, string>> = {
  my: 'their',
  our: 'their',
  me: 'them',
  us: 'them',
  mine: 'theirs',
  ours: 'theirs',
  myself: 'themselves',
  ourselves: 'themselves',
  i: 'they',
  we: 'they',
};
const AFTER_THEY: Readonly<Record<string, string>> = { am: 'are', is: 'are', was: 'were' };
/** Adverbs of the conversation, not of what is said. */
const DROPPED = new Set([
  'also',
  'just',
  'actually',
  'honestly',
  'basically',
  'then',
  'even',
  'now',
  'personally',
  'kinda',
  'literally',
  'definitely',
  'simply',
  'obviously',
  'still',
  'really',
  'finally',
  'already',
  'absolutely',
  'truly',
  'totally',
]);
const DROPPED_LEADS = new Set(['now', 'also', 'then', 'currently', 'nowadays', 'honestly', 'so']);

export function sentenceAbout(statement: Statement): string | undefined {
  const subject = subjectText(statement);
  const tokens = [...verbsOf(statement), ...restOf(statement.rest), ...leadOf(statement.lead)];
  const text = `${subject} ${textOf(trimmed(tokens))}`
    .replace(/\s+([,.;:!?)])/g, '$1')
    .replace(/\s+/g, ' ')
    .replace(/\bcan not\b/, 'cannot')
    .trim();
  return finished(text);
}

/** A statement that is not about the user, as it was said. */
export function sentenceAsSaid(tokens: readonly Token[]): string | undefined {
  const user = tokens.findIndex(({ text, lower }) => text === 'I' || lower === 'we');
  const named0 = tokens.some(({ lower }) => /^(?:my|our|me|us)$/.test(lower));
  if (user !== -1 && !named0) return sentenceAsSaid(withUser(tokens, user));
  const first = tokens.findIndex(({ lower }) => lower === 'my' || lower === 'our');
  const me = tokens.findIndex(({ lower }) => lower === 'me' || lower === 'us');
  const told = me === -1 ? tokens : tokens.map((each, i) => (i === me ? { ...each, text: 'User', lower: 'user' } : each));
  const named = first === -1 ? told : [...told.slice(0, first), ...inThirdPerson(told.slice(first), "User's")];
  const text = textOf(withoutClosers(inThirdPerson(named, 'their')))
    .replace(/\s+/g, ' ')
    .replace(/\bcan not\b/, 'cannot')
    .trim();
  return finished(text.charAt(0).toUpperCase() + text.slice(1));
}

/** `everything User writes`. */
function withUser(tokens: readonly Token[], at: number): Token[] {
  return tokens.map((each, i) => {
    if (i === at) return { ...each, text: 'User', lower: 'user' };
    const verb = i === at + 1 && (each.tag === 'VERB' || each.tag === 'AUX') && !isPast(each);
    return verb ? { ...each, text: thirdPerson(each.lower) } : each;
  });
}

function finished(sentence: string): string | undefined {
  const text = sentence.replace(/[.,;:!]+$/, '');
  if (text.length <= LONGEST) return text;
  const cut = text.slice(0, LONGEST);
  const at = Math.max(cut.lastIndexOf(', '), cut.lastIndexOf('; '), cut.lastIndexOf(' ('));
  return at > 40 ? cut.slice(0, at) : undefined;
}

function subjectText({ subject }: Statement): string {
  if (subject.sort === 'user') return 'User';
  if (subject.sort === 'both') {
    if (subject.tokens[0]?.lower === 'me') return `User and ${textOf(inThirdPerson(subject.tokens.slice(2), 'their'))}`;
    const others = subject.tokens.slice(0, -1).filter(({ lower }, i, all) => !(i === all.length - 1 && lower === 'and'));
    return `User and ${textOf(inThirdPerson(others, 'their'))}`;
  }
  const [first, ...others] = subject.tokens as [Token, ...Token[]];
  const own =
    first.lower === 'the' && namesFamily(others.slice(0, 2)) ? [{ ...first, text: 'my', lower: 'my' }, ...others] : subject.tokens;
  const text = textOf(inThirdPerson(own, "User's"));
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** `we are a small company`: the user is not one. */
function isGroup(rest: readonly Token[]): boolean {
  return (rest[0]?.lower === 'a' || rest[0]?.lower === 'an') && rest.slice(1, 6).some(({ lower }) => GROUPS.has(lower));
}

function verbsOf({ subject, verbs, verb, aspect, tense, rest }: Statement): Token[] {
  const kept = verbs.filter(({ lower }) => !DROPPED.has(lower) && !(/^(?:both|all)$/.test(lower) && subject.sort === 'user'));
  if (subject.sort === 'own' || subject.sort === 'other' || subject.sort === 'both')
    return [...kept].map((each) => (each.lower === 'am' ? token('are', 'AUX') : each));
  if (subject.plural && verb === 'be' && tense === 'present' && isGroup(rest)) return [token('belongs', 'VERB'), token('to', 'ADP')];
  const finite = kept.findIndex((each, i) => isFiniteVerb(each, kept[i - 1]));
  const perfectGot = aspect === 'perfect' && kept.some(({ lower }) => lower === 'got');
  const result = kept.map((each, i) =>
    i === finite
      ? token(
          isPast(each) || (tense === 'past' && i === kept.length - 1 && verb !== 'be') ? each.lower : thirdPerson(each.lower),
          each.tag,
          each.lemma,
        )
      : each,
  );
  return perfectGot ? result.filter(({ lower }) => lower !== 'got') : result;
}

function isFiniteVerb({ lower, tag }: Token, before: Token | undefined): boolean {
  if (
    lower === 'not' ||
    lower === 'no' ||
    lower === 'longer' ||
    lower === 'both' ||
    lower === 'neither' ||
    lower === 'all' ||
    lower === 'each'
  )
    return false;
  return before?.lower === 'not' || tag !== 'ADV';
}

function isPast({ lower, lemma }: Token): boolean {
  return (
    (lemma !== lower && !['am', 'are', 'have', 'do', 'were'].includes(lower)) ||
    (/ed$/.test(lower) && lower !== 'need' && lower !== 'feed' && lower !== 'breed')
  );
}

function restOf(tokens: readonly Token[]): Token[] {
  return inThirdPerson(tokens, 'their').map((each, i, all) =>
    all[i - 1]?.lower === 'nor' && ALONE.has(each.lower) ? { ...each, text: thirdPerson(each.lower) } : each,
  );
}

function leadOf(lead: readonly Token[]): Token[] {
  const kept = lead.filter((each) => isWord(each) && !DROPPED_LEADS.has(each.lower));
  const only = kept.some(({ tag }) => tag === 'NOUN' || tag === 'PROPN' || tag === 'NUM' || tag === DATE);
  if (!only) return [];
  return inThirdPerson(kept, 'their').map((each, i) =>
    i === 0 ? { ...each, text: each.tag === 'PROPN' ? each.text : each.lower, space: true } : each,
  );
}

export function inThirdPerson(tokens: readonly Token[], possessive: string): Token[] {
  return tokens.map((each, i) => {
    const before = tokens[i - 1];
    if (
      (i === 0 || (i === 1 && before?.lower !== 'and') || before?.lower === 'of') &&
      (each.lower === 'my' || each.lower === 'our') &&
      possessive !== 'their'
    )
      return { ...each, text: possessive, lower: possessive.toLowerCase() };
    if (i === 0 && (each.lower === 'my' || each.lower === 'our')) return { ...each, text: possessive, lower: possessive.toLowerCase() };
    if (before && (before.text === 'I' || before.lower === 'we') && Object.hasOwn(AFTER_THEY, each.lower))
      return { ...each, text: AFTER_THEY[each.lower] as string };
    if (each.lower === 'your') return { ...each, text: 'the', lower: 'the' };
    // `me` and `i` in capitals or as part of a name stay.
    if (!Object.hasOwn(OBJECTS, each.lower) || (each.text.length > 1 && each.text === each.text.toUpperCase())) return each;
    return { ...each, text: OBJECTS[each.lower] as string, lower: OBJECTS[each.lower] as string };
  });
}

function trimmed(tokens: readonly Token[]): Token[] {
  const own = withoutClosers(tokens);
  while (
    own.length > 1 &&
    ['now', 'and', 'but', 'so', 'or', 'because', 'at', 'currently', 'also', 'just'].includes(own.at(-1)?.lower ?? '')
  )
    own.pop();
  return own;
}
