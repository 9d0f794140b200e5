/**
 * The outbox: what changed in a workspace, recorded in the transaction of the change, one after the other in one place. It is distributed later,
 * many at a time, to the queues of the background and to the events: a row in each of them would cost a write a page of its own for each.
 */
import type { EventType } from '@commonplace/contract/events';
import { timestamp } from '../clock.ts';
import { json, rows, type Sql, sql } from '../db/sql.ts';

/** What happened, to what. The event names it; whoever reads the event is given it as it is then. */
export interface Change {
  readonly workspaceId: string;
  readonly type: Exclude<EventType, 'message.created'>;
  readonly subjectId: string;
  readonly agentId?: string;
  readonly sessionId?: string;
  /** What is to be said beside it: ids and names, and no text that somebody may want deleted. */
  readonly data?: Readonly<Record<string, unknown>>;
}

/** The statement that goes into the batch or transaction of the change. */
export function recordEvent(change: Change, nowMs: number): Sql {
  return recordEvents([change], nowMs);
}

/** A statement takes no more than some thousands of parameters. */
const RECORDED_AT_ONCE = 500;

/** However many there are, in their order. */
export function recordAllEvents(changes: readonly Change[], nowMs: number): Sql[] {
  return Array.from({ length: Math.ceil(changes.length / RECORDED_AT_ONCE) }, (_, index) =>
    recordEvents(changes.slice(index * RECORDED_AT_ONCE, (index + 1) * RECORDED_AT_ONCE), nowMs),
  );
}

/** At least one, in their order. */
export function recordEvents(changes: readonly Change[], nowMs: number): Sql {
  const now = timestamp(nowMs);
  return sql`
    insert into outbox (workspace_id, agent_id, session_id, type, subject_id, data, created_at)
    values ${rows(
      changes.map(({ workspaceId, agentId, sessionId, type, subjectId, data }) => [
        workspaceId,
        agentId ?? null,
        sessionId ?? null,
        type,
        subjectId,
        data ? json(data) : null,
        now,
      ]),
    )}`;
}

export interface NewMessageEntry {
  readonly messageId: string;
  /** Whether memories are extracted from it. */
  readonly extracts: boolean;
}

/** The statement that goes with writing messages: one row, however many they are. */
export function recordNewMessages(
  { workspaceId, agentId, sessionId }: { readonly workspaceId: string; readonly agentId: string; readonly sessionId: string },
  entries: readonly NewMessageEntry[],
  nowMs: number,
): Sql {
  const messages = json(entries.map(({ messageId, extracts }) => [messageId, extracts ? 1 : 0]));
  return sql`
    insert into outbox (workspace_id, agent_id, session_id, type, messages, message_count, created_at)
    values (${workspaceId}, ${agentId}, ${sessionId}, 'message.created', ${messages}, ${entries.length}, ${timestamp(nowMs)})`;
}
