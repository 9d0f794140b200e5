import { expect, onTestFinished, test } from 'vitest';
import { RequestsInFlight } from './in-flight.ts';
import { Watchdog } from './watchdog.ts';

function watch() {
  const warnings: unknown[] = [];
  const registry = new RequestsInFlight();
  const log = { info() {}, error() {}, warn: (fields: object, message: string) => warnings.push([message, fields]) };
  const watchdog = new Watchdog({ log, routesAtWork: (sinceMs) => registry.routesAtWork(sinceMs) });
  onTestFinished(() => watchdog.stop());
  return { watchdog, registry, warnings };
}

const processorMs = () => {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
};

/** By the thread's own processor time: a busy machine makes it longer, and changes nothing. */
function compute(ms: number): void {
  const untilMs = processorMs() + ms;
  while (processorMs() < untilMs);
}

test('a route that computes for long is counted and named', async () => {
  const { watchdog, registry, warnings } = watch();
  watchdog.start();
  const request = registry.enter({ caller: 'ann', route: 'POST /slow', bodyBytes: 0, places: 1, begin: () => undefined });
  const startMs = performance.now();
  compute(400);
  request.noteSection(startMs);
  await expect.poll(() => watchdog.blockedTotal).toBe(1);
  expect(warnings).toEqual([
    [
      'the event loop was blocked',
      { delayMs: expect.any(Number), cpuMs: expect.any(Number), routes: [{ route: 'POST /slow', ms: expect.any(Number), times: 1 }] },
    ],
  ]);
  expect(watchdog.takeDelays().max).toBeGreaterThanOrEqual(0.2);
});

test('a thread that got no processor is late and not to blame', () => {
  const { watchdog, warnings } = watch();
  watchdog.observe({ delayMs: 5_000, cpuMs: 30, sinceMs: 0 });
  watchdog.observe({ delayMs: 199, cpuMs: 250, sinceMs: 0 });
  expect([watchdog.blockedTotal, warnings]).toEqual([0, []]);
  expect(watchdog.takeDelays()).toEqual({ current: 0.199, p99: expect.closeTo(5, 1), max: expect.closeTo(5, 1) });
});

test('delays are those since they were last asked for', () => {
  const { watchdog } = watch();
  expect(watchdog.takeDelays()).toEqual({ current: 0, p99: 0, max: 0 });
  for (let tick = 0; tick < 1_000; tick++) watchdog.observe({ delayMs: tick === 500 ? 150 : 10, cpuMs: 10, sinceMs: 0 });
  expect(watchdog.takeDelays()).toEqual({ current: 0.01, p99: expect.closeTo(0.01, 3), max: expect.closeTo(0.15, 3) });
  watchdog.observe({ delayMs: 0, cpuMs: 0, sinceMs: 0 });
  expect(watchdog.takeDelays().max).toBeLessThan(0.001);
});
