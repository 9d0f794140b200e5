import { expect, test } from 'vitest';
import { Descriptions } from './descriptions.ts';
import type { Description } from './protocol.ts';

const described = (rest: Partial<Description> = {}): Description => ({
  ...{ size: 3, bytes: 100, vectorlessCount: 0, isPaged: false, vectorless: [], speakers: ['Ann'] },
  ...rest,
});

test('a scope is described as it was until something is asked that may change it', async () => {
  const descriptions = new Descriptions();
  expect(descriptions.find('a#1')).toBeUndefined();
  expect(await descriptions.keep('a#1', async () => described())).toEqual(described());
  for (const op of ['search', 'goOn', 'vectorless', 'planSave', 'encodePart', 'noteSaved'] as const)
    descriptions.noteQuestion({ op, scope: 'a#1' });
  descriptions.noteQuestion({ op: 'upsert', scope: 'another#1' });
  expect(descriptions.find('a#1')).toEqual(described());
  descriptions.noteSize('a#1', { size: 3, bytes: 400 });
  expect(descriptions.find('a#1')).toEqual(described({ bytes: 400 }));
});

test.for(['open', 'upsert', 'append', 'appendPaged', 'leaveAtRest', 'compare', 'remove', 'removeThread', 'addVectors', 'drop'] as const)(
  'nothing is remembered of a scope from before "%s"',
  async (op) => {
    const descriptions = new Descriptions();
    await descriptions.keep('a#1', async () => described());
    descriptions.noteQuestion({ op, scope: 'a#1' });
    expect(descriptions.find('a#1')).toBeUndefined();
    // Also where it was asked for before that, and answered after.
    const asked = Promise.withResolvers<Description>();
    const answer = descriptions.keep('a#1', () => asked.promise);
    descriptions.noteQuestion({ op, scope: 'a#1' });
    asked.resolve(described());
    expect(await answer).toEqual(described());
    expect(descriptions.find('a#1')).toBeUndefined();
  },
);

test('what waits for vectors, or is not held, is asked for anew', async () => {
  const descriptions = new Descriptions();
  await descriptions.keep('a#1', async () => described({ vectorlessCount: 1 }));
  await descriptions.keep('b#1', async () => undefined);
  await expect(descriptions.keep('c#1', async () => Promise.reject(new Error('ended')))).rejects.toThrow('ended');
  for (const scope of ['a#1', 'b#1', 'c#1']) expect(descriptions.find(scope)).toBeUndefined();
});

test('of many scopes those are remembered that were used last', async () => {
  const descriptions = new Descriptions();
  for (let n = 0; n < 600; n++) {
    await descriptions.keep(`${n}#1`, async () => described());
    descriptions.find('0#1');
  }
  const known = Array.from({ length: 600 }, (_, n) => n).filter((n) => descriptions.find(`${n}#1`));
  expect(known).toHaveLength(500);
  expect(known).toEqual([0, ...Array.from({ length: 499 }, (_, n) => n + 101)]);
});
