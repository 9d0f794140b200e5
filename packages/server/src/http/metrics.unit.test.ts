import { expect, onTestFinished, test } from 'vitest';
import type { Database } from '../db/database.ts';
import { newSignal, raised, release } from '../threads/signal-for-test.ts';
import { Thread } from '../threads/thread.ts';
import type { TestQuestions } from '../threads/thread-for-test.ts';
import { Metrics } from './metrics.ts';

test('a thread that is held shows in the metrics while it is', async () => {
  const nothing = async () => ({});
  const db = { engine: 'sqlite', gauges: () => ({}) } as unknown as Database;
  const { registry } = new Metrics(db, {
    jobs: nothing,
    search: nothing,
    extraction: nothing,
    requests: nothing,
    refused: nothing,
    eventLoop: nothing,
    blocked: nothing,
  });
  const file = new URL('../threads/thread-for-test.ts', import.meta.url);
  const thread = new Thread<TestQuestions>({ name: 'held', file, warnAfterMs: 60_000 });
  onTestFinished(() => thread.stop());
  const shown = async (what: string) => {
    const line = (await registry.metrics())
      .split('\n')
      .find((text) => text.startsWith(`commonplace_thread_delay_seconds{thread="held",what="${what}"}`));
    return Number(line?.split(' ').at(-1));
  };
  await thread.ask('echo', 1);
  await expect.poll(() => shown('now')).toBe(0);
  const signal = newSignal();
  const held = thread.ask('hold', signal);
  await raised(signal);
  await expect.poll(() => shown('now')).toBeGreaterThan(0.01);
  release(signal);
  await held;
  await expect.poll(() => shown('longest')).toBeGreaterThan(0.01);
});
