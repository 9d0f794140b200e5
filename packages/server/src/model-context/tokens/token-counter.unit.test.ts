import fc from 'fast-check';
import { expect, test } from 'vitest';
import { systemMessageParts } from '../system-message.ts';
import { countParts, loadTokenCounter, rememberCounts, type TokenCounter } from './token-counter.ts';

/** A token for each character; remembers what it was asked. */
function newCounter(): TokenCounter & { readonly asked: string[] } {
  const asked: string[] = [];
  const count = (text: string, most = Number.POSITIVE_INFINITY) => {
    asked.push(text);
    return Math.min(text.length, most + 1);
  };
  return { asked, addsUp: true, count, fit: (_text, most) => most };
}

test('what was counted lately is not counted again', () => {
  const inner = newCounter();
  const counter = rememberCounts(inner, 10);
  for (const text of ['aaaa', 'bbbb', 'aaaa', 'bbbb']) expect(counter.count(text)).toBe(4);
  expect(inner.asked).toEqual(['aaaa', 'bbbb']);
  expect(counter.count('aaaa', 2)).toBe(3);
  expect(inner.asked).toHaveLength(2);
});

test('what was not used for as long as it takes to fill the memory twice is forgotten', () => {
  const inner = newCounter();
  const counter = rememberCounts(inner, 10);
  for (const text of ['aaaa', 'bbbb', 'cccc', 'aaaa', 'dddd', 'eeee', 'aaaa', 'bbbb']) counter.count(text);
  expect(inner.asked).toEqual(['aaaa', 'bbbb', 'cccc', 'dddd', 'eeee', 'bbbb']);
});

test('a text that was not counted to its end is counted again where more is asked for', () => {
  const counter = rememberCounts(newCounter());
  expect([counter.count('aaaa', 2), counter.count('aaaa', 3), counter.count('aaaa')]).toEqual([3, 4, 4]);
});

const text = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 60 }),
  fc
    .array(fc.constantFrom('/', '\n', '\r', ' ', '-', '<', '>', '.', 'a', "'s", '1', '</memories>', '漢'), { maxLength: 20 })
    .map((parts) => parts.join('')),
);
const quoted = fc.array(fc.record({ text, title: text }), { maxLength: 4 });

test.for(['o200k_base', 'cl100k_base', 'estimate'] as const)(
  'the parts of a system message count what the whole does: %s',
  async (name) => {
    const counter = await loadTokenCounter(name);
    const message = fc.record({ prompt: text, summaries: quoted, memories: quoted, knowledge: quoted });
    fc.assert(
      fc.property(message, (given) => {
        const parts = systemMessageParts(given);
        expect(countParts(counter, parts)).toBe(counter.count(parts.join('')));
      }),
      { numRuns: 2_000 },
    );
  },
);
