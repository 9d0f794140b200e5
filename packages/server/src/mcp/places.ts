/** The agent and the session that a request’s headers name, or a sentence on what to do about it. */
import type { Agent } from '@commonplace/contract/agents';
import type { Session } from '@commonplace/contract/sessions';
import { requireAgent } from '../agents/store.ts';
import { requireWithinLimit } from '../auth/access.ts';
import type { Queryable } from '../db/database.ts';
import { isId } from '../db/ids.ts';
import { AppError, notFound } from '../errors.ts';
import { findSelectedSession, requireSelectedSession } from '../sessions/store.ts';
import type { Scope } from './scope.ts';

export function requireAgentId({ agentId, caller }: Pick<Scope, 'agentId' | 'caller'>): string {
  if (agentId === undefined) throw missing('agent', 'X-Agent-Id', 'COMMONPLACE_AGENT_ID');
  requireWithinLimit(caller, { agentId });
  if (!isId(agentId)) throw notFound('Agent');
  return agentId;
}

export function requireSessionName({ sessionName }: Pick<Scope, 'sessionName'>): string {
  if (sessionName === undefined) throw missing('session', 'X-Session-Id', 'COMMONPLACE_SESSION_ID');
  return sessionName;
}

export async function requireScopedAgent(db: Queryable, scope: Scope): Promise<Agent> {
  return requireAgent(db, scope.workspaceId, requireAgentId(scope));
}

/** By its external id. Needs no permission: it only says where the route that is called next looks. */
export async function findScopedSession(db: Queryable, scope: Scope): Promise<Session | undefined> {
  return findSelectedSession(db, agentPlace(scope), { externalId: requireSessionName(scope), labels: {} });
}

export async function requireScopedSession(db: Queryable, scope: Scope): Promise<Session> {
  return requireSelectedSession(db, agentPlace(scope), { externalId: requireSessionName(scope), labels: {} });
}

function agentPlace(scope: Scope): { workspaceId: string; agentId: string } {
  return { workspaceId: scope.workspaceId, agentId: requireAgentId(scope) };
}

function missing(noun: string, header: string, variable: string): AppError {
  return new AppError('bad_request', `No ${noun} is named: send the header ${header} (with \`commonplace mcp\`: set ${variable})`);
}

/** What a model is told of a failure: what went wrong, and what can be done about it. */
export function adviceOn(message: string, { sessionName }: Pick<Scope, 'sessionName'>, retryAfterSeconds?: number): string {
  if (retryAfterSeconds) return `${message}. Try again in ${retryAfterSeconds} s.`;
  if (message === 'Agent not found') return 'Agent not found: the header X-Agent-Id names none that this key may see.';
  if (message === 'Session not found') return `Session "${sessionName}" not found: call add_memory first, which creates it.`;
  return /[.!?]$/.test(message) ? message : `${message}.`;
}
