import type { MemoryEvent } from '@commonplace/client';
import { expect, test } from 'vitest';
import { describeHistory } from './describe-history.ts';

const event = (name: MemoryEvent['event'], memoryId: string, content: string | null): MemoryEvent => ({
  event: name,
  at: '2026-11-15T09:00:00.000Z',
  memoryId,
  messageId: null,
  content,
  supersededBy: null,
  reason: null,
});

test('the newest is on top and holds; what was replaced is struck through with what it said', () => {
  const described = describeHistory(
    [
      event('created', 'old', 'Closed on Sundays'),
      event('superseded', 'old', null),
      event('created', 'new', 'Closed on Mondays'),
      event('repeated', 'new', null),
    ],
    'new',
  );
  expect(described.map(({ said, ended, now }) => [said, ended, now])).toEqual([
    ['Closed on Mondays', false, true],
    ['Closed on Mondays', false, false],
    ['Closed on Sundays', true, false],
    ['Closed on Sundays', false, false],
  ]);
});

test('what was withdrawn or expired does not hold', () => {
  for (const end of ['withdrawn', 'expired', 'superseded'] as const)
    expect(describeHistory([event('created', 'one', 'A'), event(end, 'one', null)], 'one').some(({ now }) => now)).toBe(false);
});
