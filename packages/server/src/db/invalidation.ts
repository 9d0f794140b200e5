/** Invalidations: a change says, in its own transaction, which remembered look-ups it makes untrue. */
import type { Queryable, Transaction } from './database.ts';
import { DatabaseUnavailable } from './errors.ts';
import { perEngine, Sql, sql } from './sql.ts';

/** NOTIFY takes less than 8,000 bytes. */
const MAX_MESSAGE_BYTES = 7_900;

/**
 * On PostgreSQL the server itself tells every node that listens, at the commit and only then, whatever becomes of the
 * process that asked. The embedded engine has one process, and tells it when the unit is over.
 */
export class Invalidation extends Sql {
  readonly topic: string;
  readonly payload: string;

  constructor(topic: string, payload: string) {
    // As a broadcast that nobody waits for; nodes of an earlier version understand it too.
    const message = JSON.stringify({ id: '', from: '', topic, payload });
    const sizeBytes = Buffer.byteLength(message);
    if (sizeBytes > MAX_MESSAGE_BYTES) {
      throw new RangeError(`An invalidation may take ${MAX_MESSAGE_BYTES} bytes; this one takes ${sizeBytes}`);
    }
    super(sql`${open}${message}${close}`.pieces);
    this.topic = topic;
    this.payload = payload;
  }
}

const open = perEngine({ sqlite: 'select ', postgres: `select pg_notify('commonplace', ` });
const close = perEngine({ sqlite: '', postgres: ')' });

/**
 * A statement that goes into the batch or the transaction of the change. The batch or transaction resolves when every
 * node has heard it, and fails with nothing known where that can't be made sure; done again, it waits again.
 */
export function invalidate(topic: string, payload: string): Sql {
  return new Invalidation(topic, payload);
}

export function invalidationsIn(statements: readonly Sql[]): Invalidation[] {
  return statements.filter((statement) => statement instanceof Invalidation);
}

/** The same transaction; what it invalidates is noted in `found`. */
export function noting(tx: Transaction, found: Invalidation[]): Transaction {
  const noted = <Statement extends Sql>(statement: Statement): Statement => {
    if (statement instanceof Invalidation) found.push(statement);
    return statement;
  };
  return {
    engine: tx.engine,
    query: (statement) => tx.query(noted(statement)),
    one: (statement) => tx.one(noted(statement)),
    maybeOne: (statement) => tx.maybeOne(noted(statement)),
    run: (statement) => tx.run(noted(statement)),
    batch: (statements) => {
      found.push(...invalidationsIn(statements));
      return tx.batch(statements);
    },
  } satisfies Queryable;
}

export interface Audience {
  /** Tells the listeners of this process. */
  hear(topic: string, payload: string): void;
  /** Resolves once every live node has heard what was committed before the call. */
  settle(): Promise<void>;
}

/**
 * Runs a unit and makes sure of its invalidations before its outcome is known to anybody. A unit that was refused counts
 * too: "not found" may mean that the same was done before, by somebody who could not make sure.
 */
export async function invalidating<T>(audience: Audience, found: readonly Invalidation[], unit: () => Promise<T>): Promise<T> {
  const [outcome] = await Promise.allSettled([unit()]);
  // Also where it failed: what was committed and could not be answered is heard, and a look-up too many does no harm.
  for (const { topic, payload } of found) audience.hear(topic, payload);
  const failure = outcome.status === 'rejected' ? (outcome.reason as unknown) : undefined;
  // Who is told "unavailable" is told nothing that would have to be true on every node.
  if (found.length > 0 && !(failure instanceof DatabaseUnavailable)) await audience.settle();
  if (outcome.status === 'rejected') throw failure;
  return outcome.value;
}
