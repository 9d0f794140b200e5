/** How long things took, as a histogram with fixed buckets: those of any nodes and hours add up, which percentiles do not. */

/** The upper ends of the buckets, in milliseconds; one more holds what took longer. */
const boundsMs = [
  1, 2, 3, 4, 5, 6, 8, 10, 12, 15, 20, 25, 30, 40, 50, 60, 80, 100, 120, 150, 200, 250, 300, 400, 500, 600, 800, 1_000, 1_200, 1_500, 2_000,
  2_500, 3_000, 4_000, 5_000, 6_000, 8_000, 10_000, 15_000, 20_000, 30_000, 60_000,
] as const;
const LONGER = 'longer';

/** The name of the bucket that a time belongs to: its upper end. */
export function bucketOf(ms: number): string {
  const bound = boundsMs.find((upper) => ms <= upper);
  return bound === undefined ? LONGER : String(bound);
}

/** Within the bucket that it lies in, times are taken to be spread evenly. Null where nothing was measured. */
export function percentileOf(countsByBucket: ReadonlyMap<string, number>, fraction: number): number | null {
  let total = 0;
  for (const count of countsByBucket.values()) total += count;
  if (total === 0) return null;
  const rank = fraction * total;
  let before = 0;
  let lower = 0;
  for (const upper of boundsMs) {
    const count = countsByBucket.get(String(upper)) ?? 0;
    if (count > 0 && before + count >= rank) return Math.round((lower + ((upper - lower) * (rank - before)) / count) * 10) / 10;
    before += count;
    lower = upper;
  }
  return lower;
}
