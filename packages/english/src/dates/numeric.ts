/** Dates in figures: `4.5.2026`, `04/05/2026`, `02/2026`, `2026-05-04`. */

import { dateOf, monthsFrom, type Period } from './calendar.ts';

/** Nothing if it is no date; two days if it can be read in two ways, as with `04/05/2026`. */
export function numericDays(text: string): Date[] {
  const iso = /^((?:19|20)\d\d)-(\d\d?)-(\d\d?)$/.exec(text);
  if (iso) return existing([dateOf(Number(iso[1]), Number(iso[2]) - 1, Number(iso[3]))]);
  const [, first, mark, second, end] = /^(\d\d?)([./-])(\d\d?)\2((?:20)?\d\d)$/.exec(text) ?? [];
  // `1.2.24` is a version.
  if (first === undefined || end === undefined || (mark !== '/' && end.length === 2)) return [];
  const year = Number(end) + (end.length === 2 ? 2000 : 0);
  const dayFirst = dateOf(year, Number(second) - 1, Number(first));
  const monthFirst = mark === '.' || first === second ? undefined : dateOf(year, Number(first) - 1, Number(second));
  return existing([dayFirst, monthFirst]);
}

/** `02/2026`, `2026-02`. */
export function numericMonth(text: string): Period | undefined {
  const [, year, month] = /^((?:19|20)\d\d)-(\d\d)$/.exec(text) ?? [];
  const [, front, back] = /^(\d\d?)[/.]((?:19|20)\d\d)$/.exec(text) ?? [];
  const number = Number(month ?? front);
  return number >= 1 && number <= 12 ? monthsFrom(Number(year ?? back), number - 1) : undefined;
}

function existing(dates: readonly (Date | undefined)[]): Date[] {
  return dates.filter((date) => date !== undefined);
}
