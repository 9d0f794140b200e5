/** Paths for tests that are generated from the declared routes: every parameter gets a value, or the test fails. */
import { newId } from '../src/db/ids.ts';
import { type DeclaredRoute, paramNamesOf } from '../src/http/route.ts';
import type { UploadDeclaration } from '../src/http/upload.ts';

/** Parameters that are no ids. A new name goes here, so that somebody thinks of what a harmless value for it is. */
const namesOfNothing: Readonly<Record<string, () => string>> = {
  token: () => `nobody-${newId()}`,
  promptName: () => `nothing-${newId()}`,
};

/** A value that is well formed and names nothing. */
export function valueOfNothing(paramName: string): string {
  if (paramName.endsWith('Id')) return newId();
  const make = namesOfNothing[paramName];
  if (!make) throw new Error(`No value is known for the path parameter “${paramName}”; give it one in test/matrix-paths.ts`);
  return make();
}

/** The path of a route below /api/v1, with the values that are given and values of nothing for the rest. */
export function pathOf(route: Pick<DeclaredRoute, 'path'>, given: Readonly<Record<string, string>> = {}): string {
  const filled = paramNamesOf(route.path).reduce(
    (path, name) => path.replace(`:${name}`, encodeURIComponent(given[name] ?? valueOfNothing(name))),
    route.path,
  );
  if (/[:*]/.test(filled)) throw new Error(`The path ${route.path} has more in it than named parameters`);
  return filled;
}

/** What can be known of a route without its schemas. */
export interface RouteOutline extends Pick<DeclaredRoute, 'method' | 'path'> {
  readonly upload?: Pick<UploadDeclaration, 'file'> & { readonly fields: Readonly<Record<string, unknown>> };
}

export function titleOf(route: Pick<DeclaredRoute, 'method' | 'path'>): string {
  return `${route.method} ${route.path}`;
}
