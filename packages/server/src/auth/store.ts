/** The look-ups that turn a credential into a caller, and the times of last use. */
import type { Permission, Role } from '@commonplace/contract/permissions';
import { timestamp } from '../clock.ts';
import type { Database } from '../db/database.ts';
import { type Sql, sql } from '../db/sql.ts';
import type { AccessKeyCaller, Caller, UserCaller } from './callers.ts';

type UserRow = Omit<UserCaller, 'type' | 'via'>;

export async function findApiKeyCaller(db: Database, hash: string): Promise<UserCaller | undefined> {
  const row = await db.maybeOne(sql<UserRow>`
    select k.id as "credentialId", k.expires_at as "expiresAt", u.id as "userId", u.email, u.name, u.role
    from api_keys k join users u on u.id = k.user_id
    where k.hash = ${hash}`);
  return row && { type: 'user', via: 'api-key', ...row };
}

export async function findCookieCaller(db: Database, hash: string): Promise<UserCaller | undefined> {
  const row = await db.maybeOne(sql<UserRow>`
    select s.id as "credentialId", s.expires_at as "expiresAt", u.id as "userId", u.email, u.name, u.role
    from dashboard_sessions s join users u on u.id = s.user_id
    where s.hash = ${hash}`);
  return row && { type: 'user', via: 'cookie', ...row };
}

export async function findAccessKeyCaller(db: Database, hash: string): Promise<AccessKeyCaller | undefined> {
  const row = await db.maybeOne(sql<{
    credentialId: string;
    workspaceId: string;
    name: string;
    permissions: string;
    agentIds: string | null;
    expiresAt: string | null;
  }>`
    select id as "credentialId", workspace_id as "workspaceId", name, permissions, agent_ids as "agentIds", expires_at as "expiresAt"
    from access_keys
    where hash = ${hash}`);
  if (!row) return undefined;
  const permissions = new Set(JSON.parse(row.permissions) as Permission[]);
  const agentIds = JSON.parse(row.agentIds ?? 'null') as string[] | null;
  return {
    type: 'access-key',
    ...row,
    permissions,
    agentIds: agentIds ? new Set(agentIds) : undefined,
  };
}

export async function findRole(db: Database, workspaceId: string, userId: string): Promise<Role | undefined> {
  const row = await db.maybeOne(sql<{ role: Role }>`
    select role from memberships where workspace_id = ${workspaceId} and user_id = ${userId}`);
  return row?.role;
}

export async function touchKeys(db: Database, touched: readonly { caller: Caller; atMs: number }[]): Promise<void> {
  const updates = touched.map(({ caller, atMs }) => touchKey(caller, timestamp(atMs))).filter((update) => update !== undefined);
  if (updates.length > 0) await db.batch(updates);
}

function touchKey(caller: Caller, at: string): Sql | undefined {
  if (caller.type === 'access-key') {
    return sql`update access_keys set last_used_at = ${at} where workspace_id = ${caller.workspaceId} and id = ${caller.credentialId}`;
  }
  return caller.via === 'api-key' ? sql`update api_keys set last_used_at = ${at} where id = ${caller.credentialId}` : undefined;
}
