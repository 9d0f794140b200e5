import { expect, test } from 'vitest';
import { contents, DAY, passRuled } from './conversation-for-test.ts';
import { extractFromMessage } from './extract.ts';
import type { Gate } from './gate/candidate.ts';
import { processorMsOf } from './processor-time-for-test.ts';

test.each([
  ['just adopted a greyhound', ['User adopted a greyhound']],
  ['been living in Osaka since 2015', ['User has been living in Osaka since 2015']],
  ["can't do dairy, gives me migraines", ['User cannot do dairy']],
  ['on blood thinners, so check the list', ['User is on blood thinners']],
  ['beekeeper here, any tips?', ['User is a beekeeper']],
  ['north-facing balcony here', ['User has a north-facing balcony']],
  ['huge fan of slow cinema', ['User is a huge fan of slow cinema']],
  ['part time at the library', ['User works part time at the library']],
  ['hospice nurse, so nights are normal', ['User is a hospice nurse']],
  ['trains over planes any day', ['User prefers trains over planes any day']],
  ["car's booked in for a service on Monday", ["User's car is booked in for a service on 2026-11-16"]],
  ['grandad passed away in spring', ["User's grandad passed away in spring"]],
  ['walk the beach most mornings', ['User walks the beach most mornings']],
])('a fragment means its subject: %s', (message, expected) => {
  expect(contents(message)).toEqual(expected);
});

test.each([
  ['About me: 41, electrician, three daughters', ['User is 41', 'User is an electrician', 'User has three daughters']],
  ['Pescatarian, no olives pls', ['User is pescatarian', 'User wants no olives']],
  ['terrible with names, great with faces', ['User is terrible with names', 'User is great with faces']],
])('lists and fragments side by side are read one by one: %s', (message, expected) => {
  expect(contents(message)).toEqual(expected);
});

test.each([
  ['Being asthmatic, what should I avoid?', 'User is asthmatic'],
  ['As a night porter I sleep till noon', 'User is a night porter'],
  ["You're talking to a retired pilot", 'User is a retired pilot'],
  ['Speaking as someone who is blind, charts are useless', 'User is blind'],
  ['With two toddlers at home, what can I cook?', 'User has two toddlers at home'],
  ['Having had two operations, which sports are safe?', 'User has had two operations'],
  ['my doctor told me to avoid salt', 'User has to avoid salt'],
])('what is taken for granted is kept: %s', (message, expected) => {
  expect(contents(message)).toContain(expected);
});

test.each([
  ['my landlord does not allow pets', "User's landlord does not allow pets"],
  ['our compliance folks ban Dropbox', "User's compliance folks ban Dropbox"],
  ['my sister ties the knot in May', "User's sister ties the knot in May 2027"],
  ['the kids are allergic to eggs', "User's kids are allergic to eggs"],
  ['the kitchen is induction only', 'The kitchen is induction only'],
  ['the monorepo is built with Bazel', 'The monorepo is built with Bazel'],
  ['everything we build is open source', 'Everything User builds is open source'],
  ['comments should always be in English', 'Comments should always be in English'],
  ['shellfish gives me hives', 'Shellfish gives User hives'],
  ['cruises are my idea of hell', "Cruises are User's idea of hell"],
  ['My taste in furniture: teak', "User's taste in furniture is teak"],
])('what belongs to the user: %s', (message, expected) => {
  expect(contents(message)).toEqual([expected]);
});

test.each([
  [
    'whenever I ask for recipes, give the weights in grams',
    'User wants the assistant to give the weights in grams when they ask for recipes',
  ],
  ['Could we stick to Celsius from now on?', 'User wants the assistant to stick to Celsius from now on'],
  ['type hints everywhere please', 'User wants type hints everywhere'],
  ['No inline styles. Ever.', 'User wants no inline styles'],
  ['please only contact me by email', 'User wants the assistant to only contact them by email'],
])('standing wishes come in many forms: %s', (message, expected) => {
  expect(contents(message)).toEqual([expected]);
});

test.each([
  [['my son is in year 4', "oh hang on, he's in year 5"], "User's son is in year 5"],
  [['The recital is on 9 December', "my mistake, it's on the 19th"], 'The recital is on 2026-11-19'],
  [["I've got two cats", 'make that three cats'], 'User has three cats'],
  [['My favourite colour is green', "actually it's blue"], "User's favourite colour is blue"],
  [['I prefer window seats', 'no, aisle seats'], 'User prefers aisle seats'],
  [["I don't eat beef", 'I eat beef again'], 'User eats beef again'],
  [['I teach yoga twice a week', "I've stopped teaching yoga"], 'User has stopped teaching yoga'],
  [['my daughter is 4', 'she turned 5 on Sunday'], "User's daughter is 5"],
  [['my meeting with Tom is on Tuesday', 'it got moved to Thursday'], "User's meeting with Tom is on 2026-11-19"],
])('corrections and changes take the place of what was said: %j', (messages, expected) => {
  expect(contents(...messages)).toEqual([expected]);
});

test.each([
  'my essay is too long',
  'our build is red again',
  'my head is spinning',
  'Living in Paris costs a fortune',
  'Sourdough needs a hot oven',
  'cheap flights to Rome in May',
  'I moved the function to a new file',
  'I picked the second one',
  'I run the script and nothing happens',
  'worked like a charm',
  'the only thing I changed is the version',
  "I've been staring at boots for an hour",
  'As a user, I want to reset my password so that I can log in.',
  "you be the dragon. I'm Sir Wobbleton, I own nine goats",
  'put this into Italian: we arrive on Tuesday',
  'clean up:\n- Ops: we decided to freeze releases\n- AOB: none',
  'From: a@example.com\nTo: me\nSubject: visit\n\nI am vegan.\nAnna',
  'does this sound natural?\n\nI live in Graz and prefer cash.',
  'input: I am 5 years old\nexpected: 5',
  'the code from my authenticator is 000000',
])('gives nothing: %j', (message) => {
  expect(contents(message)).toEqual([]);
});

test('repetition without end is read in no time', () => {
  const parts = [
    'my dog ',
    'no oven, ',
    'the kids and ',
    'as someone who ',
    'everything I ',
    'About me: 41, nurse, ',
    'over here ',
    "it's ",
    'I am the one who ',
  ];
  for (const part of parts) {
    const content = part.repeat(Math.ceil(100_000 / part.length));
    expect(
      processorMsOf(() => extractFromMessage({ id: 'm', content, createdAt: DAY }, [])),
      part,
    ).toBeLessThan(5_000);
  }
});

test.each([
  ['I fast during Ramadan', ['User fasts during Ramadan']],
  ['I code in Python at work and Go at home', ['User codes in Python at work and Go at home']],
  ['I play guitar and sing in a band', ['User plays guitar', 'User sings in a band']],
  ['our backend is written in Go and runs on Fly.io', ["User's backend is written in Go and runs on Fly.io"]],
  ['what can I cook for my in-laws? they do not eat pork', ["User's in-laws do not eat pork"]],
  ['Pickle, our tortoise, is refusing lettuce', ["User's tortoise is called Pickle"]],
  ['dahlias are the flowers I love most', ['User loves dahlias most']],
  ["I'm big into co-op games", ['User is into co-op games']],
  ['never been to Peru', ['User has never been to Peru']],
  ['my daughter loves horses, gift ideas under 50 euros', ["User's daughter loves horses"]],
])('it becomes whole sentences: %s', (message, expected) => {
  expect(contents(message)).toEqual(expected);
});

test.each([
  ["I'm building a form with React, how do I validate emails?"],
  ["I'm using pandas to load a file"],
  ['my laptop gets hot when I play games'],
  ['a guy at work collects stamps'],
  ['My name is John and I live in London - is this sentence correct?'],
  ['FAILED tests/test_cart.py - AssertionError: expected 3 items, I have 2'],
])('what is about the matter at hand is not kept: %s', (message) => {
  expect(contents(message)).toEqual([]);
});

test.each([
  ['I restore paintings for a museum', 'long_lived'],
  ['my mortgage runs until 2038', 'short_lived'],
  ['my tractor is a Fendt from 2011', 'fact'],
  ["I'm working nights this week", 'short_lived'],
  ['I have a soft spot for old tractors', 'preference'],
  ['raisins make me gag', 'preference'],
])('its kind: %s', (message, kind) => {
  const [memory] = extractFromMessage({ id: 'message', content: message, createdAt: DAY }, [], passRuled).memories;
  expect(memory?.kind).toBe(kind);
});

test.each(['Been a busy week since we talked.', 'Making a difference and raising awareness is super rewarding', 'No prob, Jon!'])(
  'chat gives nothing: %s',
  (message) => {
    expect(extractFromMessage({ id: 'message', content: message, createdAt: DAY }, []).memories).toEqual([]);
  },
);

test.each([
  ['been in Porto for a while', 'User has been in Porto for a while'],
  ['We have all been learning Go.', 'User has been learning Go'],
  ['I like tea.', 'User likes tea'],
  ['OS: NixOS 24.11', "User's OS: NixOS 24.11"],
  ['Tools I own: a drill and a jigsaw', 'Tools User owns: a drill and a jigsaw'],
  ['hate: mechanisms', 'User hates mechanisms'],
  ['router AX5400, firmware 1.0.9, drops wifi every evening', 'User mentions: router AX5400, firmware 1.0.9, drops wifi every evening'],
])('what is read by rules and by what was learnt: %s', (message, expected) => {
  const keepAll: Gate = ({ finding }) => finding;
  const { memories } = extractFromMessage({ id: 'message', content: message, createdAt: DAY }, [], keepAll);
  expect(memories.map(({ content }) => content)).toContain(expected);
});
