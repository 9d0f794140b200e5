import { expect, test } from 'vitest';
import { token } from '../sentences/tokens.ts';
import type { Candidate, Place } from './candidate.ts';
import { featuresOf } from './features.ts';
import { gateOf, learntGate } from './model.ts';

const place: Place = { index: 0, count: 1, asks: false, orders: false, labels: 0, fragments: 0, words: ['kayak'] };
const candidate = (more: Partial<Candidate> = {}): Candidate => ({
  finding: { kind: 'fact', content: 'User mentions: red kayak' },
  form: 'fragment',
  ruled: false,
  tokens: [token('red', 'ADJ'), token('kayak', 'NOUN')],
  dated: false,
  remembered: false,
  ...more,
});
const weights = { thresholds: { ruled: 0.5, open: 1 }, worth: { 'word=kayak': 0.75 }, kinds: {} };

test('what a rule knows has to come to less than what none does', () => {
  const gate = gateOf(weights);
  expect(gate(candidate(), place)).toBeUndefined();
  expect(gate(candidate({ ruled: true }), place)).toMatchObject({ kind: 'fact' });
  expect(gateOf({ ...weights, worth: { 'word=kayak': 1.1 } })(candidate(), place)).toMatchObject({ kind: 'fact' });
});

test('what the user asks to keep is kept, whatever it comes to', () => {
  const gate = gateOf({ ...weights, worth: { bias: -9 } });
  expect(gate(candidate({ ruled: true, remembered: true }), place)).toBeDefined();
  expect(gate(candidate({ ruled: true }), place)).toBeUndefined();
});

test('the kind is that of the rule, else the most likely one', () => {
  const gate = gateOf({ ...weights, worth: { bias: 9 }, kinds: { fact: { bias: 1 }, preference: { 'word=red': 2 } } });
  expect(gate(candidate(), place)?.kind).toBe('preference');
  expect(gate(candidate({ ruled: true }), place)?.kind).toBe('fact');
});

test('no word is taken for a property of something else', () => {
  const tokens = ['constructor', '__proto__', 'toString'].map((word) => token(word, 'NOUN'));
  expect(learntGate(candidate({ tokens }), place)).toSatisfy((kept) => kept === undefined || typeof kept === 'object');
  expect(gateOf({ ...weights, worth: {} })(candidate({ tokens, ruled: true }), place)).toBeUndefined();
});

test('features of a long fragment are bounded', () => {
  const tokens = Array.from({ length: 5_000 }, (_, index) => token(`word${index}`, 'NOUN'));
  expect(featuresOf(candidate({ tokens }), place).length).toBeLessThan(500);
});
