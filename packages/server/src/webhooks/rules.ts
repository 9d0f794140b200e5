/** When a delivery is tried again. */

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;

/** After the first try, the second, and so on; after the last one it is given up. Three days and a few hours in all. */
export const RETRY_DELAYS_MS: readonly number[] = [
  5 * SECOND_MS,
  5 * MINUTE_MS,
  30 * MINUTE_MS,
  2 * HOUR_MS,
  5 * HOUR_MS,
  10 * HOUR_MS,
  14 * HOUR_MS,
  20 * HOUR_MS,
  24 * HOUR_MS,
];

/** A little later than that, so that what failed together does not come back together. */
const MOST_JITTER = 0.1;

/** Undefined where it was the last try. */
export function retryDelayMs(failedTries: number, delaysMs: readonly number[], random: () => number = Math.random): number | undefined {
  const delayMs = delaysMs[failedTries - 1];
  return delayMs === undefined ? undefined : Math.round(delayMs * (1 + MOST_JITTER * random()));
}
