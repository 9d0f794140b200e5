import type { Series } from '@commonplace/client';
import { expect, test } from 'vitest';
import { chartOf, isBlank, seriesOf, totalOf } from './series-data.ts';

const days = ['2026-11-14T00:00:00.000Z', '2026-11-15T00:00:00.000Z'];
const pointsOf = (values: readonly (number | null)[]) => values.map((value, at) => ({ at: days[at] as string, value }));

function series(metric: Series['metric'], values: (number | null)[], groups: Record<string, (number | null)[]> = {}): Series {
  const isTime = metric === 'searchLatency';
  return {
    metric,
    unit: isTime ? 'milliseconds' : 'count',
    kind: isTime || metric === 'documents' ? 'gauge' : 'sum',
    since: days[0] as string,
    until: days[1] as string,
    step: 'day',
    points: pointsOf(values),
    groups: Object.entries(groups).map(([id, own]) => ({
      id,
      name: id.startsWith('key') ? id.toUpperCase() : null,
      points: pointsOf(own),
    })),
  };
}

test('of many keys the three that call most are named, and the rest is added up', () => {
  const groups = { key1: [1, 1], key2: [9, 9], users: [5, 5], other: [1, 0], key3: [3, 3], '0199a7c4-3b1e': [4, 4] };
  const drawn = seriesOf(series('calls', [23, 22], groups), 'Calls');
  expect(drawn.map(({ label }) => label)).toEqual(['KEY2', 'People', 'Deleted key 0199a7c4', 'Others']);
  expect(drawn.at(-1)?.values).toEqual([5, 4]);
  expect(new Set(drawn.map(({ look }) => look)).size).toBe(4);
});

test('kinds keep their order and their look; what there is none of is left out', () => {
  const drawn = seriesOf(series('memories', [3, 2], { summary: [1, 0], fact: [0, 0], preference: [2, 2] }), 'Memories');
  expect(drawn.map(({ id, look }) => [id, look])).toEqual([
    ['preference', 'k-preference'],
    ['summary', 's0'],
  ]);
});

test('without parts it is one line', () => {
  expect(seriesOf(series('messages', [3, 2]), 'Messages')).toEqual([{ id: 'messages', label: 'Messages', look: 's1', values: [3, 2] }]);
});

test('what it shows is said in a sentence', () => {
  expect(chartOf(series('messages', [1200, 40]), 'Messages', 'lines').finding).toBe(
    'Messages over 2 days: 1,240, most on 14 Nov with 1,200.',
  );
  expect(chartOf(series('messages', [0, 0]), 'Messages', 'lines').finding).toBe('Messages over 2 days: none.');
  expect(chartOf(series('searchLatency', [12, null], { p50: [12, null], p95: [40, null] }), 'Median', 'lines').finding).toBe(
    'Median over 2 days: 12 ms at the end, most on 14 Nov with 12 ms.',
  );
  expect(chartOf(series('searchLatency', [null, null]), 'Median', 'lines').finding).toContain('nothing was measured');
});

test('a series without anything is blank', () => {
  expect(isBlank(series('messages', [0, null]))).toBe(true);
  expect(isBlank(series('documents', [0, 0], { failed: [0, 1] }))).toBe(false);
  expect(totalOf(series('messages', [2, null]))).toBe(2);
});
