/** Access: who may call a route, as its declaration says, held against who calls. */
import type { IncomingHttpHeaders } from 'node:http';
import type { Permission, Role } from '@commonplace/contract/permissions';
import { isShared, roleHolds } from '@commonplace/contract/permissions';
import { forbidden, notFound } from '../errors.ts';
import type { Caller } from './callers.ts';

/** `public`: anyone. `user`: an API key or the dashboard's cookie. `both`: those and access keys. */
export interface Access {
  readonly who: 'public' | 'user' | 'both';
  /** Held in the workspace that the path names. */
  readonly permissions: readonly Permission[];
  /** Who passes without the permission: any access key of the workspace, or the user whom the path names. */
  readonly except?: 'any-key' | 'self';
  /** The handler shows a key that is limited to agents these alone, by the `agentIds` of its call. */
  readonly narrowed?: true;
  /**
   * What the answer is made of, each part with the permissions of reading it. Whoever may read none is refused; the handler gives
   * those alone that are in the `parts` of its call.
   */
  readonly parts?: Readonly<Record<string, readonly Permission[]>>;
}

export const anyone = { who: 'public', permissions: [] } as const satisfies Access;

export function users(...permissions: Permission[]) {
  return { who: 'user', permissions } as const satisfies Access;
}

export function usersOrThemselves(...permissions: Permission[]) {
  return { who: 'user', permissions, except: 'self' } as const satisfies Access;
}

export function usersAndKeys(...permissions: Permission[]) {
  return { who: 'both', permissions } as const satisfies Access;
}

export function usersAndAnyKey(...permissions: Permission[]) {
  return { who: 'both', permissions, except: 'any-key' } as const satisfies Access;
}

/** Lets in keys that are limited to agents, on a route that names none and is about them: the handler heeds `agentIds`. */
export function narrowed<A extends Access>(access: A) {
  return { ...access, narrowed: true } as const;
}

/** Part of the answer is for those alone who may read it elsewhere. */
export function usersByPart<const Parts extends Readonly<Record<string, readonly Permission[]>>>(permission: Permission, parts: Parts) {
  return { who: 'user', permissions: [permission], parts } as const satisfies Access;
}

/** Lets in whoever may read at least one of the parts. */
export function usersAndKeysByPart<const Parts extends Readonly<Record<string, readonly Permission[]>>>(parts: Parts) {
  return { who: 'both', permissions: [], parts } as const satisfies Access;
}

interface Place {
  readonly workspaceId?: string;
  readonly userId?: string;
  readonly agentId?: string;
}

/** 404 before 403: a stranger can't tell a workspace that is not theirs from one that is not there. */
export function requireAccess(access: Access, caller: Caller, place: Place, role: Role | undefined): void {
  if (place.workspaceId !== undefined) {
    const visible = caller.type === 'access-key' ? caller.workspaceId === place.workspaceId : role !== undefined;
    if (!visible) throw notFound('Workspace');
  }
  if (caller.type === 'access-key' && access.who === 'user') throw forbidden('This needs a user: send an API key, not an access key');
  if (limitOf(caller) && !admitsLimited(access, place)) {
    throw forbidden('This access key is limited to some agents, and this is about the whole workspace');
  }
  if (access.except === 'any-key' && caller.type === 'access-key') return;
  if (access.except === 'self' && caller.type === 'user' && caller.userId === place.userId) return;
  for (const permission of access.permissions) {
    if (!holds(caller, role, permission)) throw forbidden(`Missing permission ${permission}`);
  }
  if (access.parts && readableParts(access, caller, role).length === 0) {
    throw forbidden(`Missing permission ${Object.values(access.parts).flat().join(' or ')}`);
  }
}

function holds(caller: Caller, role: Role | undefined, permission: Permission): boolean {
  return caller.type === 'access-key' ? caller.permissions.has(permission) : role !== undefined && roleHolds(role, permission);
}

/** The parts of an answer that the caller may read. */
export function readableParts({ parts = {} }: Access, caller: Caller, role: Role | undefined): string[] {
  return Object.keys(parts).filter((part) => parts[part]?.every((permission) => holds(caller, role, permission)));
}

/** The agents that a caller is limited to; undefined for all. */
export function limitOf(caller: Caller | undefined): ReadonlySet<string> | undefined {
  return caller?.type === 'access-key' ? caller.agentIds : undefined;
}

/** Refused unless it is known to be safe: by the agent in its path, by its permissions, or by its own word. */
function admitsLimited(access: Access, place: Place): boolean {
  if (place.workspaceId === undefined || place.agentId !== undefined || access.narrowed) return true;
  return access.permissions.length > 0 && access.permissions.every(isShared);
}

/** Agents beyond the limit of a key are not there for it, and neither is anything of theirs. */
export function requireWithinLimit(caller: Caller | undefined, { agentId }: Place): void {
  if (agentId !== undefined && limitOf(caller)?.has(agentId) === false) throw notFound('Agent');
}

/**
 * A page of another origin can make a browser send the cookie along. Unsafe methods therefore need the browser's own
 * word that the request comes from the dashboard.
 */
export function requireSameOrigin(headers: IncomingHttpHeaders, publicOrigin: string): void {
  const site = headers['sec-fetch-site'];
  if (site === 'same-origin') return;
  const { origin, host } = headers;
  const isOurs = origin !== undefined && (origin === publicOrigin || (host !== undefined && hostOf(origin) === host));
  if (site === undefined && isOurs) return;
  throw forbidden('With the cookie, changes need a same-origin request (Origin or Sec-Fetch-Site)');
}

function hostOf(origin: string): string | undefined {
  return URL.canParse(origin) ? new URL(origin).host : undefined;
}
