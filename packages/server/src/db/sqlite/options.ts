/** What the embedded engine can be told, and what holds when it is not. */
import type { Log } from '../../logging.ts';
import type { BackupOptions } from '../continuous-backup/protocol.ts';

export interface SqliteOptions {
  readonly dataDir: string;
  readonly log?: Log | undefined;
  /** A statement that runs longer is given up, and stopped where that is possible. */
  readonly statementTimeoutMs?: number | undefined;
  /** An interactive transaction that stays open longer is rolled back: nothing else is written meanwhile. */
  readonly transactionTimeoutMs?: number | undefined;
  /** Writes that may wait; more are refused. */
  readonly maxQueue?: number | undefined;
  /** Reader threads at most; they start when they are first needed. */
  readonly maxReaders?: number | undefined;
  /** Where everything that is written is copied to, continuously. */
  readonly backup?: BackupOptions | undefined;
  /** Where the service listens, for whoever finds the data folder locked. */
  readonly address?: string | undefined;
}

export const STATEMENT_TIMEOUT_MS = 30_000;
export const TRANSACTION_TIMEOUT_MS = 5_000;
export const MAX_QUEUE = 10_000;
