import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Worker } from 'node:worker_threads';
import { expect, onTestFinished, test } from 'vitest';
import { EmbedderUnavailable } from './embedder.ts';
import { LocalEmbedder, type LocalOptions } from './local.ts';

function newEmbedder(options: LocalOptions = {}): LocalEmbedder {
  const embedder = new LocalEmbedder({ maxThreads: 1, ...options });
  onTestFinished(() => embedder.close());
  return embedder;
}

/** The thread that the next use of the embedder starts. */
async function startWatched(embedder: LocalEmbedder): Promise<Worker> {
  const started = once(process, 'worker');
  await embedder.ready();
  return (await started)[0] as Worker;
}

/** By a message that makes no sense: to terminate it within a native call would end the whole process. */
function kill(worker: Worker): void {
  worker.postMessage(null);
}

const sentence = (index: number) => `Sentence number ${index} of a text that goes on for a while.`;

test('a query goes before the background work that waits', async () => {
  const embedder = newEmbedder();
  const finished: string[] = [];
  const background = Array.from({ length: 100 }, async (_, index) => {
    await embedder.embed([sentence(index)]);
    finished.push('background');
  });
  await background[0];
  const before = finished.length;
  await embedder.embed(['a query'], { priority: 'query' });
  finished.push('query');
  await Promise.all(background);
  // What was answered together with the first text, and at most the group that was all but done.
  expect(before).toBeLessThanOrEqual(16);
  expect(finished.indexOf('query')).toBeLessThanOrEqual(before + 16);
  expect(finished).toHaveLength(101);
});

test('a query that arrives first, last or in between is answered before every background call', async () => {
  const embedder = newEmbedder();
  const finished: string[] = [];
  const call = async (name: string, priority: 'query' | 'background') => {
    await embedder.embed([name], { priority });
    finished.push(name);
  };
  await Promise.all([
    call('b1', 'background'),
    call('b2', 'background'),
    call('q1', 'query'),
    call('b3', 'background'),
    call('q2', 'query'),
  ]);
  expect(finished).toEqual(['q1', 'q2', 'b1', 'b2', 'b3']);
});

test('the work is done in a thread of its own', async () => {
  const worker = await startWatched(newEmbedder());
  expect(worker.threadId).toBeGreaterThan(0);
  expect(worker.threadName).toBe('embedding');
});

test('a few texts start one thread, many start as many as allowed', async () => {
  const embedder = newEmbedder({ maxThreads: 2 });
  await embedder.embed([sentence(1), sentence(2)]);
  expect(embedder.gauges()).toMatchObject({ threads: 1 });
  await embedder.embed(Array.from({ length: 300 }, (_, index) => sentence(index)));
  expect(embedder.gauges()).toMatchObject({ threads: 2, texts_total: 302 });
});

test('a thread with nothing to do ends, and the next text starts another', async () => {
  const embedder = newEmbedder({ idleMs: 1 });
  const worker = await startWatched(embedder);
  await once(worker, 'exit');
  expect(embedder.gauges()).toMatchObject({ threads: 0, lost_threads_total: 0 });
  expect(await embedder.embed([sentence(1)])).toHaveLength(1);
});

test('texts of a thread that died are computed by the next one', async () => {
  const warnings: string[] = [];
  const embedder = newEmbedder({ log: { info: () => {}, error: () => {}, warn: (_, message) => warnings.push(message) } });
  const worker = await startWatched(embedder);
  const expected = await embedder.embed([sentence(1), sentence(2)]);
  kill(worker);
  const vectors = embedder.embed(Array.from({ length: 40 }, (_, index) => sentence(index)));
  expect((await vectors).slice(1, 3)).toEqual(expected);
  expect(embedder.gauges()).toMatchObject({ threads: 1, lost_threads_total: 1, waiting_texts: 0 });
  expect(warnings).toEqual(['An embedding thread ended unexpectedly; another one takes over']);
});

test('texts whose thread died twice are given up, and the others are not', async () => {
  const embedder = newEmbedder();
  const first = await startWatched(embedder);
  const second = once(process, 'worker');
  kill(first);
  const doomed = embedder.embed([sentence(1)]);
  doomed.catch(() => {});
  const [worker] = (await second) as [Worker];
  // Once it is loaded it is sent the text, and dies.
  kill(worker);
  await expect(doomed).rejects.toThrow(EmbedderUnavailable);
  expect(embedder.gauges()).toMatchObject({ lost_threads_total: 2, waiting_texts: 0 });
  expect(await embedder.embed([sentence(2)])).toHaveLength(1);
});

test('a thread that dies while it loads fails what waits, and is tried again later', async () => {
  const embedder = newEmbedder();
  const started = once(process, 'worker');
  const call = embedder.embed([sentence(1)]);
  call.catch(() => {});
  ((await started) as [Worker])[0].emit('exit', 1);
  await expect(call).rejects.toThrow('The embedding thread ended unexpectedly');
  expect(embedder.gauges()).toMatchObject({ threads: 0, waiting_texts: 0 });
});

test('an aborted call rejects with its reason, and what it had waiting is dropped', async () => {
  const embedder = newEmbedder();
  const controller = new AbortController();
  const call = embedder.embed(
    Array.from({ length: 500 }, (_, index) => sentence(index)),
    { signal: controller.signal },
  );
  controller.abort(new Error('not needed any more'));
  await expect(call).rejects.toThrow('not needed any more');
  expect(embedder.gauges()).toMatchObject({ waiting_texts: 0 });
  await expect(embedder.embed(['x'], { signal: controller.signal })).rejects.toThrow('not needed any more');
  await embedder.embed(['y']);
  expect(embedder.gauges()).toMatchObject({ texts_total: 1 });
});

test('more texts than may wait are refused, and fit once there is room', async () => {
  const embedder = newEmbedder({ maxWaiting: 3 });
  const three = embedder.embed([sentence(1), sentence(2), sentence(3)]);
  await expect(embedder.embed([sentence(4)])).rejects.toThrow('Too many texts wait');
  expect(await three).toHaveLength(3);
  expect(await embedder.embed([sentence(4)])).toHaveLength(1);
});

test('a text of another workspace does not wait for all that the first has lined up', async () => {
  const embedder = newEmbedder();
  const finished: string[] = [];
  const many = Array.from({ length: 120 }, async (_, index) => {
    await embedder.embed([sentence(index)], { lane: 'many' });
    finished.push('many');
  });
  const few = embedder.embed([sentence(1_000)], { lane: 'few' }).then(() => finished.push('few'));
  await Promise.all([...many, few]);
  // Within the first groups: two of sixteen texts are on their way to a thread at a time.
  expect(finished.indexOf('few')).toBeLessThan(48);
});

test('one workspace does not fill the whole queue', async () => {
  const embedder = newEmbedder({ maxWaiting: 8 });
  const four = embedder.embed([1, 2, 3, 4].map(sentence), { lane: 'one' });
  await expect(embedder.embed([sentence(5)], { lane: 'one' })).rejects.toThrow('Too many texts wait');
  const others = embedder.embed([6, 7].map(sentence), { lane: 'two' });
  expect([(await four).length, (await others).length]).toEqual([4, 2]);
});

test('closing refuses what waits, what is under way and what comes', async () => {
  const embedder = newEmbedder({ maxThreads: 2 });
  await embedder.ready();
  const calls = Array.from({ length: 50 }, (_, index) => embedder.embed([sentence(index)]));
  const outcomes = Promise.allSettled(calls);
  await embedder.close();
  for (const outcome of await outcomes) expect(outcome).toMatchObject({ status: 'rejected', reason: { name: 'EmbedderUnavailable' } });
  await expect(embedder.embed(['x'])).rejects.toThrow('closed');
  expect(embedder.gauges()).toMatchObject({ threads: 0, waiting_texts: 0 });
  await embedder.close();
});

test.for([
  ['computes', 'await embedder.ready(); void embedder.embed(texts); while (embedder.gauges().texts_total < 5) await turn();'],
  ['loads the model', 'void embedder.embed(texts); await turn(100);'],
])('a process that exits while a thread %s ends as it wants to', async ([, work]) => {
  const script = `
    import { setTimeout as turn } from 'node:timers/promises';
    import { LocalEmbedder } from ${JSON.stringify(new URL('./local.ts', import.meta.url).href)};
    const embedder = new LocalEmbedder({ maxThreads: 2 });
    const texts = Array(200).fill('a long text about nothing in particular '.repeat(40));
    ${work}
    process.exit(7);`;
  const child = spawn(process.execPath, ['--input-type=module', '--eval', script], { stdio: 'inherit' });
  expect(await once(child, 'exit')).toEqual([7, null]);
});
