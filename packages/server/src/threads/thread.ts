/** A thread as the main thread sees it: questions go in, answers come out, until it ends. */
import { type Transferable, Worker } from 'node:worker_threads';
import { currentOrigin } from '../lanes/current-lane.ts';
import type { Log } from '../logging.ts';
import { watchDelay } from './delays.ts';
import { FailedInThread, ThreadEnded, TimeLimitExceeded } from './errors.ts';
import { newHoldCells, OPENING, readHold } from './hold.ts';
import {
  type AnswerTo,
  type ArgumentsOf,
  NOTICE,
  type NoticeFromThread,
  type NoticeToThread,
  nextNumber,
  type QuestionName,
  type Reply,
  type StartData,
} from './protocol.ts';

/** A model is loaded in a second or two; a busy machine takes many times as long. */
const OPENING_LIMIT_MS = 120_000;

/** The nursery of a heap. Little lives long in a thread, and a small one keeps an idle thread small. */
const YOUNG_GENERATION_MB = 8;
/** Garbage is collected the sooner, the less a heap may hold. */
const HEAP_MB = 512;

export interface ThreadOptions {
  /** In logs and metrics; threads that do the same share it. */
  readonly name: string;
  /** A module that calls `serveThread`. */
  readonly file: URL;
  readonly data?: unknown;
  readonly log?: Log | undefined;
  /** A question that holds the thread for longer is logged by its name, and by the route or job that asked it. */
  readonly warnAfterMs: number;
  /** A question that holds the thread for longer is given up, and the thread with it. Waiting does not count. */
  readonly limitMs?: number | undefined;
  /** How long it may take to open. */
  readonly openingLimitMs?: number | undefined;
  /** Lets the process end while the thread runs. */
  readonly unref?: boolean | undefined;
  /** For native code that aborts the process when its thread is terminated: the thread is asked to end, and waited for. */
  readonly endsItself?: boolean | undefined;
  /** What its heap may hold beside buffers. A thread that needs more ends, and what it was asked fails. */
  readonly heapMb?: number | undefined;
  /** Called when it ended without having been stopped. */
  readonly onDeath?: ((error: ThreadEnded) => void) | undefined;
}

interface Waiting {
  readonly name: string;
  readonly origin: string | undefined;
  readonly resolve: (answer: never) => void;
  readonly reject: (error: unknown) => void;
}

export class Thread<Questions> {
  /** Rejects with what the thread threw when it opened, or `ThreadEnded`. */
  readonly opened: Promise<void>;
  readonly exited: Promise<void>;
  readonly #options: ThreadOptions;
  readonly #worker: Worker;
  readonly #cells = newHoldCells();
  readonly #opening = Promise.withResolvers<void>();
  readonly #exiting = Promise.withResolvers<void>();
  readonly #waiting = new Map<number, Waiting>();
  #lastNumber = 0;
  /** Why no question is taken any more. */
  #end: FailedInThread | ThreadEnded | undefined;
  #checking: NodeJS.Timeout | undefined;
  #warnedOf = 0;

  constructor(options: ThreadOptions) {
    this.#options = options;
    const { name, file, data, heapMb = HEAP_MB } = options;
    this.exited = this.#exiting.promise;
    this.opened = this.#opening.promise;
    // Whoever waits for it hears of it.
    this.opened.catch(() => {});
    this.#worker = new Worker(file, {
      name,
      workerData: { cells: this.#cells, data } satisfies StartData,
      // The flags of the process are about the main thread; some (--input-type) would keep this one from starting.
      execArgv: [],
      resourceLimits: { maxYoungGenerationSizeMb: YOUNG_GENERATION_MB, maxOldGenerationSizeMb: heapMb },
    });
    if (options.unref) this.#worker.unref();
    const unwatch = watchDelay(name, this.#cells);
    this.#worker.on('message', (message: Reply | NoticeFromThread) => this.#receive(message));
    this.#worker.on('messageerror', () => this.#post([NOTICE, 'unanswered']));
    let cause: unknown;
    this.#worker.on('error', (error) => {
      cause = error;
    });
    this.#worker.on('exit', (code) => {
      unwatch();
      this.#exit(cause ?? new Error(`exit code ${code}`));
    });
  }

  /** It takes no more questions. */
  get isDead(): boolean {
    return this.#end !== undefined;
  }

  /** Why it could not be opened, which another try would hardly change. */
  get openingFailure(): FailedInThread | undefined {
    return this.#end instanceof FailedInThread ? this.#end : undefined;
  }

  ask<Name extends QuestionName<Questions>>(name: Name, ...args: ArgumentsOf<Questions, Name>): Promise<AnswerTo<Questions, Name>> {
    return this.#send(name, args);
  }

  /** As `ask`, with buffers among the arguments that are handed over and not copied. */
  askTransferring<Name extends QuestionName<Questions>>(
    list: readonly Transferable[],
    name: Name,
    ...args: ArgumentsOf<Questions, Name>
  ): Promise<AnswerTo<Questions, Name>> {
    return this.#send(name, args, list);
  }

  /** Refuses what waits, and resolves once the thread has ended: at once, or once its native call returns. */
  async stop(): Promise<void> {
    this.#refuseAll(new ThreadEnded(this.#options.name, 'stopped'));
    if (this.#options.endsItself) this.#post([NOTICE, 'stop']);
    else void this.#worker.terminate();
    await this.exited;
  }

  #send<Answer>(name: string, args: readonly unknown[], list?: readonly Transferable[]): Promise<Answer> {
    return new Promise((resolve, reject) => {
      if (this.#end) throw this.#end;
      const number = nextNumber(this.#lastNumber);
      // Throws, and so fails this question alone, where an argument can't be cloned.
      this.#worker.postMessage([number, name, ...args], list);
      this.#lastNumber = number;
      this.#waiting.set(number, { name, origin: currentOrigin(), resolve, reject });
      if (!this.#checking) this.#checkAfter(0);
    });
  }

  #receive(message: Reply | NoticeFromThread): void {
    if (message[0] === NOTICE) {
      this.#notice(message as NoticeFromThread);
      return;
    }
    const [number, answer, failure] = message as Reply;
    const waiting = this.#waiting.get(number);
    this.#waiting.delete(number);
    if (failure) waiting?.reject(new FailedInThread(this.#options.name, failure));
    else waiting?.resolve(answer as never);
  }

  #notice(notice: NoticeFromThread): void {
    switch (notice[1]) {
      case 'opened':
        this.#opening.resolve();
        return;
      case 'failed':
        this.#refuseAll(new FailedInThread(this.#options.name, notice[2]));
        return;
      case 'unanswered':
        this.#refuseUnreadable(notice[2], new Set(notice[3]));
    }
  }

  /** What the thread has answered and no answer was seen of: one that could not be read. */
  #refuseUnreadable(upTo: number, unanswered: ReadonlySet<number>): void {
    for (const [number, { reject }] of this.#waiting) {
      if (number > upTo || unanswered.has(number)) continue;
      this.#waiting.delete(number);
      reject(new FailedInThread(this.#options.name, ['The answer could not be read', '', {}]));
    }
  }

  #exit(cause: unknown): void {
    const wasEnded = this.isDead;
    const error = new ThreadEnded(this.#options.name, cause);
    this.#refuseAll(error);
    this.#exiting.resolve();
    // Its last messages come in the same turn as its end: whoever waits for an answer hears of that first.
    if (!wasEnded) queueMicrotask(() => this.#options.onDeath?.(error));
  }

  #refuseAll(error: FailedInThread | ThreadEnded): void {
    this.#end ??= error;
    this.#opening.reject(error);
    clearTimeout(this.#checking);
    const waiting = [...this.#waiting.values()];
    this.#waiting.clear();
    for (const { reject } of waiting) reject(error);
  }

  #post(notice: NoticeToThread): void {
    this.#worker.postMessage(notice);
  }

  /** One timer for as long as questions come, and not one for each of them: at the next bound that the question under way may pass. */
  #checkAfter(heldMs: number, mostMs = this.#options.limitMs ?? Number.POSITIVE_INFINITY): void {
    const { warnAfterMs } = this.#options;
    const nextMs = Math.min(heldMs < warnAfterMs ? warnAfterMs : heldMs + warnAfterMs, mostMs);
    this.#checking = setTimeout(() => this.#check(), nextMs - heldMs).unref();
  }

  #check(): void {
    this.#checking = undefined;
    if (this.#waiting.size === 0) return;
    const { name: thread, warnAfterMs, limitMs = Number.POSITIVE_INFINITY, log } = this.#options;
    const { number, heldMs } = readHold(this.#cells);
    const { name, origin } = this.#waiting.get(number) ?? { name: number === OPENING ? 'opening' : undefined, origin: undefined };
    if (name === undefined) {
      this.#checkAfter(0);
      return;
    }
    if (heldMs >= warnAfterMs && this.#warnedOf !== number && number !== OPENING) {
      this.#warnedOf = number;
      log?.warn({ thread, question: name, ...(origin && { origin }), heldMs }, 'A question holds its thread for long');
    }
    const mostMs = number === OPENING ? (this.#options.openingLimitMs ?? OPENING_LIMIT_MS) : limitMs;
    if (heldMs >= mostMs) this.#giveUp(number, new TimeLimitExceeded(thread, name, mostMs));
    else this.#checkAfter(heldMs, mostMs);
  }

  #giveUp(number: number, error: TimeLimitExceeded): void {
    this.#options.log?.warn({ thread: error.thread, question: error.question }, 'A question took too long, and its thread is ended');
    const waiting = this.#waiting.get(number);
    this.#waiting.delete(number);
    waiting?.reject(error);
    void this.stop();
  }
}
