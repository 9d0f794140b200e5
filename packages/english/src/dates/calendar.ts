/** Days, weeks and months around the day of a message, in UTC, as a memory writes them. */

import { MONTHS } from '../words/times.ts';

const DAY_MS = 86_400_000;

export type Direction = 'past' | 'future';
export type Unit = 'day' | 'week' | 'month' | 'year';

const UNITS: Readonly<Record<string, Unit>> = { day: 'day', week: 'week', fortnight: 'week', month: 'month', year: 'year' };

/** Of `weeks`; a fortnight counts twice. */
export function unitOf(lower: string): Unit | undefined {
  const single = lower.replace(/s$/, '');
  return Object.hasOwn(UNITS, single) ? UNITS[single] : undefined;
}

export function isoDay(date: Date): string {
  return date.toISOString().slice(0, 10);
}

export function addDays(date: Date, days: number): Date {
  return new Date(date.getTime() + days * DAY_MS);
}

/** The first such weekday after the day, or the last one before it. */
export function nearestWeekday(today: Date, weekday: number, direction: Direction): Date {
  const ahead = (weekday - today.getUTCDay() + 7) % 7 || 7;
  return addDays(today, direction === 'future' ? ahead : ahead - 7 === 0 ? -7 : ahead - 7);
}

/** The weekday in the calendar week after this one; weeks begin on Monday. */
export function weekdayOfNextWeek(today: Date, weekday: number): Date {
  return addDays(mondayOf(today), 7 + ((weekday + 6) % 7));
}

export function mondayOf(date: Date): Date {
  return addDays(date, -((date.getUTCDay() + 6) % 7));
}

export function monthYear(year: number, month: number): string {
  const date = new Date(Date.UTC(year, month, 1));
  return `${MONTHS[date.getUTCMonth()]} ${date.getUTCFullYear()}`;
}

/** From the first day to the last. */
export interface Period {
  readonly first: Date;
  readonly last: Date;
}

/** Whole months from the one on, which may lie beyond the year. */
export function monthsFrom(year: number, month: number, count = 1): Period {
  return { first: new Date(Date.UTC(year, month, 1)), last: new Date(Date.UTC(year, month + count, 0)) };
}

/** Undefined for the 31st of June. */
export function dateOf(year: number, month: number, day: number): Date | undefined {
  const date = new Date(Date.UTC(year, month, day));
  return date.getUTCMonth() === month && date.getUTCDate() === day ? date : undefined;
}

/** So many days, weeks, months or years later. */
export function later(date: Date, count: number, unit: Unit): Date {
  if (unit === 'day' || unit === 'week') return addDays(date, count * (unit === 'week' ? 7 : 1));
  const months = date.getUTCMonth() + count * (unit === 'year' ? 12 : 1);
  const last = new Date(Date.UTC(date.getUTCFullYear(), months + 1, 0)).getUTCDate();
  return new Date(Date.UTC(date.getUTCFullYear(), months, Math.min(date.getUTCDate(), last)));
}

/** The year of a month named without one. */
export function yearOfMonth(today: Date, month: number, direction: Direction, includesThis: boolean): number {
  const [year, now] = [today.getUTCFullYear(), today.getUTCMonth()];
  if (month === now && includesThis) return year;
  if (direction === 'past') return month < now ? year : year - 1;
  return month > now ? year : year + 1;
}

/** A day of a month named without a year: the nearest on that side. */
export function dayInMonth(today: Date, month: number, day: number, direction: Direction): Date | undefined {
  const year = today.getUTCFullYear();
  const years = direction === 'future' ? [year, year + 1] : [year, year - 1];
  const dates = years.map((each) => new Date(Date.UTC(each, month, day)));
  if (dates[0]?.getUTCMonth() !== month) return undefined;
  return direction === 'future' ? dates.find((date) => date >= today) : dates.find((date) => date <= today);
}

/** `in two weeks`, `three years ago`: as exact as it is meant. */
export function distant(today: Date, count: number, unit: Unit, direction: Direction): string {
  const sign = direction === 'future' ? 1 : -1;
  if (unit === 'day') return `on ${isoDay(addDays(today, sign * count))}`;
  if (unit === 'week') return `${direction === 'past' ? 'around' : 'on'} ${isoDay(addDays(today, sign * count * 7))}`;
  if (unit === 'month') return `in ${monthYear(today.getUTCFullYear(), today.getUTCMonth() + sign * count)}`;
  return `in ${today.getUTCFullYear() + sign * count}`;
}

/** The season, with the year in which it lies; a winter has two. */
export function seasonOf(today: Date, season: string, startMonth: number, which: 'last' | 'this' | 'next'): string {
  const [year, month] = [today.getUTCFullYear(), today.getUTCMonth()];
  const within = (month - startMonth + 12) % 12 < 3;
  // The year in which the latest one that has begun did so.
  const begun = month >= startMonth ? year : year - 1;
  const start = which === 'last' ? (within ? begun - 1 : begun) : which === 'next' ? begun + 1 : within ? begun : begun + 1;
  return startMonth === 11 ? `${season} ${start}/${String((start + 1) % 100).padStart(2, '0')}` : `${season} ${start}`;
}
