/** The OpenAPI document: sound in itself, complete, and true. */
import { ErrorBody } from '@commonplace/contract/wire';
import { describe, expect } from 'vitest';
import { type TestApi, test } from '../../test/api.ts';
import { titleOf } from '../../test/matrix-paths.ts';
import type { JsonSchema } from './json-schema.ts';
import { type DeclaredRoute, isJsonAnswer, paramNamesOf, StreamedLines } from './route.ts';

// biome-ignore lint/suspicious/noExplicitAny: the document is read as a stranger would read it.
type Document = any;

async function documentOf(api: TestApi): Promise<Document> {
  return (await api.anonymous.get('/openapi.json')).body;
}

function operationOf(document: Document, { method, path }: DeclaredRoute): Document {
  return document.paths[`/api/v1${path.replace(/:(\w+)/g, '{$1}')}`]?.[method.toLowerCase()];
}

/** Every object in the document with the way to it. */
function* objectsIn(value: unknown, way = '#'): Generator<[string, JsonSchema]> {
  if (typeof value !== 'object' || value === null) return;
  if (!Array.isArray(value)) yield [way, value as JsonSchema];
  for (const [key, inner] of Object.entries(value)) yield* objectsIn(inner, `${way}/${key}`);
}

function resolved(document: Document, schema: JsonSchema): JsonSchema {
  if (typeof schema.$ref !== 'string') return schema;
  expect(schema.$ref).toMatch(/^#\/components\/schemas\/[\w.-]+$/);
  return resolved(document, document.components.schemas[schema.$ref.split('/').at(-1) as string]);
}

/** A body that may be absent is described as one that may be null. */
function unwrapped(document: Document, schema: JsonSchema): JsonSchema {
  const { anyOf, ...plain } = resolved(document, schema);
  const choices = (anyOf as JsonSchema[] | undefined)?.filter(({ type }) => type !== 'null') ?? [plain];
  expect(choices).toHaveLength(1);
  return resolved(document, choices[0] as JsonSchema);
}

describe('structure', () => {
  test('it is OpenAPI 3.1 of interface 1.0.0', async ({ api }) => {
    const answer = await api.anonymous.get('/openapi.json');
    expect(answer.headers['content-type']).toBe('application/json; charset=utf-8');
    expect(answer.body).toMatchObject({
      openapi: expect.stringMatching(/^3\.1\.\d$/),
      info: { title: expect.stringMatching(/\S/), version: '1.0.0' },
      servers: [{ url: api.app.context.config.publicUrl }],
    });
    expect(Object.keys(answer.body.components.securitySchemes).sort()).toEqual(['AccessKey', 'ApiKey', 'Cookie']);
  });

  test('every reference leads somewhere', async ({ api }) => {
    const document = await documentOf(api);
    const references = [...objectsIn(document)].filter(([, object]) => typeof object.$ref === 'string');
    expect(references.length).toBeGreaterThan(50);
    for (const [way, reference] of references) expect(resolved(document, reference), way).toBeTypeOf('object');
  });

  test('what is required is described, and no internal keyword is left over', async ({ api }) => {
    const document = await documentOf(api);
    for (const [way, schema] of objectsIn({ paths: document.paths, schemas: document.components.schemas })) {
      // An example is data: whatever is in there is no schema.
      if (/\/(examples?|default)(\/|$)/.test(way)) continue;
      if (schema.type === 'object' && Array.isArray(schema.required)) {
        expect([way, Object.keys(schema.properties as JsonSchema)]).toEqual([way, expect.arrayContaining(schema.required)]);
      }
      expect(Object.keys(schema), way).not.toContain('$defs');
      expect(Object.keys(schema), way).not.toContain('$schema');
    }
  });

  test('every parameter of a path is described, and no other', async ({ api }) => {
    const document = await documentOf(api);
    for (const route of api.app.api.routes) {
      const { parameters } = operationOf(document, route);
      const inPath = parameters.filter((parameter: JsonSchema) => parameter.in === 'path');
      expect(inPath.map(({ name }: { name: string }) => name)).toEqual(paramNamesOf(route.path));
      for (const parameter of inPath) expect(parameter).toMatchObject({ required: true, schema: { type: 'string' } });
      for (const { name, in: place, schema } of parameters)
        expect([titleOf(route), name, place, typeof schema]).toEqual([titleOf(route), name, place, 'object']);
      const names = parameters.map((parameter: JsonSchema) => `${parameter.in} ${parameter.name}`);
      expect(new Set(names).size, titleOf(route)).toBe(names.length);
    }
  });
});

describe('for generators of clients', () => {
  test('every group of operations says what it is about', async ({ api }) => {
    const { tags } = await documentOf(api);
    for (const { name, description } of tags) expect([name, description]).toEqual([name, expect.stringMatching(/\S/)]);
  });

  test('what may be answered to `If-None-Match` is declared on every GET whose answer is known before it is sent, and nowhere else', async ({
    api,
  }) => {
    const document = await documentOf(api);
    for (const route of api.app.api.routes) {
      const isDeclared = operationOf(document, route).responses[304] !== undefined;
      expect([titleOf(route), isDeclared]).toEqual([titleOf(route), route.method === 'GET' && route.answers.body !== StreamedLines]);
    }
  });

  test('no object holds nothing, no schema has a type and choices, no component may be null', async ({ api }) => {
    const document = await documentOf(api);
    for (const [way, schema] of objectsIn({ paths: document.paths, schemas: document.components.schemas })) {
      if (/\/(examples?|default|properties)$|\/(examples?|default)\//.test(way)) continue;
      if (schema.type === 'object') expect([way, schema.properties ?? schema.additionalProperties]).toEqual([way, expect.anything()]);
      if (schema.type !== undefined) expect([way, schema.anyOf ?? schema.oneOf]).toEqual([way, undefined]);
    }
    for (const [name, schema] of Object.entries<JsonSchema>(document.components.schemas)) {
      const choices = (schema.anyOf as JsonSchema[] | undefined) ?? [];
      expect([name, choices.some(({ type }) => type === 'null')]).toEqual([name, false]);
    }
  });

  test('a field of a body that may be left out carries no default', async ({ api }) => {
    const document = await documentOf(api);
    for (const route of api.app.api.routes.filter(({ body }) => body)) {
      const { schema } = operationOf(document, route).requestBody.content['application/json'];
      const found = [...objectsIn(unwrapped(document, schema))].filter(([, inner]) => 'default' in inner).map(([way]) => way);
      expect([titleOf(route), found]).toEqual([titleOf(route), []]);
    }
  });

  test('labels of sessions are an object that is spread over the query', async ({ api }) => {
    const document = await documentOf(api);
    for (const name of ['createSession', 'listSessions', 'getSessionByLabels', 'updateSessionByLabels', 'deleteSessionByLabels']) {
      const route = api.app.api.routes.find((candidate) => candidate.name === name) as DeclaredRoute;
      const labels = operationOf(document, route).parameters.find((parameter: JsonSchema) => parameter.name === 'labels');
      expect([name, labels]).toMatchObject([
        name,
        { in: 'query', style: 'form', explode: true, schema: { type: 'object', additionalProperties: { type: 'string' } } },
      ]);
    }
  });

  test('a form says which of its parts is the file, and which must be there', async ({ api }) => {
    const document = await documentOf(api);
    const { post } = document.paths['/api/v1/workspaces/{workspaceId}/documents'];
    const { properties, required } = post.requestBody.content['multipart/form-data'].schema;
    expect(properties.file).toMatchObject({ type: 'string', format: 'binary' });
    expect(required.sort()).toEqual(['file', 'title']);
  });
});

describe('content', () => {
  test('every body and every answer has a schema and an example, and the examples are valid', async ({ api }) => {
    const document = await documentOf(api);
    for (const route of api.app.api.routes) {
      const title = titleOf(route);
      const { requestBody, responses } = operationOf(document, route);
      expect([title, requestBody !== undefined]).toEqual([title, (route.body ?? route.upload ?? route.receives) !== undefined]);
      if (route.upload) expect(requestBody.content['multipart/form-data'].schema.properties, title).toHaveProperty(route.upload.file);
      if (route.body) {
        const { schema, example } = requestBody.content['application/json'];
        expectToDescribe(document, schema, example, title);
        expect([title, route.body.safeParse(example).error]).toEqual([title, undefined]);
        expect([title, requestBody.required]).toEqual([title, !route.body.safeParse(undefined).success]);
      }
      for (const [status, response] of Object.entries<Document>(responses)) {
        expect(response.description, `${title} ${status}`).toMatch(/\S/);
        if (Number(status) >= 400) {
          const { schema, example } = response.content['application/json'];
          const shown = example ?? (resolved(document, schema).examples as unknown[])[0];
          expect([title, status, ErrorBody.safeParse(shown).error]).toEqual([title, status, undefined]);
        }
      }
      for (const status of [route.answers.status, ...(route.answers.also ?? [])]) {
        const { content } = responses[status];
        if (isJsonAnswer(route.answers.body)) {
          const { schema, example } = content['application/json'];
          expectToDescribe(document, schema, example, title);
          expect([title, route.answers.body.safeParse(example).error]).toEqual([title, undefined]);
        } else {
          expect([title, content !== undefined]).toEqual([title, route.answers.body !== undefined]);
        }
      }
    }
  });

  /** Whatever the example shows, the schema names; whatever the schema requires, the example shows. */
  function expectToDescribe(document: Document, schema: JsonSchema, example: unknown, title: string): void {
    expect(example, title).toBeDefined();
    const { type, properties, required } = unwrapped(document, schema);
    expect([title, type]).toEqual([title, 'object']);
    const names = Object.keys((properties as JsonSchema | undefined) ?? {});
    expect([title, names]).toEqual([title, expect.arrayContaining(Object.keys(example as object))]);
    expect([title, Object.keys(example as object)]).toEqual([title, expect.arrayContaining((required as string[] | undefined) ?? [])]);
  }

  test('what the service answers is what the document promises', async ({ api }) => {
    const document = await documentOf(api);
    const { owner, url } = await api.newWorkspace();
    for (const [path, body] of [[url, (await owner.get(url)).body]] as const) {
      const operation = document.paths['/api/v1/workspaces/{workspaceId}'].get;
      const { properties, required } = resolved(document, operation.responses[200].content['application/json'].schema);
      expect([path, Object.keys(body).sort()]).toEqual([path, Object.keys(properties as JsonSchema).sort()]);
      expect(Object.keys(body)).toEqual(expect.arrayContaining(required as string[]));
    }
  });

  test('pages say their limits', async ({ api }) => {
    const { parameters } = (await documentOf(api)).paths['/api/v1/workspaces'].get;
    const named = (name: string) => parameters.find((parameter: JsonSchema) => parameter.name === name);
    expect(named('limit')).toMatchObject({ in: 'query', required: false, schema: { type: 'integer', maximum: 100, default: 50 } });
    expect(named('offset')).toMatchObject({ in: 'query', required: false, schema: { type: 'integer', minimum: 0, default: 0 } });
  });
});

test('it is cached by its tag', async ({ api }) => {
  const { headers } = await api.anonymous.get('/openapi.json');
  const again = await api.anonymous.get('/openapi.json', { 'if-none-match': headers.etag as string });
  expect([again.status, again.text]).toEqual([304, '']);
});
