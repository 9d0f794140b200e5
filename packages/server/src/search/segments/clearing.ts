/** Takes what was edited or deleted out of stored segments: deleted means deleted, at rest too. */
import type { Logger } from 'pino';
import type { Clock } from '../../clock.ts';
import type { Database } from '../../db/database.ts';
import { forEachWorkspace } from '../../db/each-workspace.ts';
import { DatabaseUnavailable } from '../../db/errors.ts';
import { newId } from '../../db/ids.ts';
import type { Sql } from '../../db/sql.ts';
import { every, type JobHandler } from '../../jobs/job-handler.ts';
import { moduleBeside } from '../../threads/thread-file.ts';
import { ThreadPool } from '../../threads/thread-pool.ts';
import { type ChangedItem, isForGood, itemsToClear, noteCleared, WAITING_CHANGES, WHOLE_THREAD } from './changed-items.ts';
import { ITEM_KINDS, type Page } from './pages.ts';
import type { GoneItems } from './rewriting.ts';
import { dropUnused, insertPages, insertSegment, readPages, replacePages, SavedMeanwhile, type SnapshotPlace } from './segment-store.ts';
import {
  awaitSaves,
  dropSnapshot,
  isReadable,
  type KeptSources,
  placesOf,
  readSnapshot,
  replaceManifest,
  type Snapshot,
  type StoredSegment,
  type StoredThread,
} from './store.ts';

const EVERY_MS = 60_000;
const ITEMS_AT_ONCE = 5_000;
const PAGES_WRITTEN_AT_ONCE = 4;
/** Pages that change together; where it is more, the segment is written anew, a few pages at a time. */
const MOST_CHANGED_BYTES = 4 * 1024 * 1024;
/** So often another may save in between before the snapshot is dropped. */
const MOST_TRIES = 3;
const IDLE_MS = 60_000;
const LIMIT_MS = 120_000;

interface Clearing {
  readonly db: Database;
  readonly clock: Clock;
  readonly log: Logger;
  readonly sources: KeptSources;
  readonly rewriting: ThreadPool<typeof import('./rewriting.ts')>;
}

/** `sources`: where the items of a kind come from. */
export class SegmentClearing {
  readonly #clearing: Clearing;

  constructor(db: Database, clock: Clock, log: Logger, sources: KeptSources) {
    const rewriting: Clearing['rewriting'] = new ThreadPool({
      name: 'search-segments',
      module: moduleBeside(import.meta.url, 'rewriting'),
      log,
      maxThreads: 1,
      limitMs: LIMIT_MS,
      idleMs: IDLE_MS,
    });
    this.#clearing = { db, clock, log, sources, rewriting };
  }

  /** Of one workspace, now: when this resolves, nothing that was noted before is in a segment any more. */
  async clear(workspaceId: string, signal: AbortSignal): Promise<void> {
    await awaitSaves(this.#clearing.db, workspaceId);
    await clearWorkspace(this.#clearing, workspaceId, signal);
  }

  job(): JobHandler {
    const { db, log, rewriting } = this.#clearing;
    return {
      ...every(EVERY_MS, async (_job, signal) => {
        await forEachWorkspace(db, WAITING_CHANGES, (workspaceId) => clearWorkspace(this.#clearing, workspaceId, signal), log, signal);
      }),
      close: () => rewriting.close(),
    };
  }
}

async function clearWorkspace(clearing: Clearing, workspaceId: string, signal: AbortSignal): Promise<void> {
  const { db } = clearing;
  for (;;) {
    const changed = await itemsToClear(db, workspaceId, ITEMS_AT_ONCE);
    const byKind = Map.groupBy(changed, ({ kind }) => kind);
    for (const [kind, ofKind] of byKind) {
      for (const place of await placesOf(db, workspaceId, kind)) {
        signal.throwIfAborted();
        await clearSnapshot(clearing, place, ofKind);
      }
    }
    await noteCleared(db, workspaceId, changed);
    if (changed.length < ITEMS_AT_ONCE) return;
  }
}

async function clearSnapshot(clearing: Clearing, place: SnapshotPlace, changed: readonly ChangedItem[]): Promise<void> {
  const { db, log } = clearing;
  for (let tries = 0; ; tries++) {
    const snapshot = await readSnapshot(db, place);
    if (!snapshot) return;
    // What can't be taken out for being saved again and again goes as a whole.
    if (tries === MOST_TRIES) return void (await dropSnapshot(db, snapshot));
    try {
      return await eraseFrom(clearing, snapshot, changed);
    } catch (error) {
      if (error instanceof SavedMeanwhile) continue;
      if (error instanceof DatabaseUnavailable) throw error;
      log.warn({ err: error, scope: place.scope }, 'a stored search index from which something is to go is dropped, and built anew');
      await dropSnapshot(db, snapshot);
      return;
    }
  }
}

async function eraseFrom(clearing: Clearing, snapshot: Snapshot, changed: readonly ChangedItem[]): Promise<void> {
  const { db, clock, rewriting } = clearing;
  const { workspaceId } = snapshot;
  const gone = await goneFrom(clearing, snapshot, changed);
  const hasGone = ({ gone: slots = [] }: StoredSegment) => slots.length > 0;
  if (gone.threads.length === 0 && gone.ids.length === 0 && !snapshot.manifest.segments.some(hasGone)) return;
  if (!isReadable(snapshot)) return void (await dropSnapshot(db, snapshot));
  const threads = afterClearing(snapshot.manifest.threads, changed);
  let current = snapshot;
  /** One segment at a time: another in the place of the one that was, or none, and pages that change with it. */
  const replace = async (segment: StoredSegment, by: readonly StoredSegment[], pages: readonly Sql[]) => {
    const segments = current.manifest.segments.flatMap((one) => (one.id === segment.id ? by : [one]));
    await replaceManifest(db, current, { segments, threads }, pages);
    current = { ...current, number: current.number + 1, manifest: { segments, threads } };
  };
  for (const segment of snapshot.manifest.segments) {
    // What a later save left at rest for gone is among them.
    if (!hasGone(segment) && !(await rewriting.run('holdsAny', await readPages(db, workspaceId, segment.id, ITEM_KINDS), gone))) continue;
    const pages = await readPages(db, workspaceId, segment.id);
    const { changed: others, slots, ...left } = await rewriting.run('eraseItems', pages, gone, segment.gone);
    const isMostThere = left.items * 2 > slots;
    if (isMostThere && bytesOf(others) <= MOST_CHANGED_BYTES) {
      await replace(segment, [{ id: segment.id, ...left }], [replacePages(workspaceId, segment.id, others)]);
      continue;
    }
    const id = newId();
    try {
      if (left.items === 0) await replace(segment, [], []);
      else {
        const rewritten = await rewriting.run('withoutItems', pages, gone, segment.gone);
        await db.run(insertSegment(snapshot, id, clock.nowMs()));
        for (let at = 0; at < rewritten.pages.length; at += PAGES_WRITTEN_AT_ONCE)
          await insertPages(db, workspaceId, id, rewritten.pages.slice(at, at + PAGES_WRITTEN_AT_ONCE));
        await replace(segment, [{ id, items: rewritten.items, bytes: bytesOf(rewritten.pages) }], []);
      }
    } finally {
      // The one that was replaced, or the one that was written for nothing.
      await dropUnused(db, workspaceId, [segment.id, id]);
    }
  }
  if (current.manifest.segments.length === 0) return void (await dropSnapshot(db, current, current.number));
  await leaveOutGone(db, current, changed);
}

/** What is in no segment any more and does not come back need not be named either. */
async function leaveOutGone(db: Database, snapshot: Snapshot, changed: readonly ChangedItem[]): Promise<void> {
  const { segments, threads } = snapshot.manifest;
  const gone = new Set(changed.filter(isForGood).map(({ scopeId }) => scopeId));
  const left = threads.filter(({ thread }) => !gone.has(thread));
  if (left.length < threads.length) await replaceManifest(db, snapshot, { segments, threads: left });
}

function bytesOf(pages: readonly Page[]): number {
  return pages.reduce((sum, { bytes }) => sum + bytes.length, 0);
}

/** Of what changed, what the snapshot may hold: it was saved before, or has it as it is now. */
async function goneFrom({ sources }: Clearing, snapshot: Snapshot, changed: readonly ChangedItem[]): Promise<GoneItems> {
  const { kind, manifest } = snapshot;
  const known = new Map(manifest.threads.map(({ thread, edits }) => [thread, edits]));
  const threads = new Set<string>();
  const ids = new Set<string>();
  const current: [id: string, version: number][] = [];
  const source = sources[kind](snapshot);
  for (const [scopeId, some] of Map.groupBy(changed, (item) => item.scopeId)) {
    const mark = known.get(scopeId);
    if (mark === undefined) continue;
    const saved = Number.parseInt(mark, 10);
    // A session counts an edit of memories before or after it is written down.
    const held = some.filter(({ itemId, edits }) => !(kind === 'message' && itemId !== WHOLE_THREAD ? saved >= edits : saved > edits));
    const single = held.filter(({ itemId }) => itemId !== WHOLE_THREAD).map(({ itemId }) => itemId);
    for (const id of single) ids.add(id);
    let there = single.length > 0 ? await source.versions(scopeId, single) : [];
    const whole = held.filter(({ itemId }) => itemId === WHOLE_THREAD);
    if (whole.length > 0) threads.add(scopeId);
    // A document that was replaced is there in its new text; a session is noted as a whole when it goes.
    if (whole.length > 0) there = kind === 'chunk' && !whole.some(isForGood) ? await source.listing(scopeId) : [];
    for (const { id, version } of there) current.push([id, version]);
  }
  return { threads: [...threads], ids: [...ids], current };
}

/** Those that lost something are compared when they are next loaded. They stay named until all of it is gone from all segments. */
function afterClearing(threads: readonly StoredThread[], changed: readonly ChangedItem[]): StoredThread[] {
  const touched = new Set(changed.map(({ scopeId }) => scopeId));
  return threads.map((state) => (touched.has(state.thread) ? { ...state, edits: '' } : state));
}
