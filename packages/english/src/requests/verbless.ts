/** Standing wishes without a verb: `no meetings before 10, ever`, `type hints everywhere`. */

import { hasContent, type Verdict, verdict } from '../judgement/verdicts.ts';
import { withoutClosers } from '../sentences/phrases.ts';
import { isWord, type Token, textOf } from '../sentences/tokens.ts';
import { inThirdPerson } from '../wording/third-person.ts';

export interface Wish extends Verdict {
  readonly content: string;
}

/** `no meetings before 10 please`: only with a word that makes it a wish. */
export function unwanted(tokens: readonly Token[], pressing: boolean): Wish | undefined {
  if (tokens[0]?.lower !== 'no' || !['NOUN', 'ADJ', 'PROPN', 'X', 'VERB'].includes(tokens[1]?.tag ?? '') || tokens[1]?.lower === 'problem')
    return undefined;
  const end = tokens.findIndex(({ text }) => text === ',');
  const wished =
    pressing ||
    textOf(tokens.slice(0, end === -1 ? undefined : end)).endsWith('for me') ||
    tokens.some(({ lower }) => lower === 'rule') ||
    (/^(?:before|after|past)$/.test(tokens[2]?.lower ?? '') && /^\d/.test(tokens[3]?.text ?? ''));
  const own = withoutClosers(tokens.slice(0, end === -1 ? undefined : end).filter(({ lower }) => lower !== 'ever'));
  return wished && hasContent(own) && own.length > 1
    ? {
        ...verdict('preference'),
        content: `User wants ${textOf(inThirdPerson([{ ...(own[0] as Token), text: 'no' }, ...own.slice(1)], 'their'))}`,
      }
    : undefined;
}

/** `type hints everywhere please`, `snake_case for columns, always`: a thing wanted as a rule, without a verb. */
export function everywhere(tokens: readonly Token[], sort: string): Wish | undefined {
  const at = tokens.findIndex(({ lower }, i) => i > 0 && /^(?:everywhere|always|throughout|only)$/.test(lower));
  const noun = tokens.slice(0, at).filter((each, i, all) => isWord(each) || i < all.length - 1);
  const next = tokens[at + 1];
  if (
    sort !== 'statement' ||
    at === -1 ||
    noun.length > 7 ||
    (next && isWord(next)) ||
    !['NOUN', 'PROPN', 'ADJ', 'X'].includes(noun[0]?.tag ?? '')
  )
    return undefined;
  if (noun.some(({ tag, lower }) => tag === 'VERB' || tag === 'AUX' || tag === 'PRON' || lower === 'here')) return undefined;
  return {
    ...verdict('preference'),
    content: `User wants ${textOf(noun.map((each, i) => (i === 0 && each.tag !== 'PROPN' ? { ...each, text: each.lower } : each)))} ${tokens[at]?.lower}`,
  };
}
