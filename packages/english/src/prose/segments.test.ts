import { expect, test } from 'vitest';
import { contents } from '../conversation-for-test.ts';

test.each([
  ['a code block', "```js\nconst name = 'I live in Rome';\n// I work at IBM\n```"],
  ['a code block that is never closed', '```\nI live in Rome'],
  ['inline code', "what does `const iLike = 'pizza'; // I like pizza` do?"],
  ['a quotation', 'She said "I live in Rome" and then walked off'],
  ['a quotation in single marks', "My teacher says 'I love maths' every day"],
  ['quoted lines', '> I work at Google and I have three cats\n\nwhat does he mean?'],
  ['a log', '2026-03-02T11:04:22Z ERROR worker: my name is not defined\n2026-03-02T11:04:23Z INFO worker: I am retrying'],
  ['a stack trace', 'TypeError: I am undefined\n    at getUser (/app/src/user.js:14:22)\nwhat is this'],
  ['a transcript', "user: I live in Rome\nassistant: Great!\nuser: I'm a chef\n\nrate this conversation"],
  ['a chat between others', 'Sam: I moved to Rome\nEva: cool, I work at IBM'],
  ['a text to translate', "Translate: 'I love my dog'"],
  ['a text to mend', 'fix the grammar: i has a cat and i lives in a big house'],
  ['an e-mail to answer', "Please reply to this email for me:\n\nHi team,\n\nI'm Laura from Contoso. I prefer calls.\n\nBest,\nLaura"],
  ['an article', 'Summarize the following article:\n\nI have lived in Miami ever since, and I work as a cook.'],
  ['a text followed by the request', 'Hi, I am Laura and I live in Bonn.\n\nMake this sound nicer'],
  ['a letter', 'Dear Sir,\nI am a nurse and I live in Bonn.'],
  ['recalled memories', 'Relevant memories:\n- User prefers aisle seats\n- lives in Lisbon\n\nWhat should I book?'],
  ['recalled memories in a tag', '<memories>\nUser is vegetarian.\nI like tea.\n</memories>\nwhat is for dinner?'],
  ['an address', 'https://example.com/articles/why-i-live-in-rome'],
])('%s gives nothing', (_, message) => {
  expect(contents(message)).toEqual([]);
});

test('what stands beside it still counts', () => {
  expect(contents("I use Fastify for all my services. Why does this fail?\n```js\nconst live = 'I live in Rome';\n```")).toEqual([
    'User uses Fastify for all their services',
  ]);
  expect(contents("I'm a nurse at St Mary's.\n\nPlease fix the grammar in this text:\nI has a dog.")).toEqual([
    "User is a nurse at St Mary's",
  ]);
});

test('titles in quotation marks and names in backticks are words like others', () => {
  expect(contents('My favourite book is "Dune"')).toEqual(["User's favourite book is Dune"]);
  expect(contents('I use `pnpm` for everything')).toEqual(['User uses pnpm for everything']);
});

test('lines of a list and lines broken within a sentence are read', () => {
  expect(contents('About me:\n- I live in Ghent\n- I have two kids')).toEqual(['User lives in Ghent', 'User has two kids']);
  expect(contents('I am a paramedic and for the last few years I have lived\nin a small town called Dinant')).toContain(
    'User is a paramedic',
  );
});
