/** Vectors in the background for what was written: promptly for this process's own writes, and in the end for all. */
import type { Logger } from 'pino';
import type { Clock } from '../clock.ts';
import type { Database } from '../db/database.ts';
import { DatabaseUnavailable } from '../db/errors.ts';
import { list, raw, sql } from '../db/sql.ts';
import { Busyness } from '../jobs/busyness.ts';
import type { EmbeddedItems } from './embedded-items.ts';
import { MOST_EMBEDDED_CHARACTERS, RefusedText } from './embedding/embedder.ts';
import { quantize } from './embedding/quantize.ts';
import { type ClaimedItem, claimItems, queuedWorkspaces, releaseItems } from './embedding-claims.ts';
import { modelState } from './model-switch.ts';
import type { NewMessages } from './new-messages.ts';
import type { Searcher } from './searcher.ts';
import { countQueued, countRefused, type QueuedItem, refuseQueued, storeQueuedVector } from './vectors.ts';

const EMBEDDED_AT_ONCE = 8;
const IDLE_MS = 500;
/** While the process is busy, one text at a time, and after each a rest this many times as long as it took. */
const REST = 9;
const LONGEST_REST_MS = 1_000;
const AFTER_FAILURE_MS = 5_000;

export class BackgroundIndexing {
  readonly #db: Database;
  readonly #searcher: Searcher;
  readonly #clock: Clock;
  readonly #log: Logger;
  readonly #newMessages: NewMessages;
  readonly #items: ReadonlyMap<string, EmbeddedItems>;
  readonly #busyness = new Busyness();
  readonly #stopping = new AbortController();
  #running: Promise<void> | undefined;
  #wake: (() => void) | undefined;
  #stored = 0;
  #afterWorkspaceId: string | undefined;

  constructor(db: Database, searcher: Searcher, clock: Clock, log: Logger, newMessages: NewMessages, items: readonly EmbeddedItems[]) {
    this.#newMessages = newMessages;
    this.#items = new Map(items.map((one) => [one.kind, one]));
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
        embedding_queue: (await countQueued(this.#db)) + (await this.#newMessages.count()),
        refused_texts: await countRefused(this.#db),
      };
    } catch (error) {
      if (this.#db.isDistributed && error instanceof DatabaseUnavailable) return {};
      throw error;
    }
  }

  /** Everything that waits, for tests: no sleeping. */
  async drain(): Promise<void> {
    while ((await this.#some(false)) > 0);
  }

  async #run(): Promise<void> {
    while (!this.#stopping.signal.aborted) {
      let pauseMs = IDLE_MS;
      try {
        if ((await this.#some(true)) > 0) pauseMs = 0;
      } catch (error) {
        if (this.#stopping.signal.aborted) return;
        this.#log.warn({ err: error }, 'some items could not be embedded; they are found by their words meanwhile');
        pauseMs = AFTER_FAILURE_MS;
      }
      await this.#pause(pauseMs);
    }
  }

  /** How many were dealt with. */
  async #some(isConsiderate: boolean): Promise<number> {
    const begunBusy = isConsiderate && this.#busyness.isBusy();
    if (!begunBusy) await this.#newMessages.distribute();
    // Another process may have adopted another model: the queue is for those that have it.
    if ((await modelState(this.#db))?.model !== this.#searcher.embedder.model) return 0;
    let workspaces = await queuedWorkspaces(this.#db, this.#afterWorkspaceId);
    // Sorting can wait too, as long as there is other work.
    if (workspaces.length === 0 && begunBusy && (await this.#newMessages.distributeSome()) > 0)
      workspaces = await queuedWorkspaces(this.#db, undefined);
    this.#afterWorkspaceId = workspaces.at(-1);
    let count = 0;
    for (const workspaceId of workspaces) count += await this.#someOf(workspaceId, isConsiderate);
    return count;
  }

  /** A few of one workspace; how many there were. What this node claimed and did not get done is left to all again. */
  async #someOf(workspaceId: string, isConsiderate: boolean): Promise<number> {
    const isBusy = isConsiderate && this.#busyness.isBusy();
    const begun = performance.now();
    const items = await claimItems(this.#db, workspaceId, isBusy ? 1 : EMBEDDED_AT_ONCE, this.#clock.nowMs());
    try {
      await this.#embed(workspaceId, items);
    } catch (error) {
      await releaseItems(this.#db, items).catch(() => undefined);
      throw error;
    }
    if (isBusy && items.length > 0) await this.#pause(Math.min(LONGEST_REST_MS, REST * (performance.now() - begun)));
    return items.length;
  }

  async #embed(workspaceId: string, items: readonly ClaimedItem[]): Promise<void> {
    const texts = await this.#textsOf(items);
    const present = items.filter(({ itemId }) => texts.has(itemId));
    const gone = items.filter(({ itemId }) => !texts.has(itemId));
    if (gone.length > 0) await this.#db.batch(gone.map(dequeueItem));
    if (present.length === 0) return;
    const vectors = await this.#searcher.embedder.embed(
      present.map(({ itemId }) => texts.get(itemId) as string),
      { priority: 'background', lane: workspaceId, signal: this.#stopping.signal },
    );
    await Promise.all(present.map((item, index) => this.#settle(item, vectors[index] as Float32Array | RefusedText)));
  }

  async #settle(item: QueuedItem, vector: Float32Array | RefusedText): Promise<void> {
    const { model } = this.#searcher.embedder;
    if (vector instanceof RefusedText) {
      await refuseQueued(this.#db, item, model, vector.reason, this.#clock.nowMs());
      this.#log.warn({ workspaceId: item.workspaceId, kind: item.kind, item: item.itemId, reason: vector.reason }, 'a text was refused');
    } else if (await storeQueuedVector(this.#db, item, model, quantize(vector))) this.#stored++;
  }

  async #textsOf(items: readonly QueuedItem[]): Promise<Map<string, string>> {
    const texts = new Map<string, string>();
    const groups = Map.groupBy(items, ({ workspaceId, kind, scopeId }) => `${workspaceId} ${kind} ${scopeId}`);
    for (const group of groups.values()) {
      const { workspaceId, kind, scopeId } = group[0] as QueuedItem;
      const source = this.#items.get(kind);
      if (!source) continue;
      const found = await this.#db.query(sql<{ id: string; content: string }>`
        select id, substr(${raw(source.textColumn)}, 1, ${MOST_EMBEDDED_CHARACTERS}) as content from ${raw(source.table)}
        where workspace_id = ${workspaceId} and ${raw(source.scopeColumn)} = ${scopeId} and id in ${list(group.map(({ itemId }) => itemId))}`);
      for (const { id, content } of found) texts.set(id, content);
    }
    return texts;
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

function dequeueItem({ workspaceId, kind, scopeId, itemId }: QueuedItem) {
  return sql`delete from embedding_queue where workspace_id = ${workspaceId} and kind = ${kind} and scope_id = ${scopeId} and item_id = ${itemId}`;
}
