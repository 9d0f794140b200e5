/** Names of days, months, units and numbers. */

import { memoOfWords } from '../memo.ts';
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
  const day = namedWeekday(lower);
  return day === undefined || (!sure && lower !== WEEKDAYS[day]) ? undefined : day;
}

const namedWeekday = memoOfWords((lower): number | undefined => {
  const full = (WEEKDAYS as readonly string[]).indexOf(lower);
  if (full !== -1) return full;
  const short = lower.replace(/\.$/, '');
  return Object.hasOwn(WEEKDAY_FORMS, short) ? WEEKDAY_FORMS[short] : undefined;
});

/** 0 for January. */
export function monthOf(text: string, sure: boolean): number | undefined {
  const found = namedMonth(text);
  return found && (sure || !found.doubtful) ? found.month : undefined;
}

const namedMonth = memoOfWords((text): { readonly month: number; readonly doubtful: boolean } | undefined => {
  const lower = text.toLowerCase();
  const full = MONTHS.findIndex((month) => month.toLowerCase() === lower);
  const month = full !== -1 ? full : MONTH_FORMS.indexOf(lower.replace(/^sept\.?$/, 'sep').replace(/\.$/, ''));
  if (month === -1) {
    const misspelled = misspelledMonth(lower);
    return misspelled === undefined ? undefined : { month: misspelled, doubtful: false };
  }
  const doubtful = full === -1 || lower === 'may' || lower === 'march';
  return { month, doubtful: doubtful && !(full !== -1 && /^[A-Z]/.test(text)) };
});

/** `januray`, `septmber`: one letter amiss. The short names are too near to other words. */
function misspelledMonth(lower: string): number | undefined {
  if (lower.length < 6 || lower.length > 10) return undefined;
  const found = MONTHS.findIndex(
    (month) => month.length > 6 && lower[0] === month[0]?.toLowerCase() && isOneAmiss(lower, month.toLowerCase()),
  );
  return found === -1 ? undefined : found;
}

/** Equal but for one letter that is left out, put in, or another, or two that changed places. */
function isOneAmiss(a: string, b: string): boolean {
  let start = 0;
  while (start < a.length && a[start] === b[start]) start++;
  let end = 0;
  while (end < Math.min(a.length, b.length) - start && a.at(-1 - end) === b.at(-1 - end)) end++;
  const [left, right] = [a.slice(start, a.length - end), b.slice(start, b.length - end)];
  return left.length <= 1 && right.length <= 1 ? true : left.length === 2 && left === `${right[1]}${right[0]}`;
}

export function numberOf(lower: string): number | undefined {
  if (/^\d{1,3}$/.test(lower)) return Number(lower);
  if (lower === 'a' || lower === 'an') return 1;
  const at = NUMBERS.indexOf(lower);
  return at === -1 ? undefined : at;
}

const ORDINALS =
  'first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth twentieth'.split(
    ' ',
  );

/** `the thirtieth of May`: 30, and over how many words it goes. */
export function spokenDay(first: string, second = ''): { day: number; length: number } | undefined {
  const tens = /^(twenty|thirty)(?:-(\w+))?$/.exec(first);
  if (tens) {
    const ones = ORDINALS.indexOf(tens[2] ?? second) + 1;
    const day = (tens[1] === 'twenty' ? 20 : 30) + ones;
    return ones >= 1 && ones <= 9 && day <= 31 ? { day, length: tens[2] === undefined ? 2 : 1 } : undefined;
  }
  const day = first === 'thirtieth' ? 30 : ORDINALS.indexOf(first) + 1;
  return day > 0 ? { day, length: 1 } : undefined;
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
