/** Days and months that are named: `3 June`, `in August`, `on the 15th`. */

import type { Token } from '../sentences/tokens.ts';
import { dayOfMonth, monthOf, spokenDay } from '../words/times.ts';
import { type Direction, dateOf, dayInMonth, isoDay, monthYear, yearOfMonth } from './calendar.ts';
import type { Recurrence } from './recurrence.ts';

export interface TimeContext {
  /** Midnight of the day of the message. */
  readonly today: Date;
  readonly direction: Direction;
  /** Where what stands after `until` lies, if elsewhere: `they took my licence until April`. */
  readonly ends?: Direction | undefined;
  /** Comes back each year, like a birthday: a month stays without a year. */
  readonly recurring: boolean;
  /** The sentence says that it comes back: days and months that could be any are left alone. */
  readonly turn?: Recurrence | undefined;
  /** A date and `to` stand before it. */
  readonly ranges?: boolean;
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
/** A month alone is one after these, and perhaps a name after others. */
const BEFORE_MONTH = /^(?:in|since|by|until|till|through|before|during|this|from|mid|late|early|end|due|ends?|ending|expires|expiring)$/;
const JOINS = /^(?:to|until|till|through|-|–|—|and)$/;

/** `3 June`, `June 3rd, 2027`, `from 6 to 17 July`, `in August`, `the 15th`. */
export function inMonth(tokens: readonly Token[], i: number, context: TimeContext): Found | undefined {
  const start = tokens[i]?.lower === 'the' ? 1 : 0;
  return dayThenMonth(tokens, i, start, context) ?? monthThenDay(tokens, i, context) ?? monthAlone(tokens, i, context);
}

interface Days {
  readonly first: number;
  readonly last?: number | undefined;
  readonly length: number;
  readonly spoken?: boolean;
}

/** `3`, `3rd`, `3-9`, `3 to 9`, `the third`. */
function daysAt(tokens: readonly Token[], i: number): Days | undefined {
  const word = (at: number) => tokens[i + at]?.lower ?? '';
  const [, from, to] = /^(\d{1,2}(?:st|nd|rd|th)?)[-–—/](\d{1,2}(?:st|nd|rd|th)?)$/.exec(word(0)) ?? [];
  if (from !== undefined && to !== undefined) {
    const [first, last] = [dayOfMonth(from), dayOfMonth(to)];
    return first !== undefined && last !== undefined && first < last ? { first, last, length: 1 } : undefined;
  }
  const first = dayOfMonth(word(0));
  if (first === undefined) {
    const spoken = spokenDay(word(0), word(1));
    return spoken && { first: spoken.day, length: spoken.length, spoken: true };
  }
  const the = word(2) === 'the' ? 1 : 0;
  const last = JOINS.test(word(1)) ? dayOfMonth(word(2 + the)) : undefined;
  return last !== undefined && last > first ? { first, last, length: 3 + the } : { first, length: 1 };
}

function dayThenMonth(tokens: readonly Token[], i: number, start: number, context: TimeContext): Found | undefined {
  const days = daysAt(tokens, i + start);
  if (!days) return undefined;
  const after = i + start + days.length;
  const of = tokens[after]?.lower === 'of' ? 1 : 0;
  const month = days.spoken && of === 0 ? undefined : monthOf(tokens[after + of]?.text ?? '', true);
  if (month !== undefined) return daysFound(tokens, i, context, month, days, after + of + 1);
  const ordinal =
    /^\d+(?:st|nd|rd|th)$/.test(tokens[i + start]?.lower ?? '') &&
    start === 1 &&
    (context.ranges || /^(?:on|by|until|till|before|from)$/.test(tokens[i - 1]?.lower ?? '')) &&
    tokens[i + 2]?.tag !== 'NOUN';
  return ordinal && !context.recurring && !context.turn
    ? { length: 2, text: `on ${isoDay(nearestDayOfMonth(context, days.first))}` }
    : undefined;
}

function monthThenDay(tokens: readonly Token[], i: number, context: TimeContext): Found | undefined {
  const before = tokens[i - 1]?.lower ?? '';
  const name = tokens[i]?.text ?? '';
  const days = daysAt(tokens, i + 1);
  if (!days) return undefined;
  const after = tokens[i + 1 + days.length];
  // `may 15 people come`, `the march 3 of us went on`
  const apart = !after || after.tag === 'PUNCT' || JOINS.test(after.lower);
  const month = monthOf(name, apart || !/^mar$|^march$|^may$/.test(name) || (SURE_BEFORE.has(before) && before !== 'to'));
  if (month === undefined || (days.spoken && after?.tag === 'NOUN')) return undefined;
  const comma = tokens[i + 1 + days.length]?.text === ',' && /^(?:19|20)\d\d$/.test(tokens[i + 2 + days.length]?.text ?? '') ? 1 : 0;
  return daysFound(tokens, i, context, month, days, i + 1 + days.length + comma);
}

/** `in August`, `until mid-June`, `early March`. */
function monthAlone(tokens: readonly Token[], i: number, context: TimeContext): Found | undefined {
  const before = tokens[i - 1]?.lower ?? '';
  const [, joined, rest] = /^(early|mid|late)-(.+)$/i.exec(tokens[i]?.text ?? '') ?? [];
  const apart = joined === undefined && /^(?:early|mid|late)$/.test(tokens[i]?.lower ?? '') ? 1 : 0;
  const part = joined !== undefined || apart === 1;
  const name = apart === 1 ? tokens[i + 1]?.text : (rest ?? tokens[i]?.text);
  const month = monthOf(name ?? '', part || context.ranges || BEFORE_MONTH.test(before) || (SURE_BEFORE.has(before) && before !== 'to'));
  if (month === undefined || context.recurring || context.turn) return undefined;
  if (/^(?:19|20)\d\d$/.test(tokens[i + apart + 1]?.lower ?? '')) return undefined;
  const valid = before === 'to' && /^(?:valid|up)$/.test(tokens[i - 2]?.lower ?? '');
  if (!part && !valid && !context.ranges && !BEFORE_MONTH.test(before)) return undefined;
  const { year: given, length: more } = yearAt(tokens, i + apart + 1, context);
  const year = given ?? yearOfMonth(context.today, month, before === 'since' ? 'past' : context.direction, true);
  const prefix = joined !== undefined ? `${joined.toLowerCase()}-` : apart === 1 ? `${tokens[i]?.lower} ` : '';
  return { length: 1 + apart + more, text: `in ${prefix}${monthYear(year, month)}` };
}

/** `2027`, `this year`, `next year`, and over how many words it goes. */
function yearAt(tokens: readonly Token[], i: number, { today }: TimeContext): { year: number | undefined; length: number } {
  const [first, second] = [tokens[i]?.lower ?? '', tokens[i + 1]?.lower];
  if (/^(?:19|20)\d\d$/.test(first)) return { year: Number(first), length: 1 };
  if (second !== 'year' || !/^(?:this|next|last)$/.test(first)) return { year: undefined, length: 0 };
  return { year: today.getUTCFullYear() + (first === 'next' ? 1 : first === 'last' ? -1 : 0), length: 2 };
}

/** `end` is the place after them, where a year may stand. */
function daysFound(tokens: readonly Token[], i: number, context: TimeContext, month: number, days: Days, end: number): Found | undefined {
  const { year, length: more } = yearAt(tokens, end, context);
  if (year === undefined && (context.recurring || context.turn === 'yearly')) return undefined;
  const length = end - i + more;
  const last = dated(context, month, days.last ?? days.first, year);
  if (!last) return undefined;
  if (days.last === undefined) return { length, text: `on ${isoDay(last)}` };
  const first = isoDay(new Date(Date.UTC(last.getUTCFullYear(), month, days.first)));
  return { length, text: `from ${first} ${tokens[i - 1]?.lower === 'between' ? 'and' : 'to'} ${isoDay(last)}` };
}

function dated({ today, direction }: TimeContext, month: number, day: number, year: number | undefined): Date | undefined {
  return year === undefined ? dayInMonth(today, month, day, direction) : dateOf(year, month, day);
}

function nearestDayOfMonth({ today, direction }: TimeContext, day: number): Date {
  const step = direction === 'future' ? 1 : -1;
  for (let months = 0; ; months += step) {
    const date = new Date(Date.UTC(today.getUTCFullYear(), today.getUTCMonth() + months, day));
    if (date.getUTCDate() === day && (direction === 'future' ? date >= today : date <= today)) return date;
  }
}
