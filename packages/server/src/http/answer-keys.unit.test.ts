import fc from 'fast-check';
import Fastify from 'fastify';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { keysCheck } from './answer-keys.ts';
import { serializerSchema } from './json-schema.ts';

const Item = z.object({
  id: z.string(),
  count: z.int(),
  note: z.string().nullable(),
  meta: z.record(z.string(), z.unknown()),
  labels: z.record(z.string(), z.string()).optional(),
  by: z.object({ name: z.string() }).nullable(),
});
const Answer = z.object({ items: z.array(Item), total: z.int() });
const hasContractKeys = keysCheck(serializerSchema(Answer)) as (answer: unknown) => boolean;
const write = await compiledSerializer();

const anyItem = fc.record(
  {
    id: fc.string(),
    count: fc.integer(),
    note: fc.option(fc.string()),
    meta: fc.dictionary(fc.string(), fc.jsonValue()),
    labels: fc.dictionary(fc.string(), fc.string()),
    by: fc.option(fc.record({ name: fc.string() })),
  },
  { requiredKeys: ['id', 'count', 'note', 'meta', 'by'] },
);
const anyAnswer = fc.record({ items: fc.array(anyItem), total: fc.integer() });

test('an answer as the contract has it is written as the compiled serializer would', () => {
  fc.assert(
    fc.property(anyAnswer, (answer) => {
      expect(hasContractKeys(answer)).toBe(true);
      expect(JSON.parse(JSON.stringify(answer))).toEqual(JSON.parse(write(answer)));
    }),
  );
});

test('a key that the contract does not name is never written, wherever it is', () => {
  fc.assert(
    fc.property(anyAnswer, fc.constantFrom('answer', 'item', 'by'), (answer, place) => {
      const secret = { passwordHash: 'x' };
      const item = {
        id: 'a',
        count: 1,
        note: null,
        meta: {},
        by: { name: 'Ann', ...(place === 'by' && secret) },
        ...(place === 'item' && secret),
      };
      const leaking = { ...answer, items: [...answer.items, item], ...(place === 'answer' && secret) };
      expect(hasContractKeys(leaking)).toBe(false);
      expect(write(leaking)).not.toContain('passwordHash":"x');
    }),
  );
});

test('what lacks a key, or is of another kind, is left to the compiled serializer', () => {
  const item = { id: 'a', count: 1, note: null, meta: {}, by: null };
  expect(hasContractKeys({ items: [item], total: 1 })).toBe(true);
  for (const answer of [
    { items: [item] },
    { items: [{ ...item, id: undefined }], total: 1 },
    { items: item, total: 1 },
    null,
    'text',
    { items: [null], total: 1 },
  ])
    expect([answer, hasContractKeys(answer)]).toEqual([answer, false]);
});

async function compiledSerializer(): Promise<(answer: unknown) => string> {
  const server = Fastify();
  let compiled: unknown;
  server.get('/', { schema: { response: { 200: serializerSchema(Answer) } } }, (_request, reply) => {
    compiled = reply.getSerializationFunction('200');
    return { items: [], total: 0 };
  });
  await server.inject('/');
  return compiled as (answer: unknown) => string;
}
