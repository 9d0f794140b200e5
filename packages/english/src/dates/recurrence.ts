/** What comes back: `every second Thursday`, `on Tuesdays`, `twice a week`, `the first of the month`. */

import { memoOfWords } from '../memo.ts';
import type { Token } from '../sentences/tokens.ts';
import { monthOf, numberOf, WEEKDAYS, weekdayOf } from '../words/times.ts';

/**
 * How sure the words are. `yearly` and `often` name the turn; `maybe` is `weekly report`, `I usually …`, which a date of its own outweighs:
 * `the weekly meeting is cancelled next Monday`.
 */
export type Recurrence = 'yearly' | 'often' | 'maybe';

interface Word {
  readonly text: string;
  readonly lower: string;
}

const TURNS =
  /^(?:day|night|morning|evening|afternoon|lunchtime|week|weekend|weekday|weeknight|fortnight|month|quarter|hour|sprint|payday)s?$/;
const YEARLY_TURNS =
  /^(?:years?|springs?|summers?|autumns?|falls?|winters?|seasons?|terms?|semesters?|christmas|xmas|easter|thanksgiving)$/;
const BETWEEN =
  /^(?:other|second|third|fourth|fifth|first|last|single|few|couple|of|odd|even|alternate|and|or|&|\+|,|\d{1,2}(?:st|nd|rd|th)?)$/;
const PLURAL_TURNS = new Set([...WEEKDAYS.map((day) => `${day}s`), 'weekends', 'weekdays', 'weeknights']);
const PARTS = /^(?:mornings|afternoons|evenings|eves|nights|lunchtimes)$/;
const RATES = /^(?:hourly|daily|nightly|weekly|fortnightly|biweekly|bi-weekly|monthly|bimonthly|quarterly|yearly|annual|annually)$/;
const HABITUALLY = /^(?:usually|always|normally|typically|generally|regularly|mostly|often)$/;
const UNITS = /^(?:day|night|week|fortnight|month|quarter|year|wk|mo|yr)$/;

/** A birthday and the year end are every year; a birthday party is not. */
export function isYearlyDay({ lower }: Token, i: number, all: readonly Token[]): boolean {
  if (lower === 'end') return all[i - 1]?.lower === 'year';
  return (lower === 'birthday' || lower === 'anniversary') && !['NOUN', 'VERB'].includes(all[i + 1]?.tag ?? '');
}

/** `User's birthday is on 3 June`, `the tax year ends on 5 April`; not a party for one. */
export function isYearly(content: string): boolean {
  return /\b(?:(?:birthday|anniversary|year end)(?:'s| is|:)|(?:financial|fiscal|tax|school|academic|accounting) year (?:starts|begins|ends|runs))(?= |$)/i.test(
    content,
  );
}

/** Without one of these words nothing comes back. */
export const mayRecur = memoOfWords(
  (word) =>
    /^(?:every|each|alternate|most|month)$|^\d{1,2}x\//.test(word) ||
    PLURAL_TURNS.has(word) ||
    isDayList(word) ||
    isDay(word) ||
    UNITS.test(word) ||
    RATES.test(word) ||
    HABITUALLY.test(word),
);

export function recurrenceIn(words: readonly Word[]): Recurrence | undefined {
  if (!words.some(({ lower }) => mayRecur(lower))) return undefined;
  const surroundings = surroundingsIn(words);
  const found = words.map(({ lower }, i) => (mayRecur(lower) ? recurrenceAt(words, i, surroundings) : undefined));
  return (['yearly', 'often', 'maybe'] as const).find((sort) => found.includes(sort));
}

interface Surroundings {
  readonly namesDay: boolean;
  readonly namesTime: boolean;
  /** `I am writing …`. */
  readonly goesOn: boolean;
}

function surroundingsIn(words: readonly Word[]): Surroundings {
  return {
    namesDay: words.some(({ lower }) => isDay(lower)),
    namesTime: words.some(({ lower }) => /^\d{1,2}(?::\d\d|[ap]m)$/.test(lower)),
    goesOn: words.some(({ lower }, i) => lower.endsWith('ing') && /^(?:am|is|are)$/.test(words[i - 1]?.lower ?? '')),
  };
}

function recurrenceAt(words: readonly Word[], i: number, surroundings: Surroundings): Recurrence | undefined {
  const lower = (at: number) => words[at]?.lower ?? '';
  const word = lower(i);
  if (word === 'every' || word === 'each' || word === 'alternate') return turnAfter(words, i + 1);
  if (PLURAL_TURNS.has(word) || isDayList(word)) return 'often';
  if (isDay(word) && PARTS.test(lower(i + 1))) return 'often';
  if (isDay(word) && /^[+&/]$/.test(lower(i + 1)) && isDay(lower(i + 2))) return 'often';
  if (word === 'most' && TURNS.test(lower(i + 1)) && lower(i + 1).endsWith('s')) return 'often';
  if (UNITS.test(word) && /^(?:a|an|per|\/)$/.test(lower(i - 1)) && isCount(lower(i - 2), lower(i - 3))) return rate(word);
  if (/^\d{1,2}x\/(?:day|week|wk|month|mo|year|yr)$/.test(word)) return 'often';
  if (word === 'month' && /^(?:the|a)$/.test(lower(i - 1)) && lower(i - 2) === 'of' && isPlaceInMonth(lower(i - 3), lower(i - 4)))
    return 'often';
  if (RATES.test(word)) return isRate(lower(i + 1), surroundings) ? 'maybe' : undefined;
  return HABITUALLY.test(word) && surroundings.namesDay ? 'maybe' : undefined;
}

/** `every other Friday`, `each spring`, `every first and third Tuesday`; not `every table`. */
function turnAfter(words: readonly Word[], start: number): Recurrence | undefined {
  for (let i = start; i < start + 5; i++) {
    const { text = '', lower = '' } = words[i] ?? {};
    if (YEARLY_TURNS.test(lower) || monthOf(text, true) !== undefined) return 'yearly';
    if (TURNS.test(lower) || isDay(lower) || PLURAL_TURNS.has(lower)) return 'often';
    if (!BETWEEN.test(lower) && numberOf(lower) === undefined) return undefined;
  }
  return undefined;
}

/** `paid monthly`, `the weekly meeting is on Friday`, `a daily standup at 9:45`; not `working on the quarterly report`. */
function isRate(next: string, { namesDay, namesTime, goesOn }: Surroundings): boolean {
  return /^(?:\W?|\d.*|at|on|in|for|by|from|with|and|to)$/.test(next) || (!goesOn && (namesDay || namesTime));
}

function isDay(lower: string): boolean {
  return weekdayOf(lower, true) !== undefined;
}

/** `Mon/Wed/Fri`, `Tue+Thu`. */
function isDayList(lower: string): boolean {
  const days = lower.split(/[/+&]/, 8);
  return days.length > 1 && days.every(isDay);
}

/** `twice`, `three times`, `3x`; not `in a week`. */
function isCount(before: string, second: string): boolean {
  return (
    /^(?:once|twice|thrice|times|\d{1,2}x)$/.test(before) ||
    (/^(?:days|nights|hours|evenings|mornings)$/.test(before) && numberOf(second) !== undefined)
  );
}

/** `the 25th`, `the first`, `the last Friday` of the month. */
function isPlaceInMonth(before: string, second: string): boolean {
  const place = isDay(before) ? second : before;
  return /^(?:\d{1,2}(?:st|nd|rd|th)|first|second|third|fourth|last)$/.test(place);
}

function rate(unit: string): Recurrence {
  return unit === 'year' || unit === 'yr' ? 'yearly' : 'often';
}
