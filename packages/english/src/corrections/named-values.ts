/** A new value of something that is known by its name: `budget went up to 150`, `firmware is 16.6 now`, `spice → hot`. */

import { resolveDates } from '../dates/dates.ts';
import type { KnownMemory } from '../extraction.ts';
import { memoOf } from '../memo.ts';
import { sentencesOf, type Token, textOf } from '../sentences/tokens.ts';
import { keyOf } from '../values/keys.ts';
import type { Correction } from './corrections.ts';
import { recounted } from './counts.ts';
import { wordIn } from './known-memories.ts';
import { replacement, replacing } from './new-values.ts';

const LONGEST = 200;
const MOST_HELD = 30;
const ANNOUNCED =
  /^(?:(?:small |quick )?(?:update|upd|edit|change|correction|actually|also|and|ok|okay|oh|btw|fyi|so|well|no|wait|sorry)[ :,]+)+/i;
const CHANGED =
  /^ ?(?:(?:is|are|was|were|has|have|had|just|got|been|being|has to be) )*(?:moved|changed?|switched|upgraded|updated|increased|raised|reduced|cut|lowered|dropped|bumped|pushed|went|gone|rose|fell|grew|up|down)(?: (?:up|down|over|back))*(?: from \S+)? to (.+)$/i;
const EQUALS = /^ ?(?:=|→|->|=>|: now) ?(.+)$/;
const IS_NOW = /^ (?:(?:is|are|at) )?(?:now (.+)|(.+?) (?:now|actually|these days))$/i;
const CLOSING = /[ ,]+(?:now|actually|instead|please|from now on|today|btw|by the way|as of today|already)[.!]*$/i;

export function revalued(sentence: readonly Token[], held: readonly KnownMemory[], today: Date): Correction | undefined {
  const text = textOf(sentence).replace(/[.!\s]+$/, '');
  if (text.length > LONGEST || text.endsWith('?')) return undefined;
  const parts = partsOf(text);
  const recount = recounted(
    parts.map((part) => part.toLowerCase()),
    held,
  );
  if (recount) {
    const whole = isOnly(parts);
    if (recount.content === undefined) return { withdrawn: [recount.memory.id], whole };
    return { ...replacement(recount.memory, recount.content), whole };
  }
  for (const part of parts) {
    const found =
      swapped(part, held) ?? renamed(part, held, today) ?? renumbered(part, held) ?? remeasured(part, held) ?? upgraded(part, held);
    if (found) return { ...found, whole: isOnly(parts) };
  }
  return undefined;
}

function partsOf(text: string): string[] {
  return text
    .replace(ANNOUNCED, '')
    .split(/\s*(?:[,;–—!]| - |\band (?=now\b|so\b))\s*/)
    .filter((part) => part !== '')
    .slice(0, 8);
}

/** Nothing else is told in it. */
function isOnly(parts: readonly string[]): boolean {
  return parts.filter((part) => /^(?:I|we|my|our)\b/i.test(part)).length <= 1;
}

/** `250 -> 400`. */
function swapped(part: string, held: readonly KnownMemory[]): Correction | undefined {
  const [, old, fresh] = /^(\S+(?: \S+)?) ?(?:->|→|=>) ?(.+)$/.exec(part.replace(CLOSING, '')) ?? [];
  if (old === undefined || fresh === undefined) return undefined;
  for (const memory of held.slice(0, MOST_HELD)) {
    const value = memory.content.slice(memory.content.indexOf(': ') + 1);
    const found = wordIn(value, old);
    if (found !== undefined) return replacing(memory, found, fresh);
  }
  return undefined;
}

function renamed(part: string, held: readonly KnownMemory[], today: Date): Correction | undefined {
  const said = part.replace(/^(?:my|our|the) /i, '').replace(/^new (?=\S+ is )/i, '');
  const anew = /^(?:(?:my|our|the) )?new \S+ is (\p{Lu}.*)$/u.exec(part)?.[1];
  for (const memory of held.slice(0, MOST_HELD)) {
    const found = namedIn(memory.content);
    if (!found) continue;
    const { opening, name, before } = found;
    // `my budget is 150` says it by itself.
    const labelled = opening.endsWith(':');
    const rest = restAfter(said, name) ?? (/^the /i.test(part) ? movedRest(said, name) : undefined);
    if (rest === undefined || (!labelled && /^(?:my|our) .* is /i.test(part))) continue;
    const now = IS_NOW.exec(rest);
    const value = (anew ?? CHANGED.exec(rest)?.[1] ?? EQUALS.exec(rest)?.[1] ?? now?.[1] ?? now?.[2])?.replace(CLOSING, '');
    if (value === undefined || value === '' || value.split(' ').length > 6 || /\b(?:I|you|it|that|broken|down|not)\b/.test(value)) continue;
    return replacement(memory, `${opening} ${dated(fitting(value, before), today)}`);
  }
  return undefined;
}

/** The same memories are held against each sentence. */
const namedIn = memoOf(
  (content) => {
    const found = /^((?:User's|The) ([\p{L}\p{N} '/-]{2,40}?)(?::| is| are)) (.+)$/u.exec(content);
    return found ? { opening: found[1] ?? '', name: found[2] ?? '', before: found[3] ?? '' } : undefined;
  },
  (content: string) => content,
  { most: 2_000, longest: 300 },
);

/** What follows the name, in the singular or the plural. */
function restAfter(said: string, name: string): string | undefined {
  const length = name.split(' ').length;
  const words = said.split(' ');
  const own = words.slice(0, length).join(' ').replace(/:$/, '');
  if (words.length <= length || keyOf(own) === '' || keyOf(own) !== keyOf(name)) return undefined;
  return ` ${words.slice(length).join(' ')}`;
}

/** `the appointment was moved to …` of the one with the dentist. */
function movedRest(said: string, name: string): string | undefined {
  const rest = name.includes(' ') ? restAfter(said, name.split(' ').at(-1) as string) : undefined;
  return rest !== undefined && CHANGED.test(rest) ? rest : undefined;
}

const QUANTITY = '[$€£]?\\d[\\d.,]*(?:[a-z%€]{1,3})?';

const MARKED = new RegExp(
  `^([\\p{L}-]+(?: (?!is |are |at )[\\p{L}-]+)?)(?: is| are|:| at)? ?(?:=|→|->)? ?(${QUANTITY})(?: ([a-z]+))?(?: now| actually| these days)(?: .*)?$`,
  'iu',
);

/** `shoes 44 actually`, `tetras = 10 now`, `sertraline is 100 mg now`: one number among what a memory tells. */
function renumbered(part: string, held: readonly KnownMemory[]): Correction | undefined {
  const [, thing = '', number = '', unit = ''] = MARKED.exec(part.replace(/ \(.*$/, '')) ?? [];
  const key = keyOf(thing);
  if (key === '' || number === '') return undefined;
  for (const memory of held.slice(0, MOST_HELD)) {
    const words = memory.content.split(' ');
    const at = words.findIndex((word) => keyOf(word.replace(/[,;:()]/g, '')) === key);
    if (at < 1) continue;
    const isNumber = (word: string | undefined) => new RegExp(`^${QUANTITY}[,;)]?$`, 'i').test(word ?? '');
    // Right after it, or before it with a unit or a word between.
    const place = [at + 1, at - 1, at - 2].find(
      (i) => isNumber(words[i]) && !/[,;]$/.test(i < at ? (words[at - 1] ?? '') : (words[at] ?? '')),
    );
    if (place === undefined) continue;
    if (unit !== '' && words[place + 1]?.toLowerCase() !== unit.toLowerCase()) continue;
    const tail = /[,;)]$/.exec(words[place] ?? '')?.[0] ?? '';
    return replacement(memory, words.with(place, number + tail).join(' '));
  }
  return undefined;
}

/** `down to 79kg`: of the newest with that unit. */
function remeasured(part: string, held: readonly KnownMemory[]): Correction | undefined {
  const [, number, unit] =
    /^(?:i am |we are )?(?:now |back )?(?:down|up|back) (?:to|at) (\d[\d.,]*) ?(kg|lbs?|pounds|kilos|stone|cm|km|miles|%|hours)(?: now)?$/i.exec(
      part,
    ) ?? [];
  if (number === undefined) return undefined;
  for (const memory of held.slice(0, 10)) {
    const before = new RegExp(`(?<![\\d-])(\\d[\\d.,]*)(?= ?${unit}(?![\\p{L}]))`, 'iu').exec(memory.content)?.[1];
    if (before !== undefined && before !== number) return replacing(memory, before, number);
  }
  return undefined;
}

/** `we moved to 16 last week`, `1.31 now`: the version of the newest that has one. */
function upgraded(part: string, held: readonly KnownMemory[]): Correction | undefined {
  const version =
    /^(?:we|i)(?: have| are| am| just| now| already| actually)* (?:(?:moved|upgraded|updated|bumped|migrated|went)(?: it)?(?: up)? to|on) v?(\d+(?:\.\d+)*)(?= (?:now|already|last|this|yesterday|today)\b|$)/i.exec(
      part,
    )?.[1] ?? /^v?(\d+(?:\.\d+)+) now$/i.exec(part)?.[1];
  if (version === undefined) return undefined;
  for (const memory of held.slice(0, 5)) {
    const before = / [\p{L}][\p{L}\p{N}.#+-]* v?(\d+(?:\.\d+)*)(?![\p{L}\p{N}-])/u.exec(memory.content)?.[1];
    if (before !== undefined && before !== version && !/\d{4}-\d\d/.test(memory.content)) return replacing(memory, before, version);
  }
  return undefined;
}

/** `150` for `120 euros a month` is `150 euros a month`. */
function fitting(value: string, before: string): string {
  const number = /^[$€£]?\d[\d.,]*k?$/.test(value)
    ? /^[$€£]?\d[\d.,]*k?(?= [\p{L}€]+(?: (?:an?|per) \w+)?$)/u.exec(before)?.[0]
    : undefined;
  return number === undefined ? value : value + before.slice(number.length);
}

function dated(value: string, today: Date): string {
  return textOf(resolveDates(sentencesOf(value).flat(), { today, direction: 'future', recurring: false }).tokens);
}
