/** Batches: each is one transaction, and one packet where the server allows it. */
import type { BatchRows } from '../database.ts';
import type { Sql } from '../sql.ts';
import { lostConnection, repeating } from './failures.ts';
import { areAllChecked } from './guards.ts';
import type { PacketClient } from './packet-client.ts';
import { type Progress, RowGroups, type Rows } from './row-groups.ts';
import type { StatementNames } from './statements.ts';
import { runBatch, runPacket } from './transactions.ts';

const ATTEMPTS = 3;

export interface BatchOptions {
  readonly withClient: (work: (client: PacketClient) => Promise<Rows>) => Promise<Rows>;
  readonly names: StatementNames;
  /** Begins a transaction. */
  readonly begin: string;
  /** Whether these may be done again after a failure that says nothing of their commit. */
  readonly mayRepeat: (error: unknown, statements: readonly Sql[]) => boolean;
  readonly isDistributed: () => boolean;
}

export class Batches {
  readonly groups = new RowGroups((statements, progress) => this.#run(statements, progress));
  readonly #options: BatchOptions;

  constructor(options: BatchOptions) {
    this.#options = options;
  }

  run<Statements extends readonly Sql[]>(statements: Statements): Promise<BatchRows<Statements>> {
    const row = statements[0]?.changedRow;
    const rows = row === undefined ? this.#run(statements, { failedAt: undefined }) : this.groups.add(row, statements);
    return rows as Promise<BatchRows<Statements>>;
  }

  #run(statements: readonly Sql[], progress: Progress): Promise<Rows> {
    return this.#beginsByItself && areAllChecked(statements) ? this.#runPacket(statements, progress) : this.#runBatch(statements, progress);
  }

  #runPacket(statements: readonly Sql[], progress: Progress): Promise<Rows> {
    const { withClient, names, mayRepeat } = this.#options;
    return repeating(
      ATTEMPTS,
      (error) => mayRepeat(error, statements),
      () => withClient((client) => runPacket(client, names, statements, progress)),
    );
  }

  #runBatch(statements: readonly Sql[], progress: Progress): Promise<Rows> {
    const { withClient, names, begin, mayRepeat, isDistributed } = this.#options;
    const isGuarded = statements.some((statement) => statement.guard);
    return repeating(
      ATTEMPTS,
      // With guards the COMMIT is sent last, and a loss before it leaves nothing behind.
      (error) => mayRepeat(error, statements) || (isGuarded && lostConnection(error)),
      () => withClient((client) => runBatch(client, names, begin, isDistributed(), statements, progress)),
    );
  }

  /** Citus takes only what is inside of `begin` for one transaction; through a pooler `begin` sets the limits. */
  get #beginsByItself(): boolean {
    return !this.#options.isDistributed() && this.#options.begin === 'begin';
  }
}
