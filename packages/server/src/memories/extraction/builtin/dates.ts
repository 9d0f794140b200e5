/** Finds words for a time and writes the date that they mean on the day of the message. */

import {
  addDays,
  type Direction,
  dayInMonth,
  distant,
  isoDay,
  mondayOf,
  monthYear,
  nearestWeekday,
  seasonOf,
  type Unit,
  weekdayOfNextWeek,
  yearOfMonth,
} from './calendar.ts';
import { type Token, token } from './tokens.ts';
import { dayOfMonth, monthOf, numberOf, PARTS_OF_DAY, SEASONS, weekdayOf } from './words/times.ts';

export interface TimeContext {
  /** Midnight of the day of the message. */
  readonly today: Date;
  readonly direction: Direction;
  /** Comes back each year, like a birthday: a month stays without a year. */
  readonly recurring: boolean;
}

/** The tag of words that this file wrote. */
export const DATE = 'DATE';

interface Found {
  /** How many words it takes up. */
  readonly length: number;
  /** With its own preposition: `on 2026-11-20`. */
  readonly text: string;
}

/** Prepositions that stay, in place of the one a date would bring. */
const KEPT_BEFORE = new Set(['on', 'by', 'before', 'until', 'till', 'from', 'since', 'after', 'for', 'to', 'between', 'of', 'through', 'around']);
const SURE_BEFORE = new Set([...KEPT_BEFORE, 'in', 'last', 'next', 'this', 'every', 'and', 'coming', 'past', 'late', 'early', 'mid']);

export function resolveDates(tokens: readonly Token[], context: TimeContext): { tokens: Token[]; dated: boolean } {
  const result: Token[] = [];
  let dated = false;
  for (let i = 0; i < tokens.length; ) {
    const found = isHabit(tokens, i) ? undefined : findAt(tokens, i, context);
    if (!found) {
      result.push(tokens[i++] as Token);
      continue;
    }
    dated = true;
    const [first, ...rest] = found.text.split(' ');
    const before = result.at(-1)?.lower ?? '';
    if (before === first || (KEPT_BEFORE.has(before) && (first === 'on' || first === 'in' || first === 'around'))) result.push(...rest.map(dateWord));
    else if (before === 'in' || before === 'at' || before === 'over' || before === 'during') result.splice(-1, 1, ...found.text.split(' ').map(dateWord));
    else result.push(...found.text.split(' ').map(dateWord));
    i += found.length;
  }
  return { tokens: result, dated: dated || tokens.some((each) => isExplicit(each)) };
}

function dateWord(text: string): Token {
  return token(text, DATE);
}

function isExplicit({ text }: Token): boolean {
  return /^(?:19|20)\d\d(?:-\d\d(?:-\d\d)?)?$/.test(text);
}

function isHabit(tokens: readonly Token[], i: number): boolean {
  const before = tokens[i - 1]?.lower;
  return before === 'every' || before === 'each' || (before === 'and' && tokens.slice(Math.max(0, i - 3), i).some(({ lower }) => lower === 'every'));
}

function findAt(tokens: readonly Token[], i: number, context: TimeContext): Found | undefined {
  const words = tokens.slice(i, i + 7).map(({ lower }) => lower);
  return namedDay(words, context) ?? relative(tokens, i, words, context) ?? span(words, context) ?? inMonth(tokens, i, context) ?? weekday(tokens, i, words, context);
}

function onDay(date: Date, part: string | undefined, length: number): Found {
  return part !== undefined && PARTS_OF_DAY.has(part) ? { length: length + 1, text: `on the ${part} of ${isoDay(date)}` } : { length, text: `on ${isoDay(date)}` };
}

function namedDay(words: readonly string[], { today }: TimeContext): Found | undefined {
  const [first, second, third, fourth] = words;
  if (first === 'the' && second === 'day' && third === 'after' && fourth === 'tomorrow') return onDay(addDays(today, 2), words[4], 4);
  if (first === 'day' && second === 'after' && third === 'tomorrow') return onDay(addDays(today, 2), fourth, 3);
  if (first === 'the' && second === 'day' && third === 'before' && fourth === 'yesterday') return onDay(addDays(today, -2), words[4], 4);
  if (first === 'tomorrow' || first === 'tmrw' || first === 'tmr') return onDay(addDays(today, 1), second, 1);
  if (first === 'yesterday') return onDay(addDays(today, -1), second, 1);
  if (first === 'today') return onDay(today, undefined, 1);
  if (first === 'tonight') return { length: 1, text: `on the evening of ${isoDay(today)}` };
  if (first === 'this' && second !== undefined && PARTS_OF_DAY.has(second)) return { length: 2, text: `on the ${second} of ${isoDay(today)}` };
  if (first === 'last' && second === 'night') return { length: 2, text: `on the night of ${isoDay(addDays(today, -1))}` };
  return undefined;
}

/** `next …`, `last …`, `this …`, also with `coming`, `past` and `the`. */
function relative(tokens: readonly Token[], i: number, words: readonly string[], context: TimeContext): Found | undefined {
  const skip = words[0] === 'the' ? 1 : 0;
  let which = words[skip];
  let at = skip + 1;
  if (which === 'this' && (words[at] === 'coming' || words[at] === 'past')) which = words[at++] === 'past' ? 'last' : 'coming';
  if (which === 'past' && skip === 0) return undefined;
  if (which === 'upcoming') which = 'coming';
  if (which !== 'next' && which !== 'last' && which !== 'this' && which !== 'coming') return undefined;
  const [unit, part] = [words[at] ?? '', words[at + 1]];
  const { today } = context;
  const step = which === 'last' ? -1 : which === 'this' ? 0 : 1;
  const day = weekdayOf(unit, true);
  if (day !== undefined) {
    const date = which === 'next' ? weekdayOfNextWeek(today, day) : which === 'last' ? nearestWeekday(today, day, 'past') : nearestOrToday(today, day, which === 'this' ? context.direction : 'future');
    return onDay(date, part, at + 1);
  }
  const month = monthOf(tokens[i + at]?.text ?? '', true);
  if (month !== undefined && dayOfMonth(part ?? '') === undefined) {
    const direction = which === 'last' ? 'past' : which === 'this' ? context.direction : 'future';
    return { length: at + 1, text: `in ${monthYear(yearOfMonth(today, month, direction, which === 'this'), month)}` };
  }
  const season = Object.hasOwn(SEASONS, unit) ? SEASONS[unit] : undefined;
  if (season !== undefined) return { length: at + 1, text: `in ${seasonOf(today, unit, season, which === 'coming' ? 'next' : which)}` };
  return period(unit, at + 1, today, step, skip === 1);
}

function period(unit: string, length: number, today: Date, step: number, withArticle: boolean): Found | undefined {
  // `the last year` is the time up to now, not the year before.
  if (withArticle && step < 0) return undefined;
  if (unit === 'week') return { length, text: `in the week of ${isoDay(addDays(mondayOf(today), 7 * step))}` };
  if (unit === 'weekend') return { length, text: `on the weekend of ${isoDay(addDays(mondayOf(today), 7 * step + 5))}` };
  if (unit === 'month') return { length, text: `in ${monthYear(today.getUTCFullYear(), today.getUTCMonth() + step)}` };
  if (unit === 'year') return { length, text: `in ${today.getUTCFullYear() + step}` };
  if (unit === 'quarter') {
    const quarter = today.getUTCFullYear() * 4 + Math.floor(today.getUTCMonth() / 3) + step;
    return { length, text: `in Q${(quarter % 4) + 1} ${Math.floor(quarter / 4)}` };
  }
  return undefined;
}

function nearestOrToday(today: Date, day: number, direction: Direction): Date {
  return today.getUTCDay() === day ? today : nearestWeekday(today, day, direction);
}

const UNITS: Readonly<Record<string, Unit>> = { day: 'day', days: 'day', week: 'week', weeks: 'week', month: 'month', months: 'month', year: 'year', years: 'year' };

/** `in two weeks`, `three years ago`, `a week from now`. */
function span(words: readonly string[], { today }: TimeContext): Found | undefined {
  const ahead = words[0] === 'in' || words[0] === 'within';
  let at = ahead ? 1 : 0;
  if (words[at] === 'about' || words[at] === 'around' || words[at] === 'over' || words[at] === 'exactly') at++;
  let count = numberOf(words[at] ?? '');
  if (count === 1 && words[at + 1] === 'couple') {
    count = 2;
    at += words[at + 2] === 'of' ? 2 : 1;
  } else if (count === 1 && words[at + 1] === 'few') {
    const unit = words[at + 2] ?? '';
    return words[at + 3] === 'ago' && Object.hasOwn(UNITS, unit) ? { length: at + 4, text: `a few ${unit} before ${isoDay(today).slice(0, unit.startsWith('year') ? 4 : 10)}` } : undefined;
  }
  if (count === undefined) return undefined;
  const name = words[at + 1] ?? '';
  const unit = Object.hasOwn(UNITS, name) ? (UNITS[name] as Unit) : undefined;
  if (unit === undefined) return undefined;
  if (ahead) return words[at + 2] === 'time' ? { length: at + 3, text: distant(today, count, unit, 'future') } : { length: at + 2, text: distant(today, count, unit, 'future') };
  if (words[at + 2] === 'ago') return { length: at + 3, text: distant(today, count, unit, 'past') };
  if (words[at + 2] === 'from' && (words[at + 3] === 'now' || words[at + 3] === 'today')) return { length: at + 4, text: distant(today, count, unit, 'future') };
  return undefined;
}

/** `3 June`, `June 3rd, 2027`, `from 6 to 17 July`, `in August`, `the 15th`. */
function inMonth(tokens: readonly Token[], i: number, context: TimeContext): Found | undefined {
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
    const ordinal = /^\d+(?:st|nd|rd|th)$/.test(word(start)) && start === 1 && (tokens[i - 1]?.lower === 'on' || tokens[i - 1]?.lower === 'by') && tokens[i + 2]?.tag !== 'NOUN';
    return ordinal && !context.recurring ? { length: 2, text: `on ${isoDay(nearestDayOfMonth(context, day))}` } : undefined;
  }
  const before = tokens[i - 1]?.lower ?? '';
  const named = month(0, SURE_BEFORE.has(before) && before !== 'to');
  if (named === undefined) return undefined;
  const following = dayOfMonth(word(1));
  if (following !== undefined) return dayFound(context, named, following, word(2) === ',' ? word(3) : word(2), word(2) === ',' && /^\d{4}$/.test(word(3)) ? 3 : 2);
  if (/^(?:19|20)\d\d$/.test(word(1)) || context.recurring || !['in', 'since', 'by', 'until', 'before', 'this', 'from', 'mid', 'late', 'early', 'end'].includes(before)) return undefined;
  return { length: 1, text: `in ${monthYear(yearOfMonth(context.today, named, before === 'since' ? 'past' : context.direction, true), named)}` };
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

function weekday(tokens: readonly Token[], i: number, words: readonly string[], { today, direction, recurring }: TimeContext): Found | undefined {
  const before = tokens[i - 1]?.lower ?? '';
  const day = weekdayOf(words[0] ?? '', KEPT_BEFORE.has(before));
  if (day === undefined || recurring) return undefined;
  // `the Friday meeting`, `Friday meetings`: a kind of meeting, not a day.
  const names = tokens[i + 1]?.tag === 'NOUN' && !PARTS_OF_DAY.has(words[1] ?? '');
  if (names || before === 'the' || before === 'a') return undefined;
  return onDay(nearestWeekday(today, day, direction), words[1], 1);
}
