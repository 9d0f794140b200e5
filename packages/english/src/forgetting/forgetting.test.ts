import { expect, test } from 'vitest';
import { contents, DAY, tell } from '../conversation-for-test.ts';
import { extractFromMessage } from '../extract.ts';
import type { KnownMemory, Turn } from '../extraction.ts';

test.each([
  [['I live in Bonn.', 'Please forget that.'], []],
  [['I live in Bonn.', 'Forget it.'], []],
  [['I like tea.', 'I live in Bonn. I work as a nurse.', 'please delete that'], ['User likes tea']],
  [['I like tea.', 'I live in Bonn. Please forget that.'], ['User likes tea']],
  [['I live in Bonn please forget that'], []],
  [['I like tea.', 'I live in Bonn.', 'forget my address'], ['User likes tea']],
  [['I live in Rome.', 'forget my old address, I live in Bonn now'], ['User lives in Bonn']],
  [['I was diagnosed with lupus.', 'I like tea.', "I don't want you to remember my diagnosis"], ['User likes tea']],
  [
    ['My dog is called Rufus.', 'Rufus is allergic to chicken.', 'I like tea.', "don't keep anything about Rufus in your memory"],
    ['User likes tea'],
  ],
  [['I broke up with Sam.', 'I like tea.', 'please forget what I said about the breakup'], ['User likes tea']],
  [['I like tea.', 'I live in Rome', 'forget that I like tea'], ['User lives in Rome']],
  [['I like tea.', 'I live in Bonn.', 'delete everything you know about me. I am a nurse.'], ['User is a nurse']],
  [['I live in Bonn. I like tea. Forget everything I told you.'], []],
  [['I like tea.', 'I live in Bonn.', 'forget everything except where I live'], ['User lives in Bonn']],
  [['I like tea.', 'scratch that, pretend I never said it'], []],
  [['I always use Vim', 'I switched to Zed last month, forget vim'], ['User switched to Zed in October 2026']],
  // Nothing known is named, and the request is no memory either.
  [['I like tea.', 'Please forget my salary.'], ['User likes tea']],
  [['Always forget what I said about my salary.'], []],
  [['I prefer coffee', 'scratch that, I prefer tea'], ['User prefers tea']],
  // Left alone.
  [['I live in Bonn.', "don't forget to answer"], ['User lives in Bonn']],
  [['I have a dog.', 'delete the second paragraph'], ['User has a dog']],
  [['I live in Bonn.', 'I forgot my keys'], ['User lives in Bonn']],
  [['I have high blood pressure.', 'forget my blood type'], ['User has high blood pressure']],
])('%j', (messages, left) => {
  expect(contents(...messages)).toEqual(left);
});

test('what is forgotten is told from what is over', () => {
  const known = [{ id: 'k', kind: 'fact', content: 'User uses vim', slot: null }];
  const read = (content: string) => extractFromMessage({ id: 'm', content, createdAt: DAY }, known);
  expect(read('forget vim')).toMatchObject({ withdrawn: [{ messageId: 'm', memory: 'k', forgotten: true }], forgetsIn: ['m'] });
  expect(read('I gave up on vim').withdrawn).toEqual([{ messageId: 'm', memory: 'k' }]);
  expect(read('wipe your memory of me')).toMatchObject({ memories: [], forgetsAll: ['m'], forgetsIn: ['m'] });
  expect(read('I use vim')).not.toHaveProperty('forgetsIn');
});

test('what the same message said before a request for everything is named', () => {
  const { memories, withdrawn, forgetsAll } = extractFromMessage(
    { id: 'm', content: 'I live in Bonn. Forget everything you know about me. I am allergic to nuts.', createdAt: DAY },
    [],
  );
  expect(memories.map(({ content }) => content)).toEqual(['User lives in Bonn', 'User is allergic to nuts']);
  expect(withdrawn).toEqual([{ messageId: 'm', memory: 'm:0', forgotten: true }]);
  expect(forgetsAll).toEqual(['m']);
});

const turn = (id: string, role: Turn['role'], content: string): Turn => ({ id, role, content });
const known: KnownMemory[] = [
  { id: 'c', kind: 'fact', content: 'User has a cat', slot: null, saidIn: 'm3' },
  { id: 'b', kind: 'fact', content: 'User has a dog', slot: null, saidIn: 'm2' },
  { id: 'a', kind: 'fact', content: 'User has a bird', slot: null, saidIn: 'm2' },
];
const forgottenAfter = (content: string, ...before: Turn[]) =>
  extractFromMessage({ id: 'm9', content, createdAt: DAY, before }, known).withdrawn.map(({ memory }) => memory);

test('all that rests on the user’s message before goes, though others said something since', () => {
  expect(forgottenAfter('please forget that', turn('m2', 'user', 'I have a bird and a dog.'), turn('m8', 'assistant', 'Nice!'))).toEqual([
    'b',
    'a',
  ]);
  // Without knowing which message said it, its words tell.
  expect(forgottenAfter('please forget that', turn('m7', 'user', 'I have a dog.'), turn('m8', 'assistant', 'Nice!'))).toEqual(['b']);
});

test('an idiom reaches no further than the message before, and not past an apology', () => {
  const thanks = [turn('m7', 'user', 'Is it raining?'), turn('m8', 'assistant', 'No.')];
  expect(forgottenAfter('forget it', ...thanks)).toEqual([]);
  expect(forgottenAfter('please forget that', ...thanks)).toEqual(['c']);
  const sorry = [turn('m3', 'user', 'I have a cat.'), turn('m8', 'assistant', 'I apologise for the mix-up.')];
  expect(forgottenAfter('forget about it', ...sorry)).toEqual([]);
  expect(forgottenAfter('please forget that', ...sorry)).toEqual(['c']);
  expect(forgottenAfter('please forget that')).toEqual([]);
});

test('the request is no wish either', () => {
  expect(tell('Never store my address.').held).toEqual([]);
  expect(tell('Always answer in metric. From now on forget my jokes.').held).toHaveLength(1);
});
