import { expect, test } from 'vitest';
import type { TestSpecification } from 'vitest/node';
import { planOf } from '../../../scripts/test-progress.ts';

const specification = (name: string) => ({ project: { name } }) as TestSpecification;

function planFor(names: readonly string[], lastMs: number | undefined) {
  const cache = { getTestSpecificationResult: () => (lastMs === undefined ? undefined : { duration: lastMs, failed: false }) };
  const vitest = { cache, config: { maxWorkers: 2 } } as unknown as Parameters<typeof planOf>[0];
  return planOf(vitest, names.map(specification), 'from somewhere');
}

test('a run begins with what it will do, where PostgreSQL comes from and how long it takes', () => {
  const names = [...Array<string>(30).fill('embedded'), ...Array<string>(30).fill('postgres'), ...Array<string>(60).fill('once')];
  expect(planFor(names, undefined)).toEqual([
    '120 test files: 30 on SQLite, 30 on PostgreSQL, 60 once.',
    'PostgreSQL: from somewhere.',
    'About 7 minutes on a machine with two free cores.',
  ]);
});

test('how long it takes is known from the last run, where there was one', () => {
  expect(planFor(Array<string>(10).fill('once'), 59_000).at(-1)).toBe('About 5 minutes on a machine with two free cores.');
  expect(planFor(['once'], 10).at(-1)).toBe('About 1 minute on a machine with two free cores.');
});
