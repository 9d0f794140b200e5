/** Nodes tell each other which sessions were forgotten, so that none of them keeps what they said in memory. */
import type { Database } from '../db/database.ts';
import { invalidate } from '../db/invalidation.ts';
import type { Sql } from '../db/sql.ts';
import type { Log } from '../logging.ts';
import type { Searcher } from './searcher.ts';

const TOPIC = 'forgotten-sessions';
/** What one message takes. */
export const MOST_TOLD_AT_ONCE = 100;

/** A statement: every node has heard of it when its batch resolves. */
export function tellForgottenSessions(sessionIds: readonly string[]): Sql {
  return invalidate(TOPIC, sessionIds.join(' '));
}

/** A node that could not be told compares its indexes with the database before it answers from them. */
export function heedForgottenSessions(db: Database, searcher: Searcher, log: Log): void {
  db.listen(TOPIC, (payload) => {
    searcher.forgetSessions(payload.split(' ')).catch((error: unknown) => {
      log.warn({ err: error }, 'sessions that were forgotten stay in the memory of this node until they are searched');
    });
  });
}
