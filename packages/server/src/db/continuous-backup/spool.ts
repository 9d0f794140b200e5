/** Segments that wait for the target, as files beside the database. */
import {
  closeSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { syncFolder } from './chain.ts';
import { readSegmentFile, type SegmentName, segmentFile } from './names.ts';

/** In the data folder; only the embedded engine writes here. */
export const SPOOL_FOLDER = 'backup';
const SEGMENTS = 'segments';

export interface SpooledSegment extends SegmentName {
  readonly generation: string;
  readonly path: string;
  readonly sizeBytes: number;
}

export function makeSpool(folder: string): void {
  const place = join(folder, SEGMENTS);
  mkdirSync(place, { recursive: true, mode: 0o700 });
  // Of a process that was killed.
  for (const file of readdirSync(place)) if (file.endsWith('.tmp')) rmSync(join(place, file), { force: true });
}

/** A name that ends in .tmp is never taken for a segment. */
export function spoolSegment(
  folder: string,
  generation: string,
  name: SegmentName,
  bytes: Buffer,
  options: { readonly sync: boolean },
): void {
  const file = join(folder, SEGMENTS, `${generation}.${segmentFile(name)}`);
  try {
    writeFileSync(`${file}.tmp`, bytes, { mode: 0o600, flush: options.sync });
    renameSync(`${file}.tmp`, file);
  } catch (error) {
    // On a full disk every try would leave another one.
    rmSync(`${file}.tmp`, { force: true });
    throw error;
  }
  if (options.sync) syncFolder(dirname(file));
}

/** In order. */
export function spooledSegments(folder: string): SpooledSegment[] {
  const place = join(folder, SEGMENTS);
  return spooledFiles(folder).flatMap((file) => {
    const [generation = '', name = ''] = file.split('.');
    const found = readSegmentFile(name);
    const path = join(place, file);
    return found ? [{ ...found, generation, path, sizeBytes: statSync(path).size }] : [];
  });
}

function spooledFiles(folder: string): string[] {
  return readdirSync(join(folder, SEGMENTS))
    .filter((file) => !file.endsWith('.tmp'))
    .sort();
}

export function readSpooled({ path }: SpooledSegment): Buffer {
  return readFileSync(path);
}

/** False where it was gone already. */
export function removeSpooled({ path }: SpooledSegment): boolean {
  try {
    unlinkSync(path);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false;
    throw error;
  }
}

/** Those that the saved state does not know: whoever cut them ended before it was saved, and the log still holds what is in them. */
export function removeSpooledAfter(folder: string, generation: string, segment: number): void {
  for (const spooled of spooledSegments(folder)) {
    if (spooled.generation === generation && spooled.segment > segment) removeSpooled(spooled);
  }
}

export function emptySpool(folder: string): void {
  rmSync(join(folder, SEGMENTS), { recursive: true, force: true });
  makeSpool(folder);
}

/** Before the log that they were cut from is given up: those after the last file that is synced. Answers which that is now. */
export function syncSpool(folder: string, syncedFile: string): string {
  const place = join(folder, SEGMENTS);
  const files = spooledFiles(folder).filter((file) => file > syncedFile);
  for (const file of files) {
    const handle = openSync(join(place, file), 'r');
    try {
      fsyncSync(handle);
    } finally {
      closeSync(handle);
    }
  }
  syncFolder(place);
  return files.at(-1) ?? syncedFile;
}
