/** What a target holds. */
import {
  generationNumber,
  readManifestName,
  readSegmentFile,
  type SegmentName,
  type SnapshotName,
  segmentsFolder,
  snapshotsFolder,
} from './names.ts';
import type { StoredObject, Target } from './target.ts';

export type StoredSnapshot = SnapshotName & StoredObject & { readonly generation: string };
export type StoredSegment = SegmentName & StoredObject;

/** In order. */
export async function listGenerations(target: Target): Promise<string[]> {
  return (await target.listFolders()).filter((name) => generationNumber(name) > 0);
}

/** Those that are finished, in order. */
export async function listSnapshots(target: Target, generation: string): Promise<StoredSnapshot[]> {
  const snapshots: StoredSnapshot[] = [];
  for await (const object of target.list(snapshotsFolder(generation))) {
    const name = readManifestName(object.name);
    if (name) snapshots.push({ ...object, ...name, generation });
  }
  return snapshots;
}

/** In order, from one on. */
export async function* listSegments(target: Target, generation: string, from: number): AsyncIterable<StoredSegment> {
  const folder = segmentsFolder(generation);
  for await (const object of target.list(folder, `${folder}${String(from).padStart(12, '0')}`)) {
    const name = readSegmentFile(object.name);
    if (name) yield { ...object, ...name };
  }
}
