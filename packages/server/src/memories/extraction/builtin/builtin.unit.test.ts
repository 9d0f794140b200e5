import { pino } from 'pino';
import { expect, onTestFinished, test } from 'vitest';
import { BuiltinExtractor } from './builtin.ts';

const never = new AbortController().signal;
const messagesOf = (...contents: string[]) =>
  contents.map((content, index) => ({ id: `m${index}`, content, createdAt: '2026-11-13T09:41:00.000Z' }));

function start(): BuiltinExtractor {
  const extractor = new BuiltinExtractor(pino({ level: 'silent' }));
  onTestFinished(() => extractor.close());
  return extractor;
}

test('messages are read in turns, each with what those before it said', async () => {
  const filler = 'The weather was fine. '.repeat(900);
  const contents = [`I live in Lisbon. ${filler}`, filler, 'sorry, I meant Porto', 'I like tea.'];
  const { memories } = await start().extract(messagesOf(...contents), [], never);
  expect(memories).toMatchObject([
    { ref: 'm0:0', content: 'User lives in Lisbon' },
    { ref: 'm2:0', content: 'User lives in Porto', replaces: ['m0:0'] },
    { ref: 'm3:0', content: 'User likes tea' },
  ]);
});

test('fifty messages of a megabyte do not hold up another who asks later', async () => {
  const extractor = start();
  const order: string[] = [];
  const long = messagesOf(...Array.from({ length: 50 }, (_, index) => `I have ${index} dogs. `.repeat(50_000)));
  await Promise.all([
    extractor.extract(long, [], never).then(() => order.push('long')),
    extractor.extract(messagesOf('I like tea.'), [], never).then(() => order.push('short')),
    extractor.summarize([], []).then(() => order.push('summary')),
  ]);
  expect(order).toEqual(['short', 'summary', 'long']);
});
