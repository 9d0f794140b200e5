/** What has no verb of its own, as a sentence about the user. */

import { isWord, type Token, textOf } from '../sentences/tokens.ts';
import { wordSet } from '../words/sets.ts';
import { thirdPerson } from './conjugation.ts';
import { inThirdPerson } from './third-person.ts';

const LONGEST = 200;
const SMALL = /^(?:the|a|an|my|our|of|for|in|on|at|and|or|to|with|per|no)$/;

/** `OS: NixOS 24.11`. */
export function labelText(label: readonly Token[], value: readonly Token[]): string | undefined {
  const said = textOf(inThirdPerson(value, 'their'));
  const verb = actOf(label);
  // `got a new job: PM at Acme`
  if (DEEDS.has(label[0]?.lower ?? '') && label.length > 1) return finished(`User ${textOf(label)}: ${said}`);
  if (verb !== undefined) return finished(`User ${verb} ${said}`);
  const own = label.filter(({ lower }, i) => !(i === 0 && /^(?:my|our|the|a|an)$/.test(lower)));
  const user = own.findIndex(({ text, lower }) => text === 'I' || lower === 'we');
  const name = textOf(own.map((each) => (/^\p{Lu}\p{Ll}+$/u.test(each.text) ? { ...each, text: each.lower } : each)));
  if (name === '') return undefined;
  if (user === -1) return finished(`User's ${name}: ${said}`);
  // `Tools I own`
  const [before, after] = [own.slice(0, user), own.slice(user + 1)];
  const told = after.map((each, i) => (i === 0 ? thirdPerson(each.lower) : each.lower)).join(' ');
  return finished(`${capital(textOf(before))} User ${told}: ${said}`.trim());
}

const ACTS = wordSet(
  'have has want need needs hate love like prefer avoid use using own play playing drive speak study studying work working learning building trying eat drink take wear read reading watching follow collect run',
);

const DEEDS = wordSet('got bought started joined switched swapped adopted upgraded changed');

/** `hate: mechanisms`, `can't: first-person games`: what the user does, or does not. */
function actOf(label: readonly Token[]): string | undefined {
  const [first = '', second = '', third = 'do'] = label.map(({ lower }) => lower);
  if (second === 'not' && label.length <= 3) return first === 'can' ? `cannot ${third}` : first === 'do' ? `does not ${third}` : undefined;
  if (label.length > 1 || !ACTS.has(first)) return undefined;
  if (first.endsWith('ing')) return `is ${first}`;
  return first === 'has' || first === 'needs' ? first : thirdPerson(first);
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

export function fragmentText(tokens: readonly Token[]): string | undefined {
  const [first, ...others] = inThirdPerson(tokens, 'their');
  if (!first) return undefined;
  return finished(
    `User mentions: ${textOf([isName(first) ? first : { ...first, text: first.text.charAt(0).toLowerCase() + first.text.slice(1) }, ...others])}`,
  );
}

/** Has something to it: a name, a number, or two words that mean something. */
export function isNotable(tokens: readonly Token[]): boolean {
  const words = withoutVocative(tokens).filter(isWord);
  const telling = words.filter(({ tag, lower }) => ['NOUN', 'PROPN', 'NUM', 'ADJ', 'VERB', 'X'].includes(tag) && !SMALL.test(lower));
  return telling.length >= 2 && words.length <= 40 && !words.some(({ lower }) => lower === 'you' || lower === 'your');
}

/** `No prob, Jon`, `John, that …`: who is spoken to says nothing. */
function withoutVocative(tokens: readonly Token[]): readonly Token[] {
  const [last, comma] = [tokens.at(-1), tokens.at(-2)];
  const own = last?.tag === 'PROPN' && comma?.text === ',' && tokens.length <= 6 ? tokens.slice(0, -2) : tokens;
  return own[0]?.tag === 'PROPN' && own[1]?.text === ',' ? own.slice(2) : own;
}

/** Written with a capital that is not that of a sentence: `NixOS`, `GPU`, `Porto`. */
function isName({ text, tag }: Token): boolean {
  return tag === 'PROPN' || /\p{Lu}.*\p{Lu}|\d/u.test(text);
}

function finished(sentence: string): string | undefined {
  const text = sentence
    .replace(/\s+([,.;:!?)])/g, '$1')
    .replace(/\s+/g, ' ')
    .replace(/[.,;:!]+$/, '')
    .trim();
  return text.length <= LONGEST ? text : undefined;
}
