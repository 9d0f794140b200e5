/** Until when a memory holds, by what it says. */

import type { ExtractedKind } from '../extraction.ts';
import { memoOf, memoOfWords } from '../memo.ts';
import { type Token, token } from '../sentences/tokens.ts';
import { numberOf, SEASONS } from '../words/times.ts';
import { addDays, later, mondayOf, monthsFrom, type Period, unitOf } from './calendar.ts';
import { isTimeWord, resolveDates } from './dates.ts';
import { mayBegin, periodAt } from './periods.ts';
import { isYearly, mayRecur, recurrenceIn } from './recurrence.ts';

export interface Ending {
  readonly kind: ExtractedKind;
  readonly slot?: string | undefined;
  /** The instant from which it no longer holds: midnight after the last day. */
  readonly until?: string | undefined;
}

interface Stated extends Period {
  /** Said to be the end of it: `until Friday`, `expires in May`. */
  readonly closes: boolean;
  /** Said to be its beginning: `from Monday`. */
  readonly opens: boolean;
}

/**
 * What states an end is short-lived and holds until then, what happens on a day until that day is over; the last of several counts.
 * What comes back stays, unless an end is stated.
 */
export function endingOf(finding: { kind: ExtractedKind; content: string; slot?: string | undefined }, today: Date): Ending {
  const { kind, until } = endKept({ kind: finding.kind, content: finding.content, today });
  // Two weeks in Lisbon are no new home, a month without meat no new diet.
  const passing = until !== undefined && /^(?:home|diet)$/.test(finding.slot ?? '');
  return { kind, slot: passing ? undefined : finding.slot, until };
}

interface Said {
  readonly kind: ExtractedKind;
  readonly content: string;
  readonly today: Date;
}

/** Each memory is asked for its end more than once. */
const endKept = memoOf(endOf, ({ kind, content, today }: Said) => `${kind} ${today.getTime()} ${content}`, { most: 500, longest: 500 });

function endOf({ kind, content, today }: Said): Ending {
  const said = wordsOf(content);
  if (!said.some(({ lower }) => mayMatter(lower))) return { kind };
  const recurrence = isYearly(content) ? 'yearly' : recurrenceIn(said);
  const { tokens } = resolveDates(said, { today, direction: 'future', recurring: recurrence === 'yearly' });
  const words = tokens.map(({ lower }) => lower);
  const dated = periodsIn(words, today, recurrence !== undefined);
  const stated = [...dated, ...spansIn(words, kind, dated, today)].filter(({ last }) => last >= today);
  const recurs = recurrence !== undefined && !(recurrence === 'maybe' && stated.length > 0);
  const ends = recurs ? stated.filter(isBoundOfTurns) : stated;
  const closes = ends.some((each) => each.closes) || (recurs && ends.length > 0);
  if (recurs && ends.length === 0) return { kind: kind === 'short_lived' ? 'fact' : kind };
  if (kind === 'short_lived' && dated.length > 0 && stated.length === 0 && isOver(words)) return { kind: 'fact' };
  if (ends.length > 0 && ends.every((each) => each.opens) && !isAway(words)) return { kind: kind === 'short_lived' ? 'fact' : kind };
  if (ends.length === 0 || (kind !== 'short_lived' && !closes)) return { kind };
  const last = Math.max(...ends.map((each) => each.last.getTime()));
  return { kind: 'short_lived', until: addDays(new Date(last), 1).toISOString() };
}

/** Without one of these words nothing ends. */
const mayMatter = memoOfWords(
  (word) => word === 'rest' || isTimeWord(word) || mayRecur(word) || mayBegin(word) || unitOf(word) !== undefined,
);

function wordsOf(content: string): Token[] {
  const texts = content.match(/[\p{L}\p{N}](?:[^\s,;:!?()]*[^\s,;:!?().])?|[^\s\p{L}\p{N}]/gu) ?? [];
  return texts.map((text) => token(text, SMALL.test(text) ? 'ADP' : 'NOUN'));
}

/** Whatever else follows a day is taken for a thing: `Saturday market`. */
const SMALL = /^(?:at|in|on|for|to|and|or|with|of|from|until|till|by|before|after|because|so|but|as|then|if|when|\W|\d.*)$/i;

/** `every day this week`, `on Tuesdays until March`; not `every Tuesday, next on 2026-11-17`. */
function isBoundOfTurns({ closes, opens, first, last }: Stated): boolean {
  return closes || (!opens && last > first);
}

const CLOSING = /^(?:until|till|through|by|before)$/;
const OPENING = /^(?:from|as|since|after|starting|beginning)$/;
const BETWEEN =
  /^(?:the|end|of|at|on|in|early|mid|late|around|about|roughly|midnight|week|weekend|morning|evening|afternoon|night|,|:|–|-)$/;
const ENDS = /^(?:expires?|expiry|expiring|exp|ends?|ending|lapses?|due|deadline|finish(?:es)?|renewal|renews?|valid)$/;

function periodsIn(words: readonly string[], today: Date, recurs: boolean): Stated[] {
  const found: Stated[] = [];
  for (let i = 0; i < words.length; ) {
    const period = periodAt(words, i, today, recurs);
    if (period) found.push(statedAt(words, i, period, found.length > 0));
    i += period?.length ?? 1;
  }
  return found;
}

function statedAt(words: readonly string[], i: number, { first, last }: Period, follows: boolean): Stated {
  let at = i - 1;
  const skips = (word = '', next = '') => BETWEEN.test(word) || (word === 'beginning' && next === 'of');
  while (at >= 0 && i - at < 7 && skips(words[at], words[at + 1]) && !isVerbOfEnd(words, at)) at--;
  const before = words[at] ?? '';
  const isEnd = isVerbOfEnd(words, at) || (before === 'out' && /^r[au]n/.test(words[at - 1] ?? ''));
  const ranges = before === 'to' && (follows || /^(?:valid|up)$/.test(words[at - 1] ?? ''));
  const closes = CLOSING.test(before) || isEnd || ranges;
  const isSeason = Object.hasOwn(SEASONS, words[i] ?? '') && !/^20/.test(words[i + 1] ?? '');
  // `before May` ends in April, `until spring` as it begins.
  if (before === 'before') return { first, last: addDays(first, -1), closes, opens: false };
  if (isSeason && CLOSING.test(before))
    return { first, last: monthsFrom(first.getUTCFullYear(), first.getUTCMonth()).last, closes, opens: false };
  return { first, last, closes, opens: OPENING.test(before) };
}

/** `ends in May`, `due on`; not the end of something. */
function isVerbOfEnd(words: readonly string[], at: number): boolean {
  return ENDS.test(words[at] ?? '') && !(words[at] === 'end' && words[at + 1] === 'of');
}

/** `for two weeks`, `for the next three months`, `ten days from 2026-05-12`, `for the rest of the year`. */
function spansIn(words: readonly string[], kind: ExtractedKind, dated: readonly Stated[], today: Date): Stated[] {
  return words.flatMap((word, i): Stated[] => {
    if (word === 'rest' && words[i + 1] === 'of') {
      const last = endOfThis(words[i + 3] ?? '', today);
      return last ? [{ first: today, last, closes: true, opens: false }] : [];
    }
    const ahead = /^(?:next|coming|following)$/.test(words[i - 1] ?? '');
    const { count, length } = countAt(words, i);
    const unit = unitOf(words[i + length] ?? '');
    if (count === 0 || unit === undefined) return [];
    const startsThen = /^(?:from|starting|beginning)$/.test(words[i + length + 1] ?? '');
    const lasts = words[i - 1] === 'for' || (words[i - 1] === 'another' && words[i - 2] === 'for');
    if (!ahead && !startsThen && !(lasts && isGoingOn(words, kind))) return [];
    const start = dated.find(({ closes, first }) => !closes && first >= today)?.first;
    if (startsThen && !start) return [];
    const end = later(start ?? today, count * (words[i + length]?.startsWith('fortnight') ? 2 : 1), unit);
    return [{ first: start ?? today, last: start ? addDays(end, -1) : end, closes: true, opens: false }];
  });
}

/** `a few` are four: rather too long than too short. */
function countAt(words: readonly string[], i: number): { count: number; length: number } {
  const at = words[i] === 'a' || words[i] === 'the' ? i + 1 : i;
  if (words[at] === 'few' || words[at] === 'couple') {
    const of = words[at + 1] === 'of' ? 1 : 0;
    return { count: words[at] === 'few' ? 4 : 2, length: at - i + 1 + of };
  }
  return { count: numberOf(words[i] ?? '') ?? 0, length: 1 };
}

/** Told as what was: `was on crutches until 2026-11-06`; or noted with a day that is over: `together since: Oct 2023`. */
function isOver(words: readonly string[]): boolean {
  if (words.slice(1, 8).includes(':')) return true;
  return (
    words.slice(1, 5).some((word) => /^(?:was|were|had|did)$|ed$/.test(word)) &&
    !words.some((word) => /^(?:is|are|has|have|will)$/.test(word))
  );
}

/** `is away from Monday` is over some day; `goes up from May` is not. */
function isAway(words: readonly string[]): boolean {
  return words.some((word, i) => /^(?:is|are|will)$/.test(word) && /^(?:in|at|on|with|away|off|out|abroad)$/.test(words[i + 1] ?? ''));
}

const STAYING = /^(?:in|at|on|with|away|off|out|back|abroad|\w+ing)$/;

/** Not `has been ill for two weeks`, `was there for two weeks`, `is a nurse for ten years`. */
function isGoingOn(words: readonly string[], kind: ExtractedKind): boolean {
  const past = words.some(
    (word, i) =>
      /^(?:was|were|did|been|used|ago)$/.test(word) ||
      (/^(?:has|have|had)$/.test(word) && words.slice(i + 1, i + 3).some((next) => /ed$/.test(next))),
  );
  if (past || kind === 'short_lived') return !past;
  return words.some((word, i) => /^(?:is|are|will)$/.test(word) && (kind !== 'long_lived' || STAYING.test(words[i + 1] ?? '')));
}

function endOfThis(unit: string, today: Date): Date | undefined {
  const [year, month] = [today.getUTCFullYear(), today.getUTCMonth()];
  if (unit === 'day') return today;
  if (unit === 'week') return addDays(mondayOf(today), 6);
  if (unit === 'month') return monthsFrom(year, month).last;
  if (unit === 'quarter') return monthsFrom(year, month - (month % 3), 3).last;
  if (unit === 'year') return monthsFrom(year, 0, 12).last;
  return undefined;
}
