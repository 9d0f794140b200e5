/** What waits in the queue of writes. */
import type { CheckpointReply } from '../continuous-backup/checkpoints.ts';
import type { CheckpointTask } from '../continuous-backup/protocol.ts';
import type { Work } from './open-transaction.ts';
import type { Outcome, Script, Unit } from './protocol.ts';

interface Settled<T> {
  resolve(value: T): void;
  reject(error: unknown): void;
}

export interface UnitItem extends Settled<Outcome> {
  readonly kind: 'unit';
  readonly unit: Unit;
  readonly size: number;
}

export interface InteractiveItem extends Settled<unknown> {
  readonly kind: 'interactive';
  readonly work: Work;
}

export interface ScriptItem extends Settled<void> {
  readonly kind: 'script';
  readonly script: Script;
}

export interface CheckpointItem extends Settled<CheckpointReply> {
  readonly kind: 'checkpoint';
  readonly task: CheckpointTask;
}

export type Item = UnitItem | InteractiveItem | ScriptItem | CheckpointItem;
