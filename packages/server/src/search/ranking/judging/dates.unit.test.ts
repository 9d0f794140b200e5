import fc from 'fast-check';
import { expect, test } from 'vitest';
import { meetsDates, readDates } from './dates.ts';

/** A Wednesday in the middle of the day. */
const ASKED_AT = Date.UTC(2023, 10, 15, 12);

const shown = (time: number) => new Date(time).toISOString().slice(0, 10);

/** Ranges as their first and last days, then months. */
function read(text: string, askedAt: number | undefined = ASKED_AT): (string | number)[] | undefined {
  const found = readDates(text, askedAt);
  return found && [...found.ranges.map(({ from, to }) => `${shown(from)}/${shown(to - 1)}`), ...found.months];
}

test.for<[string, (string | number)[]]>([
  ['on 3 June 2023', ['2023-06-03/2023-06-03']],
  ['on the 3rd of June, 2023', ['2023-06-03/2023-06-03']],
  ['on June 3, 2023', ['2023-06-03/2023-06-03']],
  ['on Sept 3rd 2023', ['2023-09-03/2023-09-03']],
  ['on 2023-06-03', ['2023-06-03/2023-06-03']],
  ['in 2023-06', ['2023-06-01/2023-06-30']],
  ['in May 2023', ['2023-05-01/2023-05-31']],
  ['in december 2023', ['2023-12-01/2023-12-31']],
  ['in the May of 2023', ['2023-05-01/2023-05-31']],
  ['in February 2024', ['2024-02-01/2024-02-29']],
  // No such day: the month is told all the same.
  ['on 30 Feb 2024', ['2024-02-01/2024-02-29']],
  ['on 29 February 2023', ['2023-02-01/2023-02-28']],
  ['on 0 May 2023', ['2023-05-01/2023-05-31']],
  ['in May', [4]],
  ['in may', [4]],
  ['since march', [2]],
  ['this May', [4]],
  ['that March', [2]],
  ['in winter', [11, 0, 1]],
  ['in the fall', [8, 9, 10]],
  ['in the winter of 2022', ['2022-12-01/2023-02-28']],
  ['in summer 2022', ['2022-06-01/2022-08-31']],
  ['in 2022', ['2022-01-01/2022-12-31']],
  ['in 2099', ['2099-01-01/2099-12-31']],
  ['at Christmas 2022', ['2022-12-22/2022-12-27']],
  ['the week before Christmas 2022', ['2022-12-18/2022-12-24']],
  ['the day after Christmas 2022', ['2022-12-26/2022-12-26']],
  ["on Valentine's Day 2022", ['2022-02-11/2022-02-16']],
  ['around New Year 2023', ['2022-12-29/2023-01-03']],
  ['last Christmas', ['2022-12-22/2022-12-27']],
  ['last Halloween', ['2023-10-28/2023-11-02']],
  ['today', ['2023-11-15/2023-11-15']],
  ['yesterday', ['2023-11-14/2023-11-14']],
  ['last night', ['2023-11-14/2023-11-14']],
  ['last week', ['2023-11-08/2023-11-15']],
  ['last month', ['2023-10-01/2023-10-31']],
  ['this month', ['2023-11-01/2023-11-30']],
  ['the past month', ['2023-10-15/2023-11-15']],
  ['last year', ['2022-01-01/2022-12-31']],
  ['this year', ['2023-01-01/2023-12-31']],
  ['last summer', ['2023-06-01/2023-08-31']],
  ['last winter', ['2022-12-01/2023-02-28']],
  ['this winter', ['2022-12-01/2023-02-28']],
  ['last autumn', ['2022-09-01/2022-11-30']],
  ['this fall', ['2023-09-01/2023-11-30']],
  ['next summer', ['2024-06-01/2024-08-31']],
  ['on Monday', ['2023-11-13/2023-11-13']],
  ['last Wednesday', ['2023-11-08/2023-11-08']],
  ['a week ago', ['2023-11-04/2023-11-12']],
  ['two days ago', ['2023-11-12/2023-11-14']],
  ['3 days ago', ['2023-11-11/2023-11-13']],
])('what did we do %s?', ([text, found]) => {
  expect(read(`What did we do ${text}?`)).toEqual(found);
  expect(read(`Which of them ${text.toUpperCase().replace('MAY', 'May').replace('MARCH', 'March')}, and why`)).toEqual(found);
});

test.for([
  '',
  'May I come?',
  'That may be so',
  'this may sound odd',
  'for may',
  'march on',
  'did they march 10 miles?',
  'of those 20 may have come',
  'fall asleep',
  'people that fall asleep',
  'water that spring from the rock',
  'second thoughts',
  'the other day',
  'on mondays',
  '31 February',
  '45 June',
  '2023-13',
  '2023-00-10',
  '2023-02-30',
  'the marching band of Junee',
  'season 2019-20',
  '12023-05-011',
  '2 Augustus',
])('no time: %s', (text) => {
  expect(read(text)).toBeUndefined();
});

test('without a year a day is of this year or one of those before, where it was one of theirs', () => {
  expect(read('on 3 June')).toEqual([2023, 2022, 2021, 2020, 2019].map((year) => `${year}-06-03/${year}-06-03`));
  expect(read('on 29 February')).toEqual(['2020-02-29/2020-02-29']);
});

test('a season is told by the moment of asking, also within it and across the end of a year', () => {
  const at = (text: string, ...date: [number, number, number]) => read(text, Date.UTC(...date));
  expect(at('last summer', 2023, 6, 10)).toEqual(['2022-06-01/2022-08-31']);
  expect(at('this summer', 2023, 6, 10)).toEqual(['2023-06-01/2023-08-31']);
  expect(at('this winter', 2024, 0, 5)).toEqual(['2023-12-01/2024-02-29']);
  expect(at('last winter', 2024, 0, 5)).toEqual(['2022-12-01/2023-02-28']);
  expect(at('last winter', 2024, 2, 1)).toEqual(['2023-12-01/2024-02-29']);
  expect(at('next winter', 2024, 0, 5)).toEqual(['2024-12-01/2025-02-28']);
});

test('the year ends in UTC', () => {
  const first = Date.UTC(2024, 0, 1);
  expect(read('last year', first)).toEqual(['2023-01-01/2023-12-31']);
  expect(read('last year', first - 1)).toEqual(['2022-01-01/2022-12-31']);
  expect(read('last month', first)).toEqual(['2023-12-01/2023-12-31']);
  expect(read('yesterday', first)).toEqual(['2023-12-31/2023-12-31']);
  expect(read('last Christmas', first)).toEqual(['2023-12-22/2023-12-27']);
  expect(read('last Christmas', Date.UTC(2023, 11, 24))).toEqual(['2022-12-22/2022-12-27']);
});

test('without a moment of asking only what is told in full is a time', () => {
  for (const text of ['yesterday', 'last week', 'on Monday', 'two days ago', 'on 3 June', 'at Christmas']) {
    expect(readDates(text, undefined), text).toBeUndefined();
  }
  expect(readDates('last summer', undefined)?.months).toEqual(new Set([5, 6, 7]));
  expect(readDates('on 3 June 2023', undefined)?.ranges).toHaveLength(1);
});

test('a time within counts whole, one within a week after it half', () => {
  const june = readDates('on 3 June 2023', ASKED_AT) ?? { ranges: [], months: new Set<number>() };
  expect(meetsDates(june, Date.UTC(2023, 5, 3))).toBe(1);
  expect(meetsDates(june, Date.UTC(2023, 5, 4) - 1)).toBe(1);
  expect(meetsDates(june, Date.UTC(2023, 5, 4))).toBe(0.5);
  expect(meetsDates(june, Date.UTC(2023, 5, 11) - 1)).toBe(0.5);
  expect(meetsDates(june, Date.UTC(2023, 5, 11))).toBe(0);
  expect(meetsDates(june, Date.UTC(2023, 5, 3) - 1)).toBe(0);
  const december = { ranges: [], months: new Set([11]) };
  expect(meetsDates(december, Date.UTC(2019, 11, 31))).toBe(1);
  expect(meetsDates(december, Date.UTC(2020, 0, 3))).toBe(0.5);
  expect(meetsDates(december, Date.UTC(2020, 0, 9))).toBe(0);
  for (const time of [Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, 1e300]) expect(meetsDates(december, time)).toBe(0);
});

const pieces = [
  'in',
  'the',
  'of',
  'last',
  'this',
  'may',
  'May',
  '5',
  '31',
  '2023',
  '2023-02-31',
  'winter',
  'fall',
  'Christmas',
  'week before',
  'days ago',
  '9'.repeat(50),
  ',',
  'february',
  'on monday',
  '\u0130',
  '😀',
];
const anyText = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.array(fc.constantFrom(...pieces), { maxLength: 30 }).map((all) => all.join(' ')),
);

test('whatever is asked, and whenever, ranges have a beginning before their end, and all meet to 0, one half or 1', () => {
  fc.assert(
    fc.property(anyText, fc.option(fc.integer({ min: -1e13, max: 1e13 }), { nil: undefined }), fc.double(), (text, askedAt, time) => {
      const found = readDates(text, askedAt);
      for (const { from, to } of found?.ranges ?? []) expect(from).toBeLessThan(to);
      for (const month of found?.months ?? []) expect([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]).toContain(month);
      if (found) expect([0, 0.5, 1]).toContain(meetsDates(found, time));
      expect(readDates(text, askedAt)).toEqual(found);
    }),
  );
});
