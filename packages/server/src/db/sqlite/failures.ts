/** SQLite's errors: as plain data in the database threads, as the vocabulary of `../errors.ts` on the main thread. */
import { DatabaseUnavailable, DatabaseUnusable, ReferenceViolation, UniqueViolation } from '../errors.ts';
import type { Failure } from './protocol.ts';

const BUSY = 5;
const LOCKED = 6;
const OUT_OF_MEMORY = 7;
const IO_ERROR = 10;
const CORRUPT = 11;
const FULL = 13;
const CAN_NOT_OPEN = 14;
const NOT_A_DATABASE = 26;

const PRIMARY_KEY_VIOLATION = 1555;
const UNIQUE_VIOLATION = 2067;
const ROWID_VIOLATION = 2579;
const FOREIGN_KEY_VIOLATION = 787;

/** A statement that is wrong, or breaks a rule of the schema other than uniqueness. */
export class StatementFailed extends Error {
  readonly statement: string | undefined;
  readonly code: number;
  constructor(failure: Failure) {
    super(failure.message);
    this.name = 'StatementFailed';
    this.statement = failure.text;
    this.code = failure.code;
  }
}

export function toFailure(error: unknown, text?: string): Failure {
  const code = error instanceof Error && 'errcode' in error && typeof error.errcode === 'number' ? error.errcode : 0;
  const message = error instanceof Error ? error.message : String(error);
  return text === undefined ? { message, code } : { message, code, text };
}

export function toError(failure: Failure, file: string): Error {
  switch (failure.code) {
    case PRIMARY_KEY_VIOLATION:
    case UNIQUE_VIOLATION:
    case ROWID_VIOLATION:
      return toUniqueViolation(failure);
    case FOREIGN_KEY_VIOLATION:
      return new ReferenceViolation(new StatementFailed(failure));
  }
  // The low byte is the primary code; the rest tells its kinds apart.
  switch (failure.code & 0xff) {
    case FULL:
      return new DatabaseUnavailable(`The disk that holds ${file} is full.`, {
        cause: new StatementFailed(failure),
        retryAfterSeconds: 30,
      });
    case IO_ERROR:
    case CAN_NOT_OPEN:
      return new DatabaseUnavailable(`${file} can't be read or written (${failure.message}).`, {
        cause: new StatementFailed(failure),
        retryAfterSeconds: 30,
      });
    case BUSY:
    case LOCKED:
    case OUT_OF_MEMORY:
      return new DatabaseUnavailable(`The database could not take the work (${failure.message}).`, { cause: new StatementFailed(failure) });
    case CORRUPT:
    case NOT_A_DATABASE:
      return new DatabaseUnusable(
        `${file} is damaged or is not a database (${failure.message}). It was left as it is; restore a backup, or move the file away to start empty.`,
        { cause: new StatementFailed(failure) },
      );
  }
  return new StatementFailed(failure);
}

/** "UNIQUE constraint failed: members.workspace_id, members.user_id"; an index on an expression is named instead of its columns. */
function toUniqueViolation(failure: Failure): UniqueViolation {
  const names = failure.message.slice(failure.message.indexOf(':') + 1).trim();
  const index = /^index '(.*)'$/.exec(names)?.[1];
  if (index !== undefined) return new UniqueViolation(index, [index], new StatementFailed(failure));
  const places = names.split(', ').map((place) => place.split('.'));
  return new UniqueViolation(
    places[0]?.[0] ?? '',
    places.map((place) => place.at(-1) ?? ''),
    new StatementFailed(failure),
  );
}
