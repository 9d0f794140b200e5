/** The embedded engine: one SQLite file, one writer thread, reader threads for scans, look-ups on the spot. */
import { closeSync, openSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { systemClock } from '../../clock.ts';
import type { Log } from '../../logging.ts';
import { ContinuousBackup, forgetBackup } from '../continuous-backup/continuous-backup.ts';
import type { BatchRows, Database, Transaction } from '../database.ts';
import { DatabaseUnavailable, DatabaseUnusable } from '../errors.ts';
import { type Audience, Invalidation, invalidating, invalidationsIn, noting } from '../invalidation.ts';
import { takeTurnIfLarge } from '../large-results.ts';
import { type Listener, Listeners } from '../listeners.ts';
import type { Sql } from '../sql.ts';
import { backupDatabase } from './backup.ts';
import { toCall, toRows } from './calls.ts';
import { DATABASE_FILE } from './connection.ts';
import { type DataDirLock, lockDataDir } from './lock.ts';
import { Lookups } from './lookups.ts';
import { MAX_QUEUE, type SqliteOptions, STATEMENT_TIMEOUT_MS, TRANSACTION_TIMEOUT_MS } from './options.ts';
import type { CallResult, Outcome, Unit } from './protocol.ts';
import { ReaderPool } from './reader-pool.ts';
import { isFailure, onlyRow, UnitQueries } from './unit-queries.ts';
import { WriteQueue } from './write-queue.ts';

/** As long as a read may take, and another that began beside it. */
const ERASED_WITHIN_MS = 2 * STATEMENT_TIMEOUT_MS;
const MOST_MS_BETWEEN_TRIES = 200;

interface Parts {
  readonly lock: DataDirLock;
  readonly writes: WriteQueue;
  readonly readers: ReaderPool;
  readonly lookups: Lookups;
  readonly backup: ContinuousBackup | undefined;
}

/** Takes the folder, opens or creates the database in it, and starts the writer thread. */
export async function openSqlite(options: SqliteOptions): Promise<SqliteDatabase> {
  const dataDir = resolve(options.dataDir);
  const file = join(dataDir, DATABASE_FILE);
  const { log, statementTimeoutMs = STATEMENT_TIMEOUT_MS, transactionTimeoutMs = TRANSACTION_TIMEOUT_MS, maxQueue = MAX_QUEUE } = options;
  const lock = lockDataDir(dataDir, { address: options.address });
  const place = options.backup && ContinuousBackup.placeOf(dataDir, file, options.backup);
  const writes = new WriteQueue({ file, log, statementTimeoutMs, transactionTimeoutMs, maxQueue, backup: place });
  let backup: ContinuousBackup | undefined;
  try {
    createPrivately(file);
    if (options.backup) backup = await ContinuousBackup.open({ dataDir, file, options: options.backup, log });
    else forgetBackup(dataDir);
    await writes.open();
    const readers = new ReaderPool({ file, log, statementTimeoutMs, maxReaders: options.maxReaders });
    const lookups = new Lookups(file, log);
    backup?.start(writes);
    return new SqliteDatabase(file, { lock, writes, readers, lookups, backup }, log);
  } catch (error) {
    await writes.close();
    await backup?.close();
    lock.release();
    throw error;
  }
}

/** SQLite would create the file for everyone to read; the files beside it take their mode from it. */
function createPrivately(file: string): void {
  try {
    closeSync(openSync(file, 'wx', 0o600));
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return;
    throw new DatabaseUnusable(`${file} can't be written: ${error instanceof Error ? error.message : error}.`, { cause: error });
  }
}

export class SqliteDatabase extends UnitQueries implements Database {
  readonly clock = systemClock;
  readonly isDistributed = false;
  readonly #parts: Parts;
  readonly #listeners: Listeners;
  /** There is no other node to wait for. */
  readonly #audience: Audience;
  #closed: Promise<void> | undefined;

  constructor(file: string, parts: Parts, log?: Log) {
    super(file);
    this.#parts = parts;
    this.#listeners = new Listeners(log);
    this.#audience = { hear: (topic, payload) => this.#listeners.hear(topic, payload), settle: async () => undefined };
  }

  override async query<Row>(statement: Sql<Row>): Promise<Row[]> {
    if (!statement.reads) return super.query(statement);
    const outcome = await this.#parts.readers.read(toCall(statement));
    if (isFailure(outcome)) throw this.failed([statement], outcome);
    const result = outcome[0] as CallResult;
    await takeTurnIfLarge(result[2]);
    return toRows(statement, result);
  }

  readShort<Row>(statement: Sql<Row>, most: number): Row[] | undefined {
    this.#refuseIfClosed();
    return this.#parts.lookups.readShort(statement, most);
  }

  override async one<Row>(statement: Sql<Row>): Promise<Row> {
    return statement.reads ? onlyRow(statement, this.#find(statement)) : super.one(statement);
  }

  override async maybeOne<Row>(statement: Sql<Row>): Promise<Row | undefined> {
    if (!statement.reads) return super.maybeOne(statement);
    return statement.guard ? onlyRow(statement, this.#find(statement)) : this.#find(statement);
  }

  override async run(statement: Sql): Promise<number> {
    return statement instanceof Invalidation ? (await this.batch([statement])).length : super.run(statement);
  }

  override async batch<const Statements extends readonly Sql[]>(statements: Statements): Promise<BatchRows<Statements>> {
    const found = invalidationsIn(statements);
    return found.length === 0 ? super.batch(statements) : invalidating(this.#audience, found, () => super.batch(statements));
  }

  async transaction<T>(work: (tx: Transaction) => Promise<T>): Promise<T> {
    this.#refuseIfClosed();
    const found: Invalidation[] = [];
    return invalidating(this.#audience, found, () => this.#parts.writes.transaction((tx) => work(noting(tx, found))));
  }

  /** A migration: a script of several statements and, with it or not at all, the statements that record it. */
  async migrate(script: string, ...record: Sql[]): Promise<void> {
    this.#refuseIfClosed();
    await this.#parts.writes.script(script, record.map(toCall));
    this.#parts.lookups.forget();
    await this.#parts.readers.forget();
  }

  /** The folder's lock has kept every other process out since the database was opened. */
  async exclusively<T>(work: () => Promise<T>): Promise<T> {
    return work();
  }

  /** Runs a script of several statements, all or nothing. */
  async exec(script: string): Promise<void> {
    await this.migrate(script);
  }

  /** A checked copy of the database as it is now, while it serves. */
  async backup(targetPath: string): Promise<void> {
    await backupDatabase(this.file, targetPath);
  }

  listen(topic: string, listener: Listener): void {
    this.#listeners.add(topic, listener);
  }

  /** Always: there is no other node. */
  trustsBroadcasts(): boolean {
    return true;
  }

  /** Overwritten in the file with the deletion itself; the log goes as soon as nobody reads from it. */
  async eraseDeleted(): Promise<void> {
    const { writes, backup } = this.#parts;
    const deadlineMs = performance.now() + ERASED_WITHIN_MS;
    for (let waitMs = 1; ; waitMs = Math.min(waitMs * 2, MOST_MS_BETWEEN_TRIES)) {
      this.#refuseIfClosed();
      const isErased = backup
        ? await backup.eraseLog(writes)
        : ((await writes.checkpoint({ kind: 'plain', erases: true })).isErased ?? false);
      if (isErased) return;
      if (performance.now() > deadlineMs)
        throw new DatabaseUnavailable('Long reads keep what was deleted in the write-ahead log. Ask again.', { retryAfterSeconds: 5 });
      await sleep(waitMs);
    }
  }

  async ping(): Promise<void> {
    this.#refuseIfClosed();
    this.#parts.lookups.ping();
    await this.#parts.writes.ping();
  }

  async describe(): Promise<string> {
    this.#refuseIfClosed();
    const { size } = await stat(this.file);
    return `SQLite ${this.#parts.lookups.version()} at ${this.file} (${(size / 1e6).toFixed(1)} MB)`;
  }

  gauges(): Record<string, number> {
    const { writes, readers, lookups, backup } = this.#parts;
    return {
      write_queue_length: writes.length,
      write_queue_lanes: writes.lanesWaiting,
      writes_refused_total: writes.refusedTotal,
      write_groups_total: writes.groupsTotal,
      write_units_total: writes.unitsTotal,
      write_last_group_units: writes.lastGroupUnits,
      writer_restarts_total: writes.restartsTotal,
      readers: readers.size,
      readers_busy: readers.busy,
      read_queue_length: readers.waiting,
      read_queue_lanes: readers.lanesWaiting,
      reads_refused_total: readers.refusedTotal,
      readers_abandoned_total: readers.abandonedTotal,
      slow_lookups_total: lookups.slowCount,
      ...backup?.gauges(),
    };
  }

  /** Refuses new work, finishes what waits, folds the write-ahead log into the file, and gives the folder back. */
  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  protected override async submit(unit: Unit): Promise<Outcome> {
    this.#refuseIfClosed();
    return this.#parts.writes.run(unit);
  }

  #find<Row>(statement: Sql<Row>): Row | undefined {
    this.#refuseIfClosed();
    return this.#parts.lookups.find(statement);
  }

  #refuseIfClosed(): void {
    if (this.#closed) throw new DatabaseUnavailable('The database is closing.');
  }

  async #close(): Promise<void> {
    const { lock, writes, readers, lookups, backup } = this.#parts;
    try {
      await readers.close();
      lookups.close();
      // The writer goes last: the last connection to close removes the write-ahead log.
      await writes.close(await backup?.stop());
    } finally {
      await backup?.close();
      lock.release();
    }
  }
}
