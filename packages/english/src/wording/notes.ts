/** What has no verb of its own, as a sentence about the user. */

import { isWord, type Token, textOf } from '../sentences/tokens.ts';
import { inThirdPerson } from './third-person.ts';

const LONGEST = 200;
const SMALL = /^(?:the|a|an|my|our|of|for|in|on|at|and|or|to|with|per|no)$/;

/** `OS: NixOS 24.11`. */
export function labelText(label: readonly Token[], value: readonly Token[]): string | undefined {
  const own = label.filter(({ lower }, i) => !(i === 0 && /^(?:my|our|the|a|an)$/.test(lower)));
  const name = textOf(own.map((each) => (isName(each) ? each : { ...each, text: each.lower })));
  const text = `User's ${name}: ${textOf(inThirdPerson(value, 'their'))}`;
  return name === '' ? undefined : finished(text);
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
  const words = tokens.filter(isWord);
  const telling = words.filter(({ tag, lower }) => ['NOUN', 'PROPN', 'NUM', 'ADJ', 'VERB', 'X'].includes(tag) && !SMALL.test(lower));
  return telling.length >= 2 && words.length <= 40 && !words.some(({ lower }) => lower === 'you' || lower === 'your');
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
