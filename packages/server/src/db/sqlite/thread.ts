/** A database thread as the main thread sees it: requests go in, replies come out in the same order. */
import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { Opened } from './protocol.ts';

/** The thread ended before it answered; what became of the request is not known. */
export class ThreadDied extends Error {
  constructor(name: string, cause: unknown) {
    super(`The ${name} thread ended without an answer`, { cause });
    this.name = 'ThreadDied';
  }
}

interface Waiting {
  resolve(reply: unknown): void;
  reject(error: Error): void;
}

export class Thread<Request, Reply> {
  /** Resolves once the thread has opened its file, or failed to. */
  readonly opened: Promise<Opened>;
  readonly #name: string;
  readonly #worker: Worker;
  #waiting: Waiting[] = [];
  #death: ThreadDied | undefined;

  /** `name` is that of the file beside this one which the thread runs: TypeScript as it is, JavaScript once it is built. */
  constructor(name: 'writer' | 'reader' | 'checker', workerData: object) {
    this.#name = name;
    this.#worker = new Worker(new URL(`./${name}${extname(import.meta.url)}`, import.meta.url), {
      name: `sqlite-${name}`,
      workerData,
      // The flags of the process are about the main thread; some (--input-type) would keep this one from starting.
      execArgv: [],
      // Rows live briefly; a small nursery keeps an idle thread small.
      resourceLimits: { maxYoungGenerationSizeMb: 8 },
    });
    this.opened = this.#expect();
    this.#worker.on('message', (reply: unknown) => this.#waiting.shift()?.resolve(reply));
    this.#worker.on('messageerror', (error) => this.#waiting.shift()?.reject(error));
    let cause: unknown;
    this.#worker.on('error', (error) => {
      cause = error;
    });
    this.#worker.on('exit', () => this.#die(cause));
  }

  get dead(): boolean {
    return this.#death !== undefined;
  }

  /** Requests that are not answered yet. */
  get pending(): number {
    return this.#waiting.length;
  }

  call(request: Request): Promise<Reply> {
    if (this.#death) return Promise.reject(this.#death);
    this.#worker.postMessage(request);
    return this.#expect();
  }

  /** Ends the thread once its native call returns. */
  async stop(): Promise<void> {
    await this.#worker.terminate();
  }

  #expect<T>(): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      this.#waiting.push({ resolve: (reply) => resolve(reply as T), reject });
    });
  }

  #die(cause: unknown): void {
    this.#death = new ThreadDied(this.#name, cause);
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const { reject } of waiting) reject(this.#death);
  }
}
