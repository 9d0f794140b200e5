import { expect, test } from 'vitest';
import type { Operation, Reference } from '../document.ts';
import { type FormState, fillCall, findProblem } from './form-state.ts';
import type { TypedKeys } from './typed-keys.ts';

const operation = {
  path: '/api/v1/agents',
  parameters: [{ name: 'labels', in: 'query', schema: { type: 'object' } }],
} as unknown as Operation;
const typed = (labels: string): FormState => ({ caller: '', values: { 'query labels': labels }, body: '', file: undefined });
const noKeys = { of: () => '' } as unknown as TypedKeys;
const queryOf = (labels: string) => fillCall(operation, { schemes: {} } as unknown as Reference, typed(labels), noKeys).query;

test('a map is sent as its own keys, and a comma at the end is nothing', () => {
  expect(queryOf('team=support, user=a=b,')).toEqual([
    ['team', 'support'],
    ['user', 'a=b'],
  ]);
});

test('a key without a value is refused before it is sent, and never sent as undefined', () => {
  expect(findProblem(operation, typed('team=support'))).toBeUndefined();
  expect(findProblem(operation, typed('user=42, team'))).toBe('labels: team has no value. Write team=value.');
  expect(queryOf('team')).toEqual([['team', '']]);
});
