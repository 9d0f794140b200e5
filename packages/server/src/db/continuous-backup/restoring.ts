/** From a target back to a database: the pages of a snapshot, and what was written since, up to a point in time. */
import { type FileHandle, open } from 'node:fs/promises';
import { type RestoreOptions, replaceDatabase } from '../sqlite/backup.ts';
import type { SegmentHeader } from './cutting.ts';
import { partName } from './names.ts';
import { DamagedObject, type DecodedObject, decodeObject } from './objects.ts';
import { BackupIncomplete, type PlanOptions, planRestore, type RestorePlan } from './restore-points.ts';
import { PART_BYTES, type PartHeader } from './snapshots.ts';
import type { Target } from './target.ts';
import { FRAME_HEADER_BYTES, frameBytes, frameHeaderAt } from './wal.ts';

/** Segments are small and many; a bucket answers each in its time. */
const FETCHED_AHEAD = 16;
const PARTS_FETCHED_AHEAD = 2;

export interface Restored {
  readonly generation: string;
  readonly atMs: number;
  readonly segmentsCount: number;
  /** What was left out, where only the last whole point was asked for. */
  readonly faults: readonly string[];
  readonly keptAt: string | undefined;
}

/** `named` is what messages call the target. */
export async function restoreFromTarget(
  target: Target,
  named: string,
  dataDir: string,
  options: PlanOptions & RestoreOptions,
): Promise<Restored> {
  let plan = await planRestore(target, options);
  const faults: string[] = [];
  const damaged = new Map<string, string>();
  const keptAt = await replaceDatabase(dataDir, { force: options.force ?? false, thoroughly: true }, named, async (temporary) => {
    for (;;) {
      try {
        await writeDatabase(target, plan, temporary);
        return;
      } catch (error) {
        const isFault = error instanceof DamagedSegment || error instanceof DamagedObject || error instanceof BackupIncomplete;
        if (!options.lastWhole || !isFault) throw error;
        faults.push(error.message);
        const shorter = error instanceof DamagedSegment ? withoutDamaged(plan, error) : undefined;
        // An older snapshot, and the segments since, may still reach the same point.
        if (!shorter) damaged.set(plan.manifest.id, error.message);
        plan = shorter ?? (await planRestore(target, { ...options, damaged }));
      }
    }
  });
  const { manifest, segments, atMs } = plan;
  return { generation: manifest.generation, atMs, segmentsCount: segments.length, faults, keptAt };
}

class DamagedSegment extends Error {
  readonly segment: number;
  constructor(segment: number, cause: Error) {
    super(cause.message, { cause });
    this.segment = segment;
  }
}

/** Up to the last commit before the damage; undefined where the snapshot is not whole then. */
function withoutDamaged({ manifest, segments }: RestorePlan, damaged: DamagedSegment): RestorePlan | undefined {
  const last = segments.findLastIndex(({ segment, isWhole }) => segment < damaged.segment && isWhole);
  const rest = segments.slice(0, last + 1);
  if ((rest.at(-1)?.segment ?? manifest.after) < manifest.until) return undefined;
  return { manifest, segments: rest, atMs: Math.max(rest.at(-1)?.atMs ?? 0, manifest.atMs) };
}

async function writeDatabase(target: Target, plan: RestorePlan, file: string): Promise<void> {
  const handle = await open(file, 'w', 0o600);
  try {
    await writePages(target, plan, handle);
    await applySegments(target, plan, handle);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

async function writePages(target: Target, { manifest }: RestorePlan, handle: FileHandle): Promise<void> {
  const { generation, after, id, parts } = manifest;
  const names = parts.map((_, index) => partName(generation, after, id, index + 1));
  let index = 0;
  for await (const { payload, sha256, header } of fetchInOrder<PartHeader>(target, names, PARTS_FETCHED_AHEAD)) {
    if (header.part !== index + 1 || sha256 !== parts[index]) throw new DamagedObject(names[index] as string, 'it is of another snapshot');
    await handle.write(payload, 0, payload.length, index * PART_BYTES);
    index++;
  }
}

async function applySegments(target: Target, { manifest, segments }: RestorePlan, handle: FileHandle): Promise<void> {
  let previous = manifest.afterSha256;
  let size: { readonly pages: number; readonly pageSize: number } | undefined;
  const names = segments.map(({ name }) => name);
  let index = 0;
  try {
    for await (const { header, payload, sha256 } of fetchInOrder<SegmentHeader>(target, names, FETCHED_AHEAD)) {
      const name = names[index] as string;
      if (header.previous !== previous) throw new DamagedObject(name, 'it does not follow the segment before it');
      await applyFrames(handle, header, payload);
      if (header.pagesAfterCommit > 0) size = { pages: header.pagesAfterCommit, pageSize: header.pageSize };
      previous = sha256;
      index++;
    }
  } catch (error) {
    const damaged = segments[index];
    if (damaged && (error instanceof DamagedObject || error instanceof BackupIncomplete)) throw new DamagedSegment(damaged.segment, error);
    throw error;
  }
  if (size) await handle.truncate(size.pages * size.pageSize);
}

async function applyFrames(handle: FileHandle, { pageSize, frames }: SegmentHeader, payload: Buffer): Promise<void> {
  const bytes = frameBytes(pageSize);
  // A page that occurs more than once is written once, as it was at last.
  const last = new Map<number, number>();
  for (let frame = 0; frame < frames; frame++) last.set(frameHeaderAt(payload, frame * bytes).page, frame);
  for (const [page, frame] of last) {
    await handle.write(payload, frame * bytes + FRAME_HEADER_BYTES, pageSize, (page - 1) * pageSize);
  }
}

/** A few requests ahead of what is used, in order. */
async function* fetchInOrder<Header>(target: Target, names: readonly string[], ahead: number): AsyncIterable<DecodedObject<Header>> {
  const waiting: Promise<Buffer | undefined>[] = [];
  let asked = 0;
  for (const name of names) {
    for (; asked < names.length && waiting.length < ahead; asked++) {
      const answer = target.get(names[asked] as string);
      // Whoever comes to it hears of it.
      answer.catch(() => {});
      waiting.push(answer);
    }
    const bytes = await waiting.shift();
    if (!bytes) throw new BackupIncomplete(`${name} is missing`);
    yield decodeObject<Header>(name, bytes);
  }
}
