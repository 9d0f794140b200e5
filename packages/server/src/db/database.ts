/** The Database interface: what a store may ask of either engine. */
import type { Clock } from '../clock.ts';
import type { EngineName, GuardedSql, Sql } from './sql.ts';

export interface Queryable {
  readonly engine: EngineName;
  /** The rows of a statement that may scan: lists, counts, searches. Never on the event loop's thread. */
  query<Row>(statement: Sql<Row>): Promise<Row[]>;
  /**
   * On the caller's thread, where the engine can: the rows of a statement that looks at few more than it returns. Undefined where they
   * hold more than so many characters and bytes: that is for `query`.
   */
  readShort?<Row>(statement: Sql<Row>, most: number): Row[] | undefined;
  /** The one row of a look-up by key or of an `insert … returning`. No row throws the statement's `orElse` error. */
  one<Row>(statement: Sql<Row>): Promise<Row>;
  /** As `one`, where the row may be missing. For look-ups by key only: the embedded engine answers on the caller's thread. */
  maybeOne<Row>(statement: Sql<Row>): Promise<Row | undefined>;
  /** How many rows an insert, update or delete touched. */
  run(statement: Sql): Promise<number>;
  /** Several statements, all or nothing, in one step; the rows of each. A statement with `orElse` that has no row undoes all. */
  batch<const Statements extends readonly Sql[]>(statements: Statements): Promise<BatchRows<Statements>>;
}

/** The rows of each statement in its place; of one with `orElse` that returns rows, one at least. */
export type BatchRows<Statements extends readonly Sql[]> = {
  -readonly [index in keyof Statements]: Statements[index] extends GuardedSql<infer Row>
    ? [Row, ...Row[]]
    : Statements[index] extends Sql<infer Row>
      ? Row[]
      : never;
};

/**
 * Inside: only this transaction's own calls. Awaiting the root database, the network or a slow computation in here
 * holds up every other writer. The work may be run again after a serialization failure, so it has no other effects.
 */
export type Transaction = Queryable;

/** What a store needs whose work takes several statements with decisions between them. */
export interface Transactable extends Queryable {
  /** Everything runs inside a transaction that is open already: a failure would end it, and can't be made up for. */
  readonly isInTransaction?: true;
  transaction<T>(work: (tx: Transaction) => Promise<T>): Promise<T>;
}

export interface Database extends Transactable {
  /** The time for everything that is stored or compared: all nodes on a database have the same. */
  readonly clock: Clock;
  /** Whether workspaces are on several machines. A unit of work then keeps to one workspace: nothing is locked across them. */
  readonly isDistributed: boolean;
  /** Runs when a unit with `invalidate(topic, …)` was committed, on this node or another. It may run more than once. */
  listen(topic: string, listener: (payload: string) => void): void;
  /**
   * Whether every broadcast reaches this node now. While it does not, nothing remembered may be relied on; when it does
   * again, each listener is called with '*': forget everything.
   */
  trustsBroadcasts(): boolean;
  /**
   * What was deleted is in none of the files of this engine any more, when this resolves; what a server of its own does with its files is left
   * to it.
   */
  eraseDeleted(): Promise<void>;
  /** Throws when the database can't serve reads and writes. */
  ping(): Promise<void>;
  /** A one-line answer to "which database is this": engine, version, place; never a password. */
  describe(): Promise<string>;
  /** Gauges for `/metrics`, by name. */
  gauges(): Record<string, number>;
  close(): Promise<void>;
}
