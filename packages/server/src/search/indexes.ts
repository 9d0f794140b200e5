/** The search indexes as the main thread sees them: questions to their threads, each of which starts with its first one. */
import { availableParallelism } from 'node:os';
import type { Transferable } from 'node:worker_threads';
import type { Log } from '../logging.ts';
import type { ArgumentsOf } from '../threads/protocol.ts';
import { RestartingThread } from '../threads/restarting-thread.ts';
import { moduleBeside } from '../threads/thread-file.ts';
import { Descriptions } from './descriptions.ts';
import type { Answers, Description, IndexQuestions, Request, ScopeSize } from './protocol.ts';
import { ScopeMemory } from './scope-memory.ts';
import { PAGE_ITEMS } from './scope-source.ts';
import { MOST_ITEMS } from './segments/segment.ts';

const MEMORY_BYTES = 512 * 1024 * 1024;
/** Beside the indexes: what is being loaded, and the hits of searches under way. */
const HEAP_MB = 512;
/** As for the event loop: requests wait for it. */
const WARN_AFTER_MS = 200;
/** All scopes are lost with a thread, and loaded anew: it is given up only when it would not come back. */
const LIMIT_MS = 60_000;
/** Metrics are not held up by a thread that is. */
const GAUGES_WAIT_MS = 500;
/** Two at least: a load takes one, and never all. */
const LEAST_THREADS = 2;
const MOST_THREADS = 4;
/** Beside so many threads there is one for scopes whose searches take long: nobody else waits for them. */
const THREADS_OF_LARGE = 2;
/** How the last part of a large scope's name begins. */
const LARGE = 'large-';

/** A name of a scope that begins so; where it is `isLarge`, it falls to another thread. */
export function scopeName(beginning: string, number: number, isLarge: boolean): string {
  return `${beginning}#${isLarge ? LARGE : ''}${number}`;
}

/** Whether it falls to a thread for large scopes. */
export function isLargeScope(name: string): boolean {
  return name.startsWith(LARGE, name.lastIndexOf('#') + 1);
}

interface IndexThread {
  readonly thread: RestartingThread<IndexQuestions>;
  /** Of the thread that the memory's sums were counted with. */
  generation: number;
  lastGauges: Record<string, number>;
}

const NO_GAUGES = { scopes: 0, pagedScopes: 0, items: 0, bytes: 0 };

export interface IndexOptions {
  /** For all threads together. */
  readonly memoryBytes?: number | undefined;
  readonly threads?: number | undefined;
  /** What one scope may take before its words and vectors are left at rest; half of the memory unless it is given. */
  readonly scopeBytes?: number | undefined;
  /** Items that come to a scope at rest before they are left at rest too. */
  readonly tailItems?: number | undefined;
}

/** Of one scope: what it may take whole, and what may come to it in memory where the rest is at rest. */
export interface ScopeLimits {
  readonly scopeBytes: number;
  readonly tailBytes: number;
  readonly tailItems: number;
}

const SCOPE_SHARE = 0.5;
const SHARE_LOADED_AHEAD = 0.5;
/** Most often enough for a segment of full size: a search of what is at rest looks into each of them. */
const TAIL_SHARE = 0.75;
/** One segment's, with the pages that are under way when it is looked at. */
const TAIL_ITEMS = MOST_ITEMS - 3 * PAGE_ITEMS;

export class SearchIndexes {
  readonly #threads: readonly IndexThread[];
  /** How many of them are for scopes that are not large. */
  readonly #ordinary: number;
  readonly #memory: ScopeMemory;
  readonly #memoryBytes: number;
  readonly #descriptions = new Descriptions();
  readonly limits: ScopeLimits;
  #prestarts = false;

  constructor(log: Log, options: IndexOptions = {}) {
    const { memoryBytes = MEMORY_BYTES, threads = defaultThreads(), tailItems = TAIL_ITEMS } = options;
    const { scopeBytes = memoryBytes * SCOPE_SHARE } = options;
    this.limits = { scopeBytes, tailBytes: scopeBytes * TAIL_SHARE, tailItems };
    this.#memory = new ScopeMemory(memoryBytes);
    this.#memoryBytes = memoryBytes;
    this.#ordinary = threads;
    this.#threads = Array.from({ length: threads + Math.ceil(threads / THREADS_OF_LARGE) }, (_, index) => ({
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

  /** From now on all threads are started behind the first search, and not beside it: no later scope waits for its own. */
  prestartThreads(): void {
    this.#prestarts = true;
  }

  /** Whether less than half of the memory is used: then what nobody has asked for may be loaded. */
  get hasRoom(): boolean {
    return this.#memory.total < this.#memoryBytes * SHARE_LOADED_AHEAD;
  }

  /** What will be searched is being stored: the first search need not wait for threads to start. */
  expectSearches(): void {
    if (this.#prestarts) void this.#startAll();
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
    this.#descriptions.noteQuestion({ op, scope });
    const answered = found.thread.askTransferring(transferred, op, ...args) as Promise<Answers[Op]>;
    if (op === 'drop') this.#memory.forget(scope);
    const answer = await answered;
    if (op === 'search') this.expectSearches();
    if (hasSize(answer)) {
      this.#makeRoom(scope, answer.bytes, found);
      this.#descriptions.noteSize(scope, answer);
    }
    return answer;
  }

  /** By what is known of it where nothing changed it since: each question to a thread waits for the searches before it. */
  async describe(scope: string, vectorlessLimit: number): Promise<Description | undefined> {
    const known = this.#descriptions.find(scope);
    if (!known) return this.#descriptions.keep(scope, () => this.ask<'describe'>({ op: 'describe', scope, vectorlessLimit }));
    this.#makeRoom(scope, known.bytes, this.#threadOf(scope));
    return known;
  }

  /** One after the other; one that can't be started says so when it is needed. */
  async #startAll(): Promise<void> {
    this.#prestarts = false;
    for (const { thread } of this.#threads) await thread.open().catch(() => undefined);
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
    return {
      scopes: sum('scopes'),
      paged_scopes: sum('pagedScopes'),
      items: sum('items'),
      bytes: sum('bytes'),
      ...Object.fromEntries(ofThreads),
    };
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

  /** By its name up to the last part, which stays the same over its loadings, and by whether it is large. */
  #threadOf(scope: string): IndexThread {
    const end = scope.lastIndexOf('#');
    const hash = hashOf(scope.slice(0, end));
    const large = this.#threads.length - this.#ordinary;
    const number = isLargeScope(scope) ? this.#ordinary + (hash % large) : hash % this.#ordinary;
    return this.#threads[number] as IndexThread;
  }
}

function defaultThreads(): number {
  return Math.min(MOST_THREADS, Math.max(LEAST_THREADS, availableParallelism()));
}

function hasSize(answer: unknown): answer is ScopeSize {
  return typeof answer === 'object' && answer !== null && 'bytes' in answer && 'size' in answer;
}

/** FNV-1a: the same scope falls to the same thread, for as long as there are as many. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return hash >>> 0;
}
