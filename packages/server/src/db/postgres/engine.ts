/** The PostgreSQL engine: a pool of pipelined connections behind the Database interface. */

import pg from 'pg';
import type { Log } from '../../logging.ts';
import type { BatchRows, Database, Transaction } from '../database.ts';
import { DatabaseUnavailable } from '../errors.ts';
import { Invalidation, invalidating, invalidationsIn, noting } from '../invalidation.ts';
import type { Listener } from '../listeners.ts';
import type { Sql } from '../sql.ts';
import { distributeTables, readDistribution } from './citus.ts';
import {
  beginWith,
  type ConnectionOptions,
  clientConfig,
  connectAlone,
  placeOf,
  sessionSettings,
  sharedSessionSettings,
  silent,
} from './connections.ts';
import { MigrationLock } from './exclusive.ts';
import { breaksConnection, lostConnection, lostTheRace, refusesWrites, repeating, stalePlan } from './failures.ts';
import type { Hosts } from './hosts.ts';
import { Lookups, MAX_TOGETHER } from './lookups.ts';
import { Nodes } from './nodes.ts';
import type { PostgresOptions } from './options.ts';
import { describeServer, examineWays, type Ways } from './server-check.ts';
import { ServerClock } from './server-clock.ts';
import { SilentServer } from './silent-server.ts';
import { locksNothing, missedGuard, onlyReads, type Result, StatementNames, Statements, send } from './statements.ts';
import { runBatch, runTransaction } from './transactions.ts';
import { ConnectionTurns } from './turns.ts';

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
  #hosts: Hosts;
  #place: string;
  #pool: pg.Pool;
  #turns: ConnectionTurns;
  #names: StatementNames;
  #lookups: Lookups;
  /** Begins a batch. */
  #begin: string;
  #transactionLimitMs: number;
  #lock: MigrationLock;
  #nodes: Nodes;
  #closed: Promise<void> | undefined;
  /** Calls that hold a connection or wait for one. */
  #underWay = 0;
  #drained = Promise.withResolvers<void>();

  /** Use `openPostgres`, which also looks whether the server can be used. */
  constructor(options: PostgresOptions, ways: Ways) {
    super();
    const { log = silent, poolSize = 10, statementTimeoutMs = 30_000, lockTimeoutMs = 10_000, leaseMs = 6_000 } = options;
    const { hosts, directHosts, sharesSessions } = ways;
    this.#names = new StatementNames(!sharesSessions);
    this.#lookups = new Lookups((work) => this.#withClient(work), this.#names, sharesSessions ? 1 : MAX_TOGETHER);
    this.#hosts = hosts;
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
    const settings = sharesSessions ? sharedSessionSettings : sessionSettings(limits);
    this.#begin = beginWith(sharesSessions ? limits : {});
    this.#turns = new ConnectionTurns(poolSize, connection.connectTimeoutMs);
    const silentServer = new SilentServer(log);
    this.#pool = new pg.Pool({
      ...clientConfig(connection),
      Client: this.#hosts.Client,
      max: poolSize,
      idleTimeoutMillis: 60_000,
      maxLifetimeSeconds: 3_600,
      // For a server that went away without a word; one that is there stops the statement before.
      query_timeout: statementTimeoutMs + 5_000,
      onConnect: async (client) => {
        // A loss shows in the statements under way; without a listener it would end the process.
        client.on('error', () => undefined);
        const set = client.query(settings);
        // Through a pooler in transaction mode two statements that are sent together may be cut apart.
        if (sharesSessions) await set;
        await Promise.all([set, silentServer.add(client as pg.Client)]);
      },
    });
    this.#pool.on('error', (error) => log.warn({ err: error }, 'an idle connection to PostgreSQL was lost'));
    this.#lock = new MigrationLock(direct, log);
    const slackMs = Math.ceil(leaseMs / 3);
    const settingsAlone = { statement_timeout: slackMs, lock_timeout: slackMs, synchronous_commit: 'off' };
    // The server gives up after the slack; one that is gone says nothing.
    const listening = { ...direct, answerTimeoutMs: slackMs * 2 };
    const connect = () => silentServer.watch(() => connectAlone(listening, settingsAlone));
    this.#nodes = new Nodes({ connect, log, leaseMs, clock: this.clock });
  }

  measureTime(): Promise<void> {
    return this.#withClient((client) => this.clock.measure(client));
  }

  /** Refuses a worker of Citus. */
  async findDistribution(): Promise<void> {
    this.isDistributed = await this.#withClient((client) => readDistribution(client, this.#place));
  }

  #connect(): Promise<pg.PoolClient> {
    return this.#hosts.connect(() => this.#pool.connect());
  }

  async #withClient<T>(work: (client: pg.PoolClient) => Promise<T>): Promise<T> {
    if (this.#closed) throw new DatabaseUnavailable('The database is closed');
    this.#underWay++;
    let client: pg.PoolClient | undefined;
    let broken = false;
    let entered = false;
    try {
      const turn = this.#turns.enter();
      if (turn) await turn;
      entered = true;
      client = await this.#connect();
      return await work(client);
    } catch (error) {
      broken = breaksConnection(error);
      if (client && refusesWrites(error)) this.#hosts.leaveHostOf(client);
      throw error;
    } finally {
      // A connection that is still inside a transaction must not meet the next caller.
      client?.release(broken || client.connection.stream.destroyed || client.getTransactionStatus() !== 'I');
      if (entered) this.#turns.leave();
      if (--this.#underWay === 0 && this.#closed) this.#drained.resolve();
    }
  }

  /** Whether a failed unit may be done again: the server says that it undid it, or it only reads. */
  #mayRepeat(error: unknown, statements: readonly Sql[]): boolean {
    if (stalePlan(error)) this.#names.renew();
    return stalePlan(error) || lostTheRace(error) || (lostConnection(error) && statements.every(onlyReads));
  }

  protected override execute(statement: Sql): Promise<Result> {
    return this.#repeated(statement, () => this.#withClient((client) => send(client, statement, this.#names)));
  }

  protected override lookUp(statement: Sql): Promise<Result> {
    return locksNothing(statement) ? this.#repeated(statement, () => this.#lookups.find(statement)) : this.execute(statement);
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
    if (statements.length === 1) return [await this.query(first)] as BatchRows<Statements>;
    const guarded = statements.some((statement) => statement.guard);
    return repeating(
      ATTEMPTS,
      // With guards the COMMIT is sent last, and a loss before it leaves nothing behind.
      (error) => this.#mayRepeat(error, statements) || (guarded && lostConnection(error)),
      () => this.#withClient((client) => runBatch(client, this.#names, this.#begin, this.isDistributed, statements)),
    );
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
          this.#withClient((client) =>
            runTransaction(client, this.#names, this.#begin, this.isDistributed, this.#transactionLimitMs, noted),
          ),
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

  async ping(): Promise<void> {
    const result = await repeating(2, lostConnection, () =>
      this.#withClient((client) =>
        client.query(`select pg_is_in_recovery() or current_setting('transaction_read_only')::boolean as closed`),
      ),
    );
    if (result.rows[0].closed) throw new DatabaseUnavailable('PostgreSQL takes no writes now: it is a standby or read-only');
  }

  describe(): Promise<string> {
    return repeating(2, lostConnection, () => this.#withClient((client) => describeServer(client, this.#place)));
  }

  gauges(): Record<string, number> {
    return {
      pool_total: this.#pool.totalCount,
      pool_idle: this.#pool.idleCount,
      pool_waiting: this.#turns.waiting,
      pool_waiting_lanes: this.#turns.lanesWaiting,
      lookups_waiting: this.#lookups.waiting,
      lookups_waiting_lanes: this.#lookups.lanesWaiting,
      statements_refused_total: this.#turns.refusedTotal + this.#lookups.refusedTotal,
      broadcasts_trusted: this.trustsBroadcasts() ? 1 : 0,
    };
  }

  /** Waits for what is under way; nothing new is taken. */
  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  async #close(): Promise<void> {
    if (this.#underWay === 0) this.#drained.resolve();
    await this.#nodes.close();
    // The pool itself would leave those who wait for a connection to their time-out.
    await this.#drained.promise;
    await this.#pool.end();
  }
}
