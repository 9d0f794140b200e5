/** The connections that statements share: as many as allowed, each for one piece of work at a time. */
import pg from 'pg';
import type { Log } from '../../logging.ts';
import { DatabaseUnavailable } from '../errors.ts';
import { type ConnectionOptions, clientConfig } from './connections.ts';
import { breaksConnection, refusesWrites } from './failures.ts';
import type { PacketClient } from './packet-client.ts';
import type { SilentServer } from './silent-server.ts';
import { ConnectionTurns } from './turns.ts';

/** The pool makes its clients of the class it is given. */
type PooledClient = PacketClient & pg.PoolClient;

export interface ConnectionPoolOptions {
  readonly connection: ConnectionOptions;
  readonly size: number;
  readonly answerTimeoutMs: number;
  /** Sets each session up. */
  readonly settings: string;
  /** Through a pooler in transaction mode. */
  readonly sharesSessions: boolean;
  readonly silentServer: SilentServer;
  readonly log: Log;
}

export class ConnectionPool {
  readonly turns: ConnectionTurns;
  readonly #options: ConnectionPoolOptions;
  readonly #pool: pg.Pool;
  /** Calls that were taken on and are not over. */
  #underWay = 0;
  #closed: Promise<void> | undefined;
  readonly #drained = Promise.withResolvers<void>();

  constructor(options: ConnectionPoolOptions) {
    const { connection, size, answerTimeoutMs, log } = options;
    this.#options = options;
    this.turns = new ConnectionTurns(size, connection.connectTimeoutMs);
    this.#pool = new pg.Pool({
      ...clientConfig({ ...connection, answerTimeoutMs }),
      Client: connection.hosts.Client as typeof pg.Client,
      max: size,
      idleTimeoutMillis: 60_000,
      maxLifetimeSeconds: 3_600,
      onConnect: (client) => this.#setUp(client as pg.Client),
    });
    this.#pool.on('error', (error) => log.warn({ err: error }, 'an idle connection to PostgreSQL was lost'));
  }

  get total(): number {
    return this.#pool.totalCount;
  }

  get idle(): number {
    return this.#pool.idleCount;
  }

  async #setUp(client: pg.Client): Promise<void> {
    const { settings, sharesSessions, silentServer } = this.#options;
    // A loss shows in the statements under way; without a listener it would end the process.
    client.on('error', () => undefined);
    const set = client.query(settings);
    // Through a pooler in transaction mode two statements that are sent together may be cut apart.
    if (sharesSessions) await set;
    await Promise.all([set, silentServer.add(client)]);
  }

  /** Runs the work with a connection of its own, when it is the turn of its lane. */
  use<T>(work: (client: PacketClient) => Promise<T>): Promise<T> {
    return this.takeOn(() => this.useOne(work));
  }

  /** What was taken on before the end is carried out, and the end waits for it. */
  async takeOn<T>(work: () => Promise<T>): Promise<T> {
    if (this.#closed) throw new DatabaseUnavailable('The database is closed');
    this.#underWay++;
    try {
      return await work();
    } finally {
      if (--this.#underWay === 0 && this.#closed) this.#drained.resolve();
    }
  }

  /** As `use`, within what was taken on. */
  async useOne<T>(work: (client: PacketClient) => Promise<T>): Promise<T> {
    const { hosts } = this.#options.connection;
    let client: PooledClient | undefined;
    let broken = false;
    const turn = this.turns.enter();
    if (turn) await turn;
    try {
      client = await hosts.connect(() => this.#pool.connect() as Promise<PooledClient>);
      return await work(client);
    } catch (error) {
      broken = breaksConnection(error);
      if (client && refusesWrites(error)) hosts.leaveHostOf(client);
      throw error;
    } finally {
      // A connection that is still inside a transaction must not meet the next caller.
      client?.release(broken || client.connection.stream.destroyed || client.getTransactionStatus() !== 'I');
      this.turns.leave();
    }
  }

  /** Nothing new is taken on from now on. `before` comes before the wait for what is under way. */
  close(before: () => Promise<void>): Promise<void> {
    this.#closed ??= this.#close(before);
    return this.#closed;
  }

  async #close(before: () => Promise<void>): Promise<void> {
    if (this.#underWay === 0) this.#drained.resolve();
    await before();
    // The pool itself would leave those who wait for a connection to their time-out.
    await this.#drained.promise;
    await this.#pool.end();
  }
}
