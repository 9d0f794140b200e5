import { once } from 'node:events';
import type { Worker } from 'node:worker_threads';
import { expect, onTestFinished, test } from 'vitest';
import { ThreadEnded, ThreadKeepsEnding, TimeLimitExceeded } from './errors.ts';
import { RestartingThread } from './restarting-thread.ts';
import { newSignal, raised, release } from './signal-for-test.ts';
import type { ThreadOptions } from './thread.ts';
import { moduleBeside } from './thread-file.ts';
import type { TestQuestions } from './thread-for-test.ts';

function newThread(options: Partial<ThreadOptions> = {}) {
  const file = moduleBeside(import.meta.url, 'thread-for-test');
  const thread = new RestartingThread<TestQuestions>({ name: 'restarting-test', file, warnAfterMs: 60_000, ...options });
  onTestFinished(() => thread.close());
  return thread;
}

const stackOfCause = (fields: object) => (fields as { err: { cause: Error } }).err.cause.stack;

test('nothing runs before the first question', async () => {
  const thread = newThread();
  expect(thread.isRunning).toBe(false);
  expect(await thread.ask('echo', 1)).toBe(1);
  expect(thread.isRunning).toBe(true);
  expect(thread.generation).toBe(1);
});

test('the late end of an old thread does not touch the questions of the new one', async () => {
  const thread = newThread({ limitMs: 1_000 });
  const started = once(process, 'worker');
  await thread.ask('echo', 1);
  const [old] = (await started) as [Worker];
  const exited = once(old, 'exit');
  // The old one is given up while it still computes: it ends after the new one was asked.
  await expect(thread.ask('loop', newSignal())).rejects.toThrow(TimeLimitExceeded);
  const signal = newSignal();
  const asked = thread.ask('hold', signal);
  asked.catch(() => {});
  await exited;
  release(signal);
  expect(await asked).toBe('released');
  expect(thread).toMatchObject({ generation: 2, restartsTotal: 1 });
});

test('a crash is logged with the stack of the thread, and the next question starts another', async () => {
  const stacks: unknown[] = [];
  const thread = newThread({ log: { info() {}, warn() {}, error: (fields) => void stacks.push(stackOfCause(fields)) } });
  await expect(thread.ask('crash')).rejects.toThrow(ThreadEnded);
  expect(await thread.ask('echo', 'after')).toBe('after');
  expect(stacks).toEqual([expect.stringContaining('thread-for-test.ts')]);
});

test('a thread that keeps ending is not started for ever', async () => {
  const thread = newThread();
  for (let crashes = 0; crashes < 6; crashes++) await expect(thread.ask('crash')).rejects.toThrow(ThreadEnded);
  await expect(thread.ask('echo', 1)).rejects.toThrow(ThreadKeepsEnding);
  expect(thread.restartsTotal).toBe(5);
});

test('a thread that could not be opened is tried again by the next question', async () => {
  const thread = newThread({ data: { failsToOpen: true } });
  for (let tries = 0; tries < 7; tries++) await expect(thread.open()).rejects.toThrow('will not open');
});

test('closing refuses what waits and what comes', async () => {
  const thread = newThread();
  const signal = newSignal();
  const outcomes = Promise.allSettled([thread.ask('hold', signal), thread.ask('echo', 1)]);
  await raised(signal);
  const closed = thread.close();
  release(signal);
  await closed;
  for (const outcome of await outcomes) expect(outcome).toMatchObject({ status: 'rejected', reason: { name: 'ThreadEnded' } });
  await expect(thread.ask('echo', 1)).rejects.toThrow(ThreadEnded);
});

test('a thread that can not be opened is not tried for ever: after some tries its failure stands for a while', async () => {
  const thread = newThread({ data: { failsToOpen: true } });
  for (let tries = 0; tries < 20; tries++) await expect(thread.ask('echo', 1)).rejects.toThrow('will not open');
  expect(thread.generation).toBe(6);
});
