/** Bodies for tests that are generated from the declared routes: every field that the published schema knows is given. */
import { newId } from '../src/db/ids.ts';

interface Schema {
  readonly $ref?: string;
  readonly anyOf?: readonly Schema[];
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly format?: string;
  readonly minimum?: number;
  readonly maxLength?: number;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: boolean | Schema;
  readonly items?: Schema;
}

export interface OpenApiDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, { requestBody?: { content: Record<string, { schema: Schema }> } }>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

/** Undefined where the route takes no JSON. `items` are what the fields that name something may name. */
export function fullBodyOf(
  openapi: OpenApiDocument,
  { method, path }: { method: string; path: string },
  items: Readonly<Record<string, string>>,
): Record<string, unknown> | undefined {
  const operation = openapi.paths[`/api/v1${path.replace(/:(\w+)/g, '{$1}')}`]?.[method.toLowerCase()];
  const schema = operation?.requestBody?.content['application/json']?.schema;
  if (!schema) return undefined;
  // A change picks other values than a creation where there is a choice, so that it changes something.
  const isChange = method === 'PUT';

  const valueFor = (given: Schema, name: string): unknown => {
    const reference = given.$ref?.split('/').at(-1);
    const here = reference === undefined ? given : openapi.components.schemas[reference];
    if (!here) throw new Error(`${given.$ref} is nowhere in the document`);
    if (here.const !== undefined) return here.const;
    if (here.enum) return isChange ? here.enum.at(-1) : here.enum[0];
    if (here.anyOf) {
      // Of JSON that may come as text or as an object, the object.
      const choices = here.anyOf.filter(({ type }) => type !== 'null');
      return valueFor(choices.find(({ type }) => type === 'object') ?? (choices[0] as Schema), name);
    }
    const type = typeof here.type === 'object' ? here.type.find((one) => one !== 'null') : here.type;
    switch (type) {
      case 'object':
        if (here.properties) return Object.fromEntries(Object.entries(here.properties).map(([key, value]) => [key, valueFor(value, key)]));
        return {
          [`key_${isChange ? 'b' : 'a'}`]: typeof here.additionalProperties === 'object' ? valueFor(here.additionalProperties, 'value') : 1,
        };
      case 'array':
        return [valueFor(here.items as Schema, name.endsWith('Ids') ? name.slice(0, -1) : name)];
      case 'boolean':
        return true;
      case 'integer':
      case 'number':
        return Math.max(1, here.minimum ?? 1);
      case 'string':
        return textFor(here, name);
      default:
        throw new Error(`No value is known for the field “${name}” of ${method} ${path}; make one in test/matrix-bodies.ts`);
    }
  };

  const textFor = ({ format, maxLength = 1000 }: Schema, name: string): string => {
    if (items[name]) return items[name];
    if (format === 'date-time') return name === 'createdAt' ? '2020-01-02T03:04:05.678Z' : '2999-01-02T03:04:05.678Z';
    if (format === 'email') return `${newId()}@example.com`;
    if (format === 'uri') return `https://example.com/${newId()}`;
    if (format === 'uuid') return newId();
    return `Some ${name} ${newId()}`.slice(0, maxLength);
  };

  return valueFor(schema, 'body') as Record<string, unknown>;
}
