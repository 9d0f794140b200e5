import { pino } from 'pino';
import { expect, onTestFinished, test, vi } from 'vitest';
import type { ScopeSource } from '../scope-source.ts';
import { ScopeWarming } from './scope-warming.ts';

function setUp({ hasRoom = true } = {}) {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const warmed: string[] = [];
  const searcher = {
    hasRoom,
    expectSearches: vi.fn(),
    warm: vi.fn(async ({ key }: ScopeSource) => {
      if (key === 'broken') throw new Error('the database is gone');
      warmed.push(key);
    }),
  };
  const warming = new ScopeWarming(searcher, pino({ level: 'silent' }), 100);
  onTestFinished(() => warming.stop());
  return { searcher, warming, warmed };
}

const sourceOf = (key: string, count = 10) =>
  ({ key, workspaceId: 'w', threads: async () => [{ thread: 't', count, edits: '0' }] }) as unknown as ScopeSource;

test('what comes to a scope within a while is loaded together, and what comes later after it', async () => {
  const { warming, warmed, searcher } = setUp();
  warming.start();
  for (let n = 0; n < 50; n++) warming.note(sourceOf('a'));
  await vi.advanceTimersByTimeAsync(99);
  warming.note(sourceOf('a'));
  expect(searcher.expectSearches).toHaveBeenCalled();
  expect(warmed).toEqual([]);
  await vi.advanceTimersByTimeAsync(1);
  expect(warmed).toEqual(['a']);
  await vi.advanceTimersByTimeAsync(10_000);
  expect(warmed).toEqual(['a']);
  warming.note(sourceOf('a'));
  await vi.advanceTimersByTimeAsync(100);
  expect(warmed).toEqual(['a', 'a']);
});

test('after a load that took long comes a rest that is longer', async () => {
  const { warming, warmed, searcher } = setUp();
  warming.start();
  searcher.warm.mockImplementationOnce(() => new Promise((resolve) => setTimeout(resolve, 1_000)));
  warming.note(sourceOf('slow'));
  await vi.advanceTimersByTimeAsync(1_100);
  warming.note(sourceOf('slow'));
  await vi.advanceTimersByTimeAsync(8_999);
  expect(warmed).toEqual([]);
  await vi.advanceTimersByTimeAsync(1);
  expect(warmed).toEqual(['slow']);
});

test('a large one is left to its first search, and so are all where memory is used', async () => {
  const { warming, warmed } = setUp();
  warming.start();
  warming.note(sourceOf('large', 20_001));
  warming.note(sourceOf('largest that is loaded', 20_000));
  await vi.advanceTimersByTimeAsync(100);
  expect(warmed).toEqual(['largest that is loaded']);
  const full = setUp({ hasRoom: false });
  full.warming.start();
  full.warming.note(sourceOf('a'));
  await vi.advanceTimersByTimeAsync(100);
  expect(full.warmed).toEqual([]);
});

test('no more than a hundred wait, and a failure of one is not one of the others', async () => {
  const { warming, warmed } = setUp();
  warming.start();
  warming.note(sourceOf('broken'));
  for (let n = 0; n < 200; n++) warming.note(sourceOf(`scope ${n}`));
  await vi.advanceTimersByTimeAsync(100);
  expect(warmed).toEqual(Array.from({ length: 99 }, (_, n) => `scope ${n}`));
});

test('nothing is loaded before it is started, and after it was stopped', async () => {
  const { warming, warmed, searcher } = setUp();
  warming.note(sourceOf('early'));
  await vi.advanceTimersByTimeAsync(100);
  warming.start();
  warming.note(sourceOf('late'));
  await warming.stop();
  warming.note(sourceOf('later'));
  await vi.advanceTimersByTimeAsync(100);
  expect(warmed).toEqual([]);
  expect(searcher.expectSearches).toHaveBeenCalledTimes(1);
});
