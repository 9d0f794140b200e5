/** The types of the client, made from the contract. `npm run fix` writes them; a test holds that they are written. */
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { type ApiDocument, type ApiOperation, readApiDocument, type Schema } from './api-document.ts';

export const clientTypesFile = fileURLToPath(new URL('../packages/client/src/types.ts', import.meta.url));
const biome = fileURLToPath(new URL('../node_modules/.bin/biome', import.meta.url));

/** The client has errors of its own. */
const leftOut = new Set(['Error']);
const pageParameters = new Set(['limit', 'offset', 'cursor']);

/** The text of the file. */
export function clientTypes({ components, paths }: ApiDocument): string {
  const schemas = Object.entries(components.schemas).filter(([name]) => !leftOut.has(name));
  const queries = Object.values(paths).flatMap((methods) => (methods.get ? queryOf(methods.get) : []));
  // By name: the order of the routes says nothing.
  const declarations = [
    ...schemas.sort(([one], [other]) => (one < other ? -1 : 1)).map(([name, schema]) => declarationOf(name, schema)),
    ...queries.sort(),
  ];
  const text = `/** What goes over the wire. Made by scripts/client-types.ts from the contract; not to be edited by hand. */\n\n${declarations.join('\n\n')}\n`;
  return execFileSync(biome, ['format', '--stdin-file-path=packages/client/src/types.ts'], { input: text, encoding: 'utf8' });
}

function declarationOf(name: string, schema: Schema): string {
  const isPlain = schema.type === 'object' && schema.properties !== undefined;
  return `${commentOf(schema)}export ${isPlain ? `interface ${name} ${fieldsOf(schema)}` : `type ${name} = ${typeOf(schema)};`}`;
}

/** What a read takes in its query, where that is more than a page. */
function queryOf({ operationId, parameters }: ApiOperation): string[] {
  const asked = parameters.filter((parameter) => parameter.in === 'query');
  if (asked.every(({ name }) => pageParameters.has(name))) return [];
  const fields = asked.map(({ name, required, description, schema }) => fieldOf(name, { ...schema, description }, required));
  const name = operationId.charAt(0).toUpperCase() + operationId.slice(1);
  return [`export interface ${name}Query {\n${fields.join('\n')}\n}`];
}

function fieldsOf(schema: Schema): string {
  const required = (schema.required as string[] | undefined) ?? [];
  const fields = Object.entries((schema.properties as Record<string, Schema> | undefined) ?? {});
  return `{\n${fields.map(([name, field]) => fieldOf(name, field, required.includes(name))).join('\n')}\n}`;
}

function fieldOf(name: string, schema: Schema, required: boolean): string {
  return `${commentOf(schema)}${name}${required ? '' : '?'}: ${typeOf(schema)};`;
}

function typeOf(schema: Schema): string {
  if (typeof schema.$ref === 'string') return schema.$ref.split('/').at(-1) as string;
  // JSON in a query: the client writes the text of it.
  if (schema.contentSchema !== undefined) return typeOf(schema.contentSchema as Schema);
  if (schema.const !== undefined) return literal(schema.const);
  if (Array.isArray(schema.enum)) return schema.enum.map(literal).join(' | ');
  const choices = (schema.anyOf ?? schema.oneOf) as Schema[] | undefined;
  if (choices) return [...new Set(choices.map(typeOf))].join(' | ');
  if (Array.isArray(schema.type)) return schema.type.map((type) => typeOf({ ...schema, type })).join(' | ');
  switch (schema.type) {
    case 'string':
    case 'boolean':
    case 'null':
      return schema.type;
    case 'integer':
    case 'number':
      return 'number';
    case 'array':
      return `(${typeOf((schema.items as Schema | undefined) ?? {})})[]`;
    case 'object':
      return objectOf(schema);
    default:
      return 'unknown';
  }
}

function objectOf(schema: Schema): string {
  if (schema.properties !== undefined) return fieldsOf(schema);
  const { additionalProperties: values } = schema;
  return `Record<string, ${typeof values === 'object' ? typeOf(values as Schema) : 'unknown'}>`;
}

function literal(value: unknown): string {
  return typeof value === 'string' ? `'${value}'` : JSON.stringify(value);
}

function commentOf({ description }: Schema): string {
  return typeof description === 'string' ? `/** ${description.replaceAll('*/', '*\\/')} */\n` : '';
}

if (import.meta.main) writeFileSync(clientTypesFile, clientTypes(await readApiDocument()));
