/** Fragments that say what the user is or has, without `I am` and `I have`: `part time at the library`, `two kids`, `big fan of opera`. */

import { headOf } from '../judgement/verdicts.ts';
import { LASTING_INTERESTS, LASTING_STATES, NATIONALITIES, NEVER_ALONE } from '../words/adjectives.ts';
import { DWELLINGS, HOUSEHOLD, PETS, ROLES } from '../words/nouns.ts';
import { wordSet } from '../words/sets.ts';
import { weekdayOf } from '../words/times.ts';
import { A, AM, AN, HAVE, I } from './fragment-words.ts';
import { isKindOfPerson, isOccupation, namesFamily } from './people.ts';
import { isWord, type Token, token } from './tokens.ts';

const NOT_ON = wordSet(
  'average top page second paper time purpose demand another one that the this it my our your a an balance reflection point track hold earth behalf weekends weekdays days both',
);
const DEGREES = wordSet(
  'big huge massive lifelong total complete absolute avid keen proud long-time longtime amateur former certified hardcore casual',
);
/** Asked for rather than had. */
const SOUGHT = wordSet(
  'best good great cheap cheapest top nice any better easy free famous popular nearest ideal perfect dream recommended average typical',
);
const WORKING = wordSet('part-time full-time freelance nights remotely shifts');

export function predicateMeant(adverbs: readonly Token[], rest: readonly Token[]): readonly Token[] | undefined {
  const [first, second] = rest as [Token, Token | undefined];
  const taste = preferred(rest);
  if (taste) return taste;
  const here = aboutHere(rest);
  if (here) return here;
  const am = (...tokens: readonly Token[]) => [I, AM, ...adverbs, ...tokens];
  if (!second) return LASTING_STATES.has(first.lower) && !NEVER_ALONE.has(first.lower) && adverbs.length === 0 ? am(first) : undefined;
  if (rest.some(({ tag, lower }, i) => i > 0 && tag === 'AUX' && lower !== 'be') && first.lower !== 'not') return undefined;
  if (first.lower === 'not') return notBeing(second, rest) ? am(...rest) : undefined;
  if (isState(first, second, rest)) return am(...rest);
  if (/^\d+$/.test(first.text) && /^(?:weeks?|months?)$/.test(second.lower) && rest[2]?.lower === 'pregnant') return am(...rest);
  if (first.lower === 'off' && second.lower === 'to' && rest[2]?.tag === 'PROPN') return am(...rest);
  if ((first.lower === 'on' || first.lower === 'off') && isRegime(rest)) return am(...rest);
  if (first.tag === 'NUM' && /^years?$/.test(second.lower) && /^(?:in|at|as|of|with)$/.test(rest[2]?.lower ?? '') && rest.length > 3)
    return [I, HAVE, ...rest];
  if (
    /^(?:big|super|really|heavily|deep|deeply|massively|hugely|properly)$/.test(first.lower) &&
    second.lower === 'into' &&
    rest.length > 2
  )
    return am(...rest.slice(1));
  if (
    first.lower === 'from' &&
    /^(?:a|an)$/.test(second.lower) &&
    rest.slice(2, 6).some(({ lower }) => /^(?:village|town|city|farm|island|country|family|suburb)$/.test(lower))
  )
    return am(...rest);
  if (first.lower === 'into' && ['NOUN', 'PROPN', 'VERB', 'ADJ'].includes(second.tag)) return am(...rest);
  if (first.lower === 'from' && second.tag === 'PROPN' && adverbs.some(({ lower }) => lower === 'originally')) return am(...rest);
  if (first.lower === 'self' && second.lower === 'employed') return am(token('self-employed', 'ADJ'), ...rest.slice(2));
  if (/^half-?way$/.test(first.lower) || (first.lower === 'half' && second.lower === 'way')) return am(...rest);
  if (first.lower === 'in' && /^(?:my|our)$/.test(second.lower) && /\d0s$|ties$/.test(rest.at(-1)?.lower ?? '')) return am(...rest);
  const hours = /^(?:part|full)$/.test(first.lower) && second.lower === 'time';
  if ((hours || WORKING.has(first.lower)) && rest.slice(1).some(({ lower }) => /^(?:at|in|for|as|with)$/.test(lower)))
    return [I, token('work', 'VERB'), ...adverbs, ...rest];
  return someone(rest) ?? something(rest);
}

/** `teacher here`, `half Greek over here`, `south-facing balcony here`. */
function aboutHere(rest: readonly Token[]): readonly Token[] | undefined {
  const at = rest.findIndex(({ lower }, i) => i > 0 && i < 10 && (lower === 'here' || (lower === 'speaking' && i <= 2)));
  const after = rest[at + 1];
  if (at === -1 || (after && isWord(after) && after.lower !== 'in' && after.lower !== 'with')) return undefined;
  const noun = rest.slice(0, rest[at - 1]?.lower === 'over' || rest[at - 1]?.lower === 'from' ? at - 1 : at);
  const post = noun[0] !== undefined && (isOccupation(noun[0].lower) || isKindOfPerson(noun));
  if (
    noun.length === 0 ||
    (noun.length > 5 && !post) ||
    noun.some(
      ({ tag, lower }) =>
        ['AUX', 'PRON', 'ADV'].includes(tag) || (tag === 'ADP' && lower !== 'of' && !post) || lower === 'right' || lower === 'is',
    )
  )
    return undefined;
  const behind = after && isWord(after) ? rest.slice(at + 1) : [];
  const name = noun.length === 1 && (noun[0] as Token).tag === 'PROPN';
  if (name) return [I, AM, ...noun, ...behind];
  const parent = noun[1]?.lower === 'of' && noun[2]?.tag === 'NUM';
  if (parent || noun.some(({ lower }) => NATIONALITIES.has(lower) || LASTING_STATES.has(lower)) || isKindOfPerson(noun))
    return [I, AM, ...articleFor(noun), ...noun, ...behind];
  return noun.length > 1 || HOUSEHOLD.has(headOf(noun)) ? [I, HAVE, ...articleFor(noun), ...noun, ...behind] : undefined;
}

/** `a` or `an`, where one belongs. */
export function articleFor(noun: readonly Token[]): readonly Token[] {
  const head = headOf(noun);
  const first = noun[0] as Token;
  if (['DET', 'NUM', 'PRON'].includes(first.tag) || (head.endsWith('s') && !head.endsWith('ss')) || LASTING_STATES.has(head)) return [];
  if (
    NATIONALITIES.has(head) ||
    (LASTING_STATES.has(first.lower) && !(noun.length > 1 && isOccupation(head))) ||
    noun.at(-1)?.tag === 'ADJ'
  )
    return [];
  return [/^[aeio]/.test(first.lower) ? AN : A];
}

function notBeing(second: Token, rest: readonly Token[]): boolean {
  if (LASTING_STATES.has(second.lower) || LASTING_INTERESTS.has(second.lower)) return true;
  return rest.slice(1, 6).some(({ lower }) => ROLES.has(lower)) && second.lower !== 'the';
}

function isState(first: Token, second: Token, rest: readonly Token[]): boolean {
  if (/^(?:pregnant|injured|recovering|grounded|quarantined|engaged)$/.test(first.lower))
    return second.tag === 'ADP' || second.tag === 'SCONJ';
  const ends = ['ADP', 'CCONJ', 'PUNCT', 'SCONJ', 'ADV'].includes(second.tag);
  if (LASTING_STATES.has(first.lower) && !NEVER_ALONE.has(first.lower)) return ends;
  if (first.lower === 'based' || first.lower === 'born' || first.lower === 'raised') return second.lower === 'in' || second.lower === 'and';
  if (first.lower === 'new' && second.lower === 'to') return true;
  if (first.lower === 'half' && NATIONALITIES.has(second.lower)) return true;
  if (LASTING_INTERESTS.has(first.lower) && first.tag === 'ADJ') return second.tag === 'ADP' && rest.length > 2;
  return /^(?:lactose|gluten|colour|color|dairy)$/.test(first.lower) && LASTING_STATES.has(second.lower);
}

/** `on blood thinners`, `on Windows 11`: no article, no day. */
function isRegime(rest: readonly Token[]): boolean {
  const second = rest[1] as Token;
  return (
    rest.length <= 5 &&
    ['NOUN', 'PROPN', 'ADJ', 'NUM'].includes(second.tag) &&
    !NOT_ON.has(second.lower) &&
    weekdayOf(second.lower.replace(/s$/, ''), false) === undefined &&
    !/^\d+(?:st|nd|rd|th)?$/.test(second.lower)
  );
}

/** `night porter in a hotel`, `big fan of opera`, `total beginner at chess`, `mum of two`. */
function someone(rest: readonly Token[]): readonly Token[] | undefined {
  const end = rest.findIndex(({ tag, lower }, i) => i > 0 && (tag === 'ADP' || !/[\p{L}\p{N}]/u.test(lower)));
  const noun = rest.slice(0, end === -1 ? undefined : end);
  if (noun.length > 4 || noun.some(({ tag }) => !['NOUN', 'PROPN', 'ADJ', 'DET', 'VERB'].includes(tag))) return undefined;
  if (/^(?:the|any|a|an|some)$/.test(noun[0]?.lower ?? '')) return undefined;
  const head = noun.at(-1)?.lower ?? '';
  const behind = end === -1 ? '' : (rest[end]?.lower ?? '');
  if (behind === 'on' && weekdayOf(rest[end + 1]?.lower ?? '', true) !== undefined) return undefined;
  const level =
    ROLES.has(head) &&
    (DEGREES.has(noun[0]?.lower ?? '') || /^(?:of|at|with|from)$/.test(behind)) &&
    (noun.length > 1 || /^(?:of|at)$/.test(behind));
  const years = noun.some(({ lower }) => lower === 'year');
  const post = isOccupation(head) && (years || /^(?:in|at|for|from|by|with|on)$/.test(behind)) && rest.length <= 12;
  const parent = behind === 'of' && rest[(end === -1 ? rest.length : end) + 1]?.tag === 'NUM' && isKindOfPerson(noun);
  const alone =
    isOccupation(head) &&
    noun.length > 1 &&
    noun.length === rest.length &&
    !noun.some(({ lower }) => SOUGHT.has(lower) || lower === 'no') &&
    noun.every(({ tag }) => tag !== 'DET' && tag !== 'VERB');
  const former = noun.length === 1 && /^(?:ex|non)-/.test(head);
  return level || post || parent || alone || former ? [I, AM, ...articleFor(noun), ...rest] : undefined;
}

/** `two kids and a dog`, `no kids`, `no car`, `house rabbit`, `tiny studio`, `kosher household`. */
function something(rest: readonly Token[]): readonly Token[] | undefined {
  const [first, second] = rest as [Token, Token];
  const comma = rest.findIndex(({ text }) => text === ',');
  const own = comma === -1 ? rest : rest.slice(0, comma);
  const place = own.findIndex(({ tag }) => tag === 'ADP');
  const room = place === -1 ? own : own.slice(0, place);
  const dwelling =
    place !== -1 &&
    ['NUM', 'ADJ', 'NOUN'].includes(first.tag) &&
    DWELLINGS.has(room.at(-1)?.lower ?? '') &&
    room.length > 1 &&
    !SOUGHT.has(first.lower);
  if (dwelling && rest[place + 1]?.tag === 'PROPN') return [I, HAVE, A, ...rest];
  const kept =
    own.length > 1 && own.length <= 4 && own.every(({ tag }) => ['NOUN', 'ADJ', 'PROPN'].includes(tag)) && !SOUGHT.has(first.lower);
  const head = own.at(-1)?.lower ?? '';
  if (kept && first.tag !== 'PROPN' && (PETS.has(head) || DWELLINGS.has(head) || head === 'household') && !head.endsWith('s'))
    return [I, HAVE, ...articleFor(own), ...rest];
  if (
    kept &&
    comma !== -1 &&
    /^(?:inherited|bought|got|found|rescued|adopted|second-hand|secondhand|used)$/.test(rest[comma + 1]?.lower ?? '')
  )
    return [I, HAVE, ...articleFor(own), ...rest];
  if (rest.length > 6 || rest.some(({ tag }) => tag === 'VERB' || tag === 'AUX')) return undefined;
  const counted = first.tag === 'NUM' && namesFamily(rest.slice(1, 4));
  const none = first.lower === 'no' && second.tag === 'NOUN' && (namesFamily([second]) || HOUSEHOLD.has(second.lower)) && rest.length <= 3;
  return counted || none ? [I, HAVE, ...rest] : undefined;
}

/** `tea over coffee any day`, `documentaries all the way`. */
function preferred(said: readonly Token[]): readonly Token[] | undefined {
  const rest = said[0]?.lower === 'give' && said[1]?.lower === 'me' ? said.slice(2) : said;
  const end = rest.findIndex(({ text }, i) => i > 0 && /^[,.!;]$/.test(text));
  const own = end === -1 ? rest : rest.slice(0, end);
  if (own.length > 9 || own.some(({ tag, lower }) => tag === 'AUX' || lower === 'i')) return undefined;
  const text = (end === -1 ? own : rest.slice(0, end + 5)).map(({ lower }) => lower).join(' ');
  const tail = /(?: any day| every time| anytime| any time| all day| all the way| all day long| for the win| ftw| forever| > )/.exec(text);
  const over = own.findIndex(({ lower }, i) => i > 0 && (lower === 'over' || lower === '>') && own[i + 1] !== undefined);
  if (over === -1 ? !tail || !/all the way|for the win|ftw/.test(tail[0]) : !tail && own[over]?.lower !== '>') return undefined;
  const noun =
    over === -1
      ? own.slice(
          0,
          own.findIndex(({ lower }) => /^(?:all|for|ftw)$/.test(lower)),
        )
      : own;
  return noun.length > 0 && ['NOUN', 'PROPN', 'ADJ', 'X', 'VERB', ...(rest === said ? [] : ['DET'])].includes((noun[0] as Token).tag)
    ? [I, token('prefer', 'VERB'), ...noun]
    : undefined;
}
