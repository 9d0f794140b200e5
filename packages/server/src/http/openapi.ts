/** The OpenAPI 3.1 document, made from the declared routes. */
import { ErrorBody } from '@commonplace/contract/wire';
import type { z } from 'zod';
import { COOKIE_NAME } from '../auth/callers.ts';
import { LINES_TYPE } from './answering.ts';
import { API_PREFIX } from './api.ts';
import { describeLimit } from './body-limits.ts';
import { EVENT_STREAM } from './event-streams.ts';
import type { JsonSchema } from './json-schema.ts';
import { Components, type Direction } from './openapi-components.ts';
import { type DeclaredRoute, isJsonAnswer, paramNamesOf, StoredFile, StreamedLines, takesIdempotencyKey } from './route.ts';
import type { UploadDeclaration } from './upload.ts';

const failureTexts: Record<number, string> = {
  400: 'The request is not valid; `details` names each field and rule.',
  401: 'No credential, or one that is not valid any more.',
  403: 'The caller may not do this.',
  404: 'Not there, or not visible to the caller.',
  409: 'In conflict with what is there.',
  415: 'The body is not of the type that the route takes.',
  429: 'Too many requests; `Retry-After` says when to come again.',
  500: 'A fault of the service; `requestId` finds it in the log.',
  503: 'The service can’t take the request now; `Retry-After` says when to come again.',
};

/** What a group of operations is about, by its name. */
export type TagDescriptions = ReadonlyMap<string, string>;

export function openApiDocument(routes: readonly DeclaredRoute[], tags: TagDescriptions, version: string, publicUrl: string): JsonSchema {
  const components = new Components([
    [ErrorBody, 'output'],
    ...routes.flatMap(({ query, body, answers }): [z.ZodType, Direction][] => [
      ...(query ? [[query, 'input'] as [z.ZodType, Direction]] : []),
      ...(body ? [[body, 'input'] as [z.ZodType, Direction]] : []),
      ...(isJsonAnswer(answers.body) ? [[answers.body, 'output'] as [z.ZodType, Direction]] : []),
    ]),
  ]);
  const errorSchema = components.schemaOf(ErrorBody, 'output');
  const paths: Record<string, JsonSchema> = {};
  for (const route of routes) {
    const path = API_PREFIX + route.path.replace(/:(\w+)/g, '{$1}');
    paths[path] ??= {};
    paths[path][route.method.toLowerCase()] = operationOf(route, components, errorSchema);
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
    tags: [...new Set(routes.map((route) => route.tag))].map((name) => ({ name, description: tags.get(name) })),
    paths,
    components: {
      schemas: components.schemas,
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

const streamed = { [EVENT_STREAM]: { schema: { type: 'string', description: 'Server-sent events: `id`, `event` and `data`.' } } };

function operationOf(route: DeclaredRoute, components: Components, errorSchema: JsonSchema): JsonSchema {
  const { access, answers } = route;
  const content = (schema: JsonSchema) => ({ 'application/json': { schema, example: components.exampleOf(schema) } });
  const responses: JsonSchema = {
    [answers.status]:
      answers.body === StoredFile
        ? {
            description: 'The file.',
            content: { 'text/plain': { schema: { type: 'string' } }, 'text/markdown': { schema: { type: 'string' } } },
          }
        : answers.body === StreamedLines
          ? { description: 'The lines, as they are made.', content: { [LINES_TYPE]: { schema: { type: 'string' } } } }
          : answers.body
            ? {
                description: 'Success.',
                content: { ...content(components.schemaOf(answers.body, 'output')), ...(route.stream && streamed) },
              }
            : { description: 'Done; no content.' },
  };
  for (const status of answers.also ?? []) responses[status] = { ...(responses[answers.status] as JsonSchema) };
  if (isTagged(route)) responses[304] = { description: 'What `If-None-Match` names still holds; no content.' };
  for (const status of failuresOf(route)) {
    const description = status === 413 ? `The body is larger than ${describeLimit(route.bodyLimitBytes)}.` : failureTexts[status];
    responses[status] = { description, content: { 'application/json': { schema: errorSchema } } };
  }
  return {
    operationId: route.name,
    tags: [route.tag],
    summary: route.summary,
    ...(route.description && { description: route.description }),
    security: access.who === 'public' ? [] : [{ ApiKey: [] }, ...(access.who === 'both' ? [{ AccessKey: [] }] : []), { Cookie: [] }],
    ...(access.permissions.length > 0 && { 'x-permission': access.permissions.join(', ') }),
    ...(access.parts && { 'x-permissions-of-parts': access.parts }),
    parameters: parametersOf(route, components),
    ...(route.upload && { requestBody: { required: true, content: formOf(route.upload, components) } }),
    ...(route.receives && {
      requestBody: {
        required: true,
        description: route.receives.description,
        content: { [route.receives.contentType]: { schema: { type: 'string', format: 'binary' } } },
      },
    }),
    ...(route.body && {
      requestBody: { required: !route.body.safeParse(undefined).success, content: content(components.schemaOf(route.body, 'input')) },
    }),
    responses,
  };
}

function formOf({ file, fields, required }: UploadDeclaration, components: Components): JsonSchema {
  const described = Object.entries(fields).map(([name, field]) => [name, components.schemaOf(field, 'input')] as const);
  // `format` is what generators look for, `contentMediaType` what OpenAPI 3.1 says.
  const properties = {
    [file]: { type: 'string', format: 'binary', contentMediaType: 'application/octet-stream' },
    ...Object.fromEntries(described),
  };
  return { 'multipart/form-data': { schema: { type: 'object', properties, required: [file, ...required] } } };
}

function parametersOf(route: DeclaredRoute, components: Components): JsonSchema[] {
  const parameters: JsonSchema[] = paramNamesOf(route.path).map((name) => ({
    name,
    in: 'path',
    required: true,
    schema: name.endsWith('Id') ? { type: 'string', format: 'uuid' } : { type: 'string' },
  }));
  if (route.query) {
    const query = components.schemaOf(route.query, 'input');
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
    // Keys that are not known beforehand: an object that is spread over the query.
    if (typeof query.additionalProperties === 'object') {
      parameters.push({
        name: 'labels',
        in: 'query',
        required: false,
        style: 'form',
        explode: true,
        description: 'Every other key of the query is a label: `?customer=42&channel=mail`.',
        schema: { type: 'object', additionalProperties: query.additionalProperties },
      });
    }
  }
  if (takesIdempotencyKey(route)) {
    parameters.push({
      name: 'Idempotency-Key',
      in: 'header',
      required: false,
      description: 'The same key and body give the same answer for 24 hours; another body is 409.',
      schema: { type: 'string', minLength: 1, maxLength: 255, pattern: '^[!-~]+$' },
    });
  }
  if (isTagged(route)) {
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

/** What is made while it is sent has no tag before it. */
function isTagged({ method, answers }: DeclaredRoute): boolean {
  return method === 'GET' && answers.body !== StreamedLines;
}

function failuresOf(route: DeclaredRoute): number[] {
  const statuses = new Set([429, 500, 503, ...(route.fails ?? [])]);
  if (route.access.who !== 'public') statuses.add(401).add(403);
  if (route.path.includes(':')) statuses.add(404);
  if (route.body || route.query) statuses.add(400);
  if (route.body) statuses.add(413).add(415);
  if (route.upload || route.receives) statuses.add(415);
  if (route.method === 'POST' || takesIdempotencyKey(route)) statuses.add(400).add(409);
  return [...statuses].sort((a, b) => a - b);
}
