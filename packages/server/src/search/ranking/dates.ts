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
const NAMES = ['january', 'february', 'march', 'april', 'may', 'june', 'july', 'august', 'september', 'october', 'november', 'december'];
const MONTH = '(january|february|march|april|may|june|july|august|september|october|november|december)';
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

const DAY_FIRST = new RegExp(`\\b${DAY}(?: of)? ${MONTH}\\b(?:,? ${YEAR})?`, 'g');
const MONTH_FIRST = new RegExp(`\\b${MONTH} ${DAY}\\b(?!\\d)(?:,? ${YEAR})?`, 'g');
const MONTH_AND_YEAR = new RegExp(`\\b${MONTH},?(?: of)? ${YEAR}\\b`, 'g');
/** "may" and "march" are verbs as well: a month is something that one is in. */
const MONTH_ALONE = new RegExp(`\\b(?:in|of|during|since|until|by|early|late|mid|this|that|last|for) (?:the month of )?${MONTH}\\b`, 'g');
const IN_FIGURES = /\b((?:19|20)\d\d)-(\d\d)(?:-(\d\d))?\b/g;
/** "fall" and "spring" are verbs as well. */
const SEASON = new RegExp(
  `\\b(?:(last|this|next)|in|during|over|since|that|for|of)(?: the)? (${Object.keys(SEASONS).join('|')})(?:,?(?: of)? ${YEAR})?\\b`,
  'g',
);
const YEAR_ALONE = new RegExp(`\\b(?:in|of|during|since|until|by|year) ${YEAR}\\b`, 'g');
const NEAR_HOLIDAY = new RegExp(
  `\\b(?:(the )?(day|week|weekend|month)s? (before|after) |(?:at|on|for|over|around|last) )${HOLIDAY}(?: ${YEAR})?\\b`,
  'g',
);
const RELATIVE =
  /\b(today|yesterday|(?:last|this|past) (?:night|week|weekend|month|year)|(\d+|two|three|four|five|six) (day|week|month|year)s ago)\b/g;
const ON_WEEKDAY = new RegExp(`\\b(?:last|on) (${WEEKDAYS.join('|')})\\b`, 'g');
const COUNTS: Readonly<Record<string, number>> = { two: 2, three: 3, four: 4, five: 5, six: 6 };

/** `askedAt`: what "last" and "ago" are told from; without it they tell nothing. A question without any has nothing. */
export function readDates(text: string, askedAt: number | undefined): AskedDates | undefined {
  const ranges: DateRange[] = [];
  const months = new Set<number>();
  let rest = text.toLowerCase();
  const take = (pattern: RegExp, read: (found: readonly (string | undefined)[]) => void) => {
    rest = rest.replace(pattern, (...found: unknown[]) => {
      read(found as (string | undefined)[]);
      return ' ; ';
    });
  };
  const addDays = (years: readonly number[], month: number, day: number) => {
    for (const year of years) ranges.push(daysFrom(Date.UTC(year, month, day), 1));
  };
  const yearsOf = (year: string | undefined) => (year ? [Number(year)] : yearsBefore(askedAt));

  take(IN_FIGURES, ([, year, month, day]) =>
    day ? addDays([Number(year)], Number(month) - 1, Number(day)) : ranges.push(monthRange(Number(year), Number(month) - 1)),
  );
  take(DAY_FIRST, ([, day, month, year]) => addDays(yearsOf(year), monthOf(month), Number(day)));
  take(MONTH_FIRST, ([, month, day, year]) => addDays(yearsOf(year), monthOf(month), Number(day)));
  take(MONTH_AND_YEAR, ([, month, year]) => ranges.push(monthRange(Number(year), monthOf(month))));
  take(NEAR_HOLIDAY, ([, , unit, side, holiday, year]) => {
    for (const one of yearsOf(year)) ranges.push(nearHoliday(one, holiday, unit, side));
  });
  take(MONTH_ALONE, ([, month]) => months.add(monthOf(month)));
  take(SEASON, ([, which, season, year]) => {
    const first = SEASONS[season as string] as number;
    if (year) ranges.push(monthRange(Number(year), first, 3));
    else if (which && askedAt !== undefined) ranges.push(seasonNear(first, askedAt, which === 'next' ? 1 : 0));
    else for (const month of [first, first + 1, first + 2]) months.add(month % 12);
  });
  take(YEAR_ALONE, ([, year]) => ranges.push(monthRange(Number(year), 0, 12)));
  if (askedAt !== undefined) {
    take(RELATIVE, ([, found, count, unit]) => ranges.push(relativeRange(found as string, count, unit, askedAt)));
    take(ON_WEEKDAY, ([, day]) => ranges.push(weekdayBefore(WEEKDAYS.indexOf(day as string), askedAt)));
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
  return NAMES.indexOf(name as string);
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

/** The last one that had begun, or one some years later. */
function seasonNear(first: number, askedAt: number, yearsLater: number): DateRange {
  const year = new Date(askedAt).getUTCFullYear();
  const begun = Date.UTC(year, first) <= askedAt ? year : year - 1;
  return monthRange(begun + yearsLater, first, 3);
}

const UNIT_DAYS: Readonly<Record<string, number>> = { day: 1, night: 1, week: 7, weekend: 7, month: 31, year: 366 };

function nearHoliday(year: number, holiday: string | undefined, unit: string | undefined, side: string | undefined): DateRange {
  const [month, day] = HOLIDAYS[holiday as string] as readonly [number, number];
  const at = Date.UTC(year, month, day);
  if (!unit) return { from: at - 3 * DAY_MS, to: at + 3 * DAY_MS };
  const days = UNIT_DAYS[unit] as number;
  return side === 'before' ? { from: at - days * DAY_MS, to: at } : { from: at + DAY_MS, to: at + (days + 1) * DAY_MS };
}

function relativeRange(found: string, count: string | undefined, unit: string | undefined, askedAt: number): DateRange {
  const today = Math.floor(askedAt / DAY_MS) * DAY_MS;
  if (found === 'today') return daysFrom(today, 1);
  if (found === 'yesterday' || found.endsWith('night')) return daysFrom(today - DAY_MS, 1);
  const days = UNIT_DAYS[unit ?? (found.split(' ')[1] as string)] as number;
  if (count === undefined) return { from: today - days * DAY_MS, to: askedAt + 1 };
  const back = COUNTS[count] ?? Number(count);
  const middle = today - back * days * DAY_MS;
  return { from: middle - (days / 2) * DAY_MS, to: middle + (days / 2 + 1) * DAY_MS };
}

function weekdayBefore(day: number, askedAt: number): DateRange {
  const today = Math.floor(askedAt / DAY_MS) * DAY_MS;
  const back = (new Date(today).getUTCDay() - day + 7) % 7 || 7;
  return daysFrom(today - back * DAY_MS, 1);
}
