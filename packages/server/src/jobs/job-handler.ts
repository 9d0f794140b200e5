/** What does the work of a kind of jobs, and what it may throw. */
import type { Backoff } from './backoff.ts';
import type { Job } from './queue.ts';

export interface JobHandler {
  /**
   * Does the work. It may be done twice, after a crash or a lost lease, so twice must be as good as once. When the signal
   * is aborted, the job is someone else's or the process stops: leave by throwing, and it is done again later.
   */
  run(job: Job, signal: AbortSignal): Promise<void>;
  readonly maxAttempts: number;
  /** How long after a crash the job is taken up again. It is renewed while the handler runs, however long that takes. */
  readonly leaseMs: number;
  /** Jobs of this kind at a time in this process. */
  readonly concurrency?: number | undefined;
  readonly backoff?: Backoff | undefined;
  /** Runs by itself, this long after its last run, on one node at a time. */
  readonly everyMs?: number | undefined;
  /** Lets go of what it holds, once nothing of it runs any more. */
  readonly close?: (() => Promise<void>) | undefined;
}

/** `every(HOUR_MS, async () => …)`: a handler for what only has to happen now and then. */
export function every(everyMs: number, run: JobHandler['run']): JobHandler {
  return { everyMs, run, maxAttempts: 5, leaseMs: 60_000, concurrency: 1 };
}

/** Thrown by a handler whose work is no longer wanted: the job is done, and is not tried again. */
export class JobCancelled extends Error {
  constructor(message = 'The job is no longer wanted') {
    super(message);
    this.name = 'JobCancelled';
  }
}

/** Thrown by a handler that did a part of the work and kept it: other workspaces have their turn before it goes on. */
export class JobUnfinished extends Error {
  constructor(message = 'The job goes on at its next turn') {
    super(message);
    this.name = 'JobUnfinished';
  }
}

/** Why a job's signal is aborted. */
export class JobInterrupted extends Error {
  readonly why: 'stopping' | 'lease lost';
  constructor(why: 'stopping' | 'lease lost') {
    super(why === 'stopping' ? 'The process is stopping' : 'The lease of the job was lost');
    this.name = 'JobInterrupted';
    this.why = why;
  }
}
