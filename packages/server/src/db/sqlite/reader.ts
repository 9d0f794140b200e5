/** A reader thread: runs statements that may scan, and stops those that take too long. */
import { parentPort, workerData } from 'node:worker_threads';
import { openReading, StatementCache } from './connection.ts';
import { toFailure } from './failures.ts';
import type { Opened, Outcome, ReaderData, ReaderReply, ReaderRequest, StatementCall } from './protocol.ts';

const CACHE_KIB = 4096;
const ROWS_BETWEEN_CHECKS = 64;

/** `node:sqlite` can't interrupt a statement, so the limit is held between rows; the main thread sees to the rest. */
function read(statements: StatementCache, [text, params, guarded]: StatementCall, limitMs: number): Outcome {
  try {
    const { statement, names } = statements.prepare(text);
    const deadline = Date.now() + limitMs;
    const rows: unknown[][] = [];
    for (const row of statement.iterate(...params)) {
      rows.push(row as unknown as unknown[]);
      if (rows.length % ROWS_BETWEEN_CHECKS === 0 && Date.now() > deadline) {
        return { code: 0, message: 'The statement was stopped at its time limit', text, late: true };
      }
    }
    if (guarded && rows.length === 0) return { code: 0, message: 'The statement had no row', text, unmet: 0 };
    return [[rows.length, names, rows]];
  } catch (error) {
    return toFailure(error, text);
  }
}

if (parentPort) {
  const port = parentPort;
  const { file, limitMs } = workerData as ReaderData;
  let opened: Opened = {};
  try {
    const statements = new StatementCache(openReading(file, CACHE_KIB));
    const answer = (request: ReaderRequest): ReaderReply => {
      if (request.kind === 'read') return { outcome: read(statements, request.call, limitMs) };
      statements.forget();
      return { outcome: [] };
    };
    port.on('message', (request: ReaderRequest) => port.postMessage(answer(request)));
  } catch (error) {
    opened = { failure: toFailure(error) };
  }
  port.postMessage(opened);
}
