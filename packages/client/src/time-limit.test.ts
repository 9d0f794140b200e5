import { expect, test } from 'vitest';
import { withinTime } from './time-limit.ts';

const never = () => new Promise<never>(() => {});

test('what takes too long is told, and stopped', async () => {
  let given: AbortSignal | undefined;
  const work = ({ signal }: { signal?: AbortSignal }) => {
    given = signal;
    return never();
  };
  await expect(withinTime(work, { timeoutMs: 1 })).rejects.toThrow('Nothing from Commonplace within 1 ms');
  expect(given?.aborted).toBe(true);
});

test('a call that is aborted waits for nothing', async () => {
  const aborting = new AbortController();
  const waiting = withinTime(never, { timeoutMs: 600_000, signal: aborting.signal });
  aborting.abort();
  expect(await waiting).toBeUndefined();
  expect(await withinTime(never, { timeoutMs: 600_000, signal: aborting.signal })).toBeUndefined();
});

test('errors of the work are its own', async () => {
  await expect(withinTime(() => Promise.reject(new Error('down')), { timeoutMs: 600_000 })).rejects.toThrow('down');
});
