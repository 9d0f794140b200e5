/** The OpenAPI 3.1 document, made from the declared routes. */
import { ErrorBody } from '@commonplace/contract/wire';
import { z } from 'zod';
import { COOKIE_NAME } from '../auth/callers.ts';
import { API_PREFIX } from './api.ts';
import type { JsonSchema } from './json-schema.ts';
import { type DeclaredRoute, paramNamesOf, StoredFile } from './route.ts';
import type { UploadDeclaration } from './upload.ts';

const failureTexts: Record<number, string> = {
  400: 'The request is not valid; `details` names each field and rule.',
  401: 'No credential, or one that is not valid any more.',
  403: 'The caller may not do this.',
  404: 'Not there, or not visible to the caller.',
  409: 'In conflict with what is there.',
  413: 'The body is larger than 10 MiB.',
  415: 'The body is not JSON.',
  429: 'Too many requests; `Retry-After` says when to come again.',
  500: 'A fault of the service; `requestId` finds it in the log.',
  503: 'The service can’t take the request now; `Retry-After` says when to come again.',
};

export function openApiDocument(routes: readonly DeclaredRoute[], version: string, publicUrl: string): JsonSchema {
  const schemas: JsonSchema = {};
  const schemaOf = (schema: z.ZodType, io: 'input' | 'output') => {
    const { $schema: _, $defs, ...rest } = z.toJSONSchema(schema, { io, unrepresentable: 'any', override: keepExamples }) as JsonSchema;
    for (const [name, definition] of Object.entries(($defs as JsonSchema | undefined) ?? {})) schemas[name] = tidy(definition);
    return tidy(rest) as JsonSchema;
  };
  const errorSchema = schemaOf(ErrorBody, 'output');
  const paths: Record<string, JsonSchema> = {};
  for (const route of routes) {
    const path = API_PREFIX + route.path.replace(/:(\w+)/g, '{$1}');
    paths[path] ??= {};
    paths[path][route.method.toLowerCase()] = operationOf(route, schemaOf, errorSchema, schemas);
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Commonplace',
      version,
      description:
        'Workspaces, agents, sessions with messages and memories, versioned prompts and searchable knowledge, behind one REST API.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: publicUrl }],
    tags: [...new Set(routes.map((route) => route.tag))].map((name) => ({ name })),
    paths,
    components: {
      schemas,
      securitySchemes: {
        ApiKey: { type: 'apiKey', in: 'header', name: 'X-API-Key', description: 'A user’s API key.' },
        AccessKey: {
          type: 'apiKey',
          in: 'header',
          name: 'X-Access-Key',
          description: 'A workspace’s access key, with the permissions it was given.',
        },
        Cookie: {
          type: 'apiKey',
          in: 'cookie',
          name: COOKIE_NAME,
          description: 'The dashboard’s session. Changes need a same-origin request.',
        },
      },
    },
  };
}

type SchemaOf = (schema: z.ZodType, io: 'input' | 'output') => JsonSchema;

function operationOf(route: DeclaredRoute, schemaOf: SchemaOf, errorSchema: JsonSchema, schemas: JsonSchema): JsonSchema {
  const { access, answers } = route;
  const content = (schema: JsonSchema) => ({ 'application/json': { schema, example: exampleOf(schema, schemas) } });
  const responses: JsonSchema = {
    [answers.status]:
      answers.body === StoredFile
        ? {
            description: 'The file.',
            content: { 'text/plain': { schema: { type: 'string' } }, 'text/markdown': { schema: { type: 'string' } } },
          }
        : answers.body
          ? { description: 'Success.', content: content(schemaOf(answers.body, 'output')) }
          : { description: 'Done; no content.' },
  };
  for (const status of answers.also ?? []) responses[status] = { ...(responses[answers.status] as JsonSchema) };
  for (const status of failuresOf(route)) {
    responses[status] = { description: failureTexts[status], content: { 'application/json': { schema: errorSchema } } };
  }
  return {
    operationId: route.name,
    tags: [route.tag],
    summary: route.summary,
    ...(route.description && { description: route.description }),
    security: access.who === 'public' ? [] : [{ ApiKey: [] }, ...(access.who === 'both' ? [{ AccessKey: [] }] : []), { Cookie: [] }],
    ...(access.permissions.length > 0 && { 'x-permission': access.permissions.join(', ') }),
    parameters: parametersOf(route, schemaOf),
    ...(route.upload && { requestBody: { required: true, content: formOf(route.upload) } }),
    ...(route.body && {
      requestBody: { required: !route.body.safeParse(undefined).success, content: content(schemaOf(route.body, 'input')) },
    }),
    responses,
  };
}

function formOf({ file, fields }: UploadDeclaration): JsonSchema {
  const described = Object.entries(fields).map(([name, description]) => [name, { type: 'string', description }] as const);
  const properties = { [file]: { type: 'string', contentMediaType: 'application/octet-stream' }, ...Object.fromEntries(described) };
  return { 'multipart/form-data': { schema: { type: 'object', properties, required: [file] } } };
}

function parametersOf(route: DeclaredRoute, schemaOf: SchemaOf): JsonSchema[] {
  const parameters: JsonSchema[] = paramNamesOf(route.path).map((name) => ({
    name,
    in: 'path',
    required: true,
    schema: name.endsWith('Id') ? { type: 'string', format: 'uuid' } : { type: 'string' },
  }));
  if (route.query) {
    const query = schemaOf(route.query, 'input');
    const required = (query.required as string[] | undefined) ?? [];
    for (const [name, schema] of Object.entries((query.properties as JsonSchema | undefined) ?? {})) {
      const { description, ...rest } = schema as JsonSchema;
      parameters.push({
        name,
        in: 'query',
        required: required.includes(name),
        ...(description !== undefined && { description }),
        schema: rest,
      });
    }
  }
  if (route.method === 'POST') {
    parameters.push({
      name: 'Idempotency-Key',
      in: 'header',
      required: false,
      description: 'The same key and body give the same answer for 24 hours; another body is 409.',
      schema: { type: 'string', maxLength: 255 },
    });
  }
  if (route.method === 'GET') {
    parameters.push({
      name: 'If-None-Match',
      in: 'header',
      required: false,
      description: 'An `ETag` seen before: 304 when it still holds.',
      schema: { type: 'string' },
    });
  }
  return parameters;
}

function failuresOf(route: DeclaredRoute): number[] {
  const statuses = new Set([429, 500, 503, ...(route.fails ?? [])]);
  if (route.access.who !== 'public') statuses.add(401).add(403);
  if (route.path.includes(':')) statuses.add(404);
  if (route.body || route.query) statuses.add(400);
  if (route.body) statuses.add(413).add(415);
  if (route.method === 'POST') statuses.add(400).add(409);
  return [...statuses].sort((a, b) => a - b);
}

/** Zod takes these away from an input that is transformed; ours are written as the wire has them. */
function keepExamples({ zodSchema, jsonSchema }: { zodSchema: z.core.$ZodType; jsonSchema: z.core.JSONSchema.BaseSchema }): void {
  const { examples, default: fallback } = z.globalRegistry.get(zodSchema) ?? {};
  if (Array.isArray(examples)) jsonSchema.examples = examples;
  if (fallback !== undefined) jsonSchema.default = fallback as z.core.JSONSchema.BaseSchema['default'];
}

/** References into the components, and no pattern where a format says the same in a word. */
function tidy(value: unknown, areProperties = false): unknown {
  if (Array.isArray(value)) return value.map((inner) => tidy(inner));
  if (typeof value !== 'object' || value === null) return value;
  const schema = value as JsonSchema;
  if (areProperties) return Object.fromEntries(Object.entries(schema).map(([name, inner]) => [name, tidy(inner)]));
  const kept: JsonSchema = {};
  for (const [key, inner] of Object.entries(schema)) {
    if (key === 'pattern' && schema.format) continue;
    if ((key === 'minimum' || key === 'maximum') && Math.abs(Number(inner)) === Number.MAX_SAFE_INTEGER) continue;
    if (key === 'propertyNames' || key === 'id') continue;
    if (key === '$ref') kept.$ref = String(inner).replace('#/$defs/', '#/components/schemas/');
    else kept[key] = key === 'examples' || key === 'default' ? inner : tidy(inner, key === 'properties');
  }
  return kept;
}

/** The schema's own example, or one put together from those of its parts. */
function exampleOf(schema: JsonSchema, schemas: JsonSchema): unknown {
  if (typeof schema.$ref === 'string') return exampleOf(schemas[schema.$ref.split('/').at(-1) as string] as JsonSchema, schemas);
  if (Array.isArray(schema.examples)) return schema.examples[0];
  if (schema.default !== undefined) return schema.default;
  if (schema.const !== undefined) return schema.const;
  if (Array.isArray(schema.enum)) return schema.enum[0];
  const choices = schema.anyOf ?? schema.oneOf;
  if (Array.isArray(choices)) return exampleOf(choices[0] as JsonSchema, schemas);
  switch (schema.type) {
    case 'object':
      return Object.fromEntries(
        Object.entries((schema.properties as JsonSchema | undefined) ?? {}).map(([name, inner]) => [
          name,
          exampleOf(inner as JsonSchema, schemas),
        ]),
      );
    case 'array':
      return schema.items ? [exampleOf(schema.items as JsonSchema, schemas)] : [];
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
