/** The ways of asking, where each goes to the writer as a unit of statements: of the root for writes, of a transaction for everything. */
import type { BatchRows, Queryable } from '../database.ts';
import type { Sql } from '../sql.ts';
import { toCall, toRows } from './calls.ts';
import { toError } from './failures.ts';
import type { CallResult, Failure, Outcome, Unit } from './protocol.ts';

export abstract class UnitQueries implements Queryable {
  readonly engine = 'sqlite';
  protected readonly file: string;

  constructor(file: string) {
    this.file = file;
  }

  protected abstract submit(unit: Unit): Promise<Outcome>;

  async query<Row>(statement: Sql<Row>): Promise<Row[]> {
    return toRows(statement, await this.#runOne(statement));
  }

  async one<Row>(statement: Sql<Row>): Promise<Row> {
    return onlyRow(statement, toRows(statement, await this.#runOne(statement))[0]);
  }

  async maybeOne<Row>(statement: Sql<Row>): Promise<Row | undefined> {
    return toRows(statement, await this.#runOne(statement))[0];
  }

  async run(statement: Sql): Promise<number> {
    return (await this.#runOne(statement))[0];
  }

  async batch<const Statements extends readonly Sql[]>(statements: Statements): Promise<BatchRows<Statements>> {
    const results = statements.length === 0 ? [] : await this.#run(statements);
    return statements.map((statement, index) => toRows(statement, results[index] as CallResult)) as BatchRows<Statements>;
  }

  async #runOne(statement: Sql): Promise<CallResult> {
    return (await this.#run([statement]))[0] as CallResult;
  }

  async #run(statements: readonly Sql[]): Promise<readonly CallResult[]> {
    const outcome = await this.submit(statements.map(toCall));
    if (isFailure(outcome)) throw this.failed(statements, outcome);
    return outcome;
  }

  protected failed(statements: readonly Sql[], failure: Failure): Error {
    const guard = failure.unmet === undefined ? undefined : statements[failure.unmet]?.guard;
    return guard ? guard() : toError(failure, this.file);
  }
}

export function onlyRow<Row>(statement: Sql<Row>, row: Row | undefined): Row {
  if (row !== undefined) return row;
  throw statement.guard ? statement.guard() : new Error(`A statement that always has a row had none: ${statement.text('sqlite')}`);
}

export function isFailure(outcome: Outcome): outcome is Failure {
  return !Array.isArray(outcome);
}
