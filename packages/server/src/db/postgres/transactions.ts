/** Units of work on one connection: batches sent in one round trip, and interactive transactions with a time limit. */
import type pg from 'pg';
import type { BatchRows, Transaction } from '../database.ts';
import { DatabaseUnavailable } from '../errors.ts';
import { decodeRows } from '../shape.ts';
import type { Sql } from '../sql.ts';
import { lostConnection, lostTheRace, stalePlan, translate } from './failures.ts';
import { guardedText, missed } from './guards.ts';
import type { PacketClient } from './packet-client.ts';
import { type Result, type Step, sendPacket } from './packets.ts';
import type { Progress, Rows } from './row-groups.ts';
import { missedGuard, type StatementNames, Statements, send, stepOf, together } from './statements.ts';
import { changesPlainTable, spansPlainTable, twoPhaseMark } from './two-phase.ts';

/** One transaction in one packet: its commit travels along, since the server itself looks at the guards. */
export async function runPacket(
  client: PacketClient,
  names: StatementNames,
  statements: readonly Sql[],
  progress: Progress,
): Promise<Rows> {
  const { results, failure } = await sendPacket(
    client,
    statements.map((statement) => guardedStep(statement, names)),
  );
  if (failure !== undefined) {
    const failed = statements[results.length];
    progress.failedAt = failed && results.length;
    throw failed?.guard && missed(failure) ? failed.guard() : failure;
  }
  return statements.map((statement, index) => (returnsNothing(statement) ? [] : decodeRows(statement, (results[index] as Result).rows)));
}

function guardedStep(statement: Sql, names: StatementNames): Step {
  const text = statement.guard && guardedText(statement.text('postgres'))?.text;
  return text === undefined
    ? stepOf(statement, names)
    : { name: names.nameOf(text), text, params: statement.params, isBinary: statement.isBinary };
}

function returnsNothing(statement: Sql): boolean {
  return statement.guard !== undefined && guardedText(statement.text('postgres'))?.hasRows === false;
}

/** The first failure in the order of the statements: the real cause, before the "transaction is aborted" of those after it. */
function firstFailure(statements: readonly Sql[], outcomes: readonly PromiseSettledResult<Result>[], progress?: Progress): unknown {
  for (const [index, outcome] of outcomes.entries()) {
    const failure = outcome.status === 'rejected' ? outcome.reason : missedGuard(statements[index] as Sql, outcome.value);
    if (failure === undefined) continue;
    if (progress) progress.failedAt = index;
    return failure;
  }
  return undefined;
}

function rowsOf(statements: readonly Sql[], outcomes: readonly PromiseSettledResult<Result>[]): Rows {
  return statements.map((statement, index) => decodeRows(statement, (outcomes[index] as PromiseFulfilledResult<Result>).value.rows));
}

/**
 * All statements or none, for where a transaction has to begin and end by its own words. Without guards the COMMIT travels along: on an
 * aborted transaction the server makes it a ROLLBACK.
 */
export async function runBatch(
  client: PacketClient,
  names: StatementNames,
  begin: string,
  isDistributed: boolean,
  statements: readonly Sql[],
  progress: Progress,
): Promise<Rows> {
  progress.failedAt = undefined;
  const guarded = statements.some((statement) => statement.guard);
  const isMarked = isDistributed && spansPlainTable(statements);
  const [begun, sent, committed] = together(client, () => [
    isMarked ? beginMarked(client, names, begin) : client.query(begin),
    statements.map((statement) => send(client, statement, names)),
    guarded ? undefined : client.query('commit'),
  ]);
  const [[beginning], outcomes, [commit]] = await Promise.all([
    Promise.allSettled([begun]),
    Promise.allSettled(sent),
    Promise.allSettled([committed]),
  ]);
  const failure = beginning.status === 'rejected' ? beginning.reason : firstFailure(statements, outcomes, progress);
  if (failure !== undefined) {
    // A lost connection after an early failure changes nothing: the server rolls back by itself.
    if (guarded) await client.query('rollback').catch(() => undefined);
    throw failure;
  }
  if (!guarded && commit.status === 'rejected') throw commit.reason;
  if (guarded) await commitOrThrow(client);
  return rowsOf(statements, outcomes);
}

async function beginMarked(client: PacketClient, names: StatementNames, begin: string): Promise<void> {
  await Promise.all([client.query(begin), send(client, twoPhaseMark, names)]);
}

async function commitOrThrow(client: PacketClient, failure?: unknown): Promise<void> {
  let done: pg.QueryResult;
  try {
    done = await client.query('commit');
  } catch (error) {
    // Translated here, so that it is not taken for a loss before the commit, which may be done again.
    throw lostConnection(error) ? translate(error) : error;
  }
  if (done.command !== 'COMMIT') throw failure ?? new Error('PostgreSQL rolled the transaction back at its commit');
}

/** What the work of a transaction is given. The first failure dooms it: nothing of the unit is kept, whatever the work catches. */
class OpenTransaction extends Statements implements Transaction {
  /** As the driver threw it. */
  failure: unknown;
  /** Statements without an answer yet. */
  inFlight = 0;
  #client: PacketClient;
  #names: StatementNames;
  #isDistributed: boolean;
  #isMarked = false;
  #ended: Error | undefined;

  constructor(client: PacketClient, names: StatementNames, isDistributed: boolean) {
    super();
    this.#client = client;
    this.#names = names;
    this.#isDistributed = isDistributed;
  }

  async #send(statement: Sql): Promise<Result> {
    if (this.#isDistributed && !this.#isMarked && changesPlainTable(statement)) {
      this.#isMarked = true;
      const [, result] = await Promise.all([send(this.#client, twoPhaseMark, this.#names), send(this.#client, statement, this.#names)]);
      return result;
    }
    return send(this.#client, statement, this.#names);
  }

  end(why: Error): void {
    this.#ended ??= why;
  }

  async #perform<T>(work: () => Promise<T>): Promise<T> {
    if (this.#ended) throw this.#ended;
    if (this.failure !== undefined) throw translate(this.failure);
    this.inFlight++;
    try {
      return await work();
    } catch (error) {
      this.failure ??= error;
      throw translate(this.failure);
    } finally {
      this.inFlight--;
    }
  }

  protected override execute(statement: Sql): Promise<Result> {
    return this.#perform(async () => {
      const result = await this.#send(statement);
      const missed = missedGuard(statement, result);
      if (missed) throw missed;
      return result;
    });
  }

  override batch<const Statements extends readonly Sql[]>(statements: Statements): Promise<BatchRows<Statements>> {
    return this.#perform(() => (this.#isDistributed ? this.#sendApart(statements) : this.#sendTogether(statements))) as Promise<
      BatchRows<Statements>
    >;
  }

  async #sendTogether(statements: readonly Sql[]): Promise<Rows> {
    const { results, failure } = await sendPacket(
      this.#client,
      statements.map((statement) => stepOf(statement, this.#names)),
    );
    for (const [index, result] of results.entries()) {
      const missed = missedGuard(statements[index] as Sql, result);
      if (missed) throw missed;
    }
    if (failure !== undefined) throw failure;
    return statements.map((statement, index) => decodeRows(statement, (results[index] as Result).rows));
  }

  async #sendApart(statements: readonly Sql[]): Promise<Rows> {
    const outcomes = await Promise.allSettled(together(this.#client, () => statements.map((statement) => this.#send(statement))));
    const failure = firstFailure(statements, outcomes);
    if (failure !== undefined) throw failure;
    return rowsOf(statements, outcomes);
  }
}

/** Failures that leave nothing behind, so that the whole work may be done again. */
function undone(error: unknown): boolean {
  return lostTheRace(error) || stalePlan(error) || lostConnection(error);
}

/** One run of a transaction's work. Throws the driver's own error where the caller may try again, else what the work threw. */
export async function runTransaction<T>(
  client: PacketClient,
  names: StatementNames,
  begin: string,
  isDistributed: boolean,
  limitMs: number,
  work: (tx: Transaction) => Promise<T>,
): Promise<T> {
  // Not awaited: BEGIN travels with the first statement.
  const begun = client.query(`${begin}; set local statement_timeout = ${limitMs}`);
  begun.catch(() => undefined);
  const tx = new OpenTransaction(client, names, isDistributed);
  const expiry = Promise.withResolvers<never>();
  let expired = false;
  const timer = setTimeout(() => {
    expired = true;
    const tooSlow = new DatabaseUnavailable(`The transaction was open for more than ${limitMs} ms and was rolled back`);
    tx.end(tooSlow);
    expiry.reject(tooSlow);
  }, limitMs);
  try {
    const answer = await Promise.race([work(tx), expiry.promise]);
    tx.end(new Error('The transaction has ended; nothing more can be asked of it'));
    await begun;
    if (tx.failure !== undefined) throw translate(tx.failure);
    clearTimeout(timer);
    await commitOrThrow(client);
    return answer;
  } catch (error) {
    clearTimeout(timer);
    tx.end(new Error('The transaction has ended; nothing more can be asked of it'));
    // A statement that still runs would hold up the ROLLBACK; without its connection the server stops at the next chance.
    if (expired && tx.inFlight > 0) client.connection.stream.destroy();
    else await client.query('rollback').catch(() => undefined);
    throw undone(tx.failure) ? tx.failure : error;
  }
}
