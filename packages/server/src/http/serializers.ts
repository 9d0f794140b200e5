/** Serializers of answers, each made from the contract when it first writes one: all of them at once would be a tenth of the start. */
import fastJson from 'fast-json-stringify';
import type { z } from 'zod';
import { keysCheck } from './answer-keys.ts';
import { writePieces } from './answer-pieces.ts';
import { type JsonSchema, serializerSchema } from './json-schema.ts';

/** Nothing leaves that the contract does not name, and what has its keys and no others is written as it is. */
export class Serializer {
  readonly #schema: JsonSchema;
  readonly #hasContractKeys: (answer: unknown) => boolean;
  #compiled: ((answer: unknown) => string) | undefined;

  constructor(body: z.ZodType) {
    this.#schema = serializerSchema(body);
    this.#hasContractKeys = keysCheck(this.#schema) ?? (() => true);
  }

  write(answer: unknown): string {
    return this.#hasContractKeys(answer) ? this.writeAsItIs(answer) : this.compile()(answer);
  }

  /** The same text in pieces, of an answer that is long. */
  *writePieces(answer: Record<string, unknown>): Generator<string, void> {
    if (this.#hasContractKeys(answer)) yield* writePieces(answer);
    else yield this.compile()(answer);
  }

  /** Nothing compiled is as fast. */
  writeAsItIs(answer: unknown): string {
    return JSON.stringify(answer);
  }

  compile(): (answer: unknown) => string {
    this.#compiled ??= fastJson(this.#schema);
    return this.#compiled;
  }
}

const serializers = new WeakMap<z.ZodType, Serializer>();

export function serializerOf(body: z.ZodType): Serializer {
  const known = serializers.get(body);
  if (known) return known;
  const serializer = new Serializer(body);
  serializers.set(body, serializer);
  return serializer;
}

const compileNothing = (): never => {
  throw new Error('Fastify is given no schema');
};

/** In place of Fastify's own, which it loads whether it needs them or not: routes validate and write by the contract. */
export const noSchemaCompilers = { buildValidator: compileNothing, buildSerializer: compileNothing };
