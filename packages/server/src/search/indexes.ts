/** The search indexes as the main thread sees them: questions to their thread, which starts with the first one. */
import { Worker } from 'node:worker_threads';
import type { Logger } from 'pino';
import type { Answered, Answers, Numbered, Request } from './protocol.ts';

const MEMORY_BYTES = 512 * 1024 * 1024;

interface Waiting {
  readonly resolve: (answer: unknown) => void;
  readonly reject: (error: Error) => void;
}

export class SearchIndexes {
  readonly #log: Logger;
  readonly #memoryBytes: number;
  readonly #waiting = new Map<number, Waiting>();
  #thread: Worker | undefined;
  #number = 0;
  /** Counts the threads: what was loaded into an earlier one is gone. */
  #generation = 0;

  constructor(log: Logger, memoryBytes = MEMORY_BYTES) {
    this.#log = log;
    this.#memoryBytes = memoryBytes;
  }

  get generation(): number {
    return this.#generation;
  }

  ask<Op extends Request['op']>(request: Extract<Request, { op: Op }>): Promise<Answers[Op]> {
    const thread = this.#started();
    return new Promise((resolve, reject) => {
      const number = ++this.#number;
      this.#waiting.set(number, { resolve: resolve as (answer: unknown) => void, reject });
      thread.postMessage({ number, request } satisfies Numbered);
    });
  }

  async gauges(): Promise<Record<string, number>> {
    return this.#thread ? this.ask<'gauges'>({ op: 'gauges' }) : { scopes: 0, items: 0, bytes: 0 };
  }

  async close(): Promise<void> {
    const thread = this.#thread;
    this.#thread = undefined;
    await thread?.terminate();
  }

  #started(): Worker {
    if (this.#thread) return this.#thread;
    const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js';
    const thread = new Worker(new URL(`./index-thread.${extension}`, import.meta.url), { workerData: { memoryBytes: this.#memoryBytes } });
    this.#generation++;
    this.#thread = thread;
    thread.unref();
    thread.on('message', ({ number, answer, failure }: Answered) => {
      const waiting = this.#waiting.get(number);
      this.#waiting.delete(number);
      if (failure === undefined) waiting?.resolve(answer);
      else waiting?.reject(new Error(`The search index failed: ${failure}`));
    });
    const ended = (reason: string) => {
      if (this.#thread === thread) this.#thread = undefined;
      for (const waiting of this.#waiting.values()) waiting.reject(new Error(`The thread of the search indexes ended: ${reason}`));
      this.#waiting.clear();
    };
    thread.on('error', (error: Error) => {
      this.#log.error({ err: error }, 'the thread of the search indexes failed; the next search starts another');
      ended(error.message);
    });
    thread.on('exit', (code) => ended(`exit code ${code}`));
    return thread;
  }
}
