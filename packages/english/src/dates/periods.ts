/** The days that a written date covers: `2026-11-20`, `in the week of …`, `June 2027`, `summer 2026`, `by Christmas`. */

import { memoOfWords } from '../memo.ts';
import { monthOf, SEASONS } from '../words/times.ts';
import { addDays, dateOf, monthsFrom, type Period } from './calendar.ts';
import { numericDays, numericMonth } from './numeric.ts';

export interface FoundPeriod extends Period {
  /** How many words it takes up. */
  readonly length: number;
}

/**
 * Dates are resolved before: only what is written as this package writes it, or with its year, is read here. Of what `recurs`, `before
 * Christmas` is any Christmas, `until Christmas` the next one.
 */
export function periodAt(words: readonly string[], i: number, today: Date, recurs: boolean): FoundPeriod | undefined {
  if (!mayBegin(words[i] as string)) return undefined;
  const dated = inFigures(words, i) ?? monthOfYear(words, i) ?? quarter(words, i) ?? year(words, i);
  return (
    dated ?? (recurs && !/^(?:until|till)$/.test(words[i - 1] ?? '') ? undefined : (season(words, i, today) ?? holiday(words, i, today)))
  );
}

/** Without one of these words no period begins. */
export const mayBegin = memoOfWords(
  (word) =>
    /^(?:\d|(?:early|mid|late)-|q[1-4]$)/.test(word) ||
    monthOf(word, true) !== undefined ||
    Object.hasOwn(SEASONS, word) ||
    word === 'easter' ||
    HOLIDAYS.some(([name]) => name.split(' ')[0] === word),
);

function inFigures(words: readonly string[], i: number): FoundPeriod | undefined {
  const word = words[i] ?? '';
  const month = numericMonth(word);
  if (month) return { ...month, length: 1 };
  // Of two readings the later one: what ends too soon is lost.
  const first = numericDays(word).sort((a, b) => b.getTime() - a.getTime())[0];
  if (!first) return undefined;
  const unit = words[i - 1] === 'of' ? words[i - 2] : '';
  return { first, last: addDays(first, unit === 'week' ? 6 : unit === 'weekend' ? 1 : 0), length: 1 };
}

function monthOfYear(words: readonly string[], i: number): FoundPeriod | undefined {
  const [, part = words[i - 1], name = words[i]] = /^(early|mid|late)-(.+)$/.exec(words[i] ?? '') ?? [];
  const month = monthOf(name ?? '', true);
  const next = words[i + 1] ?? '';
  if (month === undefined || !/^(?:19|20)\d\d$/.test(next)) return undefined;
  const whole = monthsFrom(Number(next), month);
  const day =
    part === 'mid'
      ? /^(?:until|till|by)$/.test(words[part === words[i - 1] ? i - 2 : i - 1] ?? '')
        ? 15
        : 20
      : part === 'early'
        ? 15
        : undefined;
  return { first: whole.first, last: day === undefined ? whole.last : addDays(whole.first, day - 1), length: 2 };
}

function quarter(words: readonly string[], i: number): FoundPeriod | undefined {
  const number = /^q([1-4])$/.exec(words[i] ?? '')?.[1];
  const next = words[i + 1] ?? '';
  return number !== undefined && /^20\d\d$/.test(next)
    ? { ...monthsFrom(Number(next), (Number(number) - 1) * 3, 3), length: 2 }
    : undefined;
}

/** With its year, or the next one that is not over. */
function season(words: readonly string[], i: number, today: Date): FoundPeriod | undefined {
  const name = words[i] ?? '';
  const start = Object.hasOwn(SEASONS, name) ? SEASONS[name] : undefined;
  if (start === undefined) return undefined;
  const given = /^((?:19|20)\d\d)(?:\/\d\d)?$/.exec(words[i + 1] ?? '')?.[1];
  if (given !== undefined) return { ...monthsFrom(Number(given), start, 3), length: 2 };
  if (!/^(?:in|until|till|by|before|over|through|during|for)$/.test((words[i - 1] === 'the' ? words[i - 2] : words[i - 1]) ?? ''))
    return undefined;
  const now = today.getUTCFullYear();
  const next = [now - 1, now, now + 1].map((each) => monthsFrom(each, start, 3)).find(({ last }) => last >= today);
  return next && { ...next, length: 1 };
}

const HOLIDAYS: readonly (readonly [words: string, month: number, day: number])[] = [
  ['christmas eve', 11, 24],
  ['christmas', 11, 25],
  ['xmas', 11, 25],
  ['boxing day', 11, 26],
  ["new year's eve", 11, 31],
  ["new year's", 0, 1],
  ['new year', 0, 1],
  ["valentine's", 1, 14],
  ['halloween', 9, 31],
];

/** The next one, or that of the year after it; only after a word for time: nobody says until when `Christmas cards` hold. */
function holiday(words: readonly string[], i: number, today: Date): FoundPeriod | undefined {
  if (!/^(?:until|till|by|before|over|through|at|on|for|to|the)$/.test(words[i - 1] ?? '')) return undefined;
  const found = HOLIDAYS.find(([name]) => name.split(' ').every((word, at) => words[i + at] === word));
  const length = found ? found[0].split(' ').length : 1;
  if (!found && words[i] !== 'easter') return undefined;
  const dayIn = (year: number) => (found ? new Date(Date.UTC(year, found[1], found[2])) : easterOf(year));
  const given = /^20\d\d$/.test(words[i + length] ?? '') ? Number(words[i + length]) : undefined;
  const now = today.getUTCFullYear();
  const first = given !== undefined ? dayIn(given) : [now, now + 1].map(dayIn).find((day) => day >= today);
  return first && { first, last: first, length: length + (given === undefined ? 0 : 1) };
}

/** Sunday, in the Gregorian calendar, by the anonymous reckoning. */
function easterOf(year: number): Date {
  const century = Math.floor(year / 100);
  const golden = year % 19;
  const moon = (19 * golden + century - Math.floor(century / 4) - Math.floor((century - Math.floor((century + 8) / 25) + 1) / 3) + 15) % 30;
  const weekday = (32 + 2 * (century % 4) + 2 * Math.floor((year % 100) / 4) - moon - (year % 4)) % 7;
  const shift = moon + weekday - 7 * Math.floor((golden + 11 * moon + 22 * weekday) / 451) + 114;
  return new Date(Date.UTC(year, Math.floor(shift / 31) - 1, (shift % 31) + 1));
}

/** `in 2027`, `the end of 2027`, `early in 2027`; no number of a house. */
function year(words: readonly string[], i: number): FoundPeriod | undefined {
  const number = /^20\d\d$/.test(words[i] ?? '') ? Number(words[i]) : 0;
  const before = words[i - 1] ?? '';
  if (number === 0 || !/^(?:in|until|till|by|before|through|to|of|during|from|since|early|mid|late|for)$/.test(before)) return undefined;
  const part = /^(?:early|mid|late)$/.test(before) ? before : words[i - 2];
  const months = part === 'early' ? 3 : part === 'mid' ? 8 : 12;
  const first = dateOf(number, 0, 1);
  return first && { first, last: monthsFrom(number, 0, months).last, length: 1 };
}
