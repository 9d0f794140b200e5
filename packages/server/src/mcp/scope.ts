/** Who sends an MCP request, and what its headers pin: a workspace, an agent, a session. */
import { isUtf8 } from 'node:buffer';
import type { IncomingHttpHeaders } from 'node:http';
import type { Role } from '@commonplace/contract/permissions';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { narrowed, requireAccess, usersAndKeys } from '../auth/access.ts';
import type { Caller } from '../auth/callers.ts';
import { secretPrefixes } from '../auth/secrets.ts';
import type { Context } from '../context.ts';
import { isId } from '../db/ids.ts';
import { AppError, notFound } from '../errors.ts';
import type { Api } from '../http/api.ts';
import { bucketOf } from '../http/limits.ts';
import { type DeclaredRoute, paramNamesOf } from '../http/route.ts';

export interface Scope {
  readonly caller: Caller;
  /** Of a user, in the workspace. */
  readonly role: Role | undefined;
  /** The headers that prove it, as routes take them. */
  readonly credential: Readonly<Record<string, string>>;
  readonly workspaceId: string;
  readonly agentId: string | undefined;
  /** The external id of the session. */
  readonly sessionName: string | undefined;
  /** Of a session that is made here. */
  readonly sessionLabels: Readonly<Record<string, string>>;
  /** Of the request, for what its one message makes. */
  readonly idempotencyKey: string | undefined;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
}

/** What the endpoint itself takes; a protocol message that calls no route costs no more. */
const COST = 1;
const anyMember = narrowed(usersAndKeys());

/** 401, then 404 for a workspace that is not visible, as for every route. */
export async function admit(api: Api, context: Context, request: FastifyRequest, reply: FastifyReply): Promise<Scope> {
  const credential = credentialOf(request.headers);
  const identity = await api.identify(request, credential);
  const { caller } = identity;
  request.identity = identity;
  api.limits.charge(request, bucketOf(caller), COST);
  const workspaceId = idIn(request.headers, 'x-workspace-id') ?? ownWorkspaceOf(caller);
  if (!isId(workspaceId)) throw notFound('Workspace');
  const role = caller.type === 'user' ? await context.callers.roleOf(identity, caller.userId, workspaceId) : undefined;
  requireAccess(anyMember, caller, { workspaceId }, role);
  return {
    caller,
    role,
    credential,
    workspaceId,
    agentId: idIn(request.headers, 'x-agent-id') ?? onlyAgentOf(caller),
    sessionName: textIn(request.headers, 'x-session-id'),
    sessionLabels: Object.fromEntries(new URLSearchParams(textIn(request.headers, 'x-session-labels') ?? '')),
    idempotencyKey: textIn(request.headers, 'idempotency-key'),
    request,
    reply,
  };
}

/** Why a caller may not call a route; undefined where it may. */
export function refusalOf({ caller, role, workspaceId }: Scope, { access, path }: DeclaredRoute): string | undefined {
  // Whether the agent is one that the caller sees is asked when the route is called.
  const place = { workspaceId, ...(paramNamesOf(path).includes('agentId') && { agentId: workspaceId }) };
  try {
    requireAccess(access, caller, place, role);
    return undefined;
  } catch (error) {
    if (error instanceof AppError) return error.message;
    throw error;
  }
}

/** A cookie is no credential here: a browser would send it for any page. */
function credentialOf(headers: IncomingHttpHeaders): Record<string, string> {
  for (const name of ['x-api-key', 'x-access-key']) {
    const secret = headers[name];
    if (secret !== undefined) return { [name]: String(secret) };
  }
  const token = /^Bearer +(\S+) *$/i.exec(headers.authorization ?? '')?.[1];
  if (token === undefined) return {};
  return { [token.startsWith(secretPrefixes.apiKey) ? 'x-api-key' : 'x-access-key']: token };
}

function ownWorkspaceOf(caller: Caller): string {
  if (caller.type === 'access-key') return caller.workspaceId;
  throw new AppError('bad_request', 'The header X-Workspace-Id is required with an API key, which opens several workspaces');
}

function onlyAgentOf(caller: Caller): string | undefined {
  if (caller.type !== 'access-key' || caller.agentIds?.size !== 1) return undefined;
  return [...caller.agentIds][0];
}

function idIn(headers: IncomingHttpHeaders, name: string): string | undefined {
  return textIn(headers, name)?.toLowerCase();
}

/** Headers come as bytes; what is UTF-8 was meant so. An empty one is none: templates leave them so. */
function textIn(headers: IncomingHttpHeaders, name: string): string | undefined {
  const value = headers[name];
  if (value === undefined || value === '') return undefined;
  const bytes = Buffer.from(String(value), 'latin1');
  return isUtf8(bytes) ? bytes.toString() : String(value);
}
