import { once } from 'node:events';
import type { Worker } from 'node:worker_threads';
import { expect, onTestFinished, test } from 'vitest';
import { runInLane } from '../lanes/current-lane.ts';
import { ThreadsBusy, TimeLimitExceeded } from './errors.ts';
import { newSignal, raised, release } from './signal-for-test.ts';
import { moduleBeside } from './thread-file.ts';
import { ThreadPool, type ThreadPoolOptions } from './thread-pool.ts';

function newPool(options: Partial<ThreadPoolOptions> = {}) {
  const module = moduleBeside(import.meta.url, 'functions-for-test');
  const pool = new ThreadPool<typeof import('./functions-for-test.ts')>({ name: 'pool-test', module, ...options });
  onTestFinished(() => pool.close());
  return pool;
}

test('a function of the module is called by its name, in a thread that is used again', async () => {
  const pool = newPool();
  expect(await pool.run('add', 2, 3)).toBe(5);
  const first = await pool.run('numberOfThread');
  expect(first).toBeGreaterThan(0);
  expect(await pool.run('numberOfThread')).toBe(first);
});

test('what a function throws comes back with its message, and the next call is served', async () => {
  const pool = newPool();
  await expect(pool.run('fail', 'too far')).rejects.toThrow('too far');
  expect(await pool.run('add', 1, 1)).toBe(2);
});

test('an endless call is ended by its limit, and the others go on', async () => {
  const pool = newPool({ limitMs: 1_000 });
  const [endless, behind] = await Promise.allSettled([pool.run('loop'), pool.run('add', 1, 1)]);
  expect(endless).toMatchObject({ status: 'rejected', reason: expect.any(TimeLimitExceeded) });
  expect(behind).toEqual({ status: 'fulfilled', value: 2 });
});

test('as many threads as allowed, and no more calls than may wait', async () => {
  const pool = newPool({ maxThreads: 2, maxWaiting: 1 });
  const signals = [newSignal(), newSignal()];
  const held = signals.map((signal) => pool.run('hold', signal));
  await Promise.all(signals.map(raised));
  const waiting = pool.run('add', 1, 1);
  await expect(pool.run('add', 1, 1)).rejects.toThrow(ThreadsBusy);
  expect(pool.size).toBe(2);
  signals.forEach(release);
  expect(await Promise.all(held)).toEqual(['released', 'released']);
  expect(await waiting).toBe(2);
});

test('a thread with nothing to do ends, and the next call starts another', async () => {
  const pool = newPool({ idleMs: 1 });
  const started = once(process, 'worker');
  const first = await pool.run('numberOfThread');
  await once((await started)[0] as Worker, 'exit');
  expect(pool.size).toBe(0);
  expect(await pool.run('numberOfThread')).not.toBe(first);
});

test('a module that can not be loaded fails its calls, and no more', async () => {
  const pool = newPool({ module: moduleBeside(import.meta.url, 'no-such-module') });
  await expect(pool.run('add', 1, 1)).rejects.toThrow('no-such-module');
  await expect(pool.run('add', 1, 1)).rejects.toThrow('no-such-module');
});

test('closing refuses what is under way, what waits and what comes', async () => {
  const pool = newPool();
  const signal = newSignal();
  const outcomes = Promise.allSettled([pool.run('hold', signal), pool.run('add', 1, 1)]);
  await raised(signal);
  const closed = pool.close();
  release(signal);
  await closed;
  for (const outcome of await outcomes) expect(outcome).toMatchObject({ status: 'rejected', reason: { name: 'ThreadEnded' } });
  await expect(pool.run('add', 1, 1)).rejects.toThrow('ended');
});

test('lanes take turns: a crowd in one is no wall before another, and only the crowd is refused', async () => {
  const pool = newPool({ maxWaiting: 40, maxWaitingOfLane: 20 });
  const signal = newSignal();
  const held = pool.run('hold', signal);
  await raised(signal);
  const order: string[] = [];
  const runIn = (lane: string) => runInLane(lane, () => pool.run('add', 1, 1)).then(() => void order.push(lane));
  const crowd = Promise.allSettled(Array.from({ length: 30 }, () => runIn('crowd')));
  const neighbour = runIn('neighbour');
  release(signal);
  await Promise.all([held, neighbour]);
  expect(order.indexOf('neighbour')).toBeLessThanOrEqual(1);
  const refused = (await crowd).filter(({ status }) => status === 'rejected');
  expect(refused).toHaveLength(10);
  expect(refused[0]).toMatchObject({ reason: expect.any(ThreadsBusy) });
});
