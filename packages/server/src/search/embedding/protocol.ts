/** What the main thread and an embedding thread say to each other. */
import type { Priority } from './embedder.ts';
import type { GuardCells } from './native-guard.ts';

export interface WorkerData {
  /** Absent: that of the package. */
  readonly modelDir: string | undefined;
  readonly guard: GuardCells;
}

/** The first message of a thread: empty once it can work. */
export interface Opened {
  readonly failure?: string;
}

export interface Group {
  readonly id: number;
  readonly priority: Priority;
  readonly texts: readonly string[];
}

/** To end after the text under way. */
export const STOP = 'stop';

export type Request = Group | typeof STOP;

/** The vectors of a group one after the other, in the order of its texts; or why there are none. */
export type GroupReply = { readonly id: number; readonly vectors: Float32Array } | { readonly id: number; readonly failure: string };
