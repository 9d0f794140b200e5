/** The parameters of a path, before anything is looked up by them. */
import { isStorable } from '@commonplace/contract/lengths';
import { isId } from '../db/ids.ts';
import { notFound } from '../errors.ts';
import { type DeclaredRoute, resourceOf } from './route.ts';

export type Params = Record<string, string>;

/** Ids are opaque and compare without case, as uuids do in PostgreSQL. */
export function normalizeIds(params: Params): void {
  for (const name in params) if (name.endsWith('Id')) params[name] = (params[name] as string).toLowerCase();
}

/** What can't be the name of anything is not found, and never reaches a database that would refuse to compare it. */
export function requirePlausible(route: DeclaredRoute, params: Params): void {
  for (const [name, value] of Object.entries(params)) {
    if (!(name.endsWith('Id') ? isId(value) : isStorable(value))) throw notFound(resourceOf(route, name));
  }
}
