/** How many there are, told by what came or went: `we got a third cat`, `one hive died, so 2`, `now three cats`. */

import type { KnownMemory } from '../extraction.ts';
import { singular } from '../judgement/slots.ts';
import { countOf } from '../values/keys.ts';

const WORDS = ['zero', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten', 'eleven', 'twelve'] as const;
const ORDINALS = ['second', 'third', 'fourth', 'fifth', 'sixth', 'seventh', 'eighth', 'ninth', 'tenth'] as const;
const NUMBER = `\\d{1,3}|${WORDS.slice(1).join('|')}`;
/** Not `my neighbour got …`. */
const SPEAKER = '(?:(?:i|we|and|so|have|just|also|recently|sadly|finally|now) )*';
const MOST_HELD = 30;

const TOTAL = new RegExp(
  `^(?:(?:i am|we are|so we are|i have|we have)? ?(?:now |back |only )?(?:down|up|back) to|now|so(?: now)?|so that is|(?:so )?that makes(?: it)?|makes) (${NUMBER})(?: ([\\p{L}-]+(?: [\\p{L}-]+)?))?(?: now| left| in total| altogether)*$`,
  'u',
);
const TOTAL_NOW = new RegExp(`^(${NUMBER}) ([\\p{L}-]+(?: [\\p{L}-]+)?) (?:now|left|actually)$`, 'u');
const COMING = new RegExp(
  `^${SPEAKER}(?:got|adopted|bought|had|have|welcomed|added|rescued) (?:an?|our|my|the)?(?: |^)?(another|${ORDINALS.join('|')}) ([\\p{L}-]+)(?: (?!named|called)|$)`,
  'u',
);
const GOING = new RegExp(
  `^(${NUMBER})(?: of (?:my|our|the))? ([\\p{L}-]+) (?:has |have )?(?:died|passed away|ran away|escaped|broke|is gone)`,
  'u',
);
const GIVEN_AWAY = new RegExp(`^${SPEAKER}(?:lost|sold|rehomed|gave away) (${NUMBER})(?: of (?:my|our|the))? ([\\p{L}-]+)`, 'u');
const COUNTED = new RegExp(
  `(?<![\\p{L}\\p{N}.,-])(${NUMBER}|an?) ((?:[\\p{L}-]+ ){0,2}?[\\p{L}-]+)(?=$|[,.;)]| (?:and|now|in|on|at|with|since|plus|but|left)\\b)`,
  'giu',
);

interface Count {
  /** In words of the memory's own sort: the number and its thing. */
  readonly text: string;
  readonly thing: string;
  readonly count: number;
}

interface Change {
  readonly thing: string | undefined;
  readonly count: (before: number) => number;
}

/** A memory as it reads with the new number; undefined content where there are none left. */
export interface Recount {
  readonly memory: KnownMemory;
  readonly content: string | undefined;
}

/** `parts` are what commas and dashes part, in lower case. */
export function recounted(parts: readonly string[], held: readonly KnownMemory[]): Recount | undefined {
  const change = totalIn(parts) ?? comingIn(parts) ?? goingIn(parts);
  if (!change) return undefined;
  const known = held.slice(0, change.thing === undefined ? 3 : MOST_HELD);
  for (const memory of known) {
    const found = countsIn(memory.content).find(({ thing }) => change.thing === undefined || thing === change.thing);
    if (!found) continue;
    const count = change.count(found.count);
    if (count < 0 || count === found.count) return undefined;
    return { memory, content: count === 0 ? undefined : withCount(memory.content, found, count) };
  }
  return undefined;
}

/** `down to 3 chickens`, `now three cats`, `so 2`, `that makes four hens`. */
function totalIn(parts: readonly string[]): Change | undefined {
  for (const part of parts) {
    const found = TOTAL.exec(part) ?? TOTAL_NOW.exec(part);
    const count = countOf(found?.[1] ?? '');
    if (count === undefined) continue;
    const own = (found?.[2] ?? '').replace(/(?:^| )(?:now|left|in total|altogether)$/, '');
    const thing = own === '' ? namedIn(parts) : lastWord(own);
    return { thing, count: () => count };
  }
  return undefined;
}

function comingIn(parts: readonly string[]): Change | undefined {
  for (const part of parts) {
    const found = COMING.exec(part);
    if (!found || /\b(?:if|would|might|want|could|should)\b/.test(part)) continue;
    const rank = ORDINALS.indexOf(found[1] as (typeof ORDINALS)[number]);
    return { thing: singular(found[2] as string), count: (before) => (rank === -1 ? before + 1 : rank + 2) };
  }
  return undefined;
}

function goingIn(parts: readonly string[]): Change | undefined {
  for (const part of parts) {
    const found = GOING.exec(part) ?? GIVEN_AWAY.exec(part);
    const count = countOf(found?.[1] ?? '');
    if (found && count !== undefined) return { thing: singular(found[2] as string), count: (before) => before - count };
  }
  return undefined;
}

/** `one hive died, so 2`: of hives. */
function namedIn(parts: readonly string[]): string | undefined {
  for (const part of parts) {
    const thing = /^(?:one|two|an?|\d+)(?: of (?:my|our|the))? ([\p{L}-]+)/u.exec(part)?.[1];
    if (thing !== undefined && !/^(?:now|left|more)$/.test(thing)) return singular(thing);
  }
  return undefined;
}

function countsIn(content: string): Count[] {
  const labelled = /^User's ([\p{L} -]+): (\d{1,3})$/u.exec(content);
  if (labelled) return [{ text: labelled[2] as string, thing: lastWord(labelled[1] as string), count: Number(labelled[2]) }];
  return [...content.matchAll(COUNTED)].flatMap(([, number = '', things = '']) => {
    const count = /^an?$/i.test(number) ? 1 : countOf(number.toLowerCase());
    return count === undefined ? [] : [{ text: `${number} ${things}`, thing: lastWord(things), count }];
  });
}

function lastWord(text: string): string {
  return singular(text.toLowerCase().split(' ').at(-1) as string);
}

function withCount(content: string, { text, count: before }: Count, count: number): string {
  const [number = '', ...things] = text.split(' ');
  const written = /^\d/.test(number) ? String(count) : (WORDS[count] ?? String(count));
  const said = things.join(' ');
  const counted = before === 1 && count > 1 ? pluralOf(said) : before > 1 && count === 1 ? said.replace(/\S+$/, singular) : said;
  return content.replace(text, `${written} ${counted}`.trim());
}

function pluralOf(thing: string): string {
  if (/child$/.test(thing)) return `${thing}ren`;
  if (/[^aeiou]y$/.test(thing)) return thing.replace(/y$/, 'ies');
  return /(?:s|x|z|ch|sh)$/.test(thing) ? `${thing}es` : `${thing}s`;
}
