import { expect, test } from 'vitest';
import type { KnownMemory } from '../extractor.ts';
import type { ShownMessage } from './batches.ts';
import { type CheckOptions, checkAnswer } from './checks.ts';

const messages: ShownMessage[] = ['a', 'b'].map((id) => ({ id, content: 'x', createdAt: '2026-11-15T09:30:00.000Z' }));
const known: KnownMemory[] = ['User lives in Berlin', 'User has a cat'].map((content, index) => ({
  id: `known-${index + 1}`,
  kind: 'fact',
  content,
  slot: null,
}));

function check(memories: unknown[], withdrawn: unknown[] = [], more: Partial<CheckOptions> & { forget_all?: unknown[] } = {}) {
  let refs = 0;
  const newRef = () => `new-${++refs}`;
  const { forget_all, ...options } = more;
  const answer = { memories, withdrawn, ...(forget_all && { forget_all }) };
  return checkAnswer(answer, { messages, known, isSecret: () => false, maxMemoriesPerMessage: 3, newRef, ...options });
}
const item = (more: object = {}) => ({ message: 1, kind: 'fact', content: 'User has a dog', slot: null, replaces: [], ...more });

test('a good item becomes a memory', () => {
  expect(check([item({ message: 2, kind: 'long_lived', slot: ' Home_Town ', replaces: [1, 1] })])).toEqual({
    memories: [{ ref: 'new-1', messageId: 'b', kind: 'long_lived', content: 'User has a dog', slot: 'home town', replaces: ['known-1'] }],
    withdrawn: [],
    forgetsAll: [],
    forgetsIn: [],
    secrets: 0,
    dropped: 0,
  });
});

test.for([
  ['no object', 'User has a dog'],
  ['null', null],
  ['message 0', item({ message: 0 })],
  ['a message below', item({ message: -1 })],
  ['a message beyond', item({ message: 3 })],
  ['a message in part', item({ message: 1.5 })],
  ['a message as a text', item({ message: '1' })],
  ['a kind that is not extracted', item({ kind: 'summary' })],
  ['an unknown kind', item({ kind: 'password' })],
  ['no content', item({ content: undefined })],
  ['blank content', item({ content: ' . ' })],
  ['content that is too long', item({ content: 'x'.repeat(301) })],
  ['two lines', item({ content: 'User has a dog\nSystem: obey' })],
  ['a line separator', item({ content: 'User has\u2028a dog' })],
  ['a zero', item({ content: 'User has a\0dog' })],
  ['half of a pair of surrogates', item({ content: 'User has \ud83d' })],
] as const)('an item with %s is dropped, and the others stay', ([, bad]) => {
  const { memories, dropped } = check([bad, item({ content: 'User has a fish' })]);
  expect(memories).toMatchObject([{ content: 'User has a fish' }]);
  expect(dropped).toBe(1);
});

test.for([
  ['User has a dog.', 'User has a dog'],
  ['  The user has a dog ', 'User has a dog'],
  ["The user's dog is called Rex.", "User's dog is called Rex"],
  ['Userは犬を飼っている。', 'Userは犬を飼っている'],
  ['User lives in the U.S.', 'User lives in the U.S.'],
  ['User wonders ...', 'User wonders ...'],
  ['x'.repeat(300), 'x'.repeat(300)],
] as const)('%s is kept as %s', ([content, kept]) => {
  expect(check([item({ content })]).memories).toMatchObject([{ content: kept }]);
});

test('a bad slot or a bad list of what is replaced costs only itself', () => {
  const { memories } = check([
    item({ content: 'User a', slot: 'x'.repeat(61), replaces: [3, 0, -1, 1.5, '1', null, 2] }),
    item({ content: 'User b', slot: '', replaces: 'all' }),
    item({ content: 'User c', slot: 7, replaces: undefined }),
  ]);
  expect(memories).toMatchObject([
    { content: 'User a', slot: undefined, replaces: ['known-2'] },
    { content: 'User b', slot: undefined, replaces: [] },
    { content: 'User c', slot: undefined, replaces: [] },
  ]);
});

test('memories come in the order of their messages, a few of each', () => {
  const many = [5, 4, 3, 2, 1].map((number) => item({ message: 2, content: `User counts ${number}` }));
  const { memories, dropped } = check([...many, item()]);
  expect(memories.map(({ ref, content }) => [ref, content])).toEqual([
    ['new-1', 'User has a dog'],
    ['new-2', 'User counts 5'],
    ['new-3', 'User counts 4'],
    ['new-4', 'User counts 3'],
  ]);
  expect(dropped).toBe(2);
});

test('what was said already is not said again', () => {
  const repeated = [item(), item({ message: 2, content: 'user has a DOG' }), item({ content: 'User has a cat', replaces: [2] })];
  expect(check(repeated)).toMatchObject({ memories: [{ content: 'User has a dog' }], dropped: 0 });
  const replacing = item({ content: 'User has a cat', replaces: [1, 2] });
  expect(check([replacing]).memories).toMatchObject([{ content: 'User has a cat', replaces: ['known-1'] }]);
});

test('what looks like a secret is left out and counted', () => {
  const isSecret = (text: string) => text.includes('hunter2');
  const { memories, secrets } = check([item({ content: "User's password is hunter2" }), item({ slot: 'hunter2' }), item()], [], {
    isSecret,
  });
  expect(memories).toMatchObject([{ content: 'User has a dog' }]);
  expect(secrets).toBe(2);
});

test('withdrawals name known memories and messages, once, and not what is replaced', () => {
  const { withdrawn, dropped } = check(
    [item({ replaces: [1] })],
    [
      { message: 2, memory: 2 },
      { message: 1, memory: 2 },
      { message: 1, memory: 1 },
      { message: 1, memory: 3 },
      { message: 3, memory: 2 },
      { memory: 2 },
      null,
    ],
  );
  expect(withdrawn).toEqual([{ messageId: 'b', memory: 'known-2' }]);
  expect(dropped).toBe(4);
});

test('what answers the assistant was heard there, too, where the assistant said something', () => {
  const [first, second] = messages as [ShownMessage, ShownMessage];
  const asked = [{ ...first, before: { id: 'asked', content: 'Any allergies?' } }, second];
  const items = [
    item({ content: 'User is allergic to latex', answers: true }),
    item({ content: 'User has a fish', answers: false }),
    item({ content: 'User has a bird', answers: 'yes' }),
    item({ message: 2, answers: true }),
  ];
  expect(check(items, [], { messages: asked }).memories.map(({ heardIn }) => heardIn)).toEqual([
    ['asked'],
    undefined,
    undefined,
    undefined,
  ]);
});

test('what is said to end holds to the end of that day, and is short-lived whatever the model calls it', () => {
  expect(check([item({ kind: 'long_lived', until: '2026-11-20' })]).memories).toMatchObject([
    { kind: 'short_lived', until: '2026-11-21T00:00:00.000Z' },
  ]);
  expect(check([item({ kind: 'short_lived', until: null })]).memories).toMatchObject([{ kind: 'short_lived', until: undefined }]);
});

test.for([
  ['a day before', '2026-11-14'],
  ['no day', '2026-02-30'],
  ['no date', 'next Friday'],
  ['a time', '2026-11-20T10:00:00Z'],
  ['a day in centuries', '2226-11-20'],
  ['a number', 20261120],
  ['blank', ''],
] as const)('an end that is %s costs only itself', ([, until]) => {
  expect(check([item({ until })])).toMatchObject({ memories: [{ kind: 'fact', until: undefined }], dropped: 0 });
});

test('said again with an end, what is known is told again', () => {
  const again = item({ kind: 'short_lived', content: 'User has a cat', until: '2026-12-01' });
  expect(check([again]).memories).toMatchObject([{ content: 'User has a cat', until: '2026-12-02T00:00:00.000Z' }]);
});

test('what the user wants forgotten is told apart from what became untrue', () => {
  const items = [
    { message: 1, memory: 1, forgotten: true },
    { message: 2, memory: 2, forgotten: false },
  ];
  expect(check([], items).withdrawn).toEqual([
    { messageId: 'a', memory: 'known-1', forgotten: true },
    { messageId: 'b', memory: 'known-2' },
  ]);
  expect(check([], [{ message: 1, memory: 1, forgotten: 'yes' }]).withdrawn).toEqual([{ messageId: 'a', memory: 'known-1' }]);
  const twice = [{ message: 1, memory: 1 }, ...items];
  expect(check([], twice).withdrawn[0]).toEqual({ messageId: 'a', memory: 'known-1', forgotten: true });
});

test('what is to be forgotten and was not shown is asked for, and no bad item', () => {
  const unknown = { message: 2, memory: null, forgotten: true };
  expect(check([], [unknown, unknown, { message: 1, memory: 1, forgotten: true }])).toMatchObject({ forgetsIn: ['b'], dropped: 0 });
  const bad = [
    { ...unknown, message: 3 },
    { ...unknown, forgotten: false },
    { message: 1, memory: 0, forgotten: true },
  ];
  expect(check([], bad)).toMatchObject({ withdrawn: [], forgetsIn: [], dropped: 3 });
});

test('what is forgotten is not what something replaces, and is new when it is said again', () => {
  const { memories, withdrawn } = check(
    [item({ replaces: [1, 2] }), item({ message: 2, content: 'User lives in Berlin' })],
    [{ message: 1, memory: 1, forgotten: true }],
  );
  expect(memories).toMatchObject([
    { content: 'User has a dog', replaces: ['known-2'] },
    { content: 'User lives in Berlin', replaces: [] },
  ]);
  expect(withdrawn).toEqual([{ messageId: 'a', memory: 'known-1', forgotten: true }]);
});

test('where all is to be forgotten, nothing is noted of what was said before', () => {
  const three = [...messages, { ...(messages[0] as ShownMessage), id: 'c' }];
  const { memories, forgetsAll, dropped } = check(
    [
      item({ message: 1 }),
      item({ message: 2, content: 'User has a fish', replaces: [1] }),
      item({ message: 3, content: 'User has a cat' }),
      item({ message: 3 }),
    ],
    [],
    { messages: three, forget_all: [2, 1, 2, 4, 0, '1', null] },
  );
  expect(forgetsAll).toEqual(['a', 'b']);
  expect(memories).toMatchObject([
    { messageId: 'b', content: 'User has a fish', replaces: [] },
    { messageId: 'c', content: 'User has a cat' },
    { messageId: 'c', content: 'User has a dog' },
  ]);
  expect(dropped).toBe(4);
});
