/** Which points in time a target can give back. */
import type { SegmentHeader } from './cutting.ts';
import { listGenerations, listSegments, listSnapshots, type StoredSegment, type StoredSnapshot } from './inventory.ts';
import { DamagedObject, decodeObject } from './objects.ts';
import type { Manifest } from './snapshots.ts';
import type { Target } from './target.ts';

/** Something of a backup is missing or damaged; the message names it. */
export class BackupIncomplete extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'BackupIncomplete';
  }
}

/** A snapshot and the segments to apply to it. */
export interface RestorePlan {
  readonly manifest: Manifest;
  readonly segments: readonly StoredSegment[];
  /** The time that the database is then of. */
  readonly atMs: number;
}

export interface PlanOptions {
  /** The newest point unless told. */
  readonly atMs?: number | undefined;
  /** Goes as far as what is whole, where something is missing. */
  readonly lastWhole?: boolean | undefined;
  /** Snapshots that turned out to be damaged, by their ids, and what was wrong. */
  readonly damaged?: ReadonlyMap<string, string>;
}

/** The last point at or before the time, from the last snapshot that is older. */
export async function planRestore(
  target: Target,
  { atMs = Number.POSITIVE_INFINITY, lastWhole = false, damaged }: PlanOptions,
): Promise<RestorePlan> {
  const faults: string[] = [];
  let snapshotsCount = 0;
  for (const generation of (await listGenerations(target)).reverse()) {
    for (const snapshot of (await listSnapshots(target, generation)).reverse()) {
      snapshotsCount++;
      if (snapshot.atMs > atMs) continue;
      const known = damaged?.get(snapshot.id);
      if (known !== undefined) {
        faults.push(known);
        continue;
      }
      try {
        return await planFrom(target, snapshot, atMs, lastWhole);
      } catch (error) {
        if (!lastWhole || !(error instanceof BackupIncomplete || error instanceof DamagedObject)) throw error;
        faults.push(error.message);
      }
    }
  }
  if (faults.length > 0) throw new BackupIncomplete(`No whole point is left: ${faults.join('; ')}`);
  if (snapshotsCount === 0) throw new BackupIncomplete('There is no finished snapshot at this target');
  throw new BackupIncomplete(`The oldest point is newer than ${new Date(atMs).toISOString()}; "backup --list" shows what there is`);
}

async function planFrom(target: Target, snapshot: StoredSnapshot, atMs: number, lastWhole: boolean): Promise<RestorePlan> {
  const manifest = await readManifest(target, snapshot);
  const numbered: StoredSegment[][] = [];
  let expected = snapshot.after + 1;
  let fault: string | undefined;
  for await (const segment of listSegments(target, snapshot.generation, expected)) {
    if (segment.segment > expected) {
      fault = `segment ${expected} is missing`;
      break;
    }
    if (segment.segment < expected) numbered.at(-1)?.push(segment);
    else {
      numbered.push([segment]);
      expected++;
    }
  }
  const segments = await chooseFollowed(target, numbered);
  // The last in order: a clock that was put back must not hide what came before that.
  const last = segments.findLastIndex((segment) => segment.isWhole && segment.atMs <= atMs);
  const chosen = segments.slice(0, last + 1);
  const reached = chosen.at(-1)?.segment ?? snapshot.after;
  const place = `generation ${snapshot.generation}`;
  if (reached < manifest.until) {
    throw new BackupIncomplete(`In ${place} ${fault ?? `segment ${reached + 1} is missing`}, without which its snapshot is not whole`);
  }
  // What is missing matters only where the point lies beyond it.
  const isBeforeFault = atMs < (segments.at(-1)?.atMs ?? 0);
  if (fault && !lastWhole && !isBeforeFault)
    throw new BackupIncomplete(`In ${place} ${fault}. With --last-whole the backup is restored up to there`);
  return { manifest, segments: chosen, atMs: Math.max(chosen.at(-1)?.atMs ?? 0, manifest.atMs) };
}

/** Of several with one number, which a process that was killed may have left: the one that the next segment follows. */
async function chooseFollowed(target: Target, numbered: readonly (readonly StoredSegment[])[]): Promise<StoredSegment[]> {
  const chosen: StoredSegment[] = [];
  let wanted: string | undefined;
  for (let index = numbered.length - 1; index >= 0; index--) {
    const candidates = numbered[index] as readonly StoredSegment[];
    let one = candidates.at(-1) as StoredSegment;
    if (wanted !== undefined) {
      for (const candidate of candidates) if ((await readLink(target, candidate))?.sha256 === wanted) one = candidate;
    }
    chosen.push(one);
    const isNextDoubtful = (numbered[index - 1]?.length ?? 0) > 1;
    wanted = isNextDoubtful ? (await readLink(target, one))?.previous : undefined;
  }
  return chosen.reverse();
}

/** Undefined for one that is missing or damaged: the restore itself says so. */
async function readLink(
  target: Target,
  { name }: StoredSegment,
): Promise<{ readonly sha256: string; readonly previous: string } | undefined> {
  const bytes = await target.get(name);
  if (!bytes) return undefined;
  try {
    const { header, sha256 } = decodeObject<SegmentHeader>(name, bytes);
    return { sha256, previous: header.previous };
  } catch (error) {
    if (error instanceof DamagedObject) return undefined;
    throw error;
  }
}

async function readManifest(target: Target, { name }: StoredSnapshot): Promise<Manifest> {
  const bytes = await target.get(name);
  if (!bytes) throw new BackupIncomplete(`${name} is missing`);
  return decodeObject<Manifest>(name, bytes).header;
}

/** One generation, as `backup --list` shows it. */
export interface GenerationSummary {
  readonly generation: string;
  /** From the first to the last point; undefined before its first snapshot is finished. */
  readonly range: { readonly fromMs: number; readonly toMs: number } | undefined;
  readonly snapshots: readonly StoredSnapshot[];
  readonly segmentsCount: number;
  readonly sizeBytes: number;
}

export async function summarize(target: Target): Promise<GenerationSummary[]> {
  const summaries: GenerationSummary[] = [];
  for (const generation of await listGenerations(target)) {
    const snapshots = await listSnapshots(target, generation);
    const segments: StoredSegment[] = [];
    for await (const segment of listSegments(target, generation, 0)) segments.push(segment);
    let sizeBytes = 0;
    for await (const object of target.list(`${generation}/`)) sizeBytes += object.sizeBytes;
    const [first] = snapshots;
    const lastMs = segments.findLast(({ isWhole }) => isWhole)?.atMs ?? 0;
    const range = first && { fromMs: first.atMs, toMs: Math.max(lastMs, snapshots.at(-1)?.atMs ?? 0) };
    summaries.push({ generation, range, snapshots, segmentsCount: segments.length, sizeBytes });
  }
  return summaries;
}
