import { expect, test } from 'vitest';
import { contents, DAY, tell } from '../conversation-for-test.ts';
import { extractFromMessage } from '../extract.ts';

test.each([
  [['The team dinner is on Wednesday.', 'no, I meant Thursday'], 'The team dinner is on 2026-11-19'],
  [['I live in Lisbon', "actually it's Porto, not Lisbon, sorry"], 'User lives in Porto'],
  [["I'm 24", 'sorry, 42, not 24'], 'User is 42'],
  [["I'm 31", 'sorry, 32'], 'User is 32'],
  [['I prefer coffee in the morning', 'scratch that, I prefer tea'], 'User prefers tea'],
  [['I live in Lisabon', '*Lisbon'], 'User lives in Lisbon'],
  [['My flight to Dublin leaves on Friday', 'sorry, Saturday, not Friday'], "User's flight to Dublin leaves on 2026-11-21"],
  [['The budget for the kitchen is 8000 euros', 'oops I meant 18000 euros'], 'The budget for the kitchen is 18000 euros'],
  [["My brother's name is Jonas.", "Correction: my brother's name is Jonathan."], "User's brother's name is Jonathan"],
  [["I've decided to buy the Canon", "changed my mind, I've decided to buy the Fuji"], 'User has decided to buy the Fuji'],
  [['My car is a Fiat Panda', 'I drive a Kia Ceed now instead of the Panda'], 'User drives a Kia Ceed now instead of the Panda'],
  [['I work at Acme', "I don't work there anymore"], 'User no longer works at Acme'],
])('%j', (messages, content) => {
  expect(contents(...messages)).toEqual([content]);
});

test('the corrected memory is named, and hands on its kind and slot', () => {
  const known = [
    { id: 'newer', kind: 'preference' as const, content: 'User prefers tea', slot: 'likes tea' },
    { id: 'older', kind: 'long_lived' as const, content: 'User lives in Lisbon', slot: 'home' },
  ];
  const { memories } = extractFromMessage({ id: 'm', content: "wait, it's Porto, not Lisbon", createdAt: DAY }, known);
  expect(memories).toMatchObject([{ kind: 'long_lived', slot: 'home', content: 'User lives in Porto', replaces: ['older'] }]);
});

test('what is to be forgotten, is over or no longer true is withdrawn', () => {
  expect(contents('I like tea', 'I live in Rome', 'forget that I like tea')).toEqual(['User lives in Rome']);
  expect(contents('I live in Rome', "that's no longer true")).toEqual([]);
  expect(contents("I'm working on the onboarding emails", "done with the onboarding emails, now I'm working on the pricing page")).toEqual([
    'User is working on the pricing page',
  ]);
});

test('without something to correct there is nothing', () => {
  expect(contents('no, I meant Thursday')).toEqual([]);
  expect(contents('*Lisbon')).toEqual([]);
  expect(contents("actually it's Porto, not Lisbon")).toEqual([]);
  expect(contents('I prefer tea', 'no, the other one')).toEqual(['User prefers tea']);
  expect(contents('I prefer tea', 'sorry, autocorrect. ')).toEqual(['User prefers tea']);
});

test('a later sentence of a message corrects an earlier one', () => {
  expect(tell('I live in Lisbon. Sorry, Porto, not Lisbon.').held).toMatchObject([{ content: 'User lives in Porto', slot: 'home' }]);
});
