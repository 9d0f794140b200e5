/** A filter on `meta`: what its top-level keys must hold. */
import { z } from 'zod';
import { LARGEST_JSON_BYTES } from './json.ts';
import { exceedsBytes, exceedsLength, isStorable } from './lengths.ts';
import { mapOf } from './wire.ts';

export const MOST_WHERE_KEYS = 20;
export const LONGEST_WHERE_KEY = 200;
export const MOST_WHERE_VALUES = 50;
export const LONGEST_WHERE_VALUE = 1_000;

export type WhereScalar = string | number | boolean | null;

const scalarSchema = {
  anyOf: [{ type: 'string', maxLength: LONGEST_WHERE_VALUE }, { type: 'number' }, { type: 'boolean' }, { type: 'null' }],
};

/** One value or several, any of which will do. */
const WhereValue = z
  .unknown()
  .transform((sent, context): WhereScalar | WhereScalar[] => {
    const complaint = Array.isArray(sent) ? listComplaint(sent) : scalarComplaint(sent);
    if (complaint === undefined) return sent as WhereScalar | WhereScalar[];
    context.issues.push({ code: 'custom', message: complaint, input: sent });
    return z.NEVER;
  })
  .meta({ anyOf: [{ type: 'array', minItems: 1, maxItems: MOST_WHERE_VALUES, items: scalarSchema }, ...scalarSchema.anyOf] });

function listComplaint(values: readonly unknown[]): string | undefined {
  if (values.length === 0) return 'must not be an empty list';
  if (values.length > MOST_WHERE_VALUES) return `must not be a list of more than ${MOST_WHERE_VALUES}`;
  return values.map(scalarComplaint).find((complaint) => complaint !== undefined);
}

function scalarComplaint(value: unknown): string | undefined {
  if (typeof value === 'string') {
    if (exceedsLength(value, LONGEST_WHERE_VALUE)) return `must not exceed ${LONGEST_WHERE_VALUE} characters`;
    return isStorable(value) ? undefined : 'must not contain NUL or unpaired surrogate characters';
  }
  if (value === null || typeof value === 'boolean' || (typeof value === 'number' && Number.isFinite(value))) return undefined;
  return 'must be a string, a number, true, false or null, or a list of those';
}

const WhereMap = mapOf(WhereValue, { noun: 'Filter', max: MOST_WHERE_KEYS, maxKeyLength: LONGEST_WHERE_KEY });

const limits = {
  'x-max-bytes': LARGEST_JSON_BYTES,
  'x-max-keys': MOST_WHERE_KEYS,
  'x-max-values': MOST_WHERE_KEYS * (MOST_WHERE_VALUES + 1) + 1,
};
const description =
  'Of `meta`: every key must hold the value, or one of a list of values; where `meta` holds a list there, one of its elements must. Types count: `"1"` is not `1`.';

/** No larger than the `meta` that it is about may be. */
export const Where = WhereMap.superRefine((where, context) => {
  if (exceedsBytes(JSON.stringify(where), LARGEST_JSON_BYTES))
    context.addIssue({ code: 'custom', message: `must not exceed ${LARGEST_JSON_BYTES / 1000} kB of JSON` });
}).meta({ ...WhereMap.meta(), ...limits, examples: [{ topic: 'billing', priority: [1, 2] }] });
export type Where = z.infer<typeof Where>;

/** In the body of a search. */
export const SearchWhere = Where.nullish().describe(description);

const { $schema: _, ...contentSchema } = z.toJSONSchema(Where, { io: 'input' });

/** In the query of a list: the same as JSON text. An empty one is none. */
export const WhereText = z
  .unknown()
  .transform((sent, context): Where | undefined => {
    if (sent === undefined || sent === '') return undefined;
    const refuse = (message: string) => {
      context.issues.push({ code: 'custom', message, input: sent });
      return z.NEVER;
    };
    if (typeof sent !== 'string') return refuse('must be given once');
    let value: unknown;
    try {
      value = JSON.parse(sent);
    } catch {
      return refuse('must be valid JSON');
    }
    const read = Where.safeParse(value);
    if (read.success) return read.data;
    for (const issue of read.error.issues) context.issues.push({ ...issue, input: sent } as z.core.$ZodRawIssue);
    return z.NEVER;
  })
  .optional()
  .meta({
    type: 'string',
    contentMediaType: 'application/json',
    maxLength: LARGEST_JSON_BYTES,
    contentSchema,
    ...limits,
    description: `${description} In a query it is written as JSON.`,
    examples: ['{"topic":"billing"}'],
  });
