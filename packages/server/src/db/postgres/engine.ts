/** The PostgreSQL engine: a pool of pipelined connections behind the Database interface. */

import type { Log } from '../../logging.ts';
import type { BatchRows, Database, Transaction } from '../database.ts';
import { DatabaseUnavailable } from '../errors.ts';
import { Invalidation, invalidating, invalidationsIn, noting } from '../invalidation.ts';
import type { Listener } from '../listeners.ts';
import type { Sql } from '../sql.ts';
import { Batches } from './batches.ts';
import { distributeTables, readDistribution } from './citus.ts';
import { ConnectionPool } from './connection-pool.ts';
import { beginWith, type ConnectionOptions, connectAlone, placeOf, sessionSettings, sharedSessionSettings, silent } from './connections.ts';
import { MigrationLock } from './exclusive.ts';
import { lostConnection, lostTheRace, repeating, stalePlan, translate } from './failures.ts';
import { Lookups, MAX_TOGETHER } from './lookups.ts';
import { Nodes } from './nodes.ts';
import type { PostgresOptions } from './options.ts';
import type { Result } from './packets.ts';
import { describeServer, examineWays, type Ways } from './server-check.ts';
import { ServerClock } from './server-clock.ts';
import { SilentServer } from './silent-server.ts';
import { locksNothing, missedGuard, onlyReads, StatementNames, Statements, send } from './statements.ts';
import { runTransaction } from './transactions.ts';

const ATTEMPTS = 3;
const CONNECT_TIMEOUT_MS = 5_000;

export async function openPostgres(options: PostgresOptions): Promise<PostgresDatabase> {
  const database = new PostgresDatabase(
    options,
    await examineWays(options.url, options.directUrl, options.connectTimeoutMs ?? CONNECT_TIMEOUT_MS),
  );
  try {
    await database.measureTime();
    await database.findDistribution();
  } catch (error) {
    await database.close();
    throw error;
  }
  return database;
}

export class PostgresDatabase extends Statements implements Database {
  readonly clock = new ServerClock();
  isDistributed = false;
  #log: Log;
  #place: string;
  #pool: ConnectionPool;
  #names: StatementNames;
  #lookups: Lookups;
  #batches: Batches;
  /** Begins a transaction. */
  #begin: string;
  #transactionLimitMs: number;
  #lock: MigrationLock;
  #nodes: Nodes;

  /** Use `openPostgres`, which also looks whether the server can be used. */
  constructor(options: PostgresOptions, ways: Ways) {
    super();
    const { log = silent, poolSize = 10, statementTimeoutMs = 30_000, lockTimeoutMs = 10_000, leaseMs = 6_000 } = options;
    const { hosts, directHosts, sharesSessions } = ways;
    this.#names = new StatementNames(!sharesSessions);
    this.#lookups = new Lookups(
      (work) => this.#pool.use(work),
      this.#names,
      sharesSessions ? 1 : MAX_TOGETHER,
      () => this.isDistributed,
    );
    const connection: ConnectionOptions = { hosts, connectTimeoutMs: options.connectTimeoutMs ?? CONNECT_TIMEOUT_MS };
    const direct: ConnectionOptions = { ...connection, hosts: directHosts };
    this.#transactionLimitMs = options.transactionLimitMs ?? 5_000;
    this.#log = log;
    this.#place = placeOf(hosts);
    const limits = {
      statement_timeout: statementTimeoutMs,
      lock_timeout: lockTimeoutMs,
      // For a node that stops in the middle; a live one rolls back before.
      idle_in_transaction_session_timeout: this.#transactionLimitMs + 1_000,
    };
    this.#begin = beginWith(sharesSessions ? limits : {});
    this.#batches = new Batches({
      withClient: (work) => this.#pool.useOne(work),
      names: this.#names,
      begin: this.#begin,
      mayRepeat: (error, statements) => this.#mayRepeat(error, statements),
      isDistributed: () => this.isDistributed,
    });
    const silentServer = new SilentServer(log);
    this.#pool = new ConnectionPool({
      connection,
      size: poolSize,
      // For a server that went away without a word; one that is there stops the statement before.
      answerTimeoutMs: statementTimeoutMs + 5_000,
      settings: sharesSessions ? sharedSessionSettings : sessionSettings(limits),
      sharesSessions,
      silentServer,
      log,
    });
    this.#lock = new MigrationLock(direct, log);
    const slackMs = Math.ceil(leaseMs / 3);
    const settingsAlone = { statement_timeout: slackMs, lock_timeout: slackMs, synchronous_commit: 'off' };
    // The server gives up after the slack; one that is gone says nothing.
    const listening = { ...direct, answerTimeoutMs: slackMs * 2 };
    const connect = () => silentServer.watch(() => connectAlone(listening, settingsAlone));
    this.#nodes = new Nodes({ connect, log, leaseMs, clock: this.clock });
  }

  measureTime(): Promise<void> {
    return this.#pool.use((client) => this.clock.measure(client));
  }

  /** Refuses a worker of Citus. */
  async findDistribution(): Promise<void> {
    this.isDistributed = await this.#pool.use((client) => readDistribution(client, this.#place));
  }

  /** Whether a failed unit may be done again: the server says that it undid it, or it only reads. */
  #mayRepeat(error: unknown, statements: readonly Sql[]): boolean {
    if (stalePlan(error)) this.#names.renew();
    return stalePlan(error) || lostTheRace(error) || (lostConnection(error) && statements.every(onlyReads));
  }

  protected override execute(statement: Sql): Promise<Result> {
    return this.#repeated(statement, () => this.#pool.use((client) => send(client, statement, this.#names)));
  }

  protected override async lookUp(statement: Sql): Promise<Result> {
    if (!locksNothing(statement)) return this.execute(statement);
    let result: Result;
    try {
      result = await this.#lookups.find(statement);
    } catch (error) {
      if (!this.#mayRepeat(error, [statement])) throw translate(error);
      return this.#repeated(statement, () => this.#lookups.find(statement));
    }
    const missed = missedGuard(statement, result);
    if (missed) throw missed;
    return result;
  }

  #repeated(statement: Sql, ask: () => Promise<Result>): Promise<Result> {
    return repeating(
      ATTEMPTS,
      (error) => this.#mayRepeat(error, [statement]),
      async () => {
        const result = await ask();
        const missed = missedGuard(statement, result);
        if (missed) throw missed;
        return result;
      },
    );
  }

  override async run(statement: Sql): Promise<number> {
    return statement instanceof Invalidation ? (await this.batch([statement])).length : super.run(statement);
  }

  override async batch<const Statements extends readonly Sql[]>(statements: Statements): Promise<BatchRows<Statements>> {
    const found = invalidationsIn(statements);
    return found.length === 0 ? this.#batch(statements) : invalidating(this.#nodes, found, () => this.#batch(statements));
  }

  async #batch<const Statements extends readonly Sql[]>(statements: Statements): Promise<BatchRows<Statements>> {
    const [first] = statements;
    if (first === undefined) return [] as BatchRows<Statements>;
    // One statement is all or nothing by itself; one that touched no row has nothing to undo.
    if (statements.length === 1 && first.changedRow === undefined) return [await this.query(first)] as BatchRows<Statements>;
    return this.#pool.takeOn(() => this.#batches.run(statements));
  }

  transaction<T>(work: (tx: Transaction) => Promise<T>): Promise<T> {
    const found: Invalidation[] = [];
    const noted = (tx: Transaction) => work(noting(tx, found));
    return invalidating(this.#nodes, found, () =>
      repeating(
        ATTEMPTS,
        // A transaction that gets here with a lost connection had not sent its COMMIT.
        (error) => this.#mayRepeat(error, []),
        () =>
          this.#pool.use((client) => runTransaction(client, this.#names, this.#begin, this.isDistributed, this.#transactionLimitMs, noted)),
      ),
    );
  }

  /** Runs the work while no other node runs its own: for migrations. */
  exclusively<T>(work: () => Promise<T>): Promise<T> {
    return this.#lock.hold(work);
  }

  /** A script and the statement that records it, in one transaction. Only inside `exclusively`. */
  migrate(script: string, record: Sql): Promise<void> {
    return this.#lock.migrate(script, record);
  }

  /** Puts the tables where they belong, where the server is a coordinator of Citus. Only inside `exclusively`. */
  async distribute(): Promise<void> {
    this.isDistributed = await this.#lock.use((client) => distributeTables(client, this.#place, this.#log));
  }

  /** Takes part in broadcasts from now on. Needs the table `nodes`, so call it after the migrations. */
  join(): Promise<void> {
    return this.#nodes.join();
  }

  listen(topic: string, listener: Listener): void {
    this.#nodes.listen(topic, listener);
  }

  trustsBroadcasts(): boolean {
    return this.#nodes.trusted;
  }

  /** The server's own vacuum takes what was deleted out of its files. */
  async eraseDeleted(): Promise<void> {}

  async ping(): Promise<void> {
    const result = await repeating(2, lostConnection, () =>
      this.#pool.use((client) => client.query(`select pg_is_in_recovery() or current_setting('transaction_read_only')::boolean as closed`)),
    );
    if (result.rows[0].closed) throw new DatabaseUnavailable('PostgreSQL takes no writes now: it is a standby or read-only');
  }

  describe(): Promise<string> {
    return repeating(2, lostConnection, () => this.#pool.use((client) => describeServer(client, this.#place)));
  }

  gauges(): Record<string, number> {
    const { turns } = this.#pool;
    const { groups } = this.#batches;
    return {
      pool_total: this.#pool.total,
      pool_idle: this.#pool.idle,
      pool_waiting: turns.waiting,
      pool_waiting_lanes: turns.lanesWaiting,
      lookups_waiting: this.#lookups.waiting,
      lookups_waiting_lanes: this.#lookups.lanesWaiting,
      write_queue_length: groups.waiting,
      write_groups_total: groups.groupsTotal,
      write_units_total: groups.unitsTotal,
      statements_refused_total: turns.refusedTotal + this.#lookups.refusedTotal + groups.refusedTotal,
      broadcasts_trusted: this.trustsBroadcasts() ? 1 : 0,
    };
  }

  /** Waits for what is under way; nothing new is taken. */
  close(): Promise<void> {
    return this.#pool.close(() => this.#nodes.close());
  }
}
