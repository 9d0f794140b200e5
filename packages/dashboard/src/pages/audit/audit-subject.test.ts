import type { Audit } from '@commonplace/client';
import { expect, test, vi } from 'vitest';

vi.mock('../../api/client.ts', () => ({ client: {} }));
const { actorOf, subjectOf } = await import('./audit-subject.ts');
const { idsNamedBy, withRecorded } = await import('./resource-names.ts');

const entryOf = (action: string, resourceId: string, rest: Partial<Audit> = {}): Audit => ({
  ...{ id: `${action} ${resourceId}`, workspaceId: 'w', action, resourceType: action.split('.')[0] as string, resourceId },
  ...{ actorType: 'user', actorId: 'u-1', actorName: 'Ines Duarte', detail: {}, address: '', requestId: '' },
  ...{ createdAt: '2026-11-16T00:00:00Z', ...rest },
});

test('an entry is named as it was called then, else as it is called now, else as another entry calls it', () => {
  const entries = [
    entryOf('agent.delete', 'a-2'),
    entryOf('agent.update', 'a-1'),
    entryOf('agent.create', 'a-1', { detail: { name: 'Desk' } }),
    entryOf('agent.create', 'a-2', { detail: { name: 'Winter trial' } }),
  ];
  const names = withRecorded(
    new Map([
      ['a-1', { name: 'Order desk', isGone: false }],
      ['a-2', { name: undefined, isGone: true }],
    ]),
    entries,
  );
  expect(entries.map((entry) => subjectOf(entry, names))).toEqual([
    { kind: 'agent', name: 'Winter trial', fate: 'Deleted' },
    { kind: 'agent', name: 'Order desk', fate: undefined },
    { kind: 'agent', name: 'Desk', fate: undefined },
    { kind: 'agent', name: 'Winter trial', fate: 'Deleted' },
  ]);
});

test('nothing is said to be gone that nobody looked for', () => {
  expect(subjectOf(entryOf('document.reindex', 'd-1'), new Map())).toEqual({ kind: 'document', name: undefined, fate: undefined });
  expect(actorOf(entryOf('agent.create', 'a-1', { actorType: 'access-key', actorName: 'storefront' }), new Map())).toEqual({
    name: 'storefront',
    badge: 'Key',
  });
  expect(actorOf(entryOf('agent.create', 'a-1', { actorType: 'system', actorId: '', actorName: '' }), new Map()).name).toBe('The service');
});

test('a version is named by its prompt, a session by its agent, a person by their name', () => {
  const removed = entryOf('member.remove', 'u-2', { detail: { email: 't@millhouse.example' } });
  const done = entryOf('prompt_version.delete', 'v-1', {
    actorId: 'u-2',
    actorName: 'Tomasz Wilk',
    detail: { promptId: 'p-1', version: 3 },
  });
  const found = new Map([
    ['p-1', { name: 'Order desk reply', isGone: false }],
    ['a-1', { name: 'Order desk', isGone: false }],
    ['u-2', { name: undefined, isGone: true }],
  ]);
  const names = withRecorded(found, [removed, done]);
  expect(subjectOf(removed, names)).toEqual({ kind: 'member', name: 'Tomasz Wilk', fate: 'Not a member' });
  expect(subjectOf(removed, found)).toMatchObject({ name: 't@millhouse.example' });
  expect(subjectOf(done, names)).toEqual({ kind: 'prompt version', name: 'Order desk reply v3', fate: 'Deleted' });
  expect(actorOf(done, names)).toEqual({ name: 'Tomasz Wilk', badge: 'Not a member' });
  const session = entryOf('session.delete', 's-1', { detail: { agentId: 'a-1' } });
  expect(subjectOf(session, names)).toEqual({ kind: 'session', name: 'of Order desk', fate: 'Deleted' });
});

test('only what the entries name is asked for', () => {
  const ids = idsNamedBy([
    entryOf('access_key.create', 'k-1', { detail: { name: 'storefront', agentIds: ['a-2', 'a-1'] } }),
    entryOf('prompt_version.create', 'v-1', { detail: { promptId: 'p-1', version: 1 }, actorType: 'access-key', actorId: 'k-1' }),
  ]);
  expect(Object.fromEntries(ids)).toEqual({ agent: ['a-1', 'a-2'], prompt: ['p-1'], document: [], access_key: ['k-1'], member: ['u-1'] });
});
