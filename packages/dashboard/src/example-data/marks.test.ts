import type { Agent, Session } from '@commonplace/client';
import { expect, test } from 'vitest';
import { exampleAgents } from './content/agents.ts';
import { EXAMPLE_NOTE, exampleAgentHandles, isExampleAgent, isExampleSession, withoutMark } from './marks.ts';

const agent = {
  handle: exampleAgentHandles[0],
  name: 'Order desk (example)',
  description: `${EXAMPLE_NOTE}: …`,
  kbLabels: { example: 'true' },
} as unknown as Agent;
const session = {
  externalId: 'example-standing-order',
  labels: { example: 'true' },
  meta: { example: 'standing-order' },
} as unknown as Session;

test.each([
  ['as it was made', {}, true],
  ['renamed', { name: 'Ours now' }, true],
  ['with another description', { description: 'Ours' }, true],
  ['with other knowledge', { kbLabels: {} }, true],
  ['with neither mark', { description: 'Ours', kbLabels: {} }, false],
  ['of another handle', { handle: 'order-desk' }, false],
])('an agent of the example is known %s', (_, changes, expected) => {
  expect(isExampleAgent({ ...agent, ...changes } as Agent)).toBe(expected);
});

test.each([
  ['as it was made', {}, true],
  ['with other labels', { labels: {} }, true],
  ['with another meta', { meta: {} }, true],
  ['with neither mark', { labels: {}, meta: null }, false],
  ['copied by a person', { externalId: '01a1' }, false],
])('a session of the example is known %s', (_, changes, expected) => {
  expect(isExampleSession({ ...session, ...changes } as Session)).toBe(expected);
});

test('names give the handles that are looked for, and ids are not given twice', () => {
  const handleOf = (name: string) =>
    name
      .toLowerCase()
      .replace(/[^a-z0-9]+/g, '-')
      .replace(/-$/, '');
  expect(exampleAgents.map(({ name }) => handleOf(name))).toEqual(exampleAgents.map(({ handle }) => handle));
  const ids = exampleAgents.flatMap(({ sessions }) => sessions.map(({ id }) => id));
  expect(new Set(ids).size).toBe(ids.length);
});

test('nothing of a session lies in the future', () => {
  for (const { sessions } of exampleAgents)
    for (const { hoursAgo, messages } of sessions)
      expect(messages.reduce((sum, [, minutes]) => sum + minutes, 0)).toBeLessThan(hoursAgo * 60);
});

test.each([
  [{ example: 'prompt-3' }, null],
  [{ example: 'prompt-3', owner: 'desk' }, { owner: 'desk' }],
  [{ owner: 'desk' }, { owner: 'desk' }],
  [{ example: 7 }, { example: 7 }],
  [null, null],
  ['text', 'text'],
])('what is made from a piece of the example has not its mark: %j', (meta, expected) => {
  expect(withoutMark(meta)).toEqual(expected);
});
