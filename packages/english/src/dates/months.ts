/** Days and months that are named: `3 June`, `in August`, `on the 15th`. */

import type { Token } from '../sentences/tokens.ts';
import { dayOfMonth, monthOf } from '../words/times.ts';
import { type Direction, dayInMonth, isoDay, monthYear, yearOfMonth } from './calendar.ts';

export interface TimeContext {
  /** Midnight of the day of the message. */
  readonly today: Date;
  readonly direction: Direction;
  /** Comes back each year, like a birthday: a month stays without a year. */
  readonly recurring: boolean;
}

export interface Found {
  /** How many words it takes up. */
  readonly length: number;
  /** With its own preposition: `on 2026-11-20`. */
  readonly text: string;
}

/** Prepositions that stay, in place of the one a date would bring. */
export const KEPT_BEFORE = new Set([
  'on',
  'by',
  'before',
  'until',
  'till',
  'from',
  'since',
  'after',
  'for',
  'to',
  'between',
  'of',
  'through',
  'around',
]);
const SURE_BEFORE = new Set([...KEPT_BEFORE, 'in', 'last', 'next', 'this', 'every', 'and', 'coming', 'past', 'late', 'early', 'mid']);

/** `3 June`, `June 3rd, 2027`, `from 6 to 17 July`, `in August`, `the 15th`. */
export function inMonth(tokens: readonly Token[], i: number, context: TimeContext): Found | undefined {
  const word = (at: number) => tokens[i + at]?.lower ?? '';
  const month = (at: number, sure: boolean) => monthOf(tokens[i + at]?.text ?? '', sure);
  const start = word(0) === 'the' ? 1 : 0;
  const day = dayOfMonth(word(start));
  if (day !== undefined) {
    const joins = ['to', 'until', 'till', '-', '–', 'and'].includes(word(start + 1));
    const last = joins ? dayOfMonth(word(start + 2)) : undefined;
    const common = last === undefined ? undefined : month(start + 3, true);
    if (last !== undefined && common !== undefined) {
      const [from, to] = [dated(context, common, day, undefined), dated(context, common, last, undefined)];
      return from && to && !context.recurring ? { length: start + 4, text: `on ${from} to ${to}` } : undefined;
    }
    const of = word(start + 1) === 'of' ? 1 : 0;
    const named = month(start + 1 + of, true);
    if (named !== undefined) return dayFound(context, named, day, word(start + 2 + of), start + 2 + of);
    const ordinal =
      /^\d+(?:st|nd|rd|th)$/.test(word(start)) &&
      start === 1 &&
      /^(?:on|by|until|till|before)$/.test(tokens[i - 1]?.lower ?? '') &&
      tokens[i + 2]?.tag !== 'NOUN';
    return ordinal && !context.recurring ? { length: 2, text: `on ${isoDay(nearestDayOfMonth(context, day))}` } : undefined;
  }
  const before = tokens[i - 1]?.lower ?? '';
  const named = month(0, SURE_BEFORE.has(before) && before !== 'to');
  if (named === undefined) return undefined;
  const following = dayOfMonth(word(1));
  if (following !== undefined)
    return dayFound(context, named, following, word(2) === ',' ? word(3) : word(2), word(2) === ',' && /^\d{4}$/.test(word(3)) ? 3 : 2);
  if (
    /^(?:19|20)\d\d$/.test(word(1)) ||
    context.recurring ||
    !['in', 'since', 'by', 'until', 'before', 'this', 'from', 'mid', 'late', 'early', 'end'].includes(before)
  )
    return undefined;
  return {
    length: 1,
    text: `in ${monthYear(yearOfMonth(context.today, named, before === 'since' ? 'past' : context.direction, true), named)}`,
  };
}

function dayFound(context: TimeContext, month: number, day: number, year: string, length: number): Found | undefined {
  const given = /^(?:19|20)\d\d$/.test(year) ? Number(year) : undefined;
  if (given === undefined && context.recurring) return undefined;
  const date = dated(context, month, day, given);
  return date === undefined ? undefined : { length: given === undefined ? length : length + 1, text: `on ${date}` };
}

function dated({ today, direction }: TimeContext, month: number, day: number, year: number | undefined): string | undefined {
  const date = year === undefined ? dayInMonth(today, month, day, direction) : new Date(Date.UTC(year, month, day));
  return date && isoDay(date);
}

function nearestDayOfMonth({ today, direction }: TimeContext, day: number): Date {
  const step = direction === 'future' ? 1 : -1;
  for (let months = 0; ; months += step) {
    const date = new Date(Date.UTC(today.getUTCFullYear(), today.getUTCMonth() + months, day));
    if (date.getUTCDate() === day && (direction === 'future' ? date >= today : date <= today)) return date;
  }
}
