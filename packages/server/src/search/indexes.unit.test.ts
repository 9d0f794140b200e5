import { once } from 'node:events';
import type { Worker } from 'node:worker_threads';
import { pino } from 'pino';
import { expect, onTestFinished, test } from 'vitest';
import { SearchIndexes } from './indexes.ts';

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
