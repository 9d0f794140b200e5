/** Deletes what no point in time within the retention needs any more. */
import { listGenerations, listSegments, listSnapshots, type StoredSnapshot } from './inventory.ts';
import { partsFolder, readPartName } from './names.ts';
import type { StoredObject, Target } from './target.ts';

const REMOVED_TOGETHER = 100;
const LISTED_TOGETHER = 1000;

/** Between two steps; may throw to end it. */
type Pause = () => Promise<void>;

export interface Retention {
  readonly nowMs: number;
  readonly retentionMs: number;
  /** How far apart snapshots are while the service runs. */
  readonly snapshotMs: number;
}

/**
 * The last snapshot from before the retention begins is the oldest that is needed. Its order decides what is older, never a clock. No snapshot
 * may be stored at the same time; segments may. Answers how many objects are gone.
 */
export async function removeExpired(target: Target, retention: Retention, pause: Pause = async () => {}): Promise<number> {
  const generations = await listGenerations(target);
  const snapshots: StoredSnapshot[] = [];
  for (const generation of generations) snapshots.push(...(await listSnapshots(target, generation)));
  const oldest = findOldestNeeded(snapshots, retention);
  const expired = oldest ? snapshots.slice(0, snapshots.indexOf(oldest)) : [];
  // First, so that what is left of a snapshot is never taken for one.
  await target.remove(expired.map(({ name }) => name));
  let removed = expired.length;
  const kept = new Set(snapshots.slice(expired.length).map(({ id }) => id));
  for (const generation of generations) {
    if (oldest && generation < oldest.generation) removed += await removeWhere(target, target.list(`${generation}/`), () => true, pause);
    else removed += await removeParts(target, generation, kept, pause);
  }
  return oldest ? removed + (await removeSegments(target, oldest, pause)) : removed;
}

/**
 * Between two snapshots no more counts than the time that there is between them while the service runs: a clock that has jumped ahead, now or
 * in an earlier run, takes one of them and not the whole history, and a service that was off finds its own.
 */
function findOldestNeeded(snapshots: readonly StoredSnapshot[], { nowMs, retentionMs, snapshotMs }: Retention): StoredSnapshot | undefined {
  let ageMs = 0;
  let laterMs = nowMs;
  return snapshots.findLast(({ atMs }) => {
    ageMs += Math.min(Math.max(laterMs - atMs, 0), snapshotMs);
    laterMs = atMs;
    return ageMs >= retentionMs;
  });
}

/** Those of snapshots that were deleted, or never finished. */
async function removeParts(target: Target, generation: string, kept: ReadonlySet<string>, pause: Pause): Promise<number> {
  const isOrphan = ({ name }: StoredObject) => {
    const part = readPartName(name);
    return part !== undefined && !kept.has(part.id);
  };
  return removeWhere(target, target.list(partsFolder(generation)), isOrphan, pause);
}

async function removeSegments(target: Target, { generation, after }: StoredSnapshot, pause: Pause): Promise<number> {
  const expired = (async function* () {
    for await (const segment of listSegments(target, generation, 0)) {
      if (segment.segment > after) return;
      yield segment;
    }
  })();
  return removeWhere(target, expired, () => true, pause);
}

/** In steps, as there can be hundreds of thousands. */
async function removeWhere(
  target: Target,
  items: AsyncIterable<StoredObject>,
  isExpired: (item: StoredObject) => boolean,
  pause: Pause,
): Promise<number> {
  let names: string[] = [];
  let removed = 0;
  let listed = 0;
  for await (const item of items) {
    if (isExpired(item)) names.push(item.name);
    if (++listed % LISTED_TOGETHER === 0) await pause();
    if (names.length < REMOVED_TOGETHER) continue;
    await target.remove(names);
    removed += names.length;
    names = [];
    await pause();
  }
  await target.remove(names);
  return removed + names.length;
}
