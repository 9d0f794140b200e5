/** Keeps the indexes of scopes in the database: saves what was built in the background, and loads it in bulk. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Clock } from '../../clock.ts';
import type { Database } from '../../db/database.ts';
import { newId } from '../../db/ids.ts';
import { runInLane } from '../../lanes/current-lane.ts';
import { LaneLimiter } from '../../lanes/lane-limiter.ts';
import type { SearchIndexes } from '../indexes.ts';
import type { PlannedSave } from '../protocol.ts';
import type { AvailableSegment } from '../ranking/saving.ts';
import { requireLoaded } from '../scope-lost.ts';
import type { ScopeSource, Synced } from '../scopes.ts';
import { SnapshotNotes } from './notes.ts';
import type { Page } from './pages.ts';
import { readHeader } from './segment.ts';
import { dropUnused, insertPages, insertSegment, readPages, SavedMeanwhile } from './segment-store.ts';
import {
  commitSnapshot,
  dropSnapshot,
  type Manifest,
  placeOf,
  readSnapshot,
  readSnapshotNumber,
  type Snapshot,
  type SnapshotFacts,
  type StoredSegment,
  type StoredThread,
} from './store.ts';

/** Smaller scopes are built sooner than they are looked up. */
const LEAST_ITEMS = 2_000;
/** Of a large scope as much as this part of it must be new. */
const LEAST_NEW_PART = 16;
const MOST_NEW = 16_384;
/** Sessions or documents: what is known of each is read on the main thread. */
const MOST_THREADS = 50_000;
/** So often a snapshot may be replaced while it is read. */
const MOST_TRIES = 3;
const SAVE_AGAIN_MS = 60_000;
/** Segments in memory on their way to an index, of one workspace (one is read while the index takes in the other) and of all. */
const SEGMENTS_OF_WORKSPACE = 2;
const SEGMENTS_OF_ALL = 3;
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
  readonly #leastItems: number;
  readonly #saveAgainMs: number;
  readonly #reading = new LaneLimiter({ inFlight: SEGMENTS_OF_ALL, inFlightOfLane: SEGMENTS_OF_WORKSPACE });
  readonly #stopping = new AbortController();
  /** By the key of a scope: when it was last tried, by the monotonic clock. */
  readonly #triedAtMs = new Map<string, number>();
  /** One scope is saved at a time. */
  #saving: Promise<void> = Promise.resolve();
  #waiting = 0;
  #saved = 0;
  #loaded = 0;
  #unusable = 0;

  constructor(db: Database, indexes: SearchIndexes, clock: Clock, log: Logger, options: SnapshotOptions = {}) {
    this.#db = db;
    this.notes = new SnapshotNotes(db, clock, log);
    this.#indexes = indexes;
    this.#clock = clock;
    this.#log = log;
    this.#leastItems = options.leastItems ?? LEAST_ITEMS;
    this.#saveAgainMs = options.saveAgainMs ?? SAVE_AGAIN_MS;
  }

  gauges(): Record<string, number> {
    return {
      snapshots_saved_total: this.#saved,
      snapshots_loaded_total: this.#loaded,
      snapshots_unusable_total: this.#unusable,
      snapshots_waiting: this.#waiting,
    };
  }

  /** Saves it in the background, if enough is new. */
  consider(source: ScopeSource, known: Synced, planSave: PlanSave): void {
    if (!source.kept || this.#stopping.signal.aborted) return;
    if (known.unsaved < this.#leastItems || known.threads.size > MOST_THREADS) return;
    let items = 0;
    for (const { count } of known.threads.values()) items += count;
    if (known.unsaved < Math.min(MOST_NEW, Math.max(this.#leastItems, items / LEAST_NEW_PART))) return;
    const nowMs = performance.now();
    if (nowMs - (this.#triedAtMs.get(source.key) ?? Number.NEGATIVE_INFINITY) < this.#saveAgainMs) return;
    remember(this.#triedAtMs, source.key, nowMs);
    const unsaved = known.unsaved;
    this.#waiting++;
    this.#saving = this.#saving.then(async () => {
      try {
        const isSaved = await runInLane(SAVING_LANE, () => this.#save(source, known, planSave));
        if (isSaved) known.unsaved -= unsaved;
      } catch (error) {
        // What another node saved meanwhile is as good.
        if (!this.#stopping.signal.aborted && !(error instanceof SavedMeanwhile))
          this.#log.warn({ err: error, scope: source.key }, 'a search index could not be saved; it is built anew when it is needed');
      } finally {
        this.#waiting--;
      }
    });
  }

  /** Resolves when all that was considered is saved, for tests. */
  async settled(): Promise<void> {
    while (this.#waiting > 0) await this.#saving;
    await this.notes.settled();
  }

  /** What was known of the threads when it was saved; the index has their items then. `reopen` makes it empty again. */
  async load(source: ScopeSource, name: string, reopen: () => Promise<void>): Promise<readonly StoredThread[] | undefined> {
    if (!source.kept) return undefined;
    for (let tries = 1; ; tries++) {
      const snapshot = await readSnapshot(this.#db, placeOf(source));
      if (!snapshot) return undefined;
      const reason = await this.#append(source, name, snapshot);
      if (reason === undefined && !(await this.#isErasedSince(snapshot))) {
        this.#loaded++;
        return snapshot.manifest.threads;
      }
      await reopen();
      // Another took its place while it was read.
      const current = await readSnapshot(this.#db, placeOf(source));
      if (current && current.number !== snapshot.number && tries < MOST_TRIES) continue;
      this.#unusable++;
      this.#log.warn({ scope: source.key, reason }, 'a stored search index is dropped, and built anew');
      await dropSnapshot(this.#db, snapshot, snapshot.number);
      return undefined;
    }
  }

  /** Whether some pages may have been read before and others after something was erased from a segment. */
  async #isErasedSince(snapshot: Snapshot): Promise<boolean> {
    const number = await readSnapshotNumber(this.#db, snapshot);
    if (number === undefined || number === snapshot.number) return false;
    const current = await readSnapshot(this.#db, snapshot);
    const items = new Map(current?.manifest.segments.map((segment) => [segment.id, segment.items]));
    return snapshot.manifest.segments.some((segment) => (items.get(segment.id) ?? segment.items) !== segment.items);
  }

  async close(): Promise<void> {
    this.#stopping.abort();
    await this.#saving;
    await this.notes.close();
  }

  /** Why it can't be used, if it can't. The next segment is read while the index takes in the last. */
  async #append(source: ScopeSource, name: string, { manifest }: Snapshot): Promise<string | undefined> {
    const { workspaceId, model } = source;
    const sum = (of: (segment: StoredSegment) => number) => manifest.segments.reduce((total, segment) => total + of(segment), 0);
    await this.#indexes.ask<'reserve'>({
      op: 'reserve',
      scope: name,
      items: sum(({ items }) => items),
      entries: sum(({ entries }) => entries),
    });
    const appended = manifest.segments.map(({ id: segmentId }) =>
      this.#reading.run(workspaceId, async () => {
        const pages = (await readPages(this.#db, workspaceId, segmentId)).map(inOwnBuffer);
        const buffers = pages.map(({ bytes }) => bytes.buffer as ArrayBuffer);
        const answer = requireLoaded(await this.#indexes.ask<'append'>({ op: 'append', scope: name, segmentId, model, pages }, buffers));
        return 'unusable' in answer ? answer.unusable : undefined;
      }),
    );
    const reasons = await Promise.all(appended);
    return reasons.find((reason) => reason !== undefined);
  }

  async #save(source: ScopeSource, known: Synced, planSave: PlanSave): Promise<boolean> {
    const begunMs = this.#clock.nowMs();
    const before = await readSnapshot(this.#db, placeOf(source));
    const stored = new Map(before?.manifest.segments.map((segment) => [segment.id, segment]));
    const planned = await planSave([...stored.values()]);
    if (!planned) return false;
    const { plan, threads } = planned;
    const items = plan.parts.reduce((sum, count) => sum + count, 0);
    const kept = plan.kept.map((id) => stored.get(id) as StoredSegment);
    if (items + kept.reduce((sum, segment) => sum + segment.items, 0) < this.#leastItems || items < this.#leastItems / 2) return false;
    const written: StoredSegment[] = [];
    const begun: string[] = [];
    try {
      for (const part of plan.parts.keys()) {
        const pages = await this.#indexes.ask<'encodePart'>({ op: 'encodePart', scope: known.name, part, model: source.model });
        if (!pages) {
          await dropUnused(this.#db, source.workspaceId, begun);
          return false;
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
      await commitSnapshot(this.#db, facts, before?.number ?? 0, manifest, { begunMs, nowMs: this.#clock.nowMs() });
    } catch (error) {
      await dropUnused(this.#db, source.workspaceId, begun);
      throw error;
    }
    this.#saved++;
    await this.#indexes.ask<'noteSaved'>({ op: 'noteSaved', scope: known.name, segmentIds: written.map(({ id }) => id) });
    const isKept = new Set(plan.kept);
    const replaced = [...stored.keys()].filter((id) => !isKept.has(id));
    await dropUnused(this.#db, source.workspaceId, replaced);
    return true;
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
    const { heldCount: items, wordEntries: entries } = readHeader(pages[0] as Page);
    return { id, items, entries, bytes };
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

/** To be handed over, and not copied: what the driver gives may share its buffer with other rows. */
function inOwnBuffer(page: Page): Page {
  const { bytes } = page;
  const isOwn = bytes.byteOffset === 0 && bytes.byteLength === bytes.buffer.byteLength && !Buffer.isBuffer(bytes);
  return isOwn ? page : { ...page, bytes: new Uint8Array(bytes) };
}
