/** The model inside the process: texts are shared out to a few threads, which load it when needed and give it back when idle. */

import { availableParallelism } from 'node:os';
import { SERVICE_LANE } from '../../lanes/current-lane.ts';
import type { Log } from '../../logging.ts';
import {
  type EmbeddedText,
  type Embedder,
  EmbedderUnavailable,
  EmbedderUnusable,
  type EmbedOptions,
  MOST_EMBEDDED_CHARACTERS,
  type Priority,
} from './embedder.ts';
import { LOCAL_DIMENSIONS, LOCAL_MODEL, LOCAL_MODEL_WITH_TOKENS } from './model-files.ts';
import type { Group, GroupReply } from './protocol.ts';
import { EmbedCall, type QueuedText, TextQueue } from './text-queue.ts';
import { EmbeddingThread } from './thread.ts';

export interface LocalOptions {
  readonly log?: Log | undefined;
  /** Whether the tokens of texts are told beside their vectors. */
  readonly hasTokens?: boolean | undefined;
  /** Where the model's files are, if not in their package. */
  readonly modelDir?: string | undefined;
  readonly maxThreads?: number | undefined;
  /** A thread that had nothing to do for so long ends. */
  readonly idleMs?: number | undefined;
  /** Texts that may wait; more are refused. */
  readonly maxWaiting?: number | undefined;
}

const MAX_THREADS = 2;
const IDLE_MS = 5 * 60_000;
const MAX_WAITING = 10_000;
const MAX_WAITING_CHARACTERS = 32_000_000;
/** No lane fills the whole queue. */
const MAX_SHARE_OF_LANE = 0.5;
/** About a tenth of a second of work: what is sent can't be called back. */
const MAX_GROUP = { query: 1, background: 16 } as const;
const MAX_GROUP_CHARACTERS = 8_000;
/** Groups that a thread may have: one under way, and enough behind it to bridge a busy event loop. */
const MAX_GROUPS = { query: 4, background: 2 } as const;
/** The threads have all of their groups, and their next ones behind them, while what they made is stored. */
const CAPACITY = { texts: 32, calls: 4, isLocal: true } as const;
const MAX_FAILURES = 2;
/** A model that can't be loaded is not tried again at once. */
const UNUSABLE_MS = 30_000;

/** A thread with the groups that it has not answered. */
interface ThreadSlot {
  readonly thread: EmbeddingThread;
  readonly groups: Map<number, readonly QueuedText[]>;
  readonly count: Record<Priority, number>;
  open: boolean;
  idle: NodeJS.Timeout | undefined;
}

export class LocalEmbedder implements Embedder {
  readonly model: string;
  readonly dimensions = LOCAL_DIMENSIONS;
  readonly capacity = CAPACITY;
  readonly #options: LocalOptions;
  readonly #maxThreads: number;
  readonly #waiting: Record<Priority, TextQueue> = { query: new TextQueue(), background: new TextQueue() };
  readonly #calls = new Set<EmbedCall>();
  readonly #slots = new Set<ThreadSlot>();
  #lastGroupId = 0;
  #unusable: { readonly error: Error; readonly untilMs: number } | undefined;
  #closed = false;
  #textsTotal = 0;
  #lostThreadsTotal = 0;

  constructor(options: LocalOptions = {}) {
    this.#options = options;
    this.model = options.hasTokens ? LOCAL_MODEL_WITH_TOKENS : LOCAL_MODEL;
    this.#maxThreads = options.maxThreads ?? Math.min(MAX_THREADS, availableParallelism());
  }

  async embed(texts: readonly string[], options: EmbedOptions = {}): Promise<Float32Array[]> {
    return (await this.embedWithTokens(texts, options)).map(({ vector }) => vector);
  }

  async embedWithTokens(
    texts: readonly string[],
    { priority = 'background', lane = SERVICE_LANE, signal }: EmbedOptions = {},
  ): Promise<EmbeddedText[]> {
    signal?.throwIfAborted();
    if (this.#closed) throw new EmbedderUnavailable('The embedder is closed.');
    if (this.#unusable && performance.now() < this.#unusable.untilMs) throw this.#unusable.error;
    if (texts.length === 0) return [];
    const call = new EmbedCall(
      texts.map((text) => text.slice(0, MOST_EMBEDDED_CHARACTERS)),
      priority,
      lane,
    );
    this.#admit(call);
    const abort = () => this.#give(call, signal?.reason);
    signal?.addEventListener('abort', abort, { once: true });
    try {
      return await call.embedded;
    } finally {
      signal?.removeEventListener('abort', abort);
      this.#calls.delete(call);
    }
  }

  async ready(): Promise<void> {
    await this.embed(['ready'], { priority: 'query' });
  }

  gauges(): Record<string, number> {
    return {
      threads: this.#slots.size,
      waiting_queries: this.#waiting.query.size,
      waiting_texts: this.#waiting.background.size,
      texts_total: this.#textsTotal,
      lost_threads_total: this.#lostThreadsTotal,
    };
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#giveAll(new EmbedderUnavailable('The embedder is closed.'));
    await Promise.all([...this.#slots].map((slot) => this.#release(slot)));
  }

  #admit(call: EmbedCall): void {
    const { query, background } = this.#waiting;
    const { maxWaiting = MAX_WAITING } = this.#options;
    const size = query.size + background.size + call.items.length;
    const sizeOfLane = query.sizeOf(call.lane) + background.sizeOf(call.lane) + call.items.length;
    const isLaneFull = call.lane !== SERVICE_LANE && sizeOfLane > maxWaiting * MAX_SHARE_OF_LANE;
    if (isLaneFull || size > maxWaiting || query.characters + background.characters > MAX_WAITING_CHARACTERS) {
      throw new EmbedderUnavailable('Too many texts wait for their vectors; try again shortly.');
    }
    this.#calls.add(call);
    // Neighbours in a group are then of one length, and a thread uses its buffers again.
    this.#waiting[call.priority].add(call.items.toSorted((one, other) => one.text.length - other.text.length));
    this.#dispatch();
  }

  #dispatch(): void {
    for (const priority of ['query', 'background'] as const) {
      const waiting = this.#waiting[priority];
      while (waiting.size > 0) {
        const slot = this.#freest(priority);
        if (!slot) break;
        const share = Math.ceil(waiting.size / this.#slots.size);
        this.#send(slot, priority, waiting.take(Math.min(MAX_GROUP[priority], share), MAX_GROUP_CHARACTERS));
      }
    }
    const { query, background } = this.#waiting;
    const starting = [...this.#slots].some(({ open }) => !open);
    // A second model in memory is for more than a few texts.
    const enough = query.size > 0 || background.size > (this.#slots.size > 0 ? MAX_GROUP.background : 0);
    if (enough && !starting && this.#slots.size < this.#maxThreads) this.#start();
  }

  #freest(priority: Priority): ThreadSlot | undefined {
    let best: ThreadSlot | undefined;
    for (const slot of this.#slots) {
      if (!slot.open || slot.count[priority] >= MAX_GROUPS[priority]) continue;
      const fewer = best ? slot.count[priority] - best.count[priority] || slot.groups.size - best.groups.size : -1;
      if (fewer < 0) best = slot;
    }
    return best;
  }

  #send(slot: ThreadSlot, priority: Priority, items: readonly QueuedText[]): void {
    const group: Group = { id: ++this.#lastGroupId, priority, texts: items.map(({ text }) => text) };
    clearTimeout(slot.idle);
    slot.groups.set(group.id, items);
    slot.count[priority]++;
    slot.thread.send(group);
  }

  #start(): void {
    const slot: ThreadSlot = {
      thread: new EmbeddingThread(this.#options, {
        opened: (failure) => this.#opened(slot, failure === undefined ? undefined : new EmbedderUnusable(failure)),
        answered: (reply) => this.#answered(slot, reply),
        died: (cause) => this.#died(slot, cause),
      }),
      groups: new Map(),
      count: { query: 0, background: 0 },
      open: false,
      idle: undefined,
    };
    this.#slots.add(slot);
  }

  #opened(slot: ThreadSlot, error: Error | undefined): void {
    if (!error) {
      this.#unusable = undefined;
      slot.open = true;
      this.#rest(slot);
      this.#dispatch();
      return;
    }
    void this.#release(slot);
    this.#options.log?.warn({ err: error }, 'The embedding model could not be loaded');
    // Another thread has the model: it goes on alone.
    if (this.#slots.size > 0) return;
    this.#unusable = { error, untilMs: performance.now() + UNUSABLE_MS };
    this.#giveAll(error);
  }

  #answered(slot: ThreadSlot, reply: GroupReply): void {
    const items = slot.groups.get(reply.id) ?? [];
    slot.groups.delete(reply.id);
    const priority = items[0]?.call.priority;
    if (priority) slot.count[priority]--;
    if ('failure' in reply) this.#again(items, new EmbedderUnavailable(`A text could not be embedded: ${reply.failure}`));
    else {
      this.#textsTotal += items.length;
      const { vectors, tokenCodes, questionTokens } = reply.embedded;
      for (const [position, { call, index }] of items.entries()) {
        call.put(index, {
          vector: vectors.slice(position * LOCAL_DIMENSIONS, (position + 1) * LOCAL_DIMENSIONS),
          tokenCodes: tokenCodes[position],
          questionTokens: questionTokens[position],
        });
      }
    }
    this.#dispatch();
    this.#rest(slot);
  }

  #died(slot: ThreadSlot, cause: unknown): void {
    const error = new EmbedderUnavailable('The embedding thread ended unexpectedly; try again.', { cause });
    if (!slot.open) {
      this.#opened(slot, error);
      return;
    }
    clearTimeout(slot.idle);
    this.#slots.delete(slot);
    this.#lostThreadsTotal++;
    this.#options.log?.warn({ err: cause }, 'An embedding thread ended unexpectedly; another one takes over');
    for (const items of [...slot.groups.values()].toReversed()) this.#again(items, error);
    this.#dispatch();
  }

  /** What a thread failed at is tried once more. */
  #again(items: readonly QueuedText[], error: Error): void {
    for (const item of items) {
      item.failures++;
      if (item.failures >= MAX_FAILURES) this.#give(item.call, error);
    }
    const left = items.filter(({ call }) => !call.settled);
    if (left[0]) this.#waiting[left[0].call.priority].putBack(left);
  }

  #give(call: EmbedCall, reason: unknown): void {
    call.fail(reason);
    this.#waiting[call.priority].dropSettled();
  }

  #giveAll(reason: unknown): void {
    for (const call of this.#calls) call.fail(reason);
    for (const waiting of Object.values(this.#waiting)) waiting.dropSettled();
  }

  #rest(slot: ThreadSlot): void {
    if (slot.groups.size > 0 || !this.#slots.has(slot)) return;
    clearTimeout(slot.idle);
    slot.idle = setTimeout(() => void this.#release(slot), this.#options.idleMs ?? IDLE_MS).unref();
  }

  async #release(slot: ThreadSlot): Promise<void> {
    clearTimeout(slot.idle);
    this.#slots.delete(slot);
    await slot.thread.stop();
  }
}
