/** Failures of the database that stores translate, in one vocabulary for both engines. */

export class UniqueViolation extends Error {
  readonly table: string;
  readonly columns: readonly string[];
  constructor(table: string, columns: readonly string[], cause: unknown) {
    super(`unique violation on ${table} (${columns.join(', ')})`, { cause });
    this.name = 'UniqueViolation';
    this.table = table;
    this.columns = columns;
  }
}

/** What the statement refers to is gone, or something refers to what it would remove: another request was quicker. */
export class ReferenceViolation extends Error {
  constructor(cause: unknown) {
    super('foreign key violation', { cause });
    this.name = 'ReferenceViolation';
  }
}

/** The database can't take the work now: queue full, connection lost, statement or transaction too slow. Answered 503. */
export class DatabaseUnavailable extends Error {
  readonly retryAfterSeconds: number;
  constructor(message: string, options: { cause?: unknown; retryAfterSeconds?: number } = {}) {
    super(message, { cause: options.cause });
    this.name = 'DatabaseUnavailable';
    this.retryAfterSeconds = options.retryAfterSeconds ?? 1;
  }
}

/** A worker of Citus is gone, and with it what it has; the rest of the database goes on. */
export class WorkerUnavailable extends DatabaseUnavailable {
  constructor(message: string, options: { cause?: unknown } = {}) {
    super(message, options);
    this.name = 'WorkerUnavailable';
  }
}

/** The database can't be used at all, and a person must act; the message says how. */
export class DatabaseUnusable extends Error {
  constructor(message: string, options: { cause?: unknown } = {}) {
    super(message, options);
    this.name = 'DatabaseUnusable';
  }
}

/** Runs a write and turns a unique violation on a table (and a column, where the table has several keys) into another error. */
export async function onDuplicate<T>(write: Promise<T>, table: string, column: string, makeError: () => Error): Promise<T> {
  try {
    return await write;
  } catch (error) {
    if (error instanceof UniqueViolation && error.table === table && error.columns.includes(column)) throw makeError();
    throw error;
  }
}
