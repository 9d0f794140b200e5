/** Serializers of answers, each compiled from the contract when it first writes one: all of them at once would be a tenth of the start. */
import fastJson from 'fast-json-stringify';
import type { z } from 'zod';
import { serializerSchema } from './json-schema.ts';

type Write = (answer: unknown) => string;

const writers = new WeakMap<z.ZodType, Write>();

export function writerOf(body: z.ZodType): Write {
  const known = writers.get(body);
  if (known) return known;
  const write: Write = fastJson(serializerSchema(body));
  writers.set(body, write);
  return write;
}

const compileNothing = (): never => {
  throw new Error('Fastify is given no schema');
};

/** In place of Fastify's own, which it loads whether it needs them or not: routes validate and write by the contract. */
export const noSchemaCompilers = { buildValidator: compileNothing, buildSerializer: compileNothing };
