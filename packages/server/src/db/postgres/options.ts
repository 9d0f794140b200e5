/** What PostgreSQL is opened with. */
import type { Log } from '../../logging.ts';

export interface PostgresOptions {
  /** postgres://user:password@host:port/database?sslmode=…; several hosts, divided by commas, are tried until one takes writes. */
  readonly url: string;
  /** The way around a pooler, for what needs a session of its own: listening and migrations. */
  readonly directUrl?: string | undefined;
  readonly log?: Log | undefined;
  readonly poolSize?: number | undefined;
  /** A statement that runs longer is stopped by the server. */
  readonly statementTimeoutMs?: number | undefined;
  /** How long a statement waits for another's lock. */
  readonly lockTimeoutMs?: number | undefined;
  /** A transaction that stays open longer is rolled back. */
  readonly transactionLimitMs?: number | undefined;
  /** How long to wait for a connection, new or from the pool. */
  readonly connectTimeoutMs?: number | undefined;
  /** How long a node that went silent holds up an invalidation; it renews its lease three times as often. */
  readonly leaseMs?: number | undefined;
}
