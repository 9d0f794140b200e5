/** The limits of a value as short phrases, and what it may be chosen from. */
import { formatCount, plural } from '../../design/numbers.ts';
import { type Schema, type Schemas, type Shape, shapeOf } from './schema.ts';

function range(least: number | undefined, most: number | undefined, one: string): string | undefined {
  if (least !== undefined && most !== undefined)
    return least === most ? `exactly ${plural(least, one)}` : `${formatCount(least)} to ${plural(most, one)}`;
  if (most !== undefined) return `at most ${plural(most, one)}`;
  return least ? `at least ${plural(least, one)}` : undefined;
}

/** What every whole number of JavaScript is bounded by says nothing. */
const bound = (value: number | undefined) => (value !== undefined && Math.abs(value) < Number.MAX_SAFE_INTEGER ? value : undefined);

function numbers({ minimum, maximum, exclusiveMinimum }: Schema): string | undefined {
  const [least, most] = [bound(minimum), bound(maximum)];
  if (exclusiveMinimum !== undefined) return `more than ${exclusiveMinimum}`;
  if (least !== undefined && most !== undefined) return `${formatCount(least)} to ${formatCount(most)}`;
  if (least !== undefined) return `${formatCount(least)} or more`;
  return most === undefined ? undefined : `${formatCount(most)} or less`;
}

const most = (count: number | undefined, one: string) => count !== undefined && `at most ${plural(count, one)}`;

export function limitsOf(schemas: Schemas, { schema, variants }: Shape): readonly string[] {
  const own = [
    range(schema.minLength, schema.maxLength, 'character'),
    range(schema.minItems, schema.maxItems, 'item'),
    range(undefined, schema.maxProperties, 'key'),
    numbers(schema),
    schema['x-max-bytes'] !== schema.maxLength && most(schema['x-max-bytes'], 'byte'),
    most(schema['x-max-values'], 'value'),
    most(schema['x-max-keys'], 'key'),
    schema.contentMediaType === 'application/json' && 'holds JSON',
  ].filter((text) => typeof text === 'string');
  const held = heldBy(schema) ?? schema.contentSchema;
  const each = held ? limitsOf(schemas, shapeOf(schemas, held)).map((text) => `each ${text}`) : [];
  const either = variants.flatMap((variant) => limitsOf(schemas, shapeOf(schemas, variant)));
  return [...new Set([...own, ...each, ...either])];
}

/** What a list or a map holds, where it says so. */
function heldBy({ type, items, additionalProperties }: Schema): Schema | undefined {
  if (type === 'array') return items;
  return type === 'object' && typeof additionalProperties === 'object' ? additionalProperties : undefined;
}

/** What a value, or each of a list, may be. */
export function choicesOf(schemas: Schemas, { schema }: Shape): readonly unknown[] {
  if (schema.enum) return schema.enum.filter((value) => value !== null);
  if (schema.const !== undefined) return [schema.const];
  return schema.type === 'array' && schema.items ? choicesOf(schemas, shapeOf(schemas, schema.items)) : [];
}
