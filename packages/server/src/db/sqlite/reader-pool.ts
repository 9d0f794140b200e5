/** Scans on reader threads: a few of them, started when needed, replaced when a statement will not end. */

import { availableParallelism } from 'node:os';
import { BoundedLaneQueue } from '../../lanes/bounded-lane-queue.ts';
import { currentLane, currentOrigin, runInLane } from '../../lanes/current-lane.ts';
import type { Log } from '../../logging.ts';
import { FailedInThread, ThreadEnded, TimeLimitExceeded } from '../../threads/errors.ts';
import { Thread } from '../../threads/thread.ts';
import { DatabaseUnavailable } from '../errors.ts';
import { toError, toFailure } from './failures.ts';
import type { Outcome, ReaderData, ReaderQuestions, StatementCall } from './protocol.ts';
import { threadOptions } from './thread.ts';
import { isFailure } from './unit-queries.ts';

const MAX_WAITING = 10_000;
/** More than one caller with all that it may have in flight, at two reads each. */
const MAX_WAITING_OF_LANE = 1_000;
/** A reader stops itself at the limit where it can; this much later it is given up. */
const GRACE_MS = 100;
/** Threads that were given up and still compute; more would leave no processor for the service. */
const MAX_ABANDONED = 4;

type Reader = Thread<ReaderQuestions>;

interface Task {
  readonly lane: string;
  readonly origin: string | undefined;
  readonly call: StatementCall;
  readonly addedAt: number;
  resolve(outcome: Outcome): void;
  reject(error: unknown): void;
}

export interface ReaderPoolOptions {
  readonly file: string;
  readonly log: Log | undefined;
  readonly statementTimeoutMs: number;
  readonly maxReaders?: number | undefined;
}

export class ReaderPool {
  abandonedTotal = 0;
  readonly #options: ReaderPoolOptions;
  readonly #maxReaders: number;
  readonly #readers = new Set<Reader>();
  #idle: Reader[] = [];
  readonly #waiting = new BoundedLaneQueue<Task>({ maxItems: MAX_WAITING, maxItemsOfLane: MAX_WAITING_OF_LANE });
  #abandoned = 0;
  #closing = false;
  #onDrained: (() => void) | undefined;

  constructor(options: ReaderPoolOptions) {
    this.#options = options;
    this.#maxReaders = options.maxReaders ?? Math.max(1, Math.min(4, availableParallelism() - 1));
  }

  get size(): number {
    return this.#readers.size;
  }

  get busy(): number {
    return this.#readers.size - this.#idle.length;
  }

  get waiting(): number {
    return this.#waiting.length;
  }

  get lanesWaiting(): number {
    return this.#waiting.laneCount;
  }

  get refusedTotal(): number {
    return this.#waiting.refusedTotal;
  }

  read(call: StatementCall): Promise<Outcome> {
    return new Promise((resolve, reject) => {
      if (this.#closing) throw new DatabaseUnavailable('The database is closing.');
      const lane = currentLane();
      const refused = this.#waiting.add(lane, { lane, origin: currentOrigin(), call, addedAt: performance.now(), resolve, reject });
      for (const task of refused) task.reject(new DatabaseUnavailable('Too many reads are waiting; try again shortly.'));
      this.#next();
    });
  }

  /** After a change of the schema. */
  async forget(): Promise<void> {
    await Promise.allSettled([...this.#readers].map((reader) => reader.ask('forget')));
  }

  async close(): Promise<void> {
    this.#closing = true;
    if (this.busy > 0 || this.#waiting.length > 0) {
      await new Promise<void>((resolve) => {
        this.#onDrained = resolve;
      });
    }
    await Promise.all([...this.#readers].map((reader) => reader.stop()));
    this.#readers.clear();
    this.#idle = [];
    if (this.#abandoned > 0) {
      this.#options.log?.warn({ threads: this.#abandoned }, 'Statements that were given up still run; the process ends when they do');
    }
  }

  #next(): void {
    const task = this.#waiting.peek();
    if (!task) {
      if (this.busy === 0) this.#onDrained?.();
      return;
    }
    if (performance.now() - task.addedAt > this.#options.statementTimeoutMs) {
      this.#waiting.take();
      task.reject(new DatabaseUnavailable('The statement waited too long for a free reader; try again shortly.'));
      this.#next();
      return;
    }
    const reader = this.#takeIdle() ?? this.#startOne();
    if (!reader) return;
    this.#waiting.take();
    void this.#run(reader, task);
  }

  #takeIdle(): Reader | undefined {
    for (let reader = this.#idle.pop(); reader; reader = this.#idle.pop()) {
      if (!reader.isDead) return reader;
      this.#readers.delete(reader);
    }
    return undefined;
  }

  #startOne(): Reader | undefined {
    if (this.#readers.size >= this.#maxReaders) return undefined;
    if (this.#abandoned >= MAX_ABANDONED) {
      const refusal = new DatabaseUnavailable('Statements that were given up still occupy the processor; try again later.', {
        retryAfterSeconds: 30,
      });
      if (this.#readers.size === 0) for (const task of this.#waiting.takeAll()) task.reject(refusal);
      return undefined;
    }
    const { file, log, statementTimeoutMs: limitMs } = this.#options;
    const data: ReaderData = { file, limitMs };
    const reader: Reader = new Thread({ ...threadOptions('reader', data, log), limitMs: limitMs + GRACE_MS });
    this.#readers.add(reader);
    return reader;
  }

  async #run(reader: Reader, task: Task): Promise<void> {
    try {
      const outcome = await runInLane(task.lane, () => reader.ask('read', task.call), task.origin);
      this.#idle.push(reader);
      if (isFailure(outcome) && outcome.late) task.reject(tooLong(this.#options.statementTimeoutMs));
      else task.resolve(outcome);
    } catch (error) {
      this.#abandon(reader, task);
      task.reject(this.#toRefusal(error));
    } finally {
      this.#next();
    }
  }

  #toRefusal(error: unknown): unknown {
    if (error instanceof TimeLimitExceeded) return tooLong(this.#options.statementTimeoutMs);
    if (error instanceof FailedInThread) return toError(toFailure(error), this.#options.file);
    if (error instanceof ThreadEnded) return new DatabaseUnavailable('The reader thread ended unexpectedly; try again.', { cause: error });
    return error;
  }

  #abandon(reader: Reader, task: Task): void {
    this.#readers.delete(reader);
    this.abandonedTotal++;
    this.#options.log?.warn({ statement: task.call[0] }, 'A reader thread did not answer and was given up');
    this.#abandoned++;
    void reader.stop().finally(() => {
      this.#abandoned--;
      this.#next();
    });
  }
}

function tooLong(limitMs: number): DatabaseUnavailable {
  return new DatabaseUnavailable(`The statement took longer than ${limitMs / 1000} s and was given up.`);
}
