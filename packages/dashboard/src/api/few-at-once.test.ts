import { expect, test } from 'vitest';
import { forEachFewAtOnce } from './few-at-once.ts';

const items = Array.from({ length: 10 }, (_, at) => at);

test('each is done once, and never more than four at the same time', async () => {
  const done: number[] = [];
  let atOnce = 0;
  let most = 0;
  await forEachFewAtOnce(items, async (item) => {
    most = Math.max(most, ++atOnce);
    await Promise.resolve();
    atOnce--;
    done.push(item);
  });
  expect(done.toSorted((a, b) => a - b)).toEqual(items);
  expect(most).toBe(4);
});

test('a failure stops none of the others, and the first one is thrown at the end', async () => {
  const tried: number[] = [];
  const failing = forEachFewAtOnce(items, async (item) => {
    tried.push(item);
    if (item % 2 === 1) throw new Error(`no ${item}`);
  });
  await expect(failing).rejects.toThrow('no 1');
  expect(tried).toHaveLength(items.length);
});

test('nothing to do is done at once', async () => {
  await forEachFewAtOnce([], () => Promise.reject(new Error('never')));
});
