/**
 * New messages are only noted down, one after the other in one place, and sorted into the queues of the background later, many
 * at a time: a row in each queue would cost a write a page of its own for each of them.
 */
import { timestamp } from '../clock.ts';
import type { Queryable, Transactable } from '../db/database.ts';
import { forUpdate, list, rows, type Sql, sql } from '../db/sql.ts';

const SORTED_AT_ONCE = 256;

export interface Arrival {
  readonly workspaceId: string;
  readonly sessionId: string;
  readonly messageId: string;
  /** Whether memories are extracted from it. */
  readonly extracts: boolean;
}

/** The statement that goes with writing messages. */
export function arrived(arrivals: readonly Arrival[], nowMs: number): Sql {
  const now = timestamp(nowMs);
  const values = arrivals.map(({ workspaceId, sessionId, messageId, extracts }) => [workspaceId, sessionId, messageId, extracts, now]);
  return sql`insert into arrivals (workspace_id, session_id, message_id, extracts, created_at) values ${rows(values)}`;
}

/** All that arrived until now. An item that was edited since is in its queue already. */
export async function sortArrivals(db: Transactable): Promise<void> {
  const newest = await db.maybeOne(sql<{ position: number }>`select position from arrivals order by position desc limit 1`);
  if (newest === undefined) return;
  // Others may sort too, and leave nothing of a step: only what is left tells when it is done.
  const left = sql`select position from arrivals where position <= ${newest.position} limit 1`;
  do await sortSomeArrivals(db);
  while ((await db.maybeOne(left)) !== undefined);
}

/** A step of it. How many there were, at most so many. */
export async function sortSomeArrivals(db: Transactable): Promise<number> {
  // Most often there is nothing, and nobody has to be kept from writing to learn that.
  if ((await db.maybeOne(sql`select position from arrivals limit 1`)) === undefined) return 0;
  return db.transaction(async (tx) => {
    // Whoever sorts them already is waited for: what arrived is in the queues when this returns.
    const some = await tx.query(sql<{ position: number }>`
      select position from arrivals order by position limit ${SORTED_AT_ONCE}${forUpdate}`);
    if (some.length === 0) return 0;
    const these = sql`position in ${list(some.map(({ position }) => position))}`;
    await tx.batch([
      sql`insert into embedding_queue (workspace_id, kind, scope_id, item_id, created_at)
          select workspace_id, 'message', session_id, message_id, created_at from arrivals where ${these}
          on conflict (workspace_id, kind, scope_id, item_id) do nothing`,
      sql`insert into extraction_queue (workspace_id, session_id, message_id, created_at)
          select workspace_id, session_id, message_id, created_at from arrivals where ${these} and extracts = ${true}
          on conflict (workspace_id, session_id, message_id) do nothing`,
      sql`delete from arrivals where ${these}`,
    ]);
    return some.length;
  });
}

export async function countArrivals(db: Queryable): Promise<number> {
  const [row] = await db.query(sql<{ total: number }>`select count(*) as total from arrivals`);
  return row?.total ?? 0;
}
