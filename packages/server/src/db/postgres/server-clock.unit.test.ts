import { afterEach, expect, test, vi } from 'vitest';
import { ServerClock } from './server-clock.ts';

afterEach(() => {
  vi.useRealTimers();
});

const NOON_MS = Date.parse('2026-11-16T12:00:00.000Z');

/** A monotonic clock and a server, each moved by hand. The server's time is its own, and each question takes a while. */
function world(tripsMs: readonly number[]) {
  const state = { steadyMs: 1_000, serverMs: NOON_MS, trip: 0 };
  const pass = (ms: number) => {
    state.steadyMs += ms;
    state.serverMs += ms;
  };
  const clock = new ServerClock(() => state.steadyMs);
  const query = async () => {
    const tripMs = tripsMs[state.trip++ % tripsMs.length] as number;
    pass(tripMs * 0.75);
    const rows = [{ ms: state.serverMs }];
    pass(tripMs * 0.25);
    return { rows };
  };
  const measure = () => clock.measure({ query } as unknown as Parameters<ServerClock['measure']>[0]);
  return { state, pass, clock, measure };
}

test('follows the server within half of the quickest round trip', async () => {
  const { state, pass, clock, measure } = world([400, 8, 90, 2_000, 30]);
  await measure();
  expect(Math.abs(clock.nowMs() - state.serverMs)).toBeLessThanOrEqual(4);
  pass(3_600_000);
  expect(Math.abs(clock.nowMs() - state.serverMs)).toBeLessThanOrEqual(4);
});

test('a machine whose clock is wrong or is set makes no difference', async () => {
  vi.useFakeTimers({ toFake: ['Date'], now: NOON_MS + 120_000 });
  const { state, pass, clock, measure } = world([2]);
  await measure();
  expect(Math.abs(clock.nowMs() - state.serverMs)).toBeLessThanOrEqual(1);
  vi.setSystemTime(NOON_MS - 86_400_000);
  pass(50);
  expect(Math.abs(clock.nowMs() - state.serverMs)).toBeLessThanOrEqual(1);
});

test('a slow answer spoils nothing that is known better', async () => {
  const { state, clock, measure } = world([2]);
  await measure();
  const before = state.serverMs - clock.nowMs();
  clock.note({ sentMs: state.steadyMs - 5_000, serverMs: state.serverMs - 4_999, receivedMs: state.steadyMs });
  expect(state.serverMs - clock.nowMs()).toBe(before);
});

test('is set right where the server has another clock after a fail-over, forwards and back', async () => {
  const { state, clock, measure } = world([2]);
  await measure();
  for (const jumpMs of [90_000, -300_000]) {
    state.serverMs += jumpMs;
    await measure();
    expect(Math.abs(clock.nowMs() - state.serverMs)).toBeLessThanOrEqual(3);
  }
});

test('stands still for a small correction rather than going back', async () => {
  const { state, pass, clock, measure } = world([2]);
  await measure();
  const before = clock.nowMs();
  state.serverMs -= 500;
  await measure();
  expect(clock.nowMs()).toBe(before);
  pass(1_000);
  expect(Math.abs(clock.nowMs() - state.serverMs)).toBeLessThanOrEqual(3);
});
