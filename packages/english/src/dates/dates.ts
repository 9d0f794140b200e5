/** Finds words for a time and writes the date that they mean on the day of the message. */

import { type Token, token } from '../sentences/tokens.ts';
import { dayOfMonth, monthOf, numberOf, PARTS_OF_DAY, SEASONS, weekdayOf } from '../words/times.ts';
import {
  addDays,
  type Direction,
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
import { type Found, inMonth, KEPT_BEFORE, type TimeContext } from './months.ts';

/** The tag of words that this file wrote. */
export const DATE = 'DATE';

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
    if (before === first || (KEPT_BEFORE.has(before) && (first === 'on' || first === 'in' || first === 'around')))
      result.push(...rest.map(dateWord));
    else if (before === 'in' || before === 'at' || before === 'over' || before === 'during')
      result.splice(-1, 1, ...found.text.split(' ').map(dateWord));
    else result.push(...found.text.split(' ').map(dateWord));
    i += found.length;
  }
  return {
    tokens: result,
    dated: dated || tokens.some((each, i) => isExplicit(each) && !['NOUN', 'PROPN'].includes(tokens[i + 1]?.tag ?? '')),
  };
}

function dateWord(text: string): Token {
  return token(text, DATE);
}

function isExplicit({ text }: Token): boolean {
  return /^(?:19|20)\d\d(?:-\d\d(?:-\d\d)?)?$/.test(text);
}

function isHabit(tokens: readonly Token[], i: number): boolean {
  const before = tokens[i - 1]?.lower;
  return (
    before === 'every' ||
    before === 'each' ||
    isRange(tokens, i) ||
    (before === 'and' && tokens.slice(Math.max(0, i - 3), i).some(({ lower }) => lower === 'every'))
  );
}

/** `Tuesday to Saturday`, `Mon-Fri`: opening hours rather than days. */
function isRange(tokens: readonly Token[], i: number): boolean {
  const day = (at: number) => weekdayOf(tokens[at]?.lower ?? '', true) !== undefined;
  const joins = (at: number) => /^(?:to|through|thru|till|until|–|-)$/.test(tokens[at]?.lower ?? '');
  if (!day(i) || tokens[i - 1]?.lower === 'from') return false;
  return (joins(i + 1) && day(i + 2)) || (joins(i - 1) && day(i - 2) && tokens[i - 3]?.lower !== 'from');
}

function findAt(tokens: readonly Token[], i: number, context: TimeContext): Found | undefined {
  const words = tokens.slice(i, i + 7).map(({ lower }) => lower);
  return (
    namedDay(words, context) ??
    endOfPeriod(words, context) ??
    theWeekend(tokens, i, context) ??
    relative(tokens, i, words, context) ??
    span(words, context) ??
    inMonth(tokens, i, context) ??
    weekday(tokens, i, words, context)
  );
}

/** `at the end of the month`, `by the end of next year`. */
function endOfPeriod(words: readonly string[], { today }: TimeContext): Found | undefined {
  const at = words[0] === 'the' ? 1 : 0;
  if (words[at] !== 'end' || words[at + 1] !== 'of') return undefined;
  const which = words[at + 2] ?? '';
  const named = /^(?:the|this|next)$/.test(which);
  const unit = words[at + (named ? 3 : 2)] ?? '';
  const month = monthOf(words[at + 2] ?? '', true);
  if (month !== undefined && !named)
    return { length: at + 3, text: `at the end of ${monthYear(yearOfMonth(today, month, 'future', true), month)}` };
  const found = period(unit, at + (named ? 4 : 3), today, which === 'next' ? 1 : 0, false);
  return found && { ...found, text: `at the end of ${found.text.replace(/^(?:in|on) (?:the )?/, unit === 'week' ? 'the ' : '')}` };
}

/** `over the weekend`: the last or the next one. */
function theWeekend(tokens: readonly Token[], i: number, { today, direction }: TimeContext): Found | undefined {
  const named =
    tokens[i]?.lower === 'the' &&
    tokens[i + 1]?.lower === 'weekend' &&
    ['over', 'at', 'on', 'for', 'during'].includes(tokens[i - 1]?.lower ?? '');
  return named ? period('weekend', 2, today, direction === 'past' ? -1 : 0, false) : undefined;
}

function onDay(date: Date, part: string | undefined, length: number): Found {
  return part !== undefined && PARTS_OF_DAY.has(part)
    ? { length: length + 1, text: `on the ${part} of ${isoDay(date)}` }
    : { length, text: `on ${isoDay(date)}` };
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
  if (first === 'this' && second !== undefined && PARTS_OF_DAY.has(second))
    return { length: 2, text: `on the ${second} of ${isoDay(today)}` };
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
    const date =
      which === 'next'
        ? weekdayOfNextWeek(today, day)
        : which === 'last'
          ? nearestWeekday(today, day, 'past')
          : nearestOrToday(today, day, which === 'this' ? context.direction : 'future');
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

const UNITS: Readonly<Record<string, Unit>> = {
  day: 'day',
  days: 'day',
  week: 'week',
  weeks: 'week',
  fortnight: 'week',
  month: 'month',
  months: 'month',
  year: 'year',
  years: 'year',
};

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
    return words[at + 3] === 'ago' && Object.hasOwn(UNITS, unit)
      ? { length: at + 4, text: `a few ${unit} before ${isoDay(today).slice(0, unit.startsWith('year') ? 4 : 10)}` }
      : undefined;
  }
  if (count === undefined) return undefined;
  if (words[at + 1] === 'fortnight') count *= 2;
  const name = words[at + 1] ?? '';
  const unit = Object.hasOwn(UNITS, name) ? (UNITS[name] as Unit) : undefined;
  if (unit === undefined) return undefined;
  if (ahead)
    return words[at + 2] === 'time'
      ? { length: at + 3, text: distant(today, count, unit, 'future') }
      : { length: at + 2, text: distant(today, count, unit, 'future') };
  if (words[at + 2] === 'ago') return { length: at + 3, text: distant(today, count, unit, 'past') };
  if (words[at + 2] === 'from' && (words[at + 3] === 'now' || words[at + 3] === 'today'))
    return { length: at + 4, text: distant(today, count, unit, 'future') };
  return undefined;
}

function weekday(tokens: readonly Token[], i: number, words: readonly string[], { today, direction }: TimeContext): Found | undefined {
  const before = tokens[i - 1]?.lower ?? '';
  const day = weekdayOf(words[0] ?? '', KEPT_BEFORE.has(before));
  if (day === undefined) return undefined;
  // `the Friday meeting`, `Friday meetings`: a kind of meeting, not a day.
  const names = tokens[i + 1]?.tag === 'NOUN' && !PARTS_OF_DAY.has(words[1] ?? '');
  if (names || before === 'the' || before === 'a') return undefined;
  return onDay(
    nearestWeekday(today, day, before === 'since' ? 'past' : ['for', 'by', 'until', 'till'].includes(before) ? 'future' : direction),
    words[1],
    1,
  );
}
