import { expect, test } from 'vitest';
import { contents, tellOn } from '../conversation-for-test.ts';

const on = (day: string, message: string) => tellOn(`${day}T22:30:00.000Z`, message).held[0]?.content;

/** Told on Friday, 13 November 2026. */
test.each([
  ['I have a dentist appointment tomorrow', 'User has a dentist appointment on 2026-11-14'],
  ['I have a dentist appointment next Tuesday at 3', 'User has a dentist appointment on 2026-11-17 at 3'],
  ['I have an exam on Monday', 'User has an exam on 2026-11-16'],
  ['I have an exam in two weeks', 'User has an exam on 2026-11-27'],
  ["I'm flying to Madrid tomorrow morning", 'User is flying to Madrid on the morning of 2026-11-14'],
  ["I'm meeting Paolo the day after tomorrow", 'User is meeting Paolo on 2026-11-15'],
  ['I have dinner with Ana tonight', 'User has dinner with Ana on the evening of 2026-11-13'],
  ["We're hiking in Åre this weekend", 'User is hiking in Åre on the weekend of 2026-11-14'],
  ["We're going skiing next month", 'User is going skiing in December 2026'],
  ["I'm on call this week", 'User is on call in the week of 2026-11-09'],
  ["I'm moving to Zurich in March", 'User is moving to Zurich in March 2027'],
  ['I bought a telescope yesterday', 'User bought a telescope on 2026-11-12'],
  ['I sprained my wrist on Sunday', 'User sprained their wrist on 2026-11-08'],
  ['I broke my ankle last Saturday', 'User broke their ankle on 2026-11-07'],
  ['I quit smoking three years ago', 'User quit smoking in 2023'],
  ['I sold my motorbike two weeks ago', 'User sold their motorbike around 2026-10-30'],
  ['I moved to Lisbon last May', 'User moved to Lisbon in May 2026'],
  ['We adopted our dog last summer', 'User adopted their dog in summer 2026'],
  ['I was laid off in September', 'User was laid off in September 2026'],
  ["I've been waiting for the plumber since Monday", 'User has been waiting for the plumber since 2026-11-09'],
  ['The grant application has to be in by 15 October.', 'The grant application has to be in by 2027-10-15'],
  ["I'm on vacation from 6 to 17 July", 'User is on vacation from 2027-07-06 to 2027-07-17'],
  ['The wedding is on June 14th, 2027', 'The wedding is on 2027-06-14'],
])('%s', (message, content) => {
  expect(contents(message)).toEqual([content]);
});

test('`next` is the week after this one, `this` the same week', () => {
  expect(on('2026-11-11', 'I have an exam next Friday')).toContain('2026-11-20');
  expect(on('2026-11-11', 'I have an exam this Friday')).toContain('2026-11-13');
  expect(on('2026-11-15', 'I have an exam next Monday')).toContain('2026-11-16');
});

test('`last May` is the latest May that is over', () => {
  expect(on('2026-05-20', 'I moved to Lisbon last May')).toContain('May 2025');
  expect(on('2026-06-01', 'I moved to Lisbon last May')).toContain('May 2026');
  expect(on('2026-03-01', 'I moved to Lisbon last May')).toContain('May 2025');
});

test('turns of the year and leap days are minded', () => {
  expect(on('2025-12-30', 'my parents are visiting in three days')).toContain('2026-01-02');
  expect(on('2028-02-28', 'I have an exam tomorrow')).toContain('2028-02-29');
  expect(on('2025-02-03', 'I had surgery last winter')).toContain('winter 2023/24');
});

test('what comes back every week or year keeps its words', () => {
  expect(contents('I go swimming every Tuesday and Thursday')).toEqual(['User goes swimming every Tuesday and Thursday']);
  expect(contents('my birthday is on 3 June')).toEqual(["User's birthday is on 3 June"]);
  expect(contents('We do our grocery shopping on Saturdays')).toEqual(['User does their grocery shopping on Saturdays']);
});

test('words that are also names of months stay words', () => {
  expect(contents('I march in a band every May')).toEqual(['User marches in a band every May']);
  expect(contents("we're going with the march launch date")).toEqual(['User is going with the march launch date']);
});

test('a deed within a statement about the present lies in the past', () => {
  expect(contents('My mum has dementia and moved into a care home in February').join()).toContain('in February 2026');
  expect(contents('My mum has dementia and moves into a care home in February').join()).toContain('in February 2027');
});

test('numbers after words that are also months stay numbers', () => {
  expect(contents('I march 3 miles to work')).toEqual(['User marches 3 miles to work']);
});
