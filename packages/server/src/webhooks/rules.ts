/** How long an answer is waited for, and when a delivery is tried again. */

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;

/** After the first try, the second, and so on; after the last one it is given up. Three days and a few hours in all. */
const retryDelaysMs: readonly number[] = [
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

/** Not settings: whoever tests sending in a short time puts others in their place. */
export const webhookTimes = {
  /** For the whole exchange, from the name of the host to the end of the answer. */
  timeLimitMs: 15 * SECOND_MS,
  /** After a crash, others send for a webhook when so much time is over. */
  leaseMs: 30 * SECOND_MS,
  retryDelaysMs,
};

/** A little later than that, so that what failed together does not come back together. */
const MOST_JITTER = 0.1;

/** Undefined where it was the last try. */
export function retryDelayMs(failedTries: number, delaysMs: readonly number[], random: () => number = Math.random): number | undefined {
  const delayMs = delaysMs[failedTries - 1];
  return delayMs === undefined ? undefined : Math.round(delayMs * (1 + MOST_JITTER * random()));
}
