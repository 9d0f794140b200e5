/** What is compared: something that stores texts, gives them back by id and finds them by meaning. */
import type { Measure } from '../measure.ts';
import type { Processes } from '../processes.ts';

/** The same for all. Few, since libraries in one process have no more to give. Batches are written by one. */
export const CALLERS = 8;
export const BATCH = 100;
/** How many are asked for by a search. */
export const HITS = 10;
/** How many texts searches go over. */
export const SIZES = [1_000, 10_000] as const;

/** `write`: one text; `batch`: a hundred; `read`: one by its id; `search`: those nearest to a question. */
export const operations = ['write', 'batch', 'read', 'search'] as const;
export type Operation = (typeof operations)[number];

export function callersOf(operation: Operation): number {
  return operation === 'batch' ? 1 : CALLERS;
}

/** Where a peer keeps its data, and what it may use. */
export interface Place {
  readonly folder: string;
  /** A PostgreSQL database of its own. */
  databaseUrl(): Promise<string>;
  /** The texts and questions, as a file and as they are. */
  readonly textsFile: string;
  readonly texts: Texts;
}

export interface Texts {
  readonly texts: readonly string[];
  readonly questions: readonly string[];
}

export interface RunningPeer {
  /** From the start of its first process until it took work; of stand-ins and databases not. */
  readonly startSeconds: number;
  /** With all that they have started. */
  readonly pids: readonly number[];
  /** Of stand-ins: their processor time counts, their memory does not. */
  readonly standInPids: readonly number[];
  /** Stores a batch where searches of this scope find it. */
  fill(scope: string, texts: readonly string[]): Promise<void>;
  /** Resolves when all that was stored can be found. */
  settle(): Promise<void>;
  measure(operation: Operation, scope: string, seconds: number): Promise<Measure>;
}

export interface Peer {
  readonly name: string;
  /** How it is run, in a sentence. */
  readonly madeOf: string;
  /** Why it is left out, where it is. */
  missing(): string | undefined;
  installedBytes(): Promise<number>;
  start(processes: Processes, place: Place): Promise<RunningPeer>;
}

/** Something known, and why it is not measured. */
export interface LeftOut {
  readonly name: string;
  readonly reason: string;
}
