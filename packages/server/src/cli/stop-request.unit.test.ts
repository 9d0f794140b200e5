import { pino } from 'pino';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { StopRequest } from './stop-request.ts';

let nowMs = 0;
const handlers = new Map<string, (reason?: unknown) => void>();

beforeEach(() => {
  vi.useFakeTimers();
  vi.spyOn(performance, 'now').mockImplementation(() => nowMs);
  vi.spyOn(process, 'exit').mockReturnValue(undefined as never);
  vi.spyOn(process, 'on').mockImplementation((name, handler) => {
    handlers.set(String(name), handler);
    return process;
  });
});

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

test.for([
  ['SIGINT', 130],
  ['SIGTERM', 1],
] as const)('one %s that arrives twice is one, and another a while later ends at once', async ([signal, code]) => {
  const stop = new StopRequest(pino({ level: 'silent' }));
  handlers.get(signal)?.();
  await stop.made;
  nowMs += 100;
  handlers.get(signal)?.();
  expect(process.exit).not.toHaveBeenCalled();
  expect(stop.exitCode).toBe(0);
  nowMs += 1;
  handlers.get(signal)?.();
  expect(process.exit).toHaveBeenCalledExactlyOnceWith(code);
});

test('a stop that takes longer than its limit ends', async () => {
  const stop = new StopRequest(pino({ level: 'silent' }), 30_000);
  handlers.get('SIGTERM')?.();
  await stop.made;
  vi.advanceTimersByTime(29_999);
  expect(process.exit).not.toHaveBeenCalled();
  vi.advanceTimersByTime(1);
  expect(process.exit).toHaveBeenCalledExactlyOnceWith(1);
});
