/** A reader thread: runs statements that may scan, and stops those that take too long. */
import { serveThread, type Transferred, transfer } from '../../threads/serve.ts';
import { toStored } from './calls.ts';
import { openReading, StatementCache } from './connection.ts';
import { toFailure } from './failures.ts';
import type { Outcome, ReaderData, ReaderQuestions, StatementCall } from './protocol.ts';

const CACHE_KIB = 4096;
const ROWS_BETWEEN_CHECKS = 64;
/** Bytes are handed over from this size on; fewer are copied sooner. */
const LARGE_BYTES = 16 * 1024;

/** `node:sqlite` can't interrupt a statement, so the limit is held between rows; the main thread sees to the rest. */
function read(statements: StatementCache, [text, params, guarded]: StatementCall, limitMs: number): Outcome | Transferred<Outcome> {
  try {
    const { statement, names } = statements.prepare(text);
    const deadline = performance.now() + limitMs;
    const rows: unknown[][] = [];
    for (const row of statement.iterate(...toStored(params))) {
      rows.push(row as unknown as unknown[]);
      if (rows.length % ROWS_BETWEEN_CHECKS === 0 && performance.now() > deadline) {
        return { code: 0, message: 'The statement was stopped at its time limit', text, late: true };
      }
    }
    if (guarded && rows.length === 0) return { code: 0, message: 'The statement had no row', text, unmet: 0 };
    return transfer([[rows.length, names, rows]], largeBuffersOf(rows));
  } catch (error) {
    return toFailure(error, text);
  }
}

/** Each value has a buffer of its own. */
function largeBuffersOf(rows: readonly unknown[][]): ArrayBuffer[] {
  const buffers: ArrayBuffer[] = [];
  for (const row of rows) {
    for (const value of row) {
      if (value instanceof Uint8Array && value.byteLength >= LARGE_BYTES) buffers.push(value.buffer as ArrayBuffer);
    }
  }
  return buffers;
}

serveThread<ReaderQuestions, ReaderData>(({ file, limitMs }) => {
  const statements = new StatementCache(openReading(file, CACHE_KIB));
  return { read: (call) => read(statements, call, limitMs), forget: () => statements.forget() };
});
