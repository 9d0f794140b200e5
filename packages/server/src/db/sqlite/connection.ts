/** Connections to the database file: how each kind is opened, and the statements it keeps prepared. */
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { addMetaFunction } from './meta-function.ts';
import type { StoredParam } from './protocol.ts';

export const DATABASE_FILE = 'commonplace.db';

export const BUSY_TIMEOUT_MS = 5_000;

/** The log is folded into the file when it has this many pages (16 MB), and cut down to 64 MB where it was larger. */
const CHECKPOINT_PAGES = 4_000;
/** With a continuous backup the program decides when (1 GB); beyond this SQLite does, and the backup begins anew. */
export const MOST_PAGES_IN_LOG = 250_000;

/** The one connection that writes. What it has committed is on disk, and what it has deleted is overwritten. */
export function openWriting(file: string, checkpointPages = CHECKPOINT_PAGES): DatabaseSync {
  const db = new DatabaseSync(file, { timeout: BUSY_TIMEOUT_MS });
  try {
    // Reads the header and the schema before anything is set, so that a damaged file is found and left alone.
    db.prepare('select count(*) from sqlite_master').get();
    db.exec(`
      pragma journal_mode = wal;
      pragma synchronous = full;
      pragma foreign_keys = on;
      pragma cache_size = -16384;
      pragma wal_autocheckpoint = ${checkpointPages};
      pragma journal_size_limit = 67108864;
      pragma temp_store = memory;
      pragma secure_delete = on;
    `);
    addMetaFunction(db);
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}

/** Not memory-mapped: scans would be a fifth faster, and the process larger by the whole file. */
export function openReading(file: string, cacheKib: number): DatabaseSync {
  const db = new DatabaseSync(file, { readOnly: true, timeout: BUSY_TIMEOUT_MS });
  db.exec(`pragma cache_size = -${cacheKib}; pragma temp_store = memory;`);
  addMetaFunction(db);
  return db;
}

export interface Prepared {
  readonly statement: StatementSync;
  /** The columns it returns; none for a statement that only writes. */
  readonly names: readonly string[];
}

const MAX_STATEMENTS = 256;
/** Inserts of many rows have long texts, one for each number of rows, and a prepared one takes several times its text. */
const MAX_CHARACTERS = 256 * 1024;

/** Prepared statements by their text; the least recently used go first. */
export class StatementCache {
  readonly #db: DatabaseSync;
  readonly #byText = new Map<string, Prepared>();
  #characters = 0;

  constructor(db: DatabaseSync) {
    this.#db = db;
  }

  prepare(text: string): Prepared {
    const known = this.#byText.get(text);
    if (known) {
      if (this.#isHalfFull) {
        // A Map keeps the order of insertion, so putting it in again makes it the newest.
        this.#byText.delete(text);
        this.#byText.set(text, known);
      }
      return known;
    }
    const statement = this.#db.prepare(text, { returnArrays: true });
    const prepared = { statement, names: statement.columns().map((column) => asKey(column.name)) };
    this.#byText.set(text, prepared);
    this.#characters += text.length;
    for (const oldest of this.#byText.keys()) {
      if (this.#byText.size <= MAX_STATEMENTS && this.#characters <= MAX_CHARACTERS) break;
      this.#byText.delete(oldest);
      this.#characters -= oldest.length;
    }
    return prepared;
  }

  /** Before that none is dropped soon, and their order does not matter. */
  get #isHalfFull(): boolean {
    return this.#byText.size > MAX_STATEMENTS / 2 || this.#characters > MAX_CHARACTERS / 2;
  }

  /** After a change of the schema the columns of a prepared `select *` may be others. */
  forget(): void {
    this.#byText.clear();
    this.#characters = 0;
    // Preparing alone trusts the schema that the connection knows; running a statement makes it look.
    this.#db.exec('select 1 from sqlite_master');
  }
}

/** All rows of a statement as arrays; `returnArrays` is not known to the types of `StatementSync`. */
export function allRows(statement: StatementSync, params: readonly StoredParam[]): unknown[][] {
  return statement.all(...params) as unknown as unknown[][];
}

/** The same text as the engine keeps it for property names: with another copy, each row would look it up again. */
function asKey(name: string): string {
  return Object.keys({ [name]: 0 })[0] as string;
}
