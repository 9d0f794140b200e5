/** The resource that is read and written: its paths, a small body, and the store functions behind them. */
import type { NewAccessKey } from '@commonplace/contract/access-keys';
import { createAccessKey, requireAccessKey } from '../packages/server/src/access-keys/store.ts';
import type { Actor } from '../packages/server/src/auth/callers.ts';
import type { Queryable } from '../packages/server/src/db/database.ts';

/** Rows that the reads go round. */
export const ROWS = 100;

export const body: NewAccessKey = { name: 'Production agent', permissions: ['CAN_CREATE_SESSION_MESSAGE', 'CAN_QUERY_SESSION_MESSAGES'] };

export const itemPattern = '/api/v1/workspaces/:workspaceId/keys/:keyId';
export const collectionPattern = '/api/v1/workspaces/:workspaceId/keys';

export function collectionPath(workspaceId: string): string {
  return collectionPattern.replace(':workspaceId', workspaceId);
}

export async function create(db: Queryable, by: Actor, workspaceId: string): Promise<{ id: string }> {
  return createAccessKey(db, by, workspaceId, body, Date.now());
}

export async function read(db: Queryable, workspaceId: string, id: string): Promise<object> {
  return requireAccessKey(db, workspaceId, id);
}
