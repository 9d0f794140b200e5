import fc from 'fast-check';
import { expect, test } from 'vitest';
import { LONGEST_QUESTION, readQuestion } from './questions.ts';

const read = (text: string) => readQuestion(text, undefined);

test.for([
  'When did we meet?',
  'when is it',
  "When's the party?",
  'Tell me when Ann moved',
  'What date was it?',
  'Which year was that?',
  'How long did it take?',
  'How old is she?',
  'How many weeks were we away?',
  'Do you remember when we met?',
])('a time is asked for: %s', (text) => {
  expect(read(text).asksTime).toBe(true);
});

test.for(['', 'What did she say when he left?', 'Who cried when I came?', 'whenever', 'How many dogs?', 'What daydream?', 'Somewhen'])(
  'no time is asked for: %s',
  (text) => {
    expect(read(text).asksTime).toBe(false);
  },
);

test.for(['How many dogs has she?', 'how much is it', 'How often do we meet?', 'What price did we agree on?', 'Which version is it?'])(
  'a number is asked for: %s',
  (text) => {
    expect(read(text).asksNumber).toBe(true);
  },
);

test.for(['', 'How is she?', 'What prices?', 'Somehow many came', 'Which dog?'])('no number is asked for: %s', (text) => {
  expect(read(text).asksNumber).toBe(false);
});

test.for<[text: string, ofUser: boolean, ofAssistant: boolean]>([
  ['What did I buy?', true, false],
  ['what is my address', true, false],
  ['What have I’ve told about me?', true, false],
  ['What did you tell me?', false, true],
  ['What was it that you recommended to me?', false, true],
  ['your advice on shoes', false, true],
  ['Who are you?', false, false],
  ['What did Ann buy?', false, false],
  ['Which myth is mined in Imola?', false, false],
  ['', false, false],
])('whose words are asked for: %s', ([text, ofUser, ofAssistant]) => {
  expect([read(text).asksOfUser, read(text).asksOfAssistant]).toEqual([ofUser, ofAssistant]);
});

test('the time of the question tells what its words mean, and a pasted page asks nothing at its end', () => {
  const askedAt = Date.UTC(2023, 10, 15, 12);
  expect(readQuestion('What did we do yesterday?', askedAt).dates?.ranges).toEqual([
    { from: Date.UTC(2023, 10, 14), to: Date.UTC(2023, 10, 15) },
  ]);
  const late = readQuestion(`${'x'.repeat(LONGEST_QUESTION)} when did I, how many, yesterday`, askedAt);
  expect(late).toEqual({ asksTime: false, asksNumber: false, asksOfUser: false, asksOfAssistant: false, dates: undefined });
});

test('any text can be asked', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.option(fc.integer(), { nil: undefined }), (text, askedAt) => {
      const question = readQuestion(text, askedAt);
      expect(readQuestion(text, askedAt)).toEqual(question);
      expect(question.asksOfUser && question.asksOfAssistant).toBe(false);
    }),
  );
});
