import type { Audit, AuditQuery } from '@commonplace/contract/audits';
import type { Actor } from '../auth/callers.ts';
import { timestamp } from '../clock.ts';
import type { Queryable } from '../db/database.ts';
import { newId } from '../db/ids.ts';
import { type Listed, listPage } from '../db/paging.ts';
import { shape } from '../db/shape.ts';
import { type Sql, sql, where } from '../db/sql.ts';
import { notFound } from '../errors.ts';

/** What concerns an account and no workspace, and the deletion of a workspace itself, stands under this id; its actor is always the account. */
export const ACCOUNT_SCOPE = '00000000-0000-0000-0000-000000000000';

export interface AuditEntry {
  readonly workspaceId: string;
  /** `<resource>.<verb>`, such as `access_key.create`. */
  readonly action: `${string}.${string}`;
  readonly resourceId: string;
  readonly detail?: Record<string, unknown>;
}

const columns = shape<Audit>({
  id: 'text',
  workspaceId: 'text',
  action: 'text',
  actorType: 'text',
  actorId: 'text',
  actorName: 'text',
  resourceType: 'text',
  resourceId: 'text',
  detail: 'json',
  address: 'text',
  requestId: 'text',
  createdAt: 'time',
});

/** The statement that goes into the same batch or transaction as the change itself. */
export function recordAudit(by: Actor, entry: AuditEntry, nowMs: number): Sql {
  const { workspaceId, action, resourceId, detail = {} } = entry;
  const { type: actorType, id: actorId, name: actorName, address, requestId } = by;
  const resourceType = action.split('.')[0] as string;
  const createdAt = timestamp(nowMs);
  return columns.insertInto('audits', [
    { id: newId(), workspaceId, action, actorType, actorId, actorName, resourceType, resourceId, detail, address, requestId, createdAt },
  ]);
}

export async function listAudits(db: Queryable, workspaceId: string, query: AuditQuery): Promise<Listed<Audit>> {
  const matching = where([
    sql`workspace_id = ${workspaceId}`,
    query.action ? sql`action = ${query.action}` : undefined,
    query.actorId ? sql`actor_id = ${query.actorId}` : undefined,
    query.since ? sql`created_at >= ${query.since}` : undefined,
    query.until ? sql`created_at < ${query.until}` : undefined,
  ]);
  return listPage(db, query, {
    rows: sql<Audit>`select ${columns} from audits ${matching}`,
    counted: sql`from audits ${matching}`,
    key: 'id',
    keyKind: 'id',
    order: 'desc',
    keyOf: ({ id }) => id,
    longColumns: ['detail'],
  });
}

export async function requireAudit(db: Queryable, workspaceId: string, auditId: string): Promise<Audit> {
  const audit = await db.maybeOne(sql<Audit>`select ${columns} from audits where workspace_id = ${workspaceId} and id = ${auditId}`);
  if (!audit) throw notFound('Audit');
  return audit;
}
