/** When a failed job is tried again. */

export interface Backoff {
  /** The longest wait before the second attempt; it doubles with each one after. */
  readonly firstMs: number;
  readonly mostMs: number;
}

export const defaultBackoff: Backoff = { firstMs: 5_000, mostMs: 15 * 60_000 };

/** Between half of the wait and all of it, so that what failed together does not come back together. */
export function retryDelayMs(failedAttempts: number, { firstMs, mostMs }: Backoff, random: () => number = Math.random): number {
  const waitMs = Math.min(mostMs, firstMs * 2 ** (failedAttempts - 1));
  return Math.round(waitMs * (0.5 + random() / 2));
}
