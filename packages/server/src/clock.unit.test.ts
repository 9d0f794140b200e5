import { expect, onTestFinished, test, vi } from 'vitest';
import { systemClock } from './clock.ts';

test('a time of day that is set back leaves the time that never goes back', () => {
  const [dayMs, beforeMs] = [systemClock.nowMs(), systemClock.monotonicMs()];
  const setBack = vi.spyOn(Date, 'now').mockReturnValue(dayMs - 60_000);
  onTestFinished(() => setBack.mockRestore());
  expect(systemClock.nowMs()).toBe(dayMs - 60_000);
  expect(systemClock.monotonicMs()).toBeGreaterThanOrEqual(beforeMs);
});
