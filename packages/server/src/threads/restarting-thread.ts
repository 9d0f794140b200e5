/** One thread at a time: it starts with the first question, and another takes its place when it dies. */
import type { Transferable } from 'node:worker_threads';
import { ThreadEnded, ThreadKeepsEnding } from './errors.ts';
import type { AnswerTo, ArgumentsOf, QuestionName } from './protocol.ts';
import { Thread, type ThreadOptions } from './thread.ts';

const MAX_RESTARTS = 5;
const RESTARTS_WITHIN_MS = 60_000;

export class RestartingThread<Questions> {
  restartsTotal = 0;
  /** Counts the threads: what an earlier one held is gone. */
  generation = 0;
  readonly #options: ThreadOptions;
  #thread: Thread<Questions> | undefined;
  #restartedAtMs: number[] = [];
  #closed = false;

  constructor(options: ThreadOptions) {
    this.#options = options;
  }

  get isRunning(): boolean {
    return this.#thread?.isDead === false;
  }

  async ask<Name extends QuestionName<Questions>>(name: Name, ...args: ArgumentsOf<Questions, Name>): Promise<AnswerTo<Questions, Name>> {
    return this.#live().ask(name, ...args);
  }

  /** As `ask`, with buffers among the arguments that are handed over and not copied. */
  async askTransferring<Name extends QuestionName<Questions>>(
    list: readonly Transferable[],
    name: Name,
    ...args: ArgumentsOf<Questions, Name>
  ): Promise<AnswerTo<Questions, Name>> {
    return this.#live().askTransferring(list, name, ...args);
  }

  /** The thread itself, open, for questions that belong together. */
  async open(): Promise<Thread<Questions>> {
    const thread = this.#live();
    await thread.opened;
    return thread;
  }

  /** Refuses what waits and what comes. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.#thread?.stop();
  }

  #live(): Thread<Questions> {
    if (this.#closed) throw new ThreadEnded(this.#options.name, 'closed');
    if (this.#thread && !this.#thread.isDead) return this.#thread;
    if (this.#thread) this.#countRestart(this.#thread);
    this.generation++;
    const { name, log } = this.#options;
    this.#thread = new Thread({
      ...this.#options,
      onDeath: (error) => log?.error({ err: error, thread: name }, 'A thread ended unexpectedly; the next question starts another'),
    });
    return this.#thread;
  }

  #countRestart({ openingFailure }: Thread<Questions>): void {
    const nowMs = performance.now();
    this.#restartedAtMs = this.#restartedAtMs.filter((ms) => nowMs - ms < RESTARTS_WITHIN_MS);
    if (this.#restartedAtMs.length >= MAX_RESTARTS) throw openingFailure ?? new ThreadKeepsEnding(this.#options.name);
    this.#restartedAtMs.push(nowMs);
    if (!openingFailure) this.restartsTotal++;
  }
}
