/** One call of an operation: what the samples print, and what the panel sends. */
import type { Operation, Parameter, Reference } from '../document.ts';

export interface FilePart {
  readonly name: string;
  readonly filename: string;
}

export interface Call {
  readonly operation: Operation;
  /** The service. */
  readonly origin: string;
  /** By the name of the parameter; those that are not known stay placeholders. */
  readonly ids: Readonly<Record<string, string>>;
  readonly query: readonly (readonly [name: string, value: string])[];
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** The header that carries the key, and the variable that holds it; none where anyone may call. */
  readonly key: { readonly header: string; readonly variable: string; readonly option: string } | undefined;
  readonly body?: { readonly type: string; readonly text: string };
  readonly fields?: readonly (readonly [name: string, value: string])[];
  readonly file?: FilePart;
}

/** Runtime calls are mostly made with an access key, so it is the one shown where a route takes both. */
const keys = [
  { scheme: 'AccessKey', variable: 'COMMONPLACE_ACCESS_KEY', option: 'accessKey' },
  { scheme: 'ApiKey', variable: 'COMMONPLACE_API_KEY', option: 'apiKey' },
] as const;

export function keyOf(operation: Operation, { schemes }: Reference): Call['key'] {
  const found = keys.find(({ scheme }) => operation.schemes.includes(scheme));
  const header = found && schemes[found.scheme]?.name;
  return found && header ? { header, variable: found.variable, option: found.option } : undefined;
}

const exampleOf = ({ schema, name }: Parameter) => String(schema.examples?.[0] ?? schema.default ?? name);

/** Before anyone typed anything: what is required, and the document's own example of a body. */
export function exampleCall(operation: Operation, reference: Reference, origin: string, workspaceId: string | undefined): Call {
  const { body, parameters } = operation;
  const required = parameters.filter((parameter) => parameter.in === 'query' && (parameter.required || isSelector(operation, parameter)));
  const call: Call = {
    operation,
    origin,
    ids: workspaceId ? { workspaceId } : {},
    query: required.map((parameter) => [parameter.name, isSelector(operation, parameter) ? 'chat-17' : exampleOf(parameter)]),
    headers: [],
    key: keyOf(operation, reference),
  };
  if (!body) return call;
  if (body.type !== 'multipart/form-data') return { ...call, body: { type: body.type, text: JSON.stringify(body.example ?? {}, null, 2) } };
  return { ...call, fields: [['title', 'Handbook']], file: { name: 'file', filename: 'handbook.md' } };
}

/** A session that is found by what it is called by needs at least that. */
const isSelector = ({ path }: Operation, { name }: Parameter) => path.endsWith('/by-labels') && name === 'id';

export const pathIds = ({ parameters }: Operation): readonly string[] =>
  parameters.filter((parameter) => parameter.in === 'path').map(({ name }) => name);

export const queryText = (query: Call['query']): string =>
  query.length > 0 ? `?${new URLSearchParams(query.map(([name, value]): [string, string] => [name, value]))}` : '';
