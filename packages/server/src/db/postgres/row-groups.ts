/**
 * Batches that begin with a change of the same row wait for one another in the database. Here they wait before it, and those that have
 * come meanwhile go as one transaction: one packet and one commit for all of them, where each had its own.
 *
 * What goes wrong with one is its own: nothing of the transaction was kept then, and the others go again without it.
 */
import { currentLane, runInLane } from '../../lanes/current-lane.ts';
import { DatabaseUnavailable } from '../errors.ts';
import type { Sql } from '../sql.ts';

const MAX_UNITS = 100;
/** A large one goes alone, and holds the row for itself only. */
const MAX_GROUP_CHARACTERS = 1024 * 1024;
const MAX_WAITING = 10_000;
const MAX_WAITING_OF_ROW = 1_000;

export type Rows = unknown[][];

/** The statement that a transaction ended at; undefined where that was its commit. */
export interface Progress {
  failedAt: number | undefined;
}

/** One transaction. Undone where it throws, unless what it throws leaves that open. */
export type RunTransaction = (statements: readonly Sql[], progress: Progress) => Promise<Rows>;

interface Unit {
  readonly statements: readonly Sql[];
  readonly lane: string;
  resolve(rows: Rows): void;
  reject(error: unknown): void;
}

export class RowGroups {
  groupsTotal = 0;
  unitsTotal = 0;
  refusedTotal = 0;
  readonly #run: RunTransaction;
  /** What waits for each row that is being changed. */
  readonly #waiting = new Map<string, Unit[]>();
  #waitingTotal = 0;

  constructor(run: RunTransaction) {
    this.#run = run;
  }

  get waiting(): number {
    return this.#waitingTotal;
  }

  /** `row` says which, of which workspace. */
  add(row: string, statements: readonly Sql[]): Promise<Rows> {
    return new Promise((resolve, reject) => {
      const unit: Unit = { statements, lane: currentLane(), resolve, reject };
      const waiting = this.#waiting.get(row);
      if (!waiting) {
        this.#waiting.set(row, []);
        void this.#serve(row, unit);
      } else if (waiting.length >= MAX_WAITING_OF_ROW || this.#waitingTotal >= MAX_WAITING) {
        this.refusedTotal++;
        reject(new DatabaseUnavailable('Too many writes wait for the same row; try again shortly.'));
      } else {
        waiting.push(unit);
        this.#waitingTotal++;
      }
    });
  }

  async #serve(row: string, first: Unit): Promise<void> {
    for (let units = [first]; units.length > 0; units = this.#take(row)) {
      this.groupsTotal++;
      this.unitsTotal += units.length;
      await runInLane((units[0] as Unit).lane, () => this.#runGroup(units));
    }
    this.#waiting.delete(row);
  }

  #take(row: string): Unit[] {
    const waiting = this.#waiting.get(row) ?? [];
    let characters = 0;
    let count = 0;
    for (const { statements } of waiting) {
      characters += charactersOf(statements);
      if (count > 0 && (count >= MAX_UNITS || characters > MAX_GROUP_CHARACTERS)) break;
      count++;
    }
    this.#waitingTotal -= count;
    return waiting.splice(0, count);
  }

  /** Never throws: each of them learns its own outcome. */
  async #runGroup(units: readonly Unit[]): Promise<void> {
    const progress: Progress = { failedAt: undefined };
    try {
      const rows = await this.#run(
        units.flatMap(({ statements }) => statements),
        progress,
      );
      let next = 0;
      for (const { statements, resolve } of units) {
        resolve(rows.slice(next, next + statements.length));
        next += statements.length;
      }
    } catch (error) {
      // What may have been kept is not done again; and who could not have the row would wait for it once more.
      if (units.length === 1 || error instanceof DatabaseUnavailable) for (const { reject } of units) reject(error);
      else await this.#runWithout(unitAt(units, progress.failedAt), units, error);
    }
  }

  /** Those before the one that failed, itself, those after it. The first of all has failed by itself already. */
  async #runWithout(failed: number | undefined, units: readonly Unit[], error: unknown): Promise<void> {
    if (failed === undefined) {
      for (const unit of units) await this.#runGroup([unit]);
      return;
    }
    if (failed === 0) {
      units[0]?.reject(error);
    } else {
      await this.#runGroup(units.slice(0, failed));
      await this.#runGroup(units.slice(failed, failed + 1));
    }
    if (failed + 1 < units.length) await this.#runGroup(units.slice(failed + 1));
  }
}

function unitAt(units: readonly Unit[], statement: number | undefined): number | undefined {
  if (statement === undefined) return undefined;
  let last = -1;
  const index = units.findIndex(({ statements }) => {
    last += statements.length;
    return statement <= last;
  });
  return index < 0 ? undefined : index;
}

function charactersOf(statements: readonly Sql[]): number {
  let sum = 0;
  for (const { params } of statements)
    for (const param of params) sum += typeof param === 'string' ? param.length : param instanceof Uint8Array ? param.byteLength : 8;
  return sum;
}
