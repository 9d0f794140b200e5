/** The service's OpenAPI document, and what this page makes of it: operations in the order and under the tags that it gives. */
import { queryOptions } from '@tanstack/react-query';
import type { Schema } from './schema.ts';

export const DOCUMENT_URL = '/api/v1/openapi.json';

export interface Media {
  readonly schema: Schema;
  readonly example?: unknown;
}

export interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required?: boolean;
  readonly description?: string;
  readonly schema: Schema;
}

export interface ApiResponse {
  readonly description: string;
  readonly content?: Readonly<Record<string, Media>>;
}

interface RawOperation {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly description?: string;
  readonly security?: readonly Readonly<Record<string, unknown>>[];
  readonly 'x-permission'?: string;
  readonly 'x-permissions-of-parts'?: Readonly<Record<string, readonly string[]>>;
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly required?: boolean; readonly content: Readonly<Record<string, Media>> };
  readonly responses: Readonly<Record<string, ApiResponse>>;
}

export interface SecurityScheme {
  readonly in: 'header' | 'cookie';
  readonly name: string;
  readonly description?: string;
}

export interface OpenApiDocument {
  readonly info: { readonly title: string; readonly version: string; readonly description?: string };
  readonly tags: readonly { readonly name: string; readonly description?: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, RawOperation>>>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, Schema>>;
    readonly securitySchemes: Readonly<Record<string, SecurityScheme>>;
  };
}

export interface Operation {
  readonly id: string;
  readonly tag: string;
  /** As it is sent: GET. */
  readonly method: string;
  readonly path: string;
  readonly summary: string;
  readonly description: string | undefined;
  /** Names of the schemes of which one is enough; empty where anyone may call. */
  readonly schemes: readonly string[];
  readonly permissions: readonly string[];
  /** What each part of the answer takes, where parts are left out for those who may not see them. */
  readonly permissionsOfParts: Readonly<Record<string, readonly string[]>>;
  readonly parameters: readonly Parameter[];
  readonly body: (Media & { readonly type: string; readonly required: boolean }) | undefined;
  readonly responses: readonly (ApiResponse & { readonly status: string })[];
  /** In small letters, for the search. */
  readonly words: string;
}

export interface Tag {
  readonly name: string;
  readonly description: string | undefined;
  readonly operations: readonly Operation[];
}

export interface Reference {
  readonly title: string;
  readonly version: string;
  readonly description: string | undefined;
  readonly tags: readonly Tag[];
  readonly operations: readonly Operation[];
  readonly schemas: Readonly<Record<string, Schema>>;
  readonly schemes: Readonly<Record<string, SecurityScheme>>;
}

export function readDocument({ info, tags, paths, components }: OpenApiDocument): Reference {
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, raw]) => readOperation(path, method.toUpperCase(), raw, components.schemas)),
  );
  const groups = tags.map(({ name, description }) => ({ name, description, operations: operations.filter(({ tag }) => tag === name) }));
  return {
    title: info.title,
    version: info.version,
    description: info.description,
    tags: groups.filter((group) => group.operations.length > 0),
    operations,
    schemas: components.schemas,
    schemes: components.securitySchemes,
  };
}

function readOperation(path: string, method: string, raw: RawOperation, schemas: OpenApiDocument['components']['schemas']): Operation {
  const [type, media] = Object.entries(raw.requestBody?.content ?? {})[0] ?? [];
  const permissions = raw['x-permission']?.split(', ') ?? [];
  const parameters = raw.parameters ?? [];
  const tag = raw.tags[0] ?? '';
  const bodySchema = media?.schema.$ref ? schemas[media.schema.$ref.split('/').at(-1) ?? ''] : media?.schema;
  const names = [...parameters.map(({ name }) => name), ...Object.keys(bodySchema?.properties ?? {})];
  return {
    id: raw.operationId,
    tag,
    method,
    path,
    summary: raw.summary,
    description: raw.description,
    schemes: [...new Set((raw.security ?? []).flatMap((requirement) => Object.keys(requirement)))],
    permissions,
    permissionsOfParts: raw['x-permissions-of-parts'] ?? {},
    parameters,
    body: media && type ? { ...media, type, required: raw.requestBody?.required ?? false } : undefined,
    responses: Object.entries(raw.responses).map(([status, response]) => ({ status, ...response })),
    words: [method, path, raw.summary, raw.operationId, tag, ...permissions, ...names].join(' ').toLowerCase(),
  };
}

/** Those that have every word of the query; first the one that is called so. */
export function findOperations(operations: readonly Operation[], query: string): readonly Operation[] {
  const terms = query.toLowerCase().split(/\s+/).filter(Boolean);
  const found = operations.filter(({ words }) => terms.every((term) => words.includes(term)));
  const named = found.filter(({ id }) => id.toLowerCase() === terms[0]);
  return named.length > 0 ? [...named, ...found.filter((each) => !named.includes(each))] : found;
}

export const referenceQuery = queryOptions({
  queryKey: ['openapi-document'],
  queryFn: async ({ signal }) => {
    const response = await fetch(DOCUMENT_URL, { signal, headers: { accept: 'application/json' } });
    if (!response.ok) throw new Error(`The OpenAPI document could not be read: status ${response.status}.`);
    return readDocument((await response.json()) as OpenApiDocument);
  },
  staleTime: Number.POSITIVE_INFINITY,
});
