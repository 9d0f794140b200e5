/** Takes what was edited or deleted out of stored segments: deleted means deleted, at rest too. */
import type { Logger } from 'pino';
import type { Clock } from '../../clock.ts';
import type { Database } from '../../db/database.ts';
import { newId } from '../../db/ids.ts';
import { every, type JobHandler } from '../../jobs/job-handler.ts';
import { moduleBeside } from '../../threads/thread-file.ts';
import { ThreadPool } from '../../threads/thread-pool.ts';
import { type ChangedItem, itemsToClear, noteCleared, WHOLE_THREAD, workspacesToClear } from './changed-items.ts';
import type { GoneItems } from './rewriting.ts';
import { dropUnused, insertPages, insertSegment, readPages, SavedMeanwhile } from './segment-store.ts';
import {
  dropSnapshot,
  replaceManifest,
  type Snapshot,
  type StoredSegment,
  type StoredThread,
  snapshotsOf,
} from './store.ts';

const EVERY_MS = 60_000;
const WORKSPACES_AT_ONCE = 50;
const ITEMS_AT_ONCE = 5_000;
const PAGES_WRITTEN_AT_ONCE = 4;
/** So often another may save in between before the snapshot is dropped. */
const MOST_TRIES = 3;
const IDLE_MS = 60_000;
const LIMIT_MS = 120_000;

type Rewriting = ThreadPool<typeof import('./rewriting.ts')>;

export function clearChangedItems(db: Database, clock: Clock, log: Logger): JobHandler {
  const rewriting: Rewriting = new ThreadPool({
    name: 'search-segments',
    module: moduleBeside(import.meta.url, 'rewriting'),
    log,
    maxThreads: 1,
    limitMs: LIMIT_MS,
    idleMs: IDLE_MS,
  });
  return {
    ...every(EVERY_MS, async (_job, signal) => {
      for (;;) {
        const workspaces = await workspacesToClear(db, WORKSPACES_AT_ONCE);
        for (const workspaceId of workspaces) await clearWorkspace(db, clock, rewriting, workspaceId, signal);
        if (workspaces.length < WORKSPACES_AT_ONCE) return;
      }
    }),
    close: () => rewriting.close(),
  };
}

async function clearWorkspace(db: Database, clock: Clock, rewriting: Rewriting, workspaceId: string, signal: AbortSignal): Promise<void> {
  for (;;) {
    const changed = await itemsToClear(db, workspaceId, ITEMS_AT_ONCE);
    if (changed.length === 0) return;
    for (const snapshot of await snapshotsOf(db, workspaceId)) {
      signal.throwIfAborted();
      await clearSnapshot(db, clock, rewriting, snapshot, changed);
    }
    await noteCleared(db, workspaceId, changed);
    if (changed.length < ITEMS_AT_ONCE) return;
  }
}

async function clearSnapshot(
  db: Database,
  clock: Clock,
  rewriting: Rewriting,
  found: Snapshot,
  changed: readonly ChangedItem[],
): Promise<void> {
  let snapshot: Snapshot | undefined = found;
  for (let tries = 0; snapshot; tries++) {
    // What can't be taken out for being saved again and again goes as a whole.
    if (tries === MOST_TRIES) return dropSnapshot(db, snapshot);
    try {
      return await rewriteSnapshot(db, clock, rewriting, snapshot, changed);
    } catch (error) {
      if (!(error instanceof SavedMeanwhile)) {
        await dropSnapshot(db, snapshot);
        throw error;
      }
    }
    const { scope, workspaceId } = found;
    snapshot = (await snapshotsOf(db, workspaceId)).find((one) => one.scope === scope);
  }
}

async function rewriteSnapshot(
  db: Database,
  clock: Clock,
  rewriting: Rewriting,
  snapshot: Snapshot,
  changed: readonly ChangedItem[],
): Promise<void> {
  const { manifest, workspaceId } = snapshot;
  const gone = goneFrom(snapshot, changed);
  if (gone.threads.length === 0 && gone.ids.length === 0) return;
  const segments: StoredSegment[] = [];
  const replaced: string[] = [];
  for (const segment of manifest.segments) {
    const held = await rewriting.run('holdsAny', await readPages(db, workspaceId, segment.id, 'items'), gone);
    if (!held) {
      segments.push(segment);
      continue;
    }
    const left = await rewriting.run('withoutItems', await readPages(db, workspaceId, segment.id), gone);
    replaced.push(segment.id);
    if (left.items === 0) continue;
    const id = newId();
    await db.run(insertSegment(snapshot, id, clock.nowMs()));
    for (let at = 0; at < left.pages.length; at += PAGES_WRITTEN_AT_ONCE)
      await insertPages(db, workspaceId, id, left.pages.slice(at, at + PAGES_WRITTEN_AT_ONCE));
    segments.push({ id, items: left.items, entries: left.entries, bytes: left.pages.reduce((sum, { bytes }) => sum + bytes.length, 0) });
  }
  if (replaced.length === 0) return;
  const threads = manifest.threads.flatMap((state) => afterClearing(state, gone, changed));
  try {
    await replaceManifest(db, snapshot, { segments, threads });
  } finally {
    // Those that were replaced, or those that were written for nothing.
    await dropUnused(db, workspaceId, [...replaced, ...segments.map(({ id }) => id)]);
  }
}

/** Of what changed, what the snapshot may hold: it was saved before. */
function goneFrom({ kind, manifest }: Snapshot, changed: readonly ChangedItem[]): GoneItems {
  const known = new Map(manifest.threads.map((state) => [state.thread, state]));
  const ofSnapshot = changed.filter((item) => item.kind === kind && known.has(item.scopeId));
  const isBefore = ({ itemId, scopeId, edits }: ChangedItem) => {
    // A session counts an edit of memories before or after it is written down.
    const saved = Number.parseInt(known.get(scopeId)?.edits ?? '', 10);
    return !(kind === 'message' && itemId !== WHOLE_THREAD ? saved >= edits : saved > edits);
  };
  const held = ofSnapshot.filter(isBefore);
  return {
    threads: held.filter(({ itemId }) => itemId === WHOLE_THREAD).map(({ scopeId }) => scopeId),
    ids: held.filter(({ itemId }) => itemId !== WHOLE_THREAD).map(({ itemId }) => itemId),
  };
}

/** Nothing is known of a thread that went; one that lost items is compared when it is next loaded. */
function afterClearing(state: StoredThread, { threads }: GoneItems, changed: readonly ChangedItem[]): StoredThread[] {
  if (threads.includes(state.thread)) return [];
  return changed.some(({ scopeId }) => scopeId === state.thread) ? [{ ...state, edits: '' }] : [state];
}
