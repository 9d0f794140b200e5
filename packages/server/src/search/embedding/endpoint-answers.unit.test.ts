import { expect, test } from 'vitest';
import { type AnsweredVectors, readAnswer } from './endpoint-answers.ts';

const bytesOf = (answer: unknown) => Buffer.from(typeof answer === 'string' ? answer : JSON.stringify(answer));
const base64 = (...values: number[]) => Buffer.from(Float32Array.from(values).buffer).toString('base64');
const read = (embeddings: unknown[]) => readAnswer(bytesOf({ data: embeddings.map((embedding) => ({ embedding })) }), embeddings.length);

test('numbers and their bytes in base64 are the same vectors, in the order of the texts and of length 1', () => {
  const numbers = read([
    [3, 4],
    [0, -2],
  ]) as AnsweredVectors;
  expect(numbers.dimensions).toBe(2);
  expect([...numbers.vectors]).toEqual([expect.closeTo(0.6), expect.closeTo(0.8), 0, -1]);
  expect(read([base64(3, 4), base64(0, -2)])).toEqual(numbers);
  const data = [
    { index: 1, embedding: base64(0, -2) },
    { index: 0, embedding: [3, 4] },
  ];
  expect(readAnswer(bytesOf({ data }), 2)).toEqual(numbers);
});

test.for([
  ['broken', 'broken JSON', '{"data": ['],
  ['unusable', 'without a list called "data"', { embeddings: [] }],
  ['unusable', '1 vectors for 2 texts', { data: [{ embedding: [1] }] }],
  ['unusable', 'a vector that is not a list of numbers', { data: [{ embedding: [1] }, { embedding: ['1'] }] }],
  ['unusable', 'a vector that is not a list of numbers', { data: [{ embedding: [1] }, { embedding: null }] }],
  ['unusable', 'a vector that is not a list of numbers', { data: [{ embedding: base64(1) }, null] }],
  ['unusable', 'a vector that is not a list of numbers', { data: [{ embedding: base64(1) }, { embedding: 'AAAA' }] }],
  ['unusable', 'a vector that is not a list of numbers', { data: [{ embedding: '!@#$%^&*()' }, { embedding: base64(1) }] }],
  ['unusable', 'a vector that is not a list of numbers', { data: [{ embedding: [] }, { embedding: [] }] }],
  ['unusable', '2 dimensions where it had answered 1', { data: [{ embedding: base64(1) }, { embedding: [1, 2] }] }],
  ['unusable', 'indexes do not match', { data: [1, 1].map((index) => ({ index, embedding: [1] })) }],
  ['unusable', 'indexes do not match', { data: [0, 2].map((index) => ({ index, embedding: [1] })) }],
  ['unusual', 'a vector without a direction', { data: [{ embedding: [1] }, { embedding: [0] }] }],
  ['unusual', 'a vector without a direction', { data: [{ embedding: [1] }, { embedding: base64(Number.NaN) }] }],
] as const)('what can not be used is said without a word of the answer (%s: %s)', ([problem, message, answer]) => {
  expect(readAnswer(bytesOf(answer), 2)).toEqual({ problem, message: expect.stringContaining(message) });
});
