import fc from 'fast-check';
import { countTokens as countCl100k } from 'gpt-tokenizer/encoding/cl100k_base';
import { countTokens as countO200k } from 'gpt-tokenizer/encoding/o200k_base';
import { describe, expect, test } from 'vitest';
import { processorMsOf } from '../../../test/processor-time.ts';
import { LONGEST_RUN } from './byte-pairs.ts';
import { cutText } from './cutting.ts';
import { loadTokenCounter } from './token-counter.ts';

const plain = { disallowedSpecial: new Set<string>() };
const reference = {
  o200k_base: (text: string) => countO200k(text, plain),
  cl100k_base: (text: string) => countCl100k(text, plain),
};

const text = fc.oneof(
  fc.lorem({ maxCount: 20, mode: 'sentences' }),
  fc.string({ unit: 'binary', maxLength: 200 }),
  fc.string({ unit: 'grapheme', maxLength: 200 }),
  fc
    .array(fc.constantFrom(' ', '\n', '\r\n', '\t', 'a', 'Z', "'s", '1', '.', '漢', '👍🏽', 'é', '\u0301', '<|endoftext|>', '/', '_'), {
      maxLength: 200,
    })
    .map((parts) => parts.join('')),
  fc
    .tuple(fc.constantFrom('a', ' ', '_', 'ab', '漢', 'A', '=-'), fc.integer({ min: 1, max: 1_500 }))
    .map(([unit, times]) => unit.repeat(times)),
);

describe.for(['o200k_base', 'cl100k_base'] as const)('%s', (name) => {
  test('counts as the library does that the vocabulary comes from', async () => {
    const counter = await loadTokenCounter(name);
    fc.assert(
      fc.property(text, (given) => {
        // The library takes them for what JavaScript does.
        fc.pre(!/[\u0085\ufeff]/.test(given));
        expect(counter.count(given)).toBe(reference[name](given));
      }),
      { numRuns: 1_000 },
    );
  });

  // Counted by the tokenizer that the vocabularies were made for, both of which agree here.
  test.for([
    [`${' \t\ufeff'.repeat(40)}x`, 121],
    ['//\ufeff'.repeat(20), 21],
    ['\ufeff# Title\n\nText', 4],
    ['a\u0085\u0085b \u0085', 8],
    ['x\u3000\u00a0y \ufeff z', 6],
  ] as const)('white space is what Unicode says: %j is %d', async ([given, tokens]) => {
    expect((await loadTokenCounter(name)).count(given)).toBe(tokens);
  });

  test.for(['👍', '👩‍👩‍👧', '漢', '𐌲'])('a long run of %j is counted in parts, none of which ends within a character', async (unit) => {
    const counter = await loadTokenCounter(name);
    for (const first of ['', '.', '..']) {
      const run = first + unit.repeat(Math.ceil((2.5 * LONGEST_RUN) / unit.length));
      expect(Math.abs(counter.count(run) - reference[name](run))).toBeLessThanOrEqual(2);
      expect(counter.fit(run, 100_000)).toBe(run.length);
    }
  });

  test('a part that comes again is not counted again', async () => {
    const counter = await loadTokenCounter(name);
    const once = processorMsOf(() => counter.count('\n'.repeat(8_192)));
    expect(processorMsOf(() => counter.count('\n'.repeat(100 * 8_192)))).toBeLessThan(50 * Math.max(once, 4));
  });

  test('stops counting at one more than asked for', async () => {
    const counter = await loadTokenCounter(name);
    expect(counter.count('one two three four', 2)).toBe(3);
    expect(counter.count('one two three four', 4)).toBe(4);
  });

  test.for(['a', ' ', '_', 'A', '漢', '\n', '👍', 'ab1'])('a megabyte of %j takes seconds of no processor', async (unit) => {
    const counter = await loadTokenCounter(name);
    const long = unit.repeat(Math.floor(1_000_000 / Buffer.byteLength(unit)));
    expect(processorMsOf(() => counter.count(long))).toBeLessThan(5_000);
    expect(processorMsOf(() => counter.count(long, 4_000))).toBeLessThan(2_000);
  });
});

test('a text is cut to its tokens in the middle, between characters', async () => {
  const counter = await loadTokenCounter('o200k_base');
  fc.assert(
    fc.property(text, fc.integer({ min: 60, max: 500 }), (given, mostTokens) => {
      const cut = cutText(given, { mostTokens, mostBytes: 100_000 }, counter);
      expect(counter.count(cut)).toBeLessThanOrEqual(mostTokens);
      expect(cut.isWellFormed()).toBe(given.isWellFormed());
      if (counter.count(given) <= mostTokens) expect(cut).toBe(given);
      else expect(cut).toContain('characters left out');
    }),
    { numRuns: 300 },
  );
});

test('a text is cut to its bytes too', async () => {
  const counter = await loadTokenCounter('o200k_base');
  const cut = cutText(' '.repeat(900_000), { mostTokens: 200_000, mostBytes: 10_000 }, counter);
  expect(Buffer.byteLength(JSON.stringify(cut))).toBeLessThanOrEqual(10_000);
});

test('an estimate goes by characters', async () => {
  const counter = await loadTokenCounter('estimate');
  expect(['', 'word', 'words', '漢字'].map((given) => counter.count(given))).toEqual([0, 1, 2, 2]);
  expect(counter.count('x'.repeat(400), 10)).toBe(11);
});
