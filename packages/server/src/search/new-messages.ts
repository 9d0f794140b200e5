/**
 * New messages are only recorded, one after the other in one place, and distributed to the queues of the background later, many
 * at a time: a row in each queue would cost a write a page of its own for each of them.
 */
import { timestamp } from '../clock.ts';
import type { Queryable, Transactable } from '../db/database.ts';
import { forUpdate, list, rows, type Sql, sql } from '../db/sql.ts';

const DISTRIBUTED_AT_ONCE = 256;

export interface NewMessageEntry {
  readonly workspaceId: string;
  readonly sessionId: string;
  readonly messageId: string;
  /** Whether memories are extracted from it. */
  readonly extracts: boolean;
}

/** The statement that goes with writing messages. */
export function recordNewMessages(entries: readonly NewMessageEntry[], nowMs: number): Sql {
  const now = timestamp(nowMs);
  const values = entries.map(({ workspaceId, sessionId, messageId, extracts }) => [workspaceId, sessionId, messageId, extracts, now]);
  return sql`insert into new_messages (workspace_id, session_id, message_id, extracts, created_at) values ${rows(values)}`;
}

/** All that came until now. An item that was edited since is in its queue already. */
export async function distributeNewMessages(db: Transactable): Promise<void> {
  const newest = await db.maybeOne(sql<{ position: number }>`select position from new_messages order by position desc limit 1`);
  if (newest === undefined) return;
  // Others may distribute too, and leave nothing of a step: only what is left tells when it is done.
  const left = sql`select position from new_messages where position <= ${newest.position} limit 1`;
  do await distributeSomeNewMessages(db);
  while ((await db.maybeOne(left)) !== undefined);
}

/** A step of it. How many there were, at most so many. */
export async function distributeSomeNewMessages(db: Transactable): Promise<number> {
  // Most often there is nothing, and nobody has to be kept from writing to learn that.
  if ((await db.maybeOne(sql`select position from new_messages limit 1`)) === undefined) return 0;
  return db.transaction(async (tx) => {
    // Whoever distributes them already is waited for: what came is in the queues when this returns.
    const some = await tx.query(sql<{ position: number }>`
      select position from new_messages order by position limit ${DISTRIBUTED_AT_ONCE}${forUpdate}`);
    if (some.length === 0) return 0;
    const these = sql`position in ${list(some.map(({ position }) => position))}`;
    await tx.batch([
      sql`insert into embedding_queue (workspace_id, kind, scope_id, item_id, created_at)
          select workspace_id, 'message', session_id, message_id, created_at from new_messages where ${these}
          on conflict (workspace_id, kind, scope_id, item_id) do nothing`,
      sql`insert into extraction_queue (workspace_id, session_id, message_id, created_at)
          select workspace_id, session_id, message_id, created_at from new_messages where ${these} and extracts = ${true}
          on conflict (workspace_id, session_id, message_id) do nothing`,
      sql`delete from new_messages where ${these}`,
    ]);
    return some.length;
  });
}

export async function countNewMessages(db: Queryable): Promise<number> {
  const [row] = await db.query(sql<{ total: number }>`select count(*) as total from new_messages`);
  return row?.total ?? 0;
}
