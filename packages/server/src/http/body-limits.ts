/** How large a body may be, by route: as large as its schema allows, and small where it declares none. */
import { z } from 'zod';
import type { JsonSchema } from './json-schema.ts';
import type { UploadDeclaration } from './upload.ts';

const KIBIBYTE = 1024;
export const SMALLEST_LIMIT_BYTES = 64 * KIBIBYTE;
export const LARGEST_LIMIT_BYTES = 10 * KIBIBYTE * KIBIBYTE;

/** A client may write every character as `\uXXXX`, and one beyond the first 65,536 as two of them. */
const ESCAPED_BYTE = 6;
const ESCAPED_CHARACTER = 12;
const UTF8_CHARACTER = 4;
const LONGEST_NUMBER = 32;
/** White space, and keys that nobody asked for. */
const SLACK_BYTES = 4 * KIBIBYTE;

interface Receiving {
  readonly body?: z.ZodType;
  readonly upload?: UploadDeclaration;
}

/** Throws for a schema that has no most: such a route can't be declared. */
export function bodyLimitOf({ body, upload }: Receiving): number {
  const fields = Object.values(upload?.fields ?? {}).map((field) => longestFieldBytes(field));
  const largest = upload ? fields.reduce((sum, bytes) => sum + bytes, upload.largestBytes) : body ? largestJsonBytes(body) : 0;
  let limit = SMALLEST_LIMIT_BYTES;
  while (limit < largest + SLACK_BYTES) limit *= 2;
  return Math.min(limit, LARGEST_LIMIT_BYTES);
}

/** Of a field of a form, which escapes nothing. */
export function longestFieldBytes(field: z.ZodType): number {
  const { maxLength } = inputSchema(field);
  if (typeof maxLength !== 'number') throw new Error('A field of a form has no most');
  return maxLength * UTF8_CHARACTER;
}

/** The most bytes of JSON that a schema takes, however a client writes them. */
export function largestJsonBytes(schema: z.ZodType): number {
  const described = inputSchema(schema);
  return bytesOf(described, (described.$defs ?? {}) as JsonSchema, '');
}

export function inputSchema(schema: z.ZodType): JsonSchema {
  return z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as JsonSchema;
}

function bytesOf(schema: JsonSchema, defs: JsonSchema, path: string): number {
  const inner = (part: unknown, name: string) => bytesOf(part as JsonSchema, defs, `${path}${name}`);
  const unbounded = (what: string) => new Error(`${path || 'The schema'} has no most: ${what}`);
  if (typeof schema.$ref === 'string') return inner(defs[schema.$ref.replace('#/$defs/', '')], '');
  const choices = (schema.anyOf ?? schema.oneOf) as JsonSchema[] | undefined;
  if (choices) return Math.max(...choices.map((choice) => inner(choice, '')));
  const values = (schema.enum ?? ('const' in schema ? [schema.const] : undefined)) as unknown[] | undefined;
  if (values) return Math.max(...values.map((value) => JSON.stringify(value).length)) * ESCAPED_BYTE;
  if (typeof schema['x-max-bytes'] === 'number') return schema['x-max-bytes'] * ESCAPED_BYTE + 2;
  switch (Array.isArray(schema.type) ? schema.type.find((type) => type !== 'null') : schema.type) {
    case 'null':
    case 'boolean':
      return 5;
    case 'integer':
    case 'number':
      return LONGEST_NUMBER;
    case 'string':
      if (schema.format === 'uuid') return 36 * ESCAPED_BYTE + 2;
      if (typeof schema.maxLength !== 'number') throw unbounded('a string needs a length; make it with text()');
      return schema.maxLength * ESCAPED_CHARACTER + 2;
    case 'array':
      if (typeof schema.maxItems !== 'number') throw unbounded('an array needs a number of items; make it with listOf()');
      return 2 + schema.maxItems * (inner(schema.items, '[]') + 1);
    case 'object':
      return objectBytes(schema, inner, unbounded);
    default:
      throw unbounded('it says nothing of its type');
  }
}

function objectBytes(schema: JsonSchema, inner: (part: unknown, name: string) => number, unbounded: (what: string) => Error): number {
  const { properties, additionalProperties, propertyNames, maxProperties } = schema;
  let bytes = 2;
  for (const [name, property] of Object.entries((properties ?? {}) as JsonSchema)) {
    bytes += name.length * ESCAPED_BYTE + 4 + inner(property, `.${name}`);
  }
  if (additionalProperties === undefined || additionalProperties === false) {
    if (properties === undefined) throw unbounded('an object needs properties, or a number of keys; make it with mapOf()');
    return bytes;
  }
  const longestKey = (propertyNames as JsonSchema | undefined)?.maxLength;
  if (typeof maxProperties !== 'number' || typeof longestKey !== 'number')
    throw unbounded('a map needs a number of keys; make it with mapOf()');
  return bytes + maxProperties * (longestKey * ESCAPED_CHARACTER + 4 + inner(additionalProperties, '.*'));
}

/** `64 KiB`, `10 MiB`. */
export function describeLimit(bytes: number): string {
  const mebibytes = bytes / (KIBIBYTE * KIBIBYTE);
  return mebibytes >= 1 ? `${mebibytes} MiB` : `${bytes / KIBIBYTE} KiB`;
}
