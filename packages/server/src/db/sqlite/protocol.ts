/** What the main thread asks the database threads. Tuples, as they are cloned three times faster than objects. */

import type { Chain } from '../continuous-backup/chain.ts';
import type { CheckpointReply } from '../continuous-backup/checkpoints.ts';
import type { CutPlace } from '../continuous-backup/cutting.ts';
import type { CheckpointTask } from '../continuous-backup/protocol.ts';
import type { Param } from '../sql.ts';

/** A parameter as SQLite takes it: whole numbers as bigint. */
export type StoredParam = Exclude<Param, boolean> | bigint;

/** One statement. A guarded one that has no row fails, and its unit with it. Its parameters become stored ones in the thread. */
export type StatementCall = readonly [text: string, params: readonly (Param | bigint)[], guarded: boolean];

/** Statements that are kept together or not at all. */
export type Unit = readonly StatementCall[];

/** Units as `UnitEncoder` makes them. */
export type FlatUnits = readonly Param[];

/** `names` is empty where the statement returns no rows. */
export type CallResult = readonly [touched: number, names: readonly string[], rows: readonly (readonly unknown[])[]];

/** An error as plain data: what `Error` carries beyond its message does not survive the way between threads. */
export interface Failure {
  readonly message: string;
  /** SQLite's extended result code; 0 where the failure is not SQLite's. */
  readonly code: number;
  /** The text of the statement that failed, never its parameters. */
  readonly text?: string;
  /** The place in its unit of the statement that failed, where it is one of a unit. */
  readonly place?: number;
  /** The place in its unit of the guarded statement that had no row. */
  readonly unmet?: number;
  /** The statement was stopped at its time limit. */
  readonly late?: boolean;
}

export type Outcome = readonly CallResult[] | Failure;

/** How an interactive transaction ends. */
export type Ending = 'keep' | 'undo';

/** `undone`: why the interactive transaction that was to be kept was not. `broken`: why nothing of the whole group is kept. */
export type TurnReply = readonly [outcomes: readonly Outcome[], undone: Failure | undefined, broken: Failure | undefined];

/** A migration: a script, and statements that record it. */
export interface Script {
  readonly script: string;
  readonly record: Unit;
}

/** Scripts, pings and closing answer with why they failed, or nothing. */
export type WriterQuestions = {
  /**
   * A group is one or more turns: the first begins the SQLite transaction, the last commits it. The usual group is a single turn.
   * Within a turn: end the open interactive transaction, run units, open the next interactive transaction, commit.
   */
  turn: (ending: Ending | undefined, units: FlatUnits, open: boolean, commit: boolean) => TurnReply;
  /** Statements of the open interactive transaction. */
  step: (unit: FlatUnits) => Outcome;
  script: (script: Script) => Failure | undefined;
  /** For the continuous backup, between two transactions. */
  checkpoint: (task: CheckpointTask) => CheckpointReply | Failure;
  ping: () => Failure | undefined;
  close: (chain: Chain | undefined) => Failure | undefined;
};

export type ReaderQuestions = {
  read: (call: StatementCall) => Outcome;
  forget: () => void;
};

export type CheckerQuestions = {
  /** Thoroughly: with a look at each index, which takes several times as long. */
  check: (file: string, thoroughly: boolean) => CheckReply;
};

export interface CheckReply {
  /** What the check found; empty for a sound file. */
  readonly problems: readonly string[];
  readonly hasMigrations: boolean;
  readonly failure?: Failure;
}

export interface WriterData {
  readonly file: string;
  /** Where a continuous backup takes what is written. */
  readonly backup: CutPlace | undefined;
}

export interface ReaderData {
  readonly file: string;
  readonly limitMs: number;
}
