import { setImmediate as turn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { SlicedWork, type Steps } from './slices.ts';

/** Each step takes two milliseconds by this clock: two make a slice. */
function newWork() {
  let nowMs = 0;
  const log: string[] = [];
  const work = new SlicedWork(
    () => turn(),
    () => nowMs,
  );
  function* steps(name: string, count: number): Steps<string> {
    for (let step = 1; step <= count; step++) {
      nowMs += 2;
      log.push(`${name}${step}`);
      if (step < count) yield;
    }
    return `${name} is done`;
  }
  return { work, steps, log };
}

test('long work of one lane lets the others in after each slice', async () => {
  const { work, steps, log } = newWork();
  const long = work.run('a', steps('long', 9));
  const short = ['b', 'c'].map((lane) => work.run(lane, steps(lane, 1)));
  expect(await Promise.all([long, ...short])).toEqual(['long is done', 'b is done', 'c is done']);
  expect(log).toEqual(['long1', 'long2', 'b1', 'c1', ...[3, 4, 5, 6, 7, 8, 9].map((step) => `long${step}`)]);
});

test('work of one lane is done in its order, however long the first takes', async () => {
  const { work, steps, log } = newWork();
  await Promise.all([work.run('a', steps('x', 5)), work.run('a', steps('y', 1)), work.run('b', steps('z', 1))]);
  expect(log.indexOf('y1')).toBeGreaterThan(log.indexOf('x5'));
  expect(log.indexOf('z1')).toBeLessThan(log.indexOf('x5'));
});

test('what fails fails alone', async () => {
  const { work, steps } = newWork();
  // biome-ignore lint/correctness/useYield: it fails before it could.
  function* failing(): Steps<void> {
    throw new Error('broken');
  }
  const [failed, done] = await Promise.allSettled([work.run('a', failing()), work.run('a', steps('x', 3))]);
  expect(failed).toMatchObject({ status: 'rejected', reason: { message: 'broken' } });
  expect(done).toMatchObject({ status: 'fulfilled', value: 'x is done' });
  expect(await work.run('a', steps('y', 1))).toBe('y is done');
});
