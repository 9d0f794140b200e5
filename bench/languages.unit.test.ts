import { expect, test } from 'vitest';
import { indexOf, measure, readSessions } from './languages.ts';

const sessions = await readSessions();

test.for([...sessions.keys()])('words alone find what is asked for in %s', (language) => {
  const session = sessions.get(language);
  if (!session) throw new Error(`There is no session in ${language}`);
  const index = indexOf([session]);
  for (const use of ['development', 'held-out'] as const) {
    const { recall, rank } = measure(index, session, use);
    // Of words as they are spelled alone, 0.13 (Russian) to 0.88 (Spanish).
    expect(recall, use).toBeGreaterThan(0.75);
    expect(rank, use).toBeGreaterThan(0.75);
  }
});

test('each session has messages that differ, and questions of both uses that name some of them', () => {
  for (const [language, { messages, questions }] of sessions) {
    expect(new Set(messages).size, language).toBe(messages.length);
    for (const use of ['development', 'held-out']) expect(questions.filter((one) => one.use === use).length, language).toBeGreaterThan(7);
    for (const { text, finds } of questions) {
      expect(finds.length, text).toBeGreaterThan(0);
      expect(
        finds.every((place) => messages[place] !== undefined),
        text,
      ).toBe(true);
    }
  }
});
