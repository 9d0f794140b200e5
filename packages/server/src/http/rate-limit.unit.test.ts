import fc from 'fast-check';
import { expect, test } from 'vitest';
import { RateLimiter } from './rate-limit.ts';

const START_MS = 1_800_000_000_000;

test('a full bucket lets its burst through and no more', () => {
  const limiter = new RateLimiter({ perSecond: 2, burst: 3 });
  const verdicts = [1, 2, 3, 4].map(() => limiter.take('a', START_MS));
  expect(verdicts).toEqual([
    { allowed: true, limit: 3, remaining: 2, resetSeconds: 1, retryAfterSeconds: 0 },
    { allowed: true, limit: 3, remaining: 1, resetSeconds: 1, retryAfterSeconds: 0 },
    { allowed: true, limit: 3, remaining: 0, resetSeconds: 2, retryAfterSeconds: 0 },
    { allowed: false, limit: 3, remaining: 0, resetSeconds: 2, retryAfterSeconds: 1 },
  ]);
});

test('a token comes back with its time, not before', () => {
  const limiter = new RateLimiter({ perSecond: 2, burst: 2 });
  limiter.take('a', START_MS);
  limiter.take('a', START_MS);
  expect(limiter.take('a', START_MS + 499).allowed).toBe(false);
  expect(limiter.take('a', START_MS + 500).allowed).toBe(true);
  expect(limiter.take('a', START_MS + 500).allowed).toBe(false);
});

test('what is refused costs nothing', () => {
  const limiter = new RateLimiter({ perSecond: 1, burst: 1 });
  limiter.take('a', START_MS);
  for (let index = 0; index < 100; index++) limiter.take('a', START_MS + 500);
  expect(limiter.take('a', START_MS + 1000).allowed).toBe(true);
});

test('waiting fills a bucket up to its burst, however long', () => {
  const limiter = new RateLimiter({ perSecond: 10, burst: 3 });
  limiter.take('a', START_MS);
  const later = START_MS + 3_600_000;
  expect([1, 2, 3, 4].map(() => limiter.take('a', later).allowed)).toEqual([true, true, true, false]);
});

test('an expensive request takes as many tokens as it costs, and never more than there can be', () => {
  const limiter = new RateLimiter({ perSecond: 10, burst: 10 });
  expect(limiter.take('a', START_MS, 7)).toMatchObject({ allowed: true, remaining: 3 });
  expect(limiter.take('a', START_MS, 7)).toMatchObject({ allowed: false, retryAfterSeconds: 1 });
  expect(limiter.take('a', START_MS, 3)).toMatchObject({ allowed: true, remaining: 0 });
  expect(limiter.take('b', START_MS, 100)).toMatchObject({ allowed: true, remaining: 0, resetSeconds: 1 });
  expect(limiter.take('b', START_MS + 900, 100)).toMatchObject({ allowed: false, retryAfterSeconds: 1 });
  expect(limiter.take('b', START_MS + 1000, 100).allowed).toBe(true);
});

test('buckets are independent', () => {
  const limiter = new RateLimiter({ perSecond: 1, burst: 1 });
  expect(limiter.take('a', START_MS).allowed).toBe(true);
  expect(limiter.take('a', START_MS).allowed).toBe(false);
  expect(limiter.take('b', START_MS).allowed).toBe(true);
});

test('looking takes nothing', () => {
  const limiter = new RateLimiter({ perSecond: 1, burst: 1 });
  for (let index = 0; index < 5; index++) expect(limiter.peek('a', START_MS)).toBe(true);
  limiter.take('a', START_MS);
  expect(limiter.peek('a', START_MS)).toBe(false);
  expect(limiter.peek('a', START_MS + 1000)).toBe(true);
});

test('a token that is given back can be taken again, and never makes more than the burst', () => {
  const limiter = new RateLimiter({ perSecond: 1, burst: 2 });
  limiter.giveBack('a');
  limiter.take('a', START_MS);
  limiter.take('a', START_MS);
  expect(limiter.peek('a', START_MS)).toBe(false);
  limiter.giveBack('a');
  limiter.giveBack('a');
  limiter.giveBack('a');
  expect([1, 2, 3].map(() => limiter.take('a', START_MS).allowed)).toEqual([true, true, false]);
});

test('what was let through elsewhere is owed, up to one burst', () => {
  const limiter = new RateLimiter({ perSecond: 1, burst: 10 });
  for (let index = 0; index < 10; index++) limiter.take('a', START_MS);
  limiter.spend('a', START_MS, 4);
  expect(limiter.spent('a', START_MS)).toBe(14);
  expect(limiter.take('a', START_MS)).toMatchObject({ allowed: false, remaining: 0, retryAfterSeconds: 5, resetSeconds: 14 });
  expect(limiter.take('a', START_MS + 4_990).allowed).toBe(false);
  expect(limiter.take('a', START_MS + 5_000).allowed).toBe(true);
  limiter.spend('b', START_MS, 1_000);
  expect(limiter.take('b', START_MS)).toMatchObject({ allowed: false, retryAfterSeconds: 11 });
});

test('a slow limit tells how long to wait', () => {
  const limiter = new RateLimiter({ perSecond: 1 / 30, burst: 1 });
  expect(limiter.take('a', START_MS)).toMatchObject({ allowed: true, resetSeconds: 30 });
  expect(limiter.take('a', START_MS + 10_000)).toMatchObject({ allowed: false, retryAfterSeconds: 20, resetSeconds: 20 });
});

test('whoever waits as long as told gets in, and nobody gets more than the rate and one burst', () => {
  const options = fc.record({ perSecond: fc.integer({ min: 1, max: 1000 }), burst: fc.integer({ min: 1, max: 50 }) });
  const waits = fc.array(fc.integer({ min: 0, max: 400 }), { minLength: 1, maxLength: 200 });
  fc.assert(
    fc.property(options, waits, ({ perSecond, burst }, steps) => {
      const limiter = new RateLimiter({ perSecond, burst });
      let nowMs = START_MS;
      let allowed = 0;
      for (const step of steps) {
        nowMs += step;
        const verdict = limiter.take('a', nowMs);
        if (verdict.allowed) allowed++;
        else expect(limiter.peek('a', nowMs + verdict.retryAfterSeconds * 1000)).toBe(true);
        expect(verdict.remaining).toBeGreaterThanOrEqual(0);
        expect(verdict.remaining).toBeLessThan(burst);
      }
      expect(allowed).toBeLessThanOrEqual(burst + Math.floor(((nowMs - START_MS) / 1000) * perSecond + 1e-6));
    }),
    { seed: 1 },
  );
});

test('a flood of addresses pushes out those that were quiet longest, and memory stays bounded', () => {
  const limiter = new RateLimiter({ perSecond: 1 / 1000, burst: 1 });
  limiter.take('first', START_MS);
  for (let index = 0; index < 49_999; index++) limiter.take(`flood ${index}`, START_MS + 1);
  expect(limiter.peek('first', START_MS + 1)).toBe(false);
  limiter.take('one more', START_MS + 1);
  expect(limiter.peek('first', START_MS + 1)).toBe(true);
  expect(limiter.peek('flood 1', START_MS + 1)).toBe(false);
});

test('buckets that are full again go first', () => {
  const limiter = new RateLimiter({ perSecond: 1, burst: 10 });
  for (let index = 0; index < 10; index++) limiter.take('busy', START_MS);
  for (let index = 0; index < 49_999; index++) limiter.take(`quiet ${index}`, START_MS);
  limiter.take('one more', START_MS + 5000);
  expect(limiter.take('busy', START_MS + 5000)).toMatchObject({ allowed: true, remaining: 4 });
});
