/**
 * Gives up connections to a server that is no longer there. One whose host lost its power says nothing, not even that it is gone, and a
 * statement that was sent to it would wait for its time-out of half a minute, and so would the next on every connection of the pool.
 *
 * The connection for broadcasts finds out within seconds, since it renews a lease. Where its next one leads to another server, connections
 * to the one before are given up; where there is none, those that stay silent are.
 */
import type { Socket } from 'node:net';
import type pg from 'pg';
import type { Log } from '../../logging.ts';
import { isUnreachable } from './failures.ts';

/** Nothing was heard for so long, while no new connection could be made. */
const SILENT_MS = 4_000;

type Connection = pg.Client | pg.PoolClient;

interface Known {
  /** When the server at the other end was started, which tells it from any other; undefined until it has said so. */
  server: string | undefined;
  /** What had come from it when the server could first not be reached. */
  bytesRead: number;
}

export class SilentServer {
  readonly #log: Log;
  readonly #connections = new Map<Connection, Known>();
  #unreachableSinceMs: number | undefined;

  constructor(log: Log) {
    this.#log = log;
  }

  /** A new connection of the pool. */
  async add(client: Connection): Promise<void> {
    const known: Known = { server: undefined, bytesRead: 0 };
    this.#connections.set(client, known);
    client.once('end', () => this.#connections.delete(client));
    known.server = await serverOf(client);
  }

  /** A new connection that listens, and what it shows of the others. */
  async watch(connect: () => Promise<pg.Client>): Promise<pg.Client> {
    let client: pg.Client;
    try {
      client = await connect();
    } catch (error) {
      if (isUnreachable(error)) this.#isUnreachable();
      throw error;
    }
    this.#unreachableSinceMs = undefined;
    try {
      const current = await serverOf(client);
      const isAnother = ({ server }: Known) => server !== undefined && server !== current;
      this.#giveUp(isAnother, 'connections to a PostgreSQL that was replaced by another are given up');
      return client;
    } catch (error) {
      client.connection.stream.destroy();
      throw error;
    }
  }

  #isUnreachable(): void {
    const nowMs = performance.now();
    if (this.#unreachableSinceMs === undefined) {
      this.#unreachableSinceMs = nowMs;
      for (const [client, known] of this.#connections) known.bytesRead = bytesReadOf(client);
    } else if (nowMs - this.#unreachableSinceMs >= SILENT_MS) {
      this.#giveUp(
        ({ bytesRead }, client) => bytesRead === bytesReadOf(client),
        'connections to a PostgreSQL that says nothing and takes no new ones are given up',
      );
    }
  }

  #giveUp(isLost: (known: Known, client: Connection) => boolean, message: string): void {
    const lost = [...this.#connections].filter(([client, known]) => isLost(known, client));
    if (lost.length === 0) return;
    this.#log.warn({ connections: lost.length }, message);
    for (const [client] of lost) {
      this.#connections.delete(client);
      client.connection.stream.destroy();
    }
  }
}

async function serverOf(client: Connection): Promise<string> {
  const { rows } = await client.query('select extract(epoch from pg_postmaster_start_time())::text as server');
  return String(rows[0].server);
}

function bytesReadOf({ connection }: Connection): number {
  return (connection.stream as Socket).bytesRead;
}
