import { expect, test } from 'vitest';
import type { KnownMemory } from '../extractor.ts';
import { selectKnown } from './known.ts';

const known = Array.from({ length: 100 }, (_, index): KnownMemory => {
  const content = index === 90 ? 'User is allergic to peanuts' : `User likes number ${index}`;
  return { id: `k${index}`, kind: 'fact', content, slot: index === 80 ? 'home' : null };
});
const select = (content: string, before?: string) => {
  const message = {
    id: 'm',
    content,
    createdAt: '2026-11-15T09:30:00.000Z',
    before: before === undefined ? undefined : { id: 'a', content: before },
  };
  return selectKnown(known, [message], 10).map(({ id }) => id);
};

test('the newest are shown, with older ones that the messages speak of', () => {
  expect(select('Hello')).toEqual(['k0', 'k1', 'k2', 'k3', 'k4', 'k5', 'k6', 'k7', 'k8', 'k9']);
  expect(select('Forget my allergies')).toEqual(['k0', 'k1', 'k2', 'k3', 'k4', 'k5', 'k6', 'k7', 'k8', 'k90']);
  expect(select('Yes, forget them', 'The peanuts?').at(-1)).toBe('k90');
  expect(select('I have a new home').at(-1)).toBe('k80');
});

test('words that most memories have count little, and take no more than half', () => {
  expect(select('The user likes a number of peanuts').slice(-1)).toEqual(['k90']);
  expect(select('The user likes a number of peanuts')).toHaveLength(10);
  expect(selectKnown(known.slice(0, 3), [], 3)).toEqual(known.slice(0, 3));
});
