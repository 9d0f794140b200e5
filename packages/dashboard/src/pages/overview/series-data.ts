/** Series of the API as charts: at most four parts, named as people name them, and what they show in a sentence. */
import type { Series, SeriesGroup } from '@commonplace/client';
import type { ChartData, ChartSeries } from '../../design/chart.tsx';
import { formatCompact, formatCount, formatMs } from '../../design/numbers.ts';

const MOST_SERIES = 4;

/** Steps are days of UTC, whatever the reader's own are. */
const dayOf = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' });

const names: Readonly<Record<string, string>> = {
  preference: 'Preference',
  fact: 'Fact',
  long_lived: 'Long-lived',
  short_lived: 'Short-lived',
  summary: 'Summary',
  processing: 'Processing',
  indexed: 'Indexed',
  failed: 'Failed',
  p50: 'Median',
  p95: '95th percentile',
  users: 'People',
};

/** Kinds and states have a look of their own; others take the next one. */
const looks: Readonly<Record<string, string>> = {
  preference: 'k-preference',
  fact: 'k-fact',
  long_lived: 'k-long_lived',
  short_lived: 'k-short_lived',
  summary: 's0',
  p50: 's1',
  p95: 's3',
  indexed: 's2',
  processing: 's0',
  failed: 's4',
  other: 's0',
};

/** Those that are always the same are drawn in this order; summaries are few, and quiet. */
const order = ['preference', 'fact', 'long_lived', 'short_lived', 'summary', 'indexed', 'processing', 'failed', 'p50', 'p95'];

const nameOf = ({ id, name }: SeriesGroup) => names[id] ?? name ?? `Deleted key ${id.slice(0, 8)}`;
const sumOf = (values: readonly (number | null)[]) => values.reduce<number>((sum, value) => sum + (value ?? 0), 0);
const valuesOf = (points: Series['points']) => points.map(({ value }) => value);

const drawn = (part: SeriesGroup & { readonly values: ChartSeries['values'] }, at: number): ChartSeries => ({
  id: part.id,
  label: nameOf(part),
  look: looks[part.id] ?? `s${at + 1}`,
  values: part.values,
});

/** Of keys, which can be many, the largest; the rest together as "Others". */
export function seriesOf({ groups, points, metric }: Series, label: string): readonly ChartSeries[] {
  const parts = groups.map((group) => ({ ...group, values: valuesOf(group.points), sum: sumOf(valuesOf(group.points)) }));
  const alive = metric === 'searchLatency' ? parts : parts.filter(({ sum }) => sum > 0);
  if (alive.length === 0) return [{ id: metric, label, look: 's1', values: valuesOf(points) }];
  if (metric !== 'calls') return alive.toSorted((one, other) => order.indexOf(one.id) - order.indexOf(other.id)).map(drawn);
  const named = alive.filter(({ id }) => id !== 'other').sort((one, other) => other.sum - one.sum);
  if (alive.length <= MOST_SERIES && named.length === alive.length) return named.map(drawn);
  const kept = named.slice(0, MOST_SERIES - 1);
  const rest = alive.filter((part) => !kept.includes(part));
  const others = points.map((_, at) => sumOf(rest.map(({ values }) => values[at] ?? null)));
  const [only] = rest;
  return [...kept.map(drawn), { id: 'other', label: only && rest.length === 1 ? nameOf(only) : 'Others', look: 's0', values: others }];
}

/** What it shows, in a sentence. */
export function findingOf(series: Series, label: string, steps: readonly string[]): string {
  const values = valuesOf(series.points);
  const format = series.unit === 'milliseconds' ? formatMs : formatCount;
  const over = `over ${steps.length} days`;
  const measured = values.filter((value) => value !== null);
  if (measured.length === 0) return `${label} ${over}: nothing was measured.`;
  const most = Math.max(...measured);
  const when = steps[values.indexOf(most)];
  if (series.kind === 'sum') {
    const sum = sumOf(values);
    return sum === 0 ? `${label} ${over}: none.` : `${label} ${over}: ${format(sum)}, most on ${when} with ${format(most)}.`;
  }
  return `${label} ${over}: ${format(measured.at(-1) as number)} at the end, most on ${when} with ${format(most)}.`;
}

export function chartOf(series: Series, label: string, form: ChartData['form']): ChartData {
  const steps = series.points.map(({ at }) => dayOf.format(new Date(at)));
  const isTime = series.unit === 'milliseconds';
  return {
    stepName: 'Day',
    steps,
    series: seriesOf(series, label),
    form,
    finding: findingOf(series, label, steps),
    format: isTime ? formatMs : formatCount,
    formatTick: isTime ? formatMs : formatCompact,
    whole: !isTime,
  };
}

/** Whether there is anything to see. */
export const isBlank = ({ points, groups }: Series): boolean =>
  [points, ...groups.map((group) => group.points)].every((all) => all.every(({ value }) => !value));

/** Of a sum, over all of its steps. */
export const totalOf = ({ points }: Series): number => sumOf(valuesOf(points));
