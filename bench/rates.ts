/** The tables of rates and of ratios: the median of the rounds, and how far the rounds lie apart. */
import { median, ratioSpread, type Spread, spreadOf } from './measure.ts';
import type { Round, Rounds } from './rounds.ts';
import { heading, row } from './table.ts';

/** What is aimed at: a ratio of two rates, or a rate itself. */
export interface Aim {
  /** What the row is called; as a rule what it is made of. */
  readonly name?: string;
  readonly of: string;
  readonly to?: string;
  readonly aim?: number;
}

export function reportRates(title: string, rounds: Rounds): void {
  heading(title, ['', 'per second', 'lowest–highest', 'p50 ms', 'p99 ms', 'CPU µs']);
  for (const [name, measured] of rounds) {
    const middle = (of: keyof Round) => median(measured.map((round) => round[of]));
    const rates = spreadOf(measured.map(({ perSecond }) => perSecond));
    row([
      name,
      amount(rates.median),
      range(rates, amount),
      milliseconds(middle('p50Ms')),
      milliseconds(middle('p99Ms')),
      amount(leastCpu(measured)),
    ]);
  }
}

/** Those whose sides were measured. */
export function reportRatios(rounds: Rounds, aims: readonly Aim[]): void {
  const hasAims = aims.some(({ aim }) => aim !== undefined);
  const columns = ['', 'ratio', 'lowest–highest', 'by processor time', ...(hasAims ? ['aim'] : [])];
  heading('Within each round, then the median of the rounds', columns);
  for (const { name, of, to, aim } of aims) {
    const [ours, theirs] = [rounds.get(of), to === undefined ? undefined : rounds.get(to)];
    if (!ours || (to !== undefined && !theirs)) continue;
    const spread = theirs ? ratioSpread(ours, theirs, ({ perSecond }) => perSecond) : spreadOf(ours.map(({ perSecond }) => perSecond));
    // The other way round: who needs half of the time is twice as fast.
    const byCpu = theirs ? leastCpu(theirs) / leastCpu(ours) : Number.NaN;
    const shown = theirs ? ratio : amount;
    row([
      name ?? (to === undefined ? `${of}, per second` : `${of} / ${to}`),
      shown(spread.median),
      range(spread, shown),
      ratio(byCpu),
      ...(hasAims ? [aim === undefined ? '–' : `${shown(aim)}${spread.median >= aim ? '' : ', missed'}`] : []),
    ]);
  }
}

/** Whatever disturbs a round adds to its processor time, and nothing takes from it. */
function leastCpu(rounds: readonly Round[]): number {
  return Math.min(...rounds.map(({ cpuMicros }) => cpuMicros));
}

export function range({ lowest, highest }: Spread, shown: (value: number) => string): string {
  return `${shown(lowest)}–${shown(highest)}`;
}

/** A rate or a time: whole, or with a digit where it is small. */
export function amount(value: number): string {
  if (!Number.isFinite(value)) return '–';
  return value < 10 ? value.toFixed(1) : Math.round(value).toLocaleString('en');
}

/** With as many digits as say something: 0.34, 12.3, 480. */
export function ratio(value: number): string {
  if (!Number.isFinite(value)) return '–';
  return value < 10 ? value.toFixed(2) : value < 100 ? value.toFixed(1) : amount(value);
}

/** Some rows have none: what they measure is one thing, done once. */
function milliseconds(value: number): string {
  return Number.isFinite(value) ? value.toFixed(2) : '–';
}
