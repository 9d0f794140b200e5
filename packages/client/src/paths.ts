/** Addresses from a path of the API and the ids in it. */
import { CommonplaceError } from './errors.ts';

/** The names in a path: of `/agents/{agentId}`, `agentId`. */
export type IdNames<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}` ? Name | IdNames<Rest> : never;

export type Ids<Path extends string> = { readonly [name in IdNames<Path>]: string };

export type Query = Readonly<Record<string, string | number | boolean | object | null | undefined>>;

/** An id is one segment, whatever it holds: an empty one or `..` would name another resource. */
export function fillPath(path: string, ids: Readonly<Record<string, string>>): string {
  return path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const id = ids[name];
    if (typeof id !== 'string' || id === '' || id === '.' || id === '..') throw new CommonplaceError(`${name} is required`);
    return encodeURIComponent(id);
  });
}

/** With its question mark; empty where there is nothing to ask. An object is its JSON. */
export function queryText(query: Query): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query))
    if (value !== undefined && value !== null) search.append(name, typeof value === 'object' ? JSON.stringify(value) : String(value));
  const text = search.toString();
  return text && `?${text}`;
}

const RESERVED = ['id', 'limit', 'offset', 'cursor'];

/** Labels are query keys of their own, beside the parameters of the route. */
export function spreadLabels<Params extends { labels?: Readonly<Record<string, string>> }>(
  { labels = {}, ...params }: Params,
  reserved: readonly string[] = RESERVED,
): Query {
  const taken = Object.keys(labels).find((name) => reserved.includes(name));
  if (taken !== undefined)
    throw new CommonplaceError(`A label called ${taken} can’t be looked for: the query has a parameter of that name`);
  return { ...labels, ...(params as Query) };
}
