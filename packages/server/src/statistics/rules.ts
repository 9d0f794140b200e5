/** Series without the database: which steps a range has, and what the value of each is. */
import { MOST_POINTS, type Series, type SeriesMetric, type SeriesQuery, type SeriesStep } from '@commonplace/contract/statistics';
import { timestamp } from '../clock.ts';
import { invalid } from '../errors.ts';
import { HOUR_MS } from '../roll-ups/hourly-values.ts';
import { percentileOf } from '../roll-ups/latencies.ts';

const DAY_MS = 24 * HOUR_MS;
const DEFAULT_RANGE_MS = 7 * DAY_MS;
const HOURLY_UP_TO_MS = 3 * DAY_MS;

const hoursOfStep: Readonly<Record<SeriesStep, number>> = { hour: 1, day: 24 };

/** Steps are numbered from 1970 on. */
export interface SeriesRange {
  readonly since: string;
  readonly until: string;
  readonly step: SeriesStep;
  readonly stepHours: number;
  readonly firstStep: number;
  readonly stepCount: number;
}

export function resolveRange(query: Omit<SeriesQuery, 'metric'>, nowMs: number): SeriesRange {
  const untilMs = query.until === undefined ? nowMs : Date.parse(query.until);
  const sinceMs = query.since === undefined ? untilMs - DEFAULT_RANGE_MS : Date.parse(query.since);
  if (sinceMs >= untilMs) throw invalid('since', 'Since must be before until');
  const step = query.step ?? (untilMs - sinceMs <= HOURLY_UP_TO_MS ? 'hour' : 'day');
  const stepMs = hoursOfStep[step] * HOUR_MS;
  const firstStep = Math.floor(sinceMs / stepMs);
  const stepCount = Math.ceil(untilMs / stepMs) - firstStep;
  if (stepCount > MOST_POINTS) {
    throw invalid(
      'since',
      `Since and until must not have more than ${MOST_POINTS} steps between them; this is ${stepCount} of one ${step}`,
    );
  }
  return { since: timestamp(sinceMs), until: timestamp(untilMs), step, stepHours: hoursOfStep[step], firstStep, stepCount };
}

export const unitAndKind: Readonly<Record<SeriesMetric, Pick<Series, 'unit' | 'kind'>>> = {
  messages: { unit: 'count', kind: 'sum' },
  memories: { unit: 'count', kind: 'sum' },
  searches: { unit: 'count', kind: 'sum' },
  searchLatency: { unit: 'milliseconds', kind: 'gauge' },
  documents: { unit: 'count', kind: 'gauge' },
  jobsWaiting: { unit: 'count', kind: 'gauge' },
  calls: { unit: 'count', kind: 'sum' },
};

export type Points = Series['points'];

export function pointsOf({ firstStep, stepCount, stepHours }: SeriesRange, valueAt: (step: number) => number | null): Points {
  return Array.from({ length: stepCount }, (_, index) => {
    const step = firstStep + index;
    return { at: timestamp(step * stepHours * HOUR_MS), value: valueAt(step) };
  });
}

/** The value of a part in a step, or in an hour where it has not been added up. */
export interface PartValue {
  readonly step: number;
  readonly part: string;
  readonly value: number;
}

export function sumPoints(range: SeriesRange, values: readonly PartValue[]): Points {
  const sums = new Map<number, number>();
  for (const { step, value } of values) sums.set(step, (sums.get(step) ?? 0) + value);
  return pointsOf(range, (step) => sums.get(step) ?? 0);
}

export function percentilePoints(range: SeriesRange, values: readonly PartValue[], fraction: number): Points {
  const byStep = Map.groupBy(values, ({ step }) => step);
  return pointsOf(range, (step) => percentileOf(new Map(byStep.get(step)?.map(({ part, value }) => [part, value])), fraction));
}

export interface HourSample {
  readonly hour: number;
  readonly value: number;
}

/**
 * A step without a sample has the value of the last one before it: there is one wherever something changed. `samples` are in the order
 * of time, and begin with the last one before the range.
 */
export function gaugePoints(range: SeriesRange, samples: readonly HourSample[], ofStep: 'last' | 'highest', nowMs: number): Points {
  let next = 0;
  let last: number | null = null;
  return pointsOf(range, (step) => {
    // What there will be nobody knows.
    if (step * range.stepHours * HOUR_MS > nowMs) return null;
    const firstHour = step * range.stepHours;
    for (; (samples[next]?.hour ?? Number.POSITIVE_INFINITY) < firstHour; next++) last = (samples[next] as HourSample).value;
    let highest: number | null = null;
    for (; (samples[next]?.hour ?? Number.POSITIVE_INFINITY) < firstHour + range.stepHours; next++) {
      last = (samples[next] as HourSample).value;
      highest = Math.max(highest ?? last, last);
    }
    return ofStep === 'highest' ? (highest ?? last) : last;
  });
}

/** The total where every part has a value. */
export function addPoints(parts: readonly Points[]): Points {
  const [first = [], ...others] = parts;
  return first.map(({ at, value }, index) => ({
    at,
    value: others.reduce<number | null>((sum, points) => (sum === null ? null : sum + (points[index]?.value ?? 0)), value),
  }));
}
