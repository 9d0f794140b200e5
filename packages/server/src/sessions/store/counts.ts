/** The counts that a session's row keeps of what is in it. */
import { timestamp } from '../../clock.ts';
import type { Queryable } from '../../db/database.ts';
import { join, Sql, sql } from '../../db/sql.ts';
import { notFound } from '../../errors.ts';
import { isSession, type SessionPlace } from '../store.ts';

/** What a write does to the counts that its session keeps. */
export interface SessionCounts {
  readonly messages?: number;
  readonly memories?: number;
  /** Of contents and meta of messages. */
  readonly messageBytes?: number;
  /** Counts edits and deletions, for those who hold a copy. */
  readonly messageEdits?: number;
  readonly memoryEdits?: number;
  /** A message moves the last activity. */
  readonly activityAtMs?: number;
}

/** Goes first in every write below a session: its row is the lock that the session's deletion waits for. */
export function updateSessionCounts(
  place: SessionPlace,
  { messages, memories, messageBytes, messageEdits, memoryEdits, activityAtMs }: SessionCounts,
): Sql {
  const changes = [
    messages && sql`message_count = message_count + ${messages}, measured_messages = measured_messages + ${messages}`,
    messageBytes && sql`message_bytes = message_bytes + ${messageBytes}`,
    memories && sql`memory_count = memory_count + ${memories}`,
    messageEdits && sql`message_edits = message_edits + ${messageEdits}, measured_edits = measured_edits + ${messageEdits}`,
    memoryEdits && sql`memory_edits = memory_edits + ${memoryEdits}`,
    activityAtMs && sql`last_activity_at = ${timestamp(activityAtMs)}`,
  ].filter((change) => change instanceof Sql);
  return sql`update sessions set ${join(changes, ', ')} where ${isSession(place)}`.orElse(() => notFound('Session'));
}

export async function requireMessageCount(db: Queryable, place: SessionPlace): Promise<number> {
  const session = await db.maybeOne(sql<{ count: number }>`select message_count as count from sessions where ${isSession(place)}`);
  if (!session) throw notFound('Session');
  return session.count;
}
