import { expect, onTestFinished, test } from 'vitest';
import { createLlmExtractor } from '../packages/server/src/memories/extraction/llm/extractor.ts';
import { startLlmEndpoint } from '../packages/server/test/llm-endpoint.ts';
import { type Case, judgeWithSlow } from './labelled.ts';
import { answersFrom } from './llm-stand-in.ts';

const at = '2026-03-10T12:00:00.000Z';
const cases: Case[] = [
  {
    id: 'answer',
    at,
    messages: ['Hi', { assistant: 'Any allergies?' }, 'yes, latex'],
    expect: [{ text: 'User is allergic to latex', kinds: ['long_lived'], words: ['allerg', 'latex'] }],
  },
  {
    id: 'end',
    at,
    messages: ['I am in Oslo until Friday'],
    expect: [{ text: 'User is in Oslo until 2026-03-13', kinds: ['short_lived'], words: ['oslo'], until: '2026-03-13' }],
  },
  {
    id: 'one thing',
    at,
    messages: ['I have a cat and I like tea', 'Forget the cat'],
    expect: [{ text: 'User likes tea', kinds: ['preference'], words: ['tea'] }],
    absent: ['cat'],
  },
  { id: 'all', at, messages: ['I have a cat', 'I like tea', 'Please forget everything'], expect: [], absent: ['cat', 'tea'] },
  {
    id: 'correction',
    at,
    messages: ['I live in Rome', 'Sorry, in Turin'],
    expect: [{ text: 'User lives in Turin', kinds: ['long_lived'], words: ['turin'] }],
    absent: ['rome'],
  },
  { id: 'nothing', at, messages: ['What is the time?'], expect: [] },
];

test.for(cases)('what the labels say is what a session holds in the end: $id', async (one) => {
  const endpoint = await startLlmEndpoint({ answer: answersFrom(cases) });
  onTestFinished(() => endpoint.stop());
  const { extract } = createLlmExtractor({ url: endpoint.url, model: 'small', apiKey: undefined, isSecret: () => false });
  const { signal } = new AbortController();
  const judged = await judgeWithSlow(one, (message, known) => extract([message], known, signal));
  expect(judged.made.map(({ content }) => content)).toEqual(one.expect.map(({ text }) => text));
  expect(judged).toMatchObject({ missed: [], wrong: [], isClear: true });
  expect(judged.endsRight).toBe(judged.ends);
});

test('each way of answering is used', () => {
  const answer = answersFrom(cases);
  const shown = (text: string, minutesBefore: number, known: string[] = []) => ({
    known: known.map((content, index) => ({ number: index + 1, kind: 'fact', content, slot: null })),
    messages: [{ number: 1, time: `Tuesday, ${new Date(Date.parse(at) - minutesBefore * 60_000).toISOString()}`, text }],
  });
  expect(answer(shown('yes, latex', 0)).memories).toMatchObject([{ answers: true, until: null }]);
  expect(answer(shown('I am in Oslo until Friday', 0)).memories).toMatchObject([{ answers: false, until: '2026-03-13' }]);
  expect(answer(shown('Forget the cat', 0, ['User likes tea', 'User speaks of cat']))).toEqual({
    memories: [],
    withdrawn: [{ message: 1, memory: 2, forgotten: true }],
    forget_all: [],
  });
  expect(answer(shown('Please forget everything', 0, ['User speaks of tea']))).toEqual({ memories: [], withdrawn: [], forget_all: [1] });
  expect(answer(shown('Sorry, in Turin', 0, ['User speaks of rome'])).memories).toMatchObject([{ replaces: [1] }]);
  expect(() => answer(shown('Hello?', 0))).toThrow('No case has the message');
});
