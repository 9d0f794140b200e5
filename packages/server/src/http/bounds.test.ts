/** Everything that a client may send has a most, in every declared route; a route added later is in here without a word. */
import { afterAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { openApi } from '../../test/api.ts';
import { largestBody, largestForm, largestQuery, tooLargeBodies } from '../../test/largest-inputs.ts';
import { bodyExamples, newFurnishedScene } from '../../test/matrix-items.ts';
import { pathOf, titleOf } from '../../test/matrix-paths.ts';
import { anyone } from '../auth/access.ts';
import { bodyLimitOf, describeLimit, largestJsonBytes, longestFieldBytes } from './body-limits.ts';
import { paramNamesOf } from './route.ts';

const KIBIBYTE = 1024;
const { api, close } = await openApi();
afterAll(close);
const routes = api.app.api.routes;
const examples = await bodyExamples(api);

describe('every route', () => {
  test.for(routes.map((route) => [titleOf(route), route] as const))('%s takes a bounded body, query and path', async ([, route]) => {
    if (route.body) expect(largestJsonBytes(route.body)).toBeLessThan(Number.POSITIVE_INFINITY);
    if (route.query) expect(largestJsonBytes(route.query)).toBeLessThan(Number.POSITIVE_INFINITY);
    for (const field of Object.values(route.upload?.fields ?? {})) expect(longestFieldBytes(field)).toBeLessThan(KIBIBYTE * KIBIBYTE);
    expect(route.bodyLimitBytes).toBeLessThanOrEqual(10 * KIBIBYTE * KIBIBYTE);
    if (!route.body && !route.upload && !route.receives) expect(route.bodyLimitBytes).toBe(64 * KIBIBYTE);
    if (route.path.startsWith('/auth/')) expect(route.bodyLimitBytes, 'nobody is known yet').toBe(64 * KIBIBYTE);
    for (const name of paramNamesOf(route.path)) {
      const answer = await api.anonymous.send(route.method, pathOf(route, { [name]: 'x'.repeat(2001) }));
      expect([name, answer.status]).toEqual([name, 404]);
    }
  });

  test.for([
    ['a string', z.object({ name: z.string() }), /\.name has no most: a string/],
    ['an array', z.object({ names: z.array(z.boolean()) }), /\.names has no most: an array/],
    ['a string in an array', z.object({ names: z.array(z.string()).max(3) }), /\.names\[\] has no most: a string/],
    ['a map', z.object({ labels: z.record(z.string(), z.boolean()) }), /\.labels has no most: a map/],
    ['anything', z.object({ meta: z.unknown() }), /\.meta has no most: it says nothing/],
    ['an open object', z.object({ meta: z.unknown().meta({ type: 'object' }) }), /\.meta has no most: an object/],
    ['a time', z.iso.datetime(), /has no most: a string/],
  ] as const)('%s without a most can’t be declared', ([, body, reason]) => {
    const declaration = { method: 'POST', path: '/nowhere', name: 'nowhere', tag: 'Test', summary: 'Test', access: anyone } as const;
    const declare = () => api.app.api.route({ ...declaration, body, answers: { status: 204 }, handle: async () => undefined });
    expect(declare).toThrow(
      expect.objectContaining({
        message: expect.stringContaining('nowhere'),
        cause: expect.objectContaining({ message: expect.stringMatching(reason) }),
      }),
    );
    expect(() => bodyLimitOf({ body })).toThrow(reason);
  });
});

describe('the largest input', () => {
  test.for(routes.filter(({ body }) => body).map((route) => [titleOf(route), route] as const))(
    '%s: is valid, and within the limit',
    ([, route]) => {
      for (const fill of ['x', 'x\n', '日', '😀', '{{a}}']) {
        const body = largestBody(route, { fill }) as string;
        expect(Buffer.byteLength(body)).toBeLessThanOrEqual(route.bodyLimitBytes);
        const result = route.body?.safeParse(JSON.parse(body));
        expect(
          result?.error?.issues.filter(({ path }) => !['password', 'newPassword', 'email'].includes(String(path[0]))) ?? [],
          fill,
        ).toEqual([]);
      }
    },
  );

  test.for(routes.filter(({ query }) => query).map((route) => [titleOf(route), route] as const))('%s: its query is valid', ([, route]) => {
    const query = Object.fromEntries(new URLSearchParams(largestQuery(route, { fields: { cursor: '', version: 'latest' } })));
    expect(route.query?.safeParse(query).error?.issues ?? []).toEqual([]);
  });

  test('a form is as large as its file and fields may be', () => {
    for (const route of routes.filter(({ upload }) => upload)) {
      const form = largestForm(route) as { text: string };
      expect(form.text.length).toBeGreaterThan(route.upload?.largestBytes as number);
      expect(form.text.length).toBeLessThanOrEqual(route.bodyLimitBytes);
    }
  });
});

describe('one beyond a limit', () => {
  test.for(routes.filter(({ body, access }) => body && access.who !== 'public').map((route) => [titleOf(route), route] as const))(
    '%s: is 400 and names the field',
    async ([title, route]) => {
      const { items, workspace } = await newFurnishedScene(api, examples);
      const cases = tooLargeBodies(route, examples.get(title) ?? {});
      for (const { path, body } of cases) {
        const answer = await workspace.owner.send(route.method, pathOf(route, items), body, { 'content-type': 'application/json' });
        expect([path, answer.status, answer.text.slice(0, 300)]).toEqual([path, 400, expect.any(String)]);
        const [field] = path.split('.');
        expect(answer.body.details?.[0]?.path.split('.')[0], `${path}: ${answer.text.slice(0, 300)}`).toBe(field);
        expect(answer.body.details.length).toBeLessThanOrEqual(20);
      }
    },
  );
});

describe('a body', () => {
  test.for(routes.filter(({ body }) => body).map((route) => [titleOf(route), route] as const))(
    '%s: a byte more than its limit is 413 and names it, before anything is parsed',
    async ([, route]) => {
      const { items, workspace } = await newFurnishedScene(api, examples);
      const caller = route.access.who === 'public' ? api.anonymous : workspace.owner;
      const send = (bytes: number) =>
        caller.send(route.method, pathOf(route, items), '['.repeat(bytes), { 'content-type': 'application/json' });
      const limit = describeLimit(route.bodyLimitBytes);
      expect((await send(route.bodyLimitBytes)).status).toBe(400);
      expect(await send(route.bodyLimitBytes + 1)).toMatchObject({
        status: 413,
        body: { errorMessage: `Body must not exceed ${limit}`, code: 'payload_too_large' },
      });
      const { body: document } = await api.anonymous.get('/openapi.json');
      const operation = document.paths[`/api/v1${route.path.replace(/:(\w+)/g, '{$1}')}`][route.method.toLowerCase()];
      expect(operation.responses[413].description).toBe(`The body is larger than ${limit}.`);
    },
  );
});

test('examples of times lie where the rules want them', async () => {
  const { body: document } = await api.anonymous.get('/openapi.json');
  const nowMs = Date.now();
  let seen = 0;
  // biome-ignore lint/suspicious/noExplicitAny: a schema as the document has it.
  const look = (schema: any, name = ''): void => {
    if (typeof schema !== 'object' || schema === null) return;
    if (schema.$ref) look(document.components.schemas[schema.$ref.split('/').at(-1)]);
    for (const choice of schema.anyOf ?? []) look(choice, name);
    for (const [property, inner] of Object.entries(schema.properties ?? {})) look(inner, property);
    look(schema.items);
    if (!['createdAt', 'expiresAt'].includes(name) || !schema.examples) return;
    expect([name, Date.parse(schema.examples[0]) > nowMs]).toEqual([name, name === 'expiresAt']);
    seen++;
  };
  for (const { method, path } of routes) {
    const operation = document.paths[`/api/v1${path.replace(/:(\w+)/g, '{$1}')}`][method.toLowerCase()];
    look(operation.requestBody?.content['application/json']?.schema);
  }
  expect(seen).toBeGreaterThan(4);
});
