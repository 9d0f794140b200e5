/** Vectors in the background for what was written: promptly for this process's own writes, and in the end for all. */
import type { Logger } from 'pino';
import type { Clock } from '../clock.ts';
import type { Database } from '../db/database.ts';
import { DatabaseUnavailable } from '../db/errors.ts';
import { BUSY_FROM, Busyness } from '../jobs/busyness.ts';
import type { Outbox } from '../outbox/distribution.ts';
import type { EmbeddedItems } from './embedded-items.ts';
import { type ClaimedItem, queuedWorkspaces, releaseItems } from './embedding-claims.ts';
import { GroupsUnderWay } from './groups-under-way.ts';
import { embedGroup, gatherGroup } from './item-groups.ts';
import { modelState } from './model-switch.ts';
import type { Searcher } from './searcher.ts';
import { countQueued, countRefused } from './vectors.ts';

const IDLE_MS = 500;
/** While the process is busy, a model inside it has one text at a time, and after each a rest this many times as long as it took. */
const REST = 9;
const LONGEST_REST_MS = 1_000;
const AFTER_FAILURE_MS = 5_000;
/** An endpoint takes little of this process, and that only where it is fast: while the event loop is all but full, no more than this a second. */
const FULL_FROM = 0.75;
const MOST_A_SECOND_WHEN_FULL = 2_500;

export class BackgroundIndexing {
  readonly #db: Database;
  readonly #searcher: Searcher;
  readonly #clock: Clock;
  readonly #log: Logger;
  readonly #outbox: Outbox;
  readonly #items: readonly EmbeddedItems[];
  readonly #groups = new GroupsUnderWay();
  readonly #busyness = new Busyness();
  readonly #stopping = new AbortController();
  #running: Promise<void> | undefined;
  #wake: (() => void) | undefined;
  #stored = 0;
  #afterWorkspaceId: string | undefined;

  constructor(db: Database, searcher: Searcher, clock: Clock, log: Logger, outbox: Outbox, items: readonly EmbeddedItems[]) {
    this.#outbox = outbox;
    this.#items = items;
    this.#db = db;
    this.#searcher = searcher;
    this.#clock = clock;
    this.#log = log;
  }

  start(): void {
    this.#running ??= this.#run();
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    this.#wake?.();
    await this.#running;
  }

  async gauges(): Promise<Record<string, number>> {
    return {
      embedded_total: this.#stored,
      ...(await this.#queueGauges()),
    };
  }

  /** None while a machine that has a part of them is down: the other gauges are looked at all the more then. */
  async #queueGauges(): Promise<Record<string, number>> {
    try {
      return {
        embedding_queue: (await countQueued(this.#db)) + (await this.#outbox.count()),
        refused_texts: await countRefused(this.#db),
      };
    } catch (error) {
      if (this.#db.isDistributed && error instanceof DatabaseUnavailable) return {};
      throw error;
    }
  }

  /** Everything that waits, for tests: no sleeping. */
  async drain(): Promise<void> {
    for (let isMore = true; isMore; ) {
      while ((await this.#round(false)) > 0);
      isMore = this.#groups.size > 0;
      await this.#groups.waitForOne();
    }
    await this.#groups.settle();
  }

  async #run(): Promise<void> {
    while (!this.#stopping.signal.aborted) {
      try {
        // What comes meanwhile need not wait for what is under way.
        if ((await this.#round(true)) === 0)
          await Promise.race([this.#pause(IDLE_MS), ...(this.#groups.size > 0 ? [this.#groups.waitForOne()] : [])]);
      } catch (error) {
        if (this.#stopping.signal.aborted) break;
        this.#log.warn({ err: error }, 'some items could not be embedded; they are found by their words meanwhile');
        await this.#pause(AFTER_FAILURE_MS);
      }
    }
    await this.#groups.settle().catch(() => undefined);
  }

  /**
   * Begins with a group of each workspace in turn, as far as there is room for them, and does not wait for their end. How many items there were.
   */
  async #round(isConsiderate: boolean): Promise<number> {
    await this.#groups.waitForRoom(Number.POSITIVE_INFINITY);
    const { isLocal } = this.#searcher.embedder.capacity;
    const utilization = isConsiderate ? this.#busyness.utilization() : 0;
    const isBusy = isLocal && utilization > BUSY_FROM;
    const isPaced = !isLocal && utilization > FULL_FROM;
    if (!isBusy) await this.#outbox.distribute();
    // Another process may have adopted another model: the queue is for those that have it.
    if ((await modelState(this.#db))?.model !== this.#searcher.embedder.model) return 0;
    let workspaces = await queuedWorkspaces(this.#db, this.#afterWorkspaceId);
    // Sorting can wait too, as long as there is other work.
    if (workspaces.length === 0 && isBusy && (await this.#outbox.distributeSome()) > 0)
      workspaces = await queuedWorkspaces(this.#db, undefined);
    this.#afterWorkspaceId = undefined;
    let count = 0;
    for (const workspaceId of workspaces) {
      this.#afterWorkspaceId = workspaceId;
      const begun = isBusy ? await this.#embedOne(workspaceId) : await this.#beginGroup(workspaceId);
      if (isPaced && begun > 0) await this.#pause((begun * 1_000) / MOST_A_SECOND_WHEN_FULL);
      count += begun;
    }
    return count;
  }

  /** As soon as there is room. No workspace takes up all of it, so that another's first message waits for nothing. */
  async #beginGroup(workspaceId: string): Promise<number> {
    const { texts, calls } = this.#searcher.embedder.capacity;
    await this.#groups.waitForRoom(calls);
    if (this.#stopping.signal.aborted || this.#groups.sizeOf(workspaceId) >= Math.max(1, calls - 1)) return 0;
    return this.#begin(workspaceId, texts);
  }

  async #embedOne(workspaceId: string): Promise<number> {
    await this.#groups.settle();
    if (this.#stopping.signal.aborted) return 0;
    const begunMs = performance.now();
    const count = await this.#begin(workspaceId, 1);
    await this.#groups.settle();
    if (count > 0) await this.#pause(Math.min(LONGEST_REST_MS, REST * (performance.now() - begunMs)));
    return count;
  }

  async #begin(workspaceId: string, most: number): Promise<number> {
    const underWay = this.#groups.endsOf(workspaceId);
    const items = await gatherGroup(this.#db, this.#items, { workspaceId, most, nowMs: this.#clock.nowMs(), underWay });
    if (items.length > 0) this.#groups.add(workspaceId, items, this.#embed(items));
    return items.length;
  }

  /** What this node claimed and did not get done is left to all again. */
  async #embed(items: readonly ClaimedItem[]): Promise<void> {
    const { embedder } = this.#searcher;
    try {
      const { stored, refused } = await embedGroup(this.#db, embedder, items, () => this.#clock.nowMs(), this.#stopping.signal);
      this.#stored += stored;
      for (const { item, reason } of refused)
        this.#log.warn({ workspaceId: item.workspaceId, kind: item.kind, item: item.itemId, reason }, 'a text was refused');
    } catch (error) {
      await releaseItems(this.#db, items).catch(() => undefined);
      throw error;
    }
  }

  async #pause(ms: number): Promise<void> {
    if (this.#stopping.signal.aborted) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, ms);
      timer.unref();
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}
