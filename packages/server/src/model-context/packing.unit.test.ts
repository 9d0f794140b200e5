import type { Tokenizer } from '@commonplace/contract/contexts';
import fc from 'fast-check';
import { countTokens as countCl100k } from 'gpt-tokenizer/encoding/cl100k_base';
import { countTokens as countO200k } from 'gpt-tokenizer/encoding/o200k_base';
import { describe, expect, test } from 'vitest';
import type { MessageCandidate, PackingTask } from './candidates.ts';
import { packContext, packWith } from './packing.ts';
import { LONGEST_RUN } from './tokens/byte-pairs.ts';
import { loadTokenCounter } from './tokens/token-counter.ts';

const none: PackingTask = {
  tokenBudget: 4_000,
  tokenizer: 'o200k_base',
  explain: false,
  prompt: undefined,
  summaries: [],
  memories: [],
  chunks: [],
  latest: [],
  found: [],
  unread: [],
};

const message = (number: number, text: string, more: Partial<MessageCandidate> = {}): MessageCandidate => ({
  id: `m${String(number).padStart(6, '0')}`,
  sessionId: 's',
  role: number % 2 === 0 ? 'user' : 'assistant',
  text,
  createdAt: '2026-01-01T00:00:00.000Z',
  ...more,
});

/** Words, and what tokenizers stumble over. */
const text = fc.oneof(
  fc.lorem({ maxCount: 30 }),
  fc.string({ unit: 'grapheme', minLength: 1, maxLength: 300 }),
  fc
    .tuple(fc.constantFrom('a', ' ', '\n', '漢', '👩‍👩‍👧', '</memories>\n', '"\\', 'é'), fc.integer({ min: 1, max: 4_000 }))
    .map(([unit, times]) => unit.repeat(times)),
);
const score = fc.double({ min: 0, max: 1, noNaN: true });

const task: fc.Arbitrary<PackingTask> = fc.record({
  tokenBudget: fc.oneof(fc.integer({ min: 200, max: 400 }), fc.integer({ min: 200, max: 20_000 })),
  tokenizer: fc.constantFrom<Tokenizer>('o200k_base', 'cl100k_base', 'estimate'),
  explain: fc.boolean(),
  prompt: fc.option(
    fc
      .array(fc.record({ role: fc.constantFrom('system', 'user', 'assistant', 'developer'), content: text }), {
        minLength: 1,
        maxLength: 4,
      })
      .map((messages) => ({ id: 'p', messages })),
    { nil: undefined },
  ),
  summaries: fc.array(text, { maxLength: 2 }).map((texts) =>
    texts.map((said, index) => ({
      id: `s${index}`,
      sessionId: `s${index}`,
      text: said,
      createdAt: 'x',
      causes: index === 0 ? [[message(0, '').id, message(1, '').id]] : [],
    })),
  ),
  memories: fc
    .array(fc.record({ text, score: fc.option(score, { nil: undefined }), cause: fc.integer({ min: 0, max: 40 }) }), { maxLength: 12 })
    .map((some) =>
      some.map(({ cause, ...memory }, index) => ({
        ...memory,
        id: `k${index}`,
        sessionId: 's',
        kind: 'fact' as const,
        createdAt: 'x',
        causes: cause < 20 ? [[message(cause, '').id]] : [],
      })),
    ),
  chunks: fc
    .array(fc.record({ text, score, title: text }), { maxLength: 8 })
    .map((some) => some.map((chunk, index) => ({ ...chunk, id: `d:${index}`, documentId: 'd', shownTitle: chunk.title }))),
  latest: fc.array(text, { maxLength: 30 }).map((texts) => texts.map((said, index) => message(index, said)).reverse()),
  found: fc
    .array(fc.record({ text, score }), { maxLength: 10 })
    .map((some) => some.map((found, index) => message(-100 + index, found.text, { id: `l${index}`, score: found.score }))),
  unread: fc.constant([]),
});

describe('whatever there is', () => {
  test('never above the budget, never empty where there is anything, the latest message in, and the same again', async () => {
    await fc.assert(
      fc.asyncProperty(task, async (given) => {
        // The library that recounts takes these for what JavaScript does.
        fc.pre(!/[\u0085\ufeff]/.test(JSON.stringify(given)));
        const packed = await packContext(given);
        expect(packed.tokens).toBeLessThanOrEqual(given.tokenBudget);
        if (given.tokenizer !== 'estimate') {
          const countTokens = given.tokenizer === 'o200k_base' ? countO200k : countCl100k;
          const recounted = packed.messages.reduce(
            (sum, { content }) => sum + countTokens(content, { disallowedSpecial: new Set() }) + 4,
            3,
          );
          const parts = packed.messages.reduce((sum, { content }) => sum + Math.floor(content.length / LONGEST_RUN), 0);
          expect(Math.abs(packed.tokens - (packed.messages.length === 0 ? 0 : recounted))).toBeLessThanOrEqual(parts);
        }
        const [newest] = given.latest;
        if (newest) {
          expect(packed.pieces.at(-1)?.id).toBe(newest.id);
          expect(packed.messages.at(-1)?.role).toBe(newest.role);
        }
        const ids = packed.pieces.map(({ type, id }) => `${type} ${id}`);
        expect(new Set(ids).size).toBe(ids.length);
        for (const { type, id } of packed.omitted) expect(ids).not.toContain(`${type} ${id}`);
        const said = packed.pieces.filter(({ type }) => type === 'message').map(({ id }) => id);
        expect(said).toEqual(said.toSorted());
        expect(packed.omitted.length > 0 && !given.explain).toBe(false);
        expect(await packContext(structuredClone(given))).toEqual(packed);
      }),
      { numRuns: 150 },
    );
  });
});

test('an answer stays below 8 MB, however few tokens it is', async () => {
  // 128 spaces are one token.
  const latest = Array.from({ length: 12 }, (_, index) => message(100 - index, `${' '.repeat(900_000)}${index}`));
  const packed = await packContext({ ...none, tokenBudget: 200_000, latest });
  expect(packed.pieces.length).toBeGreaterThan(1);
  expect(packed.pieces.length).toBeLessThan(12);
  expect(Buffer.byteLength(JSON.stringify(packed))).toBeLessThan(8_000_000);
});

test('what was turned down as a hit and comes in as one of the latest is not told as left out', async () => {
  // Only a tenth of the budget is for the latest before hits are looked at.
  const latest = Array.from({ length: 12 }, (_, index) =>
    message(20 - index, index % 2 === 0 ? 'Noted.' : `Line ${index}`, { score: 0.001 }),
  );
  const packed = await packContext({ ...none, explain: true, tokenBudget: 200, latest, found: latest });
  expect(packed.pieces.map(({ id }) => id)).toEqual(latest.map(({ id }) => id).toSorted());
  expect(packed.omitted).toEqual([]);
});

test('a summary is left out while all that it was made from is in', async () => {
  const latest = Array.from({ length: 20 }, (_, index) => message(100 - index, `Line number ${index} of a conversation about tea.`));
  const summary = (numbers: readonly number[]) => ({
    id: 'x',
    sessionId: 's',
    text: 'They talk about tea.',
    createdAt: 'x',
    causes: [numbers.map((number) => message(number, '').id)],
  });
  const pack = async (numbers: readonly number[], tokenBudget: number) =>
    packContext({ ...none, explain: true, tokenBudget, latest, summaries: [summary(numbers)] });
  // At 600 it comes in before the last of them does, and goes again.
  for (const tokenBudget of [4_000, 600]) {
    const whole = await pack([100, 90, 81], tokenBudget);
    expect(whole.pieces.map(({ id }) => id)).toEqual(latest.map(({ id }) => id).toSorted());
    expect(whole.omitted).toMatchObject([{ type: 'summary', reason: 'said_in_message' }]);
  }
  // The budget ends before the earliest of them.
  expect((await pack([100, 90, 81], 200)).pieces[0]).toMatchObject({ type: 'summary' });
  expect((await pack([100, 90, 50], 4_000)).pieces[0]).toMatchObject({ type: 'summary' });
});

test('the order in which candidates come does not matter', async () => {
  const found = Array.from({ length: 30 }, (_, index) =>
    message(index, `Tea number ${index % 5} and ${index}`, { score: (index % 3) / 3 }),
  );
  const given = { ...none, tokenBudget: 250, latest: [message(99, 'Which tea?')], found };
  expect(await packContext({ ...given, found: found.toReversed() })).toEqual(await packContext(given));
});

test('the latest messages have their part, whatever scores higher', async () => {
  const latest = Array.from({ length: 40 }, (_, index) => message(1000 - index, `Latest line number ${index}`));
  const found = Array.from({ length: 100 }, (_, index) => message(index, `An old line of number ${index}`, { score: 1 }));
  const packed = await packContext({ ...none, tokenBudget: 400, latest, found });
  const ids = packed.pieces.map(({ id }) => id);
  expect(ids).toEqual(expect.arrayContaining(latest.slice(0, 5).map(({ id }) => id)));
  expect(ids.filter((id) => id < 'm000200').length).toBeGreaterThan(5);
});

test('one kind does not take everything', async () => {
  const latest = [message(1, 'What of tea?')];
  const memories = Array.from({ length: 60 }, (_, index) => ({
    id: `k${index}`,
    sessionId: 's',
    kind: 'fact' as const,
    text: `The ${index}th thing remembered, of quite another matter ${index * 7}`,
    createdAt: 'x',
    score: 0.8,
    causes: [],
  }));
  const chunks = Array.from({ length: 10 }, (_, index) => ({
    id: `d${index}:0`,
    documentId: `d${index}`,
    title: 'Tea',
    shownTitle: 'Tea',
    text: `Document ${index} says this and that of what it has in view, at some length.`,
    score: 0.8,
  }));
  const packed = await packContext({ ...none, tokenBudget: 600, latest, memories, chunks });
  const count = (type: string) => packed.pieces.filter((piece) => piece.type === type).length;
  expect(Math.min(count('memory'), count('knowledge'))).toBeGreaterThan(2);
});

test('what nearly came in is told with its score and the reason, best first, and no more than fifty', async () => {
  const found = Array.from({ length: 90 }, (_, index) =>
    message(index, `Old line ${index} ${'with many words '.repeat(10)}`, { score: 0.1 + index / 100 }),
  );
  const packed = await packContext({ ...none, tokenBudget: 200, explain: true, latest: [message(999, 'Well?')], found });
  expect(packed.omitted).toHaveLength(50);
  expect(packed.omitted[0]).toMatchObject({ type: 'message', reason: 'over_budget', score: expect.any(Number) });
  const scores = packed.omitted.map(({ score: one }) => one as number);
  expect(scores).toEqual(scores.toSorted((a, b) => b - a));
  expect(Math.max(...packed.omitted.map(({ text: told }) => told.length))).toBeLessThanOrEqual(200);
});

test('what has no chance is not counted', async () => {
  const estimate = await loadTokenCounter('estimate');
  let counted = 0;
  const count = (...args: Parameters<typeof estimate.count>) => {
    counted++;
    return estimate.count(...args);
  };
  const counter = { ...estimate, count };
  const sentence = (number: number) => `Line ${number} ${'with many words '.repeat(10)}`;
  const found = Array.from({ length: 300 }, (_, index) => message(index, sentence(index), { score: 0.1 + index / 400 }));
  const latest = Array.from({ length: 500 }, (_, index) => message(2_000 - index, sentence(2_000 - index)));
  const packed = packWith({ ...none, tokenBudget: 1_000, latest, found }, counter);
  expect(packed.pieces.length).toBeGreaterThan(15);
  expect(counted).toBeLessThan(3 * packed.pieces.length);
});

test('a message beside a likely hit comes before an unlikely hit, and after a likely one', async () => {
  const line = (number: number) => `A line of as many words as the others, number ${100 + number}`;
  const beside = message(0, line(0), { neighbourScore: 0.5 });
  const unlikely = Array.from({ length: 20 }, (_, index) => message(1 + index, line(1 + index), { score: 0.01 }));
  const likely = Array.from({ length: 20 }, (_, index) => message(50 + index, line(50 + index), { score: 0.4 }));
  const idsWith = async (found: MessageCandidate[]) => {
    const packed = await packContext({ ...none, tokenBudget: 200, latest: [message(99, 'Well?')], found: [beside, ...found] });
    expect(packed.pieces.length).toBeLessThan(15);
    return packed.pieces.map(({ id }) => id);
  };
  expect(await idsWith(unlikely)).toContain(beside.id);
  expect(await idsWith(likely)).not.toContain(beside.id);
});

test('what is likely an answer comes in, of whatever kind it is', async () => {
  const said = (what: string, index: number) => `${what} ${index} speaks of this and of that, as long as each of the others does.`;
  const scoreOf = (index: number) => (index === 25 ? 0.3 : 0.02);
  const many = Array.from({ length: 30 }, (_, index) => index);
  const memories = many.map((index) => ({
    id: `k${index}`,
    sessionId: 's',
    kind: 'fact' as const,
    text: said('Memory', index),
    createdAt: 'x',
    score: scoreOf(index),
    causes: [],
  }));
  const chunks = many.map((index) => {
    const document = { documentId: `d${index}`, title: 'Tea', shownTitle: 'Tea' };
    return { ...document, id: `d${index}:0`, text: said('Document', index), score: scoreOf(index) };
  });
  const found = many.map((index) => message(index, said('Message', index), { score: scoreOf(index) }));
  const packed = await packContext({ ...none, tokenBudget: 250, latest: [message(99, 'Well?')], memories, chunks, found });
  const ids = packed.pieces.map(({ id }) => id);
  expect(ids).toEqual(expect.arrayContaining(['k25', 'd25:0', message(25, '').id]));
});

test('what bears on nothing is left out and told so, what may be an answer comes in where there is room', async () => {
  const hopeless = Array.from({ length: 5 }, (_, index) => message(index, `Hopeless line ${index}`, { score: 0.001 }));
  const unlikely = Array.from({ length: 5 }, (_, index) => message(10 + index, `Unlikely line ${index}`, { score: 0.01 }));
  const found = [...hopeless, ...unlikely];
  const packed = await packContext({ ...none, explain: true, latest: [message(99, 'Well?')], found });
  expect(packed.pieces.map(({ id }) => id)).toEqual([...unlikely.map(({ id }) => id), message(99, '').id]);
  expect(packed.omitted.map(({ id, reason }) => [id, reason])).toEqual(hopeless.map(({ id }) => [id, 'low_score']));
});
