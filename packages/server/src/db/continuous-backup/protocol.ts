/** What the main thread asks the thread of the backup. */
import type { Chain } from './chain.ts';
import type { CheckpointReply } from './checkpoints.ts';
import type { TargetOptions } from './target.ts';

export interface BackupOptions extends TargetOptions {
  readonly intervalMs: number;
  readonly snapshotMs: number;
  readonly retentionMs: number;
  /** What may wait beside the database while the target is away. */
  readonly spoolBytes: number;
  /** How long closing waits for the target; what is left waits in the data folder for the next start. */
  readonly finishMs?: number;
}

export interface ShipperData {
  readonly options: BackupOptions;
  readonly dataDir: string;
  readonly databaseFile: string;
  /** Opened by the main thread and closed after every connection: closing it any earlier would drop SQLite's locks. */
  readonly database: number;
}

/** What the writer is to do next. `erases`: the log is emptied too, so that nothing that was deleted is left in it. */
export type CheckpointTask =
  | { readonly kind: 'begin'; readonly generation: string }
  | { readonly kind: 'cut'; readonly chain: Chain; readonly erases?: true }
  /** Nothing is cut, and the log is kept small all the same. */
  | { readonly kind: 'plain'; readonly erases?: true };

export interface BackupEvent {
  readonly level: 'info' | 'warn' | 'error';
  readonly message: string;
  readonly fields: Readonly<Record<string, string | number>>;
}

export interface CutReport {
  readonly chain: Chain | undefined;
  readonly task: CheckpointTask | undefined;
  /** For the log. */
  readonly events: readonly BackupEvent[];
  readonly gauges: Readonly<Record<string, number>>;
}

export type ShipperQuestions = {
  /** What was committed since the last time. Where it is not due, only a log that has grown large is cut. */
  cut: (isDue: boolean, erases?: boolean) => CutReport;
  /** The task is done. */
  adopt: (task: CheckpointTask, reply: CheckpointReply) => void;
  /** Sends what waits, for so long at most; nothing follows it. Answers what still waits. */
  finish: (limitMs: number) => Promise<{ readonly waitingSegments: number; readonly events: readonly BackupEvent[] }>;
};
