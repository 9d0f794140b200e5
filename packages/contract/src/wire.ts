/** What every resource is made of: ids, times, texts, lists, maps, JSON values, pages, errors. All that a client sends has a most. */
import { z } from 'zod';
import { LARGEST_JSON_BYTES, META_LIMITS, readJsonObject } from './json.ts';
import { exceedsBytes, exceedsLength, isStorable, lengthOf } from './lengths.ts';

/** Of one `content`: of a message, a memory or a prompt. */
export const LARGEST_CONTENT_BYTES = 1_000_000;
/** More than so many complaints help nobody, and are not looked for. */
export const MOST_DETAILS = 20;

export const Id = z
  .uuid()
  .toLowerCase()
  .meta({ examples: ['0199a7c4-3b1e-7c52-9d6f-2f4f0f6f1c11'] });

export const Time = z.iso.datetime({ offset: false, precision: 3 }).meta({ examples: ['2026-11-15T09:30:00.000Z'] });

/** Any moment that a caller may name: RFC 3339 with any offset, in the years that every database can hold. */
export const Moment = z.iso
  .datetime({ offset: true, abort: true })
  .max(64, { abort: true })
  .refine((text) => !Number.isNaN(Date.parse(text)), 'must be a valid date-time')
  .transform((text) => new Date(text).toISOString())
  .refine((text) => /^(?!0000)\d{4}-/.test(text), 'must be a valid date-time')
  .meta({ examples: ['2026-01-15T09:30:00Z'] });

/** One that has to lie in the future. */
export const FutureMoment = Moment.meta({ examples: ['2099-12-31T23:59:59Z'] });

interface TextForm {
  min?: number;
  /** Surrounding white space does not count and is not kept. */
  trim?: boolean;
}
/** A most is no option: a text without one does not compile. */
export type TextLimits = TextForm & ({ max: number; maxBytes?: never } | { maxBytes: number; max?: never });

/** A string that both databases can hold. `max` counts code points, `maxBytes` bytes of UTF-8. */
export function text({ min = 0, max, maxBytes, trim = false }: TextLimits) {
  return (trim ? z.string().trim() : z.string())
    .check((context) => {
      const value = context.value;
      const issue = { origin: 'string', inclusive: true, input: value } as const;
      if (max !== undefined && exceedsLength(value, max)) {
        context.issues.push({ code: 'too_big', maximum: max, ...issue });
      } else if (maxBytes !== undefined && exceedsBytes(value, maxBytes)) {
        context.issues.push({ code: 'custom', message: `must not exceed ${maxBytes / 1_000_000} MB`, input: value });
      } else if (!isStorable(value)) {
        context.issues.push({ code: 'custom', message: 'must not contain NUL or unpaired surrogate characters', input: value });
      } else if (value.length < min * 2 && lengthOf(value) < min) {
        context.issues.push({ code: 'too_small', minimum: min, ...issue });
      }
    })
    .meta({ ...(min > 0 && { minLength: min }), maxLength: max ?? maxBytes, ...(maxBytes !== undefined && { 'x-max-bytes': maxBytes }) });
}

/** The `content` of whatever has one. */
export const Content = text({ min: 1, maxBytes: LARGEST_CONTENT_BYTES });

/** Counted before any of its items is looked at. */
export function listOf<Item extends z.ZodType>(item: Item, { min = 0, max }: { min?: number; max: number }): z.ZodArray<Item> {
  const list = z.array(item).max(max);
  return min > 0 ? list.min(min) : list;
}

export interface MapLimits {
  /** What one of its entries is called: `Label`. */
  noun: string;
  /** Of keys. */
  max: number;
  maxKeyLength: number;
}

/** String to whatever `value` is; its keys are counted before any value is looked at. Every key is data, `__proto__` too. */
export function mapOf<Value extends z.ZodType>(value: Value, { noun, max, maxKeyLength }: MapLimits) {
  const { $schema: _, ...valueSchema } = z.toJSONSchema(value, { io: 'input' });
  return z
    .unknown()
    .transform((sent, context): Record<string, z.output<Value>> => {
      if (typeof sent !== 'object' || sent === null || Array.isArray(sent)) {
        context.issues.push({ code: 'invalid_type', expected: 'record', input: sent });
        return z.NEVER;
      }
      const keys = Object.keys(sent);
      const message = keys.length > max ? `${noun}s must not have more than ${max} items` : keyComplaint(keys, noun, maxKeyLength);
      if (message) {
        context.issues.push({ code: 'custom', message, input: sent });
        return z.NEVER;
      }
      const entries: [string, z.output<Value>][] = [];
      for (const key of keys) {
        const result = value.safeParse((sent as Record<string, unknown>)[key]);
        if (result.success) entries.push([key, result.data]);
        else context.issues.push(...result.error.issues.map((issue) => valueIssue(issue, noun, key, sent)));
        if (context.issues.length >= MOST_DETAILS) break;
      }
      // Defines its properties and assigns none: `__proto__` is one like any other.
      return Object.fromEntries(entries);
    })
    .meta({
      type: 'object',
      maxProperties: max,
      propertyNames: { type: 'string', maxLength: maxKeyLength },
      additionalProperties: valueSchema,
    });
}

function keyComplaint(keys: readonly string[], noun: string, maxKeyLength: number): string | undefined {
  for (const key of keys) {
    if (key === '') return `${noun} key is required`;
    if (exceedsLength(key, maxKeyLength)) return `${noun} key must not exceed ${maxKeyLength} characters`;
    if (!isStorable(key)) return `${noun}s must not contain NUL or unpaired surrogate characters`;
  }
  return undefined;
}

function valueIssue(issue: z.core.$ZodIssue, noun: string, key: string, input: unknown): z.core.$ZodRawIssue {
  if (issue.code === 'too_big') return { code: 'custom', message: `${noun} value must not exceed ${issue.maximum} characters`, input };
  if (issue.code === 'custom') return { code: 'custom', message: `${noun} value ${issue.message}`, input };
  return { ...issue, path: [key, ...issue.path], input } as z.core.$ZodRawIssue;
}

const jsonLimits = { 'x-max-bytes': LARGEST_JSON_BYTES, 'x-max-values': META_LIMITS.values, 'x-max-keys': META_LIMITS.keys };

const jsonSchema = {
  anyOf: [
    { type: 'string', contentMediaType: 'application/json', maxLength: LARGEST_JSON_BYTES, ...jsonLimits },
    { type: 'object', ...jsonLimits },
    { type: 'null' },
  ],
};

/** `meta` and `config` on write: a string holding a JSON object, or the object as it is. */
export const JsonText = z
  .unknown()
  .optional()
  .transform((sent, context): unknown => {
    const reading = readJsonObject(sent);
    if (!('complaint' in reading)) return reading.value;
    context.issues.push({ code: 'custom', message: reading.complaint, input: sent });
    return z.NEVER;
  })
  .meta({ ...jsonSchema, examples: ['{"source":"import"}'] });

/** As `JsonText`, kept as the text that it was sent as. */
export const KeptJsonText = z
  .unknown()
  .optional()
  .transform((sent, context): string | null | undefined => {
    const reading = readJsonObject(sent);
    if ('text' in reading) return typeof sent === 'string' && isStorable(sent) ? sent : reading.text;
    if (!('complaint' in reading)) return reading.value;
    context.issues.push({ code: 'custom', message: reading.complaint, input: sent });
    return z.NEVER;
  })
  .meta(jsonSchema);

/** A JSON value on read. */
export const JsonValue = z.unknown().meta({ description: 'Any JSON value.', examples: [{}] });

export const Email = z
  .string()
  .trim()
  .toLowerCase()
  .max(254)
  .regex(/^[^\s@\0\p{Cs}]+@[^\s@\0\p{Cs}]+$/u, 'must be a valid e-mail address')
  .meta({ format: 'email', examples: ['ada@example.com'] });

/** Absent, empty and `limit=0` mean the default. */
function pageNumber(fallback: number, min: number, max: number, name: string) {
  return z
    .unknown()
    .optional()
    .transform((value, context): number => {
      if (value === undefined || value === '' || (name === 'limit' && value === '0')) return fallback;
      const number = typeof value === 'string' && /^\d{1,15}$/.test(value) ? Number(value) : Number.NaN;
      if (number >= min && number <= max) return number;
      const range = Number.isFinite(max) ? `must be a whole number from ${min} to ${max}` : `must be a whole number of ${min} or more`;
      context.issues.push({ code: 'custom', message: range, input: value });
      return z.NEVER;
    })
    .meta({ type: 'integer', minimum: name === 'limit' ? 0 : min, ...(Number.isFinite(max) && { maximum: max }), default: fallback });
}

export const Page = z.object({
  limit: pageNumber(50, 1, 100, 'limit').describe('How many to return, 1 to 100; 0 means the default.'),
  offset: pageNumber(0, 0, Number.POSITIVE_INFINITY, 'offset').describe('How many to pass over.'),
  cursor: z
    .string()
    .max(1000)
    .optional()
    .describe('`_meta.cursor` of the page before: goes on from there at the cost of a first page, whatever others write.'),
});
export type Page = z.infer<typeof Page>;

export const PageMeta = z.object({
  limit: z.int(),
  offset: z.int(),
  total: z.int(),
  cursor: z.string().optional().describe('Names the next page; absent on the last one.'),
});
export type PageMeta = z.infer<typeof PageMeta>;

/** `{ workspaces: [Workspace], _meta }` */
export function pageOf<Key extends string, Item extends z.ZodType>(key: Key, item: Item) {
  return z.object({ [key]: z.array(item), _meta: PageMeta } as { [K in Key]: z.ZodArray<Item> } & { _meta: typeof PageMeta });
}

export const ErrorBody = z
  .object({
    errorMessage: z.string(),
    code: z.string().optional(),
    details: z.array(z.object({ path: z.string(), message: z.string() })).optional(),
    requestId: z.string().optional(),
  })
  .meta({
    id: 'Error',
    examples: [{ errorMessage: 'Name is required', code: 'validation_failed', details: [{ path: 'name', message: 'Name is required' }] }],
  });
export type ErrorBody = z.infer<typeof ErrorBody>;

export const Ids = z
  .object({
    ids: listOf(Id, { min: 1, max: 100 }).transform((ids) => [...new Set(ids)]),
  })
  .meta({ id: 'IdList', examples: [{ ids: ['0199a7c4-3b1e-7c52-9d6f-2f4f0f6f1c40'] }] });

/** A filter of a list; an empty one is none. */
export function filter<Schema extends z.ZodType>(schema: Schema) {
  return z.preprocess((value) => (value === '' ? undefined : value), schema.optional());
}
