import { expect, test } from 'vitest';
import { BUDGET_STEPS, budgetAt, clampBudget, contextRequest, readLabels, stepOf } from './request.ts';
import { readContextSearch } from './search-params.ts';

test('the slider goes from 200 to 200,000 by round numbers, each larger than the one before', () => {
  const budgets = Array.from({ length: BUDGET_STEPS + 1 }, (_, step) => budgetAt(step));
  expect([budgets[0], budgets.at(-1)]).toEqual([200, 200_000]);
  for (const [step, budget] of budgets.entries()) {
    expect(budget).toBeGreaterThanOrEqual(budgets[step - 1] ?? 0);
    expect(Math.abs(stepOf(budget) - step)).toBeLessThanOrEqual(2);
    expect(budget % 10).toBe(0);
  }
  expect([clampBudget(1), clampBudget(1e9), clampBudget(1234.4)]).toEqual([200, 200_000, 1234]);
});

test('labels are read line by line, and what is none is named', () => {
  expect(readLabels(' customer = holt=1 \n\nregion=\nnonsense\n=x')).toEqual({
    labels: { customer: 'holt=1', region: '' },
    wrong: ['nonsense', '=x'],
  });
});

test('the request says only what differs', () => {
  expect(contextRequest(readContextSearch({}), {})).toEqual({ tokenBudget: 4000, explain: true });
  const search = readContextSearch({ q: 'x', budget: '100', include: 'messages prompt nothing', version: 3, variables: { a: 'b', c: 1 } });
  expect(search).toMatchObject({ include: 'prompt messages', version: '3', variables: { a: 'b' } });
  expect(contextRequest(search, { a: 'b' })).toEqual({
    query: 'x',
    tokenBudget: 200,
    include: ['prompt', 'messages'],
    variables: { a: 'b' },
    version: '3',
    explain: true,
  });
});
