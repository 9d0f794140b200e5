/** Migrations: one node at a time, each script together with its record in one transaction. */

import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import type { Log } from '../../logging.ts';
import { DatabaseUnusable } from '../errors.ts';
import type { Sql } from '../sql.ts';
import { type ConnectionOptions, connectAlone } from './connections.ts';
import { translate, waitedForLock } from './failures.ts';
import { statementsOf } from './scripts.ts';

/** The advisory lock's key: "commonpl" as a number. */
const LOCK_KEY = '7165068771655118956';
const POLL_MS = 200;
const WAIT_LIMIT_MS = 15 * 60_000;
/** While a script waits for a table, everybody who comes later waits behind it: it gives up soon, and tries again. */
const LOCK_TIMEOUT_MS = 2_000;
const LOCK_PAUSE_MS = 1_000;

export class MigrationLock {
  #options: ConnectionOptions;
  #log: Log;
  #client: pg.Client | undefined;

  constructor(options: ConnectionOptions, log: Log) {
    this.#options = options;
    this.#log = log;
  }

  /** Runs the work while no other node can, on a connection of its own that also lets long scripts run. */
  async hold<T>(work: () => Promise<T>): Promise<T> {
    if (this.#client) throw new Error('This node holds the migration lock already');
    const client = await this.#connect();
    try {
      await this.#acquire(client);
      this.#client = client;
      return await work();
    } finally {
      this.#client = undefined;
      // The lock goes with its session.
      await client.end();
    }
  }

  async #connect(): Promise<pg.Client> {
    try {
      return await connectAlone(this.#options, { statement_timeout: 0, lock_timeout: 0, idle_in_transaction_session_timeout: 60_000 });
    } catch (error) {
      throw translate(error);
    }
  }

  /** By trying again and again: a wait inside the server would hold a snapshot, and block `create index concurrently`. */
  async #acquire(client: pg.Client): Promise<void> {
    const startMs = performance.now();
    let told = false;
    for (;;) {
      const { rows } = await client.query(`select pg_try_advisory_lock(${LOCK_KEY}) as held`);
      if (rows[0].held) return;
      const waitedMs = performance.now() - startMs;
      if (waitedMs > WAIT_LIMIT_MS) {
        throw new DatabaseUnusable('Another node has held the migration lock for 15 minutes. Look for its session in pg_stat_activity.');
      }
      if (!told && waitedMs > 2_000) {
        told = true;
        this.#log.info({}, 'waiting for another node to finish its migrations');
      }
      await sleep(POLL_MS);
    }
  }

  /** On the connection that holds the lock. */
  async use<T>(work: (client: pg.Client) => Promise<T>): Promise<T> {
    if (!this.#client) throw new Error('Migrations run inside exclusively() only');
    try {
      return await work(this.#client);
    } catch (error) {
      throw translate(error);
    }
  }

  async migrate(script: string, record: Sql): Promise<void> {
    const client = this.#client;
    if (!client) throw new Error('Migrations run inside exclusively() only');
    const startMs = performance.now();
    for (let attempt = 1; ; attempt++) {
      try {
        await runScript(client, script, record);
        return;
      } catch (error) {
        if (!waitedForLock(error)) throw translate(error);
        if (performance.now() - startMs > WAIT_LIMIT_MS) {
          throw new DatabaseUnusable(
            'A migration has waited 15 minutes for a table that others use. Look for long transactions in pg_stat_activity.',
            { cause: error },
          );
        }
        if (attempt === 1) this.#log.info({}, 'a migration waits for a table that others use');
        await sleep(LOCK_PAUSE_MS);
      }
    }
  }
}

async function runScript(client: pg.Client, script: string, record: Sql): Promise<void> {
  try {
    await client.query(`begin; set local lock_timeout = ${LOCK_TIMEOUT_MS}`);
    // Of Citus, and of no effect elsewhere: statements on tables that refer to each other follow one another on one connection.
    await client.query(`set local citus.multi_shard_modify_mode = 'sequential'`);
    for (const statement of statementsOf(script)) await client.query(statement);
    await client.query(record.text('postgres'), record.params);
    await client.query('commit');
  } catch (error) {
    await client.query('rollback').catch(() => undefined);
    throw error;
  }
}
