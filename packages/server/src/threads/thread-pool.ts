/** Pure functions of a module, computed in threads: what grows with its input does not belong on the event loop. */
import { BoundedLaneQueue } from '../lanes/bounded-lane-queue.ts';
import { currentLane, currentOrigin, runInLane } from '../lanes/current-lane.ts';
import type { Log } from '../logging.ts';
import { ThreadEnded, ThreadsBusy } from './errors.ts';
import type { AnswerTo, ArgumentsOf, QuestionName } from './protocol.ts';
import { Thread } from './thread.ts';
import { moduleBeside } from './thread-file.ts';

const MAX_WAITING = 1_000;

export interface ThreadPoolOptions {
  /** In logs and metrics. */
  readonly name: string;
  /** The functions that it exports are called by their names; arguments and results are cloned. */
  readonly module: URL;
  readonly log?: Log | undefined;
  readonly maxThreads?: number | undefined;
  /** A call that computes for longer is given up; its thread is ended, and another takes its place. */
  readonly limitMs?: number | undefined;
  readonly warnAfterMs?: number | undefined;
  /** Calls that may wait, of all lanes and of one; more are refused. The lanes take turns. */
  readonly maxWaiting?: number | undefined;
  readonly maxWaitingOfLane?: number | undefined;
  /** A thread that had nothing to do for so long ends. */
  readonly idleMs?: number | undefined;
}

interface Call {
  readonly lane: string;
  readonly origin: string | undefined;
  readonly name: string;
  readonly args: readonly unknown[];
  readonly resolve: (answer: never) => void;
  readonly reject: (error: unknown) => void;
}

type AnyThread = Thread<Record<string, (...args: unknown[]) => unknown>>;

/** `new ThreadPool<typeof import('./chunking.ts')>(…)`. A thread has one call at a time, so that none fails with another. */
export class ThreadPool<Module> {
  readonly #options: ThreadPoolOptions;
  readonly #threads = new Set<AnyThread>();
  readonly #idle = new Map<AnyThread, NodeJS.Timeout>();
  readonly #waiting: BoundedLaneQueue<Call>;
  #closed = false;

  constructor(options: ThreadPoolOptions) {
    this.#options = options;
    const { maxWaiting = MAX_WAITING, maxWaitingOfLane = Math.ceil(maxWaiting / 4) } = options;
    this.#waiting = new BoundedLaneQueue({ maxItems: maxWaiting, maxItemsOfLane: maxWaitingOfLane });
  }

  get size(): number {
    return this.#threads.size;
  }

  run<Name extends QuestionName<Module>>(name: Name, ...args: ArgumentsOf<Module, Name>): Promise<AnswerTo<Module, Name>> {
    return new Promise((resolve, reject) => {
      if (this.#closed) throw new ThreadEnded(this.#options.name, 'closed');
      const lane = currentLane();
      const refused = this.#waiting.add(lane, { lane, origin: currentOrigin(), name, args, resolve, reject });
      for (const call of refused) call.reject(new ThreadsBusy(this.#options.name));
      this.#next();
    });
  }

  /** Refuses what waits, what is under way and what comes. */
  async close(): Promise<void> {
    this.#closed = true;
    for (const { reject } of this.#waiting.takeAll()) reject(new ThreadEnded(this.#options.name, 'closed'));
    await Promise.all([...this.#threads].map((thread) => this.#end(thread)));
  }

  #next(): void {
    while (this.#waiting.length > 0) {
      const thread = this.#takeIdle() ?? this.#startOne();
      if (!thread) return;
      void this.#run(thread, this.#waiting.take() as Call);
    }
  }

  #takeIdle(): AnyThread | undefined {
    for (const [thread, timer] of this.#idle) {
      clearTimeout(timer);
      this.#idle.delete(thread);
      if (!thread.isDead) return thread;
      this.#threads.delete(thread);
    }
    return undefined;
  }

  #startOne(): AnyThread | undefined {
    const { name, module, log, maxThreads = 1, limitMs = 30_000, warnAfterMs = 200 } = this.#options;
    if (this.#threads.size >= maxThreads) return undefined;
    const file = moduleBeside(import.meta.url, 'module-thread');
    const onDeath = (err: ThreadEnded) => log?.error({ err, thread: name }, 'A thread ended unexpectedly; the next call starts another');
    const thread: AnyThread = new Thread({ name, file, data: { module: module.href }, log, limitMs, warnAfterMs, unref: true, onDeath });
    this.#threads.add(thread);
    return thread;
  }

  async #run(thread: AnyThread, { lane, origin, name, args, resolve, reject }: Call): Promise<void> {
    try {
      resolve((await runInLane(lane, () => thread.ask(name, ...args), origin)) as never);
    } catch (error) {
      reject(error);
    }
    if (thread.isDead) this.#threads.delete(thread);
    else this.#idle.set(thread, setTimeout(() => void this.#end(thread), this.#options.idleMs ?? 60_000).unref());
    this.#next();
  }

  async #end(thread: AnyThread): Promise<void> {
    clearTimeout(this.#idle.get(thread));
    this.#idle.delete(thread);
    this.#threads.delete(thread);
    await thread.stop();
  }
}
