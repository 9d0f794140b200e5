/**
 * Snapshots: the pages of the database file, part by part, while it is written. The parts are of different moments; applying all segments
 * from before the first part to after the last one makes them whole, as those hold every page that was written meanwhile.
 */
import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Chain } from './chain.ts';
import { manifestName, partName } from './names.ts';
import { encodeObject } from './objects.ts';
import type { Target } from './target.ts';
import { readFully } from './wal.ts';

/** A multiple of every page size. */
export const PART_BYTES = 8 * 1024 * 1024;

export interface PartHeader {
  readonly kind: 'pages';
  readonly part: number;
}

export interface Manifest {
  readonly kind: 'snapshot';
  readonly generation: string;
  readonly id: string;
  /** The segment before the first that is applied, and its checksum. */
  readonly after: number;
  readonly afterSha256: string;
  /** The segment that must be applied for the database to be whole. */
  readonly until: number;
  readonly atMs: number;
  readonly sizeBytes: number;
  /** The checksum of each part. */
  readonly parts: readonly string[];
}

/** A snapshot under way: what is at the target is not sent again when something fails. */
export class SnapshotProgress {
  readonly base: Chain;
  readonly id = randomBytes(4).toString('hex');
  readonly parts: string[] = [];
  sizeBytes = 0;
  /** What the file grows by from here on is in segments. */
  isRead = false;

  /** The base is where all of the log was in the file. */
  constructor(base: Chain) {
    this.base = base;
  }
}

export interface SnapshotSource {
  /** An open descriptor of the database file. */
  readonly database: number;
  /** Between two parts; throws where the snapshot has lost its use. */
  readonly pause: () => Promise<void>;
  /** The last segment once everything that was in the file so far is cut, and when nothing more was committed. */
  readonly cutAll: () => Promise<{ readonly segment: number; readonly atMs: number }>;
}

/** Goes on where an earlier try failed. */
export async function storeSnapshot(
  target: Target,
  progress: SnapshotProgress,
  { database, pause, cutAll }: SnapshotSource,
): Promise<Manifest> {
  const { base, id, parts } = progress;
  const { generation, segment: after, sha256: afterSha256 } = base;
  const raw = Buffer.alloc(PART_BYTES);
  while (!progress.isRead) {
    await pause();
    const startedMs = performance.now();
    const read = readFully(database, raw, progress.sizeBytes);
    const part = parts.length + 1;
    const { bytes, sha256 } = encodeObject({ kind: 'pages', part } satisfies PartHeader, raw.subarray(0, read));
    const busyMs = performance.now() - startedMs;
    if (read > 0) {
      await target.put(partName(generation, after, id, part), bytes);
      parts.push(sha256);
      progress.sizeBytes += read;
    }
    progress.isRead = read < PART_BYTES;
    if (progress.isRead) break;
    // Half of a processor at most: others need it more.
    await sleep(busyMs);
  }
  const { segment: until, atMs } = await cutAll();
  const { sizeBytes } = progress;
  const manifest: Manifest = { kind: 'snapshot', generation, id, after, afterSha256, until, atMs, sizeBytes, parts };
  await target.put(manifestName(generation, { after, atMs, id }), encodeObject(manifest, Buffer.alloc(0)).bytes);
  return manifest;
}
