/** The events of a workspace, as far as webhooks need them. */
import type { Event } from '@commonplace/contract/events';
import { timestamp } from '../clock.ts';
import type { Queryable } from '../db/database.ts';
import { list, sql } from '../db/sql.ts';

/** Numbers that are looked at in one go, whatever the types: those of a rare type may be far apart. */
const LOOKED_AT = 5_000;

export interface LoggedEvent {
  readonly seq: number;
  readonly type: string;
  readonly sessionId: string | null;
  readonly subjectId: string;
}

export interface ReadEvents {
  readonly events: readonly LoggedEvent[];
  /** Where to go on from: all up to here were looked at. */
  readonly reachedSeq: number;
}

export async function headOfEvents(db: Queryable, workspaceId: string): Promise<number> {
  const head = await db.maybeOne(sql<{ lastSeq: number }>`
    select last_seq as "lastSeq" from event_heads where workspace_id = ${workspaceId}`);
  return Number(head?.lastSeq ?? 0);
}

/** The next ones after a number, of some types or of all. */
export async function readEvents(
  db: Queryable,
  workspaceId: string,
  afterSeq: number,
  types: readonly string[],
  limit: number,
): Promise<ReadEvents> {
  const headSeq = await headOfEvents(db, workspaceId);
  const untilSeq = Math.min(headSeq, afterSeq + LOOKED_AT);
  if (untilSeq <= afterSeq) return { events: [], reachedSeq: afterSeq };
  const events = await db.query(sql<LoggedEvent>`
    select seq, type, session_id as "sessionId", subject_id as "subjectId" from events
    where workspace_id = ${workspaceId} and seq > ${afterSeq} and seq <= ${untilSeq} ${types.length === 0 ? sql`` : sql`and type in ${list(types)}`}
    order by seq limit ${limit}`);
  const last = events.at(-1);
  return { events, reachedSeq: last && events.length === limit ? Number(last.seq) : untilSeq };
}

export function eventIdOf(_workspaceId: string, seq: number): string {
  return `00000000-0000-7000-8000-${seq.toString(16).padStart(12, '0')}`;
}

/** As it is now; undefined where it is gone. */
export async function loadEvent(db: Queryable, workspaceId: string, seq: number): Promise<Event | undefined> {
  const row = await db.maybeOne(sql<{ type: string; sessionId: string | null; subjectId: string; createdAt: string }>`
    select type, session_id as "sessionId", subject_id as "subjectId", created_at as "createdAt" from events
    where workspace_id = ${workspaceId} and seq = ${seq}`);
  return (
    row && {
      id: eventIdOf(workspaceId, seq),
      type: row.type,
      workspaceId,
      createdAt: timestamp(Date.parse(row.createdAt)),
      ...(row.sessionId && { sessionId: row.sessionId }),
      data: { id: row.subjectId },
    }
  );
}
