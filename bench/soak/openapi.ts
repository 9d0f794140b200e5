/** The declared routes as the service publishes them, with an example of each body. */
import type { RouteOutline } from '../../packages/server/test/matrix-paths.ts';

export interface PublishedRoute extends RouteOutline {
  readonly example: Record<string, unknown> | undefined;
}

interface Operation {
  readonly requestBody?: {
    readonly content: {
      readonly 'application/json'?: { readonly example?: Record<string, unknown> };
      readonly 'multipart/form-data'?: { readonly schema: { readonly properties: Record<string, { readonly format?: string }> } };
    };
  };
}

const methods = ['get', 'post', 'put', 'delete'] as const;

export async function publishedRoutes(url: string): Promise<PublishedRoute[]> {
  const answer = await fetch(`${url}/api/v1/openapi.json`);
  const { paths } = (await answer.json()) as { paths: Record<string, Record<string, Operation>> };
  return Object.entries(paths).flatMap(([template, operations]) =>
    methods
      .filter((method) => operations[method])
      .map((method) => routeOf(method.toUpperCase() as RouteOutline['method'], template, operations[method] as Operation)),
  );
}

function routeOf(method: RouteOutline['method'], template: string, { requestBody }: Operation): PublishedRoute {
  const path = template.replace('/api/v1', '').replace(/\{(\w+)\}/g, ':$1');
  const form = requestBody?.content['multipart/form-data']?.schema.properties;
  const example = requestBody?.content['application/json']?.example;
  if (!form) return { method, path, example };
  const [file] = Object.entries(form).find(([, { format }]) => format === 'binary') ?? [];
  if (file === undefined) throw new Error(`${method} ${path} has a form without a file`);
  const fields = Object.fromEntries(Object.keys(form).flatMap((name) => (name === file ? [] : [[name, '']])));
  return { method, path, example, upload: { file, fields } };
}
