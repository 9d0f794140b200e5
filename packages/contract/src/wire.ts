/** What every resource is made of: ids, times, texts, JSON values, pages, errors. */
import { z } from 'zod';

export const Id = z
  .uuid()
  .toLowerCase()
  .meta({ examples: ['0199a7c4-3b1e-7c52-9d6f-2f4f0f6f1c11'] });

export const Time = z.iso.datetime({ offset: false, precision: 3 }).meta({ examples: ['2026-11-15T09:30:00.000Z'] });

/** Any moment that a caller may name: RFC 3339 with any offset, in the years that every database can hold. */
export const Moment = z.iso
  .datetime({ offset: true, abort: true })
  .refine((text) => !Number.isNaN(Date.parse(text)), 'must be a valid date-time')
  .transform((text) => new Date(text).toISOString())
  .refine((text) => /^\d{4}-/.test(text), 'must be a valid date-time')
  .meta({ examples: ['2026-12-31T23:59:59Z'] });

export interface TextLimits {
  min?: number;
  max?: number;
  /** Surrounding white space does not count and is not kept. */
  trim?: boolean;
}

/** A string that both databases can hold; its length is counted in code points. */
export function text({ min = 0, max = Number.POSITIVE_INFINITY, trim = false }: TextLimits = {}) {
  const bounds = { ...(min > 0 && { minLength: min }), ...(Number.isFinite(max) && { maxLength: max }) };
  return (trim ? z.string().trim() : z.string())
    .check((context) => {
      const value = context.value;
      const issue = { origin: 'string', inclusive: true, input: value } as const;
      if (!isStorable(value)) {
        context.issues.push({ code: 'custom', message: 'must not contain NUL or unpaired surrogate characters', input: value });
      } else if (value.length < min * 2 && lengthOf(value) < min) {
        context.issues.push({ code: 'too_small', minimum: min, ...issue });
      } else if (value.length > max && lengthOf(value) > max) {
        context.issues.push({ code: 'too_big', maximum: max, ...issue });
      }
    })
    .meta(bounds);
}

/** PostgreSQL keeps no NUL, and UTF-8 has no unpaired surrogates. */
export function isStorable(value: string): boolean {
  return !value.includes('\0') && value.isWellFormed();
}

export function lengthOf(value: string): number {
  let length = 0;
  for (const _ of value) length++;
  return length;
}

/** `meta` and `config` on write: a string holding JSON, or a JSON object as it is. */
export const JsonText = z
  .unknown()
  .optional()
  .transform((value, context): unknown => {
    if (value === undefined || value === null) return value;
    if (typeof value === 'object' && !Array.isArray(value)) return value;
    if (typeof value === 'string') {
      try {
        return JSON.parse(value) as unknown;
      } catch {
        // Reported below with everything else that is not JSON.
      }
    }
    context.issues.push({ code: 'custom', message: 'must be valid JSON', input: value });
    return z.NEVER;
  })
  .meta({
    anyOf: [{ type: 'string', contentMediaType: 'application/json' }, { type: 'object' }, { type: 'null' }],
    examples: ['{"source":"import"}'],
  });

/** As `JsonText`, kept as the text that it was sent as. */
export const KeptJsonText = z
  .unknown()
  .optional()
  .transform((value, context): string | null | undefined => {
    const parsed = JsonText.safeParse(value);
    if (!parsed.success) {
      context.issues.push({ code: 'custom', message: 'must be valid JSON', input: value });
      return z.NEVER;
    }
    if (value === undefined || value === null) return value;
    return typeof value === 'string' ? value : JSON.stringify(value);
  })
  .meta({ anyOf: [{ type: 'string', contentMediaType: 'application/json' }, { type: 'object' }, { type: 'null' }] });

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
    ids: z
      .array(Id)
      .min(1)
      .max(100)
      .transform((ids) => [...new Set(ids)]),
  })
  .meta({ id: 'IdList', examples: [{ ids: ['0199a7c4-3b1e-7c52-9d6f-2f4f0f6f1c40'] }] });

/** A filter of a list; an empty one is none. */
export function filter<Schema extends z.ZodType>(schema: Schema) {
  return z.preprocess((value) => (value === '' ? undefined : value), schema.optional());
}
