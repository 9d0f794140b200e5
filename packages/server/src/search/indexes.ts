/** The search indexes as the main thread sees them: questions to their threads, each of which starts with its first one. */
import { availableParallelism } from 'node:os';
import type { Transferable } from 'node:worker_threads';
import type { Log } from '../logging.ts';
import type { ArgumentsOf } from '../threads/protocol.ts';
import { RestartingThread } from '../threads/restarting-thread.ts';
import { moduleBeside } from '../threads/thread-file.ts';
import type { Answers, IndexQuestions, Request } from './protocol.ts';
import { ScopeMemory } from './scope-memory.ts';

const MEMORY_BYTES = 512 * 1024 * 1024;
/** Beside the indexes: what is being loaded, and the hits of searches under way. */
const HEAP_MB = 512;
/** As for the event loop: requests wait for it. */
const WARN_AFTER_MS = 200;
/** All scopes are lost with a thread, and loaded anew: it is given up only when it would not come back. */
const LIMIT_MS = 60_000;
/** Metrics are not held up by a thread that is. */
const GAUGES_WAIT_MS = 500;
/** Two at least: a large load takes one, and never all. */
const LEAST_THREADS = 2;
const MOST_THREADS = 4;

interface IndexThread {
  readonly thread: RestartingThread<IndexQuestions>;
  /** Of the thread that the memory's sums were counted with. */
  generation: number;
  lastGauges: Record<string, number>;
}

const NO_GAUGES = { scopes: 0, items: 0, bytes: 0 };

export interface IndexOptions {
  /** For all threads together. */
  readonly memoryBytes?: number | undefined;
  readonly threads?: number | undefined;
}

export class SearchIndexes {
  readonly #threads: readonly IndexThread[];
  readonly #memory: ScopeMemory;

  constructor(log: Log, { memoryBytes = MEMORY_BYTES, threads = defaultThreads() }: IndexOptions = {}) {
    this.#memory = new ScopeMemory(memoryBytes);
    this.#threads = Array.from({ length: threads }, (_, index) => ({
      thread: new RestartingThread({
        name: `search-indexes-${index + 1}`,
        file: moduleBeside(import.meta.url, 'index-thread'),
        log,
        warnAfterMs: WARN_AFTER_MS,
        limitMs: LIMIT_MS,
        heapMb: HEAP_MB + memoryBytes / 1024 / 1024,
        unref: true,
      }),
      generation: 0,
      lastGauges: NO_GAUGES,
    }));
  }

  /** Of the thread that a scope falls to: what was loaded into an earlier one is gone. */
  generationOf(scope: string): number {
    return this.#threadOf(scope).thread.generation;
  }

  /** Scopes whose names begin so make no room for others; one beginning at a time. */
  pin(beginning: string | undefined): void {
    this.#memory.pin(beginning);
  }

  async ask<Op extends Exclude<Request['op'], 'gauges'>>(
    request: Extract<Request, { op: Op }>,
    transferred: readonly Transferable[] = [],
  ): Promise<Answers[Op]> {
    const { op, scope } = request as { readonly op: Op; readonly scope: string };
    const found = this.#threadOf(scope);
    const args = [request] as ArgumentsOf<IndexQuestions, Op>;
    const answered = found.thread.askTransferring(transferred, op, ...args) as Promise<Answers[Op]>;
    if (op === 'drop') this.#memory.forget(scope);
    const answer = await answered;
    if (hasBytes(answer)) this.#makeRoom(scope, answer.bytes, found);
    return answer;
  }

  /** The last known ones, of a thread that does not answer at once. */
  async gauges(): Promise<Record<string, number>> {
    const asked = this.#threads.map(async (one) => {
      if (one.thread.isRunning) one.lastGauges = await one.thread.ask('gauges', { op: 'gauges' });
      else one.lastGauges = NO_GAUGES;
    });
    await Promise.race([Promise.allSettled(asked), new Promise((resolve) => setTimeout(resolve, GAUGES_WAIT_MS).unref())]);
    const sum = (name: string) => this.#threads.reduce((total, { lastGauges }) => total + (lastGauges[name] ?? 0), 0);
    const ofThreads = this.#threads.map(({ lastGauges }, index) => [`bytes_of_thread_${index + 1}`, lastGauges.bytes ?? 0] as const);
    return { scopes: sum('scopes'), items: sum('items'), bytes: sum('bytes'), ...Object.fromEntries(ofThreads) };
  }

  async close(): Promise<void> {
    await Promise.all(this.#threads.map(({ thread }) => thread.close()));
  }

  #makeRoom(scope: string, bytes: number, found: IndexThread): void {
    const { generation } = found.thread;
    if (generation !== found.generation) {
      found.generation = generation;
      this.#memory.forgetAll((name) => this.#threadOf(name) === found);
    }
    for (const name of this.#memory.note(scope, bytes)) {
      // A thread that ended dropped it already.
      this.ask<'drop'>({ op: 'drop', scope: name }).catch(() => undefined);
    }
  }

  /** By the beginning of its name, which stays the same over its loadings. */
  #threadOf(scope: string): IndexThread {
    return this.#threads[hashOf(scope.slice(0, scope.lastIndexOf('#'))) % this.#threads.length] as IndexThread;
  }
}

function defaultThreads(): number {
  return Math.min(MOST_THREADS, Math.max(LEAST_THREADS, availableParallelism()));
}

function hasBytes(answer: unknown): answer is { bytes: number } {
  return typeof answer === 'object' && answer !== null && 'bytes' in answer && typeof answer.bytes === 'number';
}

/** FNV-1a: the same scope falls to the same thread, for as long as there are as many. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return hash >>> 0;
}
