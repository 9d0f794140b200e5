import { expect, test } from 'vitest';
import { type Case, hasWord, judgeWith, saysPart } from '../labelled.ts';
import { examplesOf } from './examples.ts';
import { learnAnswers } from './learner.ts';

const at = '2026-11-13T09:41:00.000Z';
const caseOf = (more: Partial<Case>): Case => ({ id: 'case', at, messages: [], expect: [], ...more });

test('what tells the two apart gets weight, and what is rare gets none', () => {
  const examples = Array.from({ length: 40 }, (_, index) => ({
    features: ['bias', index % 2 === 0 ? 'own' : 'other', `once-${index}`],
    answer: index % 2 === 0,
  }));
  const weights = learnAnswers(examples, 1);
  expect(weights.own).toBeGreaterThan(0.5);
  expect(weights.other).toBeLessThan(-0.5);
  expect(Object.keys(weights).filter((name) => name.startsWith('once'))).toEqual([]);
});

test('a candidate is worth keeping where it is expected; what was taken back later is no example', () => {
  const expected = { text: 'User lives in Porto', kinds: ['long_lived'], words: ['porto'] };
  const [porto] = examplesOf(caseOf({ messages: ['I live in Porto.'], expect: [expected] }));
  expect(porto).toMatchObject({ isWorth: true, kinds: ['long_lived'] });
  const [nothing] = examplesOf(caseOf({ messages: ['I live in Porto.'] }));
  expect(nothing).toMatchObject({ isWorth: false });
  expect(examplesOf(caseOf({ messages: ['I live in Porto.'], absent: ['porto'] }))).toEqual([]);
});

test('words are beginnings, and one slip in a longer word is forgiven', () => {
  expect(hasWord('User is allergic to latex', 'allerg')).toBe(true);
  expect(hasWord('User has a pasport', 'passport')).toBe(true);
  expect(hasWord('User has a cat', 'car')).toBe(false);
  expect(hasWord('User has a carpet', 'cat|carp')).toBe(true);
});

test('a part of what is expected is not wrong, other things are', () => {
  const text = 'User has a cat named Biscuit on a renal diet';
  expect(saysPart('User has a cat named Biscuit', { text })).toBe(true);
  expect(saysPart('User has a dog named Rex', { text })).toBe(false);
  expect(saysPart('User has a cat', {})).toBe(false);
});

test('what is found, missed, wrong, ended and taken back is told apart', () => {
  const memory = (content: string, until?: string) => ({
    ref: content,
    messageId: 'message-0',
    kind: 'short_lived' as const,
    content,
    until,
  });
  const one = caseOf({
    messages: ['…'],
    expect: [
      { text: 'User is in Rome until 20 November', kinds: ['short_lived'], words: ['rome'], until: '2026-11-20' },
      { text: 'User has a dog', kinds: ['fact'], words: ['dog'] },
    ],
    absent: ['oslo'],
  });
  const memories = [memory('User is in Rome', '2026-11-21T00:00:00.000Z'), memory('User is in Oslo')];
  const judged = judgeWith(one, () => ({ memories, withdrawn: [], secrets: 0 }));
  expect(judged).toMatchObject({
    found: 1,
    missed: [{ words: ['dog'] }],
    wrong: [{ content: 'User is in Oslo' }],
    ends: 1,
    endsRight: 1,
    isClear: false,
  });
});
