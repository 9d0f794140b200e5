/** What a failure of the driver or of the server means: which class it becomes, and whether the work may be done again. */
import { setTimeout as sleep } from 'node:timers/promises';
import { DatabaseUnavailable, ReferenceViolation, UniqueViolation, WorkerUnavailable } from '../errors.ts';
import { tableOfIndex, tableOfShard } from './table-places.ts';

/** The parts of a driver's error that are looked at. */
interface DriverError extends Error {
  severity?: string;
  code?: string;
  detail?: string;
  table?: string;
  constraint?: string;
}

const LOST_CODES = new Set(['57P01', '57P02', '25P03', '25P04', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT']);
const LOST_MESSAGES =
  /^(Connection terminated( unexpectedly)?|Client has encountered a connection error and is not queryable|Client was closed and is not queryable)$/;
const UNREACHABLE_CODES = new Set(['57P03', 'ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH', 'ENOENT']);
const UNREACHABLE_MESSAGES = /^(timeout exceeded when trying to connect|Connection terminated due to connection timeout|timeout expired)$/;
/** What a coordinator of Citus says of a worker: by a code for connections most often, and by these words without one. */
const LOST_WORKER = /^(server closed the connection unexpectedly|SSL SYSCALL error|could not commit transaction for shard)/;
const READ_TIMEOUT = 'Query read timeout';

const isDriverError = (error: unknown): error is DriverError => error instanceof Error;

/** A connection that was there is gone. Whether the server did the work is not known. */
export function lostConnection(error: unknown): boolean {
  if (!isDriverError(error)) return false;
  const { code = '', message } = error;
  return LOST_CODES.has(code) || code.startsWith('08') || LOST_MESSAGES.test(message) || lostWorker(error);
}

/** No connection could be made: nothing listens, or nothing answers. */
export function isUnreachable(error: unknown): boolean {
  if (!isDriverError(error)) return false;
  return lostConnection(error) || UNREACHABLE_CODES.has(error.code ?? '') || UNREACHABLE_MESSAGES.test(error.message);
}

/** The server is a standby, or read-only. */
export function refusesWrites(error: unknown): boolean {
  return isDriverError(error) && error.code === '25006';
}

/** Another has held what the statement needs for too long. */
export function waitedForLock(error: unknown): boolean {
  return isDriverError(error) && error.code === '55P03';
}

function lostWorker({ code, message }: DriverError): boolean {
  return code === 'XX000' && LOST_WORKER.test(message);
}

/**
 * The connection must not go back to the pool. One to a server that takes no writes would be met again and again. One that brings an error,
 * and no end of itself, is a coordinator's of Citus: its worker is gone.
 */
export function breaksConnection(error: unknown): boolean {
  if (!isDriverError(error)) return false;
  return error.message === READ_TIMEOUT || refusesWrites(error) || (lostConnection(error) && error.severity !== 'ERROR');
}

/** The server undid the work because of others' (serialization failure, deadlock), and asks for it to be done again. */
export function lostTheRace(error: unknown): boolean {
  return isDriverError(error) && (error.code === '40001' || error.code === '40P01');
}

/** A prepared statement outlived the tables or the connection it was planned for; nothing was done. */
export function stalePlan(error: unknown): boolean {
  if (!isDriverError(error)) return false;
  return error.code === '26000' || (error.code === '0A000' && error.message.includes('cached plan must not change result type'));
}

/** The driver's error in the vocabulary of both engines; anything else stays as it is. */
export function translate(error: unknown): unknown {
  if (!isDriverError(error) || error instanceof UniqueViolation || error instanceof DatabaseUnavailable) return error;
  const { code = '', message } = error;
  if (code === '23503') return new ReferenceViolation(error);
  if (code === '23505') return new UniqueViolation(uniqueTable(error), uniqueColumns(error), error);
  const unavailable = (what: string) => new DatabaseUnavailable(what, { cause: error });
  if (lostConnection(error) && !breaksConnection(error))
    return new WorkerUnavailable('A worker of Citus can not be reached; whether the statement took effect is not known', { cause: error });
  if (lostConnection(error)) return unavailable('The connection to PostgreSQL was lost; whether the statement took effect is not known');
  if (message === READ_TIMEOUT) return unavailable('PostgreSQL did not answer in time; whether the statement took effect is not known');
  if (UNREACHABLE_CODES.has(code)) return unavailable('PostgreSQL can not be reached');
  if (UNREACHABLE_MESSAGES.test(message)) return unavailable('No connection to PostgreSQL became free in time');
  if (code === '57014') return unavailable('The statement took too long and was stopped');
  if (code === '55P03') return unavailable('The statement waited too long for a lock');
  if (code === '25006') return unavailable('PostgreSQL takes no writes now: it is a standby or read-only');
  if (code.startsWith('53')) return unavailable('PostgreSQL is out of connections, memory or disk');
  if (lostTheRace(error)) return unavailable('Concurrent work kept getting in the way');
  // It was made where the answer was read. Who asked is of more help.
  if (error.severity !== undefined) Error.captureStackTrace(error, translate);
  return error;
}

/** A worker of Citus names the index alone. */
function uniqueTable({ table, message }: DriverError): string {
  if (table !== undefined) return tableOfShard(table);
  return tableOfIndex(/unique constraint "(.+?)"/.exec(message)?.[1] ?? '');
}

function uniqueColumns(error: DriverError): string[] {
  const inDetail = /^Key \((.+?)\)=\(/s.exec(error.detail ?? '')?.[1];
  if (inDetail) return inDetail.split(', ').map((column) => column.replace(/^"(.*)"$/, '$1'));
  return error.constraint ? [error.constraint] : [];
}

/** Does the work again, after a short random wait, while its failure is one that allows it; what fails in the end is translated. */
export async function repeating<T>(attempts: number, mayRepeat: (error: unknown) => boolean, work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      if (attempt >= attempts || !mayRepeat(error)) throw translate(error);
      await sleep(10 * attempt + Math.random() * 20 * attempt);
    }
  }
}
