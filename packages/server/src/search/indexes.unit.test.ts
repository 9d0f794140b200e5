import { once } from 'node:events';
import type { Worker } from 'node:worker_threads';
import { pino } from 'pino';
import { expect, onTestFinished, test, vi } from 'vitest';
import { SearchIndexes, scopeName } from './indexes.ts';
import type { VersionedItem } from './protocol.ts';

test('the late end of an old thread does not touch the questions of the new one', async () => {
  const indexes = new SearchIndexes(pino({ level: 'silent' }));
  onTestFinished(() => indexes.close());
  const started = once(process, 'worker');
  await indexes.ask<'drop'>({ op: 'drop', scope: 'a#1' });
  const [old] = (await started) as [Worker];
  // A message that makes no sense makes it fail; whoever waits hears of it, and asks again at once.
  old.postMessage(null);
  await indexes.ask<'drop'>({ op: 'drop', scope: 'a#1' }).catch(() => undefined);
  expect(await indexes.ask<'open'>({ op: 'open', scope: 'a#1', workspaceId: 'w', profile: 'messages' })).toMatchObject({ size: 0 });
  expect(indexes.generationOf('a#1')).toBe(2);
});

test('a thread that does not answer does not hold up the metrics: they tell what was last known', async () => {
  const indexes = new SearchIndexes(pino({ level: 'silent' }));
  onTestFinished(() => indexes.close());
  const started = once(process, 'worker');
  await indexes.ask<'open'>({ op: 'open', scope: 'a', workspaceId: 'w', profile: 'messages' });
  expect(await indexes.gauges()).toMatchObject({ scopes: 1 });
  const [thread] = (await started) as [Worker];
  thread.postMessage = () => {};
  expect(await indexes.gauges()).toMatchObject({ scopes: 1 });
});

const items = (from: number, count: number): VersionedItem[] =>
  Array.from({ length: count }, (_, n) => {
    const id = `${from + n}`;
    return { id, order: id, thread: 't', text: `a text of some words ${from + n}`, tags: [], version: 1, isRefused: true };
  });

test('a scope falls to one thread by its key, whatever it is called there; several threads share the scopes', async () => {
  const indexes = new SearchIndexes(pino({ level: 'silent' }), { threads: 2 });
  onTestFinished(() => indexes.close());
  for (let n = 0; n < 16; n++) {
    const scope = `scope-${n}#1`;
    await indexes.ask<'open'>({ op: 'open', scope, workspaceId: 'w', profile: 'messages' });
    await indexes.ask<'upsert'>({ op: 'upsert', scope, items: items(0, 3) });
  }
  const gauges = await indexes.gauges();
  expect(gauges).toMatchObject({ scopes: 16, items: 48 });
  expect(gauges.bytes_of_thread_1).toBeGreaterThan(0);
  expect(gauges.bytes_of_thread_2).toBeGreaterThan(0);
  expect((gauges.bytes_of_thread_1 as number) + (gauges.bytes_of_thread_2 as number)).toBe(gauges.bytes);
});

test('large scopes are on threads of their own', async () => {
  const indexes = new SearchIndexes(pino({ level: 'silent' }), { threads: 2 });
  onTestFinished(() => indexes.close());
  for (let n = 0; n < 16; n++) {
    const scope = scopeName(`scope-${n}`, n, n < 8);
    await indexes.ask<'open'>({ op: 'open', scope, workspaceId: 'w', profile: 'messages' });
    await indexes.ask<'upsert'>({ op: 'upsert', scope, items: items(0, n < 8 ? 300 : 3) });
  }
  const gauges = await indexes.gauges();
  expect(gauges).toMatchObject({ scopes: 16, items: 8 * 303 });
  const [one = 0, two = 0, large = 0] = [gauges.bytes_of_thread_1, gauges.bytes_of_thread_2, gauges.bytes_of_thread_3];
  expect(large).toBeGreaterThan(10 * (one + two));
});

/** The threads that were started since it was last asked. */
function watchStarts(): () => number {
  const started: unknown[] = [];
  const note = (worker: unknown) => started.push(worker);
  process.on('worker', note);
  onTestFinished(() => void process.off('worker', note));
  return () => started.splice(0).length;
}

async function loadScope(indexes: SearchIndexes): Promise<void> {
  await indexes.ask<'open'>({ op: 'open', scope: 'a#1', workspaceId: 'w', profile: 'messages' });
  await indexes.ask<'upsert'>({ op: 'upsert', scope: 'a#1', items: items(0, 100) });
}

const searchScope = (indexes: SearchIndexes) => indexes.ask<'search'>({ op: 'search', scope: 'a#1', query: { text: 'words', limit: 10 } });

test.for([false, true])(
  'threads start when they are needed, and where that is asked for (%s) all behind the first search',
  async (isAhead) => {
    const starts = watchStarts();
    const indexes = new SearchIndexes(pino({ level: 'silent' }), { threads: 2 });
    onTestFinished(() => indexes.close());
    if (isAhead) indexes.prestartThreads();
    expect(starts()).toBe(0);
    await loadScope(indexes);
    await indexes.describe('a#1', 64);
    // The search that waits for the load has the processors to itself.
    expect(starts()).toBe(1);
    await searchScope(indexes);
    let others = 0;
    await expect.poll(() => (others += starts())).toBe(isAhead ? 2 : 0);
  },
);

test('where searches are expected all threads are started once, before the first of them', async () => {
  const starts = watchStarts();
  const indexes = new SearchIndexes(pino({ level: 'silent' }), { threads: 2 });
  onTestFinished(() => indexes.close());
  indexes.expectSearches();
  expect(starts()).toBe(0);
  indexes.prestartThreads();
  indexes.expectSearches();
  indexes.expectSearches();
  let all = 0;
  await expect.poll(() => (all += starts())).toBe(3);
  await loadScope(indexes);
  await searchScope(indexes);
  expect(starts()).toBe(0);
});

test('what the threads hold together is bounded', async () => {
  const indexes = new SearchIndexes(pino({ level: 'silent' }), { threads: 2, memoryBytes: 300_000 });
  onTestFinished(() => indexes.close());
  for (let n = 0; n < 12; n++) {
    const scope = `scope-${n}#1`;
    await indexes.ask<'open'>({ op: 'open', scope, workspaceId: 'w', profile: 'messages' });
    await indexes.ask<'upsert'>({ op: 'upsert', scope, items: items(0, 300) });
  }
  const { scopes, bytes } = await indexes.gauges();
  expect(scopes).toBeLessThan(12);
  expect(bytes).toBeLessThanOrEqual(300_000);
  expect(await indexes.ask<'describe'>({ op: 'describe', scope: 'scope-11#1', vectorlessLimit: 1 })).toMatchObject({ size: 300 });
  expect(await indexes.ask<'describe'>({ op: 'describe', scope: 'scope-0#1', vectorlessLimit: 1 })).toBeUndefined();
});

test('while one workspace loads on a thread, the search of another on it is answered first', async () => {
  const indexes = new SearchIndexes(pino({ level: 'silent' }), { threads: 1 });
  onTestFinished(() => indexes.close());
  const answered: string[] = [];
  for (const workspaceId of ['large', 'small']) {
    await indexes.ask<'open'>({ op: 'open', scope: `${workspaceId}#1`, workspaceId, profile: 'messages' });
    await indexes.ask<'upsert'>({ op: 'upsert', scope: `${workspaceId}#1`, items: items(0, 10) });
  }
  const loads = Array.from({ length: 4 }, (_, n) =>
    indexes.ask<'upsert'>({ op: 'upsert', scope: 'large#1', items: items(n * 5000, 5000) }).then(() => answered.push('load')),
  );
  const search = indexes
    .ask<'search'>({ op: 'search', scope: 'small#1', query: { text: 'words', limit: 10 } })
    .then(() => answered.push('search'));
  await Promise.all([...loads, search]);
  // It waited for a slice of the load, and not for the first of four.
  expect(answered[0]).toBe('search');
});

test('a scope that has not changed is described without asking its thread', async () => {
  const indexes = new SearchIndexes(pino({ level: 'silent' }), { threads: 1 });
  onTestFinished(() => indexes.close());
  const started = once(process, 'worker');
  await indexes.ask<'open'>({ op: 'open', scope: 'a#1', workspaceId: 'w', profile: 'messages' });
  const [thread] = (await started) as [Worker];
  const asked = vi.spyOn(thread, 'postMessage');
  await indexes.ask<'upsert'>({ op: 'upsert', scope: 'a#1', items: items(0, 3) });
  expect(await indexes.describe('a#1', 64)).toMatchObject({ size: 3 });
  await indexes.ask<'search'>({ op: 'search', scope: 'a#1', query: { text: 'words', limit: 10 } });
  expect(await indexes.describe('a#1', 64)).toMatchObject({ size: 3, vectorlessCount: 0 });
  expect(asked.mock.calls.map(([[, op]]) => op)).toEqual(['upsert', 'describe', 'search']);
  // Asked at once behind a change, it sees that.
  const changed = indexes.ask<'upsert'>({ op: 'upsert', scope: 'a#1', items: items(3, 2) });
  expect(await indexes.describe('a#1', 64)).toMatchObject({ size: 5 });
  await changed;
  await indexes.ask<'drop'>({ op: 'drop', scope: 'a#1' });
  expect(await indexes.describe('a#1', 64)).toBeUndefined();
});
