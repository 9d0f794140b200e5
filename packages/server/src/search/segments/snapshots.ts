/** Keeps the indexes of scopes in the database: saves what was built in the background, and loads it in bulk. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Clock } from '../../clock.ts';
import type { Database } from '../../db/database.ts';
import { newId } from '../../db/ids.ts';
import { runInLane } from '../../lanes/current-lane.ts';
import { isLargeScope, type SearchIndexes } from '../indexes.ts';
import type { PlannedSave } from '../protocol.ts';
import type { AvailableSegment } from '../ranking/saving.ts';
import type { ScopeSource } from '../scope-source.ts';
import { isOutgrown, type Synced } from '../synced-scope.ts';
import { SnapshotNotes } from './notes.ts';
import type { Page, PagePlace, WordPage } from './pages.ts';
import { readHeader } from './segment.ts';
import { dropUnused, insertPages, insertSegment, readWordPages, SavedMeanwhile } from './segment-store.ts';
import { type LoadedSnapshot, type SavedSegments, SnapshotLoader } from './snapshot-loader.ts';
import {
  commitSnapshot,
  countItems,
  type Manifest,
  placeOf,
  readSnapshot,
  type SnapshotFacts,
  type StoredSegment,
  type StoredThread,
} from './store.ts';

/** Smaller scopes are built in a few tens of milliseconds. */
const LEAST_ITEMS = 500;
/** Of a large scope as much as this part of it must be new. */
const LEAST_NEW_PART = 16;
const MOST_NEW = 16_384;
/** Sessions or documents: what is known of each is read on the main thread. */
const MOST_THREADS = 50_000;
const SAVE_AGAIN_MS = 60_000;
/** A search of so many takes ten milliseconds and more. */
const LARGE_ITEMS = 50_000;
/** So much is written at once; others have their turn in between. */
const WRITTEN_BYTES = 1024 * 1024;
const LONGEST_REST_MS = 1_000;
const MOST_REMEMBERED = 10_000;
/** Statements of saving are in a lane of their own. */
const SAVING_LANE = 'search-snapshots';

export interface SnapshotOptions {
  readonly leastItems?: number | undefined;
  readonly saveAgainMs?: number | undefined;
}

/** What an index is to be saved as; nothing where it is not held any more. `available`: the segments that are stored. */
export type PlanSave = (
  available: readonly AvailableSegment[],
) => Promise<{ readonly threads: readonly StoredThread[]; readonly plan: PlannedSave } | undefined>;

export class Snapshots {
  readonly notes: SnapshotNotes;
  readonly #db: Database;
  readonly #indexes: SearchIndexes;
  readonly #clock: Clock;
  readonly #log: Logger;
  readonly #loader: SnapshotLoader;
  readonly #leastItems: number;
  readonly #saveAgainMs: number;
  readonly #stopping = new AbortController();
  /** By the key of a scope: when it was last tried, by the monotonic clock. */
  readonly #triedAtMs = new Map<string, number>();
  /** One scope is saved at a time. */
  #saving: Promise<void> = Promise.resolve();
  #waiting = 0;
  #saved = 0;

  constructor(db: Database, indexes: SearchIndexes, clock: Clock, log: Logger, options: SnapshotOptions = {}) {
    this.#db = db;
    this.notes = new SnapshotNotes(db, clock, log);
    this.#indexes = indexes;
    this.#clock = clock;
    this.#log = log;
    this.#loader = new SnapshotLoader(db, indexes, log);
    this.#leastItems = options.leastItems ?? LEAST_ITEMS;
    this.#saveAgainMs = options.saveAgainMs ?? SAVE_AGAIN_MS;
  }

  gauges(): Record<string, number> {
    return {
      snapshots_saved_total: this.#saved,
      snapshots_loaded_total: this.#loader.loaded,
      snapshots_unusable_total: this.#loader.unusable,
      snapshots_waiting: this.#waiting,
    };
  }

  /** Saves it in the background, if enough is new. */
  consider(source: ScopeSource, known: Synced, planSave: PlanSave): void {
    if (!source.kept || (source.kept.onlyLarge && known.snapshotNumber === 0) || this.#stopping.signal.aborted) return;
    if (known.unsaved < this.#leastItems || known.threads.size > MOST_THREADS) return;
    let items = 0;
    for (const { count } of known.threads.values()) items += count;
    if (known.unsaved < Math.min(MOST_NEW, Math.max(this.#leastItems, items / LEAST_NEW_PART))) return;
    const nowMs = performance.now();
    if (nowMs - (this.#triedAtMs.get(source.key) ?? Number.NEGATIVE_INFINITY) < this.#saveAgainMs) return;
    remember(this.#triedAtMs, source.key, nowMs);
    this.#queue(() => this.#save(source, known, planSave, this.#leastItems)).catch((error: unknown) => {
      // What another node saved meanwhile is as good.
      if (!this.#stopping.signal.aborted && !(error instanceof SavedMeanwhile))
        this.#log.warn({ err: error, scope: source.key }, 'a search index could not be saved; it is built anew when it is needed');
    });
  }

  /** Resolves when all that was considered is saved, for tests. */
  async settled(): Promise<void> {
    while (this.#waiting > 0) await this.#saving;
    await this.notes.settled();
  }

  /** Now, so that what is stored need not be in memory; where it can, it leaves memory at once. Whether it can be: it is stored then, by this node or another, or was replaced. */
  async store(source: ScopeSource, known: Synced, planSave: PlanSave): Promise<boolean> {
    if (!source.kept || this.#stopping.signal.aborted) return false;
    return this.#queue(async () => {
      try {
        // Those who came before may have done it.
        if (!isOutgrown(known)) return true;
        const saved = await this.#save(source, known, planSave, 1);
        if (saved?.inMemory.length && isLargeScope(known.name)) await this.#loader.leaveAtRest(source, known, saved);
        return saved !== undefined;
      } catch (error) {
        if (error instanceof SavedMeanwhile) return true;
        throw error;
      }
    });
  }

  /** Whether it has so many items that others should not wait for its searches. */
  async isLarge(source: ScopeSource): Promise<boolean> {
    return source.kept !== undefined && ((await countItems(this.#db, placeOf(source))) ?? 0) > LARGE_ITEMS;
  }

  /** What is kept of a scope into its index. `reopen` makes it empty again; `isLarge`: it was too large to be held whole before. */
  async load(source: ScopeSource, name: string, reopen: () => Promise<unknown>, isLarge: boolean): Promise<LoadedSnapshot | undefined> {
    return source.kept && this.#loader.load(source, name, reopen, isLarge);
  }

  /** What is stored of a scope can't be used; another that took its place stays. */
  async discard(source: ScopeSource, number: number, reason: string): Promise<void> {
    await this.#loader.discard(source, number, reason);
  }

  /** What a search needs of what is at rest. */
  async readWordPages(workspaceId: string, places: readonly PagePlace[]): Promise<WordPage[]> {
    return readWordPages(this.#db, workspaceId, places);
  }

  async close(): Promise<void> {
    this.#stopping.abort();
    await this.#saving;
    await this.notes.close();
  }

  /** One scope is saved at a time, in a lane of its own. */
  async #queue<T>(work: () => Promise<T>): Promise<T> {
    this.#waiting++;
    const saved = this.#saving.then(() => runInLane(SAVING_LANE, work));
    this.#saving = saved.then(
      () => undefined,
      () => undefined,
    );
    try {
      return await saved;
    } finally {
      this.#waiting--;
    }
  }

  /** What all of it is stored as then; nothing where it is not, or there is less than `leastItems` to write. */
  async #save(source: ScopeSource, known: Synced, planSave: PlanSave, leastItems: number): Promise<SavedSegments | undefined> {
    const unsaved = known.unsaved;
    const begunMs = this.#clock.nowMs();
    const before = await readSnapshot(this.#db, placeOf(source));
    const stored = new Map(before?.manifest.segments.map((segment) => [segment.id, segment]));
    const planned = await planSave([...stored.values()]);
    if (!planned) return leastItems === 1 ? { atRest: [], inMemory: [] } : undefined;
    const { plan, threads } = planned;
    const items = plan.parts.reduce((sum, count) => sum + count, 0);
    const keptOf = (isAtRest: boolean) =>
      plan.kept
        .filter((segment) => segment.isAtRest === isAtRest)
        .map(({ id, gone }) => ({ ...(stored.get(id) as StoredSegment), gone: gone.length > 0 ? gone : undefined }));
    const [atRest, held] = [keptOf(true), keptOf(false)];
    const kept = [...atRest, ...held];
    if (items === 0 && kept.length > 0) return { atRest, inMemory: held };
    if (items + kept.reduce((sum, segment) => sum + segment.items, 0) < leastItems || items < leastItems / 2) return undefined;
    const written: StoredSegment[] = [];
    const begun: string[] = [];
    try {
      for (const part of plan.parts.keys()) {
        const pages = await this.#indexes.ask<'encodePart'>({ op: 'encodePart', scope: known.name, part, model: source.model });
        if (!pages) {
          await dropUnused(this.#db, source.workspaceId, begun);
          return undefined;
        }
        const id = newId();
        begun.push(id);
        written.push(await this.#write(source, id, pages));
      }
      const facts: SnapshotFacts = {
        ...placeOf(source),
        kind: source.kept?.kind ?? 'message',
        model: source.model,
        sessionId: source.kept?.sessionId ?? null,
        agentId: source.kept?.agentId ?? null,
      };
      const manifest = manifestOf(threads, plan, [...kept, ...written]);
      known.snapshotNumber = await commitSnapshot(this.#db, facts, before?.number ?? 0, manifest, { begunMs, nowMs: this.#clock.nowMs() });
    } catch (error) {
      await dropUnused(this.#db, source.workspaceId, begun);
      throw error;
    }
    this.#saved++;
    await this.#indexes.ask<'noteSaved'>({ op: 'noteSaved', scope: known.name, segmentIds: written.map(({ id }) => id) });
    known.unsaved -= unsaved;
    const isKept = new Set(plan.kept.map(({ id }) => id));
    const replaced = [...stored.keys()].filter((id) => !isKept.has(id));
    await dropUnused(this.#db, source.workspaceId, replaced);
    return { atRest, inMemory: [...held, ...written] };
  }

  async #write(source: ScopeSource, id: string, pages: readonly Page[]): Promise<StoredSegment> {
    let bytes = 0;
    let some: Page[] = [];
    let size = 0;
    await this.#db.run(insertSegment(placeOf(source), id, this.#clock.nowMs()));
    for (const page of pages) {
      some.push(page);
      size += page.bytes.length;
      bytes += page.bytes.length;
      if (size < WRITTEN_BYTES && page !== pages.at(-1)) continue;
      this.#stopping.signal.throwIfAborted();
      const begunMs = performance.now();
      await insertPages(this.#db, source.workspaceId, id, some);
      // As much rest as work: those who write wait for one of these at most.
      await sleep(Math.min(LONGEST_REST_MS, performance.now() - begunMs), undefined, { ref: false });
      some = [];
      size = 0;
    }
    return { id, items: readHeader(pages[0] as Page).heldCount, bytes };
  }
}

function remember(times: Map<string, number>, key: string, nowMs: number): void {
  times.delete(key);
  times.set(key, nowMs);
  const [oldest] = times.keys();
  if (times.size > MOST_REMEMBERED && oldest !== undefined) times.delete(oldest);
}

/** A thread of which not all is saved is known by what is; where something lies between, its edits are another's, so that it is compared. */
function manifestOf(threads: readonly StoredThread[], { partly }: PlannedSave, segments: readonly StoredSegment[]): Manifest {
  const of = new Map(partly.map((state) => [state.thread, state]));
  return {
    segments,
    threads: threads.map((state) => {
      const part = of.get(state.thread);
      if (!part) return state;
      return { ...state, count: part.count, lastId: part.lastId, ...(part.isTorn && { edits: '' }) };
    }),
  };
}
