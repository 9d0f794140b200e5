import { once } from 'node:events';
import type { Worker } from 'node:worker_threads';
import { expect, onTestFinished, test } from 'vitest';
import { runInLane } from '../lanes/current-lane.ts';
import { readThreadDelays } from './delays.ts';
import { FailedInThread, ThreadEnded, TimeLimitExceeded } from './errors.ts';
import { newSignal, raised, release } from './signal-for-test.ts';
import { Thread, type ThreadOptions } from './thread.ts';
import { moduleBeside } from './thread-file.ts';
import type { TestQuestions } from './thread-for-test.ts';

interface Warning {
  readonly thread?: string;
  readonly question?: string;
}

let threads = 0;

function startThread(options: Partial<ThreadOptions> = {}) {
  const warnings: Warning[] = [];
  const log = { info() {}, error() {}, warn: (fields: object) => void warnings.push(fields) };
  const name = `test-${++threads}`;
  const file = moduleBeside(import.meta.url, 'thread-for-test');
  const thread = new Thread<TestQuestions>({ name, file, warnAfterMs: 60_000, log, ...options });
  onTestFinished(() => thread.stop());
  return { thread, name, warnings };
}

/** The thread itself, as Node knows it. */
async function startWatched(options: Partial<ThreadOptions> = {}) {
  const started = once(process, 'worker');
  const { thread, ...rest } = startThread(options);
  return { thread, worker: (await started)[0] as Worker, ...rest };
}

test('answers find their questions, in whatever order they come', async () => {
  const { thread } = startThread();
  const order: string[] = [];
  const note = (answer: unknown) => order.push(String(answer));
  await Promise.all([thread.ask('later').then(note), thread.ask('echo', 'one').then(note), thread.ask('release').then(note)]);
  expect(order).toEqual(['one', 'released', 'later']);
});

test('an error carries its message, its properties and the stack of the thread', async () => {
  const { thread, name } = startThread();
  const error = await thread.ask('fail', 1).catch((failure) => failure);
  expect(error).toBeInstanceOf(FailedInThread);
  expect(error).toMatchObject({ message: 'failed on purpose', code: 1, thread: name });
  expect(error.stack).toContain('thread-for-test.ts');
  expect(await thread.ask('fail', 2).catch((failure) => failure.message)).toBe('failed on purpose');
  expect(await thread.ask('echo', 'after')).toBe('after');
});

test('a thread that does not open says why, to whoever asks', async () => {
  const { thread } = startThread({ data: { failsToOpen: true } });
  const asked = thread.ask('echo', 1).catch((error) => error);
  await expect(thread.opened).rejects.toMatchObject({ message: 'will not open', errcode: 26 });
  expect(await asked).toMatchObject({ message: 'will not open' });
  await expect(thread.ask('echo', 1)).rejects.toThrow('will not open');
  expect(thread.openingFailure).toMatchObject({ message: 'will not open' });
});

test('a crash refuses what waits, with its cause', async () => {
  const deaths: Error[] = [];
  const { thread } = startThread({ onDeath: (error) => deaths.push(error) });
  await thread.opened;
  const crash = thread.ask('crash').catch((error) => error);
  const error = await crash;
  expect(error).toBeInstanceOf(ThreadEnded);
  expect(error.cause).toMatchObject({ message: 'crashed on purpose' });
  expect(error.cause.stack).toContain('thread-for-test.ts');
  await expect(thread.ask('echo', 1)).rejects.toBe(error);
  expect(deaths).toEqual([error]);
});

test('what can not be cloned fails its own question only, on both ways', async () => {
  const { thread } = startThread();
  const before = thread.ask('echo', 'before');
  await expect(thread.ask('echo', () => {})).rejects.toThrow('could not be cloned');
  await expect(thread.ask('unclonable')).rejects.toThrow('could not be cloned');
  expect(await before).toBe('before');
  expect(await thread.ask('echo', 'after')).toBe('after');
});

test('an answer that can not be read fails its own question only', async () => {
  const { thread, worker } = await startWatched();
  await thread.opened;
  const later = thread.ask('later');
  const emit = worker.emit.bind(worker);
  let isSpoilt = false;
  worker.emit = (event: string, ...args: unknown[]) => {
    if (event !== 'message' || isSpoilt) return emit(event, ...args);
    isSpoilt = true;
    return emit('messageerror', new Error('unreadable'));
  };
  const [lost, kept] = await Promise.allSettled([thread.ask('echo', 'lost'), thread.ask('echo', 'kept')]);
  expect(lost).toMatchObject({ status: 'rejected', reason: { message: 'The answer could not be read' } });
  expect(kept).toMatchObject({ status: 'fulfilled', value: 'kept' });
  await thread.ask('release');
  expect(await later).toBe('later');
});

test('buffers are handed over, both ways', async () => {
  const { thread } = startThread();
  expect(await thread.ask('bytes', 5)).toEqual(new Uint8Array(5).fill(7));
  const bytes = new Uint8Array(9);
  expect(await thread.askTransferring([bytes.buffer], 'measure', bytes)).toBe(9);
  expect(bytes.byteLength).toBe(0);
});

test('stopping refuses what is under way, what waits and what comes', async () => {
  const deaths: Error[] = [];
  const { thread } = startThread({ onDeath: (error) => deaths.push(error) });
  const signal = newSignal();
  const asked = [thread.ask('loop', signal), thread.ask('echo', 1)];
  const outcomes = Promise.allSettled(asked);
  await raised(signal);
  await thread.stop();
  for (const outcome of await outcomes) expect(outcome).toMatchObject({ status: 'rejected', reason: { name: 'ThreadEnded' } });
  await expect(thread.ask('echo', 1)).rejects.toThrow(ThreadEnded);
  expect(deaths).toEqual([]);
});

test('a thread that ends by itself is never terminated, and does its last work', async () => {
  const { thread, worker } = await startWatched({ endsItself: true });
  let isTerminated = false;
  worker.terminate = async () => {
    isTerminated = true;
    return 0;
  };
  const signal = newSignal();
  void thread.ask('hold', signal).catch(() => {});
  await raised(signal);
  const stopped = thread.stop();
  release(signal);
  await stopped;
  expect(isTerminated).toBe(false);
});

test('a question that takes too long is refused alone, by its name, and its thread ended', async () => {
  const { thread, name, warnings } = startThread({ limitMs: 30 });
  // Its limit is looked at from here on, and not at the next bound of the opening.
  await thread.opened;
  const error = await thread.ask('loop', newSignal()).catch((failure) => failure);
  expect(error).toBeInstanceOf(TimeLimitExceeded);
  expect(error).toMatchObject({ thread: name, question: 'loop' });
  expect(warnings).toContainEqual({ thread: name, question: 'loop' });
  expect(thread.isDead).toBe(true);
  await thread.stop();
});

test('the time that a question waits for others does not count against it', async () => {
  const { thread } = startThread({ limitMs: 1_500 });
  const paused = Array.from({ length: 20 }, () => thread.ask('pause', 100));
  expect(await Promise.all(paused)).toHaveLength(20);
});

test('a question that holds its thread for long is logged once, by its name', async () => {
  const { thread, name, warnings } = startThread({ warnAfterMs: 5 });
  const signal = newSignal();
  const held = thread.ask('hold', signal);
  await expect.poll(() => warnings.length).toBe(1);
  expect(warnings[0]).toMatchObject({ thread: name, question: 'hold' });
  release(signal);
  await held;
  expect(warnings).toHaveLength(1);
});

test('the delay of a thread rises while it is held, and is read without its help', async () => {
  const { thread, name } = startThread();
  await thread.ask('echo', 1);
  await expect.poll(() => readThreadDelays().get(name)?.nowSeconds).toBe(0);
  const signal = newSignal();
  const held = thread.ask('hold', signal);
  await raised(signal);
  const seen = () => readThreadDelays().get(name)?.nowSeconds ?? 0;
  await expect.poll(seen).toBeGreaterThan(0.01);
  const before = seen();
  await expect.poll(seen).toBeGreaterThan(before);
  release(signal);
  await held;
  await thread.ask('echo', 1);
  expect(readThreadDelays().get(name)?.longestSeconds).toBeGreaterThan(before);
  // From then on only what came after it counts.
  await expect.poll(() => readThreadDelays().get(name)?.longestSeconds).toBe(0);
});

test('the longest hold of a thread that has ended is told once more', async () => {
  const { thread, name } = startThread();
  const signal = newSignal();
  const held = thread.ask('hold', signal);
  await raised(signal);
  await expect.poll(() => readThreadDelays().get(name)?.nowSeconds ?? 0).toBeGreaterThan(0.01);
  release(signal);
  await held;
  await thread.stop();
  expect(readThreadDelays().get(name)?.longestSeconds).toBeGreaterThan(0.01);
  expect(readThreadDelays().get(name)).toEqual({ nowSeconds: 0, longestSeconds: 0 });
});

test('a thread that hangs when it opens is given up at its limit, with what waits for it', async () => {
  const { thread } = startThread({ data: { hangsWhenOpened: true }, warnAfterMs: 100, openingLimitMs: 500 });
  await expect(thread.ask('echo', 1)).rejects.toThrow(ThreadEnded);
  expect(thread.isDead).toBe(true);
});

test('the warning of a question that holds its thread names the route or job that asked it', async () => {
  const warnings: object[] = [];
  const log = { info() {}, error() {}, warn: (fields: object) => void warnings.push(fields) };
  const { thread } = startThread({ warnAfterMs: 10, log });
  const signal = newSignal();
  const asked = runInLane('a', () => thread.ask('hold', signal), 'GET /somewhere');
  await expect.poll(() => warnings).toHaveLength(1);
  release(signal);
  await asked;
  expect(warnings[0]).toMatchObject({ question: 'hold', origin: 'GET /somewhere' });
});
