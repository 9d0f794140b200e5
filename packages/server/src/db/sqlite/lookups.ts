/** Look-ups by key, on the caller's thread: about 5 µs each, where a hop to another thread costs more than 50. */

import type { DatabaseSync } from 'node:sqlite';
import type { Log } from '../../logging.ts';
import { decodeRows } from '../shape.ts';
import type { Sql } from '../sql.ts';
import { toObject, toStored } from './calls.ts';
import { openReading, StatementCache } from './connection.ts';
import { toError, toFailure } from './failures.ts';

const CACHE_KIB = 4096;
const SLOW_MS = 20;

export class Lookups {
  slowCount = 0;
  readonly #file: string;
  readonly #log: Log | undefined;
  readonly #db: DatabaseSync;
  readonly #statements: StatementCache;

  constructor(file: string, log: Log | undefined) {
    this.#file = file;
    this.#log = log;
    this.#db = openReading(file, CACHE_KIB);
    this.#statements = new StatementCache(this.#db);
  }

  find<Row>(statement: Sql<Row>): Row | undefined {
    const params = toStored(statement.params);
    const startedAt = performance.now();
    const object = this.#get(statement.text('sqlite'), params);
    const tookMs = performance.now() - startedAt;
    if (tookMs > SLOW_MS) {
      this.slowCount++;
      this.#log?.warn({ statement: statement.text('sqlite'), tookMs }, 'A look-up held up the event loop; use query() for what may scan');
    }
    return object && decodeRows(statement, [object])[0];
  }

  /** The rows of a statement that finds them by an index; undefined where they hold more than so many characters and bytes. */
  readShort<Row>(statement: Sql<Row>, most: number): Row[] | undefined {
    const text = statement.text('sqlite');
    try {
      const { statement: prepared, names } = this.#statements.prepare(text);
      const rows: Record<string, unknown>[] = [];
      let size = 0;
      for (const row of prepared.iterate(...toStored(statement.params)) as Iterable<unknown>) {
        const values = row as unknown[];
        for (const value of values) if (typeof value === 'string' || value instanceof Uint8Array) size += value.length;
        if (size > most) return undefined;
        rows.push(toObject(names, values));
      }
      return decodeRows(statement, rows);
    } catch (error) {
      throw toError(toFailure(error, text), this.#file);
    }
  }

  ping(): void {
    this.#get('select 1 from sqlite_master', []);
  }

  version(): string {
    return String(this.#get('select sqlite_version() as version', [])?.version);
  }

  forget(): void {
    this.#statements.forget();
  }

  close(): void {
    this.#db.close();
  }

  #get(text: string, params: ReturnType<typeof toStored>): Record<string, unknown> | undefined {
    try {
      const { statement, names } = this.#statements.prepare(text);
      const values = statement.get(...params) as unknown as unknown[] | undefined;
      return values && toObject(names, values);
    } catch (error) {
      throw toError(toFailure(error, text), this.#file);
    }
  }
}
