/** The times that a question speaks of: "in May", "last summer", "the week before Christmas", "on 3 June 2023". */

/** Milliseconds, the end not included. Of a month or a season without a year there is one in each year. */
export interface DateRange {
  readonly from: number;
  readonly to: number;
}

export interface AskedDates {
  readonly ranges: readonly DateRange[];
  /** Months without a year, 0 to 11. */
  readonly months: ReadonlySet<number>;
}

const DAY_MS = 86_400_000;
const MONTHS = ['january', 'february', 'march', 'april', 'may', 'june', 'july', 'august', 'september', 'october', 'november', 'december'];
const MONTH = `(${MONTHS.join('|')})`;
/** Beside a figure. */
const MONTH_OR_SHORT = `(${MONTHS.join('|')}|jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec)`;
const DAY = '(\\d{1,2})(?:st|nd|rd|th)?';
const YEAR = '((?:19|20)\\d\\d)';
/** Northern ones; the first month of each, of three. */
const SEASONS: Readonly<Record<string, number>> = { spring: 2, summer: 5, autumn: 8, fall: 8, winter: 11 };
/** Those that are on the same day each year. */
const HOLIDAYS: Readonly<Record<string, readonly [month: number, day: number]>> = {
  christmas: [11, 25],
  'new year': [0, 1],
  halloween: [9, 31],
  'valentine’s day': [1, 14],
  "valentine's day": [1, 14],
};
const HOLIDAY = `(${Object.keys(HOLIDAYS).join('|')})`;
const WEEKDAYS = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday'];

/** "20 may have come" */
const NO_MONTH = '(?! (?:be|have|not|well|also|never|still)\\b)';
const DAY_FIRST = new RegExp(`\\b${DAY}(?: of)? ${MONTH_OR_SHORT}\\b${NO_MONTH}(?:,? ${YEAR})?\\b`, 'gi');
const MONTH_FIRST = new RegExp(`\\b${MONTH_OR_SHORT}\\.? ${DAY}\\b(?! (?:miles|kilomet|km|steps|times|people))(?:,? ${YEAR})?\\b`, 'gi');
const MONTH_AND_YEAR = new RegExp(`\\b${MONTH_OR_SHORT}\\.?,?(?: of)? ${YEAR}\\b`, 'gi');
/** "may" and "march" are verbs as well: a month is something that one is in. */
const MONTH_ALONE = new RegExp(`\\b(in|of|during|since|until|by|early|late|mid|last|this|that|for) (?:the month of )?${MONTH}\\b`, 'gi');
const MAY_BE_VERB = /^(?:this|that|for)$/i;
const VERBS = ['may', 'march', 'MAY', 'MARCH'];
const IN_FIGURES = /\b((?:19|20)\d\d)-(\d\d)(?:-(\d\d))?\b/g;
/** "fall" and "spring" are verbs as well. */
const SEASON = new RegExp(
  `\\b(?:(last|this|next)|in|during|over|since|that|for|of)(?: the)? (${Object.keys(SEASONS).join('|')})\\b(?! (?:asleep|apart|down|for|behind|off|ill|sick|out|short|back|through|into|from|up)\\b)(?:,?(?: of)? ${YEAR})?\\b`,
  'gi',
);
const YEAR_ALONE = new RegExp(`\\b(?:in|of|during|since|until|by|year) ${YEAR}\\b`, 'gi');
const NEAR_HOLIDAY = new RegExp(
  `\\b(?:(?:the )?(day|week|weekend|month)s? (before|after) |(at|on|for|over|around|last) )(?:the )?${HOLIDAY}(?: ${YEAR})?\\b`,
  'gi',
);
const COUNTS = ['a', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten'];
const RELATIVE = new RegExp(
  `\\b(?:(today|yesterday)|(last|this|past) (night|week|weekend|month|year)|(\\d{1,4}|${COUNTS.join('|')}) (day|week|month|year)s? ago)\\b`,
  'gi',
);
const ON_WEEKDAY = new RegExp(`\\b(?:last|on) (${WEEKDAYS.join('|')})\\b`, 'gi');

/** `askedAt`: what "last" and "ago" are told from; without it they tell nothing. A question without any has nothing. */
export function readDates(text: string, askedAt: number | undefined): AskedDates | undefined {
  const ranges: DateRange[] = [];
  const months = new Set<number>();
  let rest = text;
  /** What is read is not read again; `read` gives false where it is no time. */
  const take = (pattern: RegExp, read: (found: readonly (string | undefined)[]) => boolean) => {
    rest = rest.replace(pattern, (whole: string, ...found: unknown[]) => {
      return read([whole, ...found.map((part) => (typeof part === 'string' ? part.toLowerCase() : undefined))]) ? ' ; ' : whole;
    });
  };
  const add = (...some: readonly DateRange[]) => ranges.push(...some) > 0;
  const addDays = (years: readonly number[], month: number, day: number) => {
    const there = years.filter((year) => isDay(year, month, day));
    add(...there.map((year) => daysFrom(Date.UTC(year, month, day), 1)));
    return there.length > 0;
  };
  const yearsOf = (year: string | undefined) => (year ? [Number(year)] : yearsBefore(askedAt));

  take(IN_FIGURES, ([, year, month, day]) => {
    if (day) return addDays([Number(year)], Number(month) - 1, Number(day));
    return isDay(Number(year), Number(month) - 1, 1) && add(monthRange(Number(year), Number(month) - 1));
  });
  take(DAY_FIRST, ([, day, month, year]) => addDays(yearsOf(year), monthOf(month), Number(day)));
  take(MONTH_FIRST, ([, month, day, year]) => addDays(yearsOf(year), monthOf(month), Number(day)));
  take(MONTH_AND_YEAR, ([, month, year]) => add(monthRange(Number(year), monthOf(month))));
  take(NEAR_HOLIDAY, ([, unit, side, lead, holiday, year]) => {
    const near = yearsOf(year).map((one) => nearHoliday(one, holiday, unit, side));
    const past = lead === 'last' && !year && askedAt !== undefined ? near.filter(({ to }) => to <= askedAt).slice(0, 1) : near;
    return add(...past);
  });
  take(MONTH_ALONE, ([whole, lead, month]) => {
    if (MAY_BE_VERB.test(lead as string) && VERBS.some((verb) => whole?.endsWith(verb))) return false;
    months.add(monthOf(month));
    return true;
  });
  take(SEASON, ([, which, season, year]) => {
    const first = SEASONS[season as string] as number;
    if (year) return add(monthRange(Number(year), first, 3));
    if (which && askedAt !== undefined) return add(seasonNear(first, askedAt, which));
    for (const month of [first, first + 1, first + 2]) months.add(month % 12);
    return true;
  });
  take(YEAR_ALONE, ([, year]) => add(monthRange(Number(year), 0, 12)));
  if (askedAt !== undefined) {
    take(RELATIVE, ([, day, which, period, count, unit]) => {
      if (count !== undefined) return add(rangeAgo(COUNTS.includes(count) ? countOf(count) : Number(count), unit as string, askedAt));
      return add(which ? rangeNear(which, period as string, askedAt) : daysFrom(dayOf(askedAt) - (day === 'today' ? 0 : DAY_MS), 1));
    });
    take(ON_WEEKDAY, ([, day]) => add(weekdayBefore(WEEKDAYS.indexOf(day as string), askedAt)));
  }
  return ranges.length + months.size > 0 ? { ranges, months } : undefined;
}

/** What happened is often told some days later: such a time counts half. */
const TOLD_WITHIN_MS = 7 * DAY_MS;

/** 1 where a time is one of those asked for, one half where it is soon after, else 0. */
export function meetsDates({ ranges, months }: AskedDates, time: number): number {
  if (!Number.isFinite(time)) return 0;
  if (months.has(new Date(time).getUTCMonth()) || ranges.some(({ from, to }) => time >= from && time < to)) return 1;
  const isSoonAfter =
    ranges.some(({ to }) => time >= to && time < to + TOLD_WITHIN_MS) || months.has(new Date(time - TOLD_WITHIN_MS).getUTCMonth());
  return isSoonAfter ? 0.5 : 0;
}

function monthOf(name: string | undefined): number {
  return MONTHS.findIndex((month) => month.startsWith((name as string).slice(0, 3)));
}

function countOf(word: string): number {
  return Math.max(1, COUNTS.indexOf(word));
}

function dayOf(time: number): number {
  return Math.floor(time / DAY_MS) * DAY_MS;
}

/** There is no 31 February, and in most years no 29. */
function isDay(year: number, month: number, day: number): boolean {
  const date = new Date(Date.UTC(year, month, day));
  return date.getUTCMonth() === month && date.getUTCDate() === day;
}

/** A day without a year may be of this year or of one of those before. */
function yearsBefore(askedAt: number | undefined): number[] {
  if (askedAt === undefined) return [];
  const year = new Date(askedAt).getUTCFullYear();
  return Array.from({ length: 5 }, (_, i) => year - i);
}

function daysFrom(from: number, days: number): DateRange {
  return { from, to: from + days * DAY_MS };
}

function monthRange(year: number, month: number, count = 1): DateRange {
  return { from: Date.UTC(year, month), to: Date.UTC(year, month + count) };
}

/** "this" is the last one that had begun, "last" the last one that was over, and "next" the first that had not begun. */
function seasonNear(first: number, askedAt: number, which: string): DateRange {
  const year = new Date(askedAt).getUTCFullYear();
  const begun = monthRange(Date.UTC(year, first) <= askedAt ? year : year - 1, first, 3);
  if (which === 'this' || (which === 'last' && begun.to <= askedAt)) return begun;
  return monthRange(new Date(begun.from).getUTCFullYear() + (which === 'next' ? 1 : -1), first, 3);
}

const UNIT_DAYS: Readonly<Record<string, number>> = { day: 1, night: 1, week: 7, weekend: 7, month: 31, year: 366 };

function nearHoliday(year: number, holiday: string | undefined, unit: string | undefined, side: string | undefined): DateRange {
  const [month, day] = HOLIDAYS[holiday as string] as readonly [number, number];
  const at = Date.UTC(year, month, day);
  if (!unit) return { from: at - 3 * DAY_MS, to: at + 3 * DAY_MS };
  const days = UNIT_DAYS[unit] as number;
  return side === 'before' ? { from: at - days * DAY_MS, to: at } : { from: at + DAY_MS, to: at + (days + 1) * DAY_MS };
}

/** Of months and years those of the calendar; "past" is what ends with the question, as is a week, which begins on one day or another. */
function rangeNear(which: string, period: string, askedAt: number): DateRange {
  const date = new Date(askedAt);
  const [year, month] = [date.getUTCFullYear(), date.getUTCMonth()];
  if (period === 'night') return daysFrom(dayOf(askedAt) - DAY_MS, which === 'last' ? 1 : 2);
  const back = which === 'last' ? 1 : 0;
  if (which !== 'past' && period === 'month') return monthRange(year, month - back);
  if (which !== 'past' && period === 'year') return monthRange(year - back, 0, 12);
  return { from: dayOf(askedAt) - (UNIT_DAYS[period] as number) * DAY_MS, to: askedAt + 1 };
}

/** A unit of time around the moment, which is seldom meant to the day. */
function rangeAgo(count: number, unit: string, askedAt: number): DateRange {
  const days = UNIT_DAYS[unit] as number;
  const middle = dayOf(askedAt) - count * days * DAY_MS;
  return { from: middle - (days / 2) * DAY_MS, to: middle + (days / 2 + 1) * DAY_MS };
}

function weekdayBefore(day: number, askedAt: number): DateRange {
  const today = dayOf(askedAt);
  const back = (new Date(today).getUTCDay() - day + 7) % 7 || 7;
  return daysFrom(today - back * DAY_MS, 1);
}
