/** What one round of one case measures, and how rounds become one figure. */

/** How many call at the same time. */
export const CONNECTIONS = 32;

export interface Measure {
  readonly seconds: number;
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

/** Of several rounds. */
export interface Spread {
  readonly median: number;
  readonly lowest: number;
  readonly highest: number;
}

export function measureOf(latenciesMs: readonly number[], seconds: number): Measure {
  const sorted = Float64Array.from(latenciesMs).sort();
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
  return { seconds, perSecond: sorted.length / seconds, p50Ms: at(0.5), p99Ms: at(0.99) };
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? (sorted[middle] as number) : ((sorted[middle - 1] as number) + (sorted[middle] as number)) / 2;
}

export function spreadOf(values: readonly number[]): Spread {
  return { median: median(values), lowest: Math.min(...values), highest: Math.max(...values) };
}

/** Round by round, since what disturbs a shared machine disturbs neighbouring measurements alike. */
export function ratioSpread<Round>(of: readonly Round[], to: readonly Round[], value: (round: Round) => number): Spread {
  if (of.length !== to.length) throw new Error(`A ratio needs as many rounds on both sides: ${of.length} and ${to.length}`);
  return spreadOf(of.map((round, index) => value(round) / value(to[index] as Round)));
}
