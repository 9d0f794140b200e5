/** The tables of quotas: the limits of single workspaces, and what each node let through. */
import { timestamp } from '../clock.ts';
import type { Database, Queryable } from '../db/database.ts';
import { invalidate } from '../db/invalidation.ts';
import { shape, snakeCase } from '../db/shape.ts';
import { list, perEngine, raw, rows, type Sql, sql } from '../db/sql.ts';
import { notFound } from '../errors.ts';
import type { OwnLimits } from './rules.ts';

/** The payload is a workspace id: every node reads its limits anew. */
export const QUOTAS_TOPIC = 'workspace-quotas';

const WRITTEN_AT_ONCE = 500;

interface StoredLimits extends OwnLimits {
  readonly workspaceId: string;
}
const columns = shape<StoredLimits>({
  workspaceId: 'text',
  messages: 'integer',
  documents: 'integer',
  bytes: 'integer',
  requestsPerMinute: 'integer',
});
const stored = columns.with<{ updatedAt: string }>({ updatedAt: 'time' });

/** Those of every workspace that has some. */
export async function loadOwnLimits(db: Queryable): Promise<Map<string, OwnLimits>> {
  const found = await db.query(sql<StoredLimits>`select ${columns} from workspace_quotas`);
  return new Map(found.map(({ workspaceId, ...limits }) => [workspaceId, limits]));
}

export async function findOwnLimits(db: Queryable, workspaceId: string): Promise<OwnLimits | undefined> {
  const found = await db.maybeOne(sql<StoredLimits>`select ${columns} from workspace_quotas where workspace_id = ${workspaceId}`);
  if (!found) return undefined;
  const { workspaceId: _, ...limits } = found;
  return limits;
}

/** What is left out keeps its value. Every node has heard of it when it resolves, and reads it then. */
export function setOwnLimits(workspaceId: string, changes: Partial<OwnLimits>, nowMs: number): Sql[] {
  const none = { messages: null, documents: null, bytes: null, requestsPerMinute: null };
  const set = stored.assignments({ ...changes, updatedAt: timestamp(nowMs) });
  return [
    sql`select id from workspaces where id = ${workspaceId}`.orElse(() => notFound('Workspace')),
    sql`${stored.insertInto('workspace_quotas', [{ workspaceId, ...none, ...changes, updatedAt: timestamp(nowMs) }])}
        on conflict (workspace_id) do update set ${set}`,
    invalidate(QUOTAS_TOPIC, workspaceId),
  ];
}

/** The defaults hold again. */
export function clearOwnLimits(workspaceId: string): Sql[] {
  return [
    sql`select id from workspaces where id = ${workspaceId}`.orElse(() => notFound('Workspace')),
    sql`delete from workspace_quotas where workspace_id = ${workspaceId}`,
    invalidate(QUOTAS_TOPIC, workspaceId),
  ];
}

export interface RequestTotal {
  readonly workspaceId: string;
  readonly nodeId: string;
  readonly total: number;
}

// Values of a list have no type of their own in PostgreSQL.
const totalColumns = perEngine({
  sqlite: 'column1, column2, column3, column4',
  postgres: 'column1::uuid, column2::uuid, column3::bigint, column4::timestamptz',
});

export async function writeRequestTotals(db: Database, totals: readonly RequestTotal[], nowMs: number): Promise<void> {
  const now = timestamp(nowMs);
  // In one order everywhere, so that two nodes never wait for each other.
  const inOrder = [...totals].sort((a, b) => (a.workspaceId < b.workspaceId ? -1 : 1));
  for (let start = 0; start < inOrder.length; start += WRITTEN_AT_ONCE) {
    const some = inOrder.slice(start, start + WRITTEN_AT_ONCE).map(({ workspaceId, nodeId, total }) => [workspaceId, nodeId, total, now]);
    await db.run(sql`
      insert into request_totals (workspace_id, node_id, total, updated_at)
      select ${totalColumns} from (values ${rows(some)}) v where 1 = 1
      on conflict (workspace_id, node_id) do update set total = excluded.total, updated_at = excluded.updated_at`);
  }
}

/** Those of the other nodes. */
export async function readRequestTotals(db: Database, workspaceIds: readonly string[], nodeId: string): Promise<RequestTotal[]> {
  const found: RequestTotal[] = [];
  for (let start = 0; start < workspaceIds.length; start += WRITTEN_AT_ONCE) {
    const some = workspaceIds.slice(start, start + WRITTEN_AT_ONCE);
    const totals = await db.query(sql<RequestTotal>`
      select workspace_id as "workspaceId", node_id as "nodeId", total from request_totals
      where workspace_id in ${list(some)} and node_id <> ${nodeId}`);
    found.push(...totals);
  }
  return found;
}

/** Of nodes that ended, or of workspaces that nobody asks any more. */
export async function dropOldRequestTotals(db: Database, beforeMs: number): Promise<void> {
  await db.run(sql`delete from request_totals where updated_at < ${timestamp(beforeMs)}`);
}

/** What a change takes the place of: of one row, the bytes of those columns that it names. Nothing where the row is not there. */
export async function measureReplaced(db: Queryable, changes: object, columns: readonly string[], from: Sql): Promise<number> {
  const changed = Object.entries(changes).flatMap(([name, value]) => (value === undefined ? [] : [snakeCase(name)]));
  const replaced = columns.filter((column) => changed.includes(column));
  if (replaced.length === 0) return 0;
  const sum = raw(replaced.map((column) => `coalesce(octet_length(${column}), 0)`).join(' + '));
  return (await db.maybeOne(sql<{ bytes: number }>`select ${sum} as bytes ${from}`))?.bytes ?? 0;
}
