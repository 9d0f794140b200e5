import { expect, test } from 'vitest';
import { hourOf } from '../roll-ups/hourly-values.ts';
import { gaugePoints, pointsOf, resolveRange } from './rules.ts';

const at = (text: string) => Date.parse(`2026-11-${text}Z`);
const now = at('15T12:34:56.789');
const stepsOf = (since?: string, until?: string, step?: 'hour' | 'day') =>
  pointsOf(resolveRange({ since: since && `2026-11-${since}Z`, until: until && `2026-11-${until}Z`, step }, now), () => 0).map(
    (point) => point.at,
  );

test('a range is made of the steps from that of its beginning to that of its end', () => {
  expect(stepsOf('14T00:00:00', '15T00:00:00', 'day')).toEqual(['2026-11-14T00:00:00.000Z']);
  expect(stepsOf('13T23:59:59.999', '15T00:00:00.001', 'day')).toEqual([
    '2026-11-13T00:00:00.000Z',
    '2026-11-14T00:00:00.000Z',
    '2026-11-15T00:00:00.000Z',
  ]);
  expect(stepsOf('14T23:59:59.999', '15T01:00:00', 'hour')).toEqual(['2026-11-14T23:00:00.000Z', '2026-11-15T00:00:00.000Z']);
  expect(stepsOf('15T07:10:00', '15T07:10:00.001')).toEqual(['2026-11-15T07:00:00.000Z']);
});

test('unless told, it is the last seven days, in hours up to three days and in days beyond', () => {
  expect(resolveRange({}, now)).toMatchObject({
    since: '2026-11-08T12:34:56.789Z',
    until: '2026-11-15T12:34:56.789Z',
    step: 'day',
    stepCount: 8,
  });
  expect(resolveRange({ since: '2026-11-12T12:34:56.789Z' }, now)).toMatchObject({ step: 'hour', stepCount: 73 });
  expect(resolveRange({ since: '2026-11-12T12:34:56.788Z' }, now)).toMatchObject({ step: 'day', stepCount: 4 });
  expect(resolveRange({ until: '2026-01-08T00:00:00.000Z' }, now)).toMatchObject({ since: '2026-01-01T00:00:00.000Z', stepCount: 7 });
});

test('a thousand steps are given, and more refused; so is a range that ends before it begins', () => {
  const until = '2026-11-15T00:00:00.000Z';
  const before = (hours: number) => new Date(Date.parse(until) - hours * 3_600_000).toISOString();
  expect(resolveRange({ since: before(1000), until, step: 'hour' }, now).stepCount).toBe(1000);
  expect(() => resolveRange({ since: before(1001), until, step: 'hour' }, now)).toThrow(/not have more than 1000 steps.*1001 of one hour/);
  expect(() => resolveRange({ since: '0001-01-01T00:00:00.000Z', until: '9999-12-31T23:59:59.999Z' }, now)).toThrow(/1000 steps/);
  for (const since of [until, before(-1)]) expect(() => resolveRange({ since, until }, now)).toThrow('Since must be before until');
  // From now on, until now.
  expect(() => resolveRange({ since: '2026-11-15T12:34:56.789Z' }, now)).toThrow('Since must be before until');
});

test('what there was holds until something else is seen, is nothing before the first sample and unknown after now', () => {
  const range = resolveRange({ since: '2026-11-15T08:00:00.000Z', until: '2026-11-15T14:00:00.000Z' }, now);
  const values = (samples: [string, number][], ofStep: 'last' | 'highest', of = range) =>
    gaugePoints(
      of,
      samples.map(([hour, value]) => ({ hour: hourOf(at(`${hour}:00:00`)), value })),
      ofStep,
      now,
    ).map(({ value }) => value);
  expect(
    values(
      [
        ['15T09', 4],
        ['15T11', 1],
      ],
      'last',
    ),
  ).toEqual([null, 4, 4, 1, 1, null]);
  expect(
    values(
      [
        ['10T03', 7],
        ['15T09', 0],
      ],
      'highest',
    ),
  ).toEqual([7, 0, 0, 0, 0, null]);
  expect(values([], 'last')).toEqual([null, null, null, null, null, null]);
  const days = resolveRange({ since: '2026-11-13T00:00:00.000Z', until: '2026-11-16T00:00:00.000Z', step: 'day' }, now);
  const samples: [string, number][] = [
    ['13T05', 9],
    ['13T06', 2],
    ['15T01', 3],
  ];
  expect(values(samples, 'last', days)).toEqual([2, 2, 3]);
  expect(values(samples, 'highest', days)).toEqual([9, 2, 3]);
});
