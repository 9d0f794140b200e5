/** Finds words for a time and writes the date that they mean on the day of the message. */

import { memoOfWords } from '../memo.ts';
import { type Token, token } from '../sentences/tokens.ts';
import { wordSet } from '../words/sets.ts';
import { dayOfMonth, monthOf, numberOf, PARTS_OF_DAY, SEASONS, spokenDay, weekdayOf } from '../words/times.ts';
import {
  addDays,
  type Direction,
  isoDay,
  mondayOf,
  monthsFrom,
  monthYear,
  nearestWeekday,
  seasonOf,
  weekdayOfNextWeek,
  yearOfMonth,
} from './calendar.ts';
import { type Found, inMonth, KEPT_BEFORE, type TimeContext } from './months.ts';
import { numericDays, numericMonth } from './numeric.ts';
import { recurrenceIn } from './recurrence.ts';
import { BACK } from './returns.ts';
import { span } from './spans.ts';

/** Done before, for a day to come. */
const ARRANGED = wordSet('book reserve schedule plan set fix arrange register enrol enroll sign postpone reschedule');

/** The tag of words that this file wrote. */
export const DATE = 'DATE';

export function resolveDates(tokens: readonly Token[], context: TimeContext): { tokens: Token[]; dated: boolean } {
  if (!tokens.some(mayTellTime)) return { tokens: [...tokens], dated: false };
  const result: Token[] = [];
  const turn = context.recurring ? undefined : recurrenceIn(tokens);
  let dated = false;
  for (let i = 0; i < tokens.length; ) {
    if (!mayBegin(tokens[i] as Token)) {
      result.push(tokens[i++] as Token);
      continue;
    }
    const here = { ...context, direction: directionAt(tokens, i, context), turn: isBound(tokens, i) ? undefined : turn };
    const found = isOpenFor(tokens, i) ? undefined : findAt(tokens, i, here, result);
    if (!found) {
      result.push(tokens[i++] as Token);
      continue;
    }
    dated = true;
    const words = found.text.split(' ');
    const before = result.at(-1)?.lower ?? '';
    if (/^[-–—]$/.test(before) && result.at(-2)?.tag === DATE) result.splice(-1, 1, ...['to', ...words.slice(1)].map(dateWord));
    else if (before === words[0] || (KEPT_BEFORE.has(before) && /^(?:on|in|at|around|from)$/.test(words[0] ?? '')))
      result.push(...words.slice(1).map(dateWord));
    else if (before === 'in' || before === 'at' || before === 'over' || before === 'during') result.splice(-1, 1, ...words.map(dateWord));
    else result.push(...words.map(dateWord));
    i += found.length;
  }
  return {
    tokens: result,
    dated: dated || tokens.some((each, i) => isExplicit(each) && !['NOUN', 'PROPN'].includes(tokens[i + 1]?.tag ?? '')),
  };
}

const TIME_WORDS =
  /\d|day|week|wk|month|year|yr|night|morning|noon|even|hour|minute|moment|spring|summer|autumn|fall|winter|season|term|semester|quarter|^q\d|decade|century|tom|tmr|tonite|yest|now|ago|next|last|this|coming|past|recent|soon|mid|early|late|end|start|begin|new|until|till?$|thru|since|from|by$|christ|xmas|easter|ramadan|eid|diwali|passover|lent|hallow|thanks|eve$|jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|mon|tue|wed|thu|fri|sat|sun|first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth|teenth|twent|thirt|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|fortnight|weekend|holiday|while|other|birth|annivers/;

/** Rather too often than not: looking closer is what takes time. */
function mayTellTime({ lower }: Token): boolean {
  return isTimeWord(lower);
}

export const isTimeWord = memoOfWords((lower) => TIME_WORDS.test(lower));

/** Whether `findAt` may find something that begins with this word. */
function mayBegin({ lower, text }: Token): boolean {
  return beginsTime(lower) || (text !== lower && beginsTime(text));
}

const beginsTime = memoOfWords((word) => {
  const lower = word.toLowerCase();
  return (
    /^(?:\d|(?:early|mid|late)(?:-|$)|q[1-4]$)/.test(lower) ||
    BEGINNINGS.has(lower) ||
    numberOf(lower) !== undefined ||
    spokenDay(lower) !== undefined ||
    /^(?:twenty|thirty)/.test(lower) ||
    monthOf(lower, true) !== undefined ||
    weekdayOf(lower, true) !== undefined
  );
});

const BEGINNINGS = wordSet(
  'the day tomorrow tmrw tmr yesterday today tonight this last end next past upcoming coming in within about around over exactly',
);

function dateWord(text: string): Token {
  return token(text, DATE);
}

function isExplicit({ text }: Token): boolean {
  return /^(?:19|20)\d\d$/.test(text) || numericMonth(text) !== undefined || numericDays(text).length > 0;
}

/** `every day until Friday`: the day ends what comes back; not `from May until August each year`. */
function isBound(tokens: readonly Token[], i: number): boolean {
  return (
    /^(?:until|till|through|since|starting|beginning)$/.test(tokens[i - 1]?.lower ?? '') &&
    !tokens.slice(Math.max(0, i - 5), i - 1).some(({ lower }) => lower === 'from')
  );
}

function directionAt(tokens: readonly Token[], i: number, { direction, ends }: TimeContext): Direction {
  const before = tokens[i - 1]?.lower;
  if (before === 'by') return 'future';
  if (before === 'until' || before === 'till') return ends ?? direction;
  return isAfterDeed(tokens, i) ? 'past' : direction;
}

/** `my mum has dementia and moved in February`: that was, whatever the rest of it is. */
function isAfterDeed(tokens: readonly Token[], i: number): boolean {
  for (let at = i - 1; at > Math.max(0, i - 9); at--) {
    const { tag, lower, lemma } = tokens[at] as Token;
    if (tag === 'AUX' || (lower === 'to' && (at === i - 1 || tokens[at + 1]?.tag === 'VERB'))) return false;
    if (tag !== 'VERB' || /(?:ing|s)$/.test(lower)) continue;
    const before = tokens[at - 1] as Token;
    return lower !== lemma && !ARRANGED.has(lemma) && /^(?:and|but|though|,|\(|i|we|they|he|she)$/.test(before.lower);
  }
  return false;
}

/** `Tuesday to Saturday`, `Mon-Fri`: opening hours rather than days. */
function isOpenFor(tokens: readonly Token[], i: number): boolean {
  const day = (at: number) => weekdayOf(tokens[at]?.lower ?? '', true) !== undefined;
  const joins = (at: number) => /^(?:to|through|till|until|–|-)$/.test(tokens[at]?.lower ?? '');
  if (!day(i) || tokens[i - 1]?.lower === 'from') return false;
  return (joins(i + 1) && day(i + 2)) || (joins(i - 1) && day(i - 2) && tokens[i - 3]?.lower !== 'from');
}

function findAt(tokens: readonly Token[], i: number, context: TimeContext, written: readonly Token[]): Found | undefined {
  const words = tokens.slice(i, i + 7).map(({ lower }) => lower);
  const following = { ...context, ...startOfRange(written) };
  return (
    namedDay(words, context) ??
    endOfPeriod(words, context) ??
    theWeekend(tokens, i, context) ??
    relative(tokens, i, words, context) ??
    span(words, context) ??
    inFigures(tokens, i, context) ??
    inMonth(tokens, i, following) ??
    weekday(tokens, i, words, following)
  );
}

/** `from Thursday to Monday`, `on 4 March and back on the 11th`: the Monday after that Thursday, the day after that of March. */
function startOfRange(written: readonly Token[]): Pick<TimeContext, 'today' | 'direction' | 'ranges'> | undefined {
  if (written.slice(-3).some(({ lower }) => lower === BACK)) {
    const left = written.slice(-20).findLast(({ tag, text }) => tag === DATE && numericDays(text).length > 0);
    return left && { today: numericDays(left.text)[0] as Date, direction: 'future' };
  }
  if (!/^(?:to|until|till|through|–|—|-)$/.test(written.at(-1)?.lower ?? '') || written.at(-2)?.tag !== DATE) return undefined;
  const last = written.at(-2)?.text ?? '';
  const month = monthOf(written.at(-3)?.text ?? '', true);
  const start = /^\d{4}$/.test(last) && month !== undefined ? new Date(Date.UTC(Number(last), month, 1)) : numericDays(last)[0];
  return start && { today: start, direction: 'future', ranges: true };
}

/** `4.5.2026`, `31/12/2026`, `by Q3`; what can be read in two ways stays as it was said. */
function inFigures(tokens: readonly Token[], i: number, { today, direction }: TimeContext): Found | undefined {
  const word = tokens[i]?.lower ?? '';
  const [day, other] = numericDays(word);
  if (day && !other && !/^\d{4}-/.test(word)) return { length: 1, text: `on ${isoDay(day)}` };
  const number = Number(/^q([1-4])$/.exec(word)?.[1] ?? 0);
  const before = tokens[i - 1]?.lower ?? '';
  if (number === 0 || !(KEPT_BEFORE.has(before) || before === 'in' || before === 'during')) return undefined;
  if (/^\d{4}$/.test(tokens[i + 1]?.lower ?? '') || tokens[i + 1]?.tag === 'NOUN') return undefined;
  const [year, now] = [today.getUTCFullYear(), Math.floor(today.getUTCMonth() / 3) + 1];
  const step = direction === 'past' || before === 'since' ? (number > now ? -1 : 0) : number < now ? 1 : 0;
  return { length: 1, text: `in Q${number} ${year + step}` };
}

/** `at the end of the month`, `by the end of next year`, `the last day of May`. */
function endOfPeriod(words: readonly string[], { today, direction }: TimeContext): Found | undefined {
  const the = words[0] === 'the' ? 1 : 0;
  const at = words[the] === 'last' && words[the + 1] === 'day' ? the + 1 : the;
  if ((at === the && words[at] !== 'end') || words[at + 1] !== 'of') return undefined;
  const which = words[at + 2] ?? '';
  const named = /^(?:the|this|next)$/.test(which);
  const unit = words[at + (named ? 3 : 2)] ?? '';
  const month = monthOf(words[at + 2] ?? '', true);
  if (month !== undefined && !named && /^\d{4}$/.test(words[at + 3] ?? '')) return undefined;
  if (month !== undefined && !named) {
    const year = yearOfMonth(today, month, direction, true);
    const text = at > the ? `on ${isoDay(monthsFrom(year, month).last)}` : `at the end of ${monthYear(year, month)}`;
    return { length: at + 3, text };
  }
  const found = period(unit, at + (named ? 4 : 3), today, which === 'next' ? 1 : 0, false);
  return found && { ...found, text: `at the end of ${found.text.replace(/^(?:in|on) (?:the )?/, unit === 'week' ? 'the ' : '')}` };
}

/** `over the weekend`: the last or the next one. */
function theWeekend(tokens: readonly Token[], i: number, { today, direction, turn }: TimeContext): Found | undefined {
  const named =
    tokens[i]?.lower === 'the' &&
    tokens[i + 1]?.lower === 'weekend' &&
    ['over', 'at', 'on', 'for', 'during'].includes(tokens[i - 1]?.lower ?? '');
  return named && !turn ? period('weekend', 2, today, direction === 'past' ? -1 : 0, false) : undefined;
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
  // `the last Friday of the month`, `every next Friday`
  if (context.turn && (part === 'of' || /^(?:every|each|and)$/.test(tokens[i - 1]?.lower ?? ''))) return undefined;
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

function weekday(
  tokens: readonly Token[],
  i: number,
  words: readonly string[],
  { today, direction, turn }: TimeContext,
): Found | undefined {
  const before = tokens[i - 1]?.lower ?? '';
  const ends =
    /^(?:tue|tues|weds|thu|thur|thurs|fri)\.?$/.test(words[0] ?? '') &&
    i > 0 &&
    (words[0]?.endsWith('.') || /^(?:[.,;!?]|at|\d.*)?$/.test(words[1] ?? ''));
  const day = weekdayOf(words[0] ?? '', ends || KEPT_BEFORE.has(before));
  if (day === undefined || turn) return undefined;
  // `the Friday meeting`, `Friday meetings`: a kind of meeting, not a day.
  const names = tokens[i + 1]?.tag === 'NOUN' && !PARTS_OF_DAY.has(words[1] ?? '');
  if (names || before === 'the' || before === 'a' || before === 'one') return undefined;
  return onDay(nearestWeekday(today, day, before === 'since' ? 'past' : before === 'for' ? 'future' : direction), words[1], 1);
}
