import { expect, test } from 'vitest';
import { BatchSize } from './batch-size.ts';

const FAST = 10;
const SLOW = 3_000;
const newSize = (maxBatchTexts = 512) => new BatchSize({ maxBatchTexts, fastMs: 500, slowMs: 2_000 });

/** So many full batches, answered fast. */
function answer(size: BatchSize, times: number): number {
  for (let number = 0; number < times; number++) size.noteAnswer(size.texts, FAST);
  return size.texts;
}

test('it grows with each full batch that is answered fast, up to the limit', () => {
  const size = newSize();
  expect(size.texts).toBe(32);
  expect([answer(size, 1), answer(size, 1), answer(size, 1), answer(size, 1), answer(size, 9)]).toEqual([64, 128, 256, 512, 512]);
  expect(newSize(8).texts).toBe(8);
});

test('what is less than full, or neither fast nor slow, changes nothing', () => {
  const size = newSize();
  size.noteAnswer(31, FAST);
  size.noteAnswer(31, SLOW);
  size.noteAnswer(32, 1_000);
  expect(size.texts).toBe(32);
});

test('a full batch that is slow is halved, once for all that were under way', () => {
  const size = newSize();
  answer(size, 4);
  for (let number = 0; number < 4; number++) size.noteAnswer(512, SLOW);
  expect(size.texts).toBe(256);
});

test('a refused size is not tried again soon, and less and less often', () => {
  const size = newSize();
  size.noteRefusal(32);
  expect(size.texts).toBe(16);
  let answered = 0;
  const untilTriedAgain: number[] = [];
  for (let refusals = 0; refusals < 3; answered++) {
    if (answer(size, 1) === 16) continue;
    untilTriedAgain.push(answered + 1);
    answered = -1;
    refusals++;
    size.noteRefusal(32);
  }
  expect(untilTriedAgain).toEqual([16, 32, 64]);
});

test('an endpoint that was down is asked for as much as before within some requests', () => {
  const size = newSize();
  answer(size, 4);
  for (let failures = 0; failures < 20; failures++) size.noteFailure(size.texts);
  expect(size.texts).toBe(1);
  answer(size, 16 + 9);
  expect(size.texts).toBe(512);
});
