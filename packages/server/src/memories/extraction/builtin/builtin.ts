/** The extractor that is always there: rules over a language library, in a thread that starts with the first message. */
import { Worker } from 'node:worker_threads';
import type { Logger } from 'pino';
import type { Extraction, Extractor, KnownMemory, SourceMessage } from '../extractor.ts';
import type { Answered, Asked } from './thread.ts';

export const BUILTIN_NAME = 'builtin-1';

/** For one call; a message that takes longer is given up with its thread. */
const TIME_LIMIT_MS = 30_000;
/** Then the thread gives its memory back. */
const IDLE_MS = 5 * 60_000;

interface Waiting {
  readonly resolve: (extraction: Extraction) => void;
  readonly reject: (error: Error) => void;
}

export class BuiltinExtractor implements Extractor {
  readonly name = BUILTIN_NAME;
  readonly #log: Logger;
  readonly #timeLimitMs: number;
  readonly #waiting = new Map<number, Waiting>();
  #thread: Worker | undefined;
  #number = 0;
  #idle: NodeJS.Timeout | undefined;

  constructor(log: Logger, timeLimitMs = TIME_LIMIT_MS) {
    this.#log = log;
    this.#timeLimitMs = timeLimitMs;
  }

  async extract(messages: readonly SourceMessage[], known: readonly KnownMemory[], signal: AbortSignal): Promise<Extraction> {
    signal.throwIfAborted();
    if (messages.length === 0) return { memories: [], withdrawn: [], secrets: 0 };
    const thread = this.#started();
    const number = ++this.#number;
    const { promise, resolve, reject } = Promise.withResolvers<Extraction>();
    this.#waiting.set(number, { resolve, reject });
    const late = setTimeout(() => this.#end(thread, `no answer within ${this.#timeLimitMs / 1000} s`), this.#timeLimitMs).unref();
    thread.postMessage({ number, messages, known } satisfies Asked);
    try {
      return await promise;
    } finally {
      clearTimeout(late);
      this.#restLater(thread);
    }
  }

  async close(): Promise<void> {
    clearTimeout(this.#idle);
    const thread = this.#thread;
    this.#thread = undefined;
    await thread?.terminate();
  }

  #started(): Worker {
    clearTimeout(this.#idle);
    if (this.#thread) return this.#thread;
    const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js';
    const thread = new Worker(new URL(`./thread.${extension}`, import.meta.url));
    thread.unref();
    this.#thread = thread;
    thread.on('message', ({ number, extraction, failure }: Answered) => {
      const waiting = this.#waiting.get(number);
      this.#waiting.delete(number);
      if (extraction) waiting?.resolve(extraction);
      else waiting?.reject(new Error(`The built-in extractor failed: ${failure}`));
    });
    thread.on('error', (error: Error) => {
      this.#log.error({ err: error }, 'the thread of the built-in extractor failed; the next message starts another');
      this.#end(thread, error.message);
    });
    thread.on('exit', () => this.#end(thread, 'it ended'));
    return thread;
  }

  #end(thread: Worker, reason: string): void {
    if (this.#thread !== thread) return;
    this.#thread = undefined;
    void thread.terminate();
    for (const { reject } of this.#waiting.values()) reject(new Error(`The thread of the built-in extractor was lost: ${reason}`));
    this.#waiting.clear();
  }

  #restLater(thread: Worker): void {
    clearTimeout(this.#idle);
    if (this.#waiting.size > 0) return;
    this.#idle = setTimeout(() => {
      if (this.#thread === thread && this.#waiting.size === 0) void this.close();
    }, IDLE_MS).unref();
  }
}
