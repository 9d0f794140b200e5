import { expect, test } from 'vitest';
import { areOf, markChunks, unitPlaces } from './document-text.ts';

const textOf = (rows: ReturnType<typeof markChunks>) => rows.flatMap(({ parts }) => parts.map(({ text }) => text)).join('');

test('places in code points are found in a string with pairs of surrogates', () => {
  expect(unitPlaces('a🍵b🍵c', [0, 1, 2, 3, 4, 5])).toEqual([0, 1, 3, 4, 6, 7]);
  expect(unitPlaces('abc', [0, 2, 9])).toEqual([0, 2, 3]);
});

test('each chunk has a row, and an overlap says both of its chunks', () => {
  const text = 'one two three four five';
  const rows = markChunks(text, [
    { start: 0, end: 13 },
    { start: 8, end: 18 },
    { start: 19, end: 23 },
  ]);
  expect(rows).toEqual([
    { chunk: 0, parts: [{ text: 'one two ', chunks: [0] }] },
    {
      chunk: 1,
      parts: [
        { text: 'three', chunks: [0, 1] },
        { text: ' four', chunks: [1] },
        { text: ' ', chunks: [] },
      ],
    },
    { chunk: 2, parts: [{ text: 'five', chunks: [2] }] },
  ]);
});

test('nothing of the text is lost or said twice, before, between and after chunks', () => {
  const text = `\n\n${'flour 🥖 and water. '.repeat(500)}\n`;
  const spans = Array.from({ length: 40 }, (_, at) => ({ start: 2 + at * 200, end: 2 + at * 200 + 230 }));
  expect(textOf(markChunks(text, spans))).toBe(text);
  expect(textOf(markChunks(text, []))).toBe(text);
});

test('a text that is not cut has rows that end with a line, and no half of a character', () => {
  const lines = markChunks('x'.repeat(80).concat('\n').repeat(100), []);
  expect(lines.length).toBeGreaterThan(3);
  for (const { parts } of lines) expect(parts[0]?.text).toMatch(/\n$/);
  for (const { parts } of markChunks('🥖'.repeat(5_000), [])) expect(parts[0]?.text.isWellFormed()).toBe(true);
});

test('chunks of a former text are told from those of this one', () => {
  const chunk = { id: 'd:0', index: 0, start: 0, end: 5, heading: '', text: 'a\ufffdbcd', indexed: true };
  expect(areOf('a\0bcdef', [chunk])).toBe(true);
  expect(areOf('another text', [chunk])).toBe(false);
  expect(areOf('a\0', [chunk])).toBe(false);
});
