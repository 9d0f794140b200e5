/** The events of a workspace, as far as webhooks need them. */
import type { Event, EventType } from '@commonplace/contract/events';
import type { Clock } from '../clock.ts';
import type { Database, Queryable } from '../db/database.ts';
import { type EventRow, lastSeqOf, readEvents } from '../events/store.ts';

export interface NextEvents {
  readonly events: readonly EventRow[];
  /** Where to go on from: there are none of these types up to here but those. */
  readonly reachedSeq: number;
}

/** The next ones after a number, of some types or of all. */
export async function readNext(
  db: Queryable,
  workspaceId: string,
  afterSeq: number,
  types: readonly string[],
  limit: number,
): Promise<NextEvents> {
  // First: what has a number up to this one can be read from now on.
  const headSeq = await lastSeqOf(db, workspaceId);
  if (headSeq <= afterSeq) return { events: [], reachedSeq: afterSeq };
  const selected = types.length === 0 ? undefined : (types as EventType[]);
  const events = await readEvents(db, workspaceId, { afterSeq, types: selected }, limit);
  const lastSeq = events.at(-1)?.seq ?? afterSeq;
  return { events, reachedSeq: events.length === limit ? lastSeq : Math.max(headSeq, lastSeq) };
}

export type DescribeEvents = (
  db: Queryable,
  place: { readonly workspaceId: string; readonly nowMs: number },
  events: readonly EventRow[],
) => Promise<Event[]>;

/** An event as it is sent: with what it is about as that is now. Undefined where the event is gone. */
export function loadingEvents(db: Database, clock: Clock, describe: DescribeEvents) {
  return async (workspaceId: string, seq: number): Promise<Event | undefined> => {
    const [row] = await readEvents(db, workspaceId, { afterSeq: seq - 1, types: undefined }, 1);
    if (row?.seq !== seq) return undefined;
    const [event] = await describe(db, { workspaceId, nowMs: clock.nowMs() }, [row]);
    return event;
  };
}
