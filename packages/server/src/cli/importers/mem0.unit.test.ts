import { join } from 'node:path';
import { expect, test } from 'vitest';
import { mem0 } from './mem0.ts';
import { folderOf, itemsOf, read } from './read-for-test.ts';

const memory = (id: string, more: object = {}) => ({
  id,
  memory: `Memory ${id}`,
  user_id: 'ada',
  created_at: '2025-05-06T07:08:09.123456-07:00',
  ...more,
});

test.each([
  ['a list', (all: object[]) => JSON.stringify(all)],
  ['a page', (all: object[]) => JSON.stringify({ count: 4, next: null, results: all }, null, 2)],
  ['lines', (all: object[]) => `\uFEFF${all.map((each) => JSON.stringify(each)).join('\r\n')}\r\n`],
])('memories of Mem0, as %s', async (_, write) => {
  const all = [
    memory('m1', { categories: ['food', 'user_preferences'], metadata: { from: 'chat' } }),
    memory('m2', { user_id: 'bob', updated_at: '2025-05-07T00:00:00Z' }),
    memory('m3', { expiration_date: '2027-01-31', run_id: 'r1' }),
    memory('m4', { user_id: null, agent_id: 'helper', created_at: null }),
    memory('m5', { user_id: undefined, created_at: 'yesterday' }),
  ];
  const { sessions, memories, problems } = await read(mem0, join(folderOf({ 'memories.json': write(all) }), 'memories.json'));
  expect(problems).toEqual([]);
  expect(sessions.map(({ labels, externalId }) => [labels, externalId])).toEqual([
    [{ user: 'ada' }, 'mem0:user:ada'],
    [{ user: 'bob' }, 'mem0:user:bob'],
    [{ agent: 'helper' }, 'mem0:agent:helper'],
    [{}, 'mem0::'],
  ]);
  expect(memories).toMatchObject([
    {
      content: 'Memory m1',
      kind: 'preference',
      createdAt: '2025-05-06T14:08:09.123Z',
      source: 'written',
      expiresAt: null,
      meta: { metadata: { from: 'chat' } },
    },
    { content: 'Memory m3', kind: 'fact', expiresAt: '2027-01-31T00:00:00.000Z', meta: { run_id: 'r1' } },
    { content: 'Memory m2', updatedAt: '2025-05-07T00:00:00.000Z' },
    { content: 'Memory m4', createdAt: '2026-02-03T04:05:06.000Z' },
    { content: 'Memory m5', createdAt: '2026-02-03T04:05:06.000Z' },
  ]);
});

test('memories that can not be taken are named, and the others come in', async () => {
  const deep = JSON.parse(`${'['.repeat(200)}${']'.repeat(200)}`);
  const all = [
    7,
    { id: 'x' },
    memory('m1', { memory: '' }),
    memory('m2', { memory: 'y'.repeat(1_000_001) }),
    memory('m3', { metadata: deep }),
    memory('m4', { user_id: 'u'.repeat(300) }),
    memory('m5', { user_id: { a: 1 } }),
  ];
  const { problems, memories, sessions } = await read(mem0, join(folderOf({ 'all.json': all }), 'all.json'));
  expect(problems).toEqual([
    'all.json, memory 1: it has no text under “memory”',
    'all.json, memory 2: it has no text under “memory”',
    'all.json, memory 3: it has no text under “memory”',
    'all.json, memory 4: content must not exceed 1 MB',
    expect.stringMatching(/^all\.json, memory 5: meta /),
  ]);
  expect(memories.map(({ content }) => content)).toEqual(['Memory m4', 'Memory m5']);
  expect(sessions.map(({ labels }) => labels.user?.length)).toEqual([3, 64, undefined]);
  for (const content of ['', '{}', '"text"', '[1'])
    expect((await read(mem0, join(folderOf({ 'bad.json': content }), 'bad.json'))).problems.join()).toMatch(/^bad\.json/);
});

test('a folder is refused', async () => {
  await expect(itemsOf(mem0, folderOf({}))).rejects.toThrow('is a folder; name a file in it');
});
