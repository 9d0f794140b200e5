/**
 * A session's row keeps the id of its newest message. New ones are held against it under the row's lock, so that what is
 * written later sorts later, whichever node writes it and whatever clock it goes by.
 */
import { timestamp } from '../../clock.ts';
import { asId, type Sql, sql } from '../../db/sql.ts';
import { notFound } from '../../errors.ts';
import { isSession, type SessionPlace } from '../store.ts';

export interface WrittenMessages {
  readonly count: number;
  /** Of their contents and meta. */
  readonly bytes: number;
  readonly activityAtMs: number;
  /** The first that has to come after all that is there; undefined where each was given a time of its own. */
  readonly firstId: string | undefined;
  /** The one that sorts last. */
  readonly lastId: string;
}

/** A message would sort before one that was written earlier. */
export class OutOfOrder extends Error {}

/** For a batch of its own: nothing is written where the order would be broken, or where there is no session. */
export function countMessagesInOrder(place: SessionPlace, written: WrittenMessages): Sql {
  const { count, bytes, activityAtMs, firstId, lastId } = written;
  const row = `${place.workspaceId} ${place.sessionId}`;
  if (firstId === undefined) return countMessages(place, written).changing(row);
  return sql`
    update sessions set ${counting(count, bytes)}, last_activity_at = ${timestamp(activityAtMs)}, newest_message_id = ${lastId}
    where ${isSession(place)} and (newest_message_id is null or newest_message_id < ${firstId})`
    .changing(row)
    .orElse(() => new OutOfOrder());
}

/** For a transaction, which a refusal would end: answers with the newest, which is another than the last where the order is broken. */
export function countMessages(place: SessionPlace, { count, bytes, activityAtMs, firstId, lastId }: WrittenMessages) {
  return sql<{ newestId: string }>`
    update sessions set ${counting(count, bytes)}, last_activity_at = ${timestamp(activityAtMs)},
      newest_message_id = case when newest_message_id > ${firstId ?? lastId} then newest_message_id else ${asId(lastId)} end
    where ${isSession(place)}
    returning newest_message_id as "newestId"`.orElse(() => notFound('Session'));
}

function counting(count: number, bytes: number): Sql {
  return sql`message_count = message_count + ${count}, measured_messages = measured_messages + ${count}, message_bytes = message_bytes + ${bytes}`;
}
