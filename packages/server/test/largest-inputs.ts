/**
 * The largest input that a declared route takes, made from its schema, so that a route added later is in every test that uses it.
 *
 *   const body = largestBody(route);                  // JSON text, within the route's body limit; undefined where it takes none
 *   const query = largestQuery(route);                // `limit=100&kind=…`, at most 8,000 characters
 *   const form = largestForm(route);                  // { text, type } of an upload; undefined elsewhere
 *   const cases = tooLargeBodies(route, example);     // one body for each limit that it breaks
 *
 * `given` replaces fields by name wherever they occur: `largestBody(route, { promptId: null, fill: 'x\n' })`.
 */
import { inputSchema, LARGEST_LIMIT_BYTES } from '../src/http/body-limits.ts';
import type { JsonSchema } from '../src/http/json-schema.ts';
import type { DeclaredRoute } from '../src/http/route.ts';
import { formOf } from './matrix-items.ts';

const LONGEST_QUERY = 8_000;
/** Room for what stands around the content. */
const SLACK_BYTES = 2_048;

export interface Filling {
  /** Texts are made of this, over and over. */
  readonly fill?: string;
  /** Values of fields by name, wherever they occur. */
  readonly fields?: Readonly<Record<string, unknown>>;
}

export function largestBody(route: DeclaredRoute, filling: Filling = {}): string | undefined {
  if (!route.body) return undefined;
  const budget = { bytes: route.bodyLimitBytes - SLACK_BYTES };
  return JSON.stringify(new Filler(inputSchema(route.body), filling, budget).value);
}

export function largestQuery(route: DeclaredRoute, filling: Filling = {}): string {
  if (!route.query) return '';
  const value = new Filler(inputSchema(route.query), filling, { bytes: LONGEST_QUERY }).value as Record<string, unknown>;
  const parts = Object.entries(value).map(([name, part]) => `${encodeURIComponent(name)}=${encodeURIComponent(String(part ?? ''))}`);
  while (parts.join('&').length > LONGEST_QUERY) parts.pop();
  return parts.join('&');
}

export function largestForm(route: DeclaredRoute, { fill = 'x', fields = {} }: Filling = {}): { text: string; type: string } | undefined {
  if (!route.upload) return undefined;
  const others = Object.entries(route.upload.fields).map(([name, schema]) => ({
    name,
    content: String(fields[name] ?? new Filler(inputSchema(schema), { fill }, { bytes: LARGEST_LIMIT_BYTES }).value),
  }));
  const file = {
    name: route.upload.file,
    filename: 'largest.txt',
    content: longestText(fill, { characters: route.upload.largestBytes, bytes: route.upload.largestBytes, json: LARGEST_LIMIT_BYTES }),
  };
  return formOf([...others, file]);
}

/** What is one beyond a limit, and where. */
export interface TooLarge {
  /** Of the field, as an error's `details` name it. */
  readonly path: string;
  readonly body: string;
}

/** `example` is a body that the route takes; each case spoils one field of it, or adds one, in just one way. */
export function tooLargeBodies(route: DeclaredRoute, example: Readonly<Record<string, unknown>>): TooLarge[] {
  if (!route.body) return [];
  const root = inputSchema(route.body);
  const defs = (root.$defs ?? {}) as JsonSchema;
  return spoilings(root, defs).map(({ path, value }) => {
    const body = structuredClone(example) as Record<string, unknown>;
    let parent: Record<string, unknown> | unknown[] = body;
    for (const [index, key] of path.entries()) {
      const place = parent as Record<string, unknown>;
      if (index === path.length - 1) place[key] = value;
      else {
        place[key] ??= typeof path[index + 1] === 'number' ? [] : {};
        parent = place[key] as Record<string, unknown>;
      }
    }
    return { path: path.join('.'), body: JSON.stringify(body) };
  });
}

type Key = string | number;
interface Spoiling {
  readonly path: Key[];
  readonly value: unknown;
}

function spoilings(schema: JsonSchema, defs: JsonSchema): Spoiling[] {
  const below = (key: Key, inner: unknown) =>
    spoilings(inner as JsonSchema, defs).map(({ path, value }) => ({ path: [key, ...path], value }));
  const here = (value: unknown): Spoiling => ({ path: [], value });
  if (typeof schema.$ref === 'string') return spoilings(resolved(schema, defs), defs);
  const choices = (schema.anyOf ?? schema.oneOf) as JsonSchema[] | undefined;
  if (choices) return choices.flatMap((choice) => spoilings(choice, defs));
  if (schema.enum || 'const' in schema) return [];
  if (schema.contentMediaType === 'application/json')
    return [jsonOf(Number(schema.maxLength) + 1), '['.repeat(200) + ']'.repeat(200), ...crowdedJson(schema)].map(here);
  if (schema.type === 'object' && typeof schema['x-max-bytes'] === 'number')
    return [jsonOf(schema['x-max-bytes'] + 1), ...crowdedJson(schema)].map((text) => here(JSON.parse(text)));
  if (schema.type === 'string' && typeof schema.maxLength === 'number') return [here('x'.repeat(schema.maxLength + 1))];
  if (schema.type === 'array') {
    const items = Array.from({ length: Number(schema.maxItems) + 1 }, () => 'x');
    return [here(items), ...below(0, schema.items)];
  }
  if (schema.type !== 'object') return [];
  const properties = Object.entries((schema.properties ?? {}) as JsonSchema).flatMap(([name, inner]) => below(name, inner));
  if (typeof schema.maxProperties !== 'number' || schema.properties) return properties;
  const many = Object.fromEntries(Array.from({ length: schema.maxProperties + 1 }, (_, index) => [`key${index}`, 'x']));
  const longKey = { ['k'.repeat(Number((schema.propertyNames as JsonSchema).maxLength) + 1)]: 'x' };
  return [...properties, here(many), here(longKey), ...below('key', schema.additionalProperties)];
}

/** Objects with a key and with a value too many. */
function crowdedJson(schema: JsonSchema): string[] {
  const keys = Array.from({ length: Number(schema['x-max-keys']) + 1 }, (_, index) => `"${index}":0`);
  return [
    `{${keys.join(',')}}`,
    `{"a":[${Array(Number(schema['x-max-values']) - 1)
      .fill(0)
      .join(',')}]}`,
  ];
}

function resolved(schema: JsonSchema, defs: JsonSchema): JsonSchema {
  return defs[String(schema.$ref).replace('#/$defs/', '')] as JsonSchema;
}

/** Fills a schema to its limits, the fields that must be there first, until the budget is spent. */
class Filler {
  readonly value: unknown;
  readonly #defs: JsonSchema;
  readonly #fill: string;
  readonly #fields: Readonly<Record<string, unknown>>;
  readonly #budget: { bytes: number };

  constructor(root: JsonSchema, { fill = 'x', fields = {} }: Filling, budget: { bytes: number }) {
    this.#defs = (root.$defs ?? {}) as JsonSchema;
    this.#fill = fill;
    this.#fields = fields;
    this.#budget = budget;
    this.value = this.#filled(root, '');
  }

  #filled(schema: JsonSchema, name: string): unknown {
    if (name in this.#fields) return this.#fields[name];
    if (typeof schema.$ref === 'string') return this.#filled(resolved(schema, this.#defs), name);
    const choices = (schema.anyOf ?? schema.oneOf) as JsonSchema[] | undefined;
    // The first is the fullest: what may be null comes as `[something, null]`.
    if (choices) return this.#filled(choices[0] as JsonSchema, name);
    if (Array.isArray(schema.enum)) return this.#spend(schema.enum.at(-1));
    if ('const' in schema) return this.#spend(schema.const);
    switch (Array.isArray(schema.type) ? schema.type[0] : schema.type) {
      case 'boolean':
        return this.#spend(true);
      case 'integer':
      case 'number':
        return this.#spend(schema.maximum ?? 0);
      case 'string':
        return this.#text(schema);
      case 'array':
        return this.#array(schema);
      case 'object':
        return this.#object(schema);
      default:
        return null;
    }
  }

  #spend(value: unknown): unknown {
    this.#budget.bytes -= Buffer.byteLength(JSON.stringify(value)) + 1;
    return value;
  }

  #text(schema: JsonSchema): unknown {
    const example = (schema.examples as unknown[] | undefined)?.[0];
    if (schema.format !== undefined) return this.#spend(example ?? textOfFormat(String(schema.format)));
    if (schema.contentSchema !== undefined) {
      // Quotes and brackets take three characters in an address.
      const share = { bytes: Math.floor(this.#budget.bytes / 3) };
      return this.#spend(JSON.stringify(this.#within(schema.contentSchema as JsonSchema, share)));
    }
    if (schema.contentMediaType === 'application/json') {
      return this.#spend(this.#budget.bytes < 200 ? '{}' : jsonOf(Math.min(Number(schema.maxLength), this.#budget.bytes - 100)));
    }
    const most = {
      characters: Number(schema.maxLength),
      bytes: Number(schema['x-max-bytes'] ?? Number.POSITIVE_INFINITY),
      json: this.#budget.bytes,
    };
    return this.#spend(longestText(this.#fill, most) || 'x'.repeat(Number(schema.minLength ?? 0)));
  }

  #array(schema: JsonSchema): unknown[] {
    const items: unknown[] = [];
    const [most, budget] = [Number(schema.maxItems), this.#budget.bytes];
    // Shared out evenly: a hundred large items and not one huge one.
    for (let index = 0; index < most && (this.#budget.bytes > 0 || index < Number(schema.minItems ?? 0)); index++) {
      const share = { bytes: Math.floor(budget / most) - 2 };
      items.push(this.#within(schema.items as JsonSchema, share));
      this.#budget.bytes -= Buffer.byteLength(JSON.stringify(items.at(-1))) + 1;
    }
    return items;
  }

  #within(schema: JsonSchema, budget: { bytes: number }): unknown {
    return new Filler({ ...schema, $defs: this.#defs }, { fill: this.#fill, fields: this.#fields }, budget).value;
  }

  #object(schema: JsonSchema): Record<string, unknown> {
    const { 'x-max-bytes': mostBytes, ...unmeasured } = schema;
    if (typeof mostBytes === 'number' && schema.additionalProperties) {
      const value = this.#within(unmeasured, { bytes: Math.min(mostBytes, this.#budget.bytes) - SLACK_BYTES });
      return this.#spend(value) as Record<string, unknown>;
    }
    if (typeof schema['x-max-bytes'] === 'number')
      return JSON.parse(jsonOf(Math.min(schema['x-max-bytes'], this.#budget.bytes))) as Record<string, unknown>;
    const required = (schema.required as string[] | undefined) ?? [];
    const entries = Object.entries((schema.properties ?? {}) as JsonSchema);
    const value: [string, unknown][] = [];
    for (const [name, inner] of entries.toSorted(([one], [other]) => rank(one, required) - rank(other, required))) {
      if (this.#budget.bytes <= name.length + 100 && !required.includes(name)) continue;
      this.#budget.bytes -= name.length + 4;
      value.push([name, this.#filled(inner as JsonSchema, name)]);
    }
    const longestKey = Number((schema.propertyNames as JsonSchema | undefined)?.maxLength ?? 0);
    const more = schema.additionalProperties ? Number(schema.maxProperties) - entries.length : 0;
    for (let index = 0; index < more && this.#budget.bytes > longestKey + 100; index++) {
      const key = `${index}`.padEnd(longestKey, 'k');
      this.#budget.bytes -= key.length + 4;
      value.push([key, this.#filled(schema.additionalProperties as JsonSchema, key)]);
    }
    return Object.fromEntries(value);
  }
}

/** What is short and must be there, then what may be left out, then what takes all the rest. */
function rank(name: string, required: readonly string[]): number {
  if (name === 'content' || name === 'variables') return 2;
  return required.includes(name) ? 0 : 1;
}

function textOfFormat(format: string): string {
  if (format === 'uuid') return '0199a7c4-3b1e-7c52-9d6f-2f4f0f6f1c11';
  return format === 'email' ? 'ada@example.com' : '2026-01-15T09:30:00Z';
}

interface TextLimits {
  readonly characters: number;
  readonly bytes: number;
  /** Bytes as JSON text. */
  readonly json: number;
}

function longestText(fill: string, { characters, bytes, json }: TextLimits): string {
  const times = Math.min(
    characters / [...fill].length,
    bytes / Buffer.byteLength(fill),
    json / (Buffer.byteLength(JSON.stringify(fill)) - 2),
  );
  return fill.repeat(Math.max(0, Math.floor(times)));
}

/** The text of a JSON object of just so many characters. */
function jsonOf(length: number): string {
  return `{"a":"${'x'.repeat(length - 8)}"}`;
}
