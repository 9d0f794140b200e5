/** The schemas of the OpenAPI document, in the form that generators of clients understand. */
import { z } from 'zod';
import type { JsonSchema } from './json-schema.ts';

export type Direction = 'input' | 'output';

const REFERENCE = '#/$defs/';

export class Components {
  readonly schemas: JsonSchema = {};
  /** Names that mean one thing when sent and another when read: what is sent goes by `…Input`. */
  readonly #split: ReadonlySet<string>;

  /** `all` is every schema that will be asked for: only all of them together tell which names mean two things. */
  constructor(all: readonly (readonly [z.ZodType, Direction])[]) {
    const definitions = { input: new Map<string, JsonSchema>(), output: new Map<string, JsonSchema>() };
    for (const [schema, direction] of all) {
      for (const [name, definition] of definitionsOf(schema, direction).definitions) definitions[direction].set(name, definition);
    }
    this.#split = namesThatDiffer(definitions);
    for (const direction of ['input', 'output'] as const) {
      for (const [name, definition] of definitions[direction]) {
        this.schemas[this.#nameOf(name, direction)] = this.#tidy(definition, direction);
      }
    }
  }

  schemaOf(schema: z.ZodType, direction: Direction): JsonSchema {
    return this.#tidy(definitionsOf(schema, direction).schema, direction) as JsonSchema;
  }

  /** The schema's own example, or one put together from those of its parts. */
  exampleOf(schema: JsonSchema): unknown {
    if (typeof schema.$ref === 'string') return this.exampleOf(this.schemas[schema.$ref.split('/').at(-1) as string] as JsonSchema);
    if (Array.isArray(schema.examples)) return schema.examples[0];
    if (schema.default !== undefined) return schema.default;
    if (schema.const !== undefined) return schema.const;
    if (Array.isArray(schema.enum)) return schema.enum[0];
    const choices = schema.anyOf ?? schema.oneOf;
    if (Array.isArray(choices)) return this.exampleOf(choices[0] as JsonSchema);
    switch (schema.type) {
      case 'object':
        return Object.fromEntries(propertiesOf(schema).map(([name, inner]) => [name, this.exampleOf(inner)]));
      case 'array':
        return schema.items ? [this.exampleOf(schema.items as JsonSchema)] : [];
      case 'integer':
      case 'number':
        return schema.minimum ?? 1;
      case 'boolean':
        return true;
      case 'string':
        return 'text';
      default:
        return {};
    }
  }

  #nameOf(name: string, direction: Direction): string {
    return direction === 'input' && this.#split.has(name) ? `${name}Input` : name;
  }

  /** References into the components, and no pattern where a format says the same in a word. */
  #tidy(value: unknown, direction: Direction, areProperties = false): unknown {
    if (Array.isArray(value)) return value.map((inner) => this.#tidy(inner, direction));
    if (typeof value !== 'object' || value === null) return value;
    const schema = value as JsonSchema;
    if (areProperties) return Object.fromEntries(Object.entries(schema).map(([name, inner]) => [name, this.#tidy(inner, direction)]));
    const kept: JsonSchema = {};
    for (const [key, inner] of Object.entries(schema)) {
      if (key === 'pattern' && schema.format) continue;
      if ((key === 'minimum' || key === 'maximum') && Math.abs(Number(inner)) === Number.MAX_SAFE_INTEGER) continue;
      if (key === 'propertyNames' || key === 'id') continue;
      if (key === '$ref') kept.$ref = `#/components/schemas/${this.#nameOf(referredName(inner), direction)}`;
      else kept[key] = key === 'examples' || key === 'default' ? inner : this.#tidy(inner, direction, key === 'properties');
    }
    // An object of which nothing is said may hold anything; generators take it for one that holds nothing.
    if (kept.type === 'object' && !kept.properties && kept.additionalProperties === undefined) kept.additionalProperties = true;
    return kept;
  }
}

function definitionsOf(schema: z.ZodType, direction: Direction): { schema: JsonSchema; definitions: [string, JsonSchema][] } {
  const {
    $schema: _,
    $defs,
    ...rest
  } = z.toJSONSchema(schema, {
    io: direction,
    unrepresentable: 'any',
    override: complete,
  }) as JsonSchema;
  const definitions = Object.entries(($defs as JsonSchema | undefined) ?? {}) as [string, JsonSchema][];
  if (direction === 'input') for (const [, definition] of definitions) describeDefaults(definition);
  return { schema: withoutNull(rest), definitions: definitions.map(([name, definition]) => [name, withoutNull(definition)]) };
}

/** Zod takes these away from an input that is transformed; ours are written as the wire has them. */
function complete({ zodSchema, jsonSchema }: { zodSchema: z.core.$ZodType; jsonSchema: z.core.JSONSchema.BaseSchema }): void {
  const { examples, default: fallback, type } = z.globalRegistry.get(zodSchema) ?? {};
  if (Array.isArray(examples)) jsonSchema.examples = examples;
  if (fallback !== undefined) jsonSchema.default = fallback as z.core.JSONSchema.BaseSchema['default'];
  // The type as the wire has it, in place of what Zod made of the steps to it.
  if (type !== undefined) delete jsonSchema.anyOf;
}

/** The defaults of a body in words: generators make a field that has a default a field that must be given. */
function describeDefaults(schema: JsonSchema): void {
  for (const choice of (schema.anyOf as JsonSchema[] | undefined) ?? []) describeDefaults(choice);
  for (const [, property] of propertiesOf(schema)) {
    describeDefaults(property);
    if (property.default === undefined) continue;
    const { default: fallback } = property;
    delete property.default;
    property.description = [property.description, `Default: \`${JSON.stringify(fallback)}\`.`].filter(Boolean).join(' ');
  }
}

/** A body that may be absent may be null too; whoever has nothing to say leaves it out. */
function withoutNull(schema: JsonSchema): JsonSchema {
  const { anyOf, ...rest } = schema;
  const choices = (anyOf as JsonSchema[] | undefined)?.filter(({ type }) => type !== 'null');
  const [only] = choices ?? [];
  return only?.type === 'object' && choices?.length === 1 ? { ...only, ...rest } : schema;
}

function namesThatDiffer({ input, output }: Record<Direction, ReadonlyMap<string, JsonSchema>>): Set<string> {
  const both = [...input.keys()].filter((name) => output.has(name));
  const differ = new Set(both.filter((name) => JSON.stringify(input.get(name)) !== JSON.stringify(output.get(name))));
  // What refers to one of them differs by that, and so on.
  for (let before = -1; before !== differ.size; ) {
    before = differ.size;
    for (const name of both) if (referencesIn(input.get(name)).some((referred) => differ.has(referred))) differ.add(name);
  }
  return differ;
}

function referencesIn(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => (key === '$ref' ? [referredName(inner)] : referencesIn(inner)));
}

function referredName(reference: unknown): string {
  return String(reference).slice(REFERENCE.length);
}

function propertiesOf(schema: JsonSchema): [string, JsonSchema][] {
  return Object.entries((schema.properties as JsonSchema | undefined) ?? {}) as [string, JsonSchema][];
}
