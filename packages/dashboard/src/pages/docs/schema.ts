/** A schema of the document, as words and as the rows below it. */

export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | Schema;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly default?: unknown;
  readonly examples?: readonly unknown[];
  readonly format?: string;
  readonly pattern?: string;
  readonly contentMediaType?: string;
  readonly contentSchema?: Schema;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly maxProperties?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: number;
  readonly 'x-max-bytes'?: number;
  readonly 'x-max-values'?: number;
  readonly 'x-max-keys'?: number;
}

export type Schemas = Readonly<Record<string, Schema>>;

/** One schema as a reader sees it: references followed, null told apart, a lone variant taken for the whole. */
export interface Shape {
  readonly schema: Schema;
  /** Of the reference, where it was one. */
  readonly name: string;
  readonly nullable: boolean;
  readonly variants: readonly Schema[];
}

export interface Row {
  readonly name: string;
  readonly kind: 'field' | 'key' | 'variant';
  readonly required: boolean;
  readonly shape: Shape;
}

const MOST_DEPTH = 4;

const isNull = (schema: Schema) => schema.type === 'null';

export function shapeOf(schemas: Schemas, input: Schema): Shape {
  const name = input.$ref?.split('/').at(-1) ?? '';
  const { $ref: _, ...beside } = input;
  const schema: Schema = name ? { ...schemas[name], ...beside } : input;
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices) {
    const variants = choices.filter((variant) => !isNull(variant));
    const nullable = variants.length < choices.length;
    const [only] = variants;
    if (variants.length > 1 || !only) return { schema, name, nullable, variants };
    const { anyOf: _any, oneOf: _one, ...rest } = schema;
    const inner = shapeOf(schemas, only);
    return { ...inner, schema: { ...inner.schema, ...rest }, nullable: nullable || inner.nullable };
  }
  if (!Array.isArray(schema.type)) return { schema, name, nullable: false, variants: [] };
  const types = (schema.type as readonly string[]).filter((type) => type !== 'null');
  const type = types.length === 1 ? (types[0] as string) : types;
  return { schema: { ...schema, type }, name, nullable: types.length < schema.type.length, variants: [] };
}

const hasFields = ({ properties }: Schema) => Object.keys(properties ?? {}).length > 0;

/** Of what a map holds; `true` allows anything and says nothing. */
const valuesOf = ({ additionalProperties }: Schema) => (typeof additionalProperties === 'object' ? additionalProperties : undefined);

export function describeType(schemas: Schemas, shape: Shape, depth = 0): string {
  const described = describeValue(schemas, shape, depth);
  return shape.nullable ? `${described} or null` : described;
}

function describeValue(schemas: Schemas, { schema, name, variants }: Shape, depth: number): string {
  const inner = (each: Schema) => (depth < MOST_DEPTH ? describeType(schemas, shapeOf(schemas, each), depth + 1) : '…');
  if (variants.length > 0) return [...new Set(variants.map(inner))].join(' or ');
  if (schema.type === 'array') return schema.items ? `array of ${inner(schema.items)}` : 'array';
  if (schema.type === 'object') {
    const values = valuesOf(schema);
    if (hasFields(schema)) return name || 'object';
    return values ? `map of ${inner(values)}` : 'object';
  }
  if (schema.format === 'binary') return 'file';
  const type = schema.type ?? (schema.const === undefined ? 'any value' : typeof schema.const);
  return schema.format ? `${String(type)}, ${schema.format}` : String(type);
}

/** The rows below a schema: fields, what a map holds, variants. Lists are looked through. */
export function rowsOf(schemas: Schemas, shape: Shape, depth = 0): readonly Row[] {
  const { schema, variants } = shape;
  if (depth > MOST_DEPTH) return [];
  if (variants.length > 0) {
    const shapes = variants.map((variant) => shapeOf(schemas, variant));
    if (!shapes.some((variant) => rowsOf(schemas, variant, depth + 1).length > 0)) return [];
    return shapes.map((variant) => ({ name: nameVariant(schemas, variant), kind: 'variant', required: false, shape: variant }));
  }
  if (schema.type === 'array' && schema.items) return rowsOf(schemas, shapeOf(schemas, schema.items), depth + 1);
  const rows: Row[] = Object.entries(schema.properties ?? {}).map(([name, field]) => ({
    name,
    kind: 'field',
    required: schema.required?.includes(name) ?? false,
    shape: shapeOf(schemas, field),
  }));
  const values = valuesOf(schema);
  if (!values) return rows;
  const held = shapeOf(schemas, values);
  if (rows.length === 0 && rowsOf(schemas, held, depth + 1).length === 0) return rows;
  return [...rows, { name: rows.length > 0 ? 'any other key' : 'any key', kind: 'key', required: false, shape: held }];
}

/** A variant is told apart by the field that is always the same in it. */
function nameVariant(schemas: Schemas, { schema, name }: Shape): string {
  for (const [field, each] of Object.entries(schema.properties ?? {})) {
    const value = shapeOf(schemas, each).schema.const;
    if (value !== undefined) return `${field}: ${JSON.stringify(value)}`;
  }
  return name || String(schema.type);
}
