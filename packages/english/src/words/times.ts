/** Names of days, months, units and numbers. */

import { wordSet } from './sets.ts';

export const WEEKDAYS = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday'] as const;
const WEEKDAY_FORMS: Readonly<Record<string, number>> = {
  tues: 2,
  tue: 2,
  weds: 3,
  wed: 3,
  thurs: 4,
  thur: 4,
  thu: 4,
  fri: 5,
  mon: 1,
  sat: 6,
  sun: 0,
};

export const MONTHS = [
  'January',
  'February',
  'March',
  'April',
  'May',
  'June',
  'July',
  'August',
  'September',
  'October',
  'November',
  'December',
] as const;
const MONTH_FORMS = 'jan feb mar apr may jun jul aug sep oct nov dec'.split(' ');

const NUMBERS =
  'zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen twenty'.split(
    ' ',
  );

export const PARTS_OF_DAY = new Set(['morning', 'afternoon', 'evening', 'night', 'lunchtime', 'noon', 'midnight']);
export const SEASONS: Readonly<Record<string, number>> = { spring: 2, summer: 5, autumn: 8, fall: 8, winter: 11 };

/** 0 for Sunday. */
export function weekdayOf(lower: string, sure: boolean): number | undefined {
  const full = (WEEKDAYS as readonly string[]).indexOf(lower);
  if (full !== -1) return full;
  return sure && Object.hasOwn(WEEKDAY_FORMS, lower) ? WEEKDAY_FORMS[lower] : undefined;
}

/** 0 for January. */
export function monthOf(text: string, sure: boolean): number | undefined {
  const lower = text.toLowerCase();
  const full = MONTHS.findIndex((month) => month.toLowerCase() === lower);
  const found = full !== -1 ? full : MONTH_FORMS.indexOf(lower.replace(/^sept\.?$/, 'sep').replace(/\.$/, ''));
  if (found === -1) return undefined;
  const doubtful = full === -1 || lower === 'may' || lower === 'march';
  return sure || !doubtful || (full !== -1 && /^[A-Z]/.test(text)) ? found : undefined;
}

export function numberOf(lower: string): number | undefined {
  if (/^\d{1,3}$/.test(lower)) return Number(lower);
  if (lower === 'a' || lower === 'an') return 1;
  const at = NUMBERS.indexOf(lower);
  return at === -1 ? undefined : at;
}

export function dayOfMonth(lower: string): number | undefined {
  const day = /^(\d{1,2})(?:st|nd|rd|th)?$/.exec(lower)?.[1];
  return day !== undefined && Number(day) >= 1 && Number(day) <= 31 ? Number(day) : undefined;
}

/** Say how often. */
export const HABIT = wordSet(
  `every each usually always often never regularly daily weekly sometimes mostly weekends weekdays weeknights mornings evenings afternoons nights typically normally twice thrice mondays tuesdays wednesdays thursdays fridays
  saturdays sundays rarely seldom occasionally generally only nightly monthly yearly annually fortnightly biweekly quarterly mon-fri monday-friday`,
);
export const PERIODS = wordSet('day week month year night morning evening afternoon weekend fortnight hour quarter sprint');
