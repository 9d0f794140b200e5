import type { Agent } from '@commonplace/client';
import { expect, test } from 'vitest';
import { labelRows } from '../../design/label-rows.ts';
import { carriedOver, changesOf, draftOf, isChanged } from './draft.ts';

const agent: Agent = {
  id: 'a',
  workspaceId: 'w',
  name: 'Order desk',
  kind: 'unmanaged',
  handle: 'order-desk',
  description: '',
  status: 'active',
  configs: { memoryPipeline: true },
  promptId: null,
  kbLabels: { audience: 'customers', region: 'north' },
  createdAt: '2026-11-15T09:30:00.000Z',
  updatedAt: '2026-11-15T09:30:00.000Z',
};

test('a draft that says what the agent says is no change, whatever the order of its labels', () => {
  expect(isChanged(draftOf(agent), agent)).toBe(false);
  const kbLabels = labelRows({ region: 'north', audience: 'customers' });
  expect(isChanged({ ...draftOf(agent), kbLabels, name: ' Order desk ' }, agent)).toBe(false);
});

test('what is emptied is taken away, and a label without a key is none', () => {
  const filled = { ...agent, promptId: 'p', configs: { memoryPipeline: true, memorySubject: 'customer' } };
  const draft = { ...draftOf(filled), promptId: '', memorySubject: ' ', kbLabels: labelRows({ '': 'nothing', region: 'south' }) };
  expect(changesOf(draft, filled)).toEqual({ promptId: null, configs: { memorySubject: null }, kbLabels: { region: 'south' } });
  expect(isChanged(draft, filled)).toBe(true);
});

test('only what differs from the agent that the draft began from is sent', () => {
  expect(changesOf(draftOf(agent), agent)).toEqual({});
  expect(changesOf({ ...draftOf(agent), description: 'Answers bakeries.' }, agent)).toEqual({ description: 'Answers bakeries.' });
  expect(changesOf({ ...draftOf(agent), memoryPipeline: false }, agent)).toEqual({ configs: { memoryPipeline: false } });
});

test('what others changed comes into the draft, unless it was changed there too', () => {
  const later: Agent = { ...agent, name: 'Orders', status: 'archived', kbLabels: { region: 'south' } };
  const draft = carriedOver({ ...draftOf(agent), name: 'Desk', description: 'Ours' }, agent, later);
  expect(draft).toMatchObject({ name: 'Desk', description: 'Ours', status: 'archived' });
  expect(changesOf(draft, later)).toEqual({ name: 'Desk', description: 'Ours' });
});

test('a row of a label that is being written stays while the agent is read again', () => {
  const draft = { ...draftOf(agent), kbLabels: [...draftOf(agent).kbLabels, ...labelRows({ '': '' })] };
  expect(carriedOver(draft, agent, { ...agent, name: 'Orders' }).kbLabels).toEqual(draft.kbLabels);
});
