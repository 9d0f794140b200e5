import { expect, test } from 'vitest';
import { type EndedStatement, LONGEST_SUMMARY, type SpokenMessage, summaryOf as summaryBy } from './summary.ts';

const termsOf = (text: string) => [...new Set(text.toLowerCase().match(/[a-z]{4,}|\d+/g))].map((word) => word.replace(/s$/, ''));
const summaryOf = (messages: readonly SpokenMessage[], ended: readonly EndedStatement[] = []) => summaryBy(messages, ended, termsOf);
const timeOf = (index: number) => new Date(Date.UTC(2026, 10, 15, 9, index)).toISOString();
const talk = (...contents: string[]) =>
  contents.map((content, index) => ({ id: `m${index}`, role: index % 2 ? 'assistant' : 'user', content, createdAt: timeOf(index) }));

const garden = [
  'I want to plant a vegetable garden behind the house this spring.',
  'Tomatoes and beans grow well in a sunny vegetable garden.',
  'The soil behind the house is heavy clay.',
  'Heavy clay soil needs compost before you plant tomatoes.',
  'Nice weather today, by the way.',
];

test('the sentences that have most in common with the others, in their order and with their speakers', () => {
  const summary = summaryOf(talk(...garden));
  expect(summary?.content).toMatch(/^User: I want to plant a vegetable garden/);
  expect(summary?.content).toContain('Assistant: ');
  const places = garden.map((sentence) => summary?.content.indexOf(sentence) ?? -1).filter((place) => place >= 0);
  expect(places).toEqual(places.toSorted((a, b) => a - b));
  expect(summary?.messageIds).toContain('m0');
});

test('sentences without a full stop are not run together', () => {
  const contents = garden.map((sentence) => sentence.replace(/\.$/, ''));
  expect(summaryOf(talk(...contents))?.content).toBe(summaryOf(talk(...garden))?.content);
});

test('the same messages give the same summary, and repetition adds nothing', () => {
  const once = summaryOf(talk(...garden));
  expect(summaryOf(talk(...garden))).toEqual(once);
  expect(summaryOf([...talk(...garden), ...talk(...garden).map((message) => ({ ...message, id: `${message.id}!` }))])).toEqual(once);
});

test.for([
  ['nothing', []],
  ['a greeting', ['Hello!', 'Hi, how can I help?']],
  ['one thing, many times', Array.from({ length: 50 }, () => 'I prefer aisle seats near the front.')],
  ['code', ['```\nconst one = two + three;\nconst four = five + six;\nlet seven = eight;\nreturn nine ten eleven;\n```']],
] as const)('of %s there is no summary', ([, contents]) => {
  expect(summaryOf(talk(...contents))).toBeUndefined();
});

test('a summary is never longer than its bound, however long the talk', () => {
  const contents = Array.from(
    { length: 300 },
    (_, index) => `Subject ${index} concerns the harbour, the lighthouse and keeper number ${index * 7} of the coast.`,
  );
  const { content } = summaryOf(talk(...contents)) ?? { content: '' };
  expect(content.length).toBeGreaterThan(LONGEST_SUMMARY / 2);
  expect(content.length).toBeLessThanOrEqual(LONGEST_SUMMARY);
});

test('secrets and system prompts are in no summary', () => {
  const messages = [
    ...talk(...garden, 'The garden gate password is tr0ub4dor&3xyz for the vegetable garden.'),
    { id: 's', role: 'system', content: 'You are a gardener who knows vegetable garden soil and compost.', createdAt: timeOf(9) },
  ];
  const content = summaryOf(messages)?.content;
  expect(content).not.toContain('tr0ub');
  expect(content).not.toContain('You are a gardener');
});

test('what was put right or taken back later is not in it, whoever said it; what came in its place is', () => {
  const messages = talk(
    'I want to plant a vegetable garden. The garden gets sunshine in the morning only.',
    'Understood: the garden gets sunshine in the morning only, so beans are best for your vegetable garden.',
    'Beans and lettuce grow well there. Sorry, the garden gets sunshine in the evening.',
    'Then tomatoes and beans grow in the vegetable garden with sunshine in the evening.',
    'The garden never gets sunshine in the morning.',
  );
  const before = summaryOf(messages)?.content;
  expect(before).toContain('sunshine in the morning only');
  const ended = [{ content: "User's garden gets sunshine in the morning only", messageIds: ['m0'], endedAt: timeOf(2) }];
  const after = summaryOf(messages, ended)?.content;
  expect(after).not.toContain('sunshine in the morning only');
  expect(after).toContain('I want to plant a vegetable garden');
  expect(after).toContain('sunshine in the evening');
});

const secret = [
  ...garden.slice(0, 4),
  'My neighbour Rufus keeps noisy chickens behind the garden fence.',
  'Noisy chickens behind a garden fence can be fenced off, and Rufus may help.',
  'Compost for the heavy clay soil comes from the garden centre.',
  'Garden centre compost is fine for tomatoes in heavy clay soil.',
];

test('after a request to forget everything, nothing that was said before is in it', () => {
  const all = summaryOf(talk(...secret, 'Please forget everything I told you so far.', 'Done, all of it is forgotten.'));
  expect(all).toBeUndefined();
  const later = summaryOf([
    ...talk(...secret, 'Forget everything you know about me.'),
    ...talk(...garden).map((m) => ({ ...m, id: `${m.id}!` })),
  ]);
  expect(later?.content).toContain('vegetable garden');
  expect(later?.content).not.toMatch(/Rufus|[Ff]orget/);
});

test('what is named in a request to forget is not in it, whoever said it', () => {
  expect(summaryOf(talk(...secret))?.content).toContain('Rufus');
  const content = summaryOf(talk(...secret, "Please don't keep anything about Rufus in your memory."))?.content;
  expect(content).toContain('vegetable garden');
  expect(content).not.toMatch(/Rufus|memory/);
});

test('what the user said last before a request to forget it is not in it, nor the answer', () => {
  const content = summaryOf(talk(...secret.slice(0, 6), 'Please forget that.', ...secret.slice(5, 6), ...secret.slice(6)))?.content;
  expect(content).toContain('heavy clay soil');
  expect(content).not.toContain('My neighbour');
  const own = summaryOf(
    talk(...secret.slice(0, 4), 'My neighbour Rufus keeps noisy chickens. Forget I said that.', ...secret.slice(6)),
  )?.content;
  expect(own).toContain('heavy clay soil');
  expect(own).not.toMatch(/chickens|Forget/);
});
