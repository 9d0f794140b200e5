/** The writer thread: owns the one connection that writes, and commits what waits together in one transaction. */
import { serveThread } from '../../threads/serve.ts';
import type { Chain } from '../continuous-backup/chain.ts';
import { beginGeneration, type CheckpointReply, checkpoint, checkpointCut, closeCut, emptyLog } from '../continuous-backup/checkpoints.ts';
import type { CutPlace } from '../continuous-backup/cutting.ts';
import type { CheckpointTask } from '../continuous-backup/protocol.ts';
import { toStored } from './calls.ts';
import { allRows, MOST_PAGES_IN_LOG, openWriting, StatementCache } from './connection.ts';
import { toFailure } from './failures.ts';
import type {
  CallResult,
  Ending,
  Failure,
  Outcome,
  Script,
  StatementCall,
  StoredParam,
  TurnReply,
  Unit,
  WriterData,
  WriterQuestions,
} from './protocol.ts';
import { UnitDecoder } from './unit-encoding.ts';

class Writer {
  readonly #db;
  readonly #statements;
  readonly #backup: CutPlace | undefined;
  /** Why nothing of the current group can be kept. */
  #broken: Failure | undefined;
  /** Why the open interactive transaction can't be kept: as on PostgreSQL, one failed statement undoes it. */
  #doomed: Failure | undefined;

  constructor({ file, backup }: WriterData) {
    this.#db = openWriting(file, backup && MOST_PAGES_IN_LOG);
    this.#backup = backup;
    this.#statements = new StatementCache(this.#db);
  }

  turn(ending: Ending | undefined, units: readonly Unit[], open: boolean, commit: boolean): TurnReply {
    const isFirst = !this.#broken && !this.#db.isTransaction;
    if (isFirst) this.#control('begin immediate');
    const undone = ending && this.#end(ending);
    const outcomes = this.#runUnits(units, isFirst);
    if (open) {
      this.#doomed = undefined;
      this.#control('savepoint interactive');
    }
    if (commit) this.#control('commit');
    const broken = this.#broken;
    if (broken && commit) this.#rollBack();
    return [outcomes, undone, broken];
  }

  /** Nearly always all succeed. Where one fails and has left a trace, all are undone and run again, each to be undone by itself. */
  #runUnits(units: readonly Unit[], isFirst: boolean): Outcome[] {
    if (this.#broken || units.length === 0) return [];
    if (!isFirst) this.#control('savepoint units');
    const outcomes: Outcome[] = [];
    for (const unit of units) {
      const outcome = this.#runCalls(unit);
      outcomes.push(outcome);
      if (this.#noticeRollback(outcome)) return outcomes;
      if (!isFailure(outcome) || isWithoutTrace(outcome)) continue;
      if (isFirst) {
        this.#control('rollback');
        this.#control('begin immediate');
      } else this.#control('rollback to units');
      return this.#runApart(units);
    }
    if (!isFirst) this.#control('release units');
    return outcomes;
  }

  #runApart(units: readonly Unit[]): Outcome[] {
    const outcomes: Outcome[] = [];
    for (const unit of units) {
      if (this.#broken) break;
      this.#control('savepoint unit');
      const outcome = this.#runCalls(unit);
      outcomes.push(outcome);
      if (this.#noticeRollback(outcome)) break;
      if (isFailure(outcome)) this.#control('rollback to unit');
      this.#control('release unit');
    }
    return outcomes;
  }

  step(unit: Unit): Outcome {
    if (this.#broken) return this.#broken;
    if (this.#doomed) return { code: 0, message: `The transaction has already failed: ${this.#doomed.message}` };
    const outcome = this.#runCalls(unit);
    this.#noticeRollback(outcome);
    if (isFailure(outcome)) this.#doomed = outcome;
    return outcome;
  }

  /** Ends the interactive transaction; answers why, when it could not be kept. */
  #end(ending: Ending): Failure | undefined {
    const doomed = this.#doomed;
    this.#doomed = undefined;
    if (ending === 'undo' || doomed) this.#control('rollback to interactive');
    this.#control('release interactive');
    return ending === 'keep' ? doomed : undefined;
  }

  #runCalls(unit: Unit): Outcome {
    const results: CallResult[] = [];
    for (let index = 0; index < unit.length; index++) {
      const call = unit[index] as StatementCall;
      try {
        const result = this.#run(call);
        if (call[2] && result[0] === 0) {
          return { code: 0, message: 'The statement had no row', text: call[0], place: index, unmet: index };
        }
        results.push(result);
      } catch (error) {
        return { ...toFailure(error, call[0]), place: index };
      }
    }
    return results;
  }

  #run([text, params]: StatementCall): CallResult {
    const { statement, names } = this.#statements.prepare(text);
    const stored = params as readonly StoredParam[];
    if (names.length === 0) return [Number(statement.run(...stored).changes), names, []];
    const rows = allRows(statement, stored);
    return [rows.length, names, rows];
  }

  /** A full disk or a failing one can make SQLite roll back everything, the units before this one too. */
  #noticeRollback(outcome: Outcome): boolean {
    if (isFailure(outcome) && !this.#db.isTransaction) this.#broken ??= outcome;
    return this.#broken !== undefined;
  }

  #control(text: string): void {
    if (this.#broken) return;
    try {
      this.#statements.prepare(text).statement.run();
    } catch (error) {
      this.#broken = toFailure(error, text);
    }
  }

  #rollBack(): void {
    this.#broken = undefined;
    if (this.#db.isTransaction) this.#db.exec('rollback');
  }

  /**
   * With foreign keys enforced, rebuilding a table (create, copy, drop, rename) would delete the rows that point to it.
   * So they are off while the script runs, and all of them are checked before it is committed.
   */
  script({ script, record }: Script): Failure | undefined {
    try {
      this.#db.exec('pragma foreign_keys = off; begin exclusive');
      this.#db.exec(script);
      if (!this.#db.isTransaction) throw new Error('A migration script must not begin or end a transaction');
      for (const [text, params, guarded] of record) this.#run([text, toStored(params), guarded]);
      const orphan = this.#db.prepare('pragma foreign_key_check').get();
      if (orphan) throw new Error(`The script leaves rows of ${orphan.table} that point to no row of ${orphan.parent}`);
      this.#db.exec('commit');
      return undefined;
    } catch (error) {
      if (this.#db.isTransaction) this.#db.exec('rollback');
      return toFailure(error);
    } finally {
      this.#db.exec('pragma foreign_keys = on');
      this.#statements.forget();
    }
  }

  checkpoint(task: CheckpointTask): CheckpointReply | Failure {
    const place = this.#backup;
    try {
      if (task.kind === 'plain' || !place) {
        const { isComplete } = checkpoint(this.#db);
        const erases = task.kind !== 'begin' && task.erases === true;
        return { chain: undefined, isComplete, isErased: erases && isComplete && emptyLog(this.#db) };
      }
      if (task.kind === 'begin') return beginGeneration(this.#db, place, task.generation);
      return checkpointCut(this.#db, place, task.chain, Date.now, task.erases);
    } catch (error) {
      return toFailure(error);
    }
  }

  ping(): Failure | undefined {
    return attempt(() => this.#statements.prepare('select 1').statement.get());
  }

  close(chain: Chain | undefined): Failure | undefined {
    const place = this.#backup;
    return attempt(() => {
      this.#db.exec('pragma optimize');
      if (place && chain) closeCut(this.#db, place, chain, Date.now);
      else {
        this.#db.exec('pragma wal_checkpoint(truncate)');
        this.#db.close();
      }
    });
  }
}

/** A statement that fails leaves nothing by itself, and neither does one that has no row: what counts are those before it. */
function isWithoutTrace({ place }: Failure): boolean {
  return place === 0;
}

function isFailure(outcome: Outcome): outcome is Failure {
  return !Array.isArray(outcome);
}

function attempt(action: () => void): Failure | undefined {
  try {
    action();
    return undefined;
  } catch (error) {
    return toFailure(error);
  }
}

serveThread<WriterQuestions, WriterData>((data) => {
  const writer = new Writer(data);
  const decoder = new UnitDecoder();
  return {
    turn: (ending, units, open, commit) => writer.turn(ending, decoder.decode(units), open, commit),
    step: (units) => writer.step(decoder.decode(units)[0] as Unit),
    script: (script) => writer.script(script),
    checkpoint: (task) => writer.checkpoint(task),
    ping: () => writer.ping(),
    close: (chain) => writer.close(chain),
  };
});
