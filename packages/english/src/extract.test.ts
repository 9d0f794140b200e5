import fc from 'fast-check';
import { expect, test } from 'vitest';
import { contents, DAY, tell } from './conversation-for-test.ts';
import { extractFromMessage } from './extract.ts';
import { processorMsOf } from './processor-time-for-test.ts';

const none = (...messages: string[]) => {
  for (const message of messages) expect(contents(message), message).toEqual([]);
};

test('joined statements become one memory each, in the third person', () => {
  expect(contents("I'm allergic to peanuts and I moved to Lisbon last May")).toEqual([
    'User is allergic to peanuts',
    'User moved to Lisbon in May 2026',
  ]);
  expect(contents('I live in Rome but work in Milan, and my sister Ana studies law')).toEqual([
    'User lives in Rome',
    'User works in Milan',
    "User's sister Ana studies law",
  ]);
  expect(contents('I was born in 1988 in Kyiv and moved to Canada when I was twelve.')).toEqual([
    'User was born in 1988 in Kyiv',
    'User moved to Canada when they were twelve',
  ]);
});

test('grammar follows the change of person', () => {
  expect(contents("I don't eat meat")).toEqual(['User does not eat meat']);
  expect(contents("I've been a paramedic for eleven years")).toEqual(['User has been a paramedic for eleven years']);
  expect(contents('we decided to go with Postgres for our shop')).toEqual(['User decided to go with Postgres for their shop']);
  expect(contents('im left-handed and ive got two cats')).toEqual(['User is left-handed', 'User has two cats']);
  expect(contents('I teach maths and cannot swim')).toContain('User cannot swim');
  expect(contents('my partner and I are planning a trip to Vietnam')).toEqual(['User and their partner are planning a trip to Vietnam']);
  expect(contents("We're a family of five")).toEqual(['User belongs to a family of five']);
});

test.each([
  ['My name is Priya', 'long_lived', 'name'],
  ["I'm 34", 'long_lived', 'age'],
  ['I live in Leeds', 'long_lived', 'home'],
  ['I work at Siemens', 'long_lived', 'employer'],
  ["I'm a beekeeper", 'long_lived', 'job'],
  ["I'm divorced", 'long_lived', 'marital status'],
  ['my favourite band is Radiohead', 'preference', 'favourite band'],
  ["I can't stand cilantro", 'preference', 'likes cilantro'],
  ['my sister Ana lives in Rome', 'long_lived', 'sister ana home'],
  ['I have a dog', 'long_lived', 'has dog'],
  ['I have a greenhouse', 'fact', 'has greenhouse'],
  ['I use Vim for everything', 'fact', 'editor'],
  ['I speak Dutch', 'long_lived', 'speaks dutch'],
  ['I have a meeting with Bob on Monday', 'short_lived', 'meeting bob'],
  ["I'm working on the Q3 report", 'short_lived', null],
  ['We decided to use Redis for the catalogue service', 'fact', 'decision catalogue service'],
  ['please answer in Spanish', 'preference', 'answer language'],
])('%s: its kind and slot', (message, kind, slot) => {
  expect(tell(message).held).toMatchObject([{ kind, slot }]);
});

test('a newer value takes the place of the older one of its slot', () => {
  expect(contents('I live in Lisbon.', 'I moved to Porto')).toEqual(['User moved to Porto']);
  expect(contents('I love oat milk in everything', "yeah I don't like oat milk anymore")).toEqual(['User does not like oat milk anymore']);
  expect(contents('I have a dog', 'I no longer have a dog')).toEqual(['User no longer has a dog']);
  expect(contents('I have a meeting with Bob on Monday', 'the meeting with Bob moved to Thursday')).toEqual([
    'The meeting with Bob moved to 2026-11-19',
  ]);
});

test('of what one may have several, none replaces another', () => {
  expect(
    contents("I'm allergic to nuts", "I'm allergic to cats", 'I speak Dutch', 'I speak Thai', 'I own a red car', 'I own a blue car'),
  ).toHaveLength(6);
});

test('standing wishes to the assistant are preferences, single orders are nothing', () => {
  expect(contents('please always answer in metric')).toEqual(['User wants the assistant to always answer in metric']);
  expect(contents('Call me Sam')).toEqual(['User wants to be called Sam']);
  expect(contents('no meetings before 10 please, ever')).toEqual(['User wants no meetings before 10']);
  expect(contents('When you write code for me, use TypeScript')).toEqual([
    'User wants the assistant to use TypeScript when it writes code for them',
  ]);
  none('Write a haiku about rain', 'make it shorter and less formal', 'Open the second file', 'Use the cheapest one');
});

test('what is said in order to be remembered is kept, whoever it is about', () => {
  expect(contents('remember that the deploy freeze starts Friday')).toEqual(['The deploy freeze starts on 2026-11-20']);
  expect(contents("don't forget that Lukas is vegan")).toEqual(['Lukas is vegan']);
  expect(contents('For the record, our fiscal year starts in April')).toEqual(["User's fiscal year starts in April"]);
  expect(contents('keep in mind I only fly with carry-on')).toEqual(['User only flies with carry-on']);
});

test('a statement beside a question is kept, the question is not', () => {
  expect(contents("I'm vegetarian, what can I cook?")).toEqual(['User is vegetarian']);
  expect(contents('Since I live in Oslo, can you suggest a hike?')).toEqual(['User lives in Oslo']);
  expect(contents("What can I bake, considering that I'm allergic to eggs?")).toEqual(['User is allergic to eggs']);
  none('Should I tell my boss that I moved to Rome?', 'do you know where I live?', "what should I do when I'm in Rome?");
});

test('what is not said of the real world gives nothing', () => {
  none(
    'if I had a dog, which breed would it be?',
    "let's say I'm a pilot and I earn 90k",
    "Imagine I'm 65. I have two kids. What pension do I get?",
    'I wish I were taller',
    'I would love to visit Japan',
    'I might move to Berlin',
    "maybe I'm allergic to cats",
    '*draws sword* I am the queen of the isles',
    "Pretend that I'm your customer and I'm angry",
    'In my novel, I live on Mars',
  );
});

test('talk, feedback and passing states give nothing', () => {
  none(
    'hi',
    'thanks, that is perfect',
    'I like this version better',
    'I think the second is good',
    "I don't understand",
    'I love it, ship it',
    "I'm back",
    'I have a question',
    "I'm tired lol",
    "I can't get it to work",
    'I ran npm install and it crashed',
    'I have a function that returns a list',
    'my code does not compile',
    'He said he lives in Rome',
    'The Beatles are overrated',
    'User prefers tea',
  );
});

test('what cannot be understood alone is left out', () => {
  none('I live there', 'I bought it yesterday', 'I work with this', 'I told you already', 'I use that every day');
});

test('text in another language is left alone', () => {
  none(
    'Vivo en Sevilla y trabajo en un hospital',
    'Ich bin allergisch gegen Nüsse',
    "je préfère le train à l'avion",
    'Mi chiamo Giulia e ho due gatti',
    '私は大阪に住んでいます',
    'Меня зовут Олег, мне 30 лет',
    'Jag gillar inte kaffe',
    'ik werk bij een bank in Rotterdam',
    'Mam na imię Kasia',
  );
  expect(contents('Danke! I live in Kraków with my wife Małgorzata.')).toEqual(['User lives in Kraków with their wife Małgorzata']);
  expect(contents('Love sushi!')).toEqual(['User loves sushi']);
});

test('each memory is named after its message', () => {
  const { memories } = extractFromMessage({ id: 'm1', content: "I'm Owen, I'm 52 and I teach woodwork", createdAt: DAY }, []);
  expect(memories.map(({ ref, messageId }) => [ref, messageId])).toEqual([
    ['m1:0', 'm1'],
    ['m1:1', 'm1'],
    ['m1:2', 'm1'],
  ]);
});

test('no memory is longer than a short sentence', () => {
  const long = `I collect ${Array.from({ length: 200 }, (_, i) => `stamp${i}`).join(', ')}`;
  for (const content of contents(long, `I love ${'very '.repeat(100)}old maps`)) expect(content.length).toBeLessThanOrEqual(200);
});

test('any text is borne, and gives the same each time', () => {
  const words = fc.constantFrom(
    'I',
    'am',
    'my',
    'not',
    'and',
    ',',
    'is',
    '"',
    '*',
    'next',
    'in',
    '3',
    'May',
    'no',
    'forget',
    'actually',
    "'s",
    '?',
    'user:',
    '\n',
    '`',
    'of',
  );
  const text = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.array(words, { maxLength: 40 }).map((each) => each.join(' ')),
  );
  const known = [{ id: 'k', kind: 'fact' as const, content: 'User is in Rome on 2026-11-20', slot: null }];
  fc.assert(
    fc.property(text, (content) => {
      const message = { id: 'm', content, createdAt: DAY };
      const extraction = extractFromMessage(message, known);
      expect(extractFromMessage(message, known)).toEqual(extraction);
      for (const memory of extraction.memories) expect(memory.content.length).toBeLessThanOrEqual(200);
    }),
    { numRuns: 500 },
  );
});

test('a time that cannot be read is borne', () => {
  expect(extractFromMessage({ id: 'm', content: 'I leave tomorrow for Rome', createdAt: 'soon' }, []).memories).toHaveLength(1);
});

const MEGABYTE = 1_000_000;

test.each([
  'a',
  '(',
  'my my my ',
  ' ',
  '"',
  "'",
  '" ',
  'http://',
  'http:// ',
  '#a',
  `${'a-'.repeat(20)} `,
  `${"a's".repeat(14)} `,
  `${'a.'.repeat(20)} `,
  '1 ',
  '`',
  '*a ',
  '\n',
  '<a>\n',
  'fix: ',
  'I am a nurse and ',
  'I live in Rome. ',
  '-----BEGIN KEY',
  '\ud800',
])('a megabyte of %j takes a few seconds at most', (unit) => {
  const content = unit.repeat(Math.ceil(MEGABYTE / unit.length));
  expect(processorMsOf(() => extractFromMessage({ id: 'm', content, createdAt: DAY }, []))).toBeLessThan(5_000);
});

test('of a long text the beginning and the end are read', () => {
  const filler = 'The weather was fine.\n'.repeat(600);
  for (const middle of [filler, filler.repeat(100), 'x\n'.repeat(500_000), 'The weather was fine. '.repeat(50_000), '漢'.repeat(100_000)]) {
    expect(contents(`I live in Lisbon.\n${middle}\nI have a dog.`)).toEqual(['User lives in Lisbon', 'User has a dog']);
  }
});

test.for(['x\n', 'a.', '-----BEGIN', ' ', '漢字', 'I like tea. ', 'forget it. ', 'I have a dog, ', '> ', '`', '1. '])(
  'a megabyte of %j is read within a second of processor time',
  (shape) => {
    const text = shape.repeat(Math.ceil(1_000_000 / shape.length));
    expect(processorMsOf(() => tell(text))).toBeLessThan(1_000);
  },
);
