import { expect, test } from 'vitest';
import { fieldsOf, KnownForm, simplerForm } from './forms.ts';

const best = { format: 0, temperature: true };

test('each refusal makes the request simpler, until nothing is left', () => {
  const second = simplerForm(best, 'no');
  const third = second && simplerForm(second, 'no');
  expect(fieldsOf(best)).toMatchObject({ temperature: 0, response_format: { type: 'json_schema' } });
  expect(second && fieldsOf(second)).toEqual({ temperature: 0, response_format: { type: 'json_object' } });
  expect(third && fieldsOf(third)).toEqual({ temperature: 0 });
  expect(third && simplerForm(third, 'no')).toBeUndefined();
});

test.for([
  ['{"error": {"param": "temperature", "message": "no"}}', false],
  [`{"error": {"message": "Unsupported value: 'temperature' does not support 0"}}`, false],
  ['{"error": {"message": "no such format"}, "request": {"temperature": 0}}', true],
  ['temperature', true],
] as const)('a refusal of the temperature leaves it out: %s', ([refusal, kept]) => {
  expect(simplerForm(best, refusal)).toEqual(kept ? { format: 1, temperature: true } : { format: 0, temperature: false });
});

test('what an endpoint took is remembered for a while', () => {
  let nowMs = 0;
  const known = new KnownForm(1_000, () => nowMs);
  expect(known.get()).toEqual(best);
  const simple = { format: 2, temperature: true };
  known.learn(simple);
  nowMs = 999;
  known.learn(simple);
  expect(known.get()).toBe(simple);
  nowMs = 1_000;
  expect(known.get()).toEqual(best);
  known.learn(known.get());
  expect(known.get()).toEqual(best);
});
