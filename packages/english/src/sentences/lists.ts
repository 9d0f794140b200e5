/** Descriptions of oneself in a list: `About me: 41, electrician, three daughters`, `vegetarian, no mushrooms`. */

import { LASTING_STATES, NATIONALITIES, NEVER_ALONE } from '../words/adjectives.ts';
import { articleFor } from './fragment-predicates.ts';
import { AM, HAVE, I, inside } from './fragment-words.ts';
import { withSubject } from './fragments.ts';
import { isKindOfPerson, namesFamily } from './people.ts';
import { isWord, type Token, token } from './tokens.ts';

const LONGEST_ITEM = 7;

/** The statements that it amounts to; none if it is no such list. */
export function listedFacts(tokens: readonly Token[], announced: boolean): readonly (readonly Token[])[] {
  const items = itemsOf(tokens);
  if (items.length < 2 || items.length > 12) return [];
  const meant = items.map((item, i) => ((announced || isAge(items[1])) && i === 0 ? nameMeant(item) : undefined) ?? itemMeant(item));
  const found = meant.filter((item) => item !== undefined);
  const first = meant[0] !== undefined || announced;
  const identity = found.some(([, verb]) => verb === AM) || (found.length === items.length && found.every(([, verb]) => verb === HAVE));
  return first && found.length >= 2 && identity && found.length * 2 > items.length ? found : [];
}

function itemsOf(tokens: readonly Token[]): Token[][] {
  const items: Token[][] = [[]];
  for (const each of tokens) {
    if (isWord(each) && each.lower !== 'and') items.at(-1)?.push(each);
    else if (items.at(-1)?.length !== 0) items.push([]);
  }
  return items.filter((item) => item.length > 0).map(([first, ...others]) => [inside(first as Token), ...others]);
}

function isAge(item: readonly Token[] | undefined): boolean {
  return item?.length === 1 && /^[1-9]\d$/.test(item[0]?.text ?? '');
}

function nameMeant(item: readonly Token[]): readonly Token[] | undefined {
  const named = item.length <= 2 && item.every(({ text, tag }) => /^\p{Lu}\p{Ll}/u.test(text) && (tag === 'PROPN' || tag === 'NOUN'));
  return named && !isKindOfPerson(item) ? [I, AM, ...item] : undefined;
}

function itemMeant(said: readonly Token[]): readonly Token[] | undefined {
  const item = /^(?:now|currently)$/.test(said[0]?.lower ?? '') && said.length > 1 ? said.slice(1) : said;
  const [first, second] = item as [Token, Token | undefined];
  if (item.length > LONGEST_ITEM || item.some(({ tag }) => tag === 'AUX')) return undefined;
  const age = /^(\d\d)(?:yo|y\/o|f|m)?$/.exec(first.lower)?.[1];
  if (
    age !== undefined &&
    Number(age) >= 13 &&
    (!second || (/^(?:years?|yo|y\/o|male|female)$/.test(second.lower) && (!item[2] || item[2].lower === 'old')))
  )
    return [I, AM, token(age, 'NUM'), ...item.slice(1)];
  if (first.lower === 'based' || first.lower === 'born' || first.lower === 'from') return second ? [I, AM, ...item] : undefined;
  if (first.lower === 'studying') return second ? [I, AM, ...item] : undefined;
  if (first.lower === 'living' || first.lower === 'working') return second?.tag === 'ADP' ? [I, AM, ...item] : undefined;
  if ((first.tag === 'NUM' || first.tag === 'DET' || first.lower === 'no') && namesFamily(item.slice(1))) return [I, HAVE, ...item];
  if (first.lower === 'no') return second && item.length <= 4 ? [I, token('want', 'VERB'), ...item] : undefined;
  if (NATIONALITIES.has(first.lower) && item.length === 1) return [I, AM, ...item];
  if (LASTING_STATES.has(first.lower) && !NEVER_ALONE.has(first.lower)) return [I, AM, ...item];
  if (item.at(-1)?.lower === 'here') return fragmentMeant(item);
  return isKindOfPerson(item) && first.tag !== 'NUM' && !item.some(({ tag }) => tag === 'PRON')
    ? [I, AM, ...articleFor(item), ...item]
    : fragmentMeant(item);
}

function fragmentMeant(item: readonly Token[]): readonly Token[] | undefined {
  const meant = withSubject(item);
  return meant !== item && meant[0]?.text === 'I' && !(meant[1] === AM && /ing$/.test(item[0]?.lower ?? '')) ? meant : undefined;
}
