import { expect, test } from 'vitest';
import { DAY, passRuled } from '../conversation-for-test.ts';
import { extractFromMessage } from '../extract.ts';

/** On Friday, 13 November 2026. */
function heard(content: string) {
  return extractFromMessage({ id: 'message', content, createdAt: DAY }, [], passRuled).memories;
}

/** The last day on which it holds. */
function lastDayOf(until: string | undefined): string | undefined {
  return until === undefined ? undefined : new Date(Date.parse(until) - 86_400_000).toISOString().replace('T00:00:00.000Z', '');
}

test.each([
  ['my passport is valid until November 2027', '2027-11-30'],
  ['my passport is valid until 2031', '2031-12-31'],
  ['my visa is valid until 2027-03-01', '2027-03-01'],
  ['my residence permit is valid through 15 January 2027', '2027-01-15'],
  ['my lease runs until August', '2027-08-31'],
  ['my lease runs til the end of feb 2028', '2028-02-29'],
  ['I work at Acme until June', '2027-06-30'],
  ["I'm in Lisbon 3-9 July", '2027-07-09'],
  ["I'm in Lisbon from the 3rd to the 9th of July", '2027-07-09'],
  ["I'm in Lisbon from 3 to 9 July 2028", '2028-07-09'],
  ["I'm away from 21 Dec – 4 Jan", '2027-01-04'],
  ["I'm in Rome from Monday to Thursday", '2026-11-19'],
  ["I'm in Rome from Thursday to Monday", '2026-11-23'],
  ["I'm teaching in Ghent from September to June", '2028-06-30'],
  ['We fly to Lisbon on 4 March and come back on the 11th', '2027-03-11'],
  ['I have an exam on 4 May', '2027-05-04'],
  ['I have an exam on the thirtieth of May', '2027-05-30'],
  ['I have an exam on June third', '2027-06-03'],
  ['I have an exam jan 14', '2027-01-14'],
  ['I have an exam on 31 januray', '2027-01-31'],
  ['I have an exam on 4.5.2027', '2027-05-04'],
  ['I have an exam on 31/12/2026', '2026-12-31'],
  ['I have an exam on 12/31/2026', '2026-12-31'],
  ['I have an exam on 04/05/2027', '2027-05-04'],
  ['I have an exam on 05/04/2027', '2027-05-04'],
  ["I'm visiting my parents next week", '2026-11-22'],
  ["I'm on call this week", '2026-11-15'],
  ["We're hiking in Åre this weekend", '2026-11-15'],
  ["I'm on crutches until Friday", '2026-11-20'],
  ["I'm taking antibiotics til the 24th", '2026-11-24'],
  ['I have to submit my thesis by the end of the month', '2026-11-30'],
  ["I'm in Berlin for the next three months", '2027-02-13'],
  ["I'm house-sitting over the next couple of weeks", '2026-11-27'],
  ["I'm in Lisbon for two weeks", '2026-11-27'],
  ["I'm trekking in Nepal for ten days from 12 May", '2027-05-21'],
  ["I'm staying with my cousin for the rest of the month", '2026-11-30'],
  ["I'm working in Crete this summer", '2027-08-31'],
  ["I'm running a marathon in March", '2027-03-31'],
  ['I want to walk the Alpe Adria in September next year', '2027-09-30'],
  ['I have dinner with Ana tonight', '2026-11-13'],
  ['my blue card expires 30 Sept 2027', '2027-09-30'],
  ['our baby is due in December', '2026-12-31'],
  ['my contract ends in Q3', '2027-09-30'],
  ['my contract ends this quarter', '2026-12-31'],
  ['my contract is up in 18 months', '2028-05-31'],
  ["I'm on leave until mid-June", '2027-06-15'],
  ["we're moving to Porto early next year", '2027-03-31'],
  ["I'm off alcohol until easter", '2027-03-28'],
  ["I'm on a diet until Christmas", '2026-12-25'],
  ['our tenancy ends on the last day of May', '2027-05-31'],
  ["I'm getting married in June 2028", '2028-06-30'],
  ['Never suggest meat until 1 December', '2026-12-01'],
  ['I have physio on Tuesdays and Fridays until the end of February', '2027-02-28'],
  ['I have physio every Tuesday until Easter', '2027-03-28'],
  ['I have meetings every day this week', '2026-11-15'],
  ['the weekly meeting is cancelled next Monday', '2026-11-16'],
])('%s: the last day is %s', (message, lastDay) => {
  expect(heard(message).map(({ kind, until }) => [kind, lastDayOf(until)])).toEqual([['short_lived', lastDay]]);
});

test.each([
  ['I get paid every month on the 25th', 'User gets paid every month on the 25th'],
  ['I see my therapist every other Friday', 'User sees their therapist every other Friday'],
  ['I have physio on Tuesdays and Thursdays', 'User has physio on Tuesdays and Thursdays'],
  ['we go hiking each spring', 'User goes hiking each spring'],
  ['I go to the gym twice a week', 'User goes to the gym twice a week'],
  ['I do crossfit 3x a week', 'User does crossfit 3x a week'],
  ['we have a daily standup at 9:45', 'User has a daily standup at 9:45'],
  ['we have a retro every second Thursday at 14:00', 'User has a retro every second Thursday at 14:00'],
  ['we meet every first and third Tuesday at the Café Central', 'User meets every first and third Tuesday at the Café Central'],
  ['we have our sprint review on the last Friday of the month', 'User has their sprint review on the last Friday of the month'],
  ['I have a weekly meeting on Friday', 'User has a weekly meeting on Friday'],
  ['I usually work from home on Friday', 'User usually works from home on Friday'],
  ['I run a half marathon in Cardiff every October', 'User runs a half marathon in Cardiff every October'],
  ['I treat with oxalic acid once a year, just before Christmas', 'User treats with oxalic acid once a year, just before Christmas'],
  ['My mother-in-law lives with us from May to August each year', "User's mother-in-law lives with them from May to August each year"],
  ['our anniversary is on 9 November', "User's anniversary is on 9 November"],
  ['my birthday is on 3 June', "User's birthday is on 3 June"],
  ['our financial year ends on 31 March', "User's financial year ends on 31 March"],
  ['I work in Paris three days a week', 'User works in Paris three days a week'],
])('what comes back has no end, and its own words: %s', (message, content) => {
  const [memory, ...others] = heard(message);
  expect(memory).toMatchObject({ content, until: undefined });
  expect(memory?.kind).not.toBe('short_lived');
  expect(others).toEqual([]);
});

test.each([
  ['my visa expired in March 2025', 'fact'],
  ['I worked at Acme until June', 'fact'],
  ['I lived in Rome until the end of June', 'fact'],
  ['I stayed in Rome from Monday to Thursday', 'fact'],
  ['I bought a telescope yesterday', 'fact'],
  ["I've lived here for ten years", 'long_lived'],
  ['my rent goes up to 1150 from February', 'fact'],
  ["I'm planning a surprise party", 'short_lived'],
  ['I have been sick for two weeks', 'short_lived'],
])('without an end of its own: %s', (message, kind) => {
  expect(heard(message).map(({ kind, until }) => [kind, until])).toEqual([[kind, undefined]]);
});

test('the date is written in the text, unless it can be read in two ways', () => {
  const contents = ["I'm in Lisbon 3-9 July", 'I have an exam on 4.5.2027', 'I have an exam on 04/05/2027', 'my lease runs until August'];
  expect(contents.flatMap(heard).map(({ content }) => content)).toEqual([
    'User is in Lisbon from 2027-07-03 to 2027-07-09',
    'User has an exam on 2027-05-04',
    'User has an exam on 04/05/2027',
    "User's lease runs until August 2027",
  ]);
});

test('what figures and words of other kinds say is no date', () => {
  expect(heard('my node version is 1.2.24').map(({ until }) => until)).toEqual([undefined]);
  expect(
    heard('I drive no more than three hours in a day')
      .map(({ content }) => content)
      .join(),
  ).not.toContain('2026');
});

test('two weeks elsewhere are no new home', () => {
  const [stay] = heard("I'm in Lisbon for two weeks");
  expect(stay?.slot).toBeUndefined();
  expect(heard('I live in Porto').map(({ slot }) => slot)).toEqual(['home']);
});

test('a correction of the date moves the end', () => {
  const [lease] = heard('my lease runs until 30 August 2027');
  const known = [{ id: 'lease', kind: 'short_lived', content: lease?.content ?? '', slot: lease?.slot ?? null }];
  const { memories } = extractFromMessage({ id: 'next', content: 'no, until 30 September 2027', createdAt: DAY }, known, passRuled);
  expect(memories.map(({ until }) => lastDayOf(until))).toEqual(['2027-09-30']);
});
