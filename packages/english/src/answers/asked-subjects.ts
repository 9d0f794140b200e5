/** Whom a question is about: the user, something of theirs, or someone they named before. */

import type { Mention } from '../references/mentions.ts';
import { meantBy, type Named } from '../references/pronouns.ts';
import { namesFamily } from '../sentences/people.ts';
import { type Token, textOf } from '../sentences/tokens.ts';

export interface AskedSubject {
  /** In the words of the user: `I`, `my dog`. */
  readonly text: string;
  readonly sort: 'user' | 'own';
  readonly plural?: boolean;
  /** How many words of the question it takes. */
  readonly length?: number;
  /** The question is for the name of whom it tells. */
  readonly asksName?: boolean;
  readonly mention?: Mention | undefined;
}

/** Of the words that begin with it. */
export function subjectAt(tokens: readonly Token[], named: Named): (AskedSubject & { readonly length: number }) | undefined {
  const [first, second] = tokens;
  if (!first) return undefined;
  if (first.lower === 'you') return { text: 'I', sort: 'user', length: 1 };
  if (first.lower === 'your') return yours(tokens);
  if (/^(?:he|she|they)$/.test(first.lower)) return subjectFor(meantBy(first.lower, [], named.mentions), 1);
  if (first.lower === 'it')
    return subjectFor(
      meantBy(
        'it',
        [],
        named.mentions.filter(({ tokens: own }) => own.length > 0),
      ),
      1,
    );
  if (/^(?:his|her|their|its)$/.test(first.lower) && second) {
    const owner = subjectFor(meantBy(first.lower, [], named.mentions), 2);
    if (!owner || tokens.length !== 2) return undefined;
    if (/^names?$/.test(second.lower)) return { ...owner, asksName: true };
    return { ...owner, text: `${owner.text}'s ${second.lower}`, plural: /[^s]s$/.test(second.lower) };
  }
  const the = first.lower === 'the' ? 1 : 0;
  const word = tokens[the];
  const known = named.mentions.filter(
    ({ name, tokens: own }) =>
      own.length > 0 && word !== undefined && (the === 0 ? name === word.lower : own.some(({ lower }) => lower === word.lower)),
  );
  if (known.length === 1) return subjectFor(known[0], the + 1);
  // `What is the dog called?`
  const own = the === 1 && known.length === 0 && word && !/^(?:family|child|baby)$/.test(word.lower) && namesFamily([word]);
  return own ? { text: `my ${word.lower}`, sort: 'own', plural: isPlural(word.lower), length: 2 } : undefined;
}

/** `your budget`, `your date of birth`, `your dog's name`. */
function yours(tokens: readonly Token[]): (AskedSubject & { readonly length: number }) | undefined {
  let end = 1;
  for (let i = 1; i < Math.min(tokens.length, 8); i++) {
    const { tag, lower } = tokens[i] as Token;
    if (tag === 'NOUN' || tag === 'PROPN' || (tag === 'VERB' && i === 1)) end = i + 1;
    else if (tag !== 'ADJ' && !/^(?:'s|of|per|for|in)$/.test(lower)) break;
  }
  if (end === 1) return undefined;
  const own = tokens.slice(1, end);
  const head = headOf(own);
  const name = /^names?$/.test(head) && own.at(-2)?.lower === "'s";
  const said = name ? own.slice(0, -2) : own;
  return { text: `my ${textOf(said)}`, sort: 'own', plural: isPlural(headOf(said)), length: end, asksName: name };
}

function headOf(tokens: readonly Token[]): string {
  const of = tokens.findIndex(({ tag, lower }, i) => i > 0 && tag === 'ADP' && lower !== "'s");
  return (of === -1 ? tokens.at(-1) : tokens[of - 1])?.lower ?? '';
}

function isPlural(word: string): boolean {
  return /[^sui]s$/.test(word) || word === 'children' || word === 'people';
}

function subjectFor(mention: Mention | undefined, length: number): (AskedSubject & { readonly length: number }) | undefined {
  return mention && { text: textOf(mention.tokens), sort: 'own', plural: mention.plural, length, mention };
}

/** The auxiliary that goes with it. */
export function agreeing(verb: 'be' | 'have' | 'do', { sort, plural }: AskedSubject, negated = false): string {
  const forms = { be: ['am', 'are', 'is'], have: ['have', 'have', 'has'], do: ['do', 'do', 'does'] }[verb];
  return `${forms[sort === 'user' ? 0 : plural ? 1 : 2]}${negated ? ' not' : ''}`;
}
